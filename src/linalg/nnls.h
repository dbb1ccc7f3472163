/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares over nonnegative variables. Small and dense. */
#ifndef SS_LINALG_NNLS_H
#define SS_LINALG_NNLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * min |A x - b| over x >= 0, A (m x n) column-major with leading dimension m. `left` (m) becomes
 * b - A x, which at the solution has A'left <= 0, = 0 where x > 0. `work` holds ss_nnls_work(m, n)
 * doubles, `iwork` 2 n integers. False: the iterations ran out.
 */
bool ss_nnls(int32_t m, int32_t n, const double *A, const double *b, double *x, double *left,
             double *work, int32_t *iwork);
/* The same, given up (false) as soon as over(user) says so; it is asked before every column. */
bool ss_nnls_until(int32_t m, int32_t n, const double *A, const double *b, double *x, double *left,
                   double *work, int32_t *iwork, bool (*over)(void *user), void *user);
/* .. beginning with x as it is: what is positive in it mostly is so at the solution. */
bool   ss_nnls_from(int32_t m, int32_t n, const double *A, const double *b, double *x, double *left,
                    double *work, int32_t *iwork, bool (*over)(void *user), void *user);
size_t ss_nnls_work(int32_t m, int32_t n);

#endif
