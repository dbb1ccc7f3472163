/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_DYNAMICS_TOLERANCES_H
#define SS_DYNAMICS_TOLERANCES_H

/*
 * Overlap, as a part of the scene's smallest moving part, that is what rounding and solvers leave
 * of a touch: it is closed by the rows within a step, as a gap is. Deeper ones are moved apart in
 * position. Ten times larger: bodies that are at rest get speeds of 1e-7 sizes a step; ten times
 * smaller: positions of stacks with large mass ratios wander by what the correction leaves.
 */
#define SS_OVERLAP_ROUNDING 1e-8

/*
 * Part of the largest correction of an overlap to which the sweeps go on (recover/shift.c). Ten
 * times larger: bodies that are lifted begin to tilt; ten times smaller: sweeps for nothing.
 */
#define SS_SHIFT_SETTLED 1e-6

#endif
