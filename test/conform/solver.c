/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every solver owes its users, tried on every solver that the library lists, for every problem
 * type that it says it takes. The judge is ss_residual() on the problem as given, never the solver.
 * A solver that refuses a problem of its type here fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solver/lcp_cases.h"
#include "stickslip/solver.h"

static double work[64 * LCP_CASE_MAX];

/* Solve, check that the verdict is the judge's, and give the outcome. */
static ss_outcome certified(ss_context *ctx, const ss_solver_class *cls, const ss_problem *p,
                            double tol, double *z)
{
    ss_solver *s = NULL;
    assert_int_equal(ss_solver_create(ctx, cls, &s), SS_OK);
    ss_solver_common(s)->tol = tol;
    assert_int_equal(ss_problem_check(ctx, p), SS_OK);
    assert_true(ss_residual_work(p) <= sizeof work / sizeof work[0]);
    ss_solution x = {.z = z};
    for (int32_t i = 0; i < ss_problem_size(p); i++) {
        z[i] = NAN; /* a cold start must not look at it */
    }
    assert_int_equal(ss_solve(s, p, &x), SS_OK);
    if (x.outcome == SS_SOLVED) {
        assert_true(ss_residual(p, z, NULL, work) <= tol);
    }
    if (x.outcome == SS_INFEASIBLE) {
        assert_true((cls->traits & SS_TRAIT_PROVES) != 0);
    }
    ss_solver_destroy(s);
    return x.outcome;
}

static void must_solve(ss_context *ctx, const ss_solver_class *cls, const ss_problem *p,
                       const char *what, const double *expected)
{
    double     z[LCP_CASE_MAX];
    ss_outcome outcome = certified(ctx, cls, p, 1e-10, z);
    if ((cls->traits & SS_TRAIT_SPECIAL) != 0 && outcome == SS_NOT_APPLICABLE) {
        return; /* it has tests of its own */
    }
    if (outcome != SS_SOLVED) {
        fail_msg("%s on %s (%s): %s", cls->name, ss_problem_type_name(p->type), what,
                 ss_outcome_text(outcome));
    }
    for (int32_t i = 0; expected != NULL && i < ss_problem_size(p); i++) {
        assert_near(z[i], expected[i], 1e-7);
    }
}

static void must_not_solve(ss_context *ctx, const ss_solver_class *cls, const ss_problem *p,
                           const char *what)
{
    double     z[LCP_CASE_MAX];
    ss_outcome outcome = certified(ctx, cls, p, 1e-10, z);
    if (outcome == SS_SOLVED) {
        fail_msg("%s claims to have solved %s, which has no solution", cls->name, what);
    }
}

/* A diagonally dominant P matrix that is not symmetric: every method of every family converges. */
static void dominant(lcp_case *c, uint64_t *seed, int32_t n)
{
    memset(c, 0, sizeof *c);
    c->n = n;
    for (int32_t i = 0; i < n; i++) {
        double sum = 0;
        for (int32_t j = 0; j < n; j++) {
            c->M[j * n + i] = i == j ? 0 : lcp_case_between(seed, -1, 1);
            sum += fabs(c->M[j * n + i]);
        }
        c->M[i * n + i] = sum + 0.5;
    }
    lcp_case_solution(c, seed, 0.5, 0);
}

static void check_lcp(ss_context *ctx, const ss_solver_class *cls)
{
    uint64_t seed = 20;
    for (int32_t n = 1; n <= 12; n++) {
        lcp_case   c;
        ss_problem p;
        lcp_case_definite(&c, &seed, n);
        p = lcp_case_problem(&c);
        must_solve(ctx, cls, &p, "positive definite", c.z);
        lcp_case_solution(&c, &seed, 0.4, 0.5);
        must_solve(ctx, cls, &p, "degenerate", c.z);
        dominant(&c, &seed, n);
        must_solve(ctx, cls, &p, "P matrix, not symmetric", c.z);
        for (int32_t i = 0; i < n; i++) {
            c.q[i] = fabs(c.q[i]);
        }
        must_solve(ctx, cls, &p, "solved by zero", NULL);
        memset(c.q, 0, sizeof c.q);
        must_solve(ctx, cls, &p, "all zero", NULL);
    }
}

