/* SPDX-License-Identifier: Apache-2.0 */
/*
 * farkas: problems made to have no feasible point, by whole numbers (proved) and by a wide margin
 * (proved where nothing is free); problems with a solution, also on the very border (never); two
 * rows that contradict each other among thousands; bodies between walls that close, alone and in a
 * crowd of other contacts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "random.h"
#include "stickslip/solver.h"

enum { MOST = 60 };

static double        M[MOST * MOST], q[MOST], z[MOST];
static unsigned char is_free[MOST];

static double whole(uint64_t *seed, int range)
{
    return (double)(int)(random_bits(seed) % (uint64_t)(2 * range + 1)) - range;
}

/*
 * Rows in whole numbers with M'y = 0 in free columns, <= 0 in the others, and q'y = -below: the
 * last row is made for it. Rows come in units of powers of two.
 */
static void make_contradiction(uint64_t *seed, int32_t n, int32_t frees, double below)
{
    double y[MOST];
    for (int32_t i = 0; i < n; i++) {
        is_free[i] = i < frees;
        y[i]       = is_free[i] ? whole(seed, 3) : fabs(whole(seed, 3));
    }
    y[n - 1]       = 1;
    is_free[n - 1] = 0;
    for (int32_t j = 0; j <= n; j++) { /* column n is q */
        double *column = j < n ? M + (ptrdiff_t)j * n : q, sum = 0;
        for (int32_t i = 0; i < n - 1; i++) {
            column[i] = whole(seed, 9);
            sum += column[i] * y[i];
        }
        bool slack    = j < n && !is_free[j] && random_bits(seed) % 2;
        column[n - 1] = -sum - (j == n ? below : slack ? 2 : 0);
    }
    for (int32_t i = 0; i < n; i++) {
        double unit = ldexp(1, (int)whole(seed, 20));
        q[i] *= unit;
        for (int32_t j = 0; j < n; j++) {
            M[j * n + i] *= unit;
        }
    }
}

static ss_outcome solve(ss_context *ctx, const char *name, int32_t n, bool mixed)
{
    ss_solver *s;
    ss_matrix  matrix = {.rows = n, .cols = n, .dense = M, .ld = n};
    ss_problem p      = {.type = SS_LCP, .as.lcp = {n, matrix, q}};
    if (mixed) {
        p = (ss_problem){.type = SS_MLCP, .as.mlcp = {n, matrix, q, is_free}};
    }
    assert_int_equal(ss_solver_create_named(ctx, name, &s), SS_OK);
    ss_solution x = {.z = z};
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    ss_solver_destroy(s);
    return x.outcome;
}

/* Of those in whole numbers, all that least squares lead to; none is called solved. */
static void contradictions_are_proved(void **state)
{
    (void)state;
    uint64_t    seed   = 1;
    ss_context *ctx    = ss_context_create(NULL);
    int         proved = 0, all = 0;
    for (int k = 0; k < 120; k++) {
        int32_t n = 3 + k % 6, frees = k % 2 ? k % 3 : 0;
        make_contradiction(&seed, n, frees, 1 + k % 5);
        ss_outcome outcome = solve(ctx, "farkas", n, frees > 0);
        all++;
        proved += outcome == SS_INFEASIBLE;
        assert_true(outcome == SS_INFEASIBLE || outcome == SS_NOT_APPLICABLE);
        assert_true(solve(ctx, "auto", n, frees > 0) == SS_INFEASIBLE);
    }
    assert_true(proved >= all / 2);
    ss_context_destroy(ctx);
}

