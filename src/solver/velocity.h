/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method in velocities, for a few bodies that slide on many points (velocity.c). */
#ifndef SS_SOLVER_VELOCITY_H
#define SS_SOLVER_VELOCITY_H

#include <stdbool.h>

#include "stickslip/solver.h"

/* Global form, no axes, few velocities: what the stack has room for. */
bool ss_velocity_takes(const ss_cone *p);

/*
 * (r, v): a guess, then the best that was found. Returns its error, relative to the largest
 * reaction; INFINITY when the method does not apply there (nothing to scale by, a velocity that
 * nothing determines, more rows that stick than there is room for).
 */
double ss_velocity_run(const ss_cone *p, double *r, double *v, int32_t *iterations);

/* The method alone, behind the one door. Not in the list of solvers: it takes too few problems. */
extern const ss_solver_class ss_solver_velocity;

#endif
