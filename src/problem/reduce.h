/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions: functions from problem to problem, each with the map that takes a solution back.
 * What a reduced problem needs is taken from an arena; false means that the arena is too small
 * (it then knows how much was wanted) and nothing else.
 */
#ifndef SS_PROBLEM_REDUCE_H
#define SS_PROBLEM_REDUCE_H

#include <stdbool.h>

#include "core/arena.h"
#include "stickslip/problem.h"

/* reduce_axes.c: friction ellipsoids to balls. `out` has no axes; p's arrays are shared. */
bool ss_reduce_axes(const ss_cone *p, ss_arena *a, ss_cone *out);
/* Reactions of p to those of the reduced problem, and back; in place. */
void ss_reduce_axes_forth(const ss_cone *p, double *r);
void ss_reduce_axes_back(const ss_cone *p, double *r);

#endif
