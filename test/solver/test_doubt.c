/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Problems without a solution whose contradiction is small beside other data: no solver calls them
 * solved, cold or from an answer that hides it; problems like them that have one are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "solver/confirm.h"
#include "solver/doubt.h"
#include "stickslip/solver.h"

static ss_outcome solve(const ss_problem *p, double guess)
{
    double      z[8] = {0};
    ss_solution x    = {.z = z, .warm = guess > 0};
    ss_context *ctx  = ss_context_create(NULL);
    ss_solver  *s;
    for (int32_t i = 0; i < ss_problem_size(p) && i < 2; i++) {
        z[i] = guess;
    }
    assert_int_equal(ss_solver_create_named(ctx, "auto", &s), SS_OK);
    assert_int_equal(ss_solve(s, p, &x), SS_OK);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
    return x.outcome;
}

/* Rows 1 and 2: z1 - z2 - first and z2 - z1 - second, with `in` of z3 in them; row 3 has large data
   and depends on z1 by c. */
static ss_outcome three_rows(double first, double second, double in, double c, double large,
                             bool mixed, double guess)
{
    double        M[9]    = {1, -1, c, -1, 1, in != 0 ? -c : 0, in, -in, 1};
    double        q[3]    = {-first, -second, -large};
    unsigned char free[3] = {0, 0, 1};
    ss_matrix     A       = {.rows = 3, .cols = 3, .dense = M, .ld = 3};
    ss_problem    lcp     = {.type = SS_LCP, .as.lcp = {.n = 3, .M = A, .q = q}};
    ss_problem    mlcp    = {.type = SS_MLCP, .as.mlcp = {.n = 3, .M = A, .q = q, .free = free}};
    return solve(mixed ? &mlcp : &lcp, guess);
}

static void small_contradictions_are_seen(void **state)
{
    (void)state;
    for (double large = 1e2; large < 1e9; large *= 10) {
        for (double c = 1; c > 1e-3; c /= 16) {
            for (int mixed = 0; mixed < 2; mixed++) {
                for (double guess = 0; guess<1e18; guess = guess> 0 ? guess * 1e6 : 1e6) {
                    assert_int_not_equal(three_rows(1, 1, 0, -c, large, mixed, guess), SS_SOLVED);
                    assert_int_not_equal(three_rows(1, 1, c, c, large, mixed, guess), SS_SOLVED);
                }
                /* the same rows with room between them */
                assert_int_equal(three_rows(1, -2, 0, -c, large, mixed, 0), SS_SOLVED);
                assert_int_equal(three_rows(1, -1, 0, -c, large, mixed, 0), SS_SOLVED);
            }
        }
    }
}

/* Rows 1 and 2 contradict each other by 2e-20; row 3 has data of 1e5. */
static bool weighs(double on_first)
{
    double     M[9] = {1, -1, on_first, -1, 1, 0, 0, 0, 1}, q[3] = {-1e-20, -1e-20, 1e5};
    double     y[3] = {1, 1, 0}, work[24];
    ss_matrix  A    = {.rows = 3, .cols = 3, .dense = M, .ld = 3};
    ss_problem p    = {.type = SS_LCP, .as.lcp = {.n = 3, .M = A, .q = q}};
    assert_true(ss_doubt_work(&p) <= 24);
    return ss_proof_weighs(&p, y, false, work);
}

/* What does not hang together with a proof says nothing about its weight. */
static void proofs_weigh_by_rows_that_hang_together(void **state)
{
    (void)state;
    assert_true(weighs(0));
    assert_false(weighs(0.5));
}

/*
 * Rows 4 and 5 are alike, w5 = 0 and w4 >= 0, but w4 = w5 - 7/256 (or + 7/256: there is room), and
 * the matrix is nearly singular: unknowns of 1e13, with rows that are right to rounding of their
 * terms. Row 5 has no data, so that this was all that was asked of it.
 */
