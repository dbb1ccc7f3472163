/* SPDX-License-Identifier: Apache-2.0 */
/* The certificate of lcp, mlcp and mcp: small on right answers, large on wrong ones, scale-free. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "solver/lcp_cases.h"

static double work[16 * LCP_CASE_MAX + LCP_CASE_MAX * LCP_CASE_MAX];

static double residual_of(const lcp_case *c, const double *z)
{
    ss_problem p = lcp_case_problem(c);
    return ss_residual(&p, z, NULL, work);
}

static void test_right_answers(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int k = 0; k < 200; k++) {
        lcp_case c;
        lcp_case_semidefinite(&c, &seed, 1 + k % 20, 0.3);
        assert_true(residual_of(&c, c.z) < 1e-14);
    }
}

/* Every planted solution, spoilt in one entry in every way, is found out. */
static void test_wrong_answers(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int k = 0; k < 200; k++) {
        lcp_case c;
        int32_t  n = 1 + k % 20, i;
        double   z[LCP_CASE_MAX];
        lcp_case_definite(&c, &seed, n);
        i = (int32_t)(lcp_case_next(&seed) % (uint64_t)n);
        memcpy(z, c.z, sizeof z);
        z[i] = c.z[i] > 0 ? c.z[i] * (1 + 1e-6) : 1e-6;
        assert_true(residual_of(&c, z) > 1e-9);
        z[i] = c.z[i] > 0 ? -c.z[i] : -1;
        assert_true(residual_of(&c, z) > 1e-3);
        z[i] = c.z[i] > 0 ? 0 : 1;
        assert_true(residual_of(&c, z) > 1e-3);
        z[i] = NAN;
        assert_true(isinf(residual_of(&c, z)));
        z[i] = INFINITY;
        assert_true(isinf(residual_of(&c, z)));
    }
}

static void test_zero_is_not_an_answer(void **state)
{
    (void)state;
    uint64_t seed               = 3;
    double   zero[LCP_CASE_MAX] = {0};
    for (int k = 0; k < 100; k++) {
        lcp_case c;
        lcp_case_definite(&c, &seed, 2 + k % 10);
        bool needed = false;
        for (int32_t i = 0; i < c.n; i++) {
            needed = needed || c.q[i] < 0;
        }
        assert_near(residual_of(&c, zero), needed ? 1 : 0, 0);
    }
}

/* The residual of a wrong answer is the same number in any units. */
static void test_units_do_not_matter(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int k = 0; k < 200; k++) {
        lcp_case c;
        lcp_case_semidefinite(&c, &seed, 2 + k % 15, 0.2);
        for (int32_t i = 0; i < c.n; i++) {
            c.z[i] *= 1 + 1e-4 * lcp_case_between(&seed, -1, 1);
        }
        double before = residual_of(&c, c.z);
        lcp_case_rescale(&c, &seed, 12);
        double after = residual_of(&c, c.z);
        assert_near(after, before, 1e-9 * before + 1e-14);
    }
}

/*
 * Friction of a contact that is not there: its rows hold nothing but rounding, which must not
 * count; the same row with real numbers in it must.
 */
static void test_rows_of_rounding(void **state)
{
    (void)state;
    /* z = (normal, friction, slip): a contact that opens, the friction row w_s = mu n - f */
    lcp_case c = {.n = 3, .M = {1, 0, 0.5, 0, 1, -1, 0, 1, 0}, .q = {2, 1, 0}};
    assert_near(residual_of(&c, (double[]){0, 0, 0}), 0, 0);
    assert_true(residual_of(&c, (double[]){0, 1e-17, 0}) < 1e-15);
    assert_true(residual_of(&c, (double[]){0, 1e-3, 0}) > 1e-4);
}

/* Terms so large that they swallow the data: no solution exists, and none must be seen. */
static void test_terms_that_cancel(void **state)
{
    (void)state;
    lcp_case c = {.n = 2, .M = {1, -1, -1, 1}, .q = {-1, -1}};
    for (double size = 1; size < 1e18; size *= 10) {
        assert_true(residual_of(&c, (double[]){size, size}) > 1e-3);
    }
}

