/* SPDX-License-Identifier: Apache-2.0 */
/* Mean, median, share of the gross failures, and what chance does to a mean. */
#ifndef SS_VALIDATE_STATISTICS_H
#define SS_VALIDATE_STATISTICS_H

#include "pushing.h"

double mean_of(const double *x, int count);
double median_of(const double *x, int count);
/* 95 % of the means of 2000 samples drawn with replacement from x (seeded) lie in [low, high]. */
void bootstrap(const double *x, int count, double *low, double *high);

typedef struct push_score {
    int    count, gross; /* gross: off by more than the part moved */
    double mean_mm, median_mm, mean_deg, median_deg;
    double combined, low, high; /* mean of |dx| + rho |dth|, mm, with its 95 % interval */
    double share;               /* mean combined error over mean motion                 */
} push_score;

/* At most 10000 trials count. */
push_score score_of(const push_error *e, int count);

#endif
