/* SPDX-License-Identifier: Apache-2.0 */
/* admm: planted problems of every block kind, in both forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

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

/* Contacts on one body whose factorisation takes a fifth of a second: no time, no factors. */
static void a_limit_holds_within_factorisations(void **state)
{
    (void)state;
    enum { ROWS = 900 };
    ss_context *ctx = ss_context_create(NULL);
    double     *W = calloc((size_t)ROWS * ROWS, sizeof *W), *q = calloc(2 * ROWS, sizeof *q);
    ss_block   *b = calloc(ROWS / 3, sizeof *b);
    ss_solver  *admm;
    assert_true(W != NULL && q != NULL && b != NULL);
    for (int32_t j = 0; j < ROWS; j++) {
        for (int32_t i = 0; i < ROWS; i++) {
            W[(size_t)j * ROWS + (size_t)i] = cos(i) * cos(j) + sin(i) * sin(j) + (i == j);
        }
        q[j] = j % 3 == 0 ? -1 : 0.5;
    }
    for (int32_t k = 0; k < ROWS / 3; k++) {
        b[k] = (ss_block){SS_BLOCK_CONE, 3 * k, 3, 0.5, 0};
    }
    ss_matrix   A = {.rows = ROWS, .cols = ROWS, .dense = W, .ld = ROWS};
    ss_problem  p = {.type    = SS_CONE,
                     .as.cone = {.n = ROWS, .nblocks = ROWS / 3, .blocks = b, .q = q, .W = A}};
    ss_solution x = {.z = q + ROWS};
    assert_int_equal(ss_solver_create_named(ctx, "admm", &admm), SS_OK);
    ss_solver_common(admm)->time_limit = 1e-9;
    assert_int_equal(ss_solve(admm, &p, &x), SS_OK);
    assert_int_equal(x.outcome, SS_LIMIT);
    assert_int_equal(x.iterations, 0);
    ss_solver_destroy(admm);
    ss_context_destroy(ctx);
    free(W);
    free(q);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(planted_solutions_are_found),
                                       cmocka_unit_test(a_limit_holds_within_factorisations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
