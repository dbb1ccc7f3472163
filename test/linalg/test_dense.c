/* SPDX-License-Identifier: Apache-2.0 */
/* Dense factorisations: residuals near rounding at every size, rank, condition, and one order of
 * additions: a matrix inside a larger one gives the same bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/rank.h"
#include "random.h"

enum { MOST = 140 };

static double A[MOST * MOST], F[MOST * MOST], x[MOST], b[MOST], work[4 * MOST];

static void fill(uint64_t *seed, int32_t n, double *M)
{
    for (int32_t i = 0; i < n * n; i++) {
        M[i] = random_between(seed, -1, 1);
    }
}

/* b = A x for a random x. */
static void right_side(uint64_t *seed, int32_t n)
{
    memset(b, 0, sizeof b);
    for (int32_t j = 0; j < n; j++) {
        x[j] = random_between(seed, -1, 1);
        for (int32_t i = 0; i < n; i++) {
            b[i] += A[j * n + i] * x[j];
        }
    }
}

static double miss(int32_t n, const double *y)
{
    double worst = 0;
    for (int32_t i = 0; i < n; i++) {
        double sum = -b[i], size = fabs(b[i]);
        for (int32_t j = 0; j < n; j++) {
            sum += A[j * n + i] * y[j];
            size += fabs(A[j * n + i] * y[j]);
        }
        worst = fmax(worst, fabs(sum) / size);
    }
    return worst;
}

static void lu_solves(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int32_t  piv[MOST];
    for (int32_t n = 1; n <= MOST; n += n < 70 ? 1 : 23) {
        fill(&seed, n, A);
        right_side(&seed, n);
        memcpy(F, A, sizeof F);
        assert_true(ss_dense_lu(n, F, n, piv));
        ss_dense_lu_solve(n, F, n, piv, b);
        memcpy(x, b, sizeof b);
        memset(b, 0, sizeof b);
        for (int32_t j = 0; j < n; j++) { /* A x against A (what was solved for) */
            for (int32_t i = 0; i < n; i++) {
                b[i] += A[j * n + i] * x[j];
            }
        }
        double y[MOST];
        memcpy(y, b, sizeof y);
        ss_dense_lu_solve(n, F, n, piv, y);
        assert_true(miss(n, y) < 1e-13 * n);
    }
}

static void cholesky_solves(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int32_t n = 1; n <= MOST; n += n < 70 ? 1 : 23) {
        fill(&seed, n, F);
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < n; j++) {
                A[j * n + i] = i == j ? 1 : 0;
                for (int32_t k = 0; k < n; k++) {
                    A[j * n + i] += F[k * n + i] * F[k * n + j];
                }
            }
        }
        right_side(&seed, n);
        memcpy(F, A, sizeof F);
        double above = n > 1 ? F[n] : 0;
        assert_true(ss_dense_cholesky(n, F, n));
        assert_true(n == 1 || F[n] == above); /* the upper triangle is not touched */
        double y[MOST];
        memcpy(y, b, sizeof y);
        ss_dense_cholesky_solve(n, F, n, y);
        assert_true(miss(n, y) < 1e-13);
        memcpy(F, A, sizeof F);
        F[(n - 1) * n + n - 1] = -1;
        assert_false(ss_dense_cholesky(n, F, n));
    }
}

static void condition_is_seen(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int32_t  piv[MOST];
    for (int32_t n = 2; n <= 60; n += 7) {
        for (double least = 1; least > 1e-14; least *= 1e-3) {
            /* A = D Q with Q = I - 2 u u', D = diag(1 .. 1, least): 1-norms differ by n at most */
            double square = 0;
            for (int32_t i = 0; i < n; i++) {
                x[i] = random_between(&seed, -1, 1);
                square += x[i] * x[i];
            }
            for (int32_t j = 0; j < n; j++) {
                for (int32_t i = 0; i < n; i++) {
                    double q     = (i == j) - 2 * x[i] * x[j] / square;
                    A[j * n + i] = (i == n - 1 ? least : 1) * q;
                }
            }
            double size = ss_dense_norm1(n, A, n);
            assert_true(ss_dense_lu(n, A, n, piv));
            double rcond = ss_dense_lu_rcond(n, A, n, piv, size, work);
            assert_true(rcond < least * n && rcond > least / (n * n));
        }
    }
    memset(A, 0, sizeof A);
    assert_false(ss_dense_lu(3, A, 3, piv));
}

static void rank_is_found(void **state)
{
    (void)state;
    uint64_t seed = 4;
    int32_t  perm[MOST];
    for (int32_t n = 1; n <= 90; n += 4) {
        int32_t rank = 1 + (int32_t)(random_bits(&seed) % (uint64_t)n);
        fill(&seed, n, F);
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < n; j++) {
                A[j * n + i] = 0;
                for (int32_t k = 0; k < rank; k++) {
                    A[j * n + i] += F[k * n + i] * F[k * n + j] / n;
                }
            }
        }
        memcpy(F, A, sizeof F);
        assert_int_equal(ss_dense_rank_cholesky(n, F, n, 1e-10, perm, work), rank);
        for (int32_t i = 0; i < n; i++) { /* P'A P = L L' */
            for (int32_t j = 0; j <= i; j++) {
                double sum = -A[perm[j] * n + perm[i]];
                for (int32_t k = 0; k < rank && k <= j; k++) {
                    sum += F[k * n + i] * F[k * n + j];
                }
                assert_true(fabs(sum) < 1e-9);
            }
        }
    }
}

/* The leading part of a factorisation does not know what comes after it, nor the padding. */
static void one_order_of_additions(void **state)
{
    (void)state;
    uint64_t seed = 5;
    fill(&seed, MOST, A);
    for (int32_t i = 0; i < MOST; i++) {
        A[i * MOST + i] += 40;
        for (int32_t j = 0; j < i; j++) {
            A[i * MOST + j] = A[j * MOST + i];
        }
    }
    memcpy(F, A, sizeof F);
    assert_true(ss_dense_cholesky(MOST, F, MOST));
    for (int32_t n = 1; n < MOST; n += 13) {
        static double part[MOST * MOST];
        for (int32_t j = 0; j < n; j++) {
            memcpy(part + j * n, A + j * MOST, (size_t)n * sizeof *part);
        }
        assert_true(ss_dense_cholesky(n, part, n));
        for (int32_t j = 0; j < n; j++) {
            assert_memory_equal(part + j * n + j, F + j * MOST + j, (size_t)(n - j) * sizeof *part);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lu_solves),
        cmocka_unit_test(cholesky_solves),
        cmocka_unit_test(condition_is_seen),
        cmocka_unit_test(rank_is_found),
        cmocka_unit_test(one_order_of_additions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
