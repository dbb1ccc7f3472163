/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Active sets for  w = M z + q,  0 <= z _|_ w >= 0  near a guess. For a set B
 *
 *   M_BB z_B = -q_B,  z = 0 elsewhere,  w = M z + q
 *
 * is a solution if no z_B and no w outside B is negative. Otherwise the negative z_B leave, the
 * most negative w enters, relative to its terms, and it begins again. (Let all of them enter, which
 * would be Newton's method for min(z, w) = 0, and half of the directions of a contact do where one
 * slips the other way: they are dependent.) Nothing keeps it from going round in circles: hence the
 * few rounds, after which pivoting takes over from where it would have started.
 *
 * Contacts of polygon cones have a few active variables among many (p, one or two directions, slip
 * speed), and last step's set is right or wrong by the next direction.
 *
 * Of few unknowns without a guess the set of rows that are negative at z = 0 is looked at by
 * itself: contacts that press one another little all stay pressed.
 */
#include "solver/guessed_set.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "solver/tolerances.h"

/* Larger sets cost more than a dictionary saves. */
enum { ROUNDS = 12, ACTIVE_MAX = 64, CORRECTIONS = 2 };

/* Where a variable is. */
enum { OUTSIDE, INSIDE, DEPENDENT };

typedef struct work {
    const ss_lcp  *p;
    double        *w, *size;        /* (n) rows, and the sizes of their terms          */
    double        *A;               /* (k x k) M_BB, scaled; then its factors          */
    double        *column;          /* (n) a column of M                               */
    double         row[ACTIVE_MAX]; /* what rows and columns of A are multiplied by    */
    double         col[ACTIVE_MAX];
    double         y[ACTIVE_MAX];
    int32_t        index[ACTIVE_MAX];
    int32_t        pivot[ACTIVE_MAX];
    int32_t        k;
    double         products;
    unsigned char *inside; /* (n) in B or not                                 */
} work;

size_t ss_guessed_set_bytes(int32_t n)
{
    return (3 * (size_t)n + ACTIVE_MAX * ACTIVE_MAX) * sizeof(double) + (size_t)n;
}

static void rows_of(work *a, const double *z)
{
    for (int32_t i = 0; i < a->p->n; i++) {
        a->w[i]    = a->p->q[i];
        a->size[i] = fabs(a->p->q[i]);
    }
    ss_matrix_mul_add_sized(&a->p->M, z, a->w, a->size);
    a->products += ss_matrix_products(&a->p->M);
}

static bool gather_index(work *a)
{
    a->k = 0;
    for (int32_t i = 0; i < a->p->n; i++) {
        if (a->inside[i] == INSIDE) {
            if (a->k == ACTIVE_MAX) {
                return false;
            }
            a->index[a->k++] = i;
        }
    }
    return true;
}

static double inverse_or_one(double x)
{
    return x > 0 ? 1 / x : 1;
}

/* M_BB with rows, then columns, brought to a largest entry of 1: units of z and w differ. */
static void gather_matrix(work *a)
{
    int32_t k = a->k;
    memset(a->row, 0, (size_t)k * sizeof *a->row);
    for (int32_t j = 0; j < k; j++) {
        double *to = a->A + (ptrdiff_t)j * k;
        memset(a->column, 0, (size_t)a->p->n * sizeof *a->column);
        ss_matrix_add_column(&a->p->M, a->index[j], 1, a->column);
        for (int32_t i = 0; i < k; i++) {
            to[i]     = a->column[a->index[i]];
            a->row[i] = fabs(to[i]) > a->row[i] ? fabs(to[i]) : a->row[i];
        }
    }
    for (int32_t i = 0; i < k; i++) {
        a->row[i] = inverse_or_one(a->row[i]);
    }
    for (int32_t j = 0; j < k; j++) {
        double *to = a->A + (ptrdiff_t)j * k, most = 0;
        for (int32_t i = 0; i < k; i++) {
            to[i] *= a->row[i];
            most = fabs(to[i]) > most ? fabs(to[i]) : most;
        }
        a->col[j] = inverse_or_one(most);
        for (int32_t i = 0; i < k; i++) {
            to[i] *= a->col[j];
        }
    }
}

