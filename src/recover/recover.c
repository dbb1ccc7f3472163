/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Solutions -> impulses -> velocities -> trial state.
 *
 *   v+ = v_free + A^-1 J'p        (velocities that are unknowns of the problem are taken from it)
 *
 * What the inertia has to add to the velocities (rounds of a model without a matrix, certificates)
 * it does itself: its class has a member for that.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"

/* Impulses and velocities of an island whose problem has both as unknowns. */
static void take_unknowns(const ss_model *m, ss_data *d, const ss_island *isl)
{
    const double *r = isl->solution.z, *v = isl->solution.v;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        memcpy(d->rows.impulse + b->row, r, (size_t)b->dim * sizeof *r);
        r += b->dim;
    }
    for (int32_t i = 0; i < isl->body_count; i++, v += m->dof) {
        memcpy(d->v_next + m->bodies[isl->bodies[i]].v_start, v, (size_t)m->dof * sizeof *v);
    }
}

/* v += Y'r over `rows` rows, 2 dof apart. */
static inline void add_responses(double *v, const double *r, const double *Y, int32_t rows,
                                 int32_t dof)
{
    double sum[6];
    for (int32_t c = 0; c < dof; c++) {
        sum[c] = v[c];
    }
    for (int32_t k = 0; k < rows; k++, Y += 2 * dof) {
        ss_add_dof(sum, r[k], Y, dof);
    }
    for (int32_t c = 0; c < dof; c++) {
        v[c] = sum[c];
    }
}

/* Add the velocity that the island's impulses give its bodies, and put the impulses in place. */
static void apply_impulses(const ss_model *m, ss_data *d, const ss_island *isl, const double *r)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        double             *p = d->rows.impulse + b->row;
        for (int32_t k = 0; k < b->dim; k++) {
            p[k] = r[k];
        }
        for (int side = 0; side < b->sides; side++) {
            if (b->body[side] >= 0) {
                double       *v = d->v_next + m->bodies[b->body[side]].v_start;
                const double *Y = ss_response_side(m, d, b->row, side);
                if (m->dof == 6) {
                    add_responses(v, r, Y, b->dim, 6);
                } else {
                    add_responses(v, r, Y, b->dim, 3);
                }
            }
        }
        r += b->dim;
    }
}

/*
 * Velocities of a body that are all rounding of what its impulses took from it become rest: a body
 * at rest then poses the same problem in every step, and last step's impulses solve it as they are.
 */
static void release_rounding(const ss_model *m, ss_data *d, const ss_island *isl)
{
    for (int32_t i = 0; i < isl->body_count; i++) {
        int32_t       start = m->bodies[isl->bodies[i]].v_start;
        const double *free  = d->v_free + start;
        double       *v     = d->v_next + start;
        double        taken = 0;
        for (int32_t c = 0; c < m->dimension; c++) {
            taken = ss_max(taken, fabs(free[c] - v[c]));
        }
        for (int32_t c = 0; c < m->dof; c++) {
            double speed = fabs(v[c]) * ss_coordinate_scale(m, isl->bodies[i], c);
            v[c]         = speed <= 4 * DBL_EPSILON * taken ? 0 : v[c];
        }
    }
}

/* Impulses that hold bodies by nearly flat arches are a thousand times the load, and so is what is
   rounding of them: where rest was taken, bodies stand. */
static void stand(const ss_model *m, ss_data *d, const ss_island *isl)
{
    for (int32_t i = 0; i < isl->body_count; i++) {
        memset(d->v_next + m->bodies[isl->bodies[i]].v_start, 0,
               (size_t)m->dof * sizeof *d->v_next);
    }
}