static void check_lcp_unsolvable(ss_context *ctx, const ss_solver_class *cls)
{
    /* no z >= 0 with w >= 0; and one such z, but no complementary one */
    lcp_case   a = {.n = 2, .M = {1, -1, -1, 1}, .q = {-1, -1}};
    lcp_case   b = {.n = 2, .M = {0, 0, 1, 0}, .q = {-1, 1}};
    ss_problem p = lcp_case_problem(&a), q = lcp_case_problem(&b);
    must_not_solve(ctx, cls, &p, "an infeasible lcp");
    must_not_solve(ctx, cls, &q, "a feasible lcp");
}

static void check_mlcp(ss_context *ctx, const ss_solver_class *cls)
{
    uint64_t seed = 7;
    for (int32_t n = 1; n <= 12; n++) {
        lcp_case      c;
        unsigned char free[LCP_CASE_MAX];
        lcp_case_definite(&c, &seed, n);
        for (int32_t i = 0; i < n; i++) {
            free[i] = i % 3 == 0;
            c.z[i]  = free[i] ? lcp_case_between(&seed, -1, 1) : c.z[i];
        }
        for (int32_t i = 0; i < n; i++) {
            double w = free[i] || c.z[i] > 0 ? 0 : 1, sum = 0;
            for (int32_t j = 0; j < n; j++) {
                sum += c.M[j * n + i] * c.z[j];
            }
            c.q[i] = w - sum;
        }
        ss_problem p = {.type = SS_MLCP};
        p.as.mlcp    = (ss_mlcp){
               .n = n, .M = {.rows = n, .cols = n, .dense = c.M, .ld = n}, .q = c.q, .free = free};
        must_solve(ctx, cls, &p, "positive definite", c.z);
    }
}

typedef struct affine {
    int32_t       n;
    const double *M, *q;
} affine;

static int affine_function(void *user, const double *z, double *value)
{
    const affine *a = user;
    for (int32_t i = 0; i < a->n; i++) {
        value[i] = a->q[i];
        for (int32_t j = 0; j < a->n; j++) {
            value[i] += a->M[j * a->n + i] * z[j];
        }
    }
    return 0;
}

static int affine_jacobian(void *user, const double *z, double *values)
{
    const affine *a = user;
    (void)z;
    memcpy(values, a->M, (size_t)(a->n * a->n) * sizeof *values);
    return 0;
}

/* A box around a planted solution: some unknowns at the lower, some at the upper bound. */
static void check_mcp(ss_context *ctx, const ss_solver_class *cls)
{
    uint64_t seed = 3;
    for (int32_t n = 1; n <= 12; n++) {
        lcp_case c;
        double   lower[12], upper[12];
        int32_t  colptr[13], rowind[144];
        lcp_case_definite(&c, &seed, n);
        for (int32_t i = 0; i < n; i++) {
            int kind = i % 3;
            c.z[i]   = lcp_case_between(&seed, -1, 1);
            lower[i] = kind == 0 ? c.z[i] : c.z[i] - 1;
            upper[i] = kind == 1 ? c.z[i] : kind == 0 ? INFINITY : c.z[i] + 1;
        }
        for (int32_t i = 0; i < n; i++) {
            double F = i % 3 == 0 ? 1 : i % 3 == 1 ? -1 : 0, sum = 0;
            for (int32_t j = 0; j < n; j++) {
                sum += c.M[j * n + i] * c.z[j];
                rowind[i * n + j] = j;
            }
            c.q[i]    = F - sum;
            colptr[i] = i * n;
        }
        colptr[n]    = n * n;
        affine     a = {n, c.M, c.q};
        ss_problem p = {.type = SS_MCP};
        p.as.mcp = (ss_mcp){n, lower, upper, affine_function, affine_jacobian, colptr, rowind, &a};
        must_solve(ctx, cls, &p, "a box around the solution", c.z);
    }
}