/* The same beside a row whose data are far larger: it has no say in the first two. */
static void test_terms_that_cancel_beside_large_data(void **state)
{
    (void)state;
    for (double large = 1e2; large < 1e13; large *= 100) {
        lcp_case c = {.n = 3, .M = {1, -1, 0, -1, 1, 0, 0, 0, 1}, .q = {-1, -1, -large}};
        for (double size = 1; size < 1e18; size *= 10) {
            assert_true(residual_of(&c, (double[]){size, size, large}) > 1e-3);
        }
    }
}

/* No z >= 0 solves these; what was once called solved is z ~ 1e17 in a direction M does not see. */
static void test_rounding_is_no_solution(void **state)
{
    (void)state;
    const double  M[16] = {5, 1, -6, -4, 1, 2, 0, 1, -6, 0, 8, 6, -4, 1, 6, 5}, q[4] = {0, 1, 0, 2};
    unsigned char free[4] = {1, 0, 0, 0};
    ss_problem    p       = {.type = SS_MLCP};
    p.as.mlcp =
        (ss_mlcp){.n = 4, .M = {.rows = 4, .cols = 4, .dense = M, .ld = 4}, .q = q, .free = free};
    const double along[4] = {0.5, -0.5, -0.25, 1}; /* M along = (-3.5, 0, 0.5, 0.5) */
    for (double size = 1; size < 1e300; size *= 64) {
        double z[4];
        for (int i = 0; i < 4; i++) {
            z[i] = size * along[i];
        }
        assert_true(ss_residual(&p, z, NULL, work) > 1e-3);
    }
    lcp_case c = {
        .n = 1, .M = {1e200}, .q = {-1}}; /* overflows in the certificate: not an answer */
    assert_true(isinf(residual_of(&c, (double[]){1e200})));
}

/* A variable that appears in no row has no unit: any amount of it is wrong where w > 0. */
static void test_variable_without_a_row(void **state)
{
    (void)state;
    lcp_case c = {.n = 1, .M = {0}, .q = {1}};
    double   z = 5;
    assert_near(residual_of(&c, &z), 1, 0);
    z = 0;
    assert_near(residual_of(&c, &z), 0, 0);
}

static void test_sparse_is_dense(void **state)
{
    (void)state;
    uint64_t seed = 5;
    lcp_case c;
    int32_t  colptr[LCP_CASE_MAX + 1], rowind[LCP_CASE_MAX * LCP_CASE_MAX];
    lcp_case_contacts(&c, &seed, 4, 6);
    for (int32_t i = 0; i < c.n; i++) {
        c.z[i] = lcp_case_uniform(&seed);
    }
    for (int32_t j = 0; j <= c.n; j++) {
        colptr[j] = j * c.n;
        for (int32_t i = 0; i < c.n && j < c.n; i++) {
            rowind[j * c.n + i] = i;
        }
    }
    ss_problem p = lcp_case_problem(&c);
    p.as.lcp.M =
        (ss_matrix){.rows = c.n, .cols = c.n, .colptr = colptr, .rowind = rowind, .values = c.M};
    assert_near(ss_residual(&p, c.z, NULL, work), residual_of(&c, c.z), 0);
}

static void test_mlcp(void **state)
{
    (void)state;
    unsigned char free[2] = {1, 0};
    const double  M[4] = {2, 1, 1, 3}, q[2] = {4, 5}; /* z = (-2, 0), w = (0, 3) */
    ss_problem    p = {.type = SS_MLCP};
    p.as.mlcp =
        (ss_mlcp){.n = 2, .M = {.rows = 2, .cols = 2, .dense = M, .ld = 2}, .q = q, .free = free};
    assert_near(ss_residual(&p, (double[]){-2, 0}, NULL, work), 0, 0);
    assert_true(ss_residual(&p, (double[]){-2.001, 0}, NULL, work) > 1e-4);
    assert_true(ss_residual(&p, (double[]){0, 0}, NULL, work) > 0.9);
    assert_true(ss_residual(&p, (double[]){-2, 0.1}, NULL, work) > 1e-3);
    assert_true(isinf(ss_residual(&p, (double[]){NAN, 0}, NULL, work)));
}

