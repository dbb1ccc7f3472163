/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies of a step of first order whose inertia turns with them. The round at the start has what
 * the turn of the inertia changes of the velocity, g = w* - w - h I^-1 T, in the free velocities:
 * it shows what is loaded. Impulses that are added to that act on a body that has not turned but
 * has the momentum of one that has: R1 I R1'w+ is off L + h T + p by the turn times the impulses,
 * the other way for each of two bodies that strike, and the two together gain or lose angular
 * momentum, of first order in h.
 *
 * So where something happens impulses act first and the body turns then, freely:
 *
 *   I (w1 - w) = h T + p    in the geometry of the start, without g; the laws are those of w1
 *   exp(h m) I w' = I w1,   m = (w1 + w')/2,   R1 = exp(h m) R    (recover/move.c)
 *
 * The first is Newton's law over no time, with its energy p.(w + w1)/2; the second keeps energy and
 * angular momentum to rounding. That takes one more round, where the body turns at all.
 */
#include <string.h>

#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "linalg/mat3.h"
#include "midpoint/midpoint.h"
#include "midpoint/tolerances.h"

/* Joints hold what the turn of the inertia does in every step of a gyroscope; drag is part of A. */
static bool may_turn_after(const ss_model *m, int32_t i)
{
    const ss_body *b = &m->bodies[i];
    return m->dimension == 3 && ss_body_moves(b) && b->dof == m->dof && !b->round && !b->jointed &&
           !ss_body_drags(b);
}

ss_vec3 ss_turned_by_inertia(const ss_model *m, const ss_data *d, int32_t i, double h)
{
    if (!may_turn_after(m, i)) {
        return ss_v3(0, 0, 0);
    }
    const ss_body *b    = &m->bodies[i];
    ss_mat3        R    = ss_mat3_from_quat(d->state.pose[i].q);
    ss_vec3        w    = ss_tmul(&R, d->state.twist[i].w);
    ss_vec3        T    = ss_tmul(&R, d->applied[i].torque);
    ss_vec3        push = ss_axpy(w, h, ss_mul(&b->inv_inertia, T));
    return ss_mul(&R, ss_sub(ss_turn_under(&b->inertia, w, T, h), push));
}

/* Of large piles nothing more is asked. */
static void find_piles(const ss_model *m, ss_data *d)
{
    memset(d->midpoint.piled, 0, (size_t)m->nb * sizeof *d->midpoint.piled);
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_island *isl = &d->islands[i];
        for (int32_t k = 0; !ss_island_exact(m, isl) && k < isl->body_count; k++) {
            d->midpoint.piled[isl->bodies[k]] = true;
        }
    }
}

bool ss_find_turns_after(const ss_model *m, ss_data *d, double h)
{
    ss_midpoint *x     = &d->midpoint;
    bool         again = false;
    find_piles(m, d);
    for (int32_t i = 0; m->dimension == 3 && i < m->nb; i++) {
        bool first = !x->smooth[i] && !x->turns_after[i] && !ss_sleeps(d, i);
        if (!first || !may_turn_after(m, i) || x->piled[i]) {
            continue;
        }
        x->turns_after[i] = true;
        ss_vec3 g         = ss_turned_by_inertia(m, d, i, h);
        again             = again || ss_norm(g) > SS_STILL * ss_norm(d->state.twist[i].w);
        ss_move_body(m, d, i, h);
    }
    return again;
}

/* The compression of an impact begins with the velocities as they are. */
void ss_first_velocities(const ss_model *m, ss_data *d, double h)
{
    bool instant = m->poisson && d->impact.phase == SS_PHASE_COMPRESSION;
    for (int32_t i = 0; m->dimension == 3 && !instant && i < m->nb; i++) {
        if (d->midpoint.turns_after[i]) {
            double *v = d->v_free + m->bodies[i].v_start + 3;
            ss_vec3 g = ss_turned_by_inertia(m, d, i, h);
            v[0] -= g.x;
            v[1] -= g.y;
            v[2] -= g.z;
        }
    }
}
