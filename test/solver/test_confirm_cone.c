/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Friction problems without a solution, in which reactions of 1e6 and more hide what is missed, and
 * problems like them that have one: no solver calls the first solved, nor the second infeasible.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/twofold.h"
#include "stickslip/solver.h"

enum { MOST = 6, BLOCKS = 3 };

/* A problem in its local form: W by rows; the rows of its blocks one after the other. */
typedef struct local {
    int32_t  n, nblocks;
    ss_block blocks[BLOCKS];
    double   W[MOST * MOST], q[MOST];
} local;

static ss_outcome outcome_of(const char *name, const ss_problem *p)
{
    double      r[MOST] = {0}, v[MOST] = {0};
    ss_solution x   = {.z = r, .v = v};
    ss_context *ctx = ss_context_create(NULL);
    ss_solver  *s;
    assert_int_equal(ss_solver_create_named(ctx, name, &s), SS_OK);
    assert_int_equal(ss_solve(s, p, &x), SS_OK);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
    return x.outcome;
}

static void nobody_solves(const ss_problem *p)
{
    static const char *const names[] = {"auto", "contact", "ac", "nsgs", "admm", "splitting"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        assert_int_not_equal(outcome_of(names[k], p), SS_SOLVED);
    }
}

static ss_problem problem_of(const local *l)
{
    ss_matrix W = {.rows = l->n, .cols = l->n, .dense = l->W, .ld = l->n};
    return (ss_problem){
        .type    = SS_CONE,
        .as.cone = {.n = l->n, .nblocks = l->nblocks, .blocks = l->blocks, .q = l->q, .W = W}};
}

/* The same with the rows of block k in other units: powers of two. */
static void in_units(local *l, const int *unit)
{
    double d[MOST] = {0};
    for (int32_t k = 0; k < l->nblocks; k++) {
        for (int32_t i = 0; i < l->blocks[k].dim; i++) {
            d[l->blocks[k].start + i] = ldexp(1, unit[k]);
        }
    }
    for (int32_t i = 0; i < l->n; i++) {
        l->q[i] *= d[i];
        for (int32_t j = 0; j < l->n; j++) {
            l->W[j * l->n + i] *= d[i] * d[j];
        }
    }
}

/*
 * A row that cannot go back, and a contact in the plane. u0 + u1 = r1 + r2 >= 0, and so u2 = r1 +
 * r2
 * + sliding >= sliding: with 1 the contact slides, r2 = -2 r1, and nothing is left that could hold
 * row 0. With -1 it sticks: r = (0, 99999, -99998).
 */
static local wedge(double mass, double push, double sliding)
{
    return (local){.n       = 3,
                   .nblocks = 2,
                   .blocks  = {{SS_BLOCK_UNILATERAL, 0, 1, 0, 0}, {SS_BLOCK_CONE, 1, 2, 2, 0}},
                   .W       = {mass, -mass, 0, -mass, mass + 1, 1, 0, 1, 1},
                   .q       = {push * mass, -push * mass, sliding}};
}

static void wedges_that_do_not_hold_are_seen(void **state)
{
    (void)state;
    static const int units[][BLOCKS] = {{0, 0}, {-17, 15}, {15, -17}, {-30, 0}};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        for (int light = 0; light < 2; light++) {
            local      none = wedge(light ? 0x1p20 : 1, light ? 3 : 1e5, 1);
            ss_problem p    = problem_of(&none);
            in_units(&none, units[k]);
            nobody_solves(&p);
        }
        local      some = wedge(1, 1e5, -1);
        ss_problem p    = problem_of(&some);
        in_units(&some, units[k]);
        assert_int_equal(outcome_of("auto", &p), SS_SOLVED);
        assert_int_not_equal(outcome_of("farkas", &p), SS_INFEASIBLE);
    }
}

