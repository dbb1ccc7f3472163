/* SPDX-License-Identifier: Apache-2.0 */
/* admm: planted problems of every block kind, in both forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "solver/planted_cone.h"
#include "stickslip/solver.h"

/* W of full rank: the planted reactions are the only ones. */
static void planted_solutions_are_found(void **state)
{
    (void)state;
    ss_context *ctx  = ss_context_create(NULL);
    ss_solver  *admm = NULL;
    assert_non_null(ctx);
    assert_int_equal(ss_solver_create_named(ctx, "admm", &admm), SS_OK);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        planted p;
        planted_mixed(&p, seed, 60);
        double      r[PLANTED_ROWS] = {0}, s[PLANTED_ROWS] = {0}, v[PLANTED_DOFS];
        ss_problem  local = planted_local(&p), global = planted_global(&p);
        ss_solution x = {.z = r}, y = {.z = s, .v = v};
        assert_int_equal(ss_solve(admm, &local, &x), SS_OK);
        assert_int_equal(x.outcome, SS_SOLVED);
        assert_int_equal(ss_solve(admm, &global, &y), SS_OK);
        assert_int_equal(y.outcome, SS_SOLVED);
        for (int32_t i = 0; i < p.n; i++) {
            assert_true(fabs(r[i] - p.r[i]) < 1e-6);
            assert_true(fabs(s[i] - p.r[i]) < 1e-6);
        }
    }
    ss_solver_destroy(admm);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(planted_solutions_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
