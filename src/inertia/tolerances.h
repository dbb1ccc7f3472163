/* SPDX-License-Identifier: Apache-2.0 */
/* Tolerances of the inertia axis: parts of the speeds and forces of the step, so without a unit. */
#ifndef SS_INERTIA_TOLERANCES_H
#define SS_INERTIA_TOLERANCES_H

/* Newton's method for the free turn of a body ends when the square of its step is this part of the
   square of the angular velocity: twice rounding. Ten times larger: the same, mostly. */
#define SS_TURN_SETTLED 1e-30

/*
 * The proximal term over the forces at the speeds of the step. Ten times larger: more rounds. Ten
 * times smaller: ten times more of the rounding of forces in the velocities.
 */
#define SS_PROX_WEIGHT 1e-3

/*
 * .. times this where contacts give: springs carry the rounding of velocities back into forces,
 * which rigid contacts leave to the velocities alone. Ten times larger: many more rounds where
 * bodies slide; smaller: steps in space that miss their certificate by rounding and are cut.
 */
#define SS_PROX_SPRINGS 10

/* .. but no more than this part of what the softest of them resists. Ten times larger: rounds get
   half as far as springs would let them. */
#define SS_PROX_YIELDS 0.05

/* And how much smaller it becomes where rounds go on long. */
#define SS_PROX_LESS 0.1

/* Speed that a step has at least, as part of the scene's length over h, so that a scene in which
   nothing moves has a scale. Ten times larger: its rounds stop ten times further from rest. */
#define SS_PROX_LEAST_SPEED 1e-6

/*
 * Forces are known to a solver's target, 1e-12 of them, and e M dv carries their error into the
 * velocities a thousandfold: below this part of the speeds a motion is noise. Ten times larger:
 * motions that slow come to rest.
 */
#define SS_PROX_REST 1e-10

/* The same for a single coordinate, which may be alone in a row of the balance. */
#define SS_PROX_ALONE 1e-12

/* Changes of velocity from round to round, as part of the speeds: up to this a change that falls no
   further is noise of the solver. Ten times larger: rounds that still converge slowly are taken for
   stalled. */
#define SS_PROX_NOISE 1e-6

/* Two changes are the same if they differ by this part: a force that nothing balances. */
#define SS_PROX_SAME 1e-6

/* What moves no faster than so many changes of a round is at rest where rounds have stalled. */
#define SS_PROX_FEW 4

/* The velocities have settled when e M dv is this part of the forces, rounding of them. Ten times
   larger: a round fewer, and balances that fail their certificate by rounding. */
#define SS_PROX_SETTLED 1e-13

/* Iterations times rows that all rounds may take, of as many rows at least: what a solver may take
   for one problem. Ten times larger: steps without a balance take ten times as long to say so. */
#define SS_PROX_ITERATIONS 1e5
#define SS_PROX_ROWS       1e3

#endif
