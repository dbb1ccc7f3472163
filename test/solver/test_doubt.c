/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Problems without a solution whose contradiction is small beside other data: `auto` does not call
 * them solved, cold or from an answer that hides it; problems like them that have one are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "stickslip/solver.h"

static ss_outcome solve(const ss_problem *p, double guess)
{
    double      z[8] = {0};
    ss_solution x    = {.z = z, .warm = guess > 0};
    ss_context *ctx  = ss_context_create(NULL);
    ss_solver  *s;
    for (int32_t i = 0; i < ss_problem_size(p) && i < 2; i++) {
        z[i] = guess;
    }
    assert_int_equal(ss_solver_create_named(ctx, "auto", &s), SS_OK);
    assert_int_equal(ss_solve(s, p, &x), SS_OK);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
    return x.outcome;
}

/* Rows 1 and 2: z1 - z2 - first and z2 - z1 - second, with `in` of z3 in them; row 3 has large data
   and depends on z1 by c. */
static ss_outcome three_rows(double first, double second, double in, double c, double large,
                             bool mixed, double guess)
{
    double        M[9]    = {1, -1, c, -1, 1, in != 0 ? -c : 0, in, -in, 1};
    double        q[3]    = {-first, -second, -large};
    unsigned char free[3] = {0, 0, 1};
    ss_matrix     A       = {.rows = 3, .cols = 3, .dense = M, .ld = 3};
    ss_problem    lcp     = {.type = SS_LCP, .as.lcp = {.n = 3, .M = A, .q = q}};
    ss_problem    mlcp    = {.type = SS_MLCP, .as.mlcp = {.n = 3, .M = A, .q = q, .free = free}};
    return solve(mixed ? &mlcp : &lcp, guess);
}

static void small_contradictions_are_seen(void **state)
{
    (void)state;
    for (double large = 1e2; large < 1e9; large *= 10) {
        for (double c = 1; c > 1e-3; c /= 16) {
            for (int mixed = 0; mixed < 2; mixed++) {
                for (double guess = 0; guess<1e18; guess = guess> 0 ? guess * 1e6 : 1e6) {
                    assert_int_not_equal(three_rows(1, 1, 0, -c, large, mixed, guess), SS_SOLVED);
                    assert_int_not_equal(three_rows(1, 1, c, c, large, mixed, guess), SS_SOLVED);
                }
                /* the same rows with room between them */
                assert_int_equal(three_rows(1, -2, 0, -c, large, mixed, 0), SS_SOLVED);
                assert_int_equal(three_rows(1, -1, 0, -c, large, mixed, 0), SS_SOLVED);
            }
        }
    }
}

/* A body between two walls that close slowly, or do not, while it slides fast. */
static ss_outcome squeezed(double closing, double mu)
{
    double     W[16] = {1, 0, -1, 0, 0, 1, 0, -1, -1, 0, 1, 0, 0, -1, 0, 1};
    double     q[4]  = {-closing, 1, -closing, -1};
    ss_block   b[2]  = {{SS_BLOCK_CONE, 0, 2, mu, 0}, {SS_BLOCK_CONE, 2, 2, mu, 0}};
    ss_matrix  A     = {.rows = 4, .cols = 4, .dense = W, .ld = 4};
    ss_problem p     = {.type    = SS_CONE,
                        .as.cone = {.n = 4, .nblocks = 2, .blocks = b, .q = q, .W = A}};
    return solve(&p, 0);
}

static void slow_squeezes_are_seen(void **state)
{
    (void)state;
    for (double closing = 1e-9; closing < 1; closing *= 10) {
        assert_int_not_equal(squeezed(closing, 0), SS_SOLVED);
        assert_int_not_equal(squeezed(closing, 0.3), SS_SOLVED);
        assert_int_not_equal(squeezed(closing, 10), SS_SOLVED);
    }
    assert_int_equal(squeezed(0, 0.3), SS_SOLVED);
    assert_int_equal(squeezed(-1e-6, 0.3), SS_SOLVED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_contradictions_are_seen),
                                       cmocka_unit_test(slow_squeezes_are_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
