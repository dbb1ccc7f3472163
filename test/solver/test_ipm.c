/* SPDX-License-Identifier: Apache-2.0 */
/* ipm: planted contacts on bodies with a sparse M, redundant ones too; dense problems in reactions;
   what it does not take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "solver/cone_methods.h"
#include "solver/planted_cone.h"

/* Rounding near the boundary of the cones ends what the method can do. */
static const double TOLERANCE = 1e-8;
/* In reactions it ends sooner: nothing is polished there, Newton's method goes on. */
static const double ROUGHLY = 1e-6;

typedef struct columns {
    int32_t colptr[PLANTED_DOFS + 1], rowind[PLANTED_ROWS * PLANTED_DOFS];
    double  values[PLANTED_ROWS * PLANTED_DOFS];
} columns;

static ss_matrix compress(const ss_matrix *A, columns *to)
{
    int32_t at = 0;
    for (int32_t j = 0; j < A->cols; j++) {
        to->colptr[j] = at;
        for (int32_t i = 0; i < A->rows; i++) {
            double x = A->dense[(size_t)j * (size_t)A->ld + (size_t)i];
            if (x != 0) {
                to->rowind[at]   = i;
                to->values[at++] = x;
            }
        }
    }
    to->colptr[A->cols] = at;
    return (ss_matrix){.rows   = A->rows,
                       .cols   = A->cols,
                       .colptr = to->colptr,
                       .rowind = to->rowind,
                       .values = to->values};
}

static ss_outcome solve_planted(ss_solver *ipm, const planted *p, ss_solution *x)
{
    columns   *M = malloc(sizeof *M), *H = malloc(sizeof *H);
    ss_problem problem = planted_global(p);
    assert_non_null(M);
    assert_non_null(H);
    problem.as.cone.M = compress(&problem.as.cone.M, M);
    problem.as.cone.H = compress(&problem.as.cone.H, H);
    assert_int_equal(ss_solve(ipm, &problem, x), SS_OK);
    free(M);
    free(H);
    return x->outcome;
}

/* More velocities than rows: the planted reactions are the only ones. */
static void unique_reactions_are_found(void **state)
{
    ss_solver *ipm = *state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        planted p;
        double  r[PLANTED_ROWS] = {0}, v[PLANTED_DOFS] = {0};
        planted_contacts(&p, seed, 8, seed % 2 == 0 ? 3 : 2, 0.5, 60);
        ss_solution x = {.z = r, .v = v};
        assert_int_equal(solve_planted(ipm, &p, &x), SS_SOLVED);
        assert_true(x.residual <= TOLERANCE);
        for (int32_t i = 0; i < p.n; i++) {
            assert_true(fabs(r[i] - p.r[i]) < 1e-6);
        }
    }
}

/* Fewer velocities than rows: reactions are redundant, some solution is found. */
static void redundant_contacts_do_no_harm(void **state)
{
    ss_solver *ipm    = *state;
    int        solved = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        planted p;
        double  r[PLANTED_ROWS] = {0}, v[PLANTED_DOFS] = {0};
        planted_contacts(&p, seed, 12, 3, 0.5, 20);
        ss_solution x = {.z = r, .v = v};
        solved += solve_planted(ipm, &p, &x) == SS_SOLVED && x.residual <= TOLERANCE;
    }
    assert_true(solved >= 18); /* not every one has to: friction is not monotone */
}

/* The dense form in reactions: every law, with unique reactions and with redundant ones. */
static void dense_problems_of_all_laws_are_solved(void **state)
{
    ss_solver *ipm    = *state;
    int        solved = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        planted p;
        double  r[PLANTED_ROWS] = {0};
        if (seed % 2) {
            planted_mixed(&p, seed, 60);
        } else {
            planted_contacts(&p, seed, 12, 3, 0.5, 20);
        }
        ss_solution x       = {.z = r};
        ss_problem  problem = planted_local(&p);
        assert_int_equal(ss_solve(ipm, &problem, &x), SS_OK);
        solved += x.residual <= ROUGHLY;
    }
    assert_true(solved >= 38); /* not every one has to: friction is not monotone */
}

static void joints_on_bodies_are_left_to_others(void **state)
{
    ss_solver  *ipm = *state;
    planted     p;
    double      r[PLANTED_ROWS] = {0}, v[PLANTED_DOFS] = {0};
    ss_solution x = {.z = r, .v = v};
    planted_mixed(&p, 1, 60);
    assert_int_equal(solve_planted(ipm, &p, &x), SS_NOT_APPLICABLE);
}

static int set_up(void **state)
{
    ss_solver  *ipm = NULL;
    ss_context *ctx = ss_context_create(NULL);
    int         bad = ctx == NULL || ss_solver_create(ctx, &ss_solver_ipm, &ipm) != SS_OK;
    *state          = ipm;
    if (!bad) {
        ss_solver_common(ipm)->tol = TOLERANCE;
    }
    return bad;
}

static int tear_down(void **state)
{
    ss_context *ctx = ss_solver_context(*state);
    ss_solver_destroy(*state);
    ss_context_destroy(ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unique_reactions_are_found),
                                       cmocka_unit_test(redundant_contacts_do_no_harm),
                                       cmocka_unit_test(dense_problems_of_all_laws_are_solved),
                                       cmocka_unit_test(joints_on_bodies_are_left_to_others)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
