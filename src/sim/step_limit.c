/* SPDX-License-Identifier: Apache-2.0 */
/* How long a step may take: the user's limits, the budget of interactive runs, interruptions. */
#include "sim/step.h"

#include "core/clock.h"
#include "model/axes.h"
#include "model/tolerances.h"
#include "sim/sim.h"
#include "stickslip/instant.h"

void ss_data_stop_on(ss_data *d, const volatile sig_atomic_t *flag)
{
    ss_solver_common(d->solver)->stop = flag;
    if (d->balancer != NULL) {
        ss_solver_common(d->balancer)->stop = flag;
    }
    for (int32_t i = 0; i + 1 < d->threads; i++) {
        ss_solver_common(d->workers[i].solver)->stop = flag;
    }
    if (d->judge != NULL) {
        ss_instant_stop_on(d->judge, flag);
    }
}

static void set_until(ss_data *d, double until)
{
    ss_solver_common(d->solver)->until = until;
    if (d->balancer != NULL) {
        ss_solver_common(d->balancer)->until = until;
    }
    for (int32_t i = 0; i + 1 < d->threads; i++) {
        ss_solver_common(d->workers[i].solver)->until = until;
    }
}

void ss_limit_time(const ss_model *m, ss_data *d)
{
    double limit = m->simulation.step_limit, budget = m->simulation.step_budget;
    limit = budget > 0 && (limit == 0 || budget < limit) ? budget : limit;
    if (limit > 0 && ss_solver_common(d->solver)->until == 0) {
        set_until(d, ss_clock_seconds() + limit);
    }
}

void ss_start_limit(const ss_model *m, ss_data *d)
{
    if (m->simulation.step_limit > 0 || m->simulation.step_budget > 0) {
        set_until(d, 0);
        ss_limit_time(m, d);
    }
}

void ss_limit_when_long(const ss_model *m, ss_data *d)
{
    const ss_simulation_def *s = &m->simulation;
    if (s->step_limit == 0 && s->step_budget == 0) {
        return;
    }
    set_until(d, 0);
    bool asked = s->step_budget > 0 || s->step_limit != SS_STEP_LIMIT || s->solver != NULL;
    if (asked || d->rows.nblocks > SS_MANY_BLOCKS || m->force_count > 0) {
        ss_limit_time(m, d);
    }
}

static ss_status within_limit(const ss_model *m, ss_data *d)
{
    if (d->rounds.round > 0) {
        ss_limit_time(m, d);
    }
    double until = ss_solver_common(d->solver)->until;
    if (until == 0 || ss_clock_seconds() <= until) {
        return SS_OK;
    }
    bool impulses = ss_level_of(m)->step == NULL; /* others have no trial state to take */
    if (m->simulation.step_budget > 0 &&
        impulses) { /* what there is is taken, and marked if it is not right */
        d->effort.over = d->cut.marks = true;
        return SS_OK;
    }
    return ss_fail(d->ctx, SS_ERR_INTERRUPTED,
                   "the step from t = %g s takes longer than step_limit = %g s", d->state.t,
                   m->simulation.step_limit);
}

/* Solvers that were told to stop return what they have: it must not be judged. */
ss_status ss_go_on(const ss_model *m, ss_data *d)
{
    SS_TRY(within_limit(m, d));
    return ss_not_stopped(d);
}

ss_status ss_not_stopped(ss_data *d)
{
    const volatile sig_atomic_t *stop = ss_solver_common(d->solver)->stop;
    if (stop == NULL || *stop == 0) {
        return SS_OK;
    }
    return ss_fail(d->ctx, SS_ERR_INTERRUPTED, "interrupted in the step from t = %g", d->state.t);
}
