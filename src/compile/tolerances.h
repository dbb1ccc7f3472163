/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of what a scene may hold: name, meaning, unit, why this value. Within them motions mean
 * the same at every scale (test/sim/scales.py); they keep products of sizes (volumes, inertias,
 * squares of them) far from the range of a double. 1e9 m is where rounding of a position reaches a
 * tenth of a micrometre, 1e-9 m are a few atoms, and joints of parts a hundred times smaller no
 * longer close. Ten times further would do no harm; 1e30 is a mistake of units, and is told by
 * name.
 */
#ifndef SS_COMPILE_TOLERANCES_H
#define SS_COMPILE_TOLERANCES_H

static const double SS_LARGEST_LENGTH = 1e9;  /* m: extent of a shape, distance from the origin */
static const double SS_LEAST_LENGTH   = 1e-9; /* m: extent of a shape                           */
static const double SS_LARGEST_SPEED  = 1e9;  /* m/s, rad/s, at the start                       */
static const double SS_LARGEST_MASS   = 1e30; /* kg: half a sun                                 */
static const double SS_LEAST_MASS     = 1e-30;

/* Moments of inertia: those of the least mass and length, and of the largest, a hundred times over.
   Ten times further: determinants near the range of a double. */
static const double SS_LEAST_INERTIA   = 1e-50;
static const double SS_LARGEST_INERTIA = 1e50;

/* m/s^2. Where a step of 1 ms makes more than the largest speed of what rests, it hovered. */
static const double SS_LARGEST_GRAVITY = 1e9;

/*
 * Times, seconds. Shorter steps move what is 1 m large by less than its rounding, and velocities of
 * contacts are lost in it; longer ones are longer than any experiment. A step is at least the part
 * SS_STEP_OF_TIME of the last time, or rounding of the time is a part of it that shows (1e-4).
 */
static const double SS_LEAST_STEP   = 1e-12;
static const double SS_LARGEST_STEP = 1e9;
static const double SS_STEP_OF_TIME = 1e-12;

/*
 * Prescribed motions. Mean of a periodic acceleration, relative to the mean of its size: what is
 * below is rounding of the integral (1e-13) or of a jump between its points (1e-4 of a piece);
 * ten times larger would let a body drift by that part of its swing in each period. Passes of the
 * fixed point that centres an orientation: each multiplies the error by about the angle.
 */
static const double SS_MOTION_MEAN = 1e-6;
enum { SS_MOTION_PASSES = 12 };

/* Inertias whose two halves differ by less, relative, are symmetric; and second moments below zero
   by less are those of a flat body. Ten times larger: typing errors in the ninth digit pass. */
#define SS_INERTIA_ROUNDING 1e-9

/* Eigenvalues and halves of damping matrices, relative, that are rounding. Ten times larger:
   dampings 1e11 apart are refused. */
#define SS_DAMPING_ROUNDING 1e-12

/* Squares of sines, and cosines, of angles between axes of joints that count as parallel and as
   perpendicular. Ten times larger: axes given to four digits pass as perpendicular. */
#define SS_AXES_PARALLEL      1e-12
#define SS_AXES_PERPENDICULAR 1e-6

/* A coordinate of a joint outside its limits by less, relative to the larger of both, starts at the
   limit: what is left of lengths that are roots of sums. Ten times larger: still no typing error.
 */
#define SS_AT_LIMIT_ROUNDING 1e-12

/* Three support points whose triangle has a smaller area, relative to its sides, lie on a line; a
   normal force below the second part of the weight is zero. Ten times larger: slim triangles are
   refused. */
#define SS_SUPPORT_ON_LINE  1e-9
#define SS_SUPPORT_UNLOADED 1e-12

/*
 * Determinants of a stiffness matrix, over those of its diagonal, that count as positive: below
 * this the matrix is singular to rounding. Ten times larger: stiffnesses that differ by 1e10
 * between directions are refused.
 */
static const double SS_STIFF_LEAST = 1e-12;

/* Time from where the rate of a motion jumps, as part of a piece of its integral, at which it is on
   one side of that. Ten times larger: ten times that part of what it does in a piece is missed;
   much smaller: rounding of times decides on which side it is. */
#define SS_BREAK_NEAR 1e-9

#endif
