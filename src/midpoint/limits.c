/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of joints: ropes, stops. With s a coordinate and g its gap, s - lower or upper - s, a
 * limit obeys its law where the step ends,
 *
 *   0 <= p _|_ g(q1) >= 0,        g(q1) = g(q) + h J~ (v + v')/2     exactly (middle_rows.c),
 *
 * so that a taut rope, g(q) = g(q1) = 0, works as little as a rod: p J~ (v + v')/2 = 0. A law that
 * asks for the rate of the end instead leaves g to drift by h^2/8 R (v^2 - v'^2) a step.
 *
 * Does it strike? The end of a rope of length R that swings with v moves apart from the circle by
 * (v h)^2/2R, and v has then the part v^2 h/R along the rope: that is what bends the path and no
 * impact. What explains a closing rate is therefore not what forces do alone but also by how much J
 * turns, J(q1) v - J(q) v.
 */
#include <math.h>

#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "joint/joint.h"
#include "midpoint/midpoint.h"
#include "midpoint/tolerances.h"

bool ss_is_limit(const ss_row_block *b)
{
    return b->source == SS_ROWS_LOWER || b->source == SS_ROWS_UPPER;
}

const ss_scalar *ss_limited_scalar(const ss_model *m, const ss_row_block *b)
{
    return &ss_joint_form_of(m, &m->joints[b->index])->coordinate[b->part];
}

ss_scalar_row ss_limit_row(const ss_model *m, const ss_row_block *b, const ss_scalar_row *s)
{
    const ss_joint_coordinate *x    = &m->joints[b->index].coordinate[b->part];
    double                     sign = b->source == SS_ROWS_LOWER ? 1 : -1;
    return (ss_scalar_row){.value     = sign * (s->value - (sign > 0 ? x->lower : x->upper)),
                           .linear_a  = ss_scale(sign, s->linear_a),
                           .linear_b  = ss_scale(sign, s->linear_b),
                           .angular_a = ss_scale(sign, s->angular_a),
                           .angular_b = ss_scale(sign, s->angular_b)};
}

ss_scalar_row ss_limit_at(const ss_model *m, const ss_data *d, const ss_row_block *b,
                          const ss_pose *poses)
{
    const ss_scalar *scalar = ss_limited_scalar(m, b);
    ss_joint_place   place  = ss_joint_place_of(m, d, &m->joints[b->index], poses);
    ss_scalar_row    s      = ss_scalar_eval(scalar, &place);
    s.value                 = ss_scalar_unwrapped(scalar, s.value,
                                                  d->state.joint_value[ss_joint_first(b->index) + b->part]);
    return ss_limit_row(m, b, &s);
}

static double rate_of(const ss_model *m, const ss_row_block *b, const ss_scalar_row *row,
                      const ss_twist *twists)
{
    const ss_joint *j    = &m->joints[b->index];
    ss_twist        t[2] = {0};
    for (int side = 0; side < 2; side++) {
        if (j->body[side] >= 0) {
            t[side] = twists[j->body[side]];
        }
    }
    return ss_scalar_rate(row, &t[0], &t[1]);
}

static bool is_driven(const ss_model *m, int32_t body)
{
    return body >= 0 && m->bodies[body].type == SS_BODY_KINEMATIC;
}

/* The velocity of one end of a distance: before the step, or after it. */
static ss_vec3 end_velocity(const ss_model *m, const ss_data *d, int32_t body, ss_vec3 arm,
                            bool after)
{
    if (body < 0) {
        return ss_v3(0, 0, 0);
    }
    const ss_body *b = &m->bodies[body];
    ss_twist       t = is_driven(m, body) ? d->twist_next[body] : d->state.twist[body];
    if (after && ss_body_moves(b)) {
        t = ss_twist_from_vector(m, b->dof, d->v_next + b->v_start);
    }
    return ss_add(t.v, ss_cross(t.w, arm));
}

/* By how much a rope turns in a step that goes on as it begins, or as it ends. */
static double rope_turns(const ss_model *m, const ss_data *d, const ss_joint *j, double h)
{
    ss_joint_place p      = ss_joint_place_of(m, d, j, d->state.pose);
    ss_vec3        e      = ss_sub(p.b.p, p.a.p);
    double         length = ss_norm(e), most = 0;
    for (int after = 0; after < 2 && length > 0; after++) {
        ss_vec3 a = end_velocity(m, d, j->body[0], ss_sub(p.a.p, p.centre_a), after);
        ss_vec3 b = end_velocity(m, d, j->body[1], ss_sub(p.b.p, p.centre_b), after);
        most      = fmax(most, h * ss_norm(ss_cross(e, ss_sub(b, a))) / (length * length));
    }
    return most;
}

bool ss_ropes_turn(const ss_model *m, const ss_data *d, double h)
{
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (ss_is_limit(b) && d->rows.impulse[b->row] > 0 &&
            ss_limited_scalar(m, b)->kind == SS_SCALAR_DISTANCE &&
            rope_turns(m, d, &m->joints[b->index], h) > SS_ROPE_TURNS) {
            return true;
        }
    }
    return false;
}

double ss_limit_turns(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    ss_scalar_row start = ss_limit_at(m, d, b, d->state.pose);
    ss_scalar_row end   = ss_limit_at(m, d, b, d->pose_next);
    return fabs(rate_of(m, b, &end, d->state.twist) - rate_of(m, b, &start, d->state.twist));
}

double ss_limit_opens(const ss_model *m, const ss_data *d, const ss_row_block *b, double *changed)
{
    const ss_joint *j     = &m->joints[b->index];
    ss_scalar_row   start = ss_limit_at(m, d, b, d->state.pose);
    ss_twist        t[2] = {0}, by[2] = {0};
    for (int side = 0; side < 2; side++) {
        int32_t body = j->body[side];
        if (body >= 0) {
            t[side] = d->state.twist[body];
        }
        if (is_driven(m, body)) {
            ss_twist last = d->state.twist[body], now = d->twist_next[body];
            bool     known = d->midpoint.known[body];
            t[side]        = known ? d->midpoint.from[body] : now;
            last           = d->state.t != m->simulation.start ? last : now;
            by[side]       = (ss_twist){ss_sub(now.v, last.v), ss_sub(now.w, last.w)};
        }
    }
    *changed = fabs(ss_scalar_rate(&start, &by[0], &by[1]));
    return ss_scalar_rate(&start, &t[0], &t[1]);
}
