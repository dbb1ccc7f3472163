/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinks of driven motions: times at which the velocity of a driven body or of a motor jumps.
 * Between two of them a motion is smooth, and goes on smoothly beyond both as far as differences of
 * it reach (ss_motion_window, kinematics.c, ss_motor_target); at a kink the run begins anew, as
 * after a jump of a drive at the start of a step.
 *
 * With p(a), p(m), p(b) at the ends and in the middle of an interval of length L,
 *
 *   j = |p(b) - 2 p(m) + p(a)| 2/L
 *
 * is the change of the mean velocity from one half to the other: of order L where p is smooth, and
 * the jump itself, or some of it, where the interval has a kink. So the half of an interval (the
 * left, the right, or that in the middle) with the largest j is looked at again and again; if j
 * does not fall with L, there is a kink, and it is where the straight lines on either side meet. Of
 * a motor whose speed is given, p is that: a kink is a jump of its acceleration, and where the
 * speed itself jumps j grows as 1/L, and the half in which it does is the one whose ends differ.
 *
 * Jumps of the acceleration are found likewise, from third differences over the square of L/3, in
 * fewer halves, for rounding grows as 1/L^2. They are where the velocities on either side, gone on,
 * are the same.
 */
#include <math.h>

#include "dynamics/stages.h"
#include "force/force.h"
#include "hybrid/hybrid.h"
#include "hybrid/tolerances.h"

enum { NUMBERS = 8, HALVES = 14, HALVES_OF_CURVES = 7, NODES = 6 };

/* What jumps: the velocity, or the acceleration. */
typedef enum order { KINK, CURVE } order;

/* What drives: a body, or a motor. */
typedef struct driver {
    int32_t                    body;
    const ss_joint_coordinate *motor; /* NULL: it is the body */
} driver;

static bool tells_speed(const driver *w)
{
    return w->motor != NULL && w->motor->motor == SS_MOTOR_VELOCITY;
}

/* Coordinates of a pose: place, angle, quaternion; or the target of a motor. */
static ss_status at(const ss_model *m, ss_data *d, const driver *w, double t, double *out)
{
    ss_pose p;
    if (w->motor != NULL) {
        for (int i = 1; i < NUMBERS; i++) {
            out[i] = 0;
        }
        return ss_timed_value(d, &w->motor->target, t, out);
    }
    SS_TRY(ss_motion_pose(m, d, w->body, t, &p));
    const double x[NUMBERS] = {p.p.x, p.p.y, p.p.z, p.angle, p.q.w, p.q.x, p.q.y, p.q.z};
    for (int i = 0; i < NUMBERS; i++) {
        out[i] = i > 2 ? m->length * x[i] : x[i];
    }
    return SS_OK;
}

/* j of [a, a + L], and which coordinate has it; what is rounding is none. */
static ss_status bend(const ss_model *m, ss_data *d, const driver *w, order what, double a,
                      double L, double *out, int *which)
{
    double p[4][NUMBERS];
    int    parts = what == KINK ? 2 : 3;
    double s     = L / parts;
    *out         = 0;
    *which       = 0;
    for (int k = 0; k <= parts; k++) {
        SS_TRY(at(m, d, w, a + k * s, p[k]));
    }
    for (int i = 0; i < NUMBERS; i++) {
        double bent = p[2][i] - 2 * p[1][i] + p[0][i], size = fabs(p[0][i]) + fabs(p[2][i]);
        double turn = what == KINK ? bent : p[3][i] - 2 * p[2][i] + p[1][i] - bent;
        double j    = what == KINK ? fabs(turn) / s : fabs(turn) / (s * s);
        j           = what == CURVE && fabs(turn) <= SS_HYBRID_CURVE_NOISE * size ? 0 : j;
        *which      = j > *out ? i : *which;
        *out        = fmax(*out, j);
    }
    return SS_OK;
}

/* Where the lines through two places before and two after [a, a + L] meet. */
static ss_status meet(const ss_model *m, ss_data *d, const driver *w, int which, double a, double L,
                      double *out)
{
    double p[4][NUMBERS];
    for (int k = 0; k < 4; k++) {
        SS_TRY(at(m, d, w, a + (k - 1) * L, p[k]));
    }
    double before = (p[1][which] - p[0][which]) / L, after = (p[3][which] - p[2][which]) / L;
    double gap = p[2][which] - p[1][which] - before * L;
    *out       = a + L - gap / (after - before);
    return SS_OK;
}

/* The polynomial through NODES places from `from` on, `s` apart, at t. */
static ss_status along(const ss_model *m, ss_data *d, const driver *w, int which, double from,
                       double s, double t, double *out)
{
    *out = 0;
    for (int j = 0; j < NODES; j++) {
        double weight = 1, p[NUMBERS];
        for (int k = 0; k < NODES; k++) {
            weight *= k != j ? ((t - from) / s - k) / (j - k) : 1;
        }
        SS_TRY(at(m, d, w, from + s * j, p));
        *out += weight * p[which];
    }
    return SS_OK;
}

/* By how much the velocity after [a, a + L] exceeds that before, each gone on to t. */
static ss_status excess(const ss_model *m, ss_data *d, const driver *w, int which, double a,
                        double L, double t, double *out)
{
    static const double c[2] = {8. / 12, -1. / 12};
    double              e = 0.5 * L, sum = 0, x;
    for (int k = 0; k < 2; k++) {
        for (int side = -1; side <= 1; side += 2) {
            double there = t + side * (k + 1) * e;
            SS_TRY(along(m, d, w, which, a + L, L, there, &x));
            sum += side * c[k] * x;
            SS_TRY(along(m, d, w, which, a, -L, there, &x));
            sum -= side * c[k] * x;
        }
    }
    *out = sum / e;
    return SS_OK;
}

