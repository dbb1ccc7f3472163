/* SPDX-License-Identifier: Apache-2.0 */
/* An answer of an lcp or mlcp, confirmed in twice the working precision. */
#ifndef SS_SOLVER_CONFIRM_H
#define SS_SOLVER_CONFIRM_H

#include <stddef.h>

#include "stickslip/problem.h"

/* Bytes of scratch. */
size_t ss_confirm_bytes(const ss_problem *p);

typedef enum ss_confirmation {
    SS_LEFT_OPEN,
    SS_RIGHT_TO_ROUNDING, /* near z every row is right to rounding of its terms               */
    SS_CONFIRMED_BY_DATA  /* .. to rounding of its data: there is a solution                  */
} ss_confirmation;

/*
 * What the unknowns that are positive in z, or nearly so, can do. z stays as it is. size (n): what
 * rows without data are measured by (problem/residual.h).
 */
ss_confirmation ss_answer_confirmed(const ss_problem *p, const double *z, const double *size,
                                    void *memory, double *products);

#endif
