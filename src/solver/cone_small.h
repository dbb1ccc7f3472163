/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small dense cone problems, solved once per simulation step: no memory but the stack, no library
 * calls, exact to rounding.
 */
#ifndef SS_SOLVER_CONE_SMALL_H
#define SS_SOLVER_CONE_SMALL_H

#include <stdbool.h>

#include "stickslip/problem.h"

enum { SS_CONE_SMALL = 48 };

/* Local form, dense W, no axes, at most SS_CONE_SMALL rows, blocks that are solved exactly. */
bool ss_cone_small_takes(const ss_cone *p);

/* The error of r, as of the next. */
double ss_cone_small_error(const ss_cone *p, double *r);

/*
 * r: a guess when `warm`, then the best that was found. Returns its error, relative to the largest
 * block: of the order of rounding when r solves the problem, INFINITY when a block has no W_bb and
 * nothing was done; from a guess, an error below `enough` is not improved on. *iterations counts
 * Newton steps and sweeps.
 */
double ss_cone_small_solve(const ss_cone *p, double *r, bool warm, double enough,
                           int32_t *iterations);

#endif
