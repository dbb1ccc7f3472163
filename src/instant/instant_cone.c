/* SPDX-License-Identifier: Apache-2.0 */
/* Is the friction cone of an instant pointed? */
#include "instant/instant_parts.h"

#include <string.h>

#include "analysis/pointed.h"
#include "dynamics/coordinates.h"
#include "instant/tolerances.h"
#include "linalg/basis.h"
#include "linalg/vector.h"
#include "model/axes.h"

static void wrench_of(const ss_model *m, const ss_data *d, const ss_instant_block *b, int32_t row,
                      double *out)
{
    memset(out, 0, (size_t)m->nv * sizeof *out);
    for (int side = 0; side < b->sides; side++) {
        const double *J = ss_row_side(m, &d->rows, row, side);
        for (int32_t c = 0; b->body[side] >= 0 && c < m->dof; c++) {
            out[m->bodies[b->body[side]].v_start + c] =
                J[c] / ss_coordinate_scale(m, b->body[side], c);
        }
    }
}

/* The wrenches of all closed contacts, joints taken out (analysis/contact_cone.c). */
ss_status ss_instant_judge_cone(ss_instant *s, const ss_model *m, ss_data *d,
                                const ss_instant_rows *r)
{
    size_t nv = (size_t)m->nv, nc = (size_t)s->contact_count, rows = 0;
    if (m->nv > SS_INSTANT_COORDINATES || nc == 0) {
        s->verdict->pointed = nc == 0 ? SS_YES : SS_UNDECIDED;
        return SS_OK;
    }
    for (size_t i = 0; i < nc; i++) {
        rows += (size_t)r->blocks[i].dim;
    }
    ss_cone_piece *pieces = ss_arena_alloc(&d->scratch, nc, sizeof *pieces);
    double        *W      = ss_arena_alloc(&d->scratch, rows * nv, sizeof *W);
    double        *joints = ss_arena_alloc(&d->scratch, nv * nv, sizeof *joints);
    double        *work   = ss_arena_alloc(&d->scratch, ss_cone_pointed_work(m->nv), sizeof *work);
    double        *forces = ss_arena_alloc(&d->scratch, 6 * nc + 6, sizeof *forces);
    double        *one    = ss_arena_alloc(&d->scratch, nv, sizeof *one);
    if (!pieces || !W || !joints || !work || !forces || !one) {
        return SS_ERR_SCRATCH;
    }
    int32_t rank = 0;
    for (int32_t i = 0; i < r->nblocks; i++) {
        const ss_instant_block *b = &r->blocks[i];
        for (int32_t k = 0; b->kind == SS_BLOCK_EQUALITY && k < b->dim; k++) {
            wrench_of(m, d, b, b->row + k, one);
            ss_basis_add(m->nv, joints, &rank, one, SS_INSTANT_BORDER * ss_vector_norm(m->nv, one));
        }
    }
    for (size_t i = 0; i < nc; i++) {
        const ss_instant_block *b = &r->blocks[i];
        pieces[i] = (ss_cone_piece){W, b->dim, b->mu, ss_cone_of(m)->flat ? &m->polygon : NULL};
        for (int32_t k = 0; k < b->dim; k++, W += nv) {
            wrench_of(m, d, b, b->row + k, W);
            ss_basis_leave(m->nv, joints, rank, W);
        }
    }
    ss_cone_sum K       = {.n = m->nv, .count = (int32_t)nc, .pieces = pieces};
    s->verdict->pointed = ss_cone_pointed(&K, work, forces, NULL);
    for (size_t i = 0; s->verdict->pointed == SS_NO && i < nc; i++) {
        memcpy(s->witness[i], forces + 6 * i, sizeof s->witness[i]);
    }
    return SS_OK;
}
