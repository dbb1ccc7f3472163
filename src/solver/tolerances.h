/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerances of solver/: all of them relative, none of them decides what counts as solved. */
#ifndef SS_SOLVER_TOLERANCES_H
#define SS_SOLVER_TOLERANCES_H

/*
 * A mass block with a smaller reciprocal condition number is singular to working precision: its
 * inverse has no right digit. Ten times larger: bodies with inertias 1e14 apart would be refused.
 */
#define SS_SINGULAR_MASS 1e-15

/*
 * The least proximal weight of `ac`, relative to the diagonal of W: what keeps a Newton step
 * regular. In velocities of bodies its inverse is added to masses, which may differ by 1e6; ten
 * times smaller, those factors lose their digits. Larger: the last steps converge more slowly.
 */
#define SS_AC_LEAST_ALPHA        1e-13
#define SS_AC_LEAST_ALPHA_BODIES 1e-9

/* The largest: beyond it a proximal step moves nothing. Ten times larger: more steps for nothing.
 */
#define SS_AC_MOST_ALPHA 100

/*
 * An inner iteration of `ac` has done enough when |F| has fallen by this factor, and is hopeless
 * when it has grown by that one. Ten times smaller: steps are spent on a problem that moves on.
 */
#define SS_AC_ENOUGH   0.1
#define SS_AC_HOPELESS 1e6

/* Penalties of `admm`, relative to the diagonal of W, stay within 1 / this and this: further off
   one of its two errors stands still. Ten times larger: adaptation overshoots more. */
#define SS_ADMM_MOST_PENALTY 1e8

/* Residuals below this that do not fall count as idle steps of interior points: rounding, then. Ten
   times larger: steps that still converge could be counted. */
#define SS_IPM_ROUNDING 1e-7

/* Entries of a game's systems, which are scaled to 1, below this are zeros. Ten times larger:
   pivots of 1e-11 would be passed over. */
#define SS_GAME_ZERO 1e-12

/* The relative slope at which a root between neighbouring numbers is one. Ten times larger: a jump
   of 1e-5 would pass for a root. */
#define SS_BLOCK_ROOT 1e-6

/* What is added to the diagonal of a block of W, relative to its largest, where it is singular. Ten
   times larger: the block's answer is off by 1e-9, which the next sweep corrects. */
#define SS_BLOCK_SHIFT 1e-10

#endif
