/* SPDX-License-Identifier: Apache-2.0 */
/*
 * T is turned into the tableau of a basis, x_B = e - T_N x_N, whose variables are chosen by their
 * sizes in x: rows that no column with a positive entry reaches depend on the others. Then the
 * entries of x outside the basis go to zero one by one, the smallest first; where one in the basis
 * gets there before, the two change places. Each goes once, so that it ends.
 */
#include "linalg/vertex.h"

#include <math.h>
#include <string.h>

#include "linalg/tolerances.h"

enum { NONE = -1 };

typedef struct tableau {
    int32_t              m, n;
    double              *T;
    const unsigned char *free;
    double              *x;
    int32_t             *basis; /* (m) the variable of each row, or NONE */
    double               products;
} tableau;

static double *column(const tableau *t, int32_t j)
{
    return t->T + (ptrdiff_t)j * t->m;
}

/* Column j becomes that of a unit, with its 1 in `row`. */
static void exchange(tableau *t, int32_t row, int32_t j)
{
    double *from = column(t, j), inverse = 1 / from[row];
    for (int32_t k = 0; k <= t->n; k++) {
        double *to = column(t, k), factor = to[row] * inverse;
        if (factor == 0 || k == j) {
            continue;
        }
        for (int32_t i = 0; i < t->m; i++) {
            to[i] -= from[i] * factor;
        }
        to[row] = factor;
        t->products += t->m;
    }
    memset(from, 0, (size_t)t->m * sizeof *from);
    from[row]     = 1;
    t->basis[row] = j;
}

/* The row without a variable in which column j is largest; NONE: it depends on the basis. */
static int32_t open_row(const tableau *t, int32_t j)
{
    const double *at   = column(t, j);
    int32_t       best = NONE;
    double        most = SS_VERTEX_PIVOT;
    for (int32_t i = 0; i < t->m; i++) {
        if (t->basis[i] == NONE && fabs(at[i]) > most) {
            most = fabs(at[i]);
            best = i;
        }
    }
    return best;
}

/* Which entry of the basis gets to zero first where x_j loses up to `most`, and by what step. */
static int32_t first_at_zero(const tableau *t, int32_t j, double sign, double most, double *step)
{
    const double *at   = column(t, j);
    int32_t       best = NONE;
    *step              = most;
    for (int32_t i = 0; i < t->m; i++) {
        int32_t b    = t->basis[i];
        double  rate = -sign * at[i];
        if (b != NONE && !t->free[b] && rate > SS_VERTEX_PIVOT && t->x[b] < rate * *step) {
            *step = t->x[b] / rate;
            best  = i;
        }
    }
    return best;
}

/* x_j, which is not in the basis, goes to zero, or takes the place of what is there before. */
static void send_to_zero(tableau *t, int32_t j)
{
    const double *at   = column(t, j);
    double        sign = t->x[j] < 0 ? -1 : 1, step;
    int32_t       row  = first_at_zero(t, j, sign, fabs(t->x[j]), &step);
    for (int32_t i = 0; i < t->m; i++) {
        if (t->basis[i] != NONE) {
            t->x[t->basis[i]] += sign * at[i] * step;
        }
    }
    t->x[j] -= sign * step;
    if (row == NONE) {
        t->x[j] = 0;
        return;
    }
    t->x[t->basis[row]] = 0;
    exchange(t, row, j);
}

/* Entries that are not zero, the largest first, those of free variables before them. */
static int32_t sort(const tableau *t, double least, int32_t *order)
{
    int32_t count = 0;
    for (int32_t j = 0; j < t->n; j++) {
        if (fabs(t->x[j]) <= least) {
            t->x[j] = 0;
            continue;
        }
        double  size = t->free[j] ? INFINITY : t->x[j];
        int32_t at   = count++;
        for (; at > 0 && size > (t->free[order[at - 1]] ? INFINITY : t->x[order[at - 1]]); at--) {
            order[at] = order[at - 1];
        }
        order[at] = j;
    }
    return count;
}

static bool is_basic(const tableau *t, int32_t j)
{
    for (int32_t i = 0; i < t->m; i++) {
        if (t->basis[i] == j) {
            return true;
        }
    }
    return false;
}

bool ss_vertex(int32_t m, int32_t n, double *T, const unsigned char *free, double *x,
               int32_t *basis, int32_t *order, double *products, bool (*over)(void *user),
               void *user)
{
    tableau t    = {.m = m, .n = n, .T = T, .free = free, .x = x, .basis = basis};
    double  most = 0;
    for (int32_t i = 0; i < m; i++) {
        basis[i] = NONE;
    }
    for (int32_t j = 0; j < n; j++) {
        most = fmax(most, fabs(x[j]));
    }
    int32_t count = sort(&t, SS_VERTEX_SEEN * most, order);
    bool    late  = false;
    for (int32_t k = 0; k < count && !late; k++) {
        int32_t row = open_row(&t, order[k]);
        if (row != NONE) {
            exchange(&t, row, order[k]);
        }
        late = over(user);
    }
    for (int32_t k = count; k-- > 0 && !late;) {
        if (!is_basic(&t, order[k])) {
            send_to_zero(&t, order[k]);
        }
        late = over(user);
    }
    for (int32_t i = 0; i < m; i++) {
        if (basis[i] != NONE) {
            x[basis[i]] = column(&t, n)[i];
        }
    }
    *products += t.products;
    return !late;
}
