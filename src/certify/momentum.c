/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Are the velocities at the end of the step those that forces and impulses explain? Of a body that
 * moves smoothly the scheme promises, in world axes (docs/theory/integrator.md),
 *
 *   L+ - L = h T + J'p,      L = R I R'w
 *
 * (up to the angle that it turns by times the impulses, whose arms may be those of the start),
 * which is a nonlinear equation in the turn of the body. Where it was not solved, the body turns
 * with a velocity that nothing gave it, and may have less energy than before: the check of energy
 * gains says nothing then. Of bodies in joints the velocities are projected after the step, and
 * drag is not among the forces; those are left out, and so is what takes the first-order step,
 * whose equation is linear. Linear momentum is linear, too.
 */
#include <string.h>

#include "certify/certify.h"
#include "certify/tolerances.h"
#include "core/compare.h"
#include "dynamics/coordinates.h"

static bool is_judged(const ss_model *m, const ss_data *d, int32_t i)
{
    const ss_body *b      = &m->bodies[i];
    bool           damped = b->damping_linear > 0 || b->damping_angular > 0 || b->damping != NULL;
    ss_vec3        w      = d->twist_next[i].w;
    return ss_body_moves(b) && b->dof == 6 && !b->round && !b->tied && !damped &&
           d->midpoint.smooth[i] && (w.x != 0 || w.y != 0 || w.z != 0);
}

/* Of a body that has the velocity w at `pose`, put at `at` turning as before in its own axes:
   corrections of overlaps turn it so, and are none of the step's momentum. */
static ss_vec3 angular_momentum(const ss_body *b, const ss_pose *pose, ss_vec3 w, const ss_pose *at)
{
    ss_mat3 R = ss_mat3_from_quat(pose->q), S = ss_mat3_from_quat(at->q);
    return ss_mul(&S, ss_mul(&b->inertia, ss_tmul(&R, w)));
}

/* Sums of J'p about the centres of mass, and of their sizes. */
static void add_turns(const ss_model *m, const ss_data *d, ss_vec3 *sum, double *size)
{
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        for (int32_t row = b->row; row < b->row + b->dim; row++) {
            const double *J = ss_row_side(m, &d->rows, row, 0);
            double        p = d->rows.impulse[row];
            for (int side = 0; p != 0 && side < b->sides; side++, J += m->dof) {
                if (b->body[side] >= 0) {
                    ss_vec3 turn       = ss_scale(p, ss_v3(J[3], J[4], J[5]));
                    sum[b->body[side]] = ss_add(sum[b->body[side]], turn);
                    size[b->body[side]] += ss_norm(turn);
                }
            }
        }
    }
}

/* The angle, at most: arms of impulses are those of the start of the step where little turns. */
static double turned(const ss_data *d, int32_t i, double h)
{
    return h * ss_max(ss_norm(d->state.twist[i].w), ss_norm(d->twist_next[i].w));
}

ss_status ss_check_momentum(const ss_model *m, ss_data *d, double h, ss_fault *fault)
{
    bool any = false;
    for (int32_t i = 0; m->dimension == 3 && !any && i < m->nb; i++) {
        any = is_judged(m, d, i);
    }
    if (!any) {
        return SS_OK;
    }
    size_t   mark = ss_arena_mark(&d->scratch);
    ss_vec3 *turn = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *turn);
    double  *size = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *size);
    if (!turn || !size) {
        return SS_ERR_SCRATCH;
    }
    memset(turn, 0, (size_t)m->nb * sizeof *turn);
    memset(size, 0, (size_t)m->nb * sizeof *size);
    add_turns(m, d, turn, size);
    for (int32_t i = 0; i < m->nb; i++) {
        if (!is_judged(m, d, i)) {
            continue;
        }
        const ss_body *b = &m->bodies[i];
        ss_vec3 L = angular_momentum(b, &d->state.pose[i], d->state.twist[i].w, &d->state.pose[i]);
        ss_vec3 next =
            angular_momentum(b, &d->pose_next[i], d->twist_next[i].w, &d->shift.moved[i]);
        ss_vec3 T       = d->applied[i].torque;
        double  all     = ss_norm(L) + ss_norm(next) + h * ss_norm(T) + size[i];
        double  off     = ss_norm(ss_sub(ss_sub(next, L), ss_axpy(turn[i], h, T)));
        double  allowed = SS_MOMENTUM_OFF * all + turned(d, i, h) * size[i];
        if (off > allowed && fault->kind == SS_FAULT_NONE) {
            *fault = (ss_fault){SS_FAULT_TURN, off / all, allowed / all, NULL, {i, -1}};
        }
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}
