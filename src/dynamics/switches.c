/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When expressions of t jump or bend: motions of driven bodies, what motors are told, forces. An
 * expression says at every time which of its choices it has made there, and a bisection finds the
 * time at which they are others (ss_expr_next_side). Motions that are integrals of expressions know
 * the times themselves (model/track.h).
 */
#include <math.h>

#include "dynamics/stages.h"
#include "dynamics/tolerances.h"

double ss_switch_margin(const ss_model *m, const ss_data *d)
{
    double t = fabs(d->state.t) + m->simulation.step;
    return fmax(SS_SWITCH_NEAR * m->simulation.step,
                SS_SWITCH_ROUNDINGS * (nextafter(t, INFINITY) - t));
}

static double break_of(const ss_motion *motion, double from)
{
    double place = motion->place != NULL ? ss_place_track_break(motion->place, from) : INFINITY;
    double turn  = motion->turn != NULL ? ss_turn_track_break(motion->turn, from) : INFINITY;
    return fmin(place, turn);
}

/* The first time in from .. to at which something switches; infinite: nothing does. What has no
   value there says so when it is asked for it. */
static double first_switch(const ss_model *m, ss_data *d, double from, double to)
{
    double first = INFINITY, at;
    for (int32_t i = 0; i < m->expression_count; i++) {
        double until = fmin(first, to);
        if (m->expressions[i].timed && ss_expr_has_sides(d->env, i) && until > from &&
            ss_expr_next_side(d->env, i, from, until, &at) == SS_OK) {
            first = fmin(first, at);
        }
    }
    for (int32_t i = 0; m->driven && i < m->nb; i++) {
        at    = m->bodies[i].type == SS_BODY_KINEMATIC ? break_of(&m->bodies[i].motion, from) : to;
        first = at < to ? fmin(first, at) : first;
    }
    return first;
}

double ss_next_switch(const ss_model *m, ss_data *d, double until)
{
    double margin = ss_switch_margin(m, d);
    return first_switch(m, d, d->state.t + margin, until - margin);
}

bool ss_switches_now(const ss_model *m, ss_data *d)
{
    double margin = ss_switch_margin(m, d), t = d->state.t;
    return isfinite(first_switch(m, d, t - margin, t + margin));
}