/* Data that are rounded have no more digits to ask about: such answers are not refined. */
static void rounded_data_are_not_refined(void **state)
{
    (void)state;
    local       none = wedge(1, 1e5, 1);
    ss_problem  p    = problem_of(&none);
    double      work[2];
    ss_context *ctx = ss_context_create(NULL);
    for (int rounded = 0; rounded < 2; rounded++) {
        double      r[MOST] = {0};
        ss_solution x       = {.z = r};
        ss_solver  *s;
        assert_int_equal(ss_solver_create_named(ctx, "auto", &s), SS_OK);
        ss_solver_common(s)->rounded = rounded;
        assert_int_equal(ss_solve(s, &p, &x), SS_OK);
        work[rounded] = x.work;
        ss_solver_destroy(s);
    }
    ss_context_destroy(ctx);
    print_message("products: %g, rounded %g\n", work[0], work[1]);
    assert_true(work[1] < work[0]);
}

/* The same by little beside the rest, and with masses that differ. */
static void wedges_that_slip_slowly_are_seen(void **state)
{
    (void)state;
    static const double less[][3] = {{1, 1e5, 0x1p-6}, {0x1p20, 3, 0x1p-9}, {0x1p10, 1e5, 0x1p-3}};
    for (int k = 0; k < 3; k++) {
        local      none = wedge(less[k][0], less[k][1], less[k][2]);
        ss_problem p    = problem_of(&none);
        nobody_solves(&p);
    }
}

/* A wedge between a row and a contact whose data is only one of sliding: the same in any unit. */
static void units_of_blocks_do_not_hide(void **state)
{
    (void)state;
    static const int units[][BLOCKS] = {{0, 0}, {-30, 0}, {-17, 15}, {10, -10}};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        local      l = {.n       = 3,
                        .nblocks = 2,
                        .blocks  = {{SS_BLOCK_CONE, 0, 2, 1, 0}, {SS_BLOCK_UNILATERAL, 2, 1, 0, 0}},
                        .W       = {0.5, 0, -0.5, 0, 0.1875, -0.1875, -0.5, -0.1875, 0.6875},
                        .q       = {0, 0, -0.75}};
        ss_problem p = problem_of(&l);
        in_units(&l, units[k]);
        nobody_solves(&p);
    }
}

/* Not symmetric, a disk without a bound to speak of, and contacts that push each other away. */
static void matrices_of_no_body_are_no_excuse(void **state)
{
    (void)state;
    local        skew  = {.n       = 3,
                          .nblocks = 2,
                          .blocks  = {{SS_BLOCK_DISK, 0, 1, 0, 0}, {SS_BLOCK_CONE, 1, 2, 1, 0}},
                          .W       = {0, 0, 2, -3, 0, 0, -1, -1, 0},
                          .q       = {2, -2, -3}};
    local        four  = {.n       = 4,
                          .nblocks = 3,
                          .blocks  = {{SS_BLOCK_UNILATERAL, 0, 1, 0, 0},
                                      {SS_BLOCK_UNILATERAL, 1, 1, 0, 0},
                                      {SS_BLOCK_CONE, 2, 2, 2, 0}},
                          .W       = {1, 0.5, -1, 0, 0.5, 0.5, 0, 0.5, -1, 0, 2, 1, 0, 0.5, 1, 1},
                          .q       = {2e5, 0, -1, 0}};
    local        turns = {.n       = 6,
                          .nblocks = 2,
                          .blocks  = {{SS_BLOCK_CONE, 0, 3, 1, 0}, {SS_BLOCK_CONE, 3, 3, 10, 0}},
                          .W       = {1, 0, -1, 1, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 1, -1, 0, 0,
                                      1, 0, -1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0,  0, 0, 0,  0, 0},
                          .q       = {-2, 0, -2, -2 + 0x1p-20, 0, -1}};
    const local *all[] = {&skew, &four, &turns};
    for (int k = 0; k < 3; k++) {
        ss_problem p = problem_of(all[k]);
        nobody_solves(&p);
    }
}

