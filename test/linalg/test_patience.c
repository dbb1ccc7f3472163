/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factorisations that can take seconds end when there is no time left, and those that cannot be
 * interrupted are not begun; full matrices in sparse form get dense factors, with the same answer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "random.h"

enum { N = 700 };

/* Seconds that are left until it was asked so often, then none. */
typedef struct clock {
    int    asked, answers;
    double left;
} clock;

static double seconds(void *who)
{
    clock *c = who;
    return ++c->asked > c->answers ? 0 : c->left;
}

static double *random_matrix(void)
{
    double  *A    = malloc(sizeof(double) * N * N);
    uint64_t seed = 3;
    assert_non_null(A);
    for (int32_t k = 0; k < N * N; k++) {
        A[k] = random_between(&seed, -1, 1) + (k % (N + 1) == 0 ? 3 : 0);
    }
    return A;
}

static void dense_factors_end_in_between(void **state)
{
    (void)state;
    double     *A = random_matrix();
    int32_t     piv[N];
    clock       c        = {.answers = 3, .left = 1};
    ss_patience patience = {.seconds = seconds, .who = &c};
    assert_false(ss_dense_lu_within(N, A, N, piv, &patience));
    assert_true(patience.gave_up);
    assert_int_equal(c.asked, 4);
    free(A);
}

/* The whole matrix, or its tridiagonal part, in compressed columns. */
static int32_t compress(const double *A, bool whole, int32_t *colptr, int32_t *rowind,
                        double *values)
{
    int32_t k = 0;
    for (int32_t j = 0; j < N; j++) {
        colptr[j] = k;
        for (int32_t i = 0; i < N; i++) {
            if (whole || abs(i - j) <= 1) {
                rowind[k]   = i;
                values[k++] = A[(size_t)j * N + (size_t)i];
            }
        }
    }
    colptr[N] = k;
    return k;
}

/* |A x - b| of a factored matrix, relative to |b|; negative: there are no factors. */
static double solve(ss_context *ctx, const int32_t *colptr, const int32_t *rowind,
                    const double *values, ss_patience *patience)
{
    static double x[N], r[N];
    ss_sparse_lu  lu       = {0};
    bool          singular = false;
    double        worst    = -1;
    assert_int_equal(ss_sparse_lu_analyse(ctx, &lu, N, colptr, rowind), SS_OK);
    assert_int_equal(ss_sparse_lu_factor(ctx, &lu, colptr, rowind, values, patience, &singular),
                     SS_OK);
    for (int32_t i = 0; i < N; i++) {
        x[i] = r[i] = 1 + i % 7;
    }
    if (!singular) {
        worst = 0;
        ss_sparse_lu_solve(&lu, x);
        for (int32_t j = 0; j < N; j++) {
            for (int32_t e = colptr[j]; e < colptr[j + 1]; e++) {
                r[rowind[e]] -= values[e] * x[j];
            }
        }
        for (int32_t i = 0; i < N; i++) {
            worst = fmax(worst, fabs(r[i]));
        }
    }
    ss_sparse_lu_free(ctx, &lu);
    return worst;
}

static void sparse_factors_look_at_the_time(void **state)
{
    (void)state;
    if (!ss_sparse_lu_available()) {
        skip();
    }
    ss_context *ctx = ss_context_create(NULL);
    double     *A = random_matrix(), *values = malloc(sizeof(double) * N * N);
    int32_t    *rowind = malloc(sizeof(int32_t) * N * N), colptr[N + 1];
    assert_true(values != NULL && rowind != NULL);
    for (int whole = 0; whole < 2; whole++) {
        compress(A, whole, colptr, rowind, values);
        double error = solve(ctx, colptr, rowind, values, NULL);
        assert_true(error >= 0 && error < 1e-9);
        clock       much = {.answers = 1000, .left = 1}, none = {.left = 1};
        ss_patience enough = {.seconds = seconds, .who = &much};
        ss_patience over   = {.seconds = seconds, .who = &none};
        assert_true(solve(ctx, colptr, rowind, values, &enough) == error);
        assert_true(solve(ctx, colptr, rowind, values, &over) < 0);
        assert_true(over.gave_up && !enough.gave_up);
    }
    compress(A, false, colptr, rowind, values); /* some thousand products take longer than that */
    clock       little = {.answers = 1000, .left = 1e-9};
    ss_patience short_ = {.seconds = seconds, .who = &little};
    assert_true(solve(ctx, colptr, rowind, values, &short_) < 0);
    free(A);
    free(values);
    free(rowind);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dense_factors_end_in_between),
                                       cmocka_unit_test(sparse_factors_look_at_the_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
