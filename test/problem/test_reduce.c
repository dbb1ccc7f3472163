/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: a solution of one problem must be a solution of the other, there and back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "near.h"

#include "problem/reduce.h"
#include "solver/planted_cone.h"
#include "stickslip/solver.h"

static ss_arena room(ss_context *ctx)
{
    ss_arena a = {.wanted = 1u << 20};
    assert_int_equal(ss_arena_grow(ctx, &a), SS_OK);
    return a;
}

static double residual(const ss_problem *p, const double *z, const double *v)
{
    double *work = malloc(ss_residual_work(p) * sizeof *work);
    double  r    = ss_residual(p, z, v, work);
    free(work);
    return r;
}

/* The planted reactions solve both forms, and v comes back from them. */
static void global_to_local(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    ss_arena    a   = room(ctx);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        planted p;
        ss_arena_reset(&a);
        planted_mixed(&p, seed, 30);
        ss_problem  global = planted_global(&p), local = {.type = SS_CONE};
        ss_delassus m;
        assert_int_equal(ss_reduce_delassus(&global.as.cone, &a, &m, &local.as.cone), SS_REDUCED);
        assert_true(residual(&local, p.r, NULL) < 1e-12);
        double v[PLANTED_DOFS];
        ss_reduce_delassus_back(&global.as.cone, &m, p.r, v);
        assert_true(residual(&global, p.r, v) < 1e-12);
        p.r[0] += 0.01;
        assert_true(residual(&local, p.r, NULL) > 1e-6);
    }
    ss_arena_free(ctx, &a);
    ss_context_destroy(ctx);
}

static void no_mass_no_reduction(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    ss_arena    a   = room(ctx);
    planted     p;
    planted_mixed(&p, 5, 30);
    for (int32_t k = 0; k < p.nv; k++) { /* a coordinate without mass */
        p.M[2 * p.nv + k] = p.M[k * p.nv + 2] = 0;
    }
    ss_problem  global = planted_global(&p), local = {.type = SS_CONE};
    ss_delassus m;
    assert_int_equal(ss_reduce_delassus(&global.as.cone, &a, &m, &local.as.cone),
                     SS_REDUCED_SINGULAR);
    ss_arena tiny = {0};
    assert_int_equal(ss_reduce_delassus(&global.as.cone, &tiny, &m, &local.as.cone),
                     SS_REDUCED_NO_ROOM);
    ss_arena_free(ctx, &a);
    ss_context_destroy(ctx);
}

enum { N = 12 };

/* A mixed LCP with a positive definite symmetric part and every third variable free. */
static void random_mlcp(planted *rng, double *M, double *q, unsigned char *is_free)
{
    double B[N * N];
    for (int i = 0; i < N * N; i++) {
        B[i] = planted_random(rng);
    }
    for (int j = 0; j < N; j++) {
        q[j]       = planted_random(rng);
        is_free[j] = j % 3 == 0;
        for (int i = 0; i < N; i++) {
            double s = i == j ? 0.1 : 0;
            for (int k = 0; k < N; k++) {
                s += B[k + i * N] * B[k + j * N];
            }
            M[i + j * N] = s + (i < j ? 0.3 : i > j ? -0.3 : 0);
        }
    }
}

static void mixed_to_pure(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    ss_arena    a   = room(ctx);
    ss_solver  *solver;
    assert_int_equal(ss_solver_create_named(ctx, "lemke", &solver), SS_OK);
    planted rng = {.seed = 77};
    for (int trial = 0; trial < 100; trial++) {
        double        M[N * N], q[N], y[N], z[N];
        unsigned char is_free[N];
        random_mlcp(&rng, M, q, is_free);
        ss_problem mixed = {.type = SS_MLCP}, pure = {.type = SS_LCP};
        mixed.as.mlcp = (ss_mlcp){N, {.rows = N, .cols = N, .dense = M, .ld = N}, q, is_free};
        ss_schur s;
        ss_arena_reset(&a);
        assert_int_equal(ss_reduce_schur(&mixed.as.mlcp, &a, &s, &pure.as.lcp), SS_REDUCED);
        assert_int_equal(pure.as.lcp.n, 8);
        ss_solution x = {.z = y};
        assert_int_equal(ss_solve(solver, &pure, &x), SS_OK);
        assert_int_equal(x.outcome, SS_SOLVED);
        ss_reduce_schur_back(&s, y, z);
        assert_true(residual(&mixed, z, NULL) < 1e-11);
    }
    ss_solver_destroy(solver);
    ss_arena_free(ctx, &a);
    ss_context_destroy(ctx);
}

static void singular_free_block(void **state)
{
    (void)state;
    ss_context         *ctx  = ss_context_create(NULL);
    ss_arena            a    = room(ctx);
    const double        M[4] = {0, 1, 1, 1}, q[2] = {-1, 0};
    const unsigned char is_free[2] = {1, 0};
    ss_mlcp             p          = {2, {.rows = 2, .cols = 2, .dense = M, .ld = 2}, q, is_free};
    ss_schur            s;
    ss_lcp              out;
    assert_int_equal(ss_reduce_schur(&p, &a, &s, &out), SS_REDUCED_SINGULAR);
    ss_arena_free(ctx, &a);
    ss_context_destroy(ctx);
}

/* In 2D a polygon of two directions is the cone itself: same reactions, there and back. */
static void polygon_in_the_plane(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    ss_arena    a   = room(ctx);
    double      corner[4][2];
    ss_polygon  polygon = {4, corner};
    ss_polygon_corners(4, corner);
    for (uint64_t seed = 1; seed <= 30; seed++) {
        planted p;
        ss_arena_reset(&a);
        planted_contacts(&p, seed, 4, 2, 0.5, 12);
        ss_problem local = planted_local(&p), lcp;
        assert_true(ss_reduce_polygon(&local.as.cone, &polygon, &a, &lcp));
        double z[PLANTED_ROWS], r[PLANTED_ROWS];
        assert_int_equal(ss_problem_size(&lcp), 16);
        ss_reduce_polygon_forth(&local.as.cone, &polygon, p.r, p.u, z);
        assert_true(residual(&lcp, z, NULL) < 1e-12);
        ss_reduce_polygon_back(&local.as.cone, &polygon, z, r);
        for (int32_t i = 0; i < p.n; i++) {
            assert_near(r[i], p.r[i], 1e-13);
        }
    }
    ss_arena_free(ctx, &a);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_to_local),      cmocka_unit_test(no_mass_no_reduction),
        cmocka_unit_test(mixed_to_pure),        cmocka_unit_test(singular_free_block),
        cmocka_unit_test(polygon_in_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
