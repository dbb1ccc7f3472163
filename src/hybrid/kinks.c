/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinks of driven motions: times at which the velocity of a driven body jumps. Between two of them
 * a motion is smooth, and goes on smoothly beyond both as far as differences of it reach
 * (ss_motion_window, kinematics.c); at a kink the run begins anew, as after a jump of a drive at
 * the start of a step.
 *
 * With p(a), p(m), p(b) at the ends and in the middle of an interval of length L,
 *
 *   j = |p(b) - 2 p(m) + p(a)| 2/L
 *
 * is the change of the mean velocity from one half to the other: of order L where p is smooth, and
 * the jump itself, or some of it, where the interval has a kink. So the half of an interval (the
 * left, the right, or that in the middle) with the largest j is looked at again and again; if j
 * does not fall with L, there is a kink, and it is where the straight lines on either side meet.
 */
#include <math.h>

#include "dynamics/stages.h"
#include "hybrid/hybrid.h"
#include "hybrid/tolerances.h"

enum { NUMBERS = 8, HALVES = 14 };

/* Coordinates of a pose: place, angle, quaternion. */
static ss_status at(const ss_model *m, ss_data *d, int32_t body, double t, double *out)
{
    ss_pose p;
    SS_TRY(ss_motion_pose(m, d, body, t, &p));
    const double x[NUMBERS] = {p.p.x, p.p.y, p.p.z, p.angle, p.q.w, p.q.x, p.q.y, p.q.z};
    for (int i = 0; i < NUMBERS; i++) {
        out[i] = i > 2 ? m->length * x[i] : x[i];
    }
    return SS_OK;
}

/* j of [a, a + L], and which coordinate has it. */
static ss_status bend(const ss_model *m, ss_data *d, int32_t body, double a, double L, double *out,
                      int *which)
{
    double p[3][NUMBERS];
    *out   = 0;
    *which = 0;
    for (int k = 0; k < 3; k++) {
        SS_TRY(at(m, d, body, a + 0.5 * k * L, p[k]));
    }
    for (int i = 0; i < NUMBERS; i++) {
        double j = fabs(p[2][i] - 2 * p[1][i] + p[0][i]) * 2 / L;
        *which   = j > *out ? i : *which;
        *out     = fmax(*out, j);
    }
    return SS_OK;
}

/* Where the lines through two places before and two after [a, a + L] meet. */
static ss_status meet(const ss_model *m, ss_data *d, int32_t body, int which, double a, double L,
                      double *out)
{
    double p[4][NUMBERS];
    for (int k = 0; k < 4; k++) {
        SS_TRY(at(m, d, body, a + (k - 1) * L, p[k]));
    }
    double before = (p[1][which] - p[0][which]) / L, after = (p[3][which] - p[2][which]) / L;
    double gap = p[2][which] - p[1][which] - before * L;
    *out       = a + L - gap / (after - before);
    return SS_OK;
}

/* The kink that shows most in [a, b]; *found false: none does. */
static ss_status look(const ss_model *m, ss_data *d, int32_t body, double a, double b, bool *found,
                      double *out)
{
    double L = b - a, first, j = 0, part;
    int    which, best_which = 0;
    SS_TRY(bend(m, d, body, a, L, &first, &which));
    *found = false;
    for (int n = 0; n < HALVES; n++) {
        double best = a;
        L *= 0.5;
        j = -1;
        for (int k = 0; k < 3; k++) {
            SS_TRY(bend(m, d, body, a + 0.5 * k * L, L, &part, &which));
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
    return *found ? meet(m, d, body, best_which, a, L, out) : SS_OK;
}

/* The first kink of a body in [a, b]. */
static ss_status first_of(const ss_model *m, ss_data *d, int32_t body, double a, double b,
                          bool *found, double *out)
{
    double near = SS_HYBRID_SAME_KINK * m->simulation.step;
    bool   more = true;
    *found      = false;
    while (more && b - a > near) {
        double kink = a;
        SS_TRY(look(m, d, body, a, b, &more, &kink));
        if (more) {
            *found = true;
            *out   = kink;
            b      = kink - near;
        }
    }
    return SS_OK;
}

ss_status ss_hybrid_find_kink(const ss_model *m, ss_data *d, double a, double b, bool *found,
                              double *out)
{
    *found = false;
    for (int32_t i = 0; i < m->nb; i++) {
        double kink;
        bool   there;
        if (m->bodies[i].type != SS_BODY_KINEMATIC || m->bodies[i].motion.uniform) {
            continue;
        }
        SS_TRY(first_of(m, d, i, a, b, &there, &kink));
        if (there && (!*found || kink < *out)) {
            *found = true;
            *out   = kink;
        }
    }
    return SS_OK;
}
