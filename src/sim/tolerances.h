/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerances of sim/: name, meaning, why this value, what if it were ten times larger. Without
 * units: relative to what is compared. */
#ifndef SS_SIM_TOLERANCES_H
#define SS_SIM_TOLERANCES_H

/* A last step that is shorter than the others by less than this part is a whole one, and a time
   short of the end by less is the end: sums of steps are rounded. Ten times larger: the end is off
   by 1e-8 of a step. */
#define SS_STEP_ROUNDING    1e-9
#define SS_STEPS_THOUSANDTH 1e-3

/* Of the energy that was there (the most that moved, and all that came and went), what steps may
   lose by themselves before a run tells. Ten times larger: a pendulum that lost a tenth of its
   swing would be taken for one with friction. */
#define SS_LOST_BY_STEPS 1e-2

/* What is left of a step that was cut into parts by less than this part of it is nothing. */
#define SS_PART_ROUNDING 1e-12

/* Settled: slower than this part of the speed that the loads alone give in a step. Ten times
   larger: creeping counts as rest. */
#define SS_SETTLED_SPEED 1e-9

/* Sleep: at rest is slower than this part of the speed that the loads alone give in a step. Piles
   at rest are a hundred times slower. Ten times larger: what rolls slowly (0.5 mm/s at steps of 5
   ms) is stopped. */
#define SS_SLEEP_SPEED 1e-3

/* .. for so many seconds. Ten times larger: sleep saves little. */
#define SS_SLEEP_AFTER 0.5

/* Overlaps at the start below this part of the smaller body are rounding of the scene's numbers and
   not warned of. */
#define SS_START_OVERLAP 1e-9

/* Derivatives of a step (sensitivity.c): the distance of the steps beside it, as a part of sizes
   and speeds. Its fourth power is the error by curvature, rounding over it the other: 1e-16 and
   1e-12. Ten times larger: more steps leave the active set, and are taken again nearer. */
#define SS_PROBE_PART 1e-4

/* .. how much nearer those are taken; four times at most, down to 2e-7. Ten times larger: twice. */
#define SS_PROBE_NEARER 0.125

/* .. derivatives of both sides are the same up to this part. They differ by the square of the
   distance where the step is smooth, and by a part of 1 at a kink. */
#define SS_PROBE_BEND 1e-3

/* .. and up to this rounding of positions over the distance: steps are solved to 1e-12 of their
   size or better. Ten times larger: kinks of 1e-5 of a unit would pass for smooth. */
#define SS_PROBE_ROUNDING 1e-10

/* .. the least speed that counts as one, in lengths of the smallest part a second: of scenes at
   rest without gravity. */
#define SS_PROBE_SLOW 1e-3

/* How exactly the part of the restitution is found that makes no energy: the width of its bounds,
   or the part of the energy the island may return that it does not. Ten times larger: bounces lose
   visibly more than they must; ten times smaller: more trials of the step. */
#define SS_REBOUND_WIDTH (1.0 / 128)
#define SS_REBOUND_LEFT  1e-2

/*
 * Gap, as a part of the smallest moving part, above which a contact in reach is not touched. Ten
 * times larger: long steps of small parts are solved in vain; ten times smaller: piles that settle
 * count as apart.
 */
#define SS_CROWD_APART 1e-3

/*
 * How far a body goes in a step, as a part of its size, from where the step is long. Ten times
 * larger: bodies jump past each other before it is; ten times smaller: steps are cut that are as
 * crowded when they are short.
 */
#define SS_CROWD_FAR 0.25

/*
 * Products of solvers of one attempt at a step that can still be cut: a few seconds of pivoting.
 * Ten times larger: steps hang for half a minute before they are cut; ten times smaller: steps of
 * jointed piles that come to an end are cut.
 */
#define SS_LABOUR_MOST 2e9

/*
 * .. but no more than so many for each of its bodies and contacts: what is small is simple, or
 * hopeless. Ten times larger: steps of two bodies that nothing solves take half a minute; ten times
 * smaller: shapes that are searched (formulas, intersections) are cut while they are collided.
 */
#define SS_LABOUR_EACH 2e8

/*
 * .. and so many times n e of large problems: thirty dense factorisations, or ten sweeps for each
 * unknown. Ten times larger: problems of a thousand dense rows take a minute before they are cut;
 * ten times smaller: less than Newton's method takes for them.
 */
#define SS_LABOUR_SIZE 10

/*
 * What a step may take in all its attempts, in parts of that. Ten times larger: steps that no part
 * helps end after minutes.
 */
#define SS_LABOUR_ATTEMPTS 5

/*
 * Products for each body and contact of a step, of small scenes a hundred times as many, up to
 * which it is cut for the sake of how well it is followed. Ten times larger: steps of piles in
 * which points of contact run take seconds; ten times smaller: coins that are nearly flat lose
 * energy at steps of a hundredth of a second.
 */
#define SS_LABOUR_FOLLOWED 5e6

/*
 * What a round takes for each body and contact besides solvers: collision, rows and certificates
 * are as long as so many products. Ten times larger: the parts of long steps of small scenes count
 * more than their problems.
 */
#define SS_LABOUR_ROUND 1000

/*
 * Part of a step before which, or after whose rest, an impact happens at once, or when it ends. Ten
 * times larger: bodies overlap by that part of their way; ten times smaller: steps so short that
 * rounding of positions is a velocity.
 */
#define SS_EVENT_NONE 1e-6

/*
 * simulation: {error}: the part of what is set aside for impacts that no step is halved for, 2^-16.
 * Ten times larger: ten thousand of such steps use up what is set aside; ten times smaller: steps
 * next to change points, where bodies are known to 1e-11 m, are halved to nothing.
 */
#define SS_ERROR_LEAST 0x1p-16

/* Bodies that move slower than this, where the fastest moves at 1 m/s, take no part in a proof that
   nothing balances. Only for the message. */
#define SS_MOVES_ALONG 1e-6

#endif
