/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that want a second look, and proofs that weigh more than rounding. */
#ifndef SS_SOLVER_DOUBT_H
#define SS_SOLVER_DOUBT_H

#include <stdbool.h>

#include "stickslip/problem.h"

/* Doubles of scratch for both. */
size_t ss_doubt_work(const ss_problem *p);

/* Do terms of z outgrow data so far, or large data small ones, that a contradiction could be hidden
   there? Not of mcps. */
bool ss_answer_is_doubtful(const ss_problem *p, const double *z, double *work);

/* y proves that there is no feasible point (farkas.c): does y.q weigh more than rounding of data?
 */
bool ss_proof_weighs(const ss_problem *p, const double *y, double *work);

#endif
