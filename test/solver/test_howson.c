/* SPDX-License-Identifier: Apache-2.0 */
/* howson: random games of all sizes and units, rows in any order; and what is no game. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "random.h"
#include "stickslip/solver.h"

enum { MOST = 600 };

static double M[MOST * MOST], q[MOST], z[MOST];

/* n1 and n2 strategies, rows and columns shuffled and in odd units. */
static void make_game(uint64_t *seed, int32_t n1, int32_t n2)
{
    int32_t n = n1 + n2, at[MOST];
    for (int32_t i = 0; i < n; i++) {
        int32_t j = (int32_t)(random_bits(seed) % (uint64_t)(i + 1));
        at[i]     = at[j];
        at[j]     = i;
    }
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (int32_t i = 0; i < n; i++) {
        double unit = pow(10, random_between(seed, -3, 3));
        q[at[i]]    = -unit;
        for (int32_t j = 0; j < n; j++) {
            if ((i < n1) != (j < n1)) {
                M[at[j] * n + at[i]] = unit * random_between(seed, 0.1, 2);
            }
        }
    }
}

static ss_outcome solve(ss_context *ctx, const char *name, int32_t n)
{
    ss_solver *s;
    ss_problem p = {.type = SS_LCP};
    p.as.lcp     = (ss_lcp){n, {.rows = n, .cols = n, .dense = M, .ld = n}, q};
    assert_int_equal(ss_solver_create_named(ctx, name, &s), SS_OK);
    ss_solver_set(s, "tol", "1e-12");
    ss_solution x = {.z = z};
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    ss_solver_destroy(s);
    return x.outcome;
}

static void games_have_equilibria(void **state)
{
    (void)state;
    uint64_t    seed = 1;
    ss_context *ctx  = ss_context_create(NULL);
    for (int k = 0; k < 150; k++) {
        int32_t n1 = 1 + (int32_t)(random_bits(&seed) % 29), n2 = 1 + k % 30;
        make_game(&seed, n1, n2);
        assert_int_equal(solve(ctx, "howson", n1 + n2), SS_SOLVED);
        assert_int_equal(solve(ctx, "auto", n1 + n2), SS_SOLVED);
    }
    ss_context_destroy(ctx);
}

static void other_problems_are_not_its(void **state)
{
    (void)state;
    uint64_t    seed = 2;
    ss_context *ctx  = ss_context_create(NULL);
    make_game(&seed, 3, 4);
    M[0] = 1; /* a cost of one's own */
    assert_int_equal(solve(ctx, "howson", 7), SS_NOT_APPLICABLE);
    M[0] = 0;
    q[3] = 0;
    assert_int_equal(solve(ctx, "howson", 7), SS_NOT_APPLICABLE);
    ss_context_destroy(ctx);
}

/* A path that takes longer than a solve may is left on its way. */
static void paths_end_with_the_work_that_is_allowed(void **state)
{
    (void)state;
    uint64_t    seed = 3;
    ss_context *ctx  = ss_context_create(NULL);
    ss_solver  *s;
    ss_problem  p = {.type = SS_LCP};
    p.as.lcp      = (ss_lcp){MOST, {.rows = MOST, .cols = MOST, .dense = M, .ld = MOST}, q};
    make_game(&seed, MOST / 2, MOST / 2);
    assert_int_equal(ss_solver_create_named(ctx, "howson", &s), SS_OK);
    ss_solution x = {.z = z};
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    assert_int_equal(x.outcome, SS_SOLVED);
    double whole                    = x.work;
    ss_solver_common(s)->work_limit = 1;
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    assert_int_equal(x.outcome, SS_LIMIT);
    assert_true(x.work > 0 && x.work < 0.9 * whole);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_have_equilibria),
        cmocka_unit_test(other_problems_are_not_its),
        cmocka_unit_test(paths_end_with_the_work_that_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
