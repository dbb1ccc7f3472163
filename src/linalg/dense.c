/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/dense.h"

#include <lapacke.h>
#include <math.h>
#include <stddef.h>

/* NOLINTNEXTLINE(misc-redundant-expression): it is not where LAPACK was built with 64 bits */
_Static_assert(sizeof(lapack_int) == sizeof(int32_t), "LAPACK must use 32-bit integers");

static void swap_rows(int32_t n, double *A, int32_t ld, int32_t a, int32_t b)
{
    for (int32_t j = 0; j < n; j++) {
        double *col = A + (size_t)j * (size_t)ld;
        double  t   = col[a];
        col[a]      = col[b];
        col[b]      = t;
    }
}

static int32_t largest_below(int32_t n, const double *col, int32_t k)
{
    int32_t best = k;
    for (int32_t i = k + 1; i < n; i++) {
        if (fabs(col[i]) > fabs(col[best])) {
            best = i;
        }
    }
    return best;
}

static bool small_lu(int32_t n, double *A, int32_t ld, int32_t *piv)
{
    for (int32_t k = 0; k < n; k++) {
        double *col = A + (size_t)k * (size_t)ld;
        piv[k]      = largest_below(n, col, k);
        if (!(fabs(col[piv[k]]) > 0)) {
            return false;
        }
        if (piv[k] != k) {
            swap_rows(n, A, ld, k, piv[k]);
        }
        double inverse = 1 / col[k];
        for (int32_t i = k + 1; i < n; i++) {
            col[i] *= inverse;
        }
        for (int32_t j = k + 1; j < n; j++) {
            double *right = A + (size_t)j * (size_t)ld;
            for (int32_t i = k + 1; i < n; i++) {
                right[i] -= col[i] * right[k];
            }
        }
    }
    return true;
}

bool ss_dense_lu(int32_t n, double *A, int32_t ld, int32_t *piv)
{
    if (n <= SS_DENSE_SMALL) {
        return small_lu(n, A, ld, piv);
    }
    lapack_int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, ld, piv);
    for (int32_t i = 0; i < n; i++) {
        piv[i]--;
    }
    return info == 0;
}

/* b := L^-1 P b, then U^-1 b, column by column so that every inner loop runs down a column. */
void ss_dense_lu_solve(int32_t n, const double *LU, int32_t ld, const int32_t *piv, double *b)
{
    for (int32_t k = 0; k < n; k++) {
        double t  = b[piv[k]];
        b[piv[k]] = b[k];
        b[k]      = t;
    }
    for (int32_t k = 0; k < n; k++) {
        const double *col = LU + (size_t)k * (size_t)ld;
        for (int32_t i = k + 1; b[k] != 0 && i < n; i++) {
            b[i] -= col[i] * b[k];
        }
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        const double *col = LU + (size_t)k * (size_t)ld;
        b[k] /= col[k];
        for (int32_t i = 0; b[k] != 0 && i < k; i++) {
            b[i] -= col[i] * b[k];
        }
    }
}

double ss_dense_lu_rcond(int32_t n, const double *LU, int32_t ld, double anorm, double *work,
                         int32_t *iwork)
{
    double rcond = 0;
    if (n == 0) {
        return 1;
    }
    LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', n, LU, ld, anorm, &rcond, work, iwork);
    return rcond;
}

static bool small_cholesky(int32_t n, double *A, int32_t ld)
{
    for (int32_t k = 0; k < n; k++) {
        double *col = A + (size_t)k * (size_t)ld;
        if (!(col[k] > 0)) {
            return false;
        }
        col[k]         = sqrt(col[k]);
        double inverse = 1 / col[k];
        for (int32_t i = k + 1; i < n; i++) {
            col[i] *= inverse;
        }
        for (int32_t j = k + 1; j < n; j++) {
            double *right = A + (size_t)j * (size_t)ld;
            for (int32_t i = j; i < n; i++) {
                right[i] -= col[i] * col[j];
            }
        }
    }
    return true;
}

bool ss_dense_cholesky(int32_t n, double *A, int32_t ld)
{
    if (n <= SS_DENSE_SMALL) {
        return small_cholesky(n, A, ld);
    }
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, ld) == 0;
}

void ss_dense_cholesky_solve(int32_t n, const double *L, int32_t ld, double *b)
{
    for (int32_t k = 0; k < n; k++) {
        const double *col = L + (size_t)k * (size_t)ld;
        b[k] /= col[k];
        for (int32_t i = k + 1; i < n; i++) {
            b[i] -= col[i] * b[k];
        }
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        const double *col = L + (size_t)k * (size_t)ld;
        double        sum = b[k];
        for (int32_t i = k + 1; i < n; i++) {
            sum -= col[i] * b[i];
        }
        b[k] = sum / col[k];
    }
}

double ss_dense_norm1(int32_t n, const double *A, int32_t ld)
{
    double norm = 0;
    for (int32_t j = 0; j < n; j++) {
        double sum = 0;
        for (int32_t i = 0; i < n; i++) {
            sum += fabs(A[(size_t)j * (size_t)ld + (size_t)i]);
        }
        norm = fmax(norm, sum);
    }
    return norm;
}
