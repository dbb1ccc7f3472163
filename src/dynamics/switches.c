/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When expressions of t jump or bend: motions of driven bodies, what motors are told, forces. An
 * expression says at every time which of its choices it has made there, and a bisection finds the
 * time at which they are others (ss_expr_next_side). Motions that are integrals of expressions know
 * the times themselves (model/track.h).
 */
#include <math.h>

#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "dynamics/tolerances.h"
#include "force/force.h"

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
double ss_first_switch(const ss_model *m, const ss_data *d, double from, double to)
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
    return ss_first_switch(m, d, d->state.t + margin, until - margin);
}

/* ---- what jumps ------------------------------------------------------------------------------ */

/* By how much the mean velocity of a driven body over `s` changes at the time now. */
static double body_changes(const ss_model *m, ss_data *d, int32_t body, double s)
{
    ss_pose at[3];
    for (int k = 0; k < 3; k++) {
        if (ss_motion_pose(m, d, body, d->state.t + (k - 1) * s, &at[k]) != SS_OK) {
            return 0;
        }
    }
    ss_twist before = ss_mean_twist(m, &at[0], &at[1], s),
             after  = ss_mean_twist(m, &at[1], &at[2], s);
    return ss_norm(ss_sub(after.v, before.v)) +
           ss_body_arm(m, body) * ss_norm(ss_sub(after.w, before.w));
}

/* .. and the speed that a motor is told, or that of the place that it is told. */
static double motor_changes(ss_data *d, const ss_joint_coordinate *x, double s)
{
    double at[3] = {0};
    for (int k = 0; k < 3; k++) {
        if (ss_timed_value(d, &x->target, d->state.t + (k - 1) * s, &at[k]) != SS_OK) {
            return 0;
        }
    }
    return x->motor == SS_MOTOR_VELOCITY ? fabs(at[2] - at[0])
                                         : fabs(at[2] - 2 * at[1] + at[0]) / s;
}

/* Is a change over a time a jump? Then it is as large over a shorter one. */
static bool is_jump(const ss_model *m, double change, double shorter)
{
    return shorter > SS_JUMP_LEFT * change &&
           shorter > SS_JUMP_NOISE * m->length / m->simulation.step;
}

bool ss_speed_jumps(const ss_model *m, ss_data *d)
{
    double margin = ss_switch_margin(m, d), t = d->state.t;
    double s = m->simulation.step * SS_JUMP_WITHIN, shorter = s * SS_JUMP_SHORTER;
    if (!isfinite(ss_first_switch(m, d, t - margin, t + margin))) {
        return false;
    }
    for (int32_t i = 0; m->driven && i < m->nb; i++) {
        if (m->bodies[i].type == SS_BODY_KINEMATIC && !m->bodies[i].motion.uniform &&
            is_jump(m, body_changes(m, d, i, s), body_changes(m, d, i, shorter))) {
            return true;
        }
    }
    for (int32_t i = 0; i < m->joint_count; i++) {
        for (int32_t k = 0; k < SS_JOINT_COORDINATES; k++) {
            const ss_joint_coordinate *x = &m->joints[i].coordinate[k];
            if (x->motor != SS_MOTOR_NONE && x->target.expr >= 0 &&
                is_jump(m, motor_changes(d, x, s), motor_changes(d, x, shorter))) {
                return true;
            }
        }
    }
    return false;
}
