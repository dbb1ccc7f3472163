/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of n numbers. */
#ifndef SS_LINALG_VECTOR_H
#define SS_LINALG_VECTOR_H

#include <math.h>
#include <stdint.h>

static inline double ss_vector_dot(int32_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

static inline double ss_vector_norm(int32_t n, const double *x)
{
    return sqrt(ss_vector_dot(n, x, x));
}

/* y := y + factor x */
static inline void ss_vector_add(int32_t n, double *y, double factor, const double *x)
{
    for (int32_t i = 0; i < n; i++) {
        y[i] += factor * x[i];
    }
}

#endif