/*
 * A variable whose pivot is rounding depends on those before it: contacts that stick share loads in
 * many ways (three points carry a body by nine rows of which six are independent). It is left out,
 * and stays out while its row is not violated.
 */
static bool leave_out(work *a)
{
    for (int32_t i = 0; i < a->k; i++) {
        if (!(fabs(a->A[i + (ptrdiff_t)i * a->k]) >= SS_PIVOT_ZERO)) {
            a->inside[a->index[i]] = DEPENDENT;
            return true;
        }
    }
    return false;
}

/* Factors of M_BB, with B cut down to what is independent. */
static bool factorise(work *a)
{
    for (int take = 0; take < ACTIVE_MAX && gather_index(a); take++) {
        gather_matrix(a);
        a->products += ss_dense_lu_products(a->k) + (double)a->k * a->p->n;
        bool regular = a->k == 0 || ss_dense_lu(a->k, a->A, a->k, a->pivot);
        if (!leave_out(a)) {
            return regular;
        }
    }
    return false;
}

/* z of the set, corrected by what its rows miss, and w. */
static bool solve_set(work *a, double *z)
{
    memset(z, 0, (size_t)a->p->n * sizeof *z);
    if (!factorise(a)) {
        return false;
    }
    rows_of(a, z);
    for (int take = 0; a->k > 0 && take < CORRECTIONS; take++) {
        for (int32_t i = 0; i < a->k; i++) {
            a->y[i] = a->w[a->index[i]] * a->row[i];
        }
        ss_dense_lu_solve(a->k, a->A, a->k, a->pivot, a->y);
        for (int32_t i = 0; i < a->k; i++) {
            z[a->index[i]] -= a->y[i] * a->col[i];
        }
        rows_of(a, z);
    }
    return true;
}

/* What is negative beyond rounding changes sides: all z, the worst w; how many these are. */
static int32_t exchange(work *a, const double *z)
{
    const double noise = 16 * DBL_EPSILON;
    int32_t      count = 0;
    double       most  = 0; /* the largest z, in scaled units */
    for (int32_t i = 0; i < a->k; i++) {
        most = fmax(most, fabs(z[a->index[i]]) / a->col[i]);
    }
    for (int32_t i = 0; i < a->k; i++) {
        if (z[a->index[i]] / a->col[i] < -noise * most) {
            a->inside[a->index[i]] = OUTSIDE;
            a->w[a->index[i]]      = 0;
            count++;
        }
    }
    int32_t enters = -1;
    double  least  = 0;
    for (int32_t i = 0; i < a->p->n; i++) {
        double may = a->inside[i] == DEPENDENT ? SS_BASIS_LOST : noise;
        if (a->inside[i] != INSIDE && a->w[i] < -may * a->size[i] && a->w[i] < least * a->size[i]) {
            enters = i;
            least  = a->w[i] / a->size[i];
        }
    }
    if (enters >= 0) {
        a->inside[enters] = INSIDE;
        count++;
    }
    return count;
}

int32_t ss_guessed_set(const ss_lcp *p, const unsigned char *inside, double *z, void *memory,
                       double *products)
{
    size_t  n      = (size_t)p->n;
    double *number = memory;
    work    a      = {
                .p = p, .w = number, .size = number + n, .column = number + 2 * n, .A = number + 3 * n};
    int32_t exchanges = 0;
    a.inside          = (unsigned char *)(a.A + ACTIVE_MAX * ACTIVE_MAX);
    memcpy(a.inside, inside, n);
    for (int round = 0; round < ROUNDS; round++) {
        bool solved = solve_set(&a, z);
        *products += a.products;
        a.products = 0;
        if (!solved) {
            return -1;
        }
        int32_t wrong = exchange(&a, z);
        if (wrong == 0) {
            for (size_t i = 0; i < n; i++) {
                z[i] = fmax(z[i], 0);
            }
            return exchanges;
        }
        exchanges += wrong;
    }
    return -1;
}

