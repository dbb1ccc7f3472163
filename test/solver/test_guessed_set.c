/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LCPs near a guess by active sets, the quick refusal of guesses, and the units of rows that the
 * certificate takes: each against the longer way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/matrix.h"
#include "problem/residual.h"
#include "solver/guessed_set.h"
#include "solver/lcp_cases.h"

static double work[16 * LCP_CASE_MAX + LCP_CASE_MAX * LCP_CASE_MAX];

static void set_of(const double *z, int32_t n, unsigned char *inside)
{
    for (int32_t i = 0; i < n; i++) {
        inside[i] = z[i] > 0;
    }
}

/* The planted set is right at once; with one pair on the wrong side it is found again. */
static void test_near_the_answer(void **state)
{
    (void)state;
    uint64_t seed     = 3;
    double   products = 0;
    void    *memory   = malloc(ss_guessed_set_bytes(LCP_CASE_MAX));
    int      found    = 0;
    for (int k = 0; k < 400; k++) {
        lcp_case      c;
        int32_t       n = 1 + k % 20;
        double        z[LCP_CASE_MAX];
        unsigned char inside[LCP_CASE_MAX];
        lcp_case_definite(&c, &seed, n);
        ss_problem p = lcp_case_problem(&c);
        set_of(c.z, n, inside);
        assert_int_equal(ss_guessed_set(&p.as.lcp, inside, z, memory, &products), 0);
        assert_true(ss_residual(&p, z, NULL, work) < 1e-12);
        inside[lcp_case_next(&seed) % (uint64_t)n] ^= 1;
        int32_t exchanges = ss_guessed_set(&p.as.lcp, inside, z, memory, &products);
        if (exchanges >= 0) {
            found++;
            assert_true(exchanges > 0 && ss_residual(&p, z, NULL, work) < 1e-12);
        }
    }
    assert_true(found >= 390);
    free(memory);
}

/* From any set, of any matrix: an answer is one, or it is said that there is none. */
static void test_never_wrong(void **state)
{
    (void)state;
    uint64_t seed     = 4;
    double   products = 0;
    void    *memory   = malloc(ss_guessed_set_bytes(LCP_CASE_MAX));
    int      found = 0, none = 0;
    for (int k = 0; k < 2000; k++) {
        lcp_case      c;
        int32_t       n = 1 + k % 9;
        double        z[LCP_CASE_MAX];
        unsigned char inside[LCP_CASE_MAX];
        if (k % 3 == 0) {
            lcp_case_any(&c, &seed, n);
        } else if (k % 3 == 1) {
            lcp_case_contacts(&c, &seed, 1, 2 + n % 3);
        } else {
            lcp_case_semidefinite_any(&c, &seed, n);
        }
        ss_problem p = lcp_case_problem(&c);
        for (int32_t i = 0; i < p.as.lcp.n; i++) {
            inside[i] = (unsigned char)(lcp_case_next(&seed) % 2);
        }
        if (ss_guessed_set(&p.as.lcp, inside, z, memory, &products) < 0) {
            none++;
            continue;
        }
        found++;
        assert_true(ss_residual(&p, z, NULL, work) < 1e-9);
    }
    assert_true(found > 500 && none > 50);
    free(memory);
}

/* The same matrix in columns. */
static ss_matrix columns_of(const ss_matrix *M, int32_t *colptr, int32_t *rowind, double *values)
{
    int32_t count = 0;
    for (int32_t j = 0; j < M->cols; j++) {
        colptr[j] = count;
        for (int32_t i = 0; i < M->rows; i++) {
            if (M->dense[i + (ptrdiff_t)j * M->ld] != 0) {
                values[count]   = M->dense[i + (ptrdiff_t)j * M->ld];
                rowind[count++] = i;
            }
        }
    }
    colptr[M->cols] = count;
    return (ss_matrix){
        .rows = M->rows, .cols = M->cols, .colptr = colptr, .rowind = rowind, .values = values};
}

/* Few unknowns without a guess: what is given is an answer, whatever the matrix and its storage. */
static void test_first_set(void **state)
{
    (void)state;
    enum { MOST = SS_FIRST_SET_MOST };
    uint64_t seed  = 7;
    int      found = 0, none = 0;
    for (int k = 0; k < 3000; k++) {
        lcp_case c;
        int32_t  n = 1 + k % MOST, colptr[MOST + 1], rowind[MOST * MOST];
        double   z[MOST], again[MOST], values[MOST * MOST];
        if (k % 3 == 0) {
            lcp_case_definite(&c, &seed, n);
        } else if (k % 3 == 1) {
            lcp_case_any(&c, &seed, n);
        } else {
            lcp_case_semidefinite_any(&c, &seed, n);
        }
        ss_problem p        = lcp_case_problem(&c);
        ss_lcp     sparse   = p.as.lcp;
        bool       is_first = ss_first_set(&p.as.lcp, z);
        sparse.M            = columns_of(&p.as.lcp.M, colptr, rowind, values);
        assert_true(ss_first_set(&sparse, again) == is_first);
        found += is_first;
        none += !is_first;
        assert_true(!is_first || ss_residual(&p, z, NULL, work) < 1e-14);
        assert_true(!is_first || memcmp(z, again, (size_t)n * sizeof *z) == 0);
    }
    assert_true(found > 500 && none > 500);
}

