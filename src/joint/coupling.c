/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coupling: two other joints, of one coordinate each, that move together: gears, racks, the
 * fingers of a gripper.
 *
 *   s_follower - ratio s_lead = 0
 *
 * Both coordinates are 0 at the start, so it is closed there. Its row is the gradient of the
 * difference, on the bodies that move freely in the two joints: two to four of them. Each joint's
 * part is a force and its opposite, or a torque and its opposite, between the two bodies of that
 * joint, so momentum is kept whatever else holds the two joints together; and what is put in at one
 * is taken out at the other.
 */
#include <float.h>
#include <math.h>

#include "joint/joint.h"
#include "joint/tolerances.h"

static const ss_joint_form couples = {
    .held = 1, .hold = {{.kind = SS_SCALAR_COUPLED}}, .couples = true};

/* What the body of a joint adds, times c, to the rate of the coupling p. */
static void add_side(const ss_joint_place *p, int32_t body, double c, ss_vec3 linear,
                     ss_vec3 angular, ss_scalar_row *row)
{
    const ss_joint *j = p->joint;
    if (body >= 0 && body == j->body[0]) {
        row->linear_a  = ss_axpy(row->linear_a, -c, linear);
        row->angular_a = ss_axpy(row->angular_a, -c, angular);
    } else if (body >= 0 && body == j->body[1]) {
        row->linear_b  = ss_axpy(row->linear_b, c, linear);
        row->angular_b = ss_axpy(row->angular_b, c, angular);
    }
    for (int side = 2; body >= 0 && side < j->sides; side++) {
        if (body == j->body[side]) {
            ss_wrench *to = &row->more[side - 2];
            to->force     = ss_axpy(to->force, c, linear);
            to->torque    = ss_axpy(to->torque, c, angular);
        }
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
