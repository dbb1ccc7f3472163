/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dense kernels on column-major storage: panels of columns, the rest updated tile by tile. Every
 * entry is summed up in one order, whatever the processor: libraries choose theirs by its vectors
 * and caches, and so their last bits. All memory is the caller's.
 */
#ifndef SS_LINALG_DENSE_H
#define SS_LINALG_DENSE_H

#include <stdbool.h>
#include <stdint.h>

#include "linalg/patience.h"

/*
 * P A = L U with partial pivoting, in place (ld >= n), pivot rows into piv (n, 0-based). False when
 * a pivot column is exactly zero: A is singular and must not be used for solving.
 */
bool ss_dense_lu(int32_t n, double *A, int32_t ld, int32_t *piv);

/* The same, which asks for time now and then (NULL: never) and is false as well when it is over. */
bool ss_dense_lu_within(int32_t n, double *A, int32_t ld, int32_t *piv, ss_patience *patience);

/* The products of a factorisation. */
static inline double ss_dense_lu_products(int32_t n)
{
    return (double)n * n * n / 3;
}

/* b := A^-1 b from the factors of ss_dense_lu. */
void ss_dense_lu_solve(int32_t n, const double *LU, int32_t ld, const int32_t *piv, double *b);

/*
 * An estimate of 1 / (|A|_1 |A^-1|_1) from the factors of ss_dense_lu, given |A|_1. `work` holds
 * 3 n doubles.
 */
double ss_dense_lu_rcond(int32_t n, const double *LU, int32_t ld, const int32_t *piv, double anorm,
                         double *work);

/* A = L L' in the lower triangle, in place; false when A is not positive definite. */
bool ss_dense_cholesky(int32_t n, double *A, int32_t ld);

/* b := A^-1 b from the factor of ss_dense_cholesky. */
void ss_dense_cholesky_solve(int32_t n, const double *L, int32_t ld, double *b);

/*
 * c -= A row', where A has `rows` rows and `depth` columns and row is one row of a matrix with the
 * same leading dimension: what a column of a factorisation still lacks.
 */
void ss_dense_subtract_row_product(int32_t rows, int32_t depth, const double *A, const double *row,
                                   int32_t ld, double *c);

/* Largest absolute column sum of A (n x n). */
double ss_dense_norm1(int32_t n, const double *A, int32_t ld);

#endif
