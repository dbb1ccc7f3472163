/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that want a second look, and proofs that weigh more than rounding. */
#ifndef SS_SOLVER_DOUBT_H
#define SS_SOLVER_DOUBT_H

#include <stdbool.h>

#include "stickslip/problem.h"

/* Doubles of scratch for each. */
size_t ss_doubt_work(const ss_problem *p);

/* Of an lcp or mlcp with rows w: is one missed by a fair part of its own data? */
bool ss_rows_are_doubtful(const ss_problem *p, const double *w);

/* .. and by more than rounding of its terms (NULL: none)? */
bool ss_rows_are_wrong(const ss_problem *p, const double *w, const double *terms);

/* The same of z, with rows in twice the working precision. */
bool ss_answer_is_wrong(const ss_problem *p, const double *z, double *work);

/* Of a cone problem: do terms of z outgrow data so far, or large data small ones, that a
   contradiction could be hidden there? */
bool ss_answer_is_doubtful(const ss_problem *p, const double *z, double *work);

/* y proves that there is no feasible point (farkas.c): does y.q weigh more than rounding of data?
 */
bool ss_proof_weighs(const ss_problem *p, const double *y, double *work);

#endif