/* Mixed, and larger than what can be searched through: x = 1, x = 2 in a crowd of others. */
static void larger_mixed_problems_are_proved(void **state)
{
    (void)state;
    uint64_t    seed = 2;
    ss_context *ctx  = ss_context_create(NULL);
    for (int k = 0; k < 10; k++) {
        const int32_t n = 40;
        for (int32_t i = 0; i < n; i++) {
            is_free[i] = i < 12;
            q[i]       = random_between(&seed, -1, 1);
            for (int32_t j = 0; j < n; j++) {
                M[j * n + i] = random_between(&seed, -1, 1) + (i == j ? 8 : 0);
            }
        }
        for (int32_t j = 0; j < n; j++) { /* rows 3 and 7 are the same but for q */
            M[j * n + 7] = M[j * n + 3];
        }
        q[7] = q[3] + 0.25;
        assert_int_equal(solve(ctx, "auto", n, true), SS_INFEASIBLE);
        q[7] = q[3];
        assert_int_not_equal(solve(ctx, "auto", n, true), SS_INFEASIBLE);
        assert_int_equal(solve(ctx, "farkas", n, true), SS_NOT_APPLICABLE);
    }
    ss_context_destroy(ctx);
}

/* Data that are no whole numbers: w_0 <= -1 whatever z. */
static void a_wide_margin_is_proved(void **state)
{
    (void)state;
    uint64_t    seed = 3;
    ss_context *ctx  = ss_context_create(NULL);
    for (int k = 0; k < 40; k++) {
        int32_t n = 2 + k;
        for (int32_t i = 0; i < n; i++) {
            q[i] = random_between(&seed, -1, 1);
            for (int32_t j = 0; j < n; j++) {
                M[j * n + i] = random_between(&seed, -1, 1);
            }
        }
        for (int32_t j = 0; j < n; j++) { /* 0.3 of row 0 and 0.7 of row 1 make a negative row */
            M[j * n + 1] = (-random_between(&seed, 0.1, 1) - 0.3 * M[j * n]) / 0.7;
        }
        q[1] = (-1 - 0.3 * q[0]) / 0.7;
        assert_int_equal(solve(ctx, "farkas", n, false), SS_INFEASIBLE);
    }
    ss_context_destroy(ctx);
}

/* q'y = 0: there may be a feasible point, and none of these may be said to have none for sure. */
static void the_border_is_no_proof(void **state)
{
    (void)state;
    uint64_t    seed = 4;
    ss_context *ctx  = ss_context_create(NULL);
    for (int k = 0; k < 100; k++) {
        int32_t n = 2 + k % 8, frees = k % 3;
        make_contradiction(&seed, n, frees < n ? frees : 0, 0);
        double w[MOST]; /* and one that is feasible: w >= 0 at a z >= 0 */
        for (int32_t i = 0; i < n; i++) {
            z[i] = fabs(whole(&seed, 2));
            w[i] = is_free[i] ? 0 : fabs(whole(&seed, 1));
        }
        for (int32_t i = 0; i < n; i++) {
            q[i] = w[i];
            for (int32_t j = 0; j < n; j++) {
                q[i] -= M[j * n + i] * z[j];
            }
        }
        assert_int_equal(solve(ctx, "farkas", n, true), SS_NOT_APPLICABLE);
    }
    ss_context_destroy(ctx);
}

/* Two rows of 4002 exclude each other; the others hang together in pairs at most. */
static void a_contradiction_among_thousands_is_proved(void **state)
{
    (void)state;
    enum { PAIRS = 2001, N = 2 * PAIRS };
    static int32_t colptr[N + 1], rowind[2 * N];
    static double  values[2 * N], right[N], found[N];
    ss_context    *ctx = ss_context_create(NULL);
    for (int bad = 0; bad < 2; bad++) {
        for (int32_t j = 0; j < N; j++) {
            bool odd          = j / 2 == 700; /* (1 -1; -1 1): w_0 + w_1 = q_0 + q_1 */
            colptr[j]         = 2 * j;
            rowind[2 * j]     = j / 2 * 2;
            rowind[2 * j + 1] = j / 2 * 2 + 1;
            for (int32_t i = 0; i < 2; i++) {
                values[2 * j + i] = i == j % 2 ? 1 : odd ? -1 : 0.25;
            }
            right[j] = odd ? (j % 2 && !bad ? 2 : -1) : -1e6;
        }
        colptr[N]    = 2 * N;
        ss_matrix  A = {.rows = N, .cols = N, .colptr = colptr, .rowind = rowind, .values = values};
        ss_problem p = {.type = SS_LCP, .as.lcp = {N, A, right}};
        ss_solution x = {.z = found};
        ss_solver  *s;
        assert_int_equal(ss_solver_create_named(ctx, "farkas", &s), SS_OK);
        assert_int_equal(ss_solve(s, &p, &x), SS_OK);
        assert_int_equal(x.outcome, bad ? SS_INFEASIBLE : SS_NOT_APPLICABLE);
        assert_true(!bad || (found[1400] == found[1401] && found[1400] > 0 && found[0] == 0));
        ss_solver_destroy(s);
    }
    ss_context_destroy(ctx);
}

