/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nonlinear mixed complementarity problems from the literature, the Jacobian checker, and large
 * sparse problems, which are factored another way than small ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "counted.h"
#include "near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/sparse.h"
#include "stickslip/solver.h"

/* M. Kojima and S. Shindo 1986: solutions (sqrt(6)/2, 0, 0, 1/2) and (1, 0, 3, 0). */
static int kojima(void *user, const double *z, double *F)
{
    (void)user;
    F[0] = 3 * z[0] * z[0] + 2 * z[0] * z[1] + 2 * z[1] * z[1] + z[2] + 3 * z[3] - 6;
    F[1] = 2 * z[0] * z[0] + z[1] * z[1] + z[0] + 10 * z[2] + 2 * z[3] - 2;
    F[2] = 3 * z[0] * z[0] + z[0] * z[1] + 2 * z[1] * z[1] + 2 * z[2] + 9 * z[3] - 9;
    F[3] = z[0] * z[0] + 3 * z[1] * z[1] + 2 * z[2] + 3 * z[3] - 3;
    return 0;
}

static int kojima_jacobian(void *user, const double *z, double *J)
{
    const double wrong       = user != NULL ? 0.01 : 0;
    const double columns[16] = {6 * z[0] + 2 * z[1],
                                4 * z[0] + 1,
                                6 * z[0] + z[1],
                                2 * z[0],
                                2 * z[0] + 4 * z[1],
                                2 * z[1],
                                z[0] + 4 * z[1],
                                6 * z[1],
                                1,
                                10,
                                2 + wrong,
                                2,
                                3,
                                2,
                                9,
                                3};
    for (int k = 0; k < 16; k++) {
        J[k] = columns[k];
    }
    return 0;
}

static const int32_t colptr[5]  = {0, 4, 8, 12, 16};
static const int32_t rowind[16] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};

