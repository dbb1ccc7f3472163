/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every small number of the narrow phase: what it means, its unit, why it has this value, and what
 * ten times as much would do. "Size" is that of the smaller shape of a pair.
 */
#ifndef SS_COLLIDE_TOLERANCES_H
#define SS_COLLIDE_TOLERANCES_H

/*
 * A flat end or facet faces a direction when the cosine of the angle between its normal and that
 * direction is above this: about half a right angle, so that of a cylinder either an end or a line
 * of its side comes to lie on something, never both. A choice of kind, not a tolerance.
 */
#define SS_FACING 0.7

/*
 * The square of a normal that a plug-in gives may differ from 1 by this: rounding of what was made
 * unit is 1e-15, of what was not it is of order 1. Ten times as much would let gaps be wrong by as
 * much of their size.
 */
#define SS_UNIT_NORMAL 1e-9

/*
 * However far the reach, faces that meet at more than this sine do not lie on each other. Ten times
 * as much would be any angle: faces that only meet at an edge would share one branch.
 */
#define SS_FLAT_SINE 0.1

/*
 * Lengths below this part of the size are rounding, not geometry: coordinates carry 1e-16, poses
 * and searches some digits less. Ten times as much starts to merge features of parts that are made
 * to a micrometre in a metre.
 */
#define SS_LENGTH_ROUNDING 1e-9

/*
 * Sine below which two directions have no cross product worth having (its relative error is 1e-16
 * over the sine), and by which a normal may miss a face. Ten times as much: edges that cross at
 * 1e-8 give no contact of their own, the faces beside them do.
 */
#define SS_PARALLEL 1e-9

/*
 * Sine below which straight lines on curved surfaces (cylinders, capsules) lie along each other and
 * carry two contacts: wider than SS_PARALLEL, since over their length they part by less than the
 * gaps that a step leaves. Ten times as much: visible lines of contact at 1e-5 rad.
 */
#define SS_ALONG 1e-6

/*
 * Sine up to which lines lie nearly along each other (along.c): ends of theirs that are in reach
 * have contacts of their own. Where lines cross at a larger one, a turn moves the direction that
 * separates them by no more than twice as much, and the crossing says enough. A choice of kind.
 */
#define SS_ALONG_SINE 0.5

/* Of two faces that lie on each other, the one that looks up leads, unless it looks so little up.
 */
#define SS_LEVEL 1e-6

/* ---- the search for the direction that separates most (convex_pair.c, gjk.c) ---- */

/* GJK ends at this part of the distance: it only has to find the right features for Newton. */
#define SS_GJK_ACCURACY 1e-6

/*
 * Distance of shrunk copies, as a part of the size, that gives a direction: below, GJK's own error
 * has turned it. Ten times as much: thinner copies are tried more often, at the price of time.
 */
#define SS_COPIES_APART 1e-3

/*
 * A place whose radius of curvature is so many times the smaller shape is flat (flat_place.h), as
 * far as normals incline by the second number: places of contact are known to a thousandth of the
 * shape or worse there, and the surfaces leave the plane by 1e-7 of it at most. The first ten times
 * larger: balances of torques fail by the rounding of places; ten times smaller: what is curved
 * like the earth does not roll.
 */
#define SS_FLAT_RADIUS 500
#define SS_FLAT_TILT   1e-6

/*
 * Products that asking a shape for its furthest point in a direction is as long as: where that is a
 * search of its own (formulas, intersections), and where it is a line of arithmetic. Ten times
 * smaller: seconds of collision count as nothing; ten times larger: steps of a few such parts reach
 * the work that they may take.
 */
#define SS_WORK_ITERATED 5e3
#define SS_WORK_CLOSED   20

/* Step of the difference quotients in Newton's matrix: it sets the speed, not the accuracy. */
#define SS_NEWTON_DIFFERENCE 1e-6

/* Newton's residual, as a part of the size, that is rounding: a hundred times the last digit. */
#define SS_NEWTON_ROUNDING 1e-14

/* A residual of this many roundings still counts as converged, where curvature is all but zero. */
#define SS_NEWTON_LOOSE 1e4

/* A derivative of before is kept while a step by it leaves no more than this part of what is
   missing. Ten times larger: many steps that win little; smaller: derivatives that were not needed.
 */
#define SS_NEWTON_KEEPS 0.1

/* What misses no more than so many times the rounding, and does not get better by a derivative of
   before, is not worth another. */
#define SS_NEWTON_NEARLY 10

/* Gain in separation, as a part of the size, for which a step is taken though F grew. */
#define SS_NEWTON_GAIN 1e-9

/*
 * Overlaps of this part of the size are touches: a face with the other's nearest point over it is
 * then the answer without looking further. Ten times as much: shallow overlaps at edges may leave
 * by a face that is not the nearest.
 */
#define SS_TOUCHING 1e-7

/* A normal whose length is off by this much is not one: the result is refused. */
#define SS_UNIT_ERROR 1e-9

/* ---- features of solids (core.c, pair_plane.c) ---- */

/* A point above a surface by this part of the size is on it: rounding of the solid's own points. */
#define SS_ON_SOLID 1e-15

/*
 * Overlap with a piece of a polygon, as part of the smaller of the two, up to which a cut of it
 * tells how deep: more than steps may leave (a hundredth at the start). Ten times smaller: what a
 * step pushes into the bottom of a valley counts as deep as the far side of the piece below; ten
 * times larger would do no harm to anything but what is thinner than that.
 */
#define SS_CUT_SLAB 1e-2

#endif
