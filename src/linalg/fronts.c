/* SPDX-License-Identifier: Apache-2.0 */
/* The numeric part: fronts are factored from the leaves up, panel by panel. */
#include "linalg/fronts.h"

#include <math.h>
#include <string.h>

/* Columns of a panel; rows and columns of a tile. Bodies in space have six coordinates. */
enum { PANEL = 24, ROWS = 6, COLS = 4, PAIR = 2 };

void ss_fronts_reset(ss_fronts *f)
{
    memset(f->value, 0, f->entries * sizeof *f->value);
}

/* ---- C -= A B, column-major ----------------------------------------------------------------- */

/* `cols` columns of ROWS rows of C in registers; inlined for constant cols. */
static inline void subtract_tile(int cols, int32_t depth, const double *restrict A, size_t lda,
                                 const double *restrict B, size_t ldb, double *restrict C,
                                 size_t ldc)
{
    double c[COLS][ROWS];
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < ROWS; i++) {
            c[j][i] = C[(size_t)j * ldc + (size_t)i];
        }
    }
    for (int32_t k = 0; k < depth; k++, A += lda, B++) {
        for (int j = 0; j < cols; j++) {
            double b = B[(size_t)j * ldb];
            for (int i = 0; i < ROWS; i++) {
                c[j][i] -= A[i] * b;
            }
        }
    }
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < ROWS; i++) {
            C[(size_t)j * ldc + (size_t)i] = c[j][i];
        }
    }
}

/* What no tile covers, with the same order of additions. */
static void subtract_rim(int32_t rows, int32_t cols, int32_t depth, const double *A, size_t lda,
                         const double *B, size_t ldb, double *C, size_t ldc)
{
    for (int32_t j = 0; j < cols; j++) {
        for (int32_t k = 0; k < depth; k++) {
            double        b = B[(size_t)j * ldb + (size_t)k];
            const double *a = A + (size_t)k * lda;
            for (int32_t i = 0; i < rows; i++) {
                C[(size_t)j * ldc + (size_t)i] -= a[i] * b;
            }
        }
    }
}

static void subtract_product(int32_t rows, int32_t cols, int32_t depth, const double *A, size_t lda,
                             const double *B, size_t ldb, double *C, size_t ldc)
{
    int32_t full = rows / ROWS * ROWS, j = 0;
    while (j + PAIR <= cols) {
        int32_t wide = j + COLS <= cols ? COLS : PAIR;
        for (int32_t i = 0; i < full; i += ROWS) {
            if (wide == COLS) {
                subtract_tile(COLS, depth, A + i, lda, B, ldb, C + i, ldc);
            } else {
                subtract_tile(PAIR, depth, A + i, lda, B, ldb, C + i, ldc);
            }
        }
        subtract_rim(rows - full, wide, depth, A + full, lda, B, ldb, C + full, ldc);
        j += wide;
        B += (size_t)wide * ldb;
        C += (size_t)wide * ldc;
    }
    subtract_rim(rows, cols - j, depth, A, lda, B, ldb, C, ldc);
}

/* ---- one front ------------------------------------------------------------------------------ */

static void swap_rows(double *A, size_t n, int32_t i, int32_t j, int32_t from, int32_t to)
{
    for (int32_t c = from; c < to; c++) {
        double *col = A + (size_t)c * n, x = col[i];
        col[i] = col[j];
        col[j] = x;
    }
}

/* Largest entry of column c in the rows c .. own - 1. */
static int32_t pivot_row(const double *A, size_t n, int32_t c, int32_t own)
{
    const double *col  = A + (size_t)c * n;
    int32_t       best = c;
    for (int32_t i = c + 1; i < own; i++) {
        best = fabs(col[i]) > fabs(col[best]) ? i : best;
    }
    return best;
}

/* Columns first .. end - 1 of the front, all rows below; the rest of the front waits. */
static bool factor_panel(double *A, int32_t n, int32_t own, int32_t first, int32_t end,
                         int32_t *swap)
{
    size_t ld = (size_t)n;
    for (int32_t c = first; c < end; c++) {
        double *col  = A + (size_t)c * ld;
        swap[c]      = pivot_row(A, ld, c, own);
        double pivot = col[swap[c]];
        if (pivot == 0 || !isfinite(pivot)) {
            return false;
        }
        if (swap[c] != c) {
            swap_rows(A, ld, c, swap[c], 0, n);
        }
        double inverse = 1 / pivot;
        for (int32_t i = c + 1; i < n; i++) {
            col[i] *= inverse;
        }
        for (int32_t j = c + 1; j < end; j++) {
            double *to = A + (size_t)j * ld, x = to[c];
            for (int32_t i = c + 1; i < n; i++) {
                to[i] -= col[i] * x;
            }
        }
    }
    return true;
}

