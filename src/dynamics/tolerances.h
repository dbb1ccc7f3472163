/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small numbers of the stages up to the contacts: what they mean, their unit, why they have these
 * values, and what ten times as much would do.
 */
#ifndef SS_DYNAMICS_TOLERANCES_H
#define SS_DYNAMICS_TOLERANCES_H

#include <float.h>

/*
 * What moves by less than this part of the scene's length in a step goes nowhere: what friction has
 * stopped goes on at the rounding of rounding, step by step, until reactions of 1e-60 stand beside
 * bounds of friction and squares of velocities vanish. A position would show it after 1e9 steps.
 * Ten times larger: after 1e8; ten times smaller: rounding of rounding is left in for one more
 * step.
 */
#define SS_NO_MOTION 1e-25

/*
 * A component of the force on a body, as a part of the sizes of all forces on it, that is their
 * rounding. Ten times larger: weights that hang askew by 1e-14 rad do not swing; ten times smaller:
 * what is left of forces that cancel has to be balanced by something.
 */
#define SS_FORCE_ROUNDING (4 * DBL_EPSILON)

/*
 * Overlap, as a part of the scene's smallest moving part, that is what rounding and solvers leave
 * of a touch: it stays as it is, since a velocity that closed it would lift what rests, and be
 * energy from nothing however slow it is. Deeper ones are moved apart in position. Ten times
 * larger: touches are known that much worse; ten times smaller: positions of stacks with large mass
 * ratios wander by what the correction leaves.
 */
#define SS_OVERLAP_ROUNDING 1e-8

/*
 * Overlap that a step made, as a part of the smaller body, that is moved apart at its end
 * (recover/shift_made.c); steps that make more are cut. Ten times larger: bodies that tumble at
 * coarse steps gain a hundredth of their energy by being lifted; ten times smaller: flat sides of
 * superellipsoids that pass over a surface cost three more halvings of their steps.
 */
#define SS_OVERLAP_MADE 1e-3

/*
 * The same in the smallest part of a step, which cannot be cut: a plate of 1 mm that comes off a
 * wall at a thousand turns a second turns by a tenth within h/1024. What is moved so far is judged
 * again, its energy too. Three times smaller: a ball of half a kilogram that presses a grain of a
 * milligram against a floor ends one run in four by name; three times larger would do no more.
 */
#define SS_OVERLAP_MADE_LAST 3e-2

/*
 * Part of the largest correction of an overlap to which the sweeps go on (recover/shift.c). Ten
 * times larger: bodies that are lifted begin to tilt; ten times smaller: sweeps for nothing.
 */
#define SS_SHIFT_SETTLED 1e-6

/*
 * Depth of an overlap on the way that is a passage, as a part of half the least width of the
 * thinner of two shapes. What passes right through is at least 1 deep at some time; the bound of
 * what linear rows leave is added. Ten times as much would let through what enters a plate and
 * leaves it on the same side; a tenth would ask about every pair that moves, and cut steps that
 * graze.
 */
#define SS_PASSAGE_DEPTH 0.1

/*
 * Gaps below this part of the smaller body touch, where parts of steps end at impacts; they
 * end with half of it. Ten times larger: impacts come that much of a body too early; ten times
 * smaller: nearer to what distances of curved shapes are known to.
 */
#define SS_EVENT_TOUCH 1e-9

/*
 * .. and in an impact what is apart by less than this part of the smaller body is struck at once.
 * Ten times larger: of two corners that land one after the other both do at once, at 1e-5 of a
 * body; ten times smaller: edges that land flat do so corner by corner, in an order that is chance.
 */
#define SS_IMPACT_AT_ONCE 1e-6

/* Gaps, slip and closing that are all rounding of what they were computed from, in units of it. */
#define SS_ROUNDING_FEW 4

/* Bend of the way of a driven body in a step, as part of that way, below which it goes evenly.
   Motions are integrated to 1e-15 of what they have reached; ten times larger: forces that are 1e-8
   of what would stop the body in the step are not told from none. */
#define SS_EVEN_PART 1e-9

/*
 * Touches (what rounding and solvers leave of a contact) up to which a contact hovers because of
 * what the others of its face are off by (faces.c): levers make one corner hover by what the
 * opposite ones overlap. Ten times larger: a leg that is short by 4e-7 of its table bears; at a
 * quarter of it: now and then a face that has landed stands on three corners.
 */