static ss_outcome alike(const char *name, double room)
{
    static const int row_unit[6] = {0, 7, -9, -1, -3, 8}, column_unit[6] = {1, -9, 8, 7, 9, 3};
    const double     e       = ldexp(1, -18);
    double           A[6][6] = {{1 + e, 0, 1, -1, 2, 0},   {0, 9 + e, 4, -6, -2, -2},
                                {1, 4, 3 - e, -3, 0, -1},  {2, -2, 0, -4, 10 - e, 1},
                                {2, -2, 0, -4, 10 - e, 1}, {0, -2, -1, 1, 1, 1 + e}};
    double           M[36], z[6] = {0}, q[6] = {1, 3, 2, room, 0, -2};
    unsigned char    free[6] = {0, 1, 0, 0, 1, 1};
    for (int i = 0; i < 6; i++) {
        q[i] = ldexp(q[i], row_unit[i]);
        for (int j = 0; j < 6; j++) {
            M[6 * j + i] = ldexp(A[i][j], row_unit[i] + column_unit[j]);
        }
    }
    ss_matrix   matrix = {.rows = 6, .cols = 6, .dense = M, .ld = 6};
    ss_problem  p      = {.type = SS_MLCP, .as.mlcp = {6, matrix, q, free}};
    ss_solution x      = {.z = z};
    ss_context *ctx    = ss_context_create(NULL);
    ss_solver  *s;
    assert_int_equal(ss_solver_create_named(ctx, name, &s), SS_OK);
    ss_solver_common(s)->tol = 1e-4;
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
    return x.outcome;
}

static void rows_without_data_confirm_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"schur", "newton", "auto"};
    for (int k = 0; k < 3; k++) {
        assert_int_not_equal(alike(names[k], -7.0 / 256), SS_SOLVED);
    }
    assert_int_equal(alike("auto", 7.0 / 256), SS_SOLVED);
}

/* A body between two walls that close slowly, or do not, while it slides fast. */
static ss_outcome squeezed(double closing, double mu)
{
    double     W[16] = {1, 0, -1, 0, 0, 1, 0, -1, -1, 0, 1, 0, 0, -1, 0, 1};
    double     q[4]  = {-closing, 1, -closing, -1};
    ss_block   b[2]  = {{SS_BLOCK_CONE, 0, 2, mu, 0}, {SS_BLOCK_CONE, 2, 2, mu, 0}};
    ss_matrix  A     = {.rows = 4, .cols = 4, .dense = W, .ld = 4};
    ss_problem p     = {.type    = SS_CONE,
                        .as.cone = {.n = 4, .nblocks = 2, .blocks = b, .q = q, .W = A}};
    return solve(&p, 0);
}

static void slow_squeezes_are_seen(void **state)
{
    (void)state;
    for (double closing = 1e-9; closing < 1; closing *= 10) {
        assert_int_not_equal(squeezed(closing, 0), SS_SOLVED);
        assert_int_not_equal(squeezed(closing, 0.3), SS_SOLVED);
        assert_int_not_equal(squeezed(closing, 10), SS_SOLVED);
    }
    assert_int_equal(squeezed(0, 0.3), SS_SOLVED);
    assert_int_equal(squeezed(-1e-6, 0.3), SS_SOLVED);
}

/*
 * A semidefinite problem with a planted solution and data of about 1, and two rows more, z1 - z2 -
 * d and z2 - z1 - d (or + d: there is room), on which another row hangs.
 */
typedef struct hidden {
    int32_t        n;
    double        *M, *q, *z;
    unsigned char *free;
} hidden;

static double entry(const double *A, int32_t rank, int32_t i, int32_t j)
{
    double sum = i == j;
    for (int32_t k = 0; k < rank; k++) {
        sum += A[i * rank + k] * A[j * rank + k];
    }
    return sum;
}

static void hide(hidden *h, uint64_t seed, double d, bool solvable, bool mixed)
{
    int32_t n = h->n, rank = n / 2 + 1, on = 2 + (int32_t)(random_bits(&seed) % (uint64_t)(n - 2));
    double *A = malloc((size_t)(n * rank) * sizeof *A);
    assert_non_null(A);
    for (int32_t k = 0; k < n * rank; k++) {
        A[k] = random_between(&seed, -1, 1);
    }
    for (int32_t k = 0; k < n * n; k++) {
        int32_t i = k % n, j = k / n;
        h->M[k] = i < 2 && j < 2 ? (i == j ? 1 : -1) : i < 2 || j < 2 ? 0 : entry(A, rank, i, j);
    }
    h->M[on] = 0.5;
    for (int32_t i = 0; i < n; i++) {
        double z   = random_between(&seed, -1, 1);
        h->free[i] = mixed && i > 1 && i % 3 == 0;
        h->z[i]    = i < 2 ? (solvable && i == 0 ? d : 0) : h->free[i] ? z : fmax(0, z);
    }
    for (int32_t i = 2; i < n; i++) {
        h->q[i] = h->free[i] || h->z[i] > 0 ? 0 : 1;
        for (int32_t j = 0; j < n; j++) {
            h->q[i] -= h->M[j * n + i] * h->z[j];
        }
    }
    h->q[0] = -d;
    h->q[1] = solvable ? d : -d;
    free(A);
}

