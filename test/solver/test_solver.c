/* SPDX-License-Identifier: Apache-2.0 */
/* The one door: no lies, no harm from guesses, no allocation after warm-up, no leaks on failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "counted.h"
#include "near.h"

#include "solver/lcp_cases.h"
#include "stickslip/solver.h"

/* Claims that zero solves everything. */
static ss_status lie(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    (void)s;
    for (int32_t i = 0; i < ss_problem_size(p); i++) {
        x->z[i] = 0;
    }
    x->outcome = SS_SOLVED;
    return SS_OK;
}

static void test_nobody_lies(void **state)
{
    (void)state;
    const ss_solver_class liar = {.name = "liar", .summary = "", .accepts = SS_LCP, .solve = lie};
    ss_context           *ctx  = ss_context_create(NULL);
    ss_solver            *s    = NULL;
    lcp_case              c    = {.n = 1, .M = {1}, .q = {-1}};
    ss_problem            p    = lcp_case_problem(&c);
    double                z;
    ss_solution           x = {.z = &z};
    assert_int_equal(ss_solver_create(ctx, &liar, &s), SS_OK);
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    assert_int_equal(x.outcome, SS_INACCURATE);
    assert_near(x.residual, 1, 0);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
}

/* Whatever the guess, the result is no worse than without one. */
static void test_bad_guesses(void **state)
{
    (void)state;
    const char *names[] = {"auto", "lemke", "pivot", "newton", "pgs"};
    ss_context *ctx     = ss_context_create(NULL);
    uint64_t    seed    = 9;
    for (int k = 0; k < 5; k++) {
        ss_solver *s = NULL;
        assert_int_equal(ss_solver_create_named(ctx, names[k], &s), SS_OK);
        for (int round = 0; round < 60; round++) {
            lcp_case    c;
            double      z[LCP_CASE_MAX];
            ss_solution x = {.z = z};
            lcp_case_definite(&c, &seed, 1 + round % 12);
            ss_problem p = lcp_case_problem(&c);
            assert_int_equal(ss_solve(s, &p, &x), SS_OK);
            ss_outcome cold = x.outcome;
            x.warm          = true;
            for (int32_t i = 0; i < c.n; i++) {
                double kind = lcp_case_uniform(&seed);
                z[i]        = kind < 0.3 ? 1e12 : kind < 0.5 ? -1e12 : kind < 0.6 ? NAN : kind;
            }
            assert_int_equal(ss_solve(s, &p, &x), SS_OK);
            assert_int_equal(cold, SS_SOLVED);
            assert_int_equal(x.outcome, SS_SOLVED);
            assert_true(x.warm);
        }
        ss_solver_destroy(s);
    }
    ss_context_destroy(ctx);
}

/* Solve some contact problems of one size with every solver that takes LCPs. */
static ss_status solve_some(ss_context *ctx, const char *name, ss_solver **s, int rounds)
{
    uint64_t seed = 4;
    if (*s == NULL) {
        SS_TRY(ss_solver_create_named(ctx, name, s));
    }
    for (int k = 0; k < rounds; k++) {
        lcp_case    c;
        double      z[LCP_CASE_MAX];
        ss_solution x = {.z = z};
        lcp_case_contacts(&c, &seed, 2, 4);
        ss_problem p = lcp_case_problem(&c);
        SS_TRY(ss_solve(*s, &p, &x));
        x.warm = true;
        SS_TRY(ss_solve(*s, &p, &x));
    }
    return SS_OK;
}

static void test_no_allocation_after_warm_up(void **state)
{
    (void)state;
    const char *names[] = {"auto", "lemke", "pivot", "newton", "enumerate", "pgs"};
    for (int k = 0; k < 6; k++) {
        counter     c   = {0};
        ss_context *ctx = counted_context(&c);
        ss_solver  *s   = NULL;
        assert_int_equal(solve_some(ctx, names[k], &s, 20), SS_OK);
        int64_t before = c.requests;
        assert_int_equal(solve_some(ctx, names[k], &s, 20), SS_OK);
        assert_int_equal(c.requests, before);
        ss_solver_destroy(s);
        ss_context_destroy(ctx);
        assert_int_equal(c.bytes, 0);
    }
}

/* The n-th allocation fails, for every n: an error, no leak, no crash. */
static void test_failing_allocations(void **state)
{
    (void)state;
    const char *names[] = {"auto", "lemke", "pivot", "newton", "enumerate", "pgs"};
    for (int k = 0; k < 6; k++) {
        bool refused = true;
        for (int64_t n = 1; refused; n++) {
            counter     c      = {.refuse = n};
            ss_context *ctx    = counted_context(&c);
            ss_solver  *s      = NULL;
            ss_status   status = ctx != NULL ? solve_some(ctx, names[k], &s, 3) : SS_ERR_MEMORY;
            refused            = was_refused(&c);
            assert_int_equal(status, refused ? SS_ERR_MEMORY : SS_OK);
            ss_solver_destroy(s);
            ss_context_destroy(ctx);
            assert_int_equal(c.bytes, 0);
            assert_true(n < 100);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_lies),
        cmocka_unit_test(test_bad_guesses),
        cmocka_unit_test(test_no_allocation_after_warm_up),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