/* A contact that closes and has no reaction to stop it, beside one with much larger data: what
   proves that there is no solution has a residual of 3e-12. */
static void proofs_are_not_taken_for_answers(void **state)
{
    (void)state;
    double     M[1] = {1}, H[4] = {0}, f[1] = {-2}, q[4] = {0x1p20, 2, -0x1p-17, 2e6};
    ss_block   b[2] = {{SS_BLOCK_CONE, 0, 2, 0.5, 0}, {SS_BLOCK_CONE, 2, 2, 0, 0}};
    ss_problem p    = {.type = SS_CONE};
    p.as.cone       = (ss_cone){.n = 4, .nblocks = 2, .blocks = b, .q = q, .nv = 1, .f = f};
    p.as.cone.M     = (ss_matrix){.rows = 1, .cols = 1, .dense = M, .ld = 1};
    p.as.cone.H     = (ss_matrix){.rows = 1, .cols = 4, .dense = H, .ld = 1};
    nobody_solves(&p);
    assert_int_equal(outcome_of("auto", &p), SS_INFEASIBLE);
    assert_int_equal(outcome_of("farkas", &p), SS_INFEASIBLE);
}

/*
 * A body of 128 that is driven into a contact, whose row of friction is that of its normal but for
 * a velocity of 1: sliding pushes it on. Reactions of 5e16 hide the 1 beside 6e6, but M and H are
 * what they are, and leave nothing to rounding.
 */
static void rows_that_are_alike_but_for_little_are_seen(void **state)
{
    (void)state;
    double     M[9] = {128, 0, 0, 0, 1, 0, 0, 0, 1}, H[9] = {2, -1, -1, -2, 0, 0, 2, 0, 0};
    double     f[3] = {384e6, -2e6, 2}, q[3] = {1e5, 0, -1};
    ss_block   b[2] = {{SS_BLOCK_DISK, 0, 1, 0, 0}, {SS_BLOCK_CONE, 1, 2, 2, 0}};
    ss_problem p    = {.type = SS_CONE};
    p.as.cone       = (ss_cone){.n = 3, .nblocks = 2, .blocks = b, .q = q, .nv = 3, .f = f};
    p.as.cone.M     = (ss_matrix){.rows = 3, .cols = 3, .dense = M, .ld = 3};
    p.as.cone.H     = (ss_matrix){.rows = 3, .cols = 3, .dense = H, .ld = 3};
    nobody_solves(&p);
    q[2] = 1; /* sliding the other way holds it */
    assert_int_equal(outcome_of("auto", &p), SS_SOLVED);
}

/* M v = f with M = [1 1; 1 1]: f1 and f2 contradict each other, and v of 1e10 hides it. */
static ss_problem momentum(double *M, double *H, double *f, double *q, ss_block *b)
{
    ss_problem p = {.type = SS_CONE};
    p.as.cone    = (ss_cone){.n = 2, .nblocks = 1, .blocks = b, .q = q, .nv = 2, .f = f};
    p.as.cone.M  = (ss_matrix){.rows = 2, .cols = 2, .dense = M, .ld = 2};
    p.as.cone.H  = (ss_matrix){.rows = 2, .cols = 2, .dense = H, .ld = 2};
    return p;
}

static void momentum_that_contradicts_itself_is_seen(void **state)
{
    (void)state;
    double     M[4] = {1, 1, 1, 1}, H[4] = {0}, f[2] = {1, -1}, q[2] = {1, 0};
    ss_block   b = {SS_BLOCK_CONE, 0, 2, 0.5, 0};
    ss_problem p = momentum(M, H, f, q, &b);
    nobody_solves(&p);
    f[1] = 1; /* any v with v1 + v2 = 1 */
    assert_int_not_equal(outcome_of("auto", &p), SS_INFEASIBLE);
    M[1] = M[2] = 0;
    assert_int_equal(outcome_of("auto", &p), SS_SOLVED);
}

