/* SPDX-License-Identifier: Apache-2.0 */
/* Minimising a function that is only known by its values. Only optimise_nlopt.c knows NLopt. */
#ifndef SS_STUDY_OPTIMISE_H
#define SS_STUDY_OPTIMISE_H

#include <stdbool.h>

#include "stickslip/base.h"

typedef struct ss_algorithm {
    const char *name, *doc;
    bool        takes_constraints;
} ss_algorithm;

extern const ss_algorithm ss_algorithms[]; /* ends with a NULL name */

typedef struct ss_optimise_def {
    int32_t       algorithm; /* place in ss_algorithms */
    int32_t       n, constraints;
    const double *low, *high, *start; /* (n) */
    int32_t       evaluations;        /* at most       */
    double        tolerance;          /* share of the range of every variable */
    uint64_t      seed;               /* of methods that draw numbers          */
    /* The objective and the constraints (g <= 0) at x; nonzero ends the search. */
    int (*evaluate)(void *user, const double *x, double *objective, double *g);
    void *user;
} ss_optimise_def;

/* Searches; what was found is what `evaluate` saw. */
ss_status ss_optimise(ss_context *ctx, const ss_optimise_def *def);

#endif