/* The solutions' impulses and what they make of the velocities. */
static ss_status take_impulses(const ss_model *m, ss_data *d)
{
    const ss_cone_class *cone = ss_cone_of(m);
    memcpy(d->v_next, d->v_free, (size_t)m->nv * sizeof *d->v_next);
    for (int32_t i = 0; i < d->island_count; i++) {
        ss_island *isl = &d->islands[i];
        if (isl->by_velocity) {
            take_unknowns(m, d, isl);
            continue;
        }
        double *r = ss_arena_alloc(&d->scratch, (size_t)isl->row_count, sizeof *r);
        if (r == NULL) {
            return SS_ERR_SCRATCH;
        }
        cone->back(m, &isl->cone.as.cone, isl->solution.z, r);
        apply_impulses(m, d, isl, r);
        SS_TRY(ss_refine_velocities(m, d, isl, r));
        release_rounding(m, d, isl);
        if (isl->rests) {
            stand(m, d, isl);
        }
    }
    return SS_OK;
}

/* Velocities of the rows of a block at the end of the step. The compiler is to know sides and dof.
 */
static inline void measure_block(ss_rows *rows, const ss_row_block *b, const double *const *v,
                                 int32_t sides, int32_t dof)
{
    const double *J = rows->J + (size_t)b->row * 2 * (size_t)dof;
    for (int32_t row = b->row; row < b->row + b->dim; row++, J += 2 * dof) {
        double after = 0;
        for (int side = 0; side < sides; side++) {
            if (v[side] != NULL) {
                after += ss_dot_dof(J + (ptrdiff_t)side * dof, v[side], dof);
            }
        }
        bool slides         = b->source == SS_ROWS_CONTACT && row > b->row;
        rows->velocity[row] = after + (slides ? rows->bias[row] : rows->drift[row]);
    }
}

/* Relative velocities at the end of the step, without the terms that correct gaps and joints. */
static void measure_rows(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b               = &d->rows.blocks[i];
        const double       *v[SS_ROW_SIDES] = {NULL};
        for (int side = 0; side < b->sides; side++) {
            if (b->body[side] >= 0) {
                v[side] = d->v_next + m->bodies[b->body[side]].v_start;
            }
        }
        if (b->sides > 2) {
            measure_block(&d->rows, b, v, SS_ROW_SIDES, m->dof);
        } else if (m->dof == 6) {
            measure_block(&d->rows, b, v, 2, 6);
        } else {
            measure_block(&d->rows, b, v, 2, 3);
        }
    }
}

/* Kinematic bodies were moved by ss_kinematics. */
static void move_bodies(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_sleeps(d, i)) {
            d->pose_next[i]  = d->state.pose[i];
            d->twist_next[i] = (ss_twist){0};
        } else if (ss_body_moves(&m->bodies[i])) {
            ss_move_body(m, d, i, h);
        }
    }
}

/* d->v_next is what the step takes: move the bodies, close the joints, measure. */
static ss_status take_velocities(const ss_model *m, ss_data *d, double h)
{
    move_bodies(m, d, h);
    bool here = ss_integrator_of(m)->close == NULL;
    if (here && m->joint_count > 0 && ss_joints_of(m)->close != NULL) {
        SS_TRY(ss_joints_of(m)->close(m, d, h));
    }
    measure_rows(m, d);
    return SS_OK;
}

ss_status ss_recover(const ss_model *m, ss_data *d, double h)
{
    const ss_inertia_class *inertia = ss_inertia_of(m);
    SS_TRY(take_impulses(m, d));
    SS_ROUNDS(impulses, m, d, h);
    if (inertia->velocities != NULL) {
        SS_TRY(inertia->velocities(m, d, h));
    }
    return take_velocities(m, d, h);
}

ss_status ss_choose_motion(const ss_model *m, ss_data *d, double h)
{
    const ss_inertia_class *inertia = ss_inertia_of(m);
    bool                    changed = false;
    bool                    several = d->motions.rested || d->motions.several;
    d->motions.verdict              = several ? SS_MOTION_NOT_UNIQUE : SS_MOTION_UNIQUE;
    d->motions.unheld               = -1;
    if (inertia->choose != NULL) {
        SS_TRY(inertia->choose(m, d, h, &changed));
    }
    return changed ? take_velocities(m, d, h) : SS_OK;
}
