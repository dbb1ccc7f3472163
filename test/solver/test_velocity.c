/* SPDX-License-Identifier: Apache-2.0 */
/*
 * velocity: planar bodies on many support points, with and without a mass matrix. The certificate
 * says whether an answer is one; where the mass matrix is positive the motion is unique, so another
 * solver must find the same.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "near.h"
#include "solver/velocity.h"

enum { POINTS_MAX = 40, ROWS = 2 * POINTS_MAX };

static ss_context *ctx;
static ss_solver  *velocity, *nsgs;

static int setup(void **state)
{
    (void)state;
    ctx = ss_context_create(NULL);
    return ctx == NULL || ss_solver_create(ctx, &ss_solver_velocity, &velocity) != SS_OK ||
           ss_solver_create_named(ctx, "nsgs", &nsgs) != SS_OK;
}

static int teardown(void **state)
{
    (void)state;
    ss_solver_destroy(velocity);
    ss_solver_destroy(nsgs);
    ss_context_destroy(ctx);
    return 0;
}

static double random_in(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

/* A body of size `length` on `points` points, pushed by a force that moves it. */
typedef struct sled {
    double   M[9], H[3 * ROWS], q[ROWS], f[3];
    ss_block blocks[POINTS_MAX];
    int32_t  points;
} sled;

static ss_problem sled_problem(const sled *s)
{
    int32_t    n = 2 * s->points;
    ss_problem p = {.type = SS_CONE};
    p.as.cone    = (ss_cone){.n       = n,
                             .nblocks = s->points,
                             .blocks  = s->blocks,
                             .q       = s->q,
                             .nv      = 3,
                             .M       = {.rows = 3, .cols = 3, .dense = s->M, .ld = 3},
                             .H       = {.rows = 3, .cols = n, .dense = s->H, .ld = 3},
                             .f       = s->f};
    return p;
}

/* With a drift of the surface, so that the balance of forces is not trivial. */
static void sled_make(sled *s, uint64_t seed, double length, double mass)
{
    *s             = (sled){.points = (int32_t)random_in(&seed, 3, POINTS_MAX + 0.99)};
    double inertia = mass * length * length / 6, total = 0;
    double drift[2] = {random_in(&seed, -1, 1), random_in(&seed, -1, 1)};
    s->M[0] = s->M[4] = mass;
    s->M[8]           = inertia;
    for (int32_t i = 0; i < s->points; i++) {
        double  x = length * random_in(&seed, -1, 1), y = length * random_in(&seed, -1, 1);
        double *H    = s->H + (ptrdiff_t)6 * i;
        double  load = random_in(&seed, 0.1, 1);
        H[0]         = 1;
        H[2]         = -y;
        H[4]         = 1;
        H[5]         = x;
        s->q[2 * i] = drift[0], s->q[2 * i + 1] = drift[1];
        s->blocks[i] = (ss_block){SS_BLOCK_DISK, 2 * i, 2, 0, load};
        total += load;
    }
    for (int i = 0; i < 2; i++) {
        s->f[i] = total * random_in(&seed, -0.5, 0.5);
    }
    s->f[2] = 0.3 * length * total * random_in(&seed, -1, 1);
}

/* M > 0: the only motion, at the sizes of tables and of needles. */
static void same_motion_as_nsgs(void **state)
{
    (void)state;
    int solved = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        double length = seed % 2 ? 0.5 : 5e-4;
        sled   s;
        sled_make(&s, seed, length, seed % 3 ? 1 : 1e-3);
        ss_problem  p       = sled_problem(&s);
        double      r[ROWS] = {0}, v[3] = {0}, t[ROWS] = {0}, w[3] = {0};
        ss_solution x = {.z = r, .v = v}, y = {.z = t, .v = w};
        ss_solver_common(velocity)->tol = ss_solver_common(nsgs)->tol = 1e-12;
        assert_int_equal(ss_solve(velocity, &p, &x), SS_OK);
        assert_int_equal(ss_solve(nsgs, &p, &y), SS_OK);
        assert_int_equal(y.outcome, SS_SOLVED);
        if (x.outcome != SS_SOLVED) {
            continue; /* it may give up; it may not be wrong */
        }
        solved++;
        for (int i = 0; i < 3; i++) {
            double unit = i < 2 ? 1 : 1 / length;
            assert_near(v[i], w[i], 1e-8 * unit);
        }
    }
    printf("from rest: %d of 200\n", solved);
    assert_true(solved >= 190);
}

