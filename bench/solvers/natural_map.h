/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The yardstick of the solver benchmark, one for all contestants and shared with none of them: the
 * norm of the natural map, divided by
 *   lcp, mlcp   |q|                          |min(z, M z + q)|, |w_i| in the rows of free z
 *   cone        max(|q|, |r|, |u|)           |r - P_K(r - u - mu |u_t| n)|, contact by contact
 * Cone problems are in the local form, with cones only.
 */
#ifndef SS_BENCH_NATURAL_MAP_H
#define SS_BENCH_NATURAL_MAP_H

#include "stickslip/problem.h"

/* INFINITY when something is not finite. */
double natural_residual(const ss_problem *p, const double *z);

#endif