/*
 * A sphere of radius 1/2 between two walls at x = -1/2 and 1/2, mu = 3/10: the walls close with
 * speeds that add up to `closing`; W = H'H is exact in doubles.
 */
static ss_outcome squeeze(ss_context *ctx, const char *name, double closing, bool global)
{
    static const double   H[6 * 6]  = {0, 0, 1,  0, 0, 0, 0, 1,  0, .5, 0, 0, -1, 0, 0, 0, .5,  0,
                                       0, 0, -1, 0, 0, 0, 0, -1, 0, .5, 0, 0, -1, 0, 0, 0, -.5, 0};
    static const double   f[6]      = {0.5, 0, 0, 0, 0.25, 0};
    static const ss_block blocks[2] = {{SS_BLOCK_CONE, 0, 3, 0.3, 0},
                                       {SS_BLOCK_CONE, 3, 3, 0.3, 0}};
    double                one[36]   = {0}, W[36], u[6], r[6], v[6];
    for (int i = 0; i < 6; i++) {
        one[7 * i] = 1;
        u[i]       = i == 0 ? 1 - closing : i == 3 ? -1 : 0;
        for (int k = 0; k < 6 && !global; k++) {
            u[i] += H[6 * i + k] * f[k];
        }
        for (int j = 0; j < 6; j++) {
            W[6 * j + i] = 0;
            for (int k = 0; k < 6; k++) {
                W[6 * j + i] += H[6 * i + k] * H[6 * j + k];
            }
        }
    }
    ss_cone c = {.n = 6, .nblocks = 2, .blocks = blocks, .q = u};
    if (global) {
        c.nv = 6;
        c.M  = (ss_matrix){.rows = 6, .cols = 6, .dense = one, .ld = 6};
        c.H  = (ss_matrix){.rows = 6, .cols = 6, .dense = H, .ld = 6};
        c.f  = f;
    } else {
        c.W = (ss_matrix){.rows = 6, .cols = 6, .dense = W, .ld = 6};
    }
    ss_problem  p = {.type = SS_CONE, .as.cone = c};
    ss_solution x = {.z = r, .v = v};
    ss_solver  *s;
    assert_int_equal(ss_solver_create_named(ctx, name, &s), SS_OK);
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    ss_solver_destroy(s);
    return x.outcome;
}

static void walls_that_close_are_proved(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    for (int global = 0; global < 2; global++) {
        assert_int_equal(squeeze(ctx, "farkas", 2, global), SS_INFEASIBLE);
        assert_int_equal(squeeze(ctx, "farkas", 1e-6, global), SS_INFEASIBLE);
        assert_int_equal(squeeze(ctx, "auto", 2, global), SS_INFEASIBLE);
        assert_int_equal(squeeze(ctx, "farkas", 0, global), SS_NOT_APPLICABLE);
        assert_int_equal(squeeze(ctx, "auto", 0, global), SS_SOLVED);
        assert_int_equal(squeeze(ctx, "auto", -1, global), SS_SOLVED);
    }
    ss_context_destroy(ctx);
}

/* A body in the plane with so many contacts on it, the last of which presses it against the first:
   whole numbers, local or global, and all the other contacts have room. */
enum { CROWD = 25, CROWD_ROWS = 2 * CROWD, CROWD_DOFS = 3 };

