/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The load of an island that is to rest (rest.c): F = M v_free, or the forces over the step, and
 * what acts at rest whatever else does. Torques over the body's arm, so that all has one unit.
 */
#include <string.h>

#include "balance/seat.h"

static double arm_of(const ss_seat *s, int32_t body, int32_t c)
{
    return ss_coordinate_scale(s->m, body, c);
}

void ss_seat_momentum(const ss_seat *s, int32_t body, const double *v, double *to)
{
    const ss_model       *m = s->m;
    const ss_body_matrix *A = &s->d->matrix[body];
    if (A->full != NULL) {
        for (int32_t c = 0; c < m->dof; c++) {
            to[c] = ss_dot_dof(A->full + (ptrdiff_t)c * m->dof, v, m->dof);
        }
        return;
    }
    for (int32_t c = 0; c < m->dimension; c++) {
        to[c] = A->linear * v[c];
    }
    if (m->dof == 3) {
        to[2] = A->angular.m[8] * v[2];
    } else {
        ss_vec3 t = ss_mul(&A->angular, ss_v3(v[3], v[4], v[5]));
        to[3]     = t.x;
        to[4]     = t.y;
        to[5]     = t.z;
    }
}

/* To the load: what acts at rest whatever else does; then what of it joints leave. */
static void finish_load(ss_seat *s)
{
    for (int32_t i = 0, row = 0; i < s->isl->block_count; row += ss_seat_block(s, i++)->dim) {
        const ss_row_block *b = ss_seat_block(s, i);
        for (int32_t c = 0; c < b->dim; c++) {
            if (s->known[row + c] != 0) {
                ss_add_scaled_row(s->m, s->d, b, b->row + c, s->known[row + c], s->load);
            }
        }
    }
    memcpy(s->pull, s->load, (size_t)s->bodies * sizeof *s->pull);
    ss_allowed_force(&s->allowed, s->pull);
}

void ss_seat_gather_load(ss_seat *s)
{
    const ss_model *m = s->m;
    for (int32_t i = 0; i < s->isl->body_count; i++) {
        int32_t body = s->isl->bodies[i];
        double *to   = s->load + (ptrdiff_t)i * m->dof;
        ss_seat_momentum(s, body, s->d->v_free + m->bodies[body].v_start, to);
        for (int32_t c = 0; c < m->dof; c++) {
            to[c] = c < m->bodies[body].dof ? to[c] / arm_of(s, body, c) : 0;
        }
    }
    finish_load(s);
}

/* h F, torques over the body's arm. */
void ss_seat_gather_forces(ss_seat *s, double h)
{
    const ss_model *m = s->m;
    for (int32_t i = 0; i < s->isl->body_count; i++) {
        int32_t body = s->isl->bodies[i];
        double  f[6] = {0};
        ss_wrench_to_vector(m, &s->d->applied[body], h, f);
        for (int32_t c = 0; c < m->dof; c++) {
            bool has                           = c < m->bodies[body].dof;
            s->load[(ptrdiff_t)i * m->dof + c] = has ? f[c] / arm_of(s, body, c) : 0;
        }
    }
    finish_load(s);
}
