/* SPDX-License-Identifier: Apache-2.0 */
/*
 * P-matrix test by recursion (Tsatsomeros and Li 2000): A is a P-matrix exactly if a_11 > 0, and
 * both the matrix without its first row and column and the Schur complement of a_11 are P-matrices.
 */
#include <math.h>
#include <string.h>

#include "analysis/tolerances.h"
#include "stickslip/analysis.h"

enum { MOST = 24 };

/* Both halves of the recursion; `work` has room for all smaller matrices, one after another. */
static bool is_p(const double *A, int32_t n, const double *size, double *work)
{
    if (!(A[0] > SS_MATRIX_ROUNDING * size[0])) {
        return false;
    }
    if (n == 1) {
        return true;
    }
    int32_t k = n - 1;
    double *B = work;
    for (int32_t j = 0; j < k; j++) {
        memcpy(B + (ptrdiff_t)j * k, A + (ptrdiff_t)(j + 1) * n + 1, (size_t)k * sizeof *B);
    }
    if (!is_p(B, k, size + 1, work + (ptrdiff_t)k * k)) {
        return false;
    }
    for (int32_t j = 0; j < k; j++) {
        double factor = A[(ptrdiff_t)(j + 1) * n] / A[0];
        for (int32_t i = 0; i < k; i++) {
            B[i + (ptrdiff_t)j * k] = A[(i + 1) + (ptrdiff_t)(j + 1) * n] - A[i + 1] * factor;
        }
    }
    return is_p(B, k, size + 1, work + (ptrdiff_t)k * k);
}

ss_status ss_pmatrix(ss_context *ctx, const double *A, int32_t n, ss_answer *answer)
{
    *answer = n == 0 ? SS_YES : SS_UNDECIDED;
    if (n <= 0 || n > MOST) {
        return SS_OK;
    }
    double work[MOST + (MOST - 1) * MOST * (2 * MOST - 1) / 6]; /* smaller and smaller squares */
    (void)ctx;
    for (int32_t i = 0; i < n; i++) {
        work[i] = fabs(A[i + (ptrdiff_t)i * n]);
    }
    *answer = is_p(A, n, work, work + n) ? SS_YES : SS_NO;
    return SS_OK;
}
