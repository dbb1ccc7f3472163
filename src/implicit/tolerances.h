/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_IMPLICIT_TOLERANCES_H
#define SS_IMPLICIT_TOLERANCES_H

/*
 * The rounds have settled when velocities change by no more than this part of their size. Gaps are
 * then right to the square of it, wrenches to it. Ten times larger: two routes to a step agree to
 * 1e-11 instead of 1e-12; ten times smaller: rounding decides.
 */
#define SS_END_SETTLED 1e-13

/*
 * Changes below this part that no longer shrink are what nearest points of curved shapes are known
 * to. Ten times larger: rounds that converge slowly may be taken for such; smaller: steps of
 * superellipsoids fail although their certificate would hold.
 */
#define SS_END_STALLED 1e-9

/*
 * Joints at the end of a step without momentum (joints_at_end.h): changes of velocities, as a part
 * of the largest, at which their rounds have settled, beside that many roundings of what forces
 * would make of bodies alone and of places over the step. Ten times larger: joints are left open by
 * what then is energy from nothing; ten times smaller: rounding decides in chains of short links.
 */
#define SS_JOINTS_END_SETTLED  1e-11
#define SS_JOINTS_END_ROUNDING 64

/*
 * .. at which rounds that have not settled for long are left: next to a change point rounding of
 * places is that much of a velocity, however often it is asked. Ten times larger: openings that the
 * certificate sees; ten times smaller: linkages end there.
 */
#define SS_JOINTS_END_NEARLY 1e-7

/*
 * Biases below this many roundings of the bodies' speeds are none. Ten times larger: gaps of 1e-14
 * of a step's motion stay open.
 */
#define SS_END_ROUNDING 4

/*
 * Half-width of the central differences of the complementarity problem, as part of an unknown's
 * size: the cube root of rounding. Ten times larger or smaller: the Jacobian is right to 1e-8
 * instead of 1e-10.
 */
#define SS_MCP_DIFFERENCE 6e-6

/* Residual that the solver goes for there, before the last steps. Ten times larger: the set of
   active bounds may not be right yet. */
#define SS_MCP_TARGET 1e-12

/* .. and the one that is a solution: the certificate of every step (simulation: tolerance). */
#define SS_MCP_SOLVED 1e-9

/* Passes in a row without improvement before that is believed. */
#define SS_END_PATIENCE 3

#endif
