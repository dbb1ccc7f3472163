/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dense kernels on column-major storage. Small matrices (up to SS_DENSE_SMALL rows) use our own
 * loops, which beat a library call there; larger ones go to LAPACK. All memory is the caller's.
 */
#ifndef SS_LINALG_DENSE_H
#define SS_LINALG_DENSE_H

#include <stdbool.h>
#include <stdint.h>

enum { SS_DENSE_SMALL = 32 };

/*
 * P A = L U with partial pivoting, in place (ld >= n), pivot rows into piv (n, 0-based). False when
 * a pivot column is exactly zero: A is singular and must not be used for solving.
 */
bool ss_dense_lu(int32_t n, double *A, int32_t ld, int32_t *piv);

/* b := A^-1 b from the factors of ss_dense_lu. */
void ss_dense_lu_solve(int32_t n, const double *LU, int32_t ld, const int32_t *piv, double *b);

/*
 * An estimate of 1 / (|A|_1 |A^-1|_1) from the factors of ss_dense_lu, given |A|_1. `work` holds
 * 4 n doubles, `iwork` n integers.
 */
double ss_dense_lu_rcond(int32_t n, const double *LU, int32_t ld, double anorm, double *work,
                         int32_t *iwork);

/* A = L L' in the lower triangle, in place; false when A is not positive definite. */
bool ss_dense_cholesky(int32_t n, double *A, int32_t ld);

/* b := A^-1 b from the factor of ss_dense_cholesky. */
void ss_dense_cholesky_solve(int32_t n, const double *L, int32_t ld, double *b);

/* Largest absolute column sum of A (n x n). */
double ss_dense_norm1(int32_t n, const double *A, int32_t ld);

#endif
