/* SPDX-License-Identifier: Apache-2.0 */
/* splitting: frictional LCPs in any order and unit, against Lemke's method; and other problems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "near.h"
#include "random.h"
#include "stickslip/solver.h"

enum { CONTACTS = 6, SPACE = 30, EACH = 6, JOINTS = 2, MOST = CONTACTS * EACH + JOINTS };

typedef struct frictional {
    int32_t n;
    double  M[MOST * MOST], q[MOST];
    double  J[MOST][SPACE]; /* the column of each unknown in velocities; none of slip speeds */
    unsigned char free[MOST];
    int32_t       place[MOST]; /* where an unknown stands */
} frictional;

static double product(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < SPACE; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void shuffle(uint64_t *seed, int32_t n, int32_t *at)
{
    for (int32_t i = 0; i < n; i++) {
        int32_t j = (int32_t)(random_bits(seed) % (uint64_t)(i + 1));
        at[i]     = at[j];
        at[j]     = i;
    }
}

/* One unknown: what it does to velocities, and the free velocity along it. */
static void add_row(frictional *f, const double *along, double sign, const double *velocity)
{
    for (int i = 0; i < SPACE; i++) {
        f->J[f->n][i] = sign * along[i];
    }
    f->q[f->place[f->n]] = product(f->J[f->n], velocity);
    f->n++;
}

static void couple(frictional *f, int32_t size, int32_t i, int32_t j, double value)
{
    f->M[f->place[j] * size + f->place[i]] = value;
}

/* Normal, two opposite pairs of directions, slip speed; then what joins. In odd units of mass. */
static void make(frictional *f, uint64_t *seed, int32_t contacts, int32_t joints, double mu)
{
    int32_t size = contacts * EACH + joints;
    double  unit = pow(10, random_between(seed, -2, 2)), velocity[SPACE], along[3][SPACE];
    memset(f, 0, sizeof *f);
    shuffle(seed, size, f->place);
    for (int i = 0; i < SPACE; i++) {
        velocity[i] = random_between(seed, -1, 1);
    }
    for (int32_t c = 0; c < contacts + joints; c++) {
        for (int k = 0; k < 3 * SPACE; k++) {
            along[k / SPACE][k % SPACE] = unit * random_between(seed, -1, 1);
        }
        if (c >= contacts) {
            f->free[f->place[f->n]] = 1;
            add_row(f, along[0], 1, velocity);
            continue;
        }
        int32_t p = f->n;
        add_row(f, along[0], 1, velocity);
        for (int d = 0; d < 4; d++) {
            add_row(f, along[1 + d / 2], d % 2 == 0 ? 1 : -1, velocity);
            couple(f, size, p + 1 + d, p + 5, 1);
            couple(f, size, p + 5, p + 1 + d, -1);
        }
        couple(f, size, p + 5, p, mu);
        f->n++; /* the slip speed */
    }
    for (int32_t i = 0; i < size; i++) {
        for (int32_t j = 0; j < size; j++) {
            f->M[f->place[j] * size + f->place[i]] += product(f->J[i], f->J[j]);
        }
    }
}

static ss_outcome solve(ss_context *ctx, const char *name, const frictional *f, bool mixed,
                        double *z)
{
    ss_solver *s;
    ss_matrix  M = {.rows = f->n, .cols = f->n, .dense = f->M, .ld = f->n};
    ss_problem p = {.type = SS_LCP, .as.lcp = {f->n, M, f->q}};
    if (mixed) {
        p = (ss_problem){.type = SS_MLCP, .as.mlcp = {f->n, M, f->q, f->free}};
    }
    assert_int_equal(ss_solver_create_named(ctx, name, &s), SS_OK);
    ss_solver_set(s, "tol", "1e-11");
    ss_solution x = {.z = z};
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    ss_solver_destroy(s);
    return x.outcome;
}

/* The velocities that impulses make: they are unique where friction is small (slip speeds of
   contacts that open are not). */
static void same_motion(const frictional *f, const double *z, const double *other)
{
    for (int k = 0; k < SPACE; k++) {
        double change = 0, size = 0;
        for (int32_t i = 0; i < f->n; i++) {
            int32_t at = f->place[i];
            change += f->J[i][k] * (z[at] - other[at]);
            size += fabs(f->J[i][k] * z[at]) + fabs(f->J[i][k] * other[at]);
        }
        assert_true(fabs(change) <= 1e-8 * fmax(size, 1)); /* velocities are up to 1 */
    }
}

static void finds_what_lemke_finds(void **state)
{
    (void)state;
    uint64_t    seed = 1;
    ss_context *ctx  = ss_context_create(NULL);
    frictional  f;
    double      z[MOST], other[MOST];
    for (int k = 0; k < 120; k++) {
        make(&f, &seed, 1 + k % CONTACTS, 0, 0.1 * (double)(k % 4));
        assert_int_equal(solve(ctx, "pgs", &f, false, z), SS_NOT_APPLICABLE);
        assert_int_equal(solve(ctx, "lemke", &f, false, other), SS_SOLVED);
        assert_int_equal(solve(ctx, "splitting", &f, false, z), SS_SOLVED);
        same_motion(&f, z, other);
    }
    ss_context_destroy(ctx);
}

static void joints_belong_to_both(void **state)
{
    (void)state;
    uint64_t    seed = 2;
    ss_context *ctx  = ss_context_create(NULL);
    frictional  f;
    double      z[MOST], other[MOST];
    for (int k = 0; k < 60; k++) {
        make(&f, &seed, 1 + k % CONTACTS, 1 + k % JOINTS, 0.2);
        assert_int_equal(solve(ctx, "auto", &f, true, other), SS_SOLVED);
        assert_int_equal(solve(ctx, "splitting", &f, true, z), SS_SOLVED);
        same_motion(&f, z, other);
    }
    ss_context_destroy(ctx);
}

/* No slip speeds, or rows of slip speeds that bound nothing, or pull where they should push. */
static void other_problems_are_not_its(void **state)
{
    (void)state;
    uint64_t    seed = 3;
    ss_context *ctx  = ss_context_create(NULL);
    frictional  f;
    double      z[MOST];
    make(&f, &seed, 2, 0, 0.3);
    int32_t s = f.place[5], p = f.place[0], b = f.place[2];
    f.M[p * f.n + s] = -0.3;
    assert_int_equal(solve(ctx, "splitting", &f, false, z), SS_NOT_APPLICABLE);
    f.M[p * f.n + s] = 0.3;
    f.M[b * f.n + s] = 0;
    assert_int_equal(solve(ctx, "splitting", &f, false, z), SS_NOT_APPLICABLE);
    f.M[b * f.n + s] = -1;
    assert_int_equal(solve(ctx, "splitting", &f, false, z), SS_SOLVED);
    for (int32_t i = 0; i < f.n; i++) {
        f.M[i * f.n + i] += 1;
    }
    assert_int_equal(solve(ctx, "splitting", &f, false, z), SS_NOT_APPLICABLE);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_lemke_finds),
        cmocka_unit_test(joints_belong_to_both),
        cmocka_unit_test(other_problems_are_not_its),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
