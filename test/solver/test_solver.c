/* SPDX-License-Identifier: Apache-2.0 */
/* The one door: no lies, no harm from guesses, no allocation after warm-up, no leaks on failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"

#include "solver/lcp_cases.h"
#include "stickslip/solver.h"

/* An allocator that counts, and fails from a given call on. */
typedef struct counter {
    int64_t calls, live, fail_at; /* fail_at < 0: never */
} counter;

static void *counted(void *user, void *block, size_t old_size, size_t new_size)
{
    counter *c = user;
    (void)old_size;
    if (new_size == 0) {
        c->live -= block != NULL;
        free(block);
        return NULL;
    }
    if (c->fail_at >= 0 && c->calls >= c->fail_at) {
        return NULL;
    }
    c->calls++;
    c->live += block == NULL;
    return realloc(block, new_size);
}

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
        counter      c   = {.fail_at = -1};
        ss_allocator a   = {counted, &c};
        ss_context  *ctx = ss_context_create(&a);
        ss_solver   *s   = NULL;
        assert_int_equal(solve_some(ctx, names[k], &s, 20), SS_OK);
        int64_t before = c.calls;
        assert_int_equal(solve_some(ctx, names[k], &s, 20), SS_OK);
        assert_int_equal(c.calls, before);
        ss_solver_destroy(s);
        ss_context_destroy(ctx);
        assert_int_equal(c.live, 0);
    }
}

/* The n-th allocation fails, for every n: an error, no leak, no crash. */
static void test_failing_allocations(void **state)
{
    (void)state;
    const char *names[] = {"auto", "lemke", "pivot", "newton", "enumerate", "pgs"};
    for (int k = 0; k < 6; k++) {
        ss_status status = SS_ERR_MEMORY;
        for (int64_t n = 0; status != SS_OK; n++) {
            counter      c   = {.fail_at = n};
            ss_allocator a   = {counted, &c};
            ss_context  *ctx = ss_context_create(&a);
            ss_solver   *s   = NULL;
            status           = ctx != NULL ? solve_some(ctx, names[k], &s, 3) : SS_ERR_MEMORY;
            assert_true(status == SS_OK || status == SS_ERR_MEMORY);
            ss_solver_destroy(s);
            ss_context_destroy(ctx);
            assert_int_equal(c.live, 0);
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