/* ---- few unknowns, no guess ------------------------------------------------------------------ */

/* Rows of M_BB z_B = -q_B, with the right side at their end. */
typedef double few_rows[SS_FIRST_SET_MOST][SS_FIRST_SET_MOST + 1];

/* Row i of it, of the `k` unknowns `at`. */
static void take_row(const ss_lcp *p, const ss_matrix *M, const int32_t *at, int32_t k, int32_t i,
                     few_rows A)
{
    const double *from = M->dense + at[i];
    for (int32_t j = 0; j < k; j++) {
        A[i][j] = from[(ptrdiff_t)at[j] * M->ld];
    }
    A[i][k] = -p->q[at[i]];
}

/*
 * Elimination in order, row by row. False: a pivot has lost too much, or the unknowns before make
 * the next one negative. It may turn positive again, but mostly is no part of the answer, and what
 * is given up soon costs little.
 */
static bool eliminate_row(int32_t k, int32_t i, few_rows A)
{
    double least = SS_FIRST_SET_PIVOT * fabs(A[i][i]);
    for (int32_t j = 0; j < i; j++) {
        double factor = A[i][j] / A[j][j];
        for (int32_t c = j + 1; c <= k; c++) {
            A[i][c] -= factor * A[j][c];
        }
    }
    return A[i][i] > least && A[i][k] > 0;
}

/* z_B into the right side; false: one of them is not positive. */
static bool substitute_back(int32_t k, few_rows A)
{
    for (int32_t i = k - 1; i >= 0; i--) {
        for (int32_t c = i + 1; c < k; c++) {
            A[i][k] -= A[i][c] * A[c][k];
        }
        A[i][k] /= A[i][i];
        if (!(A[i][k] > 0)) {
            return false;
        }
    }
    return true;
}

/* Are the rows right to rounding: those of positive unknowns zero, the others not negative? */
static bool rows_are_right(const ss_lcp *p, const double *z)
{
    double w[SS_FIRST_SET_MOST], size[SS_FIRST_SET_MOST];
    for (int32_t i = 0; i < p->n; i++) {
        w[i]    = p->q[i];
        size[i] = fabs(p->q[i]);
    }
    ss_matrix_mul_add_sized(&p->M, z, w, size);
    for (int32_t i = 0; i < p->n; i++) {
        double miss = z[i] > 0 ? fabs(w[i]) : -w[i];
        if (!(miss <= 4 * DBL_EPSILON * size[i])) {
            return false;
        }
    }
    return true;
}

bool ss_first_set(const ss_lcp *p, double *z)
{
    few_rows  A;
    double    copy[SS_FIRST_SET_MOST * SS_FIRST_SET_MOST];
    ss_matrix M                     = p->M;
    int32_t   at[SS_FIRST_SET_MOST] = {0}, k = 0;
    if (M.dense == NULL) {
        ss_matrix_to_dense(&p->M, copy, p->n);
        M = (ss_matrix){.rows = p->n, .cols = p->n, .dense = copy, .ld = p->n};
    }
    for (int32_t i = 0; i < p->n; i++) {
        at[k] = i;
        z[i]  = 0;
        k += p->q[i] < 0;
    }
    for (int32_t i = 0; i < k; i++) {
        take_row(p, &M, at, k, i, A);
        if (!eliminate_row(k, i, A)) {
            return false;
        }
    }
    if (!substitute_back(k, A)) {
        return false;
    }
    for (int32_t i = 0; i < k; i++) {
        z[at[i]] = A[i][k];
    }
    return rows_are_right(p, z);
}
