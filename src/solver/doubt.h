/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that want a second look, and proofs that weigh more than rounding. */
#ifndef SS_SOLVER_DOUBT_H
#define SS_SOLVER_DOUBT_H

#include <stdbool.h>

#include "problem/residual.h"
#include "stickslip/problem.h"

/* Doubles of scratch for each. */
size_t ss_doubt_work(const ss_problem *p);

/* An lcp or mlcp at z. */
typedef struct ss_rows {
    const double *z;
    const double *w;     /* its rows                                                          */
    const double *terms; /* sums of the sizes of their terms                                  */
    const double *size;  /* what rows without data are measured by (problem/residual.h)       */
} ss_rows;

/*
 * Is some row missed by more than a millionth of its own data, and by more than rounding of its
 * own terms? Rounded data: not those of rows with less than rounding of all others leaves of them.
 */
bool ss_rows_are_wrong(const ss_problem *p, const ss_rows *x, bool rounded);

/* Could one be, or could what it misses hide in rounding of its terms? */
bool ss_rows_are_doubtful(const ss_problem *p, const ss_rows *x, bool rounded);

/*
 * Of a cone problem at an answer: marks with 1 in y the rows of laws that could hide that there is
 * no solution, others with 0, and counts them. These are blocks in which terms outgrow data, or
 * which close by a fair part of the velocity that they have without reactions. y NULL: counts.
 */
int32_t ss_contacts_in_doubt(const ss_cone *p, const ss_cone_rows *x, bool rounded, double *y);

/*
 * Could some contact miss its law by more than ten times `part` of its data, as far as a residual
 * tells that measures it by its terms?
 */
bool ss_contacts_lose_data(const ss_cone *p, const ss_cone_rows *x, double residual, double part);

/*
 * Of a global form: do the terms of some momentum row outgrow its force a million times? `work` as
 * the residual leaves it.
 */
bool ss_momentum_in_doubt(const ss_cone *p, const double *work);

/* y proves that there is no feasible point (farkas.c): does y.q weigh more than rounding of data?
 */
bool ss_proof_weighs(const ss_problem *p, const double *y, bool rounded, double *work);

#endif
