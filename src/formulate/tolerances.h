/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as nothing where problems are posed. */
#ifndef SS_FORMULATE_TOLERANCES_H
#define SS_FORMULATE_TOLERANCES_H

#include <float.h>

/*
 * Velocities of rows below this part of the fastest body of their island are rounding: each is a
 * sum of at most twelve products, of velocities that the last step left as differences of loads. Ten times larger: what creeps 1e13 times more slowly than its
 * neighbours move stands still; ten times smaller: rounding is left in, and a certificate that
 * weighs each contact by what is at stake in it has nothing to weigh it by.
 */
static const double ss_velocity_rounding = 64 * DBL_EPSILON;

#endif
