/* SPDX-License-Identifier: Apache-2.0 */
/* An answer of an lcp or mlcp, confirmed in twice the working precision. */
#ifndef SS_SOLVER_CONFIRM_H
#define SS_SOLVER_CONFIRM_H

#include <stddef.h>

#include "core/arena.h"
#include "linalg/sparse.h"
#include "stickslip/problem.h"

/* Bytes of scratch. */
size_t ss_confirm_bytes(const ss_problem *p);

typedef enum ss_confirmation {
    SS_LEFT_OPEN,
    SS_RIGHT_TO_ROUNDING, /* near z every row is right to rounding of its terms               */
    SS_CONFIRMED_BY_DATA  /* .. to rounding of its data: there is a solution                  */
} ss_confirmation;

/* What is kept from one to the next: room, and factors. Zero-initialise before the first use. */
typedef struct ss_confirm_memory {
    ss_arena     arena;
    ss_sparse_lu lu;
} ss_confirm_memory;

typedef struct ss_answer {
    const double *z;    /* (n)                                                              */
    const double *size; /* (n) what rows without data are measured by (problem/residual.h)  */
    double        most; /* products after which no other set is looked at                   */
    ss_patience   patience;
} ss_answer;

/*
 * What the unknowns that are positive in z, or nearly so, can do. z stays as it is. room:
 * ss_confirm_bytes().
 */
ss_status ss_answer_confirmed(ss_context *ctx, const ss_problem *p, const ss_answer *x,
                              ss_confirm_memory *memory, void *room, double *products,
                              ss_confirmation *found);

void ss_confirm_free(ss_context *ctx, ss_confirm_memory *memory);

#endif
