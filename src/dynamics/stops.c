/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of joints that are reached within a step. With g the gap of a limit, u < 0 its rate and a
 * what forces and turning make of it,
 *
 *   g + u t - a t^2/2 = 0,   t = 2 g/(sqrt(u^2 + 2 a g) - u)
 *
 * is when it is struck. That is a guess: forces act on other coordinates of its bodies too, and
 * joints hand them on. What is missing of the way then is gone in the same manner; what is too much
 * is of second order and closed in position. Up to that time a limit that is open is out of reach,
 * as pairs that are apart have no rows: its law asks for the velocity -g/h at the end of the step,
 * which leaves a part of the impact to the next one.
 */
#include <math.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "dynamics/tolerances.h"
#include "model/axes.h"

typedef struct stop {
    double gap, rate;
    double push;  /* by how much the rate may change, per second */
    double touch; /* a gap that is none                          */
} stop;

static double length_of_rope(const ss_scalar *s, const ss_joint_place *p)
{
    return s->kind == SS_SCALAR_DISTANCE ? ss_norm(ss_sub(p->b.p, p->a.p)) : 0;
}

/* Forces on one of its bodies, and what keeps it on its way round: an arm of the body's own where
   the limit is that of an angle. */
static double push_on(const ss_model *m, const ss_data *d, int32_t body, const ss_wrench *J)
{
    if (body < 0 || !ss_body_moves(&m->bodies[body])) {
        return 0;
    }
    const ss_body *b   = &m->bodies[body];
    double         arm = ss_body_arm(m, body), w = ss_norm(d->state.twist[body].w);
    double         along = ss_norm(J->force) + (arm > 0 ? ss_norm(J->torque) / arm : 0);
    return along * (b->inv_mass * ss_norm(d->applied[body].force) + w * w * arm);
}

static ss_twist twist_of(const ss_model *m, const ss_data *d, int32_t body)
{
    if (body < 0) {
        return (ss_twist){0};
    }
    return (m->bodies[body].type == SS_BODY_KINEMATIC ? d->twist_next : d->state.twist)[body];
}

/* A limit of coordinate k when the step begins. */
static stop stop_of(const ss_model *m, const ss_data *d, int32_t joint, int32_t k, bool lower)
{
    const ss_joint            *j      = &m->joints[joint];
    const ss_joint_coordinate *x      = &j->coordinate[k];
    const ss_scalar           *scalar = &ss_joint_form_of(m, j)->coordinate[k];
    ss_joint_place             place  = ss_joint_place_of(m, d, j, d->state.pose);
    ss_scalar_row              row    = ss_scalar_eval(scalar, &place);
    ss_twist                   a = twist_of(m, d, j->body[0]), b = twist_of(m, d, j->body[1]);
    double                     last = d->state.joint_value[ss_joint_first(joint) + k], rope;
    double s = ss_scalar_unwrapped(scalar, row.value, last), sign = lower ? 1 : -1;
    stop   at = {.gap  = sign * (s - (lower ? x->lower : x->upper)),
                 .rate = sign * ss_scalar_rate(&row, &a, &b)};
    for (int side = 0; side < 2; side++) {
        ss_wrench J = ss_scalar_side(&row, side);
        at.push += push_on(m, d, j->body[side], &J);
    }
    if ((rope = length_of_rope(scalar, &place)) > 0) { /* a straight path past its hook */
        ss_vec3 v = ss_sub(b.v, a.v);
        at.push += ss_dot(v, v) / rope;
    }
    at.touch = SS_EVENT_TOUCH * (ss_norm(row.linear_b) > 0 ? m->length : 1);
    return at;
}

/* Are parts of steps ended there? Couplings, and steps of first order, are left as they are. */
static bool is_asked(const ss_model *m, int32_t joint)
{
    return ss_integrator_of(m)->second && m->joints[joint].coupled[0].joint == NULL;
}

/* When it is struck; infinite: it is not, or is too slow for that. */
static double time_of(const ss_data *d, const stop *s)
{
    if (!(s->gap > s->touch) || !(-s->rate > SS_STOPS_FAST * s->push * d->cut.whole)) {
        return INFINITY;
    }
    return 2 * s->gap / (sqrt(s->rate * s->rate + 2 * s->push * s->gap) - s->rate);
}

bool ss_stop_is_late(const ss_model *m, const ss_data *d, int32_t joint, int32_t k, bool lower)
{
    stop s = stop_of(m, d, joint, k, lower);
    return is_asked(m, joint) && isfinite(time_of(d, &s));
}

double ss_stop_gap(const ss_model *m, const ss_data *d, int32_t joint, int32_t k, bool lower,
                   double gap, double h)
{
    if (!(gap > 0) || !(d->cut.event.flight || d->cut.event.strikes) || !is_asked(m, joint)) {
        return gap;
    }
    stop s = stop_of(m, d, joint, k, lower);
    if (s.gap <= s.touch) {
        return d->cut.event.strikes ? 0 : gap;
    }
    return d->cut.event.flight ? gap + h * (2 * fabs(s.rate) + h * s.push) : gap;
}

static void ask(const ss_model *m, ss_data *d, int32_t joint, int32_t k, bool lower, double *first)
{
    stop s = stop_of(m, d, joint, k, lower);
    d->cut.event.touching += s.gap <= s.touch;
    *first = fmin(*first, time_of(d, &s));
}

double ss_find_stop(const ss_model *m, ss_data *d)
{
    double first = INFINITY;
    for (int32_t i = 0; i < m->joint_count; i++) {
        for (int32_t k = 0; k < SS_JOINT_COORDINATES && is_asked(m, i); k++) {
            const ss_joint_coordinate *x = &m->joints[i].coordinate[k];
            if (x->limited && isfinite(x->lower)) {
                ask(m, d, i, k, true, &first);
            }
            if (x->limited && isfinite(x->upper)) {
                ask(m, d, i, k, false, &first);
            }
        }
    }
    return first;
}
