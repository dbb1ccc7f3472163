/* SPDX-License-Identifier: Apache-2.0 */
/* What the planar mechanisms of the thesis (2.7.1-2.7.6) are measured with. */
#ifndef SS_CLI_VERIFY_PLANAR_H
#define SS_CLI_VERIFY_PLANAR_H

#include "verify/verify.h"

/*
 * Size of the mixed complementarity problem (2.92), (2.110), (2.134) of the step that was just
 * taken: velocities, joint rows, and per contact a normal, two friction directions and a slip
 * speed. Our own problem has the velocities eliminated, so they are counted from the bodies.
 */
int32_t ss_planar_problem_size(const ss_verify_world *w);

/*
 * A double pendulum of two equal rods, hanging from a cart that slides freely (cart > 0: its mass)
 * or from a fixed point (cart = 0), integrated from rest by the classical Runge-Kutta method from
 * Lagrange's equations: none of the library's code is used. y: x, angles from the downward
 * vertical, and their rates.
 */
typedef struct ss_lagrange {
    double cart, mass, length, gravity;
} ss_lagrange;
void ss_lagrange_run(const ss_lagrange *p, double y[6], double duration, int steps);

/* Positions of all moving bodies: x, y and angle of each, at most `room` numbers. */
int32_t ss_planar_positions(const ss_verify_world *w, double *out, int32_t room);

/*
 * Runs the scene for `duration` with steps h, h/2, h/4 and h/64, and reports the order in which the
 * positions converge to those of the last, which should be 1.
 */
ss_status ss_planar_order(ss_verify *v, const char *scene, const char *const *overrides,
                          double duration, double h);

/* Reports the sizes of the problem of the first step of h, and opens nothing else. */
ss_status ss_planar_size(ss_verify *v, const char *scene, const char *const *overrides, double h,
                         int32_t expected);

#endif
