/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_DYNAMICS_TOLERANCES_H
#define SS_DYNAMICS_TOLERANCES_H

/*
 * Overlap, as a part of the scene's smallest moving part, that is what rounding and solvers leave
 * of a touch: it is closed by the rows within a step, as a gap is. Deeper ones are moved apart in
 * position. Ten times larger: bodies that are at rest get speeds of 1e-7 sizes a step; ten times
 * smaller: positions of stacks with large mass ratios wander by what the correction leaves.
 */
static const double SS_TOUCHING = 1e-8;

#endif
