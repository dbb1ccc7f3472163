/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares over nonnegative variables, and what can be built on it. Small and dense. */
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
bool   ss_nnls(int32_t m, int32_t n, const double *A, const double *b, double *x, double *left,
               double *work, int32_t *iwork);
size_t ss_nnls_work(int32_t m, int32_t n);

/*
 * Orthonormal basis Q (n x *rank, column-major, room for n columns) of the vectors handed to it one
 * by one: what is left of `x` (n, overwritten) outside the basis is added when its norm exceeds
 * `tol`. True when it was.
 */
bool ss_basis_add(int32_t n, double *Q, int32_t *rank, double *x, double tol);

/* Complete Q to a basis of the whole space: columns rank .. n - 1 become its complement. */
void ss_basis_complete(int32_t n, double *Q, int32_t rank);

#endif
