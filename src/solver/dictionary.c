/* SPDX-License-Identifier: Apache-2.0 */
#include "solver/dictionary.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "linalg/pair.h"
#include "linalg/widest.h"

enum { PAD = SS_DICTIONARY_PAD, SHORT = 16, SCALING_PASSES = 4, REFINEMENTS = 20 };

/* Of LONG columns a transform asks for time after every LOOKS pivots: a hundredth of a second. */
enum { LONG = 512, LOOKS = 8 };

static int32_t padded(int32_t n)
{
    return (n + PAD - 1) / PAD * PAD;
}

size_t ss_dictionary_bytes(int32_t n)
{
    size_t ld = (size_t)padded(n), m = (size_t)n;
    return (ld * (m + 4) + 4 * m) * sizeof(double) + (4 * m + 2) * sizeof(int32_t);
}

ss_dictionary ss_dictionary_make(int32_t n, void *memory)
{
    ss_dictionary t = {.n = n, .ld = padded(n), .T = memory};
    t.b             = ss_dictionary_column(&t, n + 1);
    t.size          = ss_dictionary_column(&t, n + 2);
    t.scratch       = ss_dictionary_column(&t, n + 3);
    t.row_scale     = ss_dictionary_column(&t, n + 4);
    t.col_scale     = t.row_scale + n;
    t.work          = t.col_scale + n;
    t.basic         = (int32_t *)(t.work + 2 * n);
    t.nonbasic      = t.basic + n;
    t.place         = t.nonbasic + n + 1;
    return t;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Sums of the absolute entries of each row (into `rows`, padded) and column (into `cols`). */
static void absolute_sums(const ss_dictionary *t, double *rows, double *cols)
{
    const double *col = t->T;
    memset(rows, 0, (size_t)t->ld * sizeof *rows);
    for (int32_t j = 0; j < t->n; j++, col += t->ld) {
        ss_pair left = {0}, right = {0};
        for (int32_t i = 0; i < t->ld; i += PAD) {
            ss_pair a = ss_pair_abs(ss_pair_load(col + i)),
                    b = ss_pair_abs(ss_pair_load(col + i + 2));
            ss_pair_store(rows + i, ss_pair_load(rows + i) + a);
            ss_pair_store(rows + i + 2, ss_pair_load(rows + i + 2) + b);
            left += a;
            right += b;
        }
        cols[j] = (left[0] + left[1]) + (right[0] + right[1]);
    }
}

/* Sizes between these bounds need no scaling. */
static bool sizes_are_even(int32_t n, const double *size)
{
    for (int32_t i = 0; i < n; i++) {
        if (size[i] != 0 && !(size[i] > 0.03125 && size[i] < 64)) {
            return false;
        }
    }
    return true;
}

/* Multiply rows and columns by powers of two that bring the sums of their entries nearer to 1;
   those of the rows become what they are multiplied by. */
static void scale_once(ss_dictionary *t, double *rows, const double *cols)
{
    double *col = t->T;
    for (int32_t i = 0; i < t->ld; i++) {
        rows[i] = ss_balance(rows[i]);
    }
    for (int32_t i = 0; i < t->n; i++) {
        t->row_scale[i] *= rows[i];
        t->b[i] *= rows[i];
    }
    for (int32_t j = 0; j < t->n; j++, col += t->ld) {
        double step = ss_balance(cols[j]);
        t->col_scale[j] *= step;
        for (int32_t i = 0; i < t->ld; i += PAD) {
            ss_pair_store(col + i, ss_pair_load(col + i) * (ss_pair_load(rows + i) * step));
            ss_pair_store(col + i + 2,
                          ss_pair_load(col + i + 2) * (ss_pair_load(rows + i + 2) * step));
        }
    }
}

/*
 * Ruiz' equilibration: divide rows and columns by the square root of the sum of their entries until
 * all these sums are about 1.
 */
static void equilibrate(ss_dictionary *t)
{
    double *rows = t->scratch, *cols = t->work;
    for (int32_t i = 0; i < t->n; i++) {
        t->row_scale[i] = 1;
        t->col_scale[i] = 1;
    }
    for (int pass = 0; pass < SCALING_PASSES; pass++) {
        absolute_sums(t, rows, cols);
        if (sizes_are_even(t->n, rows) && sizes_are_even(t->n, cols)) {
            return;
        }
        scale_once(t, rows, cols);
    }
}

/* M + eps I and q - eps anchor in scaled units. */
static void add_proximal(ss_dictionary *t, double eps, const double *anchor)
{
    for (int32_t i = 0; i < t->n && eps > 0; i++) {
        ss_dictionary_column(t, i)[i] += eps;
        t->b[i] -= anchor != NULL ? eps * anchor[i] / t->col_scale[i] : 0;
    }
}

void ss_dictionary_start(ss_dictionary *t, const ss_lcp *p, double eps, const double *anchor)
{
    int32_t n = t->n;
    if (n < t->ld) {
        memset(t->T, 0, (size_t)t->ld * ((size_t)n + 4) * sizeof *t->T); /* the padding */
    }
    ss_matrix_to_dense(&p->M, t->T, t->ld);
    memcpy(t->b, p->q, (size_t)n * sizeof *t->b);
    equilibrate(t);
    add_proximal(t, eps, anchor);
    double *cover = ss_dictionary_column(t, n);
    t->magnitude  = 0;
    for (int32_t i = 0; i < n; i++) {
        cover[i]        = 1;
        t->size[i]      = fabs(t->b[i]);
        t->magnitude    = larger(t->magnitude, t->size[i]);
        t->basic[i]     = n + i;
        t->place[n + i] = i;
        t->nonbasic[i]  = i;
        t->place[i]     = -1 - i;
    }
    t->nonbasic[n]  = 2 * n;
    t->place[2 * n] = -1 - n;
}

void ss_dictionary_copy(ss_dictionary *to, const ss_dictionary *from)
{
    to->magnitude = from->magnitude;
    memcpy(to->T, from->T, ss_dictionary_bytes(from->n));
}

/*
 * A pivot: every column, b included, minus the pivot row times the entering column, over the pivot.
 *
 * Rounding errors of b in the pivot row reach every row through the entering column. The bound that
 * follows soon means nothing, hence the cap: it serves to tell rows that have no part in the others
 * (their values may be tiny and yet exact) from rows that do.
 *
 * Here for columns of so many pairs, a constant: the whole solve takes a fraction of a microsecond.
 */
static inline void pivot_short(const int32_t pairs, ss_dictionary *t, int32_t row, int32_t col)
{
    double *at = t->T + (ptrdiff_t)col * pairs * 2, *column = t->T;
    double  inverse = 1 / at[row], moved = t->size[row] * fabs(inverse), cap = t->magnitude;
    ss_pair entering[PAD];
    for (int32_t k = 0; k < pairs; k++) {
        entering[k] = ss_pair_load(at + 2 * k);
    }
    for (int32_t j = 0; j < t->n + 2; j++, column += 2 * pairs) {
        double factor = -column[row] * inverse;
        for (int32_t k = 0; k < pairs; k++) {
            ss_pair_store(column + 2 * k, ss_pair_load(column + 2 * k) + entering[k] * factor);
        }
        column[row] = factor;
    }
    for (int32_t k = 0; k < pairs; k++) {
        ss_pair reached =
            ss_pair_max(ss_pair_load(t->size + 2 * k), ss_pair_abs(entering[k]) * moved);
        ss_pair_store(t->size + 2 * k, ss_pair_min(reached, (ss_pair){cap, cap}));
        ss_pair_store(at + 2 * k, entering[k] * inverse);
    }
    at[row]      = inverse;
    t->size[row] = moved < cap ? moved : cap;
}

/* Columns with a zero in the pivot row stay as they are: sparse rows make it worth while to look,
   for a short column the look costs more than the work. */
static inline void update_columns(int32_t ld, int32_t columns, double *restrict T,
                                  const double *restrict entering, int32_t row, double inverse)
{
    for (double *column = T; columns-- > 0; column += ld) {
        if (ld > SHORT && column[row] == 0) {
            continue;
        }
        double factor = -column[row] * inverse;
        for (int32_t i = 0; i < ld; i += PAD) {
            for (int32_t k = i; k < i + PAD; k++) {
                column[k] += entering[k] * factor;
            }
        }
        column[row] = factor;
    }
}

static inline void update_sizes(int32_t ld, double *restrict size, const double *restrict entering,
                                double moved, double cap)
{
    for (int32_t i = 0; i < ld; i += PAD) {
        for (int32_t k = i; k < i + PAD; k++) {
            double reached = larger(size[k], fabs(entering[k]) * moved);
            size[k]        = reached < cap ? reached : cap;
        }
    }
}

static inline void divide(int32_t ld, double *restrict at, const double *restrict entering,
                          double  inverse)
{
    for (int32_t i = 0; i < ld; i += PAD) {
        for (int32_t k = i; k < i + PAD; k++) {
            at[k] = entering[k] * inverse;
        }
    }
}

/* The same for long columns, in the widest vectors there are. Short ones would wait: wide loads for
   the narrow stores just before them. */
SS_WIDEST static void pivot_long(ss_dictionary *t, int32_t row, int32_t col)
{
    double *at      = ss_dictionary_column(t, col);
    double  inverse = 1 / at[row], moved = t->size[row] * fabs(inverse), cap = t->magnitude;
    memcpy(t->scratch, at, (size_t)t->ld * sizeof *at);
    update_columns(t->ld, t->n + 2, t->T, t->scratch, row, inverse);
    update_sizes(t->ld, t->size, t->scratch, moved, cap);
    divide(t->ld, at, t->scratch, inverse);
    at[row]      = inverse;
    t->size[row] = moved < cap ? moved : cap;
}

void ss_dictionary_pivot(ss_dictionary *t, int32_t row, int32_t col)
{
    switch (t->ld) {
    case PAD:
        pivot_short(PAD / 2, t, row, col);
        break;
    case 2 * PAD:
        pivot_short(PAD, t, row, col);
        break;
    default:
        pivot_long(t, row, col);
    }
    int32_t in = t->nonbasic[col], out = t->basic[row];
    t->basic[row]    = in;
    t->nonbasic[col] = out;
    t->place[in]     = row;
    t->place[out]    = -1 - col;
}

/* The largest entry that exchanges a w of the set against a z of the set. */
static double best_exchange(const ss_dictionary *t, const unsigned char *inside, int32_t *row,
                            int32_t *col)
{
    double best = 0;
    for (int32_t j = 0; j < t->n; j++) {
        if (t->nonbasic[j] >= t->n || !inside[t->nonbasic[j]]) {
            continue;
        }
        const double *at = ss_dictionary_column(t, j);
        for (int32_t i = 0; i < t->n; i++) {
            if (fabs(at[i]) > best && t->basic[i] >= t->n && inside[t->basic[i] - t->n]) {
                best = fabs(at[i]);
                *row = i;
                *col = j;
            }
        }
    }
    return best;
}

bool ss_dictionary_transform(ss_dictionary *t, const unsigned char *inside, ss_patience *patience)
{
    int32_t count = 0, row = 0, col = 0;
    for (int32_t i = 0; i < t->n; i++) {
        count += inside[i];
    }
    while (count-- > 0) {
        bool late = count % LOOKS == 0 && t->n >= LONG && ss_patience_ends(patience, 0);
        if (late || best_exchange(t, inside, &row, &col) < SS_PIVOT_ZERO) {
            return false;
        }
        ss_dictionary_pivot(t, row, col);
    }
    return true;
}

double ss_dictionary_transform_products(const ss_dictionary *t, const unsigned char *inside)
{
    double count = 0;
    for (int32_t i = 0; i < t->n; i++) {
        count += inside[i] != 0;
    }
    return count * (ss_dictionary_products(t) + count * count); /* pivots, and looks for them */
}

static void read_values(const ss_dictionary *t, double *z)
{
    for (int32_t i = 0; i < t->n; i++) {
        z[i] = 0;
    }
    for (int32_t i = 0; i < t->n; i++) {
        if (t->basic[i] < t->n) {
            z[t->basic[i]] = t->b[i] * t->col_scale[t->basic[i]];
        }
    }
}

/* w and the sizes of its rows; gives the largest relative error of the rows that must vanish. */
static double measure(const ss_dictionary *t, const ss_lcp *p, const double *z)
{
    double *w = t->work, *size = t->work + t->n, worst = 0;
    for (int32_t i = 0; i < t->n; i++) {
        w[i]    = p->q[i];
        size[i] = fabs(p->q[i]);
    }
    ss_matrix_mul_add_sized(&p->M, z, w, size);
    for (int32_t i = 0; i < t->n; i++) {
        if (t->place[t->n + i] < 0 && fabs(w[i]) > worst * size[i]) {
            worst = fabs(w[i]) / size[i];
        }
    }
    return worst;
}

/* z -= M_BB^-1 w_B, with the inverse that the dictionary holds. */
static void correct(const ss_dictionary *t, double *z)
{
    int32_t n = t->n;
    for (int32_t j = 0; j < n; j++) {
        int32_t at = t->place[n + j];
        if (at >= 0 || t->work[j] == 0) {
            continue;
        }
        const double *col = ss_dictionary_column(t, -1 - at);
        double        w   = t->work[j] * t->row_scale[j];
        for (int32_t i = 0; i < n; i++) {
            if (t->basic[i] < n) {
                z[t->basic[i]] -= col[i] * w * t->col_scale[t->basic[i]];
            }
        }
    }
}

double ss_dictionary_solution(const ss_dictionary *t, const ss_lcp *p, double *z)
{
    read_values(t, z);
    double worst = measure(t, p, z);
    for (int k = 0; k < REFINEMENTS && worst > 4 * DBL_EPSILON; k++) {
        double before = worst;
        memcpy(t->scratch, z, (size_t)t->n * sizeof *z);
        correct(t, z);
        worst = measure(t, p, z);
        if (!(worst < before)) { /* the dictionary has drifted: keep what it said at first */
            memcpy(z, t->scratch, (size_t)t->n * sizeof *z);
            worst = measure(t, p, z);
            break;
        }
        if (worst > 0.5 * before) {
            break;
        }
    }
    const double *w = t->work, *size = t->work + t->n;
    for (int32_t i = 0; i < t->n; i++) {
        if (w[i] < 0 && -w[i] > worst * size[i]) {
            worst = -w[i] / size[i];
        }
        if (z[i] < 0) {
            double own = t->size[t->place[i]] * t->col_scale[i];
            worst      = larger(worst, -z[i] / larger(own, -z[i]));
            z[i]       = 0;
        }
    }
    return worst;
}

/* The rows and columns of the basic z, scaled, into A (k x k); their numbers into index. */
static int32_t gather_basis(const ss_dictionary *t, const ss_lcp *p, int32_t *index, double *A)
{
    int32_t k = 0;
    for (int32_t i = 0; i < t->n; i++) {
        if (t->place[i] >= 0) {
            index[k++] = i;
        }
    }
    for (int32_t j = 0; j < k; j++) {
        memset(t->scratch, 0, (size_t)t->n * sizeof *t->scratch);
        ss_matrix_add_column(&p->M, index[j], t->col_scale[index[j]], t->scratch);
        for (int32_t i = 0; i < k; i++) {
            A[(size_t)j * (size_t)k + (size_t)i] = t->scratch[index[i]] * t->row_scale[index[i]];
        }
    }
    return k;
}

bool ss_dictionary_resolve(ss_dictionary *t, const ss_lcp *p, double *z)
{
    /* basic and nonbasic are not needed any more: room for the numbers and the pivots */
    int32_t *index = t->basic, *piv = t->nonbasic, k = gather_basis(t, p, index, t->T);
    double  *r = t->b, worst = INFINITY;
    memset(z, 0, (size_t)t->n * sizeof *z);
    if (!ss_dense_lu(k, t->T, k > 0 ? k : 1, piv)) {
        return false;
    }
    for (int pass = 0; pass < REFINEMENTS; pass++) {
        double error = measure(t, p, z);
        if (error <= 4 * DBL_EPSILON || !(error < 0.5 * worst)) {
            break;
        }
        worst = error;
        for (int32_t i = 0; i < k; i++) {
            r[i] = t->work[index[i]] * t->row_scale[index[i]];
        }
        ss_dense_lu_solve(k, t->T, k > 0 ? k : 1, piv, r);
        for (int32_t i = 0; i < k; i++) {
            z[index[i]] -= r[i] * t->col_scale[index[i]];
        }
    }
    for (int32_t i = 0; i < t->n; i++) {
        z[i] = z[i] > 0 ? z[i] : 0;
    }
    return true;
}
