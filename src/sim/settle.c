/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settle: start from equilibrium. Bodies move under their forces from rest; whenever the kinetic
 * energy has passed a peak, all velocities are set to zero (dynamic relaxation with kinetic
 * damping, Cundall 1976), so that what swings or falls comes to rest in a few swings. It is over
 * when a step from rest moves nothing: speeds below 1e-9 of what forces would give bodies that are
 * free. Time stands still at 0, and with it all kinematic bodies.
 */
#include <math.h>
#include <string.h>

#include "dynamics/stages.h"
#include "sim/sim.h"
#include "sim/tolerances.h"

static void stop_bodies(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            d->state.twist[i] = (ss_twist){{0, 0, 0}, {0, 0, 0}};
        }
    }
}

/* Does nothing move, measured by the speed that forces give a free body in a step? */
static bool at_rest(const ss_model *m, const ss_data *d, double h)
{
    double speed = 0, free_speed = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (ss_body_moves(b)) {
            speed      = fmax(speed,
                              ss_norm(d->state.twist[i].v) + b->extent * ss_norm(d->state.twist[i].w));
            free_speed = fmax(free_speed, h * b->inv_mass * ss_norm(d->applied[i].force));
        }
    }
    return speed <= SS_SETTLED_SPEED * free_speed;
}

/* One step in which time stands still. */
static ss_status hold_step(const ss_model *m, ss_data *d, double h)
{
    SS_TRY(ss_step(m, d, h));
    d->state.t = m->simulation.start;
    return SS_OK;
}

static ss_status relax(const ss_model *m, ss_data *d)
{
    double  h = m->simulation.step, last = 0;
    int64_t most  = (int64_t)ceil(m->simulation.settle / h);
    bool    fresh = true; /* the step began at rest */
    stop_bodies(m, d);
    for (int64_t i = 0; i < most; i++) {
        SS_TRY(hold_step(m, d, h));
        if (fresh && at_rest(m, d, h)) {
            return SS_OK;
        }
        double now = ss_data_energy(m, d).kinetic;
        fresh      = now < last;
        last       = fresh ? 0 : now;
        if (fresh) {
            stop_bodies(m, d);
        }
    }
    ss_log(d->ctx, SS_LOG_WARNING, "settle: not at rest after %g s; the run starts as it is",
           m->simulation.settle);
    return SS_OK;
}

ss_status ss_settle(const ss_model *m, ss_data *d)
{
    SS_TRY(relax(m, d));
    d->state.ledger = (ss_ledger){0};
    for (int32_t i = 0; i < m->nb; i++) {
        if (!ss_body_moves(&m->bodies[i])) {
            SS_TRY(ss_motion_pose(m, d, i, m->simulation.start, &d->state.pose[i]));
        }
        d->state.twist[i] = m->bodies[i].start_twist;
    }
    return SS_OK;
}
