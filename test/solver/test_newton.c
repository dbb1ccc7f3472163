/* SPDX-License-Identifier: Apache-2.0 */
/* Nonlinear mixed complementarity problems from the literature, and the Jacobian checker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "stickslip/solver.h"

/* M. Kojima and S. Shindo 1986: solutions (sqrt(6)/2, 0, 0, 1/2) and (1, 0, 3, 0). */
static int kojima(void *user, const double *z, double *F)
{
    (void)user;
    F[0] = 3 * z[0] * z[0] + 2 * z[0] * z[1] + 2 * z[1] * z[1] + z[2] + 3 * z[3] - 6;
    F[1] = 2 * z[0] * z[0] + z[1] * z[1] + z[0] + 10 * z[2] + 2 * z[3] - 2;
    F[2] = 3 * z[0] * z[0] + z[0] * z[1] + 2 * z[1] * z[1] + 2 * z[2] + 9 * z[3] - 9;
    F[3] = z[0] * z[0] + 3 * z[1] * z[1] + 2 * z[2] + 3 * z[3] - 3;
    return 0;
}

static int kojima_jacobian(void *user, const double *z, double *J)
{
    const double wrong       = user != NULL ? 0.01 : 0;
    const double columns[16] = {6 * z[0] + 2 * z[1],
                                4 * z[0] + 1,
                                6 * z[0] + z[1],
                                2 * z[0],
                                2 * z[0] + 4 * z[1],
                                2 * z[1],
                                z[0] + 4 * z[1],
                                6 * z[1],
                                1,
                                10,
                                2 + wrong,
                                2,
                                3,
                                2,
                                9,
                                3};
    for (int k = 0; k < 16; k++) {
        J[k] = columns[k];
    }
    return 0;
}

static const int32_t colptr[5]  = {0, 4, 8, 12, 16};
static const int32_t rowind[16] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};

static ss_problem kojima_problem(void *user)
{
    static const double lower[4] = {0, 0, 0, 0};
    static const double upper[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    ss_problem          p        = {.type = SS_MCP};
    p.as.mcp = (ss_mcp){4, lower, upper, kojima, kojima_jacobian, colptr, rowind, user};
    return p;
}

static void test_kojima_shindo(void **state)
{
    (void)state;
    ss_context  *ctx          = ss_context_create(NULL);
    ss_solver   *s            = NULL;
    ss_problem   p            = kojima_problem(NULL);
    const double starts[5][4] = {
        {0, 0, 0, 0}, {1, 1, 1, 1}, {10, 10, 10, 10}, {1, 0, 1, 0}, {100, 0, 0, 100}};
    const char *functions[3] = {"both", "fb", "min"};
    assert_int_equal(ss_solver_create_named(ctx, "newton", &s), SS_OK);
    for (int k = 0; k < 15; k++) {
        double      z[4];
        ss_solution x = {.z = z, .warm = true};
        for (int i = 0; i < 4; i++) {
            z[i] = starts[k % 5][i];
        }
        assert_int_equal(ss_solver_set(s, "function", functions[k / 5]), SS_OK);
        assert_int_equal(ss_solve(s, &p, &x), SS_OK);
        assert_int_equal(x.outcome, SS_SOLVED);
        bool first  = fabs(z[0] - sqrt(6) / 2) < 1e-7 && fabs(z[3] - 0.5) < 1e-7;
        bool second = fabs(z[0] - 1) < 1e-7 && fabs(z[2] - 3) < 1e-7;
        assert_true(first || second);
    }
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
}

/* F(z) = exp(z) - 2 on [-1, 0.5]: the root ln 2 is outside, so z = 0.5 with F < 0. */
static int exponential(void *user, const double *z, double *F)
{
    (void)user;
    F[0] = exp(z[0]) - 2;
    return !(z[0] < 100);
}

static int exponential_jacobian(void *user, const double *z, double *J)
{
    (void)user;
    J[0] = exp(z[0]);
    return 0;
}

static void test_upper_bound(void **state)
{
    (void)state;
    const int32_t ptr[2] = {0, 1}, ind[1] = {0};
    double        lower = -1, upper = 0.5, z = 0;
    ss_context   *ctx = ss_context_create(NULL);
    ss_solver    *s   = NULL;
    ss_problem    p   = {.type = SS_MCP};
    p.as.mcp = (ss_mcp){1, &lower, &upper, exponential, exponential_jacobian, ptr, ind, NULL};
    assert_int_equal(ss_solver_create_named(ctx, "auto", &s), SS_OK);
    ss_solution x = {.z = &z};
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    assert_int_equal(x.outcome, SS_SOLVED);
    assert_float_equal(z, 0.5, 1e-12);
    upper = INFINITY;
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    assert_int_equal(x.outcome, SS_SOLVED);
    assert_float_equal(z, log(2), 1e-9);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
}

/* A free block of zeros, as quasistatics has it: M = [0 1; -1 0] with z_0 free. */
static void test_singular_free_block(void **state)
{
    (void)state;
    const unsigned char free[3] = {1, 0, 0};
    const double        M[9] = {0, -1, -1, 1, 0, 0, 1, 0, 0}, q[3] = {-2, 1, 3};
    double              z[3];
    ss_context         *ctx = ss_context_create(NULL);
    ss_solver          *s   = NULL;
    ss_problem          p   = {.type = SS_MLCP};
    p.as.mlcp =
        (ss_mlcp){.n = 3, .M = {.rows = 3, .cols = 3, .dense = M, .ld = 3}, .q = q, .free = free};
    assert_int_equal(ss_solver_create_named(ctx, "auto", &s), SS_OK);
    ss_solution x = {.z = z};
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    assert_int_equal(x.outcome, SS_SOLVED);
    assert_float_equal(z[0], 1, 1e-9); /* the smaller of 1 and 3 holds it */
    assert_float_equal(z[1], 2, 1e-9);
    assert_float_equal(z[2], 0, 1e-9);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
}

static void test_jacobian_checker(void **state)
{
    (void)state;
    ss_context  *ctx  = ss_context_create(NULL);
    ss_problem   good = kojima_problem(NULL), bad = kojima_problem(&good);
    const double z[4] = {0.7, 1.3, 0.2, 2};
    double       worst;
    int32_t      row, col;
    assert_int_equal(ss_mcp_check_jacobian(ctx, &good.as.mcp, z, &worst, &row, &col), SS_OK);
    assert_true(worst < 1e-7);
    assert_int_equal(ss_mcp_check_jacobian(ctx, &bad.as.mcp, z, &worst, &row, &col), SS_OK);
    assert_true(worst > 1e-3);
    assert_int_equal(row, 2);
    assert_int_equal(col, 2);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kojima_shindo),
        cmocka_unit_test(test_upper_bound),
        cmocka_unit_test(test_singular_free_block),
        cmocka_unit_test(test_jacobian_checker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