/* Contacts that press, on bodies that have one or two of them: the first set is the answer. */
static void test_first_set_of_contacts(void **state)
{
    (void)state;
    double     M[16] = {2, -1, 0, 0, -1, 2, 0, 0, 0, 0, 3, 1, 0, 0, 1, 3}, q[4] = {-1, -2, -3, 4};
    double     z[4];
    ss_problem p = {.type = SS_LCP};
    p.as.lcp     = (ss_lcp){4, {.rows = 4, .cols = 4, .dense = M, .ld = 4}, q};
    assert_true(ss_first_set(&p.as.lcp, z));
    assert_true(fabs(z[0] - 4.0 / 3) < 1e-15 && fabs(z[1] - 5.0 / 3) < 1e-15);
    assert_true(z[2] == 1 && z[3] == 0);
    q[3] = 0.5;
    assert_true(ss_first_set(&p.as.lcp, z));
    M[11] = M[14] = -1; /* the third pushes the fourth in */
    assert_false(ss_first_set(&p.as.lcp, z));
    M[11] = M[14] = 3; /* two that are one */
    q[3]          = -3;
    assert_false(ss_first_set(&p.as.lcp, z));
}

/* What is refused at a glance is refused by the certificate, and most bad guesses are. */
static void test_quick_refusal(void **state)
{
    (void)state;
    uint64_t seed    = 5;
    int      refused = 0;
    for (int k = 0; k < 1000; k++) {
        lcp_case c;
        int32_t  n = 1 + k % 20;
        double   z[LCP_CASE_MAX], least = 1e-13;
        lcp_case_semidefinite(&c, &seed, n, 0.3);
        ss_problem p = lcp_case_problem(&c);
        assert_false(ss_residual_above(&p, c.z, least, work));
        memcpy(z, c.z, sizeof z);
        z[lcp_case_next(&seed) % (uint64_t)n] *= 1 + pow(10, -(double)(k % 16));
        if (ss_residual_above(&p, z, least, work)) {
            refused++;
            assert_true(ss_residual(&p, z, NULL, work) > least);
        }
    }
    assert_true(refused > 300);
}

/* Units of rows from dense storage and from columns are the same, zeros, tiny and huge entries
   included. */
static void test_row_units(void **state)
{
    (void)state;
    enum { N = 23 };
    static double A[N * N], values[N * N], scratch[3 * N];
    int32_t       colptr[N + 1] = {0}, rowind[N * N];
    uint64_t      seed          = 6;
    for (int k = 0; k < 300; k++) {
        int32_t count = 0;
        double  dense_units[N], units[N];
        for (int32_t j = 0; j < N; j++) {
            for (int32_t i = 0; i < N; i++) {
                uint64_t dice = lcp_case_next(&seed);
                double   a    = dice % 3 == 0 ? 0 : ldexp(1.5, (int)(dice / 7 % 200) - 100);
                if (k % 10 == 9 && dice % 101 == 1) {
                    a = 5e-324; /* subnormal: no exponent to be read off */
                }
                A[i + j * N] = dice % 2 == 0 ? a : -a;
                if (a != 0) {
                    values[count]   = A[i + j * N];
                    rowind[count++] = i;
                }
            }
            colptr[j + 1] = count;
        }
        ss_matrix D = {.rows = N, .cols = N, .dense = A, .ld = N};
        ss_matrix S = {.rows = N, .cols = N, .colptr = colptr, .rowind = rowind, .values = values};
        ss_matrix_row_units(&D, dense_units, scratch);
        ss_matrix_row_units(&S, units, scratch);
        for (int32_t i = 0; i < N; i++) {
            /* means are rounded to a power of two: sums in another order may end beside it */
            assert_true(fabs(log2(dense_units[i] / units[i])) <= 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near_the_answer), cmocka_unit_test(test_never_wrong),
        cmocka_unit_test(test_first_set),       cmocka_unit_test(test_first_set_of_contacts),
        cmocka_unit_test(test_quick_refusal),   cmocka_unit_test(test_row_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