static ss_problem hidden_problem(const hidden *h, bool mixed)
{
    ss_matrix  M   = {.rows = h->n, .cols = h->n, .dense = h->M, .ld = h->n};
    ss_problem out = {.type = mixed ? SS_MLCP : SS_LCP};
    if (mixed) {
        out.as.mlcp = (ss_mlcp){.n = h->n, .M = M, .q = h->q, .free = h->free};
    } else {
        out.as.lcp = (ss_lcp){.n = h->n, .M = M, .q = h->q};
    }
    return out;
}

static void nobody_hides_them(void **state)
{
    (void)state;
    static const char *const names[] = {"auto", "lemke", "pivot", "pgs", "newton"};
    static double            M[130 * 130], q[130], planted[130], z[130];
    static unsigned char     free_[130];
    ss_context              *ctx = ss_context_create(NULL);
    for (size_t k = 0; k < 5 * sizeof names / sizeof *names; k++) {
        double     d     = pow(10, -3 - 1.5 * (double)(k / 5));
        bool       mixed = k % 2 == 1 && k % 5 != 1 && k % 5 != 2;
        ss_solver *s;
        assert_int_equal(ss_solver_create_named(ctx, names[k % 5], &s), SS_OK);
        ss_solver_common(s)->max_iter = k % 5 > 2 ? 400 : 0; /* pgs and newton would go on */
        for (int32_t n = 5; n <= 130; n += 125) {
            hidden     h = {n, M, q, planted, free_};
            ss_problem p = hidden_problem(&h, mixed);
            for (int solvable = 0; solvable < 2; solvable++) {
                ss_solution x = {.z = z};
                hide(&h, k + 1, d, solvable, mixed);
                memset(z, 0, sizeof z);
                assert_int_equal(ss_solve(s, &p, &x), SS_OK);
                assert_true(solvable || x.outcome != SS_SOLVED);
                assert_true(!solvable || x.outcome == SS_SOLVED || k % 5 == 2 || k % 5 == 3);
            }
        }
        ss_solver_destroy(s);
    }
    ss_context_destroy(ctx);
}

/* The same with contradictions of 1e-10 to 1e-13 of other data, which are far above rounding of the
   terms of their own rows. */
static void not_even_small_ones(void **state)
{
    (void)state;
    static const char *const names[] = {"auto", "lemke", "newton"};
    enum { N = 30 };
    double        M[N * N], q[N], planted[N], z[N];
    unsigned char free_[N];
    hidden        h   = {N, M, q, planted, free_};
    ss_context   *ctx = ss_context_create(NULL);
    for (int k = 0; k < 36; k++) {
        double      d     = pow(10, -10 - (double)(k / 3) / 4);
        bool        mixed = k % 2 == 1 && k % 3 != 1, solvable = k / 6 % 2 == 1;
        ss_problem  p = hidden_problem(&h, mixed);
        ss_solution x = {.z = z};
        ss_solver  *s;
        assert_int_equal(ss_solver_create_named(ctx, names[k % 3], &s), SS_OK);
        ss_solver_common(s)->max_iter = k % 3 == 2 ? 400 : 0;
        hide(&h, (uint64_t)k + 1, d, solvable, mixed);
        memset(z, 0, sizeof z);
        assert_int_equal(ss_solve(s, &p, &x), SS_OK);
        assert_int_equal(x.outcome == SS_SOLVED, solvable);
        ss_solver_destroy(s);
    }
    ss_context_destroy(ctx);
}

/*
 * BODIES points of mass 1 with velocities of about 1, each of which touches a fixed plane and the
 * next one. The first is between two walls that close at a speed d, or make room for each other.
 */
enum { BODIES = 21, CONTACTS = 2 + 2 * BODIES, CONE_ROWS = 3 * CONTACTS, DOFS = 3 * BODIES };

