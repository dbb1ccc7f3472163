/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an expression of t jumps or bends within a step (dynamics/switches.c), as the velocity of a
 * driven body or a force does, it is taken in stretches that end there, each as a step of its own:
 * a velocity that jumps is an impact with what is touched, and one with the mean of what was before
 * and after it, followed by another, gives back something else.
 */
#include <math.h>

#include "dynamics/stages.h"
#include "midpoint/midpoint.h"
#include "model/axes.h"
#include "sim/parts.h"
#include "sim/sim.h"
#include "sim/step.h"

/* Of one step; what jumps more often is taken as it is from there on. */
enum { STRETCHES_MOST = 64 };

/*
 * Where the stretch ends that begins now; `end`: of the step. Where the speed of what is driven
 * has just jumped, or bodies were given velocities that their joints take out, at once: what is
 * jerked has its new velocity then, and strikes with it in the next stretch.
 */
static void find_end(ss_data *d, double end, int32_t taken)
{
    double least         = d->cut.whole / SS_JERK_LEAST;
    d->cut.stretch.jumps = taken < STRETCHES_MOST && (ss_speed_jumps(d->model, d) ||
                                                      (taken == 0 && ss_joints_jerk(d->model, d)));
    d->cut.stretch.until = taken < STRETCHES_MOST ? ss_next_switch(d->model, d, end) : INFINITY;
    if (d->cut.stretch.jumps && d->state.t + 2 * least < fmin(d->cut.stretch.until, end)) {
        d->cut.stretch.until = d->state.t + least;
    }
    d->cut.stretch.bends = d->cut.stretch.until < end;
}

static ss_status take_stretches(ss_parts *p, double end)
{
    ss_data *d = p->d;
    for (bool last = false; !last; p->planned++) {
        int32_t told = d->told.now.parts;
        last         = !d->cut.stretch.bends;
        if (p->count > 0) {
            ss_push_again(d);
        }
        SS_TRY(ss_take_stretch(d, p->attempt, (last ? end : d->cut.stretch.until) - d->state.t));
        SS_TRY(ss_add_whole_parts(p, told));
        if (!last) {
            find_end(d, end, p->planned + 1);
        }
    }
    p->planned--;
    d->state.t = end;
    return SS_OK;
}

/* One stretch after the other; where one fails, the state is that before the first. */
static ss_status in_stretches(ss_data *d, ss_stage attempt, double h)
{
    ss_parts p = {.d = d, .attempt = attempt};
    SS_TRY(ss_save_in(d, &d->cut.first));
    ss_status status     = take_stretches(&p, d->state.t + h);
    d->cut.stretch.bends = false;
    if (status == SS_OK) {
        ss_tell_sum(&p);
    } else if (p.count > 0) {
        ss_forget_all_parts(d);
        SS_TRY(ss_snapshot_set(d->model, d, d->cut.first.state, d->cut.first.size));
    }
    return status;
}

/* `euler` is as it is printed, whatever happens in a step; impacts take no time. */
static bool asks_for_bends(const ss_data *d)
{
    return ss_integrator_of(d->model)->second && d->at_impact == NULL;
}

void ss_find_bends(ss_data *d, double h)
{
    d->cut.start         = d->state.t;
    d->cut.whole         = h;
    d->cut.stretch.bends = d->cut.stretch.jumps = false;
    if (asks_for_bends(d)) {
        find_end(d, d->state.t + h, 0);
    }
}

ss_status ss_step_in_parts(ss_data *d, ss_stage attempt, double h)
{
    d->cut.struck_count = 0;
    ss_forget_all_parts(d);
    ss_find_bends(d, h);
    return d->cut.stretch.bends ? in_stretches(d, attempt, h) : ss_take_stretch(d, attempt, h);
}
