/* SPDX-License-Identifier: Apache-2.0 */
/* Of many shares of a load that answers of a dense cone problem have, the one of the rule
   (cone_set.h). */
#ifndef SS_SOLVER_CONE_SHARE_H
#define SS_SOLVER_CONE_SHARE_H

#include <stdbool.h>

#include "core/arena.h"
#include "stickslip/problem.h"

/* More than one block, and few rows. */
bool ss_cone_share_takes(const ss_cone *p);

typedef struct ss_shared {
    bool    found;    /* r is the share of the rule now; else it is as it was */
    int32_t steps;    /* of Newton's method,                                  */
    double  products; /* .. and what they took                                */
} ss_shared;

/* What r is: a guess of something that slides; an answer that took long, nearly one, or one to
   rounding. */
typedef enum ss_share_from {
    SS_SHARE_GUESS,
    SS_SHARE_FAR,
    SS_SHARE_NEAR,
    SS_SHARE_EXACT
} ss_share_from;

/*
 * Where contacts depend on each other r becomes the answer of the rule, if that has one near by;
 * where it is not exact yet, the exact one of contacts that do not. False: the arena is too small.
 */
bool ss_cone_share(const ss_cone *p, ss_arena *a, double *r, ss_share_from from, ss_shared *out);

#endif
