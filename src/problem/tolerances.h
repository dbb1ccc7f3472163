/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerances of problem/: how far a number may be trusted when an answer is judged. */
#ifndef SS_PROBLEM_TOLERANCES_H
#define SS_PROBLEM_TOLERANCES_H

#include <float.h>

/*
 * Terms this many times larger than the data of their row are *strained*: they cancel, and their
 * rounding may be what is left. No unit. Two decimal digits are what ordinary problems lose in a
 * sum (contacts that share a load). Ten times larger: an error of 1e-9 of the data could pass at a
 * tolerance of 1e-12. It also bounds the size a row is measured against, so a true answer whose
 * terms exceed its data 1e6 times still passes at 1e-12.
 */
#define SS_STRAIN 100.0

/*
 * What may be unknown, in units of the sum of the terms, in a sum of twice the working precision
 * (times its number of terms). Ten times larger: no visible effect; it only matters for terms
 * 1e20 times their data.
 */
#define SS_TWOFOLD_EPSILON (DBL_EPSILON * DBL_EPSILON)

/*
 * The same for a function of the user's, computed in working precision by a few operations. Ten
 * times larger: true answers of mcps with terms 1e4 times their data would be refused at 1e-10.
 */
#define SS_FUNCTION_EPSILON (4 * DBL_EPSILON)

/*
 * A row of no data at or below this part of its terms is rounding and needs no closer look. Ten
 * times larger: a look would be left out where the result is 1e-14, still far below tolerances.
 */
#define SS_ROW_ROUNDING (4 * DBL_EPSILON)

/*
 * The part of the data of a row of an mcp that rounding of its terms may hide, and that it may be
 * missed by. Ten times larger: contradictions of 1e-5 of a row's data could be called solved; ten
 * times smaller: answers whose terms are 1e8 times their data are called inaccurate.
 */
#define SS_DATA_KNOWN 1e-6

/* Data of rows of an mcp below this part of others are rounding of them: F is computed in working
   precision. Ten times larger: contradictions of 1e-11 of other data go unseen. */
#define SS_FUNCTION_DATA 1e-12

/*
 * F - J z at or below this part of its terms is what rounding leaves of nothing: the row has no
 * data. Ten times larger: data of 1e-14 of its row's terms would be overlooked.
 */
#define SS_NO_DATA (16 * DBL_EPSILON)

/*
 * Where the second part of the cone residual ends: a bound on it of this size is reported in its
 * place. Ten times larger: right answers would show 1e-14 in place of 1e-15.
 */
#define SS_CONE_ROUNDING 1e-15

/*
 * How much of its terms a sum may be off because the reactions in it are doubles: errors at or
 * below this part of the terms of a row (or, for a row with hardly any of its own, of what its
 * component makes of them) are rounding. Ten times larger: errors of 1e-14 of the terms would not
 * be seen.
 */
#define SS_REACTION_ROUNDING (4 * DBL_EPSILON)

/*
 * But never more than this part of the velocities of a component, however large its reactions: what
 * has no solution misses by a fair part of them. Ten times larger: a problem could be called solved
 * that misses its velocities by 1e-5. Ten times smaller: chains with mass ratios of 1e6 at a
 * tolerance of 1e-9 would be refused.
 */
#define SS_FORGIVEN 1e-6

/*
 * Residuals up to this need no look at whether they are rounding. Ten times larger: right answers
 * would show 1e-12 in place of 1e-15.
 */
#define SS_FINE 1e-13

/*
 * The part of the velocity that reactions must change by which a motion error is measured at least:
 * where hardly a force acts, impacts and drives set the scale. Ten times larger: an impact of
 * 10 m/s would excuse errors of 1 % of 1 m/s. Ten times smaller: impacts in a pile are asked for to
 * 1e-5 of their speed, which costs several hundred sweeps.
 */
#define SS_STRUCK_SHARE 1e-2

/* The same, where no reaction acts, of the velocities that relative ones are differences of: bodies
   that fly side by side, with no force and no impact, miss each other's laws by rounding of those.
   Ten times larger: a drift of 1e-8 m/s beside 10 m/s would be no error. Ten times smaller:
   rounding of 1e-16 would show as 1e-6. */
#define SS_FLIGHT_SHARE 1e-9

/* Motion errors up to this need no look at impacts: the scale could only grow. Ten times larger:
   right answers might be shown as 1e-5 in place of 1e-7. */
#define SS_MOTION_FINE 1e-6

/* Largest relative error of M v = H r + f at which momentum counts as right to rounding (a sum of
   up to a thousand terms). Ten times larger: bodies could gain 1e-10 of their momentum unseen. */
#define SS_MOMENTUM_ROUNDING 1e-11

/*
 * Step of central differences relative to the variable: the cube root of DBL_EPSILON, where
 * truncation and rounding are of one size. Ten times larger: a hundred times the truncation error.
 */
#define SS_DIFFERENCE_STEP 6.0554544523933395e-06

/* Pivots of a mass matrix or a free block below this part of its norm: it is singular. Ten times
   larger: bodies with inertias 1e13 apart are refused. */
#define SS_SINGULAR_PIVOT 1e-14

/* Pivots, of a matrix with a unit diagonal, below which an equality row depends on others. Ten
   times larger: joints of nearly redundant mechanisms lose a row; smaller: rounding is divided by.
 */
#define SS_EQUALITY_DEPENDENT 1e-12

/*
 * Least pivots of held rows below which reactions are refined in twice the working precision: what
 * they are divided by is known to some 1e-15 over the pivot. Ten times larger: refined where it
 * shows in no digit that counts; ten times smaller: errors of 1e-11 are left.
 */
#define SS_EQUALITY_WEAK 1e-3

/* Refinement ends where it changes reactions by less than this part. Ten times larger: errors of
   1e-13 in what small pivots determine. */
#define SS_EQUALITY_REFINED (64 * DBL_EPSILON)

/* Coordinates of a polygon's corners below this are zero: cos(pi/2) is no 6e-17. Ten times larger:
   the same for polygons of up to 256 corners. */
#define SS_CORNER_ZERO 1e-15

/* A friction force along a corner of the polygon has no part along the next: below this part of it
   it is rounding. Ten times larger: forces 1e-11 beside a corner are laid on it. */
#define SS_CORNER_PART 1e-12

/* Friction this part below its limit sticks. Ten times larger: a guess of slip is made where there
   is none, and corrected by the solver. */
#define SS_BELOW_LIMIT 1e-9

#endif