typedef struct crowd {
    double   H[CONE_ROWS * DOFS], W[CONE_ROWS * CONE_ROWS], M[DOFS * DOFS];
    double   f[DOFS], q[CONE_ROWS], whole[CONE_ROWS]; /* q of the global and of the local form */
    ss_block blocks[CONTACTS];
} crowd;

/* n, t and o of a contact. */
static void random_frame(uint64_t *seed, double frame[3][3])
{
    double *n = frame[0], *t = frame[1], length = 0, along = 0;
    for (int i = 0; i < 3; i++) {
        n[i] = random_between(seed, -1, 1);
        length += n[i] * n[i];
    }
    for (int i = 0; i < 3; i++) {
        n[i] /= sqrt(length);
    }
    for (int i = 0; i < 3; i++) {
        t[i] = i == (fabs(n[0]) < 0.6 ? 0 : 1);
        along += t[i] * n[i];
    }
    length = 0;
    for (int i = 0; i < 3; i++) {
        t[i] -= along * n[i];
        length += t[i] * t[i];
    }
    for (int i = 0; i < 3; i++) {
        t[i] /= sqrt(length);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        frame[2][i] = n[j] * t[k] - n[k] * t[j];
    }
}

static void put_contact(crowd *c, int at, double frame[3][3], int body, int other, double mu)
{
    c->blocks[at] = (ss_block){SS_BLOCK_CONE, 3 * at, 3, mu, 0};
    for (int row = 0; row < 3; row++) {
        double *column = c->H + (ptrdiff_t)(3 * at + row) * DOFS;
        for (int i = 0; i < 3; i++) {
            column[3 * body + i] = frame[row][i];
            if (other >= 0) {
                column[3 * other + i] = -frame[row][i];
            }
        }
    }
}

static void condense(crowd *c)
{
    for (int i = 0; i < CONE_ROWS; i++) {
        const double *a = c->H + (ptrdiff_t)i * DOFS;
        c->whole[i]     = c->q[i];
        for (int k = 0; k < DOFS; k++) {
            c->whole[i] += a[k] * c->f[k];
        }
        for (int j = 0; j < CONE_ROWS; j++) {
            double sum = 0;
            for (int k = 0; k < DOFS; k++) {
                sum += a[k] * c->H[j * DOFS + k];
            }
            c->W[j * CONE_ROWS + i] = sum;
        }
    }
}

static void make_crowd(crowd *c, uint64_t seed, double d, bool solvable)
{
    memset(c, 0, sizeof *c);
    for (int k = 0; k < DOFS; k++) {
        c->M[k * DOFS + k] = 1;
        c->f[k]            = k == 0 ? 0 : random_between(&seed, -1, 1);
    }
    double walls[2][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                             {{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}};
    put_contact(c, 0, walls[0], 0, -1, random_between(&seed, 0.1, 0.8));
    put_contact(c, 1, walls[1], 0, -1, random_between(&seed, 0.1, 0.8));
    c->q[0] = -d;
    c->q[3] = solvable ? d : -d;
    for (int k = 2; k < CONTACTS; k++) {
        double frame[3][3];
        int    body = (k - 2) / 2;
        random_frame(&seed, frame);
        put_contact(c, k, frame, body, k % 2 == 1 ? (body + 1) % BODIES : -1,
                    random_between(&seed, 0.1, 0.8));
        c->q[3 * k] = random_between(&seed, 0, 0.2);
    }
    condense(c);
}

static ss_outcome squeeze_crowd(uint64_t seed, double d, bool global, bool solvable, double tol)
{
    static crowd c;
    double       r[CONE_ROWS] = {0}, v[DOFS] = {0};
    ss_context  *ctx = ss_context_create(NULL);
    ss_problem   p   = {.type = SS_CONE, .as.cone = {.n = CONE_ROWS, .nblocks = CONTACTS}};
    make_crowd(&c, seed, d, solvable);
    p.as.cone.blocks = c.blocks;
    if (global) {
        p.as.cone.nv = DOFS;
        p.as.cone.q  = c.q;
        p.as.cone.f  = c.f;
        p.as.cone.M  = (ss_matrix){.rows = DOFS, .cols = DOFS, .dense = c.M, .ld = DOFS};
        p.as.cone.H  = (ss_matrix){.rows = DOFS, .cols = CONE_ROWS, .dense = c.H, .ld = DOFS};
    } else {
        p.as.cone.q = c.whole;
        p.as.cone.W =
            (ss_matrix){.rows = CONE_ROWS, .cols = CONE_ROWS, .dense = c.W, .ld = CONE_ROWS};
    }
    ss_solution x = {.z = r, .v = v};
    ss_solver  *s;
    assert_int_equal(ss_solver_create_named(ctx, "auto", &s), SS_OK);
    ss_solver_common(s)->tol = tol;
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
    return x.outcome;
}

static void squeezes_in_crowds_are_seen(void **state)
{
    (void)state;
    for (int k = 0; k < 24; k++) {
        double     d      = pow(10, -3 - (double)(k / 4));
        bool       global = k % 2 == 1, solvable = k / 2 % 2 == 1;
        ss_outcome outcome = squeeze_crowd((uint64_t)k + 1, d, global, solvable, 1e-10);
        assert_int_equal(outcome == SS_SOLVED, solvable);
    }
}

/* Where a solver stops at a loose tolerance, one of the two contacts may be right to the last
   digit: alone, the other proves nothing. */
static void loose_squeezes_are_seen(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        double     d        = pow(10, -3.5 - 0.5 * (double)(k / 4));
        bool       solvable = k % 4 == 3;
        ss_outcome outcome  = squeeze_crowd((uint64_t)k + 1, d, k % 2 == 1, solvable, 1e-3);
        assert_int_equal(outcome == SS_SOLVED, solvable);
    }
}

