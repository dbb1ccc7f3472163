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

#include "dynamics/coordinates.h"
#include "rows/contact_state.h"
#include "stickslip/analysis.h"

/* Sliding with a force: what the verdict is about. */
static bool counts(const ss_data *d, const ss_row_block *b)
{
    return b->source == SS_ROWS_CONTACT && b->kind == SS_BLOCK_CONE &&
           ss_block_state(d->model, d, b, d->part) == SS_CONTACT_SLIP;
}

/*
 * x'M^-1 y over the coordinates of one body. By the masses themselves: what a step solved with may
 * have had damping in their place, or nothing.
 */
static double by_mass(const ss_model *m, const ss_data *d, int32_t body, const double *x,
                      const double *y)
{
    const ss_body *b   = &m->bodies[body];
    double         sum = 0;
    for (int32_t c = 0; c < m->dimension; c++) {
        sum += b->inv_mass * x[c] * y[c];
    }
    if (b->dof < m->dof) {
        return sum;
    }
    if (m->dof == 3) {
        return sum + b->inv_inertia.m[8] * x[2] * y[2];
    }
    ss_vec3 turn = ss_mul(&d->inv_inertia[body], ss_v3(y[3], y[4], y[5]));
    return sum + ss_dot(ss_v3(x[3], x[4], x[5]), turn);
}

/* Response of contact x's normal velocity to contact y's normal force, its friction with it. */
static double entry(const ss_model *m, const ss_data *d, const ss_row_block *x,
                    const ss_row_block *y, bool friction)
{
    const double *u     = d->rows.velocity + y->row;
    double        speed = ss_friction_norm(y, u), sum = 0;
    for (int32_t k = 0; k < (friction ? y->dim : 1); k++) {
        double weight = k == 0 ? 1 : -y->mu * u[k] / speed;
        for (int sx = 0; sx < 2; sx++) {
            for (int sy = 0; sy < 2; sy++) {
                if (x->body[sx] >= 0 && x->body[sx] == y->body[sy]) {
                    sum += weight * by_mass(m, d, x->body[sx], ss_row_side(m, &d->rows, x->row, sx),
                                            ss_row_side(m, &d->rows, y->row + k, sy));
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
