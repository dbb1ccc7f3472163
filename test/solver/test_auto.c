/* SPDX-License-Identifier: Apache-2.0 */
/* Which way the chain of `auto` goes: full matrices cost about as much as Lemke's method alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lcp_cases.h"
#include "stickslip/solver.h"

/* The certificate is the judge; gives what the solve counted. */
static double work_of(const char *name, const lcp_case *c)
{
    static double z[LCP_CASE_MAX];
    ss_problem    p   = lcp_case_problem(c);
    ss_solution   x   = {.z = z};
    ss_context   *ctx = ss_context_create(NULL);
    ss_solver    *s;
    assert_int_equal(ss_solver_create_named(ctx, name, &s), SS_OK);
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    assert_int_equal(x.outcome, SS_SOLVED);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
    return x.work;
}

static void full_matrices_cost_what_lemke_costs(void **state)
{
    (void)state;
    static lcp_case c;
    uint64_t        seed = 1;
    for (int k = 0; k < 20; k++) {
        lcp_case_p_matrix(&c, &seed, LCP_CASE_MAX);
        assert_true(work_of("auto", &c) <= 1.1 * work_of("lemke", &c));
        lcp_case_definite(&c, &seed, LCP_CASE_MAX);
        assert_true(work_of("auto", &c) <= 1.1 * work_of("lemke", &c));
    }
}

/* Bodies in a row touch their neighbours alone: nine entries in ten are zero. */
static void few_entries_go_to_principal_pivots(void **state)
{
    (void)state;
    static lcp_case c;
    c = (lcp_case){.n = LCP_CASE_MAX};
    for (int32_t i = 0; i < c.n; i++) {
        c.M[i * c.n + i] = 2;
        c.q[i]           = i % 3 == 0 ? 1 : -1;
        if (i > 0) {
            c.M[i * c.n + i - 1] = c.M[(i - 1) * c.n + i] = -1;
        }
    }
    assert_true(work_of("auto", &c) <= 1.1 * work_of("pivot", &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(full_matrices_cost_what_lemke_costs),
                                       cmocka_unit_test(few_entries_go_to_principal_pivots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
