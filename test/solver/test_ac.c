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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_block),
        cmocka_unit_test(rank_deficient_problems_have_one_motion),
        cmocka_unit_test(quasistatic_pushing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
