/* SPDX-License-Identifier: Apache-2.0 */
/* What the solvers need of an ss_matrix, dense or sparse alike. */
#ifndef SS_LINALG_MATRIX_H
#define SS_LINALG_MATRIX_H

#include <string.h>

#include "stickslip/problem.h"

/* y += A x */
void ss_matrix_mul_add(const ss_matrix *A, const double *x, double *y);

/* y += A_j x: column j times a number */
void ss_matrix_add_column(const ss_matrix *A, int32_t j, double x, double *y);

/* y += A' x */
void ss_matrix_mul_transposed_add(const ss_matrix *A, const double *x, double *y);

/* y += A x and size += |A| |x|: the sums and the sizes of the terms that were added up in them. */
void ss_matrix_mul_add_sized(const ss_matrix *A, const double *x, double *y, double *size);

/* y += A x and y += A' x, with y = hi + lo in twice the working precision (core/twofold.h). */
void ss_matrix_mul_add_twofold(const ss_matrix *A, const double *x, double *hi, double *lo);
void ss_matrix_mul_transposed_add_twofold(const ss_matrix *A, const double *x, double *hi,
                                          double *lo);

/* max_k |A_kj| weight_k: the largest weighted entry of column j (weights >= 0). */
double ss_matrix_column_max(const ss_matrix *A, int32_t j, const double *weight);

/* The power of two next to 1 / sqrt(size), taken from its bits; 1 for zero. */
static inline double ss_balance(double size)
{
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    int64_t exponent = (int64_t)(bits >> 52 & 0x7ff) - 1022; /* size is below 2^exponent */
    bits             = (uint64_t)(1023 - exponent / 2) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return size > 0 ? scale : 1;
}

/*
 * Powers of two R (rows) and C (cols) that bring the sums of absolute values in every row and
 * column of diag(R) A diag(C) near 1 (Ruiz' equilibration). `work` holds rows + cols doubles.
 */
void ss_matrix_equilibrate(const ss_matrix *A, double *R, double *C, double *work);

/*
 * Powers of two R such that |R_i A_ij C_j| are near 1 on average, for some C: the least sum of
 * (log |A_ij| + log R_i + log C_j)^2 over all entries (Curtis, Reid 1972). Unlike an equilibrated
 * matrix this has one answer for rows that hang together, whatever units they come in. `work` holds
 * 2 rows + cols doubles.
 */
void ss_matrix_row_units(const ss_matrix *A, double *R, double *work);

/* Entries of column j, one by one: k from ss_column_begin() to below ss_column_end(). */
typedef struct ss_entry {
    int32_t row;
    double  value;
} ss_entry;

static inline int32_t ss_column_begin(const ss_matrix *A, int32_t j)
{
    return A->dense != NULL ? 0 : A->colptr[j];
}

static inline int32_t ss_column_end(const ss_matrix *A, int32_t j)
{
    return A->dense != NULL ? A->rows : A->colptr[j + 1];
}

static inline ss_entry ss_column_entry(const ss_matrix *A, int32_t j, int32_t k)
{
    return A->dense != NULL ? (ss_entry){k, A->dense[(size_t)j * (size_t)A->ld + (size_t)k]}
                            : (ss_entry){A->rowind[k], A->values[k]};
}

/* A_jj */
static inline double ss_matrix_diagonal(const ss_matrix *A, int32_t j)
{
    if (A->dense != NULL) {
        return A->dense[(size_t)j * (size_t)A->ld + (size_t)j];
    }
    for (int32_t k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
        if (A->rowind[k] == j) {
            return A->values[k];
        }
    }
    return 0;
}

/* The products of A x: its entries. */
static inline double ss_matrix_products(const ss_matrix *A)
{
    return A->dense != NULL ? (double)A->rows * A->cols : A->colptr[A->cols];
}

/* Copy into dense column-major storage with leading dimension ld >= rows. */
void ss_matrix_to_dense(const ss_matrix *A, double *dense, int32_t ld);

#endif
