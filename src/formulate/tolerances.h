/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as nothing where problems are posed. */
#ifndef SS_FORMULATE_TOLERANCES_H
#define SS_FORMULATE_TOLERANCES_H

#include <float.h>

/*
 * Velocities of rows below this part of the fastest body of their island are rounding: each is a
 * sum of at most twelve products, of velocities that the last step left as differences of loads.
 * Ten times larger: what creeps 1e13 times more slowly than its neighbours move stands still; ten
 * times smaller: rounding is left in, and a certificate that weighs each contact by what is at
 * stake in it has nothing to weigh it by.
 */
static const double ss_velocity_rounding = 64 * DBL_EPSILON;

/*
 * Components of directions, and levers as parts of the body's size, that are rounding in a balance
 * of forces (global.c): each comes from a few operations on coordinates. Ten times larger: contacts
 * that lean by 1e-14 rad stand upright; ten times smaller: normals of curved shapes lean by
 * rounding.
 */
#define SS_DIRECTION_ROUNDING (16 * DBL_EPSILON)

/*
 * Pivots, of matrices with a unit diagonal, below which a row depends on others: squares of levers
 * over sizes. A gap of a thousandth of the body, which is how far the two points of a contact are
 * apart, is no lever to close gaps by. Ten times larger: real levers are not used, and contacts
 * creep; ten times smaller: bodies are to turn fast about levers that are errors (closing.c).
 */
#define SS_CLOSING_DEPENDENT 1e-6

/* A contact that slides this many times as fast as the gaps close bears all that closing needs.
   Ten times larger: rounding of the sliding ones shows in those that stick; smaller: they creep. */
#define SS_CLOSING_MOST_SLIP 1e3

/* A gap below this part of the smaller body, of a contact that bore no load yet, is rounding of
   where things start. Ten times larger: contacts count that are plainly open. */
#define SS_CLOSING_NEAR 1e-4

/*
 * Sliding that closing gaps may need, over the rate at which the gaps of loaded contacts close:
 * what levers make of it. Ten times larger: gaps that stay open could let a contact slide that
 * much; ten times smaller: grooves that are wide open are left to creep (rounds/reason_closing.c).
 */
#define SS_CLOSING_REACH 10

/*
 * The same from rows (closing_rows.c), for speeds of contacts in units of one: what a motion costs
 * by itself, so that levers below its root are no levers, and what an open gap costs. Ten times
 * larger or smaller, the one: as SS_CLOSING_DEPENDENT; the other: more passes, or more rounding.
 */
#define SS_CLOSING_MOTION 1e-7
#define SS_CLOSING_OPEN   1e4

/* Sliding below this part of what the least motion that closes the gaps has is none. Larger: some
   creep is left; smaller: what passes leave gets into steps where gaps close without sliding. */
#define SS_CLOSING_NONE 1e-6

/*
 * A pile whose bodies move, in the mean square by mass, by less than this part of what forces
 * change in a step is nearly at rest, and solved to SS_PILE_CLOSER of its motion error as far as
 * some sweeps take it. Ten times larger: piles that still settle pay for it; ten times smaller:
 * walls sway on.
 */
#define SS_PILE_QUIET 0.1

/*
 * .. slower than this part it stands: rounding leaves less, sweeps leave 1e-3. Ten times larger:
 * piles that creep are solved exactly in vain; smaller: what fell by a rounding of its gap does not
 * stand.
 */
#define SS_PILE_STANDS 1e-8

/* The motion error that is asked for then, or where energy grew, as a part of the one that was. */
#define SS_PILE_CLOSER 0.1

/* A row of joints with more than this part along a motion of impulses that changes nothing has no
   unique impulse. Ten times larger: rows that share little are called unique. */
#define SS_LOOSE_PART 1e-6

/* .. and a drive with more than this many times the root of the least pivot that counts has a part
   in the contradiction. Ten times larger: two motors against each other by levers of 1 : 1e4 are
   not named; ten times smaller: motors that turn a linkage through its change point are. */
#define SS_DRIVEN_PART 10

/*
 * Least pivots of held rows in the middle of a step, over that at its start, below which a change
 * point is within the step, next to its middle: squares of distances. Passes would take what they
 * are off by along the other branch times 3.5. Ten times larger: steps that end at the point are
 * not held; ten times smaller: passes that are led do not settle where motors are at their bound.
 */
#define SS_POINT_WITHIN 0.05

/* The same is asked of steps alone that begin next to the point, with a pivot below this. Ten times
   larger: chains that a coarse step straightens might lose a row. */
#define SS_POINT_NEXT 1e-5

/*
 * Outcomes of an impact whose velocities differ by less than this part of what it changes are one,
 * and of two whose changes differ by less the one that the solver found is taken. Solutions are
 * certified to 1e-9. Ten times larger: friction at one contact that bears a thousandth of what
 * another does is not seen.
 */
#define SS_OUTCOME_SAME 1e-5

#endif
