/* SPDX-License-Identifier: Apache-2.0 */
/* Linear programs: min c'x, row_low <= A x <= row_high, low <= x <= high. Small and dense. */
#ifndef SS_ANALYSIS_LP_H
#define SS_ANALYSIS_LP_H

#include "stickslip/base.h"

typedef enum ss_lp_outcome {
    SS_LP_OPTIMAL,
    SS_LP_INFEASIBLE,
    SS_LP_UNBOUNDED,
    SS_LP_FAILED
} ss_lp_outcome;

typedef struct ss_lp ss_lp;

/* A: (rows x cols) column-major. SS_ERR_UNSUPPORTED when this build has no LP solver. */
ss_status ss_lp_create(ss_context *ctx, int32_t rows, int32_t cols, const double *A,
                       const double *row_low, const double *row_high, const double *low,
                       const double *high, ss_lp **out);
void      ss_lp_destroy(ss_lp *lp);

/* Minimise c'x; x (cols) may be NULL. May be called again with another c. */
ss_lp_outcome ss_lp_minimise(ss_lp *lp, const double *c, double *value, double *x);

#endif