static void crowd(uint64_t *seed, double *H, double *room)
{
    double v[CROWD_DOFS]; /* a motion that is right, or leaves room, for all others */
    for (int32_t k = 0; k < CROWD_DOFS; k++) {
        v[k] = whole(seed, 3);
    }
    for (int32_t j = 0; j < CROWD_ROWS; j++) {
        bool first = j == 0, opposes = j == CROWD_ROWS - 2;
        room[j] = first ? 0 : opposes ? -1.0 / 16 : fmax(0, whole(seed, 3));
        for (int32_t k = 0; k < CROWD_DOFS; k++) {
            H[j * CROWD_DOFS + k] = opposes ? -H[k] : whole(seed, 2);
            room[j] -= H[j * CROWD_DOFS + k] * v[k];
        }
    }
}

static ss_outcome crowded(ss_context *ctx, const char *name, const double *H, const double *room,
                          bool global)
{
    double    W[CROWD_ROWS * CROWD_ROWS], r[CROWD_ROWS] = {0}, v[CROWD_DOFS] = {0};
    double    mass[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, f[CROWD_DOFS] = {0};
    ss_block  blocks[CROWD];
    ss_matrix M3 = {.rows = 3, .cols = 3, .dense = mass, .ld = 3};
    ss_cone   c  = {.n = CROWD_ROWS, .nblocks = CROWD, .blocks = blocks, .q = room};
    for (int32_t k = 0; k < CROWD; k++) {
        blocks[k] = (ss_block){SS_BLOCK_CONE, 2 * k, 2, 0.5, 0};
    }
    for (int32_t i = 0; i < CROWD_ROWS * CROWD_ROWS; i++) {
        const double *a = H + (ptrdiff_t)(i % CROWD_ROWS) * CROWD_DOFS;
        const double *b = H + (ptrdiff_t)(i / CROWD_ROWS) * CROWD_DOFS;
        W[i]            = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }
    if (global) {
        c.nv = CROWD_DOFS;
        c.M  = M3;
        c.f  = f;
        c.H  = (ss_matrix){.rows = CROWD_DOFS, .cols = CROWD_ROWS, .dense = H, .ld = CROWD_DOFS};
    } else {
        c.W = (ss_matrix){.rows = CROWD_ROWS, .cols = CROWD_ROWS, .dense = W, .ld = CROWD_ROWS};
    }
    ss_problem  p = {.type = SS_CONE, .as.cone = c};
    ss_solution x = {.z = r, .v = v};
    ss_solver  *s;
    assert_int_equal(ss_solver_create_named(ctx, name, &s), SS_OK);
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    ss_solver_destroy(s);
    return x.outcome;
}

/* Least squares blend the contradictions of all contacts, which depend on each other; a vertex
   speaks of some. */
static void two_contacts_of_a_crowd_are_proved(void **state)
{
    (void)state;
    uint64_t    seed = 9;
    double      H[CROWD_ROWS * CROWD_DOFS], room[CROWD_ROWS];
    ss_context *ctx = ss_context_create(NULL);
    for (int k = 0; k < 2; k++) {
        crowd(&seed, H, room);
        for (int global = 0; global < 2; global++) {
            assert_int_equal(crowded(ctx, "farkas", H, room, global), SS_INFEASIBLE);
            assert_int_equal(crowded(ctx, "auto", H, room, global), SS_INFEASIBLE);
        }
        room[CROWD_ROWS - 2] += 1.0 / 16;
        assert_int_equal(crowded(ctx, "farkas", H, room, false), SS_NOT_APPLICABLE);
    }
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contradictions_are_proved),
        cmocka_unit_test(larger_mixed_problems_are_proved),
        cmocka_unit_test(a_wide_margin_is_proved),
        cmocka_unit_test(the_border_is_no_proof),
        cmocka_unit_test(a_contradiction_among_thousands_is_proved),
        cmocka_unit_test(walls_that_close_are_proved),
        cmocka_unit_test(two_contacts_of_a_crowd_are_proved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