#define SS_FACE_HOVERS 4

/* What is left of a row beside those that make it, as a part of it: the root of what sharing counts
   as no pivot. Ten times larger: normals that differ by 1e-5 rad are one; smaller: still far from
   rounding. */
#define SS_FACE_DEPENDENT 1e-6

/*
 * Closing speed of a contact of bodies that touch elsewhere, over what forces make of it in the
 * whole step, above which the step ends a part there. What is left is off by this times h^2 a. Ten
 * times larger: ten times that; ten times smaller: what comes to rest is taken corner by corner.
 */
#define SS_LANDS_FAST 2.0

/* The same of bodies with joints, which hand impulses on: a link of a chain that is nearly straight
   lands with a hundred times its own mass. */
#define SS_LANDS_JOINTED 0.1

/* The same of pairs that are to land at their time (midpoint/late_impacts.c), where they touch
   elsewhere: what hands impulses on by levers and what does by links lands alike. */
#define SS_LANDS_HELD 0.1

/* Speed at which a limit of a joint is reached, over what forces and turning make of it in the
   whole step, above which the step ends a part there. What is left is off by this times h^2 a. Ten
   times larger: ten times that; ten times smaller: what leans on its stop is asked for its time. */
#define SS_STOPS_FAST 0.1

/* Speed at which a contact that bore a load opens, over what forces and turning make of it in the
   whole step, above which it leaves: it was struck, and its bodies may meet elsewhere next. Smooth
   steps leave a share of the step's forces; ten times larger: the second of two impacts within a
   step of e = 0.5 is not at its time. */
#define SS_LEAVES_FAST 1.0

/* Advancements after which a path counts as a passage: its step is cut, and the parts are shorter.
 */
#define SS_PASSAGE_MOST_ADVANCES 400

/*
 * The same on the way to a touch (advance: event), after which the gap is asked at so many equal
 * times instead. Bodies that fly towards each other take five; more of either: surfaces that pass
 * each other closely take longer, and shorter touches are seen before they overlap.
 */
#define SS_TOUCH_MOST_ADVANCES 24
#define SS_TOUCH_LOOKS         16

/*
 * Part of the way to a touch over which its closing speed is measured. Gaps are known to rounding,
 * 1e-16 of a place: ten times smaller would still be exact to 1e-9 of a size a step; ten times
 * larger is off by what turns meanwhile, where it is compared with forces of two steps.
 */
#define SS_GRAZE_BACK 1e-3

/* Steps of false position to a touch that was seen so; they take five. */
#define SS_TOUCH_MOST_STEPS 40

/*
 * Time from where an expression of t jumps or bends, as part of the scene's step, that is no time:
 * so near to the ends of a step nothing is looked for, and a motor is told there what it is told
 * within the step. Times of steps are sums, off by 1e-9 of a step after 1e5 of them. Ten times
 * larger: what jumps so near to the start of a step is off by ten times as much, 1e-3 of it at
 * most; ten times smaller: steps of long runs are cut next to their ends, to no time.
 */
#define SS_SWITCH_NEAR      1e-7
#define SS_SWITCH_ROUNDINGS 16 /* .. but at least so many roundings of the time */

/*
 * A jump of a velocity: mean velocities on either side of a time, over this part of the step, and
 * over this part of that, differ by as much but for this part, and by more than this part of the
 * scene's length over the step. Where accelerations jump alone an eighth is left. Times ten times
 * as long reach into what happens next to it; ten times shorter, the rounding of places is seen.
 */
#define SS_JUMP_WITHIN  (1.0 / 64)
#define SS_JUMP_SHORTER 0.125
#define SS_JUMP_LEFT    0.5
#define SS_JUMP_NOISE   1e-9

/*
 * Nearer to the depth of a passage than this part of half the least width is that deep: the search
 * ends in a few advancements. Ten times as much changes the time that is reported, by as little.
 */
#define SS_PASSAGE_NEAR 1e-6

/* Places at which the velocity of a driven body is looked at, as a part of the step. Of sixth
   order: ten times larger, and motions that change within some steps are seen wrong; ten times
   smaller, and rounding of places shows in the tenth digit. */
#define SS_DRIVEN_APART 0.125

#endif
