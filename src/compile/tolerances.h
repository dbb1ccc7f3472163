/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of what a scene may hold: name, meaning, unit, why this value. They keep products of
 * sizes (volumes, inertias, squares of them) far from the range of a double, and 1e9 m is where
 * rounding of a position reaches a tenth of a micrometre. Ten times larger would do no harm; 1e30
 * is a mistake of units, and is told by name.
 */
#ifndef SS_COMPILE_TOLERANCES_H
#define SS_COMPILE_TOLERANCES_H

static const double SS_LARGEST_LENGTH = 1e9;  /* m: extent of a shape, distance from the origin */
static const double SS_LARGEST_SPEED  = 1e9;  /* m/s, rad/s, at the start                       */
static const double SS_LARGEST_MASS   = 1e30; /* kg: half a sun                                 */

/*
 * Prescribed motions. Mean of a periodic acceleration, relative to the mean of its size: what is
 * below is rounding of the integral (1e-13) or of a jump between its points (1e-4 of a piece);
 * ten times larger would let a body drift by that part of its swing in each period. Passes of the
 * fixed point that centres an orientation: each multiplies the error by about the angle.
 */
static const double SS_MOTION_MEAN = 1e-6;
enum { SS_MOTION_PASSES = 12 };

#endif
