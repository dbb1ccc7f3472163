/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linear systems over the velocities of an island's bodies, sparse and symmetric:
 *
 *   K = diag(N_body) + sum over rows c_k J_k'J_k       (positive definite: N_body is, c_k >= 0)
 *
 * With them, motions x next to x0 that keep rows at given rates can be found in islands of any
 * size, from the rows alone (the method of multipliers: Hestenes 1969, Powell 1969):
 *
 *   min |x - x0|_N^2 / 2   subject to   J_k x = t_k
 *
 *   K x = N x0 + J'(c t - y),    y := y + c (J x - t),    y = 0 at first
 *
 * Each pass lowers what the rows miss by 1/(1 + c W), W an eigenvalue of J N^-1 J'. Rows that
 * depend on each other need no care.
 */
#ifndef SS_FORMULATE_BODY_SYSTEM_H
#define SS_FORMULATE_BODY_SYSTEM_H

#include "linalg/fronts.h"
#include "model/data.h"

typedef struct ss_body_system {
    const ss_model  *m;
    ss_data         *d;
    const ss_island *isl;
    ss_fronts_shape  shape; /* nodes: bodies; elements: bodies, then blocks */
    ss_fronts        fronts;
} ss_body_system;

/* Which bodies and blocks there are. In the scratch; *made: false where no order was found. */
ss_status ss_body_system_plan(const ss_model *m, ss_data *d, const ss_island *isl,
                              ss_body_system *s, bool *made);

void ss_body_system_reset(ss_body_system *s);
/* K += times d->matrix of body i of the island; the rotations of particles get 1. */
void ss_body_system_add_mass(ss_body_system *s, int32_t i, double times);
/* K += c J_k'J_k of row k of block i of the island. */
void ss_body_system_add_row(ss_body_system *s, int32_t i, int32_t k, double c);
bool ss_body_system_factor(ss_body_system *s);
/* b (body_count x dof) := K^-1 b */
void ss_body_system_solve(const ss_body_system *s, double *b);

/* y += times N x of body i, N as in ss_body_system_add_mass. */
void ss_body_system_mass_times(const ss_body_system *s, int32_t i, double times, const double *x,
                               double *y);
/* J_k x, and b += times J_k', of row k of block i of the island. */
double ss_body_system_rate(const ss_body_system *s, int32_t i, int32_t k, const double *x);
void   ss_body_system_push(const ss_body_system *s, int32_t i, int32_t k, double times, double *b);

#endif
