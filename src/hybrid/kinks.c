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
 */
#include <math.h>

#include "dynamics/stages.h"
#include "force/force.h"
#include "hybrid/hybrid.h"
#include "hybrid/tolerances.h"

enum { NUMBERS = 8, HALVES = 14 };

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

/* j of [a, a + L], and which coordinate has it. */
static ss_status bend(const ss_model *m, ss_data *d, const driver *w, double a, double L,
                      double *out, int *which)
{
    double p[3][NUMBERS];
    *out   = 0;
    *which = 0;
    for (int k = 0; k < 3; k++) {
        SS_TRY(at(m, d, w, a + 0.5 * k * L, p[k]));
    }
    for (int i = 0; i < NUMBERS; i++) {
        double j = fabs(p[2][i] - 2 * p[1][i] + p[0][i]) * 2 / L;
        *which   = j > *out ? i : *which;
        *out     = fmax(*out, j);
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
static ss_status look(const ss_model *m, ss_data *d, const driver *w, double a, double b,
                      bool *found, double *out)
{
    double L = b - a, first, j = 0, part;
    int    which, best_which = 0;
    SS_TRY(bend(m, d, w, a, L, &first, &which));
    *found = false;
    for (int n = 0; n < HALVES; n++) {
        double best = a;
        L *= 0.5;
        j = -1;
        for (int k = 0; k < 3; k++) {
            SS_TRY(bend(m, d, w, a + 0.5 * k * L, L, &part, &which));
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
    *found = j > SS_HYBRID_JUMP * m->length / m->simulation.step;
    if (!*found) {
        return SS_OK;
    }
    bool jumps = tells_speed(w) && j > SS_HYBRID_LEAP * first;
    return jumps ? jump(m, d, w, a, L, out) : meet(m, d, w, best_which, a, L, out);
}

/* The first kink of a driver in [a, b]. */
static ss_status first_of(const ss_model *m, ss_data *d, const driver *w, double a, double b,
                          bool *found, double *out)
{
    double near = SS_HYBRID_SAME_KINK * m->simulation.step;
    bool   more = true;
    *found      = false;
    while (more && b - a > near) {
        double kink = a;
        SS_TRY(look(m, d, w, a, b, &more, &kink));
        if (more) {
            *found = true;
            *out   = kink;
            b      = kink - near;
        }
    }
    return SS_OK;
}

/* The first of what was found and what this one has. */
static ss_status sooner(const ss_model *m, ss_data *d, const driver *w, double a, double b,
                        bool *found, double *out)
{
    double kink;
    bool   there;
    SS_TRY(first_of(m, d, w, a, b, &there, &kink));
    if (there && (!*found || kink < *out)) {
        *found = true;
        *out   = kink;
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
