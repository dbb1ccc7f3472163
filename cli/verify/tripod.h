/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A body that slides over a table on three points, pulled by a constant force at a hook: its smooth
 * equations, integrated apart from the library by the classical Runge-Kutta method. With r_i the
 * points about the centre of mass and u_i their velocities,
 *
 *   m x'' = F - sum mu N_i u_i/|u_i|,      I w' = r_hook x F - sum mu N_i (r_i x u_i/|u_i|);
 *
 * the weights N_i follow from the balance of forces and moments, for the centre of mass lies in the
 * plane of the table.
 */
#ifndef SS_CLI_VERIFY_TRIPOD_H
#define SS_CLI_VERIFY_TRIPOD_H

typedef struct ss_tripod {
    double mass, inertia, mu, gravity;
    double corner[3][2];  /* the points, in the body's axes     */
    double pull, hook[2]; /* a force along x; where it takes hold */
} ss_tripod;

/* The share of each point in the weight. */
void ss_tripod_weights(const ss_tripod *t, double N[3]);

/* y = x, y, angle and their rates, `duration` later. */
void ss_tripod_run(const ss_tripod *t, double duration, int steps, double y[6]);

#endif