/* A disk has as many rows as its problem gives it: here one bound over the slip of many points. */
static void disks_of_many_rows(void **state)
{
    (void)state;
    int  solved = 0;
    sled s;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        sled_make(&s, seed, 0.5, 1);
        int32_t    n = 2 * s.points;
        ss_problem p = sled_problem(&s);
        s.blocks[0]  = (ss_block){SS_BLOCK_DISK, 0, n, 0, 0.5};
        s.f[0] = 3, s.f[1] = 1, s.f[2] = 0.2; /* it slides */
        p.as.cone.nblocks   = 1;
        double      r[ROWS] = {0}, v[3] = {0}, t[ROWS] = {0}, w[3] = {0};
        ss_solution x = {.z = r, .v = v}, y = {.z = t, .v = w};
        ss_solver_common(velocity)->tol = ss_solver_common(nsgs)->tol = 1e-12;
        assert_int_equal(ss_solve(velocity, &p, &x), SS_OK);
        assert_int_equal(ss_solve(nsgs, &p, &y), SS_OK);
        assert_int_equal(y.outcome, SS_SOLVED);
        for (int i = 0; x.outcome == SS_SOLVED && i < 3; i++) {
            assert_near(v[i], w[i], 1e-8);
        }
        solved += x.outcome == SS_SOLVED;
    }
    printf("large disks: %d of 20\n", solved);
    assert_true(solved >= 10);
}

/* M = 0: from a solution for a nearby load, as from step to step. */
static void balance_follows_the_load(void **state)
{
    (void)state;
    int solved = 0, tried = 0, iterations = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        sled s;
        sled_make(&s, seed, 0.1, 0);
        double      r[ROWS] = {0}, v[3] = {0};
        ss_problem  p = sled_problem(&s);
        ss_solution x = {.z = r, .v = v};
        assert_int_equal(ss_solve(velocity, &p, &x), SS_OK);
        x.warm = true;
        for (int step = 0; x.outcome == SS_SOLVED && step < 20; step++) {
            for (int i = 0; i < 3; i++) {
                s.f[i] *= 0.98;
            }
            tried++;
            assert_int_equal(ss_solve(velocity, &p, &x), SS_OK);
            solved += x.outcome == SS_SOLVED;
            iterations += x.iterations;
        }
    }
    printf("following: %d of %d, %.1f steps each\n", solved, tried, (double)iterations / tried);
    assert_true(tried > 1000 && solved >= tried * 99 / 100);
    assert_true(iterations <= 6 * tried);
}

/* A velocity that nothing determines is not chosen. */
static void undetermined_motion_is_left_alone(void **state)
{
    (void)state;
    sled s;
    sled_make(&s, 7, 0.1, 0);
    for (int32_t i = 0; i < s.points; i++) {
        s.blocks[i].bound = 0;
    }
    s.f[0] = s.f[1] = s.f[2] = 0;
    double      r[ROWS] = {0}, v[3] = {0};
    ss_problem  p = sled_problem(&s);
    ss_solution x = {.z = r, .v = v};
    assert_int_equal(ss_solve(velocity, &p, &x), SS_OK);
    for (int i = 0; i < 3; i++) {
        assert_true(v[i] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_motion_as_nsgs),
                                       cmocka_unit_test(disks_of_many_rows),
                                       cmocka_unit_test(balance_follows_the_load),
                                       cmocka_unit_test(undetermined_motion_is_left_alone)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
