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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_solutions_are_found),
        cmocka_unit_test(one_contact_has_closed_answers),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
