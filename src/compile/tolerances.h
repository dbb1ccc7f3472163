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

#endif
