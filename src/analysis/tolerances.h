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

/* Loads of which contacts leave less than this part are balanced. Ten times larger: slopes that are
   too steep by 1e-9 of a radian have no proof that they are. */
#define SS_BALANCED 1e-10

/* Edges of cones that do less than this against a motion of size 1 do nothing: what least squares
   leave. */
#define SS_WITNESS_ROUNDING 1e-13

/* A motion proves that nothing balances the load where rounding leaves only forces of this many
   times the load to do it. Ten times larger: loads that miss the cone by 1e-7 have no proof. */
#define SS_WITNESS_FORCES 1e6

#endif
