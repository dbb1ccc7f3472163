/* SPDX-License-Identifier: Apache-2.0 */
/* Solution sets that are known: several points, a face, a ray, nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"
#include "random.h"

#include "stickslip/lcp.h"

static ss_solver *solve_all(ss_context *ctx, int32_t n, const double *M, const double *q,
                            ss_outcome expected)
{
    ss_solver *s = NULL;
    double     z[8];
    ss_problem p = {.type = SS_LCP};
    p.as.lcp     = (ss_lcp){.n = n, .M = {.rows = n, .cols = n, .dense = M, .ld = n}, .q = q};
    assert_int_equal(ss_solver_create_named(ctx, "enumerate", &s), SS_OK);
    assert_int_equal(ss_solver_set(s, "all", "true"), SS_OK);
    ss_solution x = {.z = z};
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    assert_int_equal(x.outcome, expected);
    assert_true(ss_enumerate_complete(s));
    return s;
}

/* Every pair on its own is (0, 1) or (1, 0): four points. */
static void test_separate_points(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    ss_solver  *s   = solve_all(ctx, 2, (double[]){-1, 0, 0, -1}, (double[]){1, 1}, SS_SOLVED);
    assert_int_equal(ss_enumerate_count(s), 4);
    for (int32_t k = 0; k < 4; k++) {
        const ss_lcp_piece *piece = ss_enumerate_piece(s, k);
        assert_int_equal(piece->dimension, 0);
        assert_true(piece->bounded);
        for (int i = 0; i < 2; i++) {
            assert_near(piece->z[i], piece->support[i] ? 1 : 0, 1e-14);
        }
    }
    assert_null(ss_enumerate_piece(s, 4));
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
}

/* Two equal rows: z1 + z2 = 1 is a segment, its ends belong to it. */
static void test_segment(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    ss_solver  *s   = solve_all(ctx, 2, (double[]){1, 1, 1, 1}, (double[]){-1, -1}, SS_SOLVED);
    assert_int_equal(ss_enumerate_count(s), 1);
    const ss_lcp_piece *piece = ss_enumerate_piece(s, 0);
    assert_int_equal(piece->dimension, 1);
    assert_true(piece->bounded);
    assert_near(piece->z[0] + piece->z[1], 1, 1e-12);
    assert_true(piece->z[0] > 0.01 && piece->z[1] > 0.01);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
}

/* M = 0, q = 0: every z >= 0. */
static void test_ray(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    ss_solver  *s   = solve_all(ctx, 1, (double[]){0}, (double[]){0}, SS_SOLVED);
    assert_int_equal(ss_enumerate_count(s), 1);
    assert_int_equal(ss_enumerate_piece(s, 0)->dimension, 1);
    assert_false(ss_enumerate_piece(s, 0)->bounded);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
}

static void test_nothing(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    ss_solver  *s   = solve_all(ctx, 2, (double[]){0, 0, 1, 0}, (double[]){-1, 1}, SS_INFEASIBLE);
    assert_int_equal(ss_enumerate_count(s), 0);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
}

/* A mixed problem without a solution, its free block singular: proved, by enumerate and by auto. */
static void mixed_problems(void **state)
{
    (void)state;
    const double  M[16] = {5, 1, -6, -4, 1, 2, 0, 1, -6, 0, 8, 6, -4, 1, 6, 5};
    double        z[4];
    const double  without[4] = {0, 1, 0, 2}; /* (4, -2, 3, 0) M = 0, but not times q */
    const double  with[4]    = {1, 2, 0, 5}; /* z = (0, -1, 0, 0), w = (0, 0, 0, 4) */
    unsigned char free[4]    = {1, 1, 1, 0};
    ss_problem    p          = {.type = SS_MLCP};
    p.as.mlcp       = (ss_mlcp){4, {.rows = 4, .cols = 4, .dense = M, .ld = 4}, without, free};
    ss_context *ctx = ss_context_create(NULL);
    for (int k = 0; k < 4; k++) {
        ss_solver  *s;
        ss_solution x = {.z = z};
        p.as.mlcp.q   = k < 2 ? without : with;
        assert_int_equal(ss_solver_create_named(ctx, k % 2 ? "auto" : "enumerate", &s), SS_OK);
        assert_int_equal(ss_solve(s, &p, &x), SS_OK);
        assert_int_equal(x.outcome, k < 2 ? SS_INFEASIBLE : SS_SOLVED);
        ss_solver_destroy(s);
    }
    ss_context_destroy(ctx);
}

/* Ways in which a contact in the plane that does not slip can go on: it leaves, sticks, or begins
   to slip to either side; W = [nn nt; nt tt]. */
static int count_ways(double nn, double nt, double tt, const double *q, double mu)
{
    double det = nn * tt - nt * nt, n = (nt * q[1] - tt * q[0]) / det;
    double t    = (nt * q[0] - nn * q[1]) / det;
    int    ways = (q[0] >= 0) + (n >= 0 && fabs(t) <= mu * n);
    for (int side = -1; side <= 1; side += 2) {
        double normal = -q[0] / (nn - side * mu * nt);
        double slip   = q[1] + (nt - side * mu * tt) * normal;
        ways += normal >= 0 && side * slip > 0;
    }
    return ways;
}

/* One contact as the LCP over its two directions: all of its solutions, and the proof that there
   are no others, whatever rounding leaves of entries that are zero. */
static void one_contact_is_decided(void **state)
{
    (void)state;
    ss_context *ctx     = ss_context_create(NULL);
    uint64_t    seed    = 5;
    int         seen[5] = {0};
    for (int k = 0; k < 20000; k++) {
        double nn = random_between(&seed, 0.1, 4), tt = random_between(&seed, 0.1, 4);
        double nt   = random_between(&seed, -0.999, 0.999) * sqrt(nn * tt);
        double mu   = random_between(&seed, 0, 3);
        double q[4] = {random_between(&seed, -10, 3), random_between(&seed, -10, 10)};
        double M[]  = {nn, nt, -nt, mu, nt, tt, -tt, -1, -nt, -tt, tt, -1, 0, 1, 1, 0};
        q[2]        = -q[1];
        q[3]        = 0;
        int ways    = count_ways(nn, nt, tt, q, mu);
        seen[ways]++;
        ss_solver *s = solve_all(ctx, 4, M, q, ways > 0 ? SS_SOLVED : SS_INFEASIBLE);
        assert_int_equal(ss_enumerate_count(s), ways);
        ss_solver_destroy(s);
    }
    print_message("%d with none, %d with one, %d with two, %d with three solutions\n", seen[0],
                  seen[1], seen[2], seen[3]);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_problems), cmocka_unit_test(test_separate_points),
        cmocka_unit_test(test_segment),   cmocka_unit_test(test_ray),
        cmocka_unit_test(test_nothing),   cmocka_unit_test(one_contact_is_decided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