static ss_problem kojima_problem(void *user)
{
    static const double lower[4] = {0, 0, 0, 0};
    static const double upper[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    ss_problem          p        = {.type = SS_MCP};
    p.as.mcp = (ss_mcp){4, lower, upper, kojima, kojima_jacobian, colptr, rowind, user};
    return p;
}

static void test_kojima_shindo(void **state)
{
    (void)state;
    ss_context  *ctx          = ss_context_create(NULL);
    ss_solver   *s            = NULL;
    ss_problem   p            = kojima_problem(NULL);
    const double starts[5][4] = {
        {0, 0, 0, 0}, {1, 1, 1, 1}, {10, 10, 10, 10}, {1, 0, 1, 0}, {100, 0, 0, 100}};
    const char *functions[3] = {"both", "fb", "min"};
    assert_int_equal(ss_solver_create_named(ctx, "newton", &s), SS_OK);
    for (int k = 0; k < 15; k++) {
        double      z[4];
        ss_solution x = {.z = z, .warm = true};
        for (int i = 0; i < 4; i++) {
            z[i] = starts[k % 5][i];
        }
        assert_int_equal(ss_solver_set(s, "function", functions[k / 5]), SS_OK);
        assert_int_equal(ss_solve(s, &p, &x), SS_OK);
        assert_int_equal(x.outcome, SS_SOLVED);
        bool first  = fabs(z[0] - sqrt(6) / 2) < 1e-7 && fabs(z[3] - 0.5) < 1e-7;
        bool second = fabs(z[0] - 1) < 1e-7 && fabs(z[2] - 3) < 1e-7;
        assert_true(first || second);
    }
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
}

/* F(z) = exp(z) - 2 on [-1, 0.5]: the root ln 2 is outside, so z = 0.5 with F < 0. */
static int exponential(void *user, const double *z, double *F)
{
    (void)user;
    F[0] = exp(z[0]) - 2;
    return !(z[0] < 100);
}

static int exponential_jacobian(void *user, const double *z, double *J)
{
    (void)user;
    J[0] = exp(z[0]);
    return 0;
}

static void test_upper_bound(void **state)
{
    (void)state;
    const int32_t ptr[2] = {0, 1}, ind[1] = {0};
    double        lower = -1, upper = 0.5, z = 0;
    ss_context   *ctx = ss_context_create(NULL);
    ss_solver    *s   = NULL;
    ss_problem    p   = {.type = SS_MCP};
    p.as.mcp = (ss_mcp){1, &lower, &upper, exponential, exponential_jacobian, ptr, ind, NULL};
    assert_int_equal(ss_solver_create_named(ctx, "auto", &s), SS_OK);
    ss_solution x = {.z = &z};
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    assert_int_equal(x.outcome, SS_SOLVED);
    assert_near(z, 0.5, 1e-12);
    upper = INFINITY;
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    assert_int_equal(x.outcome, SS_SOLVED);
    assert_near(z, log(2), 1e-9);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
}

/* A free block of zeros, as quasistatics has it: M = [0 1; -1 0] with z_0 free. */
static void test_singular_free_block(void **state)
{
    (void)state;
    const unsigned char free[3] = {1, 0, 0};
    const double        M[9] = {0, -1, -1, 1, 0, 0, 1, 0, 0}, q[3] = {-2, 1, 3};
    double              z[3];
    ss_context         *ctx = ss_context_create(NULL);
    ss_solver          *s   = NULL;
    ss_problem          p   = {.type = SS_MLCP};
    p.as.mlcp =
        (ss_mlcp){.n = 3, .M = {.rows = 3, .cols = 3, .dense = M, .ld = 3}, .q = q, .free = free};
    assert_int_equal(ss_solver_create_named(ctx, "auto", &s), SS_OK);
    ss_solution x = {.z = z};
    assert_int_equal(ss_solve(s, &p, &x), SS_OK);
    assert_int_equal(x.outcome, SS_SOLVED);
    assert_near(z[0], 1, 1e-9); /* the smaller of 1 and 3 holds it */
    assert_near(z[1], 2, 1e-9);
    assert_near(z[2], 0, 1e-9);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
}

static void test_jacobian_checker(void **state)
{
    (void)state;
    ss_context  *ctx  = ss_context_create(NULL);
    ss_problem   good = kojima_problem(NULL), bad = kojima_problem(&good);
    const double z[4] = {0.7, 1.3, 0.2, 2};
    double       worst;
    int32_t      row, col;
    assert_int_equal(ss_mcp_check_jacobian(ctx, &good.as.mcp, z, &worst, &row, &col), SS_OK);
    assert_true(worst < 1e-7);
    assert_int_equal(ss_mcp_check_jacobian(ctx, &bad.as.mcp, z, &worst, &row, &col), SS_OK);
    assert_true(worst > 1e-3);
    assert_int_equal(row, 2);
    assert_int_equal(col, 2);
    ss_context_destroy(ctx);
}

/*
 * A membrane on a grid of wide x high points, z = 0 around it, over an obstacle, under a load that
 * presses it down here and lifts it there: the five-point Laplacian, perhaps stiffened by z^3.
 * With high = 1 it is a string on an elastic bed. `size` (h^2 of the grid, or the bed's stiffness
 * over 20) is in load and stiffening, so that z is of size 1.
 */
enum { POINTS_MAX = 2000, ENTRIES_MAX = 5 * POINTS_MAX };

typedef struct membrane {
    int32_t  wide, high, n;
    double   cubic, diagonal;
    int32_t  colptr[POINTS_MAX + 1];
    int32_t *rowind;
    double  *values;
    double   load[POINTS_MAX], lower[POINTS_MAX], upper[POINTS_MAX];
} membrane;

/* Neighbours of point k, k itself included, ascending. */
static int32_t neighbours(const membrane *m, int32_t k, int32_t list[5])
{
    int32_t column = k % m->wide, count = 0;
    if (k >= m->wide) {
        list[count++] = k - m->wide;
    }
    if (column > 0) {
        list[count++] = k - 1;
    }
    list[count++] = k;
    if (column + 1 < m->wide) {
        list[count++] = k + 1;
    }
    if (k + m->wide < m->n) {
        list[count++] = k + m->wide;
    }
    return count;
}

/* With `full`, every entry is written down, zeros too. */
static void fill_laplacian(membrane *m, bool full)
{
    int32_t at = 0;
    for (int32_t j = 0; j < m->n; j++) {
        int32_t list[5], count = neighbours(m, j, list), next = 0;
        m->colptr[j] = at;
        for (int32_t i = 0; i < m->n; i++) {
            bool near = next < count && list[next] == i;
            next += near;
            if (near || full) {
                m->rowind[at]   = i;
                m->values[at++] = i == j ? m->diagonal : near ? -1 : 0;
            }
        }
    }
    m->colptr[m->n] = at;
}

static membrane *make_membrane(int32_t wide, int32_t high, double cubic, bool full)
{
    membrane *m = calloc(1, sizeof *m);
    assert_non_null(m);
    double h = 1.0 / (1 + (wide > high ? wide : high)), size = high > 1 ? h * h : 0.0025;
    *m          = (membrane){.wide = wide, .high = high, .n = wide * high, .cubic = cubic * size};
    m->diagonal = high > 1 ? 4 : 2 + 20 * size;
    size_t entries = full ? (size_t)m->n * (size_t)m->n : ENTRIES_MAX;
    m->rowind      = calloc(entries, sizeof *m->rowind);
    m->values      = calloc(entries, sizeof *m->values);
    assert_true(m->n <= POINTS_MAX && m->rowind != NULL && m->values != NULL);
    fill_laplacian(m, full);
    for (int32_t k = 0; k < m->n; k++) {
        double x = (k % wide + 1.0) / (wide + 1), y = (double)(k / wide + 1) / (high + 1);
        m->load[k]  = 20 * size * (sin(7 * x) * cos(5 * y) - 0.3);
        m->lower[k] = cubic != 0 ? -0.1 * (1 - x * x) : 0;
        m->upper[k] = cubic != 0 && k % 2 == 0 ? 0.05 : INFINITY;
    }
    return m;
}

static void free_membrane(membrane *m)
{
    free(m->rowind);
    free(m->values);
    free(m);
}

/* F = A z + cubic z^3 - load */
static int membrane_force(void *user, const double *z, double *F)
{
    const membrane *m = user;
    for (int32_t k = 0; k < m->n; k++) {
        int32_t list[5], count = neighbours(m, k, list);
        F[k] = (m->diagonal + 1) * z[k] + m->cubic * z[k] * z[k] * z[k] - m->load[k];
        for (int32_t i = 0; i < count; i++) {
            F[k] -= z[list[i]];
        }
    }
    return 0;
}

static int membrane_stiffness(void *user, const double *z, double *values)
{
    const membrane *m = user;
    memcpy(values, m->values, (size_t)m->colptr[m->n] * sizeof *values);
    for (int32_t j = 0; j < m->n; j++) {
        for (int32_t e = m->colptr[j]; e < m->colptr[j + 1]; e++) {
            values[e] += m->rowind[e] == j ? 3 * m->cubic * z[j] * z[j] : 0;
        }
    }
    return 0;
}

static ss_problem membrane_mcp(membrane *m)
{
    ss_problem p = {.type = SS_MCP};
    p.as.mcp     = (ss_mcp){m->n,      m->lower,  m->upper, membrane_force, membrane_stiffness,
                            m->colptr, m->rowind, m};
    return p;
}

/* q = -load goes to `q`. */
static ss_problem membrane_lcp(const membrane *m, double *q)
{
    ss_problem p = {.type = SS_LCP};
    for (int32_t k = 0; k < m->n; k++) {
        q[k] = -m->load[k];
    }
    p.as.lcp.n = m->n;
    p.as.lcp.q = q;
    p.as.lcp.M = (ss_matrix){
        .rows = m->n, .cols = m->n, .colptr = m->colptr, .rowind = m->rowind, .values = m->values};
    return p;
}

static void solve_timed(ss_solver *s, const ss_problem *p, double *z)
{
    ss_solution x              = {.z = z};
    ss_solver_common(s)->timed = true;
    ss_solver_common(s)->tol   = 1e-10;
    assert_int_equal(ss_solve(s, p, &x), SS_OK);
    print_message("n = %d: %d steps, %.1f ms, residual %.1e\n", (int)ss_problem_size(p),
                  (int)x.iterations, 1e3 * x.seconds, x.residual);
    assert_int_equal(x.outcome, SS_SOLVED);
    assert_true(x.residual <= 1e-10);
    assert_true(x.seconds < 0.5 || !ss_sparse_lu_available());
}

/* Neither everything nor nothing rests on the obstacle, or the problem would be none. */
static void assert_partly(const membrane *m, const double *z)
{
    int32_t held = 0;
    for (int32_t k = 0; k < m->n; k++) {
        held += z[k] == m->lower[k];
    }
    assert_in_range(held, m->n / 20, m->n - m->n / 20);
}

static void test_large_sparse(void **state)
{
    (void)state;
    static double z[POINTS_MAX], q[POINTS_MAX];
    const struct {
        int32_t wide, high;
        double  cubic;
    } cases[4]      = {{40, 50, 0}, {2000, 1, 0}, {40, 50, 30}, {2000, 1, 30}};
    ss_context *ctx = ss_context_create(NULL);
    ss_solver  *s   = NULL;
    assert_int_equal(ss_solver_create_named(ctx, "newton", &s), SS_OK);
    for (int k = 0; k < 4; k++) {
        membrane  *m = make_membrane(cases[k].wide, cases[k].high, cases[k].cubic, false);
        ss_problem p = m->cubic != 0 ? membrane_mcp(m) : membrane_lcp(m, q);
        solve_timed(s, &p, z);
        assert_partly(m, z);
        free_membrane(m);
    }
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
}

/* The same problem with all its zeros written down is factored as a dense one. */
static void test_sparse_agrees_with_dense(void **state)
{
    (void)state;
    double      z[2][120], q[2][120];
    ss_context *ctx = ss_context_create(NULL);
    ss_solver  *s   = NULL;
    assert_int_equal(ss_solver_create_named(ctx, "newton", &s), SS_OK);
    for (int nonlinear = 0; nonlinear < 2; nonlinear++) {
        for (int full = 0; full < 2; full++) {
            membrane  *m = make_membrane(10, 12, 30 * nonlinear, full);
            ss_problem p = nonlinear ? membrane_mcp(m) : membrane_lcp(m, q[full]);
            solve_timed(s, &p, z[full]);
            assert_partly(m, z[full]);
            free_membrane(m);
        }
        for (int k = 0; k < 120; k++) {
            assert_near(z[0][k], z[1][k], 1e-10);
        }
    }
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
}

/* The singular free block above, a hundred times over: zero pivots wherever a diagonal is free. */
static void test_sparse_singular_free_blocks(void **state)
{
    (void)state;
    enum { COPIES = 100, N = 3 * COPIES };
    int32_t       ptr[N + 1] = {0}, ind[4 * COPIES];
    double        values[4 * COPIES], q[N], z[N];
    unsigned char free_rows[N];
    for (int32_t c = 0; c < COPIES; c++) {
        const int32_t rows[4]    = {1, 2, 0, 0};
        const double  entries[4] = {-1, -1, 1, 1}, constant[3] = {-2, 1, 3};
        for (int32_t e = 0; e < 4; e++) {
            ind[4 * c + e]    = 3 * c + rows[e];
            values[4 * c + e] = entries[e];
        }
        for (int32_t i = 0; i < 3; i++) {
            q[3 * c + i]         = constant[i] * (1 + c % 7);
            free_rows[3 * c + i] = i == 0;
            ptr[3 * c + i + 1]   = 4 * c + 2 + i;
        }
    }
    ss_context *ctx = ss_context_create(NULL);
    ss_solver  *s   = NULL;
    ss_problem  p   = {.type = SS_MLCP};
    p.as.mlcp =
        (ss_mlcp){.n = N, .M = {N, N, NULL, 0, ptr, ind, values}, .q = q, .free = free_rows};
    assert_int_equal(ss_solver_create_named(ctx, "newton", &s), SS_OK);
    solve_timed(s, &p, z);
    for (int32_t c = 0; c < COPIES; c++) {
        assert_near(z[3 * c], 1 + c % 7, 1e-9);
        assert_near(z[3 * c + 1], 2 * (1 + c % 7), 1e-9);
        assert_near(z[3 * c + 2], 0, 1e-9);
    }
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
}

/* One solver, one pattern: the second time needs no memory, and no trace is left of the first. */
static void test_sparse_again(void **state)
{
    (void)state;
    static double fresh[POINTS_MAX], again[POINTS_MAX];
    counter       c    = {0};
    ss_context   *ctx  = counted_context(&c);
    ss_solver    *s    = NULL;
    membrane     *soft = make_membrane(40, 50, 1, false), *hard = make_membrane(40, 50, 1e4, false);
    ss_problem    first = membrane_mcp(soft), second = membrane_mcp(hard);
    assert_int_equal(ss_solver_create_named(ctx, "newton", &s), SS_OK);
    solve_timed(s, &first, fresh);
    int64_t before = c.requests;
    solve_timed(s, &second, again);
    assert_memory_not_equal(fresh, again, sizeof fresh);
    solve_timed(s, &first, again);
    assert_int_equal(c.requests, before);
    assert_memory_equal(fresh, again, sizeof fresh);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
    free_membrane(soft);
    free_membrane(hard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kojima_shindo),
        cmocka_unit_test(test_upper_bound),
        cmocka_unit_test(test_singular_free_block),
        cmocka_unit_test(test_jacobian_checker),
        cmocka_unit_test(test_large_sparse),
        cmocka_unit_test(test_sparse_agrees_with_dense),
        cmocka_unit_test(test_sparse_singular_free_blocks),
        cmocka_unit_test(test_sparse_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
