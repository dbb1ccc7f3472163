/* SPDX-License-Identifier: Apache-2.0 */
/* Lemke's method on problems whose answers are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"

#include <math.h>
#include <string.h>

#include "stickslip/solver.h"

typedef struct fixture {
    ss_context *ctx;
    ss_solver  *solver;
} fixture;

static int setup(void **state)
{
    static fixture f;
    f.ctx = ss_context_create(NULL);
    assert_non_null(f.ctx);
    assert_int_equal(ss_solver_create_named(f.ctx, "lemke", &f.solver), SS_OK);
    ss_solver_common(f.solver)->tol = 1e-14;
    *state                          = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    ss_solver_destroy(f->solver);
    ss_context_destroy(f->ctx);
    return 0;
}

static ss_outcome solve(void **state, int32_t n, const double *M, const double *q, double *z)
{
    fixture   *f = *state;
    ss_problem p = {.type = SS_LCP};
    p.as.lcp     = (ss_lcp){.n = n, .M = {.rows = n, .cols = n, .dense = M, .ld = n}, .q = q};
    assert_int_equal(ss_problem_check(f->ctx, &p), SS_OK);
    ss_solution x = {.z = z};
    assert_int_equal(ss_solve(f->solver, &p, &x), SS_OK);
    return x.outcome;
}

static void test_one_unknown(void **state)
{
    double z = -1;
    assert_int_equal(solve(state, 1, (double[]){2}, (double[]){-3}, &z), SS_SOLVED);
    assert_near(z, 1.5, 1e-15);
    assert_int_equal(solve(state, 1, (double[]){2}, (double[]){3}, &z), SS_SOLVED);
    assert_near(z, 0, 0);
    assert_int_equal(solve(state, 1, (double[]){-1}, (double[]){-3}, &z), SS_INFEASIBLE);
}

static void test_no_unknowns(void **state)
{
    double z = 0;
    assert_int_equal(solve(state, 0, &z, &z, &z), SS_SOLVED);
}

/* Murty's example, upper triangular with 2 above the diagonal: 2^n - 1 steps for bad rules. */
static void test_exponential_example(void **state)
{
    enum { N = 6 };
    double M[N * N] = {0}, q[N], z[N];
    for (int i = 0; i < N; i++) {
        q[i]         = -1;
        M[i * N + i] = 1;
        for (int j = i + 1; j < N; j++) {
            M[j * N + i] = 2;
        }
    }
    assert_int_equal(solve(state, N, M, q, z), SS_SOLVED);
    for (int i = 0; i < N; i++) {
        assert_near(z[i], i == N - 1 ? 1 : 0, 1e-14);
    }
}

/* A block pushed sideways on the ground, two directions of friction: it slides, or it sticks. */
static void test_sliding_block(void **state)
{
    /* z = (normal, +x, -x, slip speed); mass 1, mu 0.5, weight impulse 1, push p. */
    double M[16] = {1, 0, 0, 0.5, 0, 1, -1, -1, 0, -1, 1, -1, 0, 1, 1, 0};
    double z[4];
    assert_int_equal(solve(state, 4, M, (double[]){-1, 2, -2, 0}, z), SS_SOLVED);
    assert_near(z[0], 1, 1e-14);
    assert_near(z[2], 0.5, 1e-14);
    assert_near(z[3], 1.5, 1e-14);
    assert_int_equal(solve(state, 4, M, (double[]){-1, 0.25, -0.25, 0}, z), SS_SOLVED);
    assert_near(z[2] - z[1], 0.25, 1e-14);
    assert_near(z[3], 0, 1e-14);
}

/* Every row the same: all ratios tie, and only the lexicographic rule keeps the path finite. */
static void test_ties(void **state)
{
    enum { N = 8 };
    double M[N * N], q[N], z[N], sum = 0;
    for (int i = 0; i < N * N; i++) {
        M[i] = 1;
    }
    for (int i = 0; i < N; i++) {
        q[i] = -1;
    }
    assert_int_equal(solve(state, N, M, q, z), SS_SOLVED);
    for (int i = 0; i < N; i++) {
        sum += z[i];
    }
    assert_near(sum, 1, 1e-14);
}

/* z >= 0 with M z + q >= 0 does not exist, and the ray shows it. */
static void test_ray_with_certificate(void **state)
{
    double M[4] = {0, 0, 0, 0}, z[2];
    assert_int_equal(solve(state, 2, M, (double[]){1, -1}, z), SS_INFEASIBLE);
}

/* z >= 0 with M z + q >= 0 exists, yet no solution does: that a ray cannot show. */
static void test_ray_without_certificate(void **state)
{
    double M[4] = {0, 0, 1, 0}, z[2]; /* w = (z2 - 1, 1): z2 >= 1, but then z2 w2 > 0 */
    assert_int_equal(solve(state, 2, M, (double[]){-1, 1}, z), SS_RAY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_unknown, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_unknowns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_exponential_example, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sliding_block, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ties, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ray_with_certificate, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ray_without_certificate, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
