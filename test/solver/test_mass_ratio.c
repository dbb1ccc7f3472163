/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes on boxes, heavy on light: reactions are up to 1e8 times as large as what they leave of a
 * light box. Both forms are solved to 1e-12 and say the same; a point whose light box moves is not
 * taken for a solution.
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

enum { BOXES = 4, CONTACTS = 4 * BOXES, ROWS = 3 * CONTACTS, DOFS = 6 * BOXES };

typedef struct stack {
    int32_t  boxes, rows, dofs;
    ss_block blocks[CONTACTS];
    double   M[DOFS * DOFS], H[DOFS * ROWS], W[ROWS * ROWS], f[DOFS], free[DOFS];
    double   zero[ROWS], q[ROWS];
} stack;

/* A unit of force along `d` at corner (x, y, z) of a box, as a force and a torque. */
static void wrench(double x, double y, double z, const double *d, double sign, double *w)
{
    const double all[6] = {
        d[0], d[1], d[2], y * d[2] - z * d[1], z * d[0] - x * d[2], x * d[1] - y * d[0]};
    for (int i = 0; i < 6; i++) {
        w[i] += sign * all[i];
    }
}

/* Four corners of box k on box k - 1, or on the ground. */
static void add_corners(stack *s, int32_t k)
{
    static const double axes[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (int32_t c = 0; c < 4; c++) {
        double x = c % 2 ? 0.5 : -0.5, y = c / 2 ? 0.5 : -0.5;
        for (int32_t i = 0; i < 3; i++) {
            double *column = s->H + (ptrdiff_t)(3 * (4 * k + c) + i) * s->dofs;
            wrench(x, y, -0.5, axes[i], 1, column + (ptrdiff_t)6 * k);
            if (k > 0) {
                wrench(x, y, 0.5, axes[i], -1, column + (ptrdiff_t)6 * (k - 1));
            }
        }
    }
}

static void make(stack *s, uint64_t *seed, int32_t boxes, double ratio, double mu)
{
    double g[3] = {random_between(seed, -0.8, 0.8), random_between(seed, -0.8, 0.8), -9.81};
    memset(s, 0, sizeof *s);
    s->boxes = boxes;
    s->rows  = 12 * boxes;
    s->dofs  = 6 * boxes;
    for (int32_t k = 0; k < s->dofs; k++) {
        double mass           = k / 6 % 2 ? ratio : 1;
        s->M[k * s->dofs + k] = mass * (k % 6 < 3 ? 1 : 0.17);
        s->free[k]            = k % 6 < 3 ? 0.01 * g[k % 6] : 0;
        s->f[k]               = s->M[k * s->dofs + k] * s->free[k];
    }
    for (int32_t k = 0; k < boxes; k++) {
        add_corners(s, k);
    }
    for (int32_t i = 0; i < s->rows; i++) {
        s->blocks[i / 3] = (ss_block){SS_BLOCK_CONE, i / 3 * 3, 3, mu, 0};
        for (int32_t k = 0; k < s->dofs; k++) {
            double h = s->H[i * s->dofs + k];
            s->q[i] += h * s->free[k];
            for (int32_t j = 0; j < s->rows; j++) {
                s->W[j * s->rows + i] += h * s->H[j * s->dofs + k] / s->M[k * s->dofs + k];
            }
        }
    }
}

static ss_problem problem(const stack *s, bool global)
{
    ss_problem p = {.type = SS_CONE};
    ss_cone   *c = &p.as.cone;
    *c           = (ss_cone){
                  .n = s->rows, .nblocks = s->rows / 3, .blocks = s->blocks, .q = global ? s->zero : s->q};
    if (global) {
        c->nv = s->dofs;
        c->f  = s->f;
        c->M  = (ss_matrix){.rows = s->dofs, .cols = s->dofs, .dense = s->M, .ld = s->dofs};
        c->H  = (ss_matrix){.rows = s->dofs, .cols = s->rows, .dense = s->H, .ld = s->dofs};
    } else {
        c->W = (ss_matrix){.rows = s->rows, .cols = s->rows, .dense = s->W, .ld = s->rows};
    }
    return p;
}

static void both_forms_are_solved(void **state)
{
    (void)state;
    static stack  s;
    static double work[200 * ROWS];
    uint64_t      seed = 1;
    ss_context   *ctx  = ss_context_create(NULL);
    ss_solver    *solver;
    assert_int_equal(ss_solver_create_named(ctx, "auto", &solver), SS_OK);
    ss_solver_set(solver, "tol", "1e-12");
    for (int k = 0; k < 60; k++) {
        make(&s, &seed, 2 + k % 3, pow(10, 2 * (k % 5)), k % 2 ? 0.5 : 10);
        for (int global = 0; global < 2; global++) {
            double      r[ROWS], v[DOFS];
            ss_problem  p = problem(&s, global);
            ss_solution x = {.z = r, .v = v};
            assert_int_equal(ss_solve(solver, &p, &x), SS_OK);
            if (x.outcome != SS_SOLVED) {
                fail_msg("problem %d, form %d: %s, %g", k, global, ss_outcome_text(x.outcome),
                         x.residual);
            }
            if (global) { /* all stick: nothing moves by more than rounding of reactions of 1e7 */
                assert_true(fabs(v[0]) < 1e-6 && fabs(v[2]) < 1e-6);
                assert_true(ss_residual_work(&p) < sizeof work / sizeof *work);
                v[2] += 1e-5;
                assert_true(ss_residual(&p, r, v, work) > 1e-9);
                v[2] -= 1e-5;
                r[0] += 1e-4;
                assert_true(ss_residual(&p, r, v, work) > 1e-9);
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