/* F = (z0^2 - 4, z1 + z0), 0 <= z0 <= 10, -1 <= z1 <= 1: z = (2, -1), F1 = 1 > 0 at the bound. */
static int square(void *user, const double *z, double *value)
{
    value[0] = z[0] * z[0] - 4;
    value[1] = z[1] + z[0];
    return user != NULL;
}

static int square_jacobian(void *user, const double *z, double *values)
{
    values[0] = 2 * z[0];
    values[1] = 1;
    values[2] = 1;
    return user != NULL;
}

static void test_mcp(void **state)
{
    (void)state;
    const int32_t colptr[3] = {0, 2, 3}, rowind[3] = {0, 1, 1};
    const double  lower[2] = {0, -1}, upper[2] = {10, 1};
    ss_problem    p = {.type = SS_MCP};
    p.as.mcp        = (ss_mcp){2, lower, upper, square, square_jacobian, colptr, rowind, NULL};
    assert_near(ss_residual(&p, (double[]){2, -1}, NULL, work), 0, 0);
    assert_true(ss_residual(&p, (double[]){2.001, -1}, NULL, work) > 1e-4);
    assert_true(ss_residual(&p, (double[]){2, -0.5}, NULL, work) > 1e-2);
    assert_true(ss_residual(&p, (double[]){2, -1.5}, NULL, work) > 1e-2);
    assert_true(ss_residual(&p, (double[]){-2, -1}, NULL, work) > 1e-2);
    assert_true(isinf(ss_residual(&p, (double[]){NAN, -1}, NULL, work)));
    p.as.mcp.user = &p; /* outside the domain */
    assert_true(isinf(ss_residual(&p, (double[]){2, -1}, NULL, work)));
}

static void refused(ss_context *ctx, const ss_problem *p, const char *word)
{
    assert_int_equal(ss_problem_check(ctx, p), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(ctx), word));
}

static void test_malformed_problems(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    lcp_case    c   = {.n = 2, .M = {1, 0, 0, 1}, .q = {1, NAN}};
    ss_problem  p   = lcp_case_problem(&c);
    refused(ctx, &p, "q[1]");
    c.q[1] = 0;
    c.M[2] = INFINITY;
    refused(ctx, &p, "M(0,1)");
    c.M[2]        = 0;
    p.as.lcp.M.ld = 1;
    refused(ctx, &p, "leading dimension");
    p.as.lcp.M.ld   = 2;
    p.as.lcp.M.rows = 3;
    refused(ctx, &p, "3 x 2");
    const int32_t colptr[3] = {0, 2, 1}, rowind[2] = {1, 0};
    const double  values[2] = {1, 1};
    p.as.lcp.M =
        (ss_matrix){.rows = 2, .cols = 2, .colptr = colptr, .rowind = rowind, .values = values};
    refused(ctx, &p, "ascend");
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_answers),
        cmocka_unit_test(test_wrong_answers),
        cmocka_unit_test(test_zero_is_not_an_answer),
        cmocka_unit_test(test_units_do_not_matter),
        cmocka_unit_test(test_rows_of_rounding),
        cmocka_unit_test(test_terms_that_cancel),
        cmocka_unit_test(test_terms_that_cancel_beside_large_data),
        cmocka_unit_test(test_rounding_is_no_solution),
        cmocka_unit_test(test_variable_without_a_row),
        cmocka_unit_test(test_sparse_is_dense),
        cmocka_unit_test(test_mlcp),
        cmocka_unit_test(test_mcp),
        cmocka_unit_test(test_malformed_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
