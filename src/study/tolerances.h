/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerances of studies: name, meaning, why this value, what if it were ten times larger. */
#ifndef SS_STUDY_TOLERANCES_H
#define SS_STUDY_TOLERANCES_H

/* Times that differ by this share are the same: they are sums of up to 1e6 steps, each rounded.
   Ten times larger: still far below a step of any scene. */
#define SS_TIME_ROUNDING 1e-9

/* at_rest(T): a body rests that would move by less than this share of the smallest moving body in T
   seconds; no unit. Bodies that creep do not rest: a hundredth of a percent is below what anybody
   draws or measures. Ten times larger: slow sliding to rest would be cut short. */
#define SS_REST_SHARE 1e-4

/* Aitken's method extrapolates differences that shrink at least by this factor from period to
   period; no unit. At 0.9 what is left is nine times the last difference: beyond that the guess is
   longer than what it is guessed from. Ten times larger makes no sense (a factor above 1 grows). */
#define SS_AITKEN_SHRINKS 0.9

/* A limit cycle is found when a period brings the state back to within this share of the speeds in
   it; no unit, the default of `cycle: {tolerance}`. Far above the certificate of a step (1e-9), far
   below what a velocity field is read to. Ten times larger: a period less, on the way there. */
#define SS_CYCLE_TOLERANCE 1e-6

/* The acceleration of a period map leaves out differences that are, but for this share, sums of the
   others: no unit. Ten times larger: it looks at fewer periods. */
#define SS_CYCLE_DEPENDENT 1e-8

/* A guess of the accelerated map that is this many times further from a cycle than the best one is
   taken back. Ten times larger: more periods lost where the map has kinks. */
#define SS_CYCLE_WORSE 2.0

/* A field rests where it is slower than this share of its largest speed; no unit. Far above what a
   cycle is found to, far below the slowest node beside a point on grids of 50. Ten times larger:
   slow nodes around a point would count as resting. */
#define SS_FLOW_RESTS 1e-3

/* A field in which nothing goes further than this share of the grid in a second is at rest: 1/s.
   What a run leaves of a motion that is none is 1e-14 of the places. Ten times larger: still thirty
   years from end to end. */
#define SS_FLOW_NOTHING 1e-10

/* A point of a field is a centre where things come nearer, or go away, by less than this share of
   how they turn; no unit. Ten times larger: every spiral would be a centre. */
#define SS_FLOW_ROUND 0.05

/* A field gathers on a line where one eigenvalue is this share of the other, or less, and a sink
   that turns by this share of how it gathers, or less, is called a sink; no unit. Ten times larger:
   every sink would be a line. */
#define SS_FLOW_THIN 0.1

/* The finite difference of a field near a point, as a share of the box around it; no unit. Within a
   cell the field is bilinear, so that only rounding asks for more than nothing. Ten times larger:
   nothing to speak of. */
#define SS_FLOW_NUDGE 1e-4

/* A linear field needs nodes that do not lie on a line: the determinant of their second moments, as
   a share of its largest value. Ten times larger: nothing on a grid. */
#define SS_FLOW_FLAT 1e-9

/* The finite difference of a plan's number, as a share of its bounds: far above the rounding of a
   run (1e-9 of a length), far below the range in which a push keeps touching the same side. Ten
   times larger: Newton's steps point beside the goal near the edge of a contact's change. */
#define SS_PLAN_CHANGE 1e-3

/* The smallest damping of a Newton step, as a share of the trace: steps of least length in the
   directions that the errors do not see. Ten times larger: a step or two more. */
#define SS_PLAN_DAMPING 1e-6

/* Newton's method goes on while a step takes this share off the errors. Ten times larger: plans
   that improve slowly would be given up. */
#define SS_PLAN_GAIN 1e-2

/* A plan is improved until its largest error is this share of what the goal allows, so that it
   holds in runs that were not looked at. Ten times larger would be outside the goal. */
#define SS_PLAN_ENOUGH 0.1

/* A plan whose errors are this many times too large after a cheap rung is not tried on the next.
   Ten times larger: more time for plans that do not get there. */
#define SS_PLAN_NEAR 5.0

/* Searches: the step, as a share of the bounds, at which a search ends by itself. Ten times larger:
   a coarser optimum, sooner. */
#define SS_SEARCH_TOLERANCE 1e-3

/* Seconds by which at least is divided: at_rest of no time at all. */
#define SS_LEAST_SECONDS 1e-300

/* Geometric rung: a disc whose centre lies within this share of a larger one's radius is left out.
   Leaving discs out opens cells, so the answer stays certain where it is no. Ten times larger: one
   disc would stand for the whole body. */
#define SS_DISC_CROWDED 0.6

/* Convergence in the step: errors up to this (metres, metres per second) are rounding and have no
   order. Ten times larger: the order of very fine steps of metre-sized scenes is not told. */
#define SS_STEP_ERROR_NONE 1e-13

/* Orders are looked for between minus this and this; no unit. Ten times larger: powers of steps
   leave the range of numbers. */
#define SS_STEP_ORDER_MOST 16.0

/* Boundary-value programs of designs. A contact's normal is that of the face across z to within
   this (its component less than 1); no unit. Normals are exact to rounding. Ten times larger: the
   same. */
#define SS_PERIOD_FACE 1e-9

/* Differences by a choice, as a share of its range; no unit. Of second order: gradients to 1e-6 for
   a phase that is free over two turns, curvatures to three digits. Ten times larger: to 1e-4. */
#define SS_PERIOD_NUDGE 1e-4

/* Sizes of products of complementary unknowns, in units of the program (weight, gravity, period):
   flights of a tenth of a millimetre and slips of centimetres a second at 33 Hz. Ten times larger:
   relaxed for one solve longer. */
#define SS_PERIOD_GAP  1e-2
#define SS_PERIOD_SLIP 1e-1

/* Products start below this, times their size: the first period is one. Ten times larger: it is
   left for one further away. */
#define SS_PERIOD_RELAXED 1e-2

/* What a choice that is moved across its whole range weighs, as a mean square miss of the drift; no
   unit. Among motions that are as good, the nearest to the start is taken; misses below a tenth of
   a percent count less than that. Ten times larger: a third of a percent. */
#define SS_PERIOD_NEAR 1e-6

/* Slip above this, in units of the program, has a direction. Ten times larger: guesses of slow slip
   begin as sticking. */
#define SS_PERIOD_SLIDES 1e-9

#endif
