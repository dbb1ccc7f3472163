/* SPDX-License-Identifier: Apache-2.0 */
/* An answer of an lcp or mlcp, confirmed in twice the working precision. */
#ifndef SS_SOLVER_CONFIRM_H
#define SS_SOLVER_CONFIRM_H

#include <stdbool.h>
#include <stddef.h>

#include "stickslip/problem.h"

/* Bytes of scratch. */
size_t ss_confirm_bytes(const ss_problem *p);

/*
 * Is there a solution with the unknowns that are positive in z, or nearly so, every row of which is
 * right to rounding of its own data? False says nothing. z stays as it is.
 */
bool ss_answer_confirmed(const ss_problem *p, const double *z, void *memory, double *products);

#endif
