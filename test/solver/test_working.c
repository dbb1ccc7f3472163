/* SPDX-License-Identifier: Apache-2.0 */
/*
 * working, inplane: frictional LCPs of bodies with many contacts within reach, most of which stay
 * open, rows in any order; and what is of another form. The certificate of ss_solve() is the judge.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/reduce.h"
#include "random.h"
#include "stickslip/solver.h"

enum { BODIES = 6, DOF = 3, CONTACTS = 60, ROWS_MOST = 3 * CONTACTS + 1, MOST = 10 * CONTACTS };
enum { CORNERS_MOST = 64 };

static double   J[ROWS_MOST][BODIES * DOF], W[ROWS_MOST * ROWS_MOST], q_cone[ROWS_MOST];
static ss_block blocks[CONTACTS + 1];
static double   M[MOST * MOST], q[MOST], z[MOST];

/*
 * Contacts of one or two bodies with `dim` rows, gaps that are closed in one of `open` of them, and
 * velocities that close some of the others; friction without a normal force at the end. Standing
 * still violates no gap, so that there is a solution.
 */
static ss_cone make_pile(uint64_t *seed, int32_t dim, int open, double mu)
{
    int32_t n = dim * CONTACTS + 1, nv = BODIES * DOF;
    double  v[BODIES * DOF];
    memset(J, 0, sizeof J);
    for (int32_t c = 0; c < nv; c++) {
        v[c] = random_between(seed, -1, 1);
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t contact = i / dim;
        for (int32_t side = 0; side <= contact % 2; side++) {
            int32_t body = (contact + side * (1 + contact / BODIES)) % BODIES;
            for (int32_t c = 0; c < DOF; c++) {
                J[i][DOF * body + c] += random_between(seed, -1, 1);
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        q_cone[i] = 0;
        for (int32_t c = 0; c < nv; c++) {
            q_cone[i] += J[i][c] * v[c];
        }
        for (int32_t j = 0; j < n; j++) {
            W[i + j * n] = 0;
            for (int32_t c = 0; c < nv; c++) {
                W[i + j * n] += J[i][c] * J[j][c];
            }
        }
    }
    for (int32_t k = 0; k < CONTACTS; k++) {
        blocks[k] = (ss_block){.kind = SS_BLOCK_CONE, .start = dim * k, .dim = dim, .mu = mu};
        q_cone[dim * k] += k % open == 0 ? 0 : random_between(seed, 0, 3);
    }
    blocks[CONTACTS] = (ss_block){.kind = SS_BLOCK_DISK, .start = n - 1, .dim = 1, .bound = 0.1};
    return (ss_cone){.n       = n,
                     .nblocks = CONTACTS + 1,
                     .blocks  = blocks,
                     .q       = q_cone,
                     .W       = {.rows = n, .cols = n, .dense = W, .ld = n}};
}

/* Its LCP with a polygon of `corners`, rows and columns shuffled. */
static int32_t make_lcp(uint64_t *seed, const ss_cone *cone, int32_t corners)
{
    double      corner[CORNERS_MOST][2];
    ss_polygon  polygon = {corners, corner};
    ss_problem  made;
    ss_arena    a   = {0};
    ss_context *ctx = ss_context_create(NULL);
    int32_t     at[MOST];
    ss_polygon_corners(corners, corner);
    while (!ss_reduce_polygon(cone, &polygon, &a, &made)) {
        assert_int_equal(ss_arena_grow(ctx, &a), SS_OK);
        ss_arena_reset(&a);
    }
    int32_t n = made.as.lcp.n;
    assert_true(made.type == SS_LCP && n <= MOST);
    for (int32_t i = 0; i < n; i++) {
        int32_t j = (int32_t)(random_bits(seed) % (uint64_t)(i + 1));
        at[i]     = at[j];
        at[j]     = i;
    }
    for (int32_t j = 0; j < n; j++) {
        q[at[j]] = made.as.lcp.q[j];
        for (int32_t i = 0; i < n; i++) {
            M[at[i] + at[j] * n] = made.as.lcp.M.dense[i + j * n];
        }
    }
    ss_arena_free(ctx, &a);
    ss_context_destroy(ctx);
    return n;
}

static ss_solution solution_of(ss_context *ctx, const char *name, int32_t n, bool warm)
{
    ss_solver *s;
    ss_problem p = {.type = SS_LCP};
    p.as.lcp     = (ss_lcp){n, {.rows = n, .cols = n, .dense = M, .ld = n}, q};
    assert_int_equal(ss_solver_create_named(ctx, name, &s), SS_OK);
    ss_solver_set(s, "tol", "1e-11");
    ss_solution x = {.z = z, .warm = warm};
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    ss_solver_destroy(s);
    return x;
}

static ss_outcome solve(ss_context *ctx, const char *name, int32_t n, bool warm)
{
    return solution_of(ctx, name, n, warm).outcome;
}

/* From nothing, and from the answer to a problem nearby. */
static void open_contacts_are_left_out(void **state)
{
    (void)state;
    uint64_t    seed = 5;
    ss_context *ctx  = ss_context_create(NULL);
    for (int k = 0; k < 12; k++) {
        int32_t dim  = 2 + k % 2;
        ss_cone cone = make_pile(&seed, dim, 8, 0.3 * (k % 3));
        int32_t n    = make_lcp(&seed, &cone, 4);
        assert_int_equal(solve(ctx, "working", n, false), SS_SOLVED);
        for (int32_t i = 0; i < n; i++) {
            q[i] += q[i] > 0.1 ? random_between(&seed, -0.01, 0.01) : 0;
        }
        assert_int_equal(solve(ctx, "auto", n, true), SS_SOLVED);
    }
    ss_context_destroy(ctx);
}

/* Eight contacts that press, polygons of 32 and 64 corners: a few of their directions will do. */
static void directions_are_left_out(void **state)
{
    (void)state;
    uint64_t    seed = 8;
    ss_context *ctx  = ss_context_create(NULL);
    for (int k = 0; k < 8; k++) {
        ss_cone cone = make_pile(&seed, 3, 1, 0.2 + 0.1 * k);
        cone.nblocks = 8;
        cone.n = cone.W.rows = cone.W.cols = 3 * cone.nblocks;
        int32_t     n                      = make_lcp(&seed, &cone, k % 2 == 0 ? 32 : 64);
        ss_solution set                    = solution_of(ctx, "working", n, false);
        ss_solution by_auto                = solution_of(ctx, "auto", n, false);
        ss_solution whole                  = solution_of(ctx, "lemke", n, false);
        assert_int_equal(set.outcome, SS_SOLVED);
        assert_int_equal(by_auto.outcome, SS_SOLVED);
        assert_true(5 * by_auto.work < whole.work);
    }
    ss_context_destroy(ctx);
}

/* Forty contacts that press, eight directions each: half of them will do, with half of the work. */
static void half_of_eight_directions_will_do(void **state)
{
    (void)state;
    uint64_t    seed    = 9;
    double      by_sets = 0, whole = 0;
    ss_context *ctx = ss_context_create(NULL);
    for (int k = 0; k < 4; k++) {
        ss_cone cone = make_pile(&seed, 3, 1, 0.2 + 0.1 * k);
        cone.nblocks = 40;
        cone.n = cone.W.rows = cone.W.cols = 3 * cone.nblocks;
        int32_t     n                      = make_lcp(&seed, &cone, 8);
        ss_solution set                    = solution_of(ctx, "working", n, false);
        assert_int_equal(set.outcome, SS_SOLVED);
        by_sets += set.work;
        whole += solution_of(ctx, "lemke", n, false).work;
    }
    assert_true(2 * by_sets < whole);
    ss_context_destroy(ctx);
}

/* Where nearly all contacts press, sets end soon after what the whole takes: one pivot an unknown.
 */
static void sets_take_no_more_than_the_whole(void **state)
{
    (void)state;
    uint64_t    seed = 11;
    ss_context *ctx  = ss_context_create(NULL);
    for (int k = 0; k < 24; k++) {
        ss_cone cone = make_pile(&seed, 3, 1, 0.2 + 0.1 * (k % 4));
        cone.nblocks = 25 + k % 3;
        cone.n = cone.W.rows = cone.W.cols = 3 * cone.nblocks;
        int32_t     n                      = make_lcp(&seed, &cone, 4);
        ss_solution set                    = solution_of(ctx, "working", n, false);
        assert_true(set.work < 2.5 * n * n * n);
        assert_int_equal(solve(ctx, "auto", n, false), SS_SOLVED);
    }
    ss_context_destroy(ctx);
}

/* A contact of two bodies that are fixed to each other has no inverse mass: its normal impulse has
   the bound of its friction in its column, and nothing else. */
static void contacts_that_move_nothing_have_the_form(void **state)
{
    (void)state;
    uint64_t    seed = 10;
    ss_context *ctx  = ss_context_create(NULL);
    for (int k = 0; k < 6; k++) {
        int32_t dim = 2 + k % 2, at = dim * (7 + k);
        ss_cone cone = make_pile(&seed, dim, 8, 0.5);
        for (int32_t i = at; i < at + dim; i++) {
            for (int32_t j = 0; j < cone.n; j++) {
                W[i + j * cone.n] = W[j + i * cone.n] = 0;
            }
            q_cone[i] = i == at ? 0.01 : 0;
        }
        int32_t n = make_lcp(&seed, &cone, 2 * dim - 2);
        assert_int_equal(solve(ctx, "working", n, false), SS_SOLVED);
    }
    ss_context_destroy(ctx);
}

static void two_directions_are_a_cone(void **state)
{
    (void)state;
    uint64_t    seed = 6;
    ss_context *ctx  = ss_context_create(NULL);
    for (int k = 0; k < 12; k++) {
        double  mu   = 0.3 * (k % 3);
        ss_cone cone = make_pile(&seed, 2, 1 + k % 4, mu);
        int32_t n    = make_lcp(&seed, &cone, 2);
        if (mu > 0) { /* without friction reactions are not bounded by the problem */
            assert_int_equal(solve(ctx, "inplane", n, false), SS_SOLVED);
            assert_int_equal(solve(ctx, "inplane", n, true), SS_SOLVED);
        }
        assert_int_equal(solve(ctx, "auto", n, false), SS_SOLVED);
    }
    ss_context_destroy(ctx);
}

static void other_forms_are_not_theirs(void **state)
{
    (void)state;
    uint64_t    seed = 7;
    ss_context *ctx  = ss_context_create(NULL);
    ss_cone     cone = make_pile(&seed, 3, 2, 0.5);
    int32_t     n    = make_lcp(&seed, &cone, 4);
    assert_int_equal(solve(ctx, "inplane", n, false), SS_NOT_APPLICABLE); /* four directions */
    for (int32_t i = 0; i < n; i++) {
        M[i + i * n] += 1; /* no slip speeds */
    }
    assert_int_equal(solve(ctx, "inplane", n, false), SS_NOT_APPLICABLE);
    assert_int_equal(solve(ctx, "working", n, false), SS_NOT_APPLICABLE);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_contacts_are_left_out),
        cmocka_unit_test(directions_are_left_out),
        cmocka_unit_test(half_of_eight_directions_will_do),
        cmocka_unit_test(sets_take_no_more_than_the_whole),
        cmocka_unit_test(contacts_that_move_nothing_have_the_form),
        cmocka_unit_test(two_directions_are_a_cone),
        cmocka_unit_test(other_forms_are_not_theirs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
