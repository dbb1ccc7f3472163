/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices: points of the polyhedron whose positive entries have independent columns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/basis.h"
#include "linalg/vertex.h"
#include "near.h"
#include "random.h"

enum { M_MAX = 8, N_MAX = 24 };

static bool never(void *user)
{
    (void)user;
    return false;
}

static bool at_once(void *user)
{
    (void)user;
    return true;
}

/* E x = e and signs, and no combination of the columns of what is not zero vanishes. */
static void check_vertex(int32_t m, int32_t n, const double *E, const unsigned char *free,
                         const double *x)
{
    double  Q[M_MAX * M_MAX], column[M_MAX];
    int32_t rank = 0;
    for (int32_t i = 0; i < m; i++) {
        double sum = -E[n * m + i];
        for (int32_t j = 0; j < n; j++) {
            sum += E[j * m + i] * x[j];
        }
        assert_near(sum, 0, 1e-11);
    }
    for (int32_t j = 0; j < n; j++) {
        assert_true(free[j] || x[j] > -1e-12);
        if (x[j] != 0) {
            memcpy(column, E + (ptrdiff_t)j * m, (size_t)m * sizeof *column);
            assert_true(rank < m && ss_basis_add(m, Q, &rank, column, 1e-10));
        }
    }
}

/* Random polyhedra, some of their rows sums of others, with a point inside. */
static void vertices_are_reached(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int k = 0; k < 300; k++) {
        int32_t m = 2 + k % (M_MAX - 1), n = m + (int32_t)(random_bits(&seed) % 16), basis[M_MAX];
        int32_t order[N_MAX];
        double  E[M_MAX * (N_MAX + 1)] = {0}, T[M_MAX * (N_MAX + 1)], x[N_MAX], products = 0;
        unsigned char free[N_MAX];
        for (int32_t j = 0; j < n; j++) {
            free[j] = random_bits(&seed) % 6 == 0;
            x[j] = random_bits(&seed) % 3 == 0 ? 0 : random_between(&seed, free[j] ? -1 : 0.01, 1);
        }
        for (int32_t i = 0; i < m; i++) {
            E[n * m + i] = 0;
            for (int32_t j = 0; j < n; j++) {
                bool sum     = i == m - 1 && k % 3 == 0;
                E[j * m + i] = sum ? E[j * m] + E[j * m + i - 1] : random_between(&seed, -1, 1);
                E[n * m + i] += E[j * m + i] * x[j];
            }
        }
        memcpy(T, E, sizeof T);
        assert_true(ss_vertex(m, n, T, free, x, basis, order, &products, never, NULL));
        check_vertex(m, n, E, free, x);
    }
}

/* x1 + x2 + x3 = 1: the largest of them is what is left. */
static void the_largest_stay(void **state)
{
    (void)state;
    double        T[4] = {1, 1, 1, 1}, x[3] = {0.3, 0.5, 0.2}, products = 0;
    unsigned char free[3] = {0};
    int32_t       basis[1], order[3];
    assert_true(ss_vertex(1, 3, T, free, x, basis, order, &products, never, NULL));
    assert_near(x[0], 0, 0);
    assert_near(x[1], 1, 1e-15);
    assert_near(x[2], 0, 0);
    assert_false(ss_vertex(1, 3, T, free, x, basis, order, &products, at_once, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vertices_are_reached),
                                       cmocka_unit_test(the_largest_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