/* F1 = phi(z1) - phi(z2) - d + c z3, F2 = phi(z2) - phi(z1) - d - c z3, F3 = z3 - data: F1 + F2 is
   -2 d, and far from the origin nothing of that is left in doubles. */
typedef struct climb {
    int    phi; /* 0: z, 1: z^3, 2: exp z, 3: z + sin z */
    double d, c, data;
} climb;

static double climbed(int phi, double z, double *slope)
{
    switch (phi) {
    case 1:
        *slope = 3 * z * z;
        return z * z * z;
    case 2:
        *slope = exp(z);
        return exp(z);
    case 3:
        *slope = 1 + cos(z);
        return z + sin(z);
    default:
        *slope = 1;
        return z;
    }
}

static int climb_function(void *user, const double *z, double *F)
{
    const climb *c = user;
    double       slope, a = climbed(c->phi, z[0], &slope), b = climbed(c->phi, z[1], &slope);
    F[0] = a - b - c->d + c->c * z[2];
    F[1] = b - a - c->d - c->c * z[2];
    F[2] = z[2] - c->data;
    return 0;
}

static int climb_jacobian(void *user, const double *z, double *values)
{
    const climb *c = user;
    double       a, b;
    climbed(c->phi, z[0], &a);
    climbed(c->phi, z[1], &b);
    const double J[9] = {a, -a, 0, -b, b, 0, c->c, -c->c, 1};
    memcpy(values, J, sizeof J);
    return 0;
}

static ss_outcome solve_climb(climb *c, double guess, bool free)
{
    static const int32_t colptr[] = {0, 3, 6, 9}, rowind[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    const double         least    = free ? -INFINITY : 0;
    double               lower[3] = {least, least, -INFINITY};
    double               upper[3] = {INFINITY, INFINITY, INFINITY}, z[3] = {guess, guess, 1};
    ss_problem           p   = {.type   = SS_MCP,
                                .as.mcp = {.n        = 3,
                                           .lower    = lower,
                                           .upper    = upper,
                                           .function = climb_function,
                                           .jacobian = climb_jacobian,
                                           .colptr   = colptr,
                                           .rowind   = rowind,
                                           .user     = c}};
    ss_solution          x   = {.z = z, .warm = true};
    ss_context          *ctx = ss_context_create(NULL);
    ss_solver           *s;
    assert_int_equal(ss_solver_create_named(ctx, "newton", &s), SS_OK);
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
    return x.outcome;
}

static void functions_that_round_to_nothing_are_seen(void **state)
{
    (void)state;
    static const double far_off[] = {1e18, 1e7, 45, 1e16}; /* where phi rounds 1 away */
    for (int k = 0; k < 4 * 4 * 5; k++) {
        int    phi   = k % 4;
        climb  none  = {phi, pow(10, -6 + 2 * (k / 4 % 4)), k % 3 == 0 ? 0 : 0.5, 7};
        climb  some  = {phi, 0, 0, 7}; /* z1 = z2, whatever they are */
        double guess = far_off[phi] * pow(phi == 2 ? 0.8 : 1e-2, k / 16);
        assert_int_not_equal(solve_climb(&none, guess, k % 2 == 1), SS_SOLVED);
        assert_int_equal(solve_climb(&some, guess, k % 2 == 1), SS_SOLVED);
    }
}

/* w1 = 2 w2 but for 2 z3 and 2e-5, which nothing makes up for: row 2 has no data, and row 3 has
   2e5. With -2e-5 z3 does. */
static void rows_without_data_are_right_to_the_last_bit(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        double        M[9] = {4, 2, -2, 2, 1, -2, 2, 2, 0}, q[3] = {sign * 0x1.8p-16, 0, 2e5};
        unsigned char free[3] = {1, 1, 0};
        ss_matrix     A       = {.rows = 3, .cols = 3, .dense = M, .ld = 3};
        ss_problem    p       = {.type = SS_MLCP, .as.mlcp = {3, A, q, free}};
        assert_int_equal(solve(&p, 0) == SS_SOLVED, sign > 0);
    }
}