/* Where in [a, a + L] an acceleration jumps: there the two velocities are the same. */
static ss_status curve(const ss_model *m, ss_data *d, const driver *w, int which, double a,
                       double L, double *out)
{
    double from, to;
    SS_TRY(excess(m, d, w, which, a, L, a, &from));
    SS_TRY(excess(m, d, w, which, a, L, a + L, &to));
    double part = from / (from - to);
    *out        = a + L * (isfinite(part) ? fmin(fmax(part, 0), 1) : 0.5);
    return SS_OK;
}

/* Where in [a, a + L] a speed jumps, to rounding. */
static ss_status jump(const ss_model *m, ss_data *d, const driver *w, double a, double L,
                      double *out)
{
    double from[NUMBERS], to[NUMBERS], middle[NUMBERS];
    SS_TRY(at(m, d, w, a, from));
    SS_TRY(at(m, d, w, a + L, to));
    while (a + 0.5 * L > a && a + 0.5 * L < a + L) {
        L *= 0.5;
        SS_TRY(at(m, d, w, a + L, middle));
        bool later = fabs(middle[0] - from[0]) < fabs(middle[0] - to[0]);
        a          = later ? a + L : a;
        from[0]    = later ? middle[0] : from[0];
        to[0]      = later ? to[0] : middle[0];
    }
    *out = a + L;
    return SS_OK;
}

/* The kink that shows most in [a, b]; *found false: none does. */
static ss_status look(const ss_model *m, ss_data *d, const driver *w, order what, double a,
                      double b, bool *found, double *out)
{
    double L = b - a, h = m->simulation.step, first, j = 0, part;
    int    which, best_which = 0;
    SS_TRY(bend(m, d, w, what, a, L, &first, &which));
    *found = false;
    for (int n = 0; n < (what == KINK ? HALVES : HALVES_OF_CURVES); n++) {
        double best = a;
        L *= 0.5;
        j = -1;
        for (int k = 0; k < 3; k++) {
            SS_TRY(bend(m, d, w, what, a + 0.5 * k * L, L, &part, &which));
            best       = part > j ? a + 0.5 * k * L : best;
            best_which = part > j ? which : best_which;
            j          = fmax(j, part);
        }
        a     = best;
        first = n < 2 ? fmax(first, j) : first;
        if (n >= 2 && !(j > SS_HYBRID_KINK * first)) {
            return SS_OK;
        }
    }
    *found = j > SS_HYBRID_JUMP * m->length / (what == KINK ? h : h * h);
    if (!*found || what == CURVE) {
        return *found ? curve(m, d, w, best_which, a, L, out) : SS_OK;
    }
    bool jumps = tells_speed(w) && j > SS_HYBRID_LEAP * first;
    return jumps ? jump(m, d, w, a, L, out) : meet(m, d, w, best_which, a, L, out);
}

/* The first kink of a driver in [a, b]. */
static ss_status first_of(const ss_model *m, ss_data *d, const driver *w, order what, double a,
                          double b, bool *found, double *out)
{
    double near = SS_HYBRID_SAME_KINK * m->simulation.step;
    bool   more = true;
    *found      = false;
    while (more && b - a > near) {
        double kink = a;
        SS_TRY(look(m, d, w, what, a, b, &more, &kink));
        if (more) {
            *found = true;
            *out   = kink;
            b      = kink - near;
        }
    }
    return SS_OK;
}

/* The first of what was found and what this one has. Where a velocity jumps, so do differences that
   tell of accelerations: these are looked for before it. */
static ss_status sooner(const ss_model *m, ss_data *d, const driver *w, double a, double b,
                        bool *found, double *out)
{
    double kink, before = b;
    for (int what = KINK; what <= (tells_speed(w) ? KINK : CURVE); what++) {
        bool there;
        SS_TRY(first_of(m, d, w, (order)what, a, before, &there, &kink));
        if (there) {
            *out   = *found ? fmin(*out, kink) : kink;
            *found = true;
            before = kink - SS_HYBRID_CURVE_BEFORE * m->simulation.step;
        }
    }
    return SS_OK;
}

static bool is_timed(const ss_joint_coordinate *x)
{
    return x->motor != SS_MOTOR_NONE && x->target.expr >= 0;
}

bool ss_hybrid_driven(const ss_model *m)
{
    bool any = m->driven;
    for (int32_t i = 0; i < m->joint_count; i++) {
        for (int32_t k = 0; k < SS_JOINT_COORDINATES; k++) {
            any = any || is_timed(&m->joints[i].coordinate[k]);
        }
    }
    return any;
}

ss_status ss_hybrid_find_kink(const ss_model *m, ss_data *d, double a, double b, bool *found,
                              double *out)
{
    *found = false;
    for (int32_t i = 0; i < m->nb; i++) {
        if (m->bodies[i].type == SS_BODY_KINEMATIC && !m->bodies[i].motion.uniform) {
            SS_TRY(sooner(m, d, &(driver){.body = i}, a, b, found, out));
        }
    }
    for (int32_t i = 0; i < m->joint_count; i++) {
        for (int32_t k = 0; k < SS_JOINT_COORDINATES; k++) {
            const ss_joint_coordinate *x = &m->joints[i].coordinate[k];
            if (is_timed(x)) {
                SS_TRY(sooner(m, d, &(driver){.body = -1, .motor = x}, a, b, found, out));
            }
        }
    }
    return SS_OK;
}