/* Two contacts in space, one sticking and one sliding, and a W of full rank. */
static void check_cone(ss_context *ctx, const ss_solver_class *cls)
{
    enum { N = 6 };
    uint64_t       seed      = 11;
    const ss_block blocks[2] = {{SS_BLOCK_CONE, 0, 3, 0.5, 0}, {SS_BLOCK_CONE, 3, 3, 0.5, 0}};
    const double   r[N] = {2, 0.3, -0.2, 1, 0.4, -0.3}, u[N] = {0, 0, 0, 0, -0.8, 0.6};
    for (int round = 0; round < 10; round++) {
        lcp_case c;
        lcp_case_definite(&c, &seed, N);
        for (int32_t i = 0; i < N; i++) {
            c.q[i] = u[i];
            for (int32_t j = 0; j < N; j++) {
                c.q[i] -= c.M[j * N + i] * r[j];
            }
        }
        ss_problem p = {.type = SS_CONE};
        p.as.cone    = (ss_cone){.n       = N,
                                 .nblocks = 2,
                                 .blocks  = blocks,
                                 .q       = c.q,
                                 .W       = {.rows = N, .cols = N, .dense = c.M, .ld = N}};
        must_solve(ctx, cls, &p, "one contact sticks, one slides", NULL);
    }
}

static void test_every_solver(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    assert_non_null(ctx);
    for (int32_t k = 0; k < ss_solver_count(ctx); k++) {
        const ss_solver_class *cls = ss_solver_at(ctx, k);
        print_message("%s:%s%s%s%s\n", cls->name, cls->accepts & SS_LCP ? " lcp" : "",
                      cls->accepts & SS_MLCP ? " mlcp" : "", cls->accepts & SS_MCP ? " mcp" : "",
                      cls->accepts & SS_CONE ? " cone" : "");
        assert_true(cls->accepts != 0);
        if (cls->accepts & SS_LCP) {
            check_lcp(ctx, cls);
            check_lcp_unsolvable(ctx, cls);
        }
        if (cls->accepts & SS_MLCP) {
            check_mlcp(ctx, cls);
        }
        if (cls->accepts & SS_MCP) {
            check_mcp(ctx, cls);
        }
        if (cls->accepts & SS_CONE) {
            check_cone(ctx, cls);
        }
    }
    ss_context_destroy(ctx);
}

/*
 * Problems without a solution, of a size at which a method that does not see that could go on for
 * ever. The last two (of a friction problem, contacts) press each other, w_1 = z_1 - z_2 - 1 and
 * w_2 = z_2 - z_1 - 1, which are never both positive.
 */
typedef struct hopeless {
    lcp_case      c;
    ss_block      blocks[LCP_CASE_MAX / 3];
    unsigned char free[LCP_CASE_MAX];
    double        lower[LCP_CASE_MAX], upper[LCP_CASE_MAX];
    int32_t       colptr[LCP_CASE_MAX + 1], rowind[LCP_CASE_MAX * LCP_CASE_MAX];
    affine        function;
    ss_problem    p;
} hopeless;

static void make_hopeless(hopeless *x, ss_problem_type type, int32_t n)
{
    uint64_t  seed = 5;
    lcp_case *c    = &x->c;
    memset(x, 0, sizeof *x);
    lcp_case_definite(c, &seed, n);
    int32_t apart = type == SS_CONE ? 3 : 1, first = n - 2 * apart, second = n - apart;
    for (int32_t i = 0; i < n; i++) {
        c->q[i] = i < first ? lcp_case_between(&seed, -1, 1) : 0;
        for (int32_t j = 0; j < n; j++) {
            bool own             = i < first && j < first;
            c->M[j * n + i]      = own ? c->M[j * n + i] : i == j;
            x->rowind[j * n + i] = i;
        }
        x->colptr[i] = i * n;
        x->upper[i]  = INFINITY;
    }
    x->colptr[n] = n * n;
    c->q[first] = c->q[second] = -1;
    c->M[first * n + second] = c->M[second * n + first] = -1;
    ss_matrix M = {.rows = n, .cols = n, .dense = c->M, .ld = n};
    x->p.type   = type;
    x->function = (affine){n, c->M, c->q};
    for (int32_t i = 0; i < n / 3; i++) {
        x->blocks[i] = (ss_block){SS_BLOCK_CONE, 3 * i, 3, 0.5, 0};
    }
    if (type == SS_LCP) {
        x->p = lcp_case_problem(c);
    } else if (type == SS_MLCP) {
        x->free[0]   = 1;
        x->p.as.mlcp = (ss_mlcp){.n = n, .M = M, .q = c->q, .free = x->free};
    } else if (type == SS_MCP) {
        x->p.as.mcp = (ss_mcp){n,         x->lower,  x->upper,    affine_function, affine_jacobian,
                               x->colptr, x->rowind, &x->function};
    } else {
        x->p.as.cone = (ss_cone){.n = n, .nblocks = n / 3, .blocks = x->blocks, .q = c->q, .W = M};
    }
}