/* The wedge before among `others` bodies that rest on a plane of their own: W has few entries. */
static ss_outcome wedge_among(int32_t others, double sliding, double *work)
{
    local       l     = wedge(1, 1e5, sliding);
    int32_t     n     = l.n + 3 * others;
    ss_block   *block = calloc((size_t)(l.nblocks + others), sizeof *block);
    int32_t    *start = calloc((size_t)n + 1, sizeof *start);
    int32_t    *row   = calloc((size_t)(n + 9), sizeof *row);
    double     *value = calloc((size_t)(n + 9), sizeof *value), *q = calloc((size_t)n, sizeof *q);
    double     *r   = calloc((size_t)n, sizeof *r);
    ss_solution x   = {.z = r};
    ss_context *ctx = ss_context_create(NULL);
    ss_solver  *s;
    memcpy(block, l.blocks, (size_t)l.nblocks * sizeof *block);
    for (int32_t j = 0; j < n; j++) {
        int32_t at = start[j], count = j < l.n ? l.n : 1;
        for (int32_t e = 0; e < count; e++) {
            row[at + e]   = j < l.n ? e : j;
            value[at + e] = j < l.n ? l.W[j * l.n + e] : 1;
        }
        start[j + 1] = at + count;
        q[j]         = j < l.n ? l.q[j] : (j - l.n) % 3 == 0 ? -1 : 0.25 * (j % 7);
    }
    for (int32_t k = 0; k < others; k++) {
        block[l.nblocks + k] = (ss_block){SS_BLOCK_CONE, l.n + 3 * k, 3, 0.5, 0};
    }
    ss_problem p = {.type    = SS_CONE,
                    .as.cone = {.n = n, .nblocks = l.nblocks + others, .blocks = block, .q = q}};
    p.as.cone.W =
        (ss_matrix){.rows = n, .cols = n, .colptr = start, .rowind = row, .values = value};
    assert_int_equal(ss_solver_create_named(ctx, "auto", &s), SS_OK);
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    *work = x.work;
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
    free(block);
    free(start);
    free(row);
    free(value);
    free(q);
    free(r);
    return x.outcome;
}

/* However many others there are, and for little more than what it takes to solve them. */
static void large_problems_are_refined(void **state)
{
    (void)state;
    double work;
    assert_int_not_equal(wedge_among(600, 1, &work), SS_SOLVED);
    assert_int_equal(wedge_among(600, -1, &work), SS_SOLVED);
    assert_true(work < 1e7);
}

/* Roots and quotients keep all but the last digits of twice the precision. */
static void twofold_numbers_are_right(void **state)
{
    (void)state;
    for (double x = 2; x < 1e20; x *= 7.3) {
        ss_twofold root = ss_twofold_root((ss_twofold){x, x * 0x1p-55});
        ss_twofold part = ss_twofold_quotient((ss_twofold){1, 0x1p-60}, root);
        ss_twofold zero =
            ss_twofold_subtract(ss_twofold_product(root, root), (ss_twofold){x, x * 0x1p-55});
        ss_twofold none =
            ss_twofold_subtract(ss_twofold_product(part, root), (ss_twofold){1, 0x1p-60});
        assert_true(fabs(zero.hi) < 0x1p-100 * x && fabs(none.hi) < 0x1p-100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wedges_that_do_not_hold_are_seen),
        cmocka_unit_test(rounded_data_are_not_refined),
        cmocka_unit_test(wedges_that_slip_slowly_are_seen),
        cmocka_unit_test(units_of_blocks_do_not_hide),
        cmocka_unit_test(matrices_of_no_body_are_no_excuse),
        cmocka_unit_test(momentum_that_contradicts_itself_is_seen),
        cmocka_unit_test(proofs_are_not_taken_for_answers),
        cmocka_unit_test(rows_that_are_alike_but_for_little_are_seen),
        cmocka_unit_test(large_problems_are_refined),
        cmocka_unit_test(twofold_numbers_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
