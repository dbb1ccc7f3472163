/* SPDX-License-Identifier: Apache-2.0 */
/* An answer of a cone problem, confirmed in twice the working precision. */
#ifndef SS_SOLVER_CONFIRM_CONE_H
#define SS_SOLVER_CONFIRM_CONE_H

#include <stdbool.h>
#include <stddef.h>

#include "problem/residual.h"
#include "solver/confirm.h"

/* An answer, what the certificate found at it, and how its data are to be taken. */
typedef struct ss_cone_answer {
    const double *r, *v;
    ss_cone_rows  rows;
    bool          rounded; /* data are rounded: ss_common.rounded                             */
    bool          sought;  /* nobody's answer: reactions that grew while it was looked for excuse
                              nothing of rows that depend on each other                      */
    double      part;      /* of their data that rows may miss as they are                      */
    double      most;      /* products after which it is refined no further; 0: not at all       */
    ss_patience patience;
} ss_cone_answer;

/* Bytes of scratch. */
size_t ss_confirm_cone_bytes(const ss_cone *p);

/*
 * What the contacts that act in an answer can do: SS_LEFT_OPEN where they miss a law by more than
 * `part` of their data and refinement finds nothing better. The answer stays as it is. room:
 * ss_confirm_cone_bytes().
 */
ss_status ss_contacts_confirmed(ss_context *ctx, const ss_cone *p, const ss_cone_answer *x,
                                ss_confirm_memory *memory, void *room, double *products,
                                ss_confirmation *found);

#endif
