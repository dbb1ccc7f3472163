/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares over blocks of residuals, each of which depends on few of the parameters. */
#ifndef SS_IDENTIFY_LEAST_SQUARES_H
#define SS_IDENTIFY_LEAST_SQUARES_H

#include <stdbool.h>

#include "stickslip/base.h"

/* min sum_k weight_k |r_k(x)|^2 over low <= x <= high. Everything is borrowed. */
typedef struct ss_squares {
    ss_context    *ctx;
    int32_t        n;
    const double  *low, *high; /* (n) */
    const double  *scale;      /* (n) sizes of changes that matter                     */
    const bool    *fixed;      /* (n) stay as they are; NULL: none                     */
    int32_t        blocks;
    const int32_t *rows;   /* (blocks)                                             */
    const double  *weight; /* (blocks) NULL: all 1                                 */
    bool (*uses)(void *user, int32_t block, int32_t parameter);
    /*
     * Jobs, each the residuals of one block at one point, side by side if it likes: ok[j] false
     * where there are none. A status other than SS_OK ends the search.
     */
    ss_status (*evaluate)(void *user, int32_t count, const int32_t *block, const double *const *x,
                          double *const *r, bool *ok);
    void   *user;
    int32_t iterations; /* at most                                                   */
    double  tolerance;  /* of the step, in scales                                    */
} ss_squares;

typedef struct ss_squares_result {
    double  cost; /* sum of weight |r|^2; INFINITY: no residuals at the start          */
    int32_t iterations;
    int64_t evaluations; /* of blocks                                                 */
    bool    converged;
} ss_squares_result;

/* From x (n), which becomes the best. A (n x n), if not NULL: J'J there, in scaled parameters, of
   all that are not fixed, those at a bound among them. */
ss_status ss_squares_minimise(const ss_squares *p, double *x, double *A, ss_squares_result *out);

/* Values spread over the bounds of a parameter that nothing depended on at x, where the cost is
 *cost: x moves to the best of them. */
ss_status ss_squares_elsewhere(const ss_squares *p, int32_t i, double *x, double *cost,
                               bool *moved);

/* The cost at x; INFINITY: some block has no residuals. */
ss_status ss_squares_cost(const ss_squares *p, const double *x, double *cost);

#endif
