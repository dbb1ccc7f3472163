/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerances of analysis/: name, meaning, why this value, what if it were ten times larger.
 * Without units: relative to what is compared. */
#ifndef SS_ANALYSIS_TOLERANCES_H
#define SS_ANALYSIS_TOLERANCES_H

/* Wrenches that have less than this part outside those of joints are borne by them; a load that is
   left with less than the second is all borne. */
#define SS_BORNE_PART 1e-10
#define SS_BORNE_LOAD 1e-12

/* Copositivity, P matrices: entries below this, of matrices with a unit diagonal, are zero. Ten
   times larger: matrices on the border count as neither. */
#define SS_MATRIX_ROUNDING 1e-12

/* Rows of length 1 that have less than this part outside of others depend on them: rounding of rows
   that bodies far from the origin have. Ten times larger: contacts that are 1e-8 of a body apart
   count as one. */
#define SS_SHARES_RANK 1e-9

/* Motions, as part of what impulses make at all, that are none. Ten times larger: slips whose
   directions differ by less than 1e-6 rad count as parallel. */
#define SS_SHARES_SAME 1e-7

/* Ranges of forces narrower than this part of the load are single forces: what a linear program
 * leaves. */
#define SS_ONE_FORCE 1e-7

/* At rest, where a medium resists: slower than this part of what the load alone makes; where
   nothing does: moving in a step by less than this part of the scene's length. */
#define SS_HOLD_SLOW  1e-6
#define SS_HOLD_STILL 1e-9

/* A step without a solution is wedged where it would be with friction larger by this part: a body
   in a right angle with mu = 1 is, in exact arithmetic, and its reactions have no bound. Ten times
   larger: reactions of 1e5 times the load would be called unbounded. */
#define SS_WEDGED_NEARLY 1e-6

/* Entries of a linear program below this part of the largest of their row are left out. Ten times
   larger: levers of 1e-12 have no effect. */
#define SS_LP_ZERO 1e-13

/* Pointed cones: sums of forces below this, beside normal forces that add up to 1, are zero; a hull
   whose lowest point is above the second, relative, does not hold the origin. */
#define SS_ZERO_SUM         1e-10
#define SS_POINTED_ROUNDING 1e-14

#endif
