/* SPDX-License-Identifier: Apache-2.0 */
/* nsgs: planted problems of every block kind, local and global, and contacts with closed answers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "solver/planted_cone.h"
#include "stickslip/solver.h"

static ss_context *ctx;
static ss_solver  *nsgs;

static int setup(void **state)
{
    (void)state;
    ctx = ss_context_create(NULL);
    return ctx == NULL || ss_solver_create_named(ctx, "nsgs", &nsgs) != SS_OK;
}

static int teardown(void **state)
{
    (void)state;
    ss_solver_destroy(nsgs);
    ss_context_destroy(ctx);
    return 0;
}

/* Where W has full rank and mu is small, the planted solution is the only one. */
static void planted_solutions_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        planted p;
        planted_mixed(&p, seed, 60);
        double      r[PLANTED_ROWS] = {0}, s[PLANTED_ROWS] = {0}, v[PLANTED_DOFS];
        ss_problem  local = planted_local(&p), global = planted_global(&p);
        ss_solution x = {.z = r}, y = {.z = s, .v = v};
        assert_int_equal(ss_solve(nsgs, &local, &x), SS_OK);
        assert_int_equal(x.outcome, SS_SOLVED);
        assert_int_equal(ss_solve(nsgs, &global, &y), SS_OK);
        assert_int_equal(y.outcome, SS_SOLVED);
        for (int32_t i = 0; i < p.n; i++) {
            assert_true(fabs(r[i] - s[i]) < 1e-6);
        }
    }
}

/* q = (qn, qt, qo), W = w I: answers in closed form. */
static void single(double w, double mu, const double q[3], const double expected[3])
{
    double      W[9]  = {w, 0, 0, 0, w, 0, 0, 0, w}, r[3];
    ss_block    block = {SS_BLOCK_CONE, 0, 3, mu, 0};
    ss_problem  p     = {.type = SS_CONE};
    ss_solution x     = {.z = r};
    p.as.cone         = (ss_cone){.n       = 3,
                                  .nblocks = 1,
                                  .blocks  = &block,
                                  .q       = q,
                                  .W       = {.rows = 3, .cols = 3, .dense = W, .ld = 3}};
    assert_int_equal(ss_solve(nsgs, &p, &x), SS_OK);
    assert_int_equal(x.outcome, SS_SOLVED);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(r[i] - expected[i]) <= 1e-15 * (fabs(expected[0]) + fabs(expected[i])));
    }
}

static void one_contact_has_closed_answers(void **state)
{
    (void)state;
    for (double w = 1e-9; w < 1e10; w *= 1e3) {
        single(w, 0.5, (double[]){1, 2, 3}, (double[]){0, 0, 0});
        single(w, 0.5, (double[]){-1, 0.3, -0.4}, (double[]){1 / w, -0.3 / w, 0.4 / w});
        single(w, 0.5, (double[]){-1, 3, -4}, (double[]){1 / w, -0.3 / w, 0.4 / w});
        single(w, 0, (double[]){-1, 3, -4}, (double[]){1 / w, 0, 0});
        single(w, 0.5, (double[]){0, 0, 0}, (double[]){0, 0, 0});
    }
}

/* Two stops that oppose each other and cannot both hold: sweeps go on until they are given up, and
   each of them counts what it takes beside its few products. */
static void sweeps_over_few_rows_count(void **state)
{
    double      W[4] = {1, -1, -1, 1}, q[2] = {-1, -1}, r[2] = {0, 0};
    ss_block    blocks[2] = {{SS_BLOCK_UNILATERAL, 0, 1, 0, 0}, {SS_BLOCK_UNILATERAL, 1, 1, 0, 0}};
    ss_problem  p         = {.type = SS_CONE};
    ss_solution x         = {.z = r};
    (void)state;
    p.as.cone = (ss_cone){.n       = 2,
                          .nblocks = 2,
                          .blocks  = blocks,
                          .q       = q,
                          .W       = {.rows = 2, .cols = 2, .dense = W, .ld = 2}};
    assert_int_equal(ss_solve(nsgs, &p, &x), SS_OK);
    assert_int_not_equal(x.outcome, SS_SOLVED);
    assert_true(x.iterations > 100);
    assert_true(x.work >= 100.0 * x.iterations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_solutions_are_found),
        cmocka_unit_test(one_contact_has_closed_answers),
        cmocka_unit_test(sweeps_over_few_rows_count),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
