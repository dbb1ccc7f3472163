/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What velocities make of rows, u = J v, and impulses along rows of bodies. Of the forces of a
 * step, with v, v_f the velocities before it and with them alone, it is
 *
 *   J (v_f - v)                    of the bodies of a row together, or
 *   sum over bodies |J_i (v_f - v)_i|
 *
 * of each: two that fall alike come no nearer by that, but where something holds the lower one the
 * upper one does. Of an island it is the most that a point of one of its bodies gets.
 */
#include <math.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "formulate/formulate.h"

double ss_row_rate(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row,
                   const double *v)
{
    const double *J = ss_row_side(m, &d->rows, row, 0);
    double        u = 0;
    for (int side = 0; side < b->sides; side++, J += m->dof) {
        if (b->body[side] >= 0) {
            u += ss_dot_dof(J, v + m->bodies[b->body[side]].v_start, m->dof);
        }
    }
    return u;
}

double ss_row_forced(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row)
{
    return ss_row_rate(m, d, b, row, d->v_free) - ss_row_rate(m, d, b, row, d->v_now);
}

double ss_row_forced_each(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row)
{
    double all = 0;
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] >= 0) {
            const double *J  = ss_row_side(m, &d->rows, row, side);
            int32_t       at = m->bodies[b->body[side]].v_start;
            all +=
                fabs(ss_dot_dof(J, d->v_free + at, m->dof) - ss_dot_dof(J, d->v_now + at, m->dof));
        }
    }
    return all;
}

double ss_island_forced(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    double most = 0;
    for (int32_t k = 0; k < isl->body_count; k++) {
        const ss_body *of = &m->bodies[isl->bodies[k]];
        for (int32_t c = 0; c < of->dof; c++) {
            double by = fabs(d->v_free[of->v_start + c] - d->v_now[of->v_start + c]);
            most      = ss_max(most, ss_coordinate_scale(m, isl->bodies[k], c) * by);
        }
    }
    return most;
}

double ss_row_push(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t k)
{
    double most = 0;
    for (int side = 0; side < b->sides; side++) {
        double square = 0;
        if (b->body[side] >= 0) {
            const double *J = ss_row_side(m, &d->rows, b->row + k, side);
            for (int32_t c = 0; c < m->dof; c++) {
                double g = J[c] / ss_coordinate_scale(m, b->body[side], c);
                square += g * g;
            }
        }
        most = fmax(most, square);
    }
    return sqrt(most);
}
