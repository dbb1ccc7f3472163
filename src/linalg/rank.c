/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/rank.h"

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

static int32_t largest(int32_t n, const double *x, int32_t k)
{
    int32_t best = k;
    for (int32_t i = k + 1; i < n; i++) {
        best = x[i] > x[best] ? i : best;
    }
    return best;
}

/* Column by column: column k gets what those before it subtract only when its turn has come; the
   diagonal of what is left, from which pivots are chosen, is kept up to date in `left`. */
int32_t ss_dense_rank_cholesky(int32_t n, double *A, int32_t ld, double tol, int32_t *perm,
                               double *left)
{
    for (int32_t k = 0; k < n; k++) {
        perm[k] = k;
        left[k] = AT(k, k);
    }
    for (int32_t k = 0; k < n; k++) {
        int32_t p = largest(n, left, k);
        if (!(left[p] > tol)) {
            return k;
        }
        if (p != k) {
            int32_t t = perm[k];
            perm[k]   = perm[p];
            perm[p]   = t;
            exchange(n, A, ld, k, p);
            swap(&left[k], &left[p]);
        }
        AT(k, k) = sqrt(left[k]);
        ss_dense_subtract_row_product(n - k - 1, k, A + k + 1, A + k, ld, &AT(k + 1, k));
        for (int32_t i = k + 1; i < n; i++) {
            AT(i, k) /= AT(k, k);
            left[i] -= AT(i, k) * AT(i, k);
        }
    }
    return n;
}
