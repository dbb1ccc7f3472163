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
    double        part;    /* of their data that rows may miss as they are                      */
    int32_t       most;    /* unknowns, of reactions and velocities, up to which it is refined */
} ss_cone_answer;

/* Bytes of scratch. */
size_t ss_confirm_cone_bytes(const ss_cone *p, int32_t most);

/*
 * What the contacts that act in an answer can do: SS_LEFT_OPEN where they miss a law by more than
 * `part` of their data and refinement finds nothing better. The answer stays as it is.
 */
ss_confirmation ss_contacts_confirmed(const ss_cone *p, const ss_cone_answer *x, void *memory,
                                      double *products);

#endif
