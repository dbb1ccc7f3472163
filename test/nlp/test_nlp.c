/* SPDX-License-Identifier: Apache-2.0 */
/* Nonlinear programs with known solutions, smooth and with complementary variables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"
#include "nlp/nlp.h"
#include "stickslip/stickslip.h"

/* min (x - 1)^2 + (y - 2.5)^2 + c x y over x + y <= 3; c is the user's number. */
static int objective(void *user, const double *x, double *f)
{
    double c = *(double *)user;
    *f       = (x[0] - 1) * (x[0] - 1) + (x[1] - 2.5) * (x[1] - 2.5) + c * x[0] * x[1];
    return 0;
}

static int gradient(void *user, const double *x, double *df)
{
    double c = *(double *)user;
    df[0]    = 2 * (x[0] - 1) + c * x[1];
    df[1]    = 2 * (x[1] - 2.5) + c * x[0];
    return 0;
}

static int constraints(void *user, const double *x, double *g)
{
    (void)user;
    g[0] = x[0] + x[1];
    return 0;
}

static int jacobian(void *user, const double *x, double *values)
{
    (void)user, (void)x;
    values[0] = values[1] = 1;
    return 0;
}

static int hessian(void *user, const double *x, double factor, const double *lambda, double *values)
{
    (void)x, (void)lambda;
    values[0] = values[1] = 2 * factor;
    values[2]             = factor * *(double *)user;
    return 0;
}

static const double  low[] = {0, 0}, high[] = {10, 10}, g_low[] = {-INFINITY}, g_high[] = {3};
static const int32_t jrow[] = {0, 0}, jcol[] = {0, 1}, hrow[] = {0, 1, 1}, hcol[] = {0, 1, 0};
static const int32_t pairs[][2] = {{0, 1}};

static ss_nlp program(double *c)
{
    return (ss_nlp){.n              = 2,
                    .m              = 1,
                    .x_low          = low,
                    .x_high         = high,
                    .g_low          = g_low,
                    .g_high         = g_high,
                    .jacobian_count = 2,
                    .jacobian_row   = jrow,
                    .jacobian_col   = jcol,
                    .hessian_count  = 3,
                    .hessian_row    = hrow,
                    .hessian_col    = hcol,
                    .objective      = objective,
                    .gradient       = gradient,
                    .constraints    = constraints,
                    .jacobian       = jacobian,
                    .hessian        = hessian,
                    .user           = c};
}

static void smooth_programs_are_solved(void **unused)
{
    double        c = 0, x[2] = {0.3, 0.3};
    ss_context   *ctx = ss_context_create(NULL);
    ss_nlp        p   = program(&c);
    ss_nlp_result r;
    (void)unused;
    assert_int_equal(ss_nlp_solve(ctx, &p, NULL, x, &r), SS_OK);
    assert_int_equal(r.outcome, SS_SOLVED);
    assert_near(x[0], 0.75, 1e-8); /* the point of x + y = 3 nearest (1, 2.5) */
    assert_near(x[1], 2.25, 1e-8);
    p.hessian       = NULL;
    p.hessian_count = 0;
    assert_int_equal(ss_nlp_solve(ctx, &p, NULL, x, &r), SS_OK);
    assert_near(x[0], 0.75, 1e-6);
    ss_context_destroy(ctx);
}

/* With x _|_ y it is (0, 2.5), and exactly so. */
static void pairs_end_complementary(void **unused)
{
    double        c = 0, x[2] = {1, 1};
    ss_context   *ctx = ss_context_create(NULL);
    ss_nlp        p   = program(&c);
    ss_nlp_result r;
    (void)unused;
    p.pair_count = 1;
    p.pairs      = pairs;
    assert_int_equal(ss_nlp_solve(ctx, &p, NULL, x, &r), SS_OK);
    assert_int_equal(r.outcome, SS_SOLVED);
    assert_true(r.complementarity == 0);
    assert_near(x[0], 0, 0);
    assert_near(x[1], 2.5, 1e-8);
    assert_near(r.objective, 1, 1e-8);
    ss_context_destroy(ctx);
}

/* Nothing is both above 4 together and below 3. */
static void infeasible_ones_are_told(void **unused)
{
    static const double far[] = {2, 2};
    double              c = 0, x[2] = {2, 2};
    ss_context         *ctx = ss_context_create(NULL);
    ss_nlp              p   = program(&c);
    ss_nlp_result       r;
    (void)unused;
    p.x_low = far;
    assert_int_equal(ss_nlp_solve(ctx, &p, NULL, x, &r), SS_OK);
    assert_int_equal(r.outcome, SS_INFEASIBLE);
    assert_true(r.infeasibility > 0.1);
    ss_context_destroy(ctx);
}

static void interrupts_end_it(void **unused)
{
    double                c = 0, x[2] = {1, 1};
    volatile sig_atomic_t flag = 1;
    ss_context           *ctx  = ss_context_create(NULL);
    ss_nlp                p    = program(&c);
    ss_nlp_options        o    = {.interrupt = &flag};
    ss_nlp_result         r;
    (void)unused;
    assert_int_equal(ss_nlp_solve(ctx, &p, &o, x, &r), SS_ERR_INTERRUPTED);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_programs_are_solved),
        cmocka_unit_test(pairs_end_complementary),
        cmocka_unit_test(infeasible_ones_are_told),
        cmocka_unit_test(interrupts_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