/* Rows first .. end - 1 of U to the right of the panel. */
static void solve_rows(double *A, int32_t n, int32_t first, int32_t end)
{
    size_t ld = (size_t)n;
    for (int32_t j = end; j < n; j++) {
        double *x = A + (size_t)j * ld;
        for (int32_t c = first; c < end; c++) {
            for (int32_t i = c + 1; i < end; i++) {
                x[i] -= A[(size_t)c * ld + (size_t)i] * x[c];
            }
        }
    }
}

static bool factor_front(double *A, int32_t n, int32_t own, int32_t *swap)
{
    size_t ld = (size_t)n;
    for (int32_t first = 0; first < own; first += PANEL) {
        int32_t end = first + PANEL < own ? first + PANEL : own;
        if (!factor_panel(A, n, own, first, end, swap)) {
            return false;
        }
        solve_rows(A, n, first, end);
        subtract_product(n - end, n - end, end - first, A + (size_t)first * ld + (size_t)end, ld,
                         A + (size_t)end * ld + (size_t)first, ld,
                         A + (size_t)end * ld + (size_t)end, ld);
    }
    return true;
}

/* What is left beyond the pivots goes to the parent. */
static void hand_on(ss_fronts *f, const ss_front *c)
{
    const ss_front *p     = &f->front[c->parent];
    const int32_t  *place = f->place + c->first;
    for (int32_t j = c->own; j < c->rows; j++) {
        const double *from = f->value + c->at + (size_t)j * (size_t)c->rows;
        double       *to   = f->value + p->at + (size_t)place[j] * (size_t)p->rows;
        for (int32_t i = c->own; i < c->rows; i++) {
            to[place[i]] += from[i];
        }
    }
}

bool ss_fronts_factor(ss_fronts *f)
{
    for (int32_t k = 0; k < f->count; k++) {
        const ss_front *c = &f->front[k];
        if (!factor_front(f->value + c->at, c->rows, c->own, f->swap + c->first)) {
            return false;
        }
        if (c->parent >= 0) {
            hand_on(f, c);
        }
    }
    return true;
}

double ss_fronts_products(const ss_fronts *f)
{
    double sum = 0;
    for (int32_t k = 0; k < f->count; k++) {
        double own = f->front[k].own, rest = f->front[k].rows - own;
        sum += own * (own * own / 3 + rest * (own + rest)); /* sum of squares from rest to rows */
    }
    return sum;
}

/* ---- solving -------------------------------------------------------------------------------- */

static void forwards(const ss_fronts *f, const ss_front *c, double *b)
{
    const int32_t *row = f->row + c->first, *swap = f->swap + c->first;
    const double  *A = f->value + c->at;
    double        *x = f->x;
    for (int32_t i = 0; i < c->rows; i++) {
        x[i] = b[row[i]];
    }
    for (int32_t k = 0; k < c->own; k++) { /* the columns of L were exchanged with the rest */
        double y   = x[swap[k]];
        x[swap[k]] = x[k];
        x[k]       = y;
    }
    for (int32_t k = 0; k < c->own; k++) {
        const double *col = A + (size_t)k * (size_t)c->rows;
        for (int32_t i = k + 1; i < c->rows; i++) {
            x[i] -= col[i] * x[k];
        }
    }
    for (int32_t i = 0; i < c->rows; i++) {
        b[row[i]] = x[i];
    }
}

static void backwards(const ss_fronts *f, const ss_front *c, double *b)
{
    const int32_t *row = f->row + c->first;
    const double  *A   = f->value + c->at;
    double        *x   = f->x;
    for (int32_t i = 0; i < c->rows; i++) {
        x[i] = b[row[i]];
    }
    for (int32_t k = c->rows; k-- > 0;) {
        const double *col = A + (size_t)k * (size_t)c->rows;
        x[k] /= k < c->own ? col[k] : 1;
        for (int32_t i = 0; i < (k < c->own ? k : c->own); i++) {
            x[i] -= col[i] * x[k];
        }
    }
    for (int32_t i = 0; i < c->own; i++) {
        b[row[i]] = x[i];
    }
}

void ss_fronts_solve(const ss_fronts *f, double *b)
{
    for (int32_t k = 0; k < f->count; k++) {
        forwards(f, &f->front[k], b);
    }
    for (int32_t k = f->count; k-- > 0;) {
        backwards(f, &f->front[k], b);
    }
}
