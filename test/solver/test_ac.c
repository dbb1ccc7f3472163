/* SPDX-License-Identifier: Apache-2.0 */
/* ac: planted problems, rank deficiency, M = 0, and the same velocities as nsgs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "solver/planted_cone.h"
#include "stickslip/solver.h"

static ss_context *ctx;
static ss_solver  *ac, *nsgs;

static int setup(void **state)
{
    (void)state;
    ctx = ss_context_create(NULL);
    return ctx == NULL || ss_solver_create_named(ctx, "ac", &ac) != SS_OK ||
           ss_solver_create_named(ctx, "nsgs", &nsgs) != SS_OK;
}

static int teardown(void **state)
{
    (void)state;
    ss_solver_destroy(ac);
    ss_solver_destroy(nsgs);
    ss_context_destroy(ctx);
    return 0;
}

static void solve(ss_solver *s, const ss_problem *p, double *r, double *v)
{
    ss_solution x = {.z = r, .v = v};
    assert_int_equal(ss_solve(s, p, &x), SS_OK);
    if (x.outcome != SS_SOLVED) {
        fail_msg("%s: %s, residual %g", ss_solver_class_of(s)->name, ss_outcome_text(x.outcome),
                 x.residual);
    }
}

static void every_kind_of_block(void **state)
{
    (void)state;
    ss_solver_common(ac)->tol = 1e-13;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        planted p;
        planted_mixed(&p, seed, 60);
        double     r[PLANTED_ROWS], s[PLANTED_ROWS], v[PLANTED_DOFS];
        ss_problem local = planted_local(&p), global = planted_global(&p);
        solve(ac, &local, r, NULL);
        solve(ac, &global, s, v);
        for (int32_t i = 0; i < p.n; i++) {
            assert_true(fabs(r[i] - p.r[i]) < 1e-9);
            assert_true(fabs(s[i] - p.r[i]) < 1e-9);
        }
        for (int32_t k = 0; k < p.nv; k++) {
            assert_true(fabs(v[k] - p.v[k]) < 1e-9);
        }
    }
    ss_solver_common(ac)->tol = 1e-10;
}

static void velocities(const planted *p, const double *r, double *u)
{
    for (int32_t i = 0; i < p->n; i++) {
        u[i] = p->q[i];
        for (int32_t j = 0; j < p->n; j++) {
            u[i] += p->W[j * p->n + i] * r[j];
        }
    }
}

/* More rows than coordinates: reactions are not unique, velocities are. */
static void rank_deficient_problems_have_one_motion(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        planted p;
        planted_contacts(&p, seed, 8, 3, 0.2, 6);
        double     r[PLANTED_ROWS], s[PLANTED_ROWS], u[PLANTED_ROWS], w[PLANTED_ROWS];
        ss_problem local = planted_local(&p);
        solve(ac, &local, r, NULL);
        solve(nsgs, &local, s, NULL);
        velocities(&p, r, u);
        velocities(&p, s, w);
        for (int32_t i = 0; i < p.n; i++) {
            assert_true(fabs(u[i] - w[i]) < 1e-6);
        }
    }
}

/*
 * A particle of weight G on a floor, pushed along x by a wall of speed V, no inertia at all:
 * v = (V, 0, 0), floor (G, -mu G, 0), wall mu G.
 */
static void quasistatic_pushing(void **state)
{
    (void)state;
    for (double unit = 1e-6; unit < 1e7; unit *= 1e3) {
        double     G = 3 * unit, V = 0.2 / unit, mu = 0.4;
        double     M[9]      = {0};
        double     H[12]     = {0, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0};
        double     f[3]      = {0, 0, -G};
        double     q[4]      = {0, 0, 0, -V};
        ss_block   blocks[2] = {{SS_BLOCK_CONE, 0, 3, mu, 0}, {SS_BLOCK_UNILATERAL, 3, 1, 0, 0}};
        ss_problem p         = {.type = SS_CONE};
        p.as.cone            = (ss_cone){.n       = 4,
                                         .nblocks = 2,
                                         .blocks  = blocks,
                                         .q       = q,
                                         .nv      = 3,
                                         .M       = {.rows = 3, .cols = 3, .dense = M, .ld = 3},
                                         .H       = {.rows = 3, .cols = 4, .dense = H, .ld = 3},
                                         .f       = f};
        double r[4], v[3];
        solve(ac, &p, r, v);
        assert_true(fabs(r[0] - G) < 1e-9 * G && fabs(r[1] + mu * G) < 1e-9 * G);
        assert_true(fabs(r[2]) < 1e-9 * G && fabs(r[3] - mu * G) < 1e-9 * G);
        assert_true(fabs(v[0] - V) < 1e-9 * V && fabs(v[1]) < 1e-9 * V && fabs(v[2]) < 1e-9 * V);
    }
}

enum { CHAIN = 60 };

/* One contact on the end of an elastic chain: M is one block of CHAIN coordinates, tridiagonal. */
static void chain_problem(ss_problem *p, double end_mass)
{
    static int32_t  colptr[CHAIN + 1], rowind[3 * CHAIN], hp[4] = {0, 1, 2, 3}, hi[3] = {0, 1, 2};
    static double   values[3 * CHAIN], f[CHAIN], q[3] = {0};
    static double   one[3] = {1, 1, 1};
    static ss_block block  = {SS_BLOCK_CONE, 0, 3, 0.3, 0};
    int32_t         at     = 0;
    for (int32_t j = 0; j < CHAIN; j++) {
        for (int32_t i = j > 0 ? j - 1 : 0; i <= j + 1 && i < CHAIN; i++) {
            rowind[at]   = i;
            values[at++] = i != j           ? (i == CHAIN - 1 || j == CHAIN - 1 ? 0 : -1)
                           : j == CHAIN - 1 ? end_mass
                                            : 3;
        }
        colptr[j + 1] = at;
        f[j]          = j == CHAIN - 1 ? 0 : j % 3 == 0 ? -1 : 0.7;
    }
    p->type      = SS_CONE;
    p->as.cone   = (ss_cone){.n = 3, .nblocks = 1, .blocks = &block, .q = q, .nv = CHAIN, .f = f};
    p->as.cone.M = (ss_matrix){
        .rows = CHAIN, .cols = CHAIN, .colptr = colptr, .rowind = rowind, .values = values};
    p->as.cone.H = (ss_matrix){.rows = CHAIN, .cols = 3, .colptr = hp, .rowind = hi, .values = one};
}

/* Masses too large to be inverted block by block, or singular: solved in the bordered form, and no
   solver goes on for ever. */
static void large_and_singular_masses(void **state)
{
    (void)state;
    const char *names[] = {"ac", "admm", "nsgs", "contact", "auto"};
    for (int k = 0; k < 10; k++) {
        ss_problem p;
        ss_solver *s;
        double     r[3] = {0}, v[CHAIN] = {0};
        chain_problem(&p, k < 5 ? 3 : 0);
        assert_int_equal(ss_solver_create_named(ctx, names[k % 5], &s), SS_OK);
        ss_solver_set(s, "time_limit", "5");
        ss_solution x = {.z = r, .v = v};
        assert_int_equal(ss_solve(s, &p, &x), SS_OK);
        assert_int_equal(x.outcome, k % 5 == 2 ? SS_NOT_APPLICABLE : SS_SOLVED);
        ss_solver_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_block),
        cmocka_unit_test(rank_deficient_problems_have_one_motion),
        cmocka_unit_test(quasistatic_pushing),
        cmocka_unit_test(large_and_singular_masses),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