static double none_left(void *who)
{
    (void)who;
    return 0;
}

/* Pairs w = (z1 - (1 - e) z2 - 1, z2 - (1 - e) z1 - 1): unknowns of 1 / e, whose rows are right to
   rounding of their terms, which is more than their data ask for. */
static ss_confirmation many_pairs(int32_t pairs, bool out_of_time, double *products)
{
    const double      e     = 0x1p-40;
    int32_t           n     = 2 * pairs;
    int32_t          *start = calloc((size_t)n + 1, sizeof *start);
    int32_t          *row   = calloc(2 * (size_t)n, sizeof *row);
    double           *value = calloc(2 * (size_t)n, sizeof *value);
    double           *q = calloc((size_t)n, sizeof *q), *z = calloc((size_t)n, sizeof *z);
    ss_context       *ctx    = ss_context_create(NULL);
    ss_confirm_memory memory = {0};
    ss_confirmation   found  = SS_LEFT_OPEN;
    for (int32_t j = 0; j < n; j++) {
        for (int32_t k = 0; k < 2; k++) {
            row[2 * j + k]   = j / 2 * 2 + k;
            value[2 * j + k] = k == j % 2 ? 1 : -(1 - e);
        }
        start[j + 1] = 2 * (j + 1);
        q[j]         = -1;
        z[j]         = 0x1p40 + 3;
    }
    ss_problem p = {.type = SS_LCP, .as.lcp = {.n = n, .q = q}};
    p.as.lcp.M = (ss_matrix){.rows = n, .cols = n, .colptr = start, .rowind = row, .values = value};
    ss_answer x = {
        .z = z, .size = z, .most = 1e9, .patience = {.seconds = out_of_time ? none_left : NULL}};
    void *room = malloc(ss_confirm_bytes(&p));
    *products  = 0;
    assert_int_equal(ss_answer_confirmed(ctx, &p, &x, &memory, room, products, &found), SS_OK);
    ss_confirm_free(ctx, &memory);
    ss_context_destroy(ctx);
    free(room);
    free(start);
    free(row);
    free(value);
    free(q);
    free(z);
    return found;
}

static void large_sets_are_confirmed(void **state)
{
    (void)state;
    double products;
    assert_int_equal(many_pairs(5, false, &products), SS_CONFIRMED_BY_DATA);
    assert_int_equal(many_pairs(1000, false, &products), SS_CONFIRMED_BY_DATA);
    assert_true(products < 1e6);
    assert_int_equal(many_pairs(400, true, &products), SS_LEFT_OPEN);
    assert_int_equal(many_pairs(1000, true, &products), SS_LEFT_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_that_round_to_nothing_are_seen),
        cmocka_unit_test(small_contradictions_are_seen),
        cmocka_unit_test(nobody_hides_them),
        cmocka_unit_test(not_even_small_ones),
        cmocka_unit_test(squeezes_in_crowds_are_seen),
        cmocka_unit_test(loose_squeezes_are_seen),
        cmocka_unit_test(proofs_weigh_by_rows_that_hang_together),
        cmocka_unit_test(rows_without_data_confirm_nothing),
        cmocka_unit_test(slow_squeezes_are_seen),
        cmocka_unit_test(rows_without_data_are_right_to_the_last_bit),
        cmocka_unit_test(large_sets_are_confirmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
