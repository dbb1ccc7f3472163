/* SPDX-License-Identifier: Apache-2.0 */
/* Nonnegative least squares by its optimality conditions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/nnls.h"
#include "near.h"
#include "random.h"

enum { M_MAX = 8, N_MAX = 14 };

/* x >= 0, A'(b - A x) <= 0, and = 0 where x > 0: that is the minimum, the problem being convex. */
static void check_optimal(int32_t m, int32_t n, const double *A, const double *b, const double *x,
                          const double *left)
{
    for (int32_t i = 0; i < m; i++) {
        double sum = b[i];
        for (int32_t j = 0; j < n; j++) {
            sum -= A[i + j * m] * x[j];
        }
        assert_near(left[i], sum, 1e-12);
    }
    for (int32_t j = 0; j < n; j++) {
        double slope = 0;
        for (int32_t i = 0; i < m; i++) {
            slope += A[i + j * m] * left[i];
        }
        assert_true(x[j] >= 0);
        assert_true(slope <= 1e-11);
        assert_true(x[j] == 0 || slope >= -1e-11);
    }
}

static void random_problems(void **state)
{
    (void)state;
    uint64_t seed = 7;
    double   A[M_MAX * N_MAX], b[M_MAX], x[N_MAX], left[M_MAX], work[4 * M_MAX * M_MAX];
    int32_t  iwork[2 * N_MAX];
    assert_true(ss_nnls_work(M_MAX, N_MAX) <= sizeof work / sizeof work[0]);
    for (int trial = 0; trial < 4000; trial++) {
        int32_t m = 1 + trial % M_MAX, n = 1 + trial / 7 % N_MAX;
        for (int32_t k = 0; k < m * n; k++) {
            A[k] = random_between(&seed, -1, 1);
        }
        for (int32_t k = 0; k < m; k++) {
            b[k] = random_between(&seed, -1, 1);
        }
        if (trial % 3 == 0 && n > 1) { /* a column twice */
            memcpy(A + (n - 1) * m, A, (size_t)m * sizeof *A);
        }
        assert_true(ss_nnls(m, n, A, b, x, left, work, iwork));
        check_optimal(m, n, A, b, x, left);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_problems)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
