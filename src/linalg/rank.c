/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/rank.h"

#include <lapacke.h>
#include <math.h>
#include <stddef.h>

#include "linalg/dense.h"

static void swap(double *a, double *b)
{
    double t = *a;
    *a       = *b;
    *b       = t;
}

/* Rows and columns k and p of a symmetric matrix of which only the lower triangle is there. */
static void exchange(int32_t n, double *A, int32_t ld, int32_t k, int32_t p)
{
#define AT(i, j) A[(size_t)(j) * (size_t)ld + (size_t)(i)]
    for (int32_t j = 0; j < k; j++) {
        swap(&AT(k, j), &AT(p, j));
    }
    for (int32_t i = k + 1; i < p; i++) {
        swap(&AT(i, k), &AT(p, i));
    }
    for (int32_t i = p + 1; i < n; i++) {
        swap(&AT(i, k), &AT(i, p));
    }
    swap(&AT(k, k), &AT(p, p));
}

static int32_t largest_diagonal(int32_t n, const double *A, int32_t ld, int32_t k)
{
    int32_t best = k;
    for (int32_t i = k + 1; i < n; i++) {
        if (AT(i, i) > AT(best, best)) {
            best = i;
        }
    }
    return best;
}

static int32_t small_rank(int32_t n, double *A, int32_t ld, double tol, int32_t *perm)
{
    for (int32_t k = 0; k < n; k++) {
        perm[k] = k;
    }
    for (int32_t k = 0; k < n; k++) {
        int32_t p = largest_diagonal(n, A, ld, k);
        if (!(AT(p, p) > tol)) {
            return k;
        }
        if (p != k) {
            exchange(n, A, ld, k, p);
            int32_t t = perm[k];
            perm[k]   = perm[p];
            perm[p]   = t;
        }
        AT(k, k) = sqrt(AT(k, k));
        for (int32_t i = k + 1; i < n; i++) {
            AT(i, k) /= AT(k, k);
        }
        for (int32_t j = k + 1; j < n; j++) {
            for (int32_t i = j; i < n; i++) {
                AT(i, j) -= AT(i, k) * AT(j, k);
            }
        }
    }
    return n;
#undef AT
}

int32_t ss_dense_rank_cholesky(int32_t n, double *A, int32_t ld, double tol, int32_t *perm,
                               double *work)
{
    if (n <= SS_DENSE_SMALL) {
        return small_rank(n, A, ld, tol, perm);
    }
    lapack_int rank = 0;
    LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', n, A, ld, perm, &rank, tol, work);
    for (int32_t k = 0; k < n; k++) {
        perm[k]--;
    }
    return rank;
}
