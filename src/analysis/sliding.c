/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sliding contacts as an LCP in their normal forces (Dupont and Yamajako 1997; Pfeiffer and
 * Glocker): while contact i slides in direction d_i, its friction is -mu_i p_i d_i, and
 *
 *   a = N p + b,   N = J_n M^-1 (J_n - mu J_f d)',   0 <= p  _|_  a >= 0.
 *
 * One solution for every b exactly if N is a P-matrix. N_ii <= 0 is Painleve's paradox at contact
 * i.
 */
#include <math.h>

#include "core/elementary.h"
#include "model/data.h"
#include "stickslip/analysis.h"

/* Sliding with a force: what the verdict is about. */
static bool counts(const ss_data *d, const ss_row_block *b)
{
    const double *p = d->rows.impulse + b->row, *u = d->rows.velocity + b->row;
    double        slip = 0;
    for (int32_t k = 1; k < b->dim; k++) {
        slip += u[k] * u[k];
    }
    double still = 1e-9 * d->model->length / d->report.step;
    return b->source == SS_ROWS_CONTACT && b->kind == SS_BLOCK_CONE && p[0] > 0 &&
           slip > still * still;
}

/* Response of contact x's normal velocity to contact y's normal force, its friction with it. */
static double entry(const ss_model *m, const ss_data *d, const ss_row_block *x,
                    const ss_row_block *y, bool friction)
{
    const double *u     = d->rows.velocity + y->row;
    double        speed = 0, sum = 0;
    for (int32_t k = 1; k < y->dim; k++) {
        speed = ss_hypot(speed, u[k]);
    }
    for (int32_t k = 0; k < (friction ? y->dim : 1); k++) {
        double weight = k == 0 ? 1 : -y->mu * u[k] / speed;
        for (int sx = 0; sx < 2; sx++) {
            for (int sy = 0; sy < 2; sy++) {
                if (x->body[sx] >= 0 && x->body[sx] == y->body[sy]) {
                    size_t at_x = ((size_t)x->row * 2 + (size_t)sx) * (size_t)m->dof;
                    size_t at_y = ((size_t)(y->row + k) * 2 + (size_t)sy) * (size_t)m->dof;
                    sum += weight * ss_dot_dof(d->rows.J + at_x, d->Y + at_y, m->dof);
                }
            }
        }
    }
    return sum;
}

ss_status ss_analyze_sliding(const ss_model *m, const ss_data *d, ss_sliding_verdict *out)
{
    enum { MOST = 24 };
    int32_t which[MOST], n = 0, all = 0;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        if (counts(d, &d->rows.blocks[i])) {
            if (n < MOST) {
                which[n++] = i;
            }
            all++;
        }
    }
    *out = (ss_sliding_verdict){all, SS_UNDECIDED, INFINITY};
    double N[MOST * MOST];
    for (int32_t j = 0; j < n; j++) {
        const ss_row_block *y = &d->rows.blocks[which[j]];
        for (int32_t i = 0; i < n; i++) {
            N[i + j * n] = entry(m, d, &d->rows.blocks[which[i]], y, true);
        }
        out->lowest = fmin(out->lowest, N[j + j * n] / entry(m, d, y, y, false));
    }
    return all > n ? SS_OK : ss_pmatrix(d->ctx, N, n, &out->p_matrix);
}
