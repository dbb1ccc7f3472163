/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as nothing where rows are made and judged. All are parts of a scale of the scene. */
#ifndef SS_ROWS_TOLERANCES_H
#define SS_ROWS_TOLERANCES_H

/*
 * Approaches slower than this part of what forces change a velocity by in the step are no impacts,
 * whatever the normal. Bodies at rest keep velocities of the size of the certificate's tolerance
 * (1e-9) times that. Ten times larger or smaller: bounces of micrometres per second less or more.
 */
static const double ss_no_push = 1e-6;

/*
 * Closing speed of a contact when it is reached, over what the forces of a step make of it, up to
 * which it rests. Ten times larger: what bounces lower than 50 times the fall of a step lies still;
 * below 1 what rests is struck by its own weight. No whole number, nor half of one: what is dropped
 * reaches these where a step ends, and rounding would decide.
 */
#define SS_RESTS_BELOW 2.2

/*
 * Steps that the flight after an impact has to last, for bodies that fly freely before and after
 * it. What is left out is lower than an eighth of this squared times h^2 a. Ten times larger: fifty
 * times that lies still; below 1 there would be a second impact in the same step. No whole number.
 */
#define SS_BOUNCE_STEPS 1.1

/* Rate at which a contact that bore a load opens, or its gap over h, over what the forces of a step
   make of a rate, above which it has left. Steps leave rounding of what rests; ten times larger:
   the end of a bounce is landed before it is there. */
#define SS_LEFT_ABOVE 0.05

/* What is left of a gap at the end of a step, over the way of its two, that is none. Rounding is
   1e-16 of it; ten times larger: impacts 1e-8 of a step too early. */
#define SS_MET_NEARLY 1e-9

/* The same as part of the relative velocity: what slides along a surface does not strike it. */
static const double ss_no_approach = 1e-9;

/*
 * Part of the way in the part of an impact, h/65536 (sim/events.c), that is none: an impact may
 * lack 1e-3 of itself. It was chosen with parts of h/1024, where it was as much as is gone in 1e-6
 * of the step, before which an impact happens at once (sim/tolerances.h).
 */
#define SS_STRUCK_NEAR 1.024e-3

/*
 * Part of its bound up to which friction sticks, of 1. Solvers leave friction at its limit short by
 * at most the square root of their target, 1e-6. Ten times further from 1: contacts at 99.999 % of
 * their bound count as sliding.
 */
#define SS_STICKING_PART (1 - 1e-6)

/*
 * Friction, as part of the normal impulse, that solvers do not tell from none: their target. Ten
 * times larger: contacts with a coefficient of 1e-11 always count as sliding where they move at
 * all; smaller: what slides with a coefficient of 1e-13 counts as sticking.
 */
#define SS_FRICTION_UNSEEN 1e-12

/*
 * Slip over a step, as part of the scene's length, that nothing tells from rest: a solver that ends
 * with a tenth of the default tolerance leaves up to 1e-13 of it. Ten times larger: parts of 1 m
 * that creep at 1e-11 m a step count as sticking; smaller: contacts at their limit flicker.
 */
#define SS_STILL_PART 1e-12

/*
 * Gap, as part of the scene's length, at which two things touch. Positions are known to 1e-16 of it
 * and steps leave gaps of 1e-12. Ten times larger: a peg of 0.1 mm with a clearance of a nanometre
 * touches both walls.
 */
#define SS_TOUCH_PART 1e-9

/*
 * A direction asked for is taken if its square has this part of its own length in the plane of the
 * contact. Ten times larger: directions nearer to the normal than 3e-6 rad fall back to world x.
 */
#define SS_DIRECTION_PART 1e-12

/*
 * World x is nearly normal, as a cosine: friction is written along y then. A step that began with
 * one of them keeps it until the normal is closer to it than SS_AXIS_LOST (8 degrees: one that
 * turns so far in a step is another contact); contacts with less of x than SS_AXIS_SURE (they would
 * have to turn by 34 degrees) are not asked. Motions do not depend on any of these.
 */
#define SS_X_NEARLY_NORMAL 0.9
#define SS_AXIS_LOST       0.99
#define SS_AXIS_SURE       0.5

/*
 * h^2 k W of a spring's pull across its line, up to which a step of first order leaves it to the
 * next one. Such steps are stable up to 4, of all springs of a body together. Ten times larger: no
 * room for several springs; ten times smaller: stiff springs take angular momentum where something
 * strikes.
 */
#define SS_ACROSS_LEFT 0.1

/*
 * Lengths of two steps that follow each other, one over the other, from which what closing a joint
 * takes is told to be a part of h^2: off by at most the square of this. Ten times smaller: a part
 * of a tenth of a step has a hundred times as much, which may be all of the load.
 */
#define SS_LATE_ALIKE 0.5

/*
 * Loads of a joint agree when they differ by this part: below what friction of the joint shows in
 * velocities, above the rounding of reactions. Ten times larger: one round fewer.
 */
#define SS_LOAD_AGREES 1e-11

/*
 * Load of a joint over what pushes its bodies, and over what would stop them within the step, that
 * is none: rounding of the reaction. Ten times larger: friction of so small a load is nothing
 * still.
 */
#define SS_LOAD_ROUNDING 1e-15

/* The rate of a joint's opening, as part of the velocities it was computed from, that solvers leave
   behind: ten times their target. Ten times larger: baumgarte damps later. */
#define SS_RATE_SURE 1e-11

/*
 * How far limits that an impact does not reach are from it, over the fastest that its energy could
 * make their rows. Solvers know velocities to 1e-12 of the largest. Ten times larger: limits that
 * are struck keep 1e-11 of the speed instead of 1e-12.
 */
#define SS_IMPACT_FASTER 10

/* Drift of a surface along a direction, as part of its speed, that is rounding of the direction: as
   much as a balance of forces takes for none (SS_DIRECTION_ROUNDING). Ten times larger: contacts
   that lean by 1e-14 rad stand upright; smaller: in a balance what leans by rounding slips. */
#define SS_DRIFT_ROUNDING (16 * DBL_EPSILON)

/* Time, as part of the step, next to a jump of a motor's speed at which it counts as being beyond
   it: times are rounded, and the side they fall on is not theirs. Ten times larger would do no
   harm. */
#define SS_MOTOR_EDGE 1e-7

/* Squares of what is left of a motor's row outside the rows of its joint: below this part of the
   whole the joint holds it already. Ten times larger: rows at 1e-5 rad to the held ones have no
   motor. */
#define SS_MOTOR_ALONG 1e-12

/* A point of a support that would have to pull by less than this part of the load is unloaded: that
   is rounding of an edge under the resultant. Ten times larger would do no harm. */
#define SS_SUPPORT_PULL 1e-12

/* A point of a support that slips by less than this part of the speed of the surface goes with it:
   ten times what solvers aim at. Ten times larger would do no harm; smaller, what a solver left of
   a slip is a step's only motion, and it is made of rounding. */
#define SS_SUPPORT_GOES 1e-11

#endif
