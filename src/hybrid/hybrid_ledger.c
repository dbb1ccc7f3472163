/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Energies of smooth motion. The works of forces from outside, of drives, of friction and of
 * springs and dampers are integrated with the motion (hybrid_flow.c), so that
 *
 *   d(T + V) = applied + driven - friction - damped,     damped = -(springs and dampers) - dV_s
 *
 * with V_s the energy of the springs; what is missing is the error of the integration, and the
 * certificate of the motion (docs/theory/hybrid.md).
 */
#include <math.h>

#include "certify/certify.h"
#include "dynamics/stages.h"
#include "force/force.h"
#include "hybrid/hybrid.h"
#include "hybrid/tolerances.h"

/* Springs are as long as driven bodies make them at this instant. */
static void place_driven(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; m->driven && i < m->nb; i++) {
        ss_pose at;
        if (m->bodies[i].type == SS_BODY_KINEMATIC &&
            ss_motion_pose(m, d, i, d->state.t, &at) == SS_OK) {
            d->state.pose[i] = at;
        }
    }
}

double ss_hybrid_energy(const ss_model *m, ss_data *d, double *elastic)
{
    place_driven(m, d);
    double springs = ss_joint_energy(m, d, d->state.pose), sum = 0;
    for (int32_t i = 0; i < m->force_count; i++) {
        if (m->forces[i].cls->energy != NULL) {
            springs += m->forces[i].cls->energy(m, d->state.pose, &m->forces[i]);
        }
    }
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (ss_body_moves(b)) {
            sum += ss_kinetic_energy(b, &d->state.pose[i], &d->state.twist[i]);
            sum -= b->mass * ss_dot(m->gravity, d->state.pose[i].p);
        }
    }
    if (elastic != NULL) {
        *elastic = springs;
    }
    return sum + springs;
}

/* Energies that bodies have, or would have at the speed of the scene: the scale of rounding. */
static double in_play(const ss_model *m, const ss_data *d)
{
    double sum = 0, speed = m->length / d->hybrid->time_constant;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (ss_body_moves(b)) {
            sum += ss_kinetic_energy(b, &d->state.pose[i], &d->state.twist[i]);
            sum += b->mass * speed * speed;
            sum += b->mass * ss_norm(m->gravity) * (m->length + ss_norm(d->state.pose[i].p));
        }
    }
    return sum;
}

ss_status ss_hybrid_account(const ss_model *m, ss_data *d, double energy, double elastic,
                            const double *works)
{
    double    springs, after = ss_hybrid_energy(m, d, &springs);
    double    damped = -works[SS_Y_PASSIVE] - (springs - elastic);
    ss_ledger l      = {.applied    = works[SS_Y_APPLIED],
                        .driven     = works[SS_Y_DRIVEN],
                        .dissipated = fmax(works[SS_Y_LOST], 0) + fmax(damped, 0)};
    l.integration    = after - energy - l.applied - l.driven + l.dissipated;
    l.turnover       = fabs(l.applied) + fabs(l.driven) + l.dissipated + fabs(springs - elastic) +
                 in_play(m, d) + fabs(springs);
    l.turnover  = fmax(l.turnover, d->state.ledger.in_play);
    l.in_play   = in_play(m, d);
    l.exchanged = l.turnover;
    ss_ledger_add(&d->state.ledger, &l);
    d->hybrid->gain += l.integration;
    d->hybrid->turnover += l.turnover;
    if (!(fabs(l.integration) <= SS_HYBRID_ENERGY * l.turnover)) {
        d->hybrid->stuck = true;
        return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                       "t = %.9g: the energies of the motion do not balance: %.3g J are missing or "
                       "too many (allowed %.3g J)",
                       d->state.t, l.integration, SS_HYBRID_ENERGY * l.turnover);
    }
    return SS_OK;
}