/* A solve ends at its limit, up to what it does between two looks: some factorisations. */
static void must_end(ss_context *ctx, const ss_solver_class *cls, const ss_problem *p, double limit)
{
    double      z[LCP_CASE_MAX], n = ss_problem_size(p), unit = 1e4 + 50 * n * n * n;
    ss_solver  *s = NULL;
    ss_solution x = {.z = z};
    assert_int_equal(ss_solver_create(ctx, cls, &s), SS_OK);
    ss_solver_common(s)->work_limit = limit;
    ss_solver_common(s)->timed      = true;
    ss_status status                = ss_solve(s, p, &x);
#ifndef SS_HAVE_KLU
    if (status == SS_ERR_UNSUPPORTED) { /* sparse matrices need a library that this build lacks */
        print_message("SKIPPED: %s\n", ss_context_message(ctx));
        ss_solver_destroy(s);
        return;
    }
#endif
    assert_int_equal(status, SS_OK);
    assert_int_not_equal(x.outcome, SS_SOLVED);
    bool counts = x.outcome == SS_NOT_APPLICABLE || x.iterations == 0 || x.work > 0;
    if (!counts || x.work > limit + unit || x.seconds > 1 + 1e-7 * x.work) {
        fail_msg("%s on %s of %g: %g products of %g, %d iterations, %g s", cls->name,
                 ss_problem_type_name(p->type), n, x.work, limit, x.iterations, x.seconds);
    }
    ss_solver_destroy(s);
}

static void test_work_is_bounded(void **state)
{
    (void)state;
    static const ss_problem_type types[]  = {SS_LCP, SS_MLCP, SS_MCP, SS_CONE};
    static const double          limits[] = {1, 1e4, 1e6, 1e8};
    static hopeless              x;
    ss_context                  *ctx = ss_context_create(NULL);
    for (int32_t k = 0; k < ss_solver_count(ctx); k++) {
        const ss_solver_class *cls = ss_solver_at(ctx, k);
        for (int t = 0; t < 4; t++) {
            for (int32_t n = 6; (cls->accepts & types[t]) != 0 && n <= 60; n += 18) {
                make_hopeless(&x, types[t], n);
                for (int i = 0; i < 4; i++) {
                    must_end(ctx, cls, &x.p, limits[i]);
                }
            }
        }
    }
    ss_context_destroy(ctx);
}

/* A solver that is given a type it does not take says so and touches nothing. */
static void test_wrong_type(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    lcp_case    c   = {.n = 1, .M = {1}, .q = {-1}};
    ss_problem  p   = lcp_case_problem(&c);
    for (int32_t k = 0; k < ss_solver_count(ctx); k++) {
        const ss_solver_class *cls = ss_solver_at(ctx, k);
        ss_solver             *s   = NULL;
        double                 z   = 42;
        ss_solution            x   = {.z = &z};
        assert_int_equal(ss_solver_create(ctx, cls, &s), SS_OK);
        if ((cls->accepts & SS_LCP) == 0) {
            assert_int_equal(ss_solve(s, &p, &x), SS_OK);
            assert_int_equal(x.outcome, SS_NOT_APPLICABLE);
            assert_near(z, 42, 0);
        }
        ss_solver_destroy(s);
    }
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_solver),
        cmocka_unit_test(test_work_is_bounded),
        cmocka_unit_test(test_wrong_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
