/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schur: mixed problems with a planted solution, whose free unknowns are eliminated; those whose
 * free block is singular are not applicable, and `auto` solves what takes Newton's method long.
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

enum { N = 40, FREE = 10, RANK = 24 };

typedef struct mixed {
    double        M[N * N], q[N], z[N];
    unsigned char free[N];
} mixed;

/* A A' of RANK, a skew part, a planted solution; `copies` free unknowns are the same as the first.
 */
static void plant(mixed *m, uint64_t seed, int copies)
{
    static double A[N][RANK];
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < RANK; k++) {
            A[i][k] = i > 0 && i < copies ? A[0][k] : random_between(&seed, -1, 1);
        }
        double z   = random_between(&seed, -1, 1);
        m->free[i] = i < FREE;
        m->z[i]    = i < FREE ? z : fmax(0, z);
    }
    for (int i = 0; i < N; i++) {
        m->q[i] = i < FREE || m->z[i] > 0 ? 0 : random_between(&seed, 0, 1);
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < RANK; k++) {
                sum += A[i][k] * A[j][k];
            }
            m->M[j * N + i] = sum;
            m->q[i] -= sum * m->z[j];
        }
    }
}

static ss_solution solve(const char *name, const mixed *m, bool warm)
{
    static double z[N];
    ss_problem    p   = {.type    = SS_MLCP,
                         .as.mlcp = {.n    = N,
                                     .M    = {.rows = N, .cols = N, .dense = m->M, .ld = N},
                                     .q    = m->q,
                                     .free = m->free}};
    ss_solution   x   = {.z = z, .warm = warm};
    ss_context   *ctx = ss_context_create(NULL);
    ss_solver    *s;
    memset(z, 0, sizeof z);
    for (int i = 0; warm && i < N; i++) {
        z[i] = i % 3 == 0 ? 0 : m->z[i]; /* a guess that is partly wrong */
    }
    assert_int_equal(ss_solver_create_named(ctx, name, &s), SS_OK);
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
    return x;
}

static void planted_problems_are_solved(void **state)
{
    (void)state;
    static mixed m;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        plant(&m, seed, 0);
        assert_int_equal(solve("schur", &m, false).outcome, SS_SOLVED);
        assert_int_equal(solve("schur", &m, true).outcome, SS_SOLVED);
        assert_int_equal(solve("auto", &m, false).outcome, SS_SOLVED);
    }
}

static void singular_free_blocks_are_refused(void **state)
{
    (void)state;
    static mixed m;
    plant(&m, 5, 3);
    assert_int_equal(solve("schur", &m, false).outcome, SS_NOT_APPLICABLE);
    assert_int_equal(solve("auto", &m, false).outcome, SS_SOLVED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(planted_problems_are_solved),
                                       cmocka_unit_test(singular_free_blocks_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
