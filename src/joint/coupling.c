/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coupling: two other joints, of one coordinate each, that move together: gears, racks, the
 * fingers of a gripper.
 *
 *   s_follower - ratio s_lead = 0
 *
 * Both coordinates are 0 at the start, so it is closed there. It belongs to two bodies, since a row
 * acts on two at most. Where two bodies move freely in the two joints these are it, and the row is
 * the gradient of the difference.
 *
 * Where three do, and the joints have one of them in common (the hub: fingers on a palm that flies,
 * two joints of one finger), the row is that of a wrench between the other two, as teeth push. With
 * T_k the motion that joint k leaves its outer body against the hub, counted along its coordinate,
 *
 *   V_2 - V_1 = T_2 ds_2/dt - T_1 ds_1/dt,      W.T_2 = 1,  W.T_1 = ratio,
 *
 * so W.(V_2 - V_1) is the rate of the coupling wherever both joints hold. What it does to the hub
 * it does through the joints. T_1, T_2 and W, which is the least such wrench about the point
 * between both joints, are fixed in the hub. Only where T_1 and T_2 are one motion (fingers that
 * slide against each other along one line) no wrench between the two will do.
 */
#include <float.h>
#include <math.h>

#include "joint/joint.h"
#include "joint/tolerances.h"

static const ss_joint_form couples = {
    .held = 1, .hold = {{.kind = SS_SCALAR_COUPLED}}, .couples = true};

/* What side `side` of a joint adds, times c, to the rate of the coupling p. */
static void add_side(const ss_joint_place *p, int32_t body, double c, ss_vec3 linear,
                     ss_vec3 angular, ss_scalar_row *row)
{
    if (body >= 0 && body == p->joint->body[0]) {
        row->linear_a  = ss_axpy(row->linear_a, -c, linear);
        row->angular_a = ss_axpy(row->angular_a, -c, angular);
    } else if (body >= 0 && body == p->joint->body[1]) {
        row->linear_b  = ss_axpy(row->linear_b, c, linear);
        row->angular_b = ss_axpy(row->angular_b, c, angular);
    }
}

/* The coordinate of the joint that leads (0) or follows (1), and what it counts by. */
static ss_scalar_row coordinate(const ss_joint_place *p, int k, double *factor)
{
    const ss_coupled *c     = &p->joint->coupled[k];
    ss_joint_place    place = ss_joint_place_at(c->joint, &p->body[k][0], &p->body[k][1]);
    ss_scalar_row     s     = ss_scalar_eval(&c->form->coordinate[0], &place);
    s.value                 = ss_scalar_unwrapped(&c->form->coordinate[0], s.value, p->last[k]);
    *factor                 = k == 0 ? -p->joint->ratio : 1;
    return s;
}

/* ---- on a hub ------------------------------------------------------------------------------ */

/* A velocity field or, multiplied with it, forces: at a point, and about it. */
typedef struct screw {
    ss_vec3 along, about;
} screw;

static double product(const screw *x, const screw *y)
{
    return ss_dot(x->along, y->along) + ss_dot(x->about, y->about);
}

/* The frame of the joint that leads (0) or follows (1) in the hub. */
static ss_frame on_hub(const ss_joint_place *p, int k)
{
    const ss_joint *j    = p->joint->coupled[k].joint;
    int             side = p->joint->hub_side[k];
    return ss_frame_mul(&p->body[k][side], &j->at[side]);
}

/* T_k at the point o, turns counted times `length`. */
static screw free_motion(const ss_joint_place *p, int k, const ss_frame *hub, ss_vec3 o,
                         double length)
{
    const ss_scalar *s    = &p->joint->coupled[k].form->coordinate[0];
    const bool       turn = s->kind == SS_SCALAR_ANGLE;
    int              i    = turn ? 2 : s->i;
    double           sign = p->joint->hub_side[k] == 0 ? 1 : -1;
    ss_vec3          axis = ss_v3(hub->R.m[i], hub->R.m[3 + i], hub->R.m[6 + i]);
    axis                  = ss_scale(sign, axis);
    if (!turn) {
        return (screw){axis, ss_v3(0, 0, 0)};
    }
    return (screw){ss_cross(axis, ss_sub(o, hub->p)), ss_scale(length, axis)};
}

/* W at *o; false: there is none. */
static bool wrench_between(const ss_joint_place *p, screw *W, ss_vec3 *o)
{
    const ss_frame first = on_hub(p, 0), second = on_hub(p, 1);
    double         apart  = ss_norm(ss_sub(second.p, first.p));
    double         length = apart > 0 ? apart : 1;
    *o                    = ss_scale(0.5, ss_add(first.p, second.p));
    screw  T1 = free_motion(p, 0, &first, *o, length), T2 = free_motion(p, 1, &second, *o, length);
    double a = product(&T1, &T1), b = product(&T1, &T2), c = product(&T2, &T2);
    double det = a * c - b * b, ratio = p->joint->ratio;
    if (!(det > SS_SAME_MOTION * a * c)) {
        return false;
    }
    double x1 = (c * ratio - b) / det, x2 = (a - b * ratio) / det;
    W->along = ss_axpy(ss_scale(x1, T1.along), x2, T2.along);
    W->about = ss_scale(length, ss_axpy(ss_scale(x1, T1.about), x2, T2.about));
    return true;
}

bool ss_coupled_on_hub(const ss_joint_place *p)
{
    screw   W;
    ss_vec3 o;
    return wrench_between(p, &W, &o);
}

static void put_wrench(const ss_joint_place *p, ss_scalar_row *row)
{
    screw   W;
    ss_vec3 o;
    if (wrench_between(p, &W, &o)) {
        row->linear_a = row->linear_b = W.along;
        row->angular_a                = ss_add(W.about, ss_cross(ss_sub(o, p->centre_a), W.along));
        row->angular_b                = ss_add(W.about, ss_cross(ss_sub(o, p->centre_b), W.along));
    }
}

/* ---- the row ------------------------------------------------------------------------------- */

ss_scalar_row ss_coupled_row(const ss_joint_place *p)
{
    ss_scalar_row row  = {0};
    double        size = 0, factor;
    for (int k = 0; k < 2; k++) {
        const ss_joint *j = p->joint->coupled[k].joint;
        ss_scalar_row   s = coordinate(p, k, &factor);
        row.value += factor * s.value;
        size += fabs(factor * s.value);
        add_side(p, j->body[0], -factor, s.linear_a, s.angular_a, &row);
        add_side(p, j->body[1], factor, s.linear_b, s.angular_b, &row);
    }
    if (p->joint->on_hub) {
        put_wrench(p, &row);
    }
    if (fabs(row.value) <= SS_COUPLED_ROUNDING * DBL_EPSILON * size) {
        row.value = 0; /* of angles of many turns nothing but rounding is left */
    }
    return row;
}

double ss_coupled_rate(const ss_joint_place *p, const ss_twist (*twist)[2])
{
    double rate = 0, factor;
    for (int k = 0; k < 2; k++) {
        ss_scalar_row s = coordinate(p, k, &factor);
        rate += factor * ss_scalar_rate(&s, &twist[k][0], &twist[k][1]);
    }
    return rate;
}

const ss_joint_class ss_joint_coupling = {
    "coupling", "two joints that move together, the second by a ratio of the first", &couples,
    &couples};
