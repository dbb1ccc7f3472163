/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a motor with bounded force goes to a position. Bodies with momentum cannot stop at once: a
 * motor that pulls towards its position with all its force until it is there arrives at full speed
 * and swings about it forever. So it goes no faster than it can brake. At the deceleration a its
 * speeds in the last n steps are n a h, .., a h, which cover e = a h^2 n (n + 1)/2; at a distance e
 * its speed is therefore
 *
 *   v = a (sqrt(h^2/4 + 2 e/a) - h/2),       or e/h, if that is less,
 *
 * a is half of what its force can do against the forces F on the two bodies; the other half is left
 * for loads that it does not know of (and it is at least a hundredth of what it could do alone):
 *
 *   a = (max W + sgn(e) c M^-1 F)/2,     W = c M^-1 c',
 *
 * c being the row of the coordinate less its projection, in the metric of the inverse mass matrix
 * M^-1 of the two bodies, on what the joint holds (by Gram and Schmidt's method).
 */
#include <math.h>

#include "dynamics/stages.h"
#include "joint/joint.h"
#include "model/axes.h"
#include "rows/tolerances.h"

/* x M^-1 y' over the bodies of the joint that move. */
static double pairing(const ss_model *m, const ss_data *d, const ss_joint *j,
                      const ss_scalar_row *x, const ss_scalar_row *y)
{
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        int32_t i = j->body[side];
        if (i < 0 || !ss_body_moves(&m->bodies[i])) {
            continue;
        }
        const ss_body *b  = &m->bodies[i];
        const ss_mat3 *R  = &d->frame[i].R;
        ss_vec3        xw = ss_tmul(R, side == 0 ? x->angular_a : x->angular_b);
        ss_vec3        yw = ss_tmul(R, side == 0 ? y->angular_a : y->angular_b);
        ss_vec3        xv = side == 0 ? x->linear_a : x->linear_b;
        ss_vec3        yv = side == 0 ? y->linear_a : y->linear_b;
        sum += b->inv_mass * ss_dot(xv, yv) + ss_dot(xw, ss_mul(&b->inv_inertia, yw));
    }
    return sum;
}

static void subtract(ss_scalar_row *x, double s, const ss_scalar_row *y)
{
    x->linear_a  = ss_axpy(x->linear_a, -s, y->linear_a);
    x->linear_b  = ss_axpy(x->linear_b, -s, y->linear_b);
    x->angular_a = ss_axpy(x->angular_a, -s, y->angular_a);
    x->angular_b = ss_axpy(x->angular_b, -s, y->angular_b);
}

/* What is left of x beside `count` rows perpendicular to each other; its square. */
static double remainder_of(const ss_model *m, const ss_data *d, const ss_joint *j,
                           const ss_scalar_row *base, const double *square, int32_t count,
                           ss_scalar_row *x)
{
    for (int32_t i = 0; i < count; i++) {
        subtract(x, pairing(m, d, j, x, &base[i]) / square[i], &base[i]);
    }
    return pairing(m, d, j, x, x);
}

/* The row of a coordinate without what the joint holds; its square W. */
static double released(const ss_model *m, const ss_data *d, const ss_joint *j, ss_scalar_row *c)
{
    const ss_joint_form *form  = ss_joint_form_of(m, j);
    ss_joint_place       place = ss_joint_place_now(m, d, j);
    ss_scalar_row        base[6];
    double               square[6];
    int32_t              count = 0;
    for (int32_t i = 0; i < j->held; i++) {
        ss_scalar_row row   = ss_scalar_eval(&form->hold[i], &place);
        double        whole = pairing(m, d, j, &row, &row);
        square[count]       = remainder_of(m, d, j, base, square, count, &row);
        if (square[count] > SS_MOTOR_ALONG * whole) {
            base[count++] = row;
        }
    }
    return remainder_of(m, d, j, base, square, count, c);
}

/* What the forces on a body would do to it alone. */
static ss_twist pushed(const ss_model *m, const ss_data *d, int32_t i)
{
    ss_twist a = {{0, 0, 0}, {0, 0, 0}};
    if (i >= 0 && ss_body_moves(&m->bodies[i])) {
        const ss_body *b = &m->bodies[i];
        const ss_mat3 *R = &d->frame[i].R;
        a.v              = ss_scale(b->inv_mass, d->applied[i].force);
        a.w              = ss_mul(R, ss_mul(&b->inv_inertia, ss_tmul(R, d->applied[i].torque)));
    }
    return a;
}

/* The deceleration that the motor may count on when it approaches from the side of the error. */
static double braking(const ss_model *m, const ss_data *d, const ss_joint *j,
                      const ss_scalar_row *coordinate, double error, double max)
{
    ss_scalar_row c    = *coordinate;
    double        most = max * released(m, d, j, &c);
    ss_twist      a = pushed(m, d, j->body[0]), b = pushed(m, d, j->body[1]);
    double        load = ss_scalar_rate(&c, &a, &b);
    return fmax((most + (error > 0 ? load : -load)) / 2, most / 100);
}

double ss_motor_remainder(const ss_model *m, const ss_data *d, const ss_joint *j,
                          const ss_scalar_row *coordinate, double error, double max, double h)
{
    if (!isfinite(max) || !ss_inertia_of(m)->momentum) {
        return 0;
    }
    double a = braking(m, d, j, coordinate, error, max), e = fabs(error);
    if (!(e > a * h * h)) {
        return 0;
    }
    double speed = a * (sqrt(h * h / 4 + 2 * e / a) - h / 2);
    return copysign(e - h * speed, error);
}
