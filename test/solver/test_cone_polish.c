/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Piles of bodies whose masses differ by up to 1e8, one on the other, in both forms: the numbers
 * below name piles of which one form stopped between 1e-12 and 1e-9, where u = W r + q in doubles
 * is all rounding.
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

enum { BODIES = 8, CONTACTS = 4 * BODIES, ROWS = 3 * CONTACTS, DOFS = 6 * BODIES };

typedef struct pile {
    int32_t  bodies, each, rows, dofs; /* each: contacts of a body with what is below it */
    bool     square;                   /* on four corners, otherwise on random points    */
    ss_block blocks[CONTACTS];
    double   M[DOFS * DOFS], H[DOFS * ROWS], W[ROWS * ROWS], f[DOFS], v[DOFS];
    double   gap[ROWS], q[ROWS];
} pile;

static void cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalise(double *a)
{
    double l = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; i++) {
        a[i] /= l;
    }
}

/* A unit of force along d at x, as a force and a torque, times sign. */
static void add_wrench(const double *x, const double *d, double sign, double *w)
{
    double torque[3];
    cross(x, d, torque);
    for (int i = 0; i < 3; i++) {
        w[i] += sign * d[i];
        w[3 + i] += sign * torque[i];
    }
}

static void add_contact(pile *s, uint64_t *seed, int32_t body, int32_t c, double mu)
{
    double low[3] = {c % 2 ? 0.5 : -0.5, c / 2 ? 0.5 : -0.5, -0.5}, axes[3][3] = {{0, 0, 1}};
    if (!s->square) {
        for (int i = 0; i < 2; i++) {
            low[i] = random_between(seed, -0.5, 0.5);
        }
        for (int i = 0; i < 2; i++) {
            axes[0][i] = random_between(seed, -0.4, 0.4);
        }
        normalise(axes[0]);
    }
    for (int i = 0; i < 3; i++) {
        axes[1][i] = (i == 0) - axes[0][0] * axes[0][i];
    }
    normalise(axes[1]);
    cross(axes[0], axes[1], axes[2]);
    int32_t contact = s->each * body + c;
    double  high[3] = {low[0], low[1], 0.5};
    for (int i = 0; i < 3; i++) {
        double *column = s->H + (ptrdiff_t)(3 * contact + i) * s->dofs;
        add_wrench(low, axes[i], 1, column + (ptrdiff_t)6 * body);
        if (body > 0) {
            add_wrench(high, axes[i], -1, column + (ptrdiff_t)6 * (body - 1));
        }
    }
    s->blocks[contact] = (ss_block){SS_BLOCK_CONE, 3 * contact, 3, mu, 0};
    if (!s->square && random_bits(seed) % 3 == 0) {
        s->gap[3 * contact] = random_between(seed, 0, 0.02);
    }
}

static void add_masses(pile *s, uint64_t *seed, int kind, double ratio)
{
    for (int32_t b = 0; b < s->bodies; b++) {
        double mass = kind == 0   ? (b % 2 ? ratio : 1)
                      : kind == 1 ? (b == s->bodies - 1 ? ratio : 1)
                      : kind == 2 ? pow(ratio, random_between(seed, 0, 1))
                                  : (b % 2 ? 1 : ratio);
        for (int32_t i = 6 * b; i < 6 * b + 6; i++) {
            s->M[i * (s->dofs + 1)] = mass * (i % 6 < 3 ? 1 : 1 / 6.0);
        }
    }
}

static void make(pile *s, uint64_t seed)
{
    static const double mus[4] = {0.1, 0.3, 0.6, 1};
    memset(s, 0, sizeof *s);
    random_bits(&seed);
    s->bodies    = 2 + (int32_t)(random_bits(&seed) % 7);
    int    kind  = (int)(random_bits(&seed) % 4);
    double ratio = pow(10, random_between(&seed, 4, 8)), mu = mus[random_bits(&seed) % 4];
    s->square  = random_bits(&seed) % 2 == 1;
    bool moves = random_bits(&seed) % 2 == 1;
    s->each    = s->square ? 4 : 1 + (int32_t)(random_bits(&seed) % 4);
    s->rows    = 3 * s->each * s->bodies;
    s->dofs    = 6 * s->bodies;
    add_masses(s, &seed, kind, ratio);
    for (int32_t i = 0; i < s->dofs; i++) {
        s->v[i] = moves ? random_between(&seed, -0.1, 0.1) : 0;
        s->v[i] += i % 6 == 2 ? -0.00981 : i % 6 == 0 && s->square ? 0.002 : 0;
        s->f[i] = s->M[i * (s->dofs + 1)] * s->v[i];
    }
    for (int32_t c = 0; c < s->each * s->bodies; c++) {
        add_contact(s, &seed, c / s->each, c % s->each, mu);
    }
    for (int32_t i = 0; i < s->rows; i++) {
        s->q[i] = s->gap[i];
        for (int32_t k = 0; k < s->dofs; k++) {
            double h = s->H[i * s->dofs + k];
            s->q[i] += h * s->v[k];
            for (int32_t j = 0; j < s->rows; j++) {
                s->W[i + j * s->rows] += h * s->H[j * s->dofs + k] / s->M[k * (s->dofs + 1)];
            }
        }
    }
}

static ss_problem problem(const pile *s, bool global)
{
    ss_problem p = {.type = SS_CONE};
    p.as.cone    = (ss_cone){
           .n = s->rows, .nblocks = s->rows / 3, .blocks = s->blocks, .q = global ? s->gap : s->q};
    if (global) {
        p.as.cone.nv = s->dofs;
        p.as.cone.f  = s->f;
        p.as.cone.M  = (ss_matrix){.rows = s->dofs, .cols = s->dofs, .dense = s->M, .ld = s->dofs};
        p.as.cone.H  = (ss_matrix){.rows = s->dofs, .cols = s->rows, .dense = s->H, .ld = s->dofs};
    } else {
        p.as.cone.W = (ss_matrix){.rows = s->rows, .cols = s->rows, .dense = s->W, .ld = s->rows};
    }
    return p;
}

static void both_forms_are_solved(void **state)
{
    static const uint64_t numbers[] = {1492, 1632, 3707, 3791, 7, 8, 9};
    static pile           s;
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    ss_solver  *solver;
    assert_int_equal(ss_solver_create_named(ctx, "auto", &solver), SS_OK);
    ss_solver_set(solver, "tol", "1e-12");
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        make(&s, numbers[k]);
        for (int global = 0; global < 2; global++) {
            double      r[ROWS], v[DOFS];
            ss_problem  p = problem(&s, global);
            ss_solution x = {.z = r, .v = v};
            assert_int_equal(ss_solve(solver, &p, &x), SS_OK);
            if (x.outcome != SS_SOLVED) {
                fail_msg("pile %d, form %d: %s, %g", (int)numbers[k], global,
                         ss_outcome_text(x.outcome), x.residual);
            }
        }
    }
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_forms_are_solved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
