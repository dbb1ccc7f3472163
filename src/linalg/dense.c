/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/dense.h"

#include <math.h>
#include <stddef.h>

#include "linalg/widest.h"

/* Columns of a panel; rows and columns of a tile. */
enum { PANEL = 32, ROWS = 8, COLS = 4 };

/* Factorisations of fewer rows take less than a hundredth of a second: they ask for no time. */
enum { LONG = 512 };

/* ---- C -= A B: every entry is summed up from the first column of A to the last ----------------
 */

/* A factor on the right: entry (k, j) at k * down + j * right. */
typedef struct right_factor {
    const double *at;
    size_t        down, right;
} right_factor;

/* ROWS rows and `cols` columns of C in registers; inlined for constant cols. */
static inline void subtract_tile(int cols, int32_t depth, const double *restrict A, size_t lda,
                                 right_factor B, double *restrict C, size_t ldc)
{
    double c[COLS][ROWS];
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < ROWS; i++) {
            c[j][i] = C[(size_t)j * ldc + (size_t)i];
        }
    }
    for (int32_t k = 0; k < depth; k++, A += lda, B.at += B.down) {
        for (int j = 0; j < cols; j++) {
            double b = B.at[(size_t)j * B.right];
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

/* Rows that no tile covers. */
static inline void subtract_rim(int32_t rows, int32_t cols, int32_t depth, const double *A,
                                size_t lda, right_factor B, double *C, size_t ldc)
{
    for (int32_t j = 0; j < cols; j++) {
        for (int32_t i = 0; i < rows; i++) {
            double c = C[(size_t)j * ldc + (size_t)i];
            for (int32_t k = 0; k < depth; k++) {
                c -=
                    A[(size_t)k * lda + (size_t)i] * B.at[(size_t)k * B.down + (size_t)j * B.right];
            }
            C[(size_t)j * ldc + (size_t)i] = c;
        }
    }
}

SS_WIDEST static void subtract_product(int32_t rows, int32_t cols, int32_t depth, const double *A,
                                       size_t lda, right_factor B, double *C, size_t ldc)
{
    int32_t tiled = rows - rows % ROWS;
    for (int32_t j = 0; j < cols; j += COLS) {
        int32_t      wide = cols - j < COLS ? 1 : COLS, end = wide == 1 ? cols : j + COLS;
        right_factor b = B;
        for (int32_t at = j; at < end; at += wide) {
            b.at = B.at + (size_t)at * B.right;
            for (int32_t i = 0; i < tiled; i += ROWS) {
                double *c = C + (size_t)at * ldc + (size_t)i;
                if (wide == COLS) {
                    subtract_tile(COLS, depth, A + i, lda, b, c, ldc);
                } else {
                    subtract_tile(1, depth, A + i, lda, b, c, ldc);
                }
            }
            subtract_rim(rows - tiled, wide, depth, A + tiled, lda, b,
                         C + (size_t)at * ldc + (size_t)tiled, ldc);
        }
    }
}

/* y -= factor x, in strides that a processor's vectors can take. */
static inline void subtract_scaled(int32_t n, double factor, const double *restrict x,
                                   double *restrict y)
{
    int32_t i = 0;
    for (; i + ROWS <= n; i += ROWS) {
        for (int c = 0; c < ROWS; c++) {
            y[i + c] -= x[i + c] * factor;
        }
    }
    for (; i < n; i++) {
        y[i] -= x[i] * factor;
    }
}

void ss_dense_subtract_row_product(int32_t rows, int32_t depth, const double *A, const double *row,
                                   int32_t ld, double *c)
{
    subtract_product(rows, 1, depth, A, (size_t)ld, (right_factor){row, (size_t)ld, 1}, c,
                     (size_t)ld);
}

/* ---- LU -----------------------------------------------------------------------------------------
 */

static void swap_rows(int32_t n, double *A, int32_t ld, int32_t a, int32_t b)
{
    for (int32_t j = 0; j < n; j++) {
        double *col = A + (size_t)j * (size_t)ld;
        double  t   = col[a];
        col[a]      = col[b];
        col[b]      = t;
    }
}

static int32_t largest_below(int32_t n, const double *col, int32_t k)
{
    int32_t best = k;
    for (int32_t i = k + 1; i < n; i++) {
        if (fabs(col[i]) > fabs(col[best])) {
            best = i;
        }
    }
    return best;
}

/* The first `width` columns of a matrix of m rows. */
SS_WIDEST static bool panel_lu(int32_t m, int32_t width, double *A, int32_t ld, int32_t *piv)
{
    for (int32_t k = 0; k < width; k++) {
        double *col = A + (size_t)k * (size_t)ld;
        piv[k]      = largest_below(m, col, k);
        if (!(fabs(col[piv[k]]) > 0)) {
            return false;
        }
        if (piv[k] != k) {
            swap_rows(width, A, ld, k, piv[k]);
        }
        double inverse = 1 / col[k];
        for (int32_t i = k + 1; i < m; i++) {
            col[i] *= inverse;
        }
        for (int32_t j = k + 1; j < width; j++) {
            double *right = A + (size_t)j * (size_t)ld;
            subtract_scaled(m - k - 1, right[k], col + k + 1, right + k + 1);
        }
    }
    return true;
}

/* b := L^-1 b with the unit lower triangle of an n x n block, in `cols` columns. */
SS_WIDEST static void forward_unit(int32_t n, const double *L, size_t ld, int32_t cols, double *b)
{
    for (int32_t j = 0; j < cols; j++, b += ld) {
        for (int32_t k = 0; k < n; k++) {
            subtract_scaled(n - k - 1, b[k], L + (size_t)k * ld + (size_t)(k + 1), b + k + 1);
        }
    }
}

bool ss_dense_lu_within(int32_t n, double *A, int32_t ld, int32_t *piv, ss_patience *patience)
{
    size_t step = (size_t)ld;
    for (int32_t k = 0; k < n; k += PANEL) {
        if (n >= LONG && ss_patience_ends(patience, 0)) {
            return false;
        }
        int32_t width = n - k < PANEL ? n - k : PANEL, after = k + width;
        double *panel = A + (size_t)k * step + (size_t)k;
        if (!panel_lu(n - k, width, panel, ld, piv + k)) {
            return false;
        }
        double *right = A + (size_t)after * step;
        for (int32_t i = k; i < after; i++) {
            piv[i] += k;
            swap_rows(k, A, ld, i, piv[i]);
            swap_rows(n - after, right, ld, i, piv[i]);
        }
        forward_unit(width, panel, step, n - after, right + k);
        subtract_product(n - after, n - after, width, panel + width, step,
                         (right_factor){right + k, 1, step}, right + after, step);
    }
    return true;
}

bool ss_dense_lu(int32_t n, double *A, int32_t ld, int32_t *piv)
{
    return ss_dense_lu_within(n, A, ld, piv, NULL);
}

/* b := L^-1 P b, then U^-1 b, column by column so that every inner loop runs down a column. */
void ss_dense_lu_solve(int32_t n, const double *LU, int32_t ld, const int32_t *piv, double *b)
{
    for (int32_t k = 0; k < n; k++) {
        double t  = b[piv[k]];
        b[piv[k]] = b[k];
        b[k]      = t;
    }
    for (int32_t k = 0; k < n; k++) {
        const double *col = LU + (size_t)k * (size_t)ld;
        for (int32_t i = k + 1; b[k] != 0 && i < n; i++) {
            b[i] -= col[i] * b[k];
        }
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        const double *col = LU + (size_t)k * (size_t)ld;
        b[k] /= col[k];
        for (int32_t i = 0; b[k] != 0 && i < k; i++) {
            b[i] -= col[i] * b[k];
        }
    }
}

/* b := A'^-1 b from the factors of A. */
static void lu_solve_transposed(int32_t n, const double *LU, int32_t ld, const int32_t *piv,
                                double *b)
{
    for (int32_t k = 0; k < n; k++) {
        const double *col = LU + (size_t)k * (size_t)ld;
        for (int32_t i = 0; i < k; i++) {
            b[k] -= col[i] * b[i];
        }
        b[k] /= col[k];
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        const double *col = LU + (size_t)k * (size_t)ld;
        for (int32_t i = k + 1; i < n; i++) {
            b[k] -= col[i] * b[i];
        }
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        double t  = b[piv[k]];
        b[piv[k]] = b[k];
        b[k]      = t;
    }
}

static double sum_of_sizes(int32_t n, const double *x)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += fabs(x[i]);
    }
    return sum;
}

/* The unit vector in which |A^-1 x|_1 grows fastest from y = A^-1 x on; -1 when none does. */
static int32_t steepest(int32_t n, const double *LU, int32_t ld, const int32_t *piv,
                        const double *x, const double *y, double *z)
{
    double  here = 0;
    int32_t best = 0;
    for (int32_t i = 0; i < n; i++) {
        z[i] = y[i] < 0 ? -1 : 1;
    }
    lu_solve_transposed(n, LU, ld, piv, z);
    for (int32_t i = 0; i < n; i++) {
        here += z[i] * x[i];
        best = fabs(z[i]) > fabs(z[best]) ? i : best;
    }
    return fabs(z[best]) > here ? best : -1;
}

/* |A^-1|_1 by Hager's ascent (1984), with Higham's second guess (1988). */
static double inverse_norm1(int32_t n, const double *LU, int32_t ld, const int32_t *piv,
                            double *work)
{
    enum { CLIMBS = 5 };
    double *x = work, *y = work + n, *z = work + 2 * (size_t)n, norm;
    for (int32_t i = 0; i < n; i++) {
        x[i] = y[i] = 1 / (double)n;
    }
    ss_dense_lu_solve(n, LU, ld, piv, y);
    norm = sum_of_sizes(n, y);
    for (int climb = 0; climb < CLIMBS; climb++) {
        int32_t to = steepest(n, LU, ld, piv, x, y, z);
        for (int32_t i = 0; to >= 0 && i < n; i++) {
            x[i] = y[i] = i == to;
        }
        if (to < 0) {
            break;
        }
        ss_dense_lu_solve(n, LU, ld, piv, y);
        norm = fmax(norm, sum_of_sizes(n, y));
    }
    for (int32_t i = 0; i < n; i++) {
        y[i] = (i % 2 == 0 ? 1 : -1) * (1 + i / fmax(1, n - 1));
    }
    ss_dense_lu_solve(n, LU, ld, piv, y);
    return fmax(norm, 2 * sum_of_sizes(n, y) / (3 * (double)n));
}

double ss_dense_lu_rcond(int32_t n, const double *LU, int32_t ld, const int32_t *piv, double anorm,
                         double *work)
{
    if (n == 0) {
        return 1;
    }
    double rcond = 1 / (anorm * inverse_norm1(n, LU, ld, piv, work));
    return isfinite(rcond) ? rcond : 0;
}

/* ---- Cholesky -----------------------------------------------------------------------------------
 */

/* The first `width` columns of a matrix of m rows. */
SS_WIDEST static bool panel_cholesky(int32_t m, int32_t width, double *A, int32_t ld)
{
    for (int32_t k = 0; k < width; k++) {
        double *col = A + (size_t)k * (size_t)ld;
        if (!(col[k] > 0)) {
            return false;
        }
        col[k]         = sqrt(col[k]);
        double inverse = 1 / col[k];
        for (int32_t i = k + 1; i < m; i++) {
            col[i] *= inverse;
        }
        for (int32_t j = k + 1; j < width; j++) {
            double *right = A + (size_t)j * (size_t)ld;
            subtract_scaled(m - j, col[j], col + j, right + j);
        }
    }
    return true;
}

/* C -= L L' in the lower triangle of an n x n block, L of `depth` columns. */
static void subtract_square(int32_t n, int32_t depth, const double *L, double *C, size_t ld)
{
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = j; i < n; i++) {
            double c = C[(size_t)j * ld + (size_t)i];
            for (int32_t k = 0; k < depth; k++) {
                c -= L[(size_t)k * ld + (size_t)i] * L[(size_t)k * ld + (size_t)j];
            }
            C[(size_t)j * ld + (size_t)i] = c;
        }
    }
}

bool ss_dense_cholesky(int32_t n, double *A, int32_t ld)
{
    size_t step = (size_t)ld;
    for (int32_t k = 0; k < n; k += PANEL) {
        int32_t width = n - k < PANEL ? n - k : PANEL;
        double *panel = A + (size_t)k * step + (size_t)k;
        if (!panel_cholesky(n - k, width, panel, ld)) {
            return false;
        }
        for (int32_t j = k + width; j < n; j += ROWS) {
            int32_t       cols = n - j < ROWS ? n - j : ROWS;
            const double *row  = A + (size_t)k * step + (size_t)j;
            double       *at   = A + (size_t)j * step + (size_t)j;
            subtract_square(cols, width, row, at, step);
            subtract_product(n - j - cols, cols, width, row + cols, step,
                             (right_factor){row, step, 1}, at + cols, step);
        }
    }
    return true;
}

void ss_dense_cholesky_solve(int32_t n, const double *L, int32_t ld, double *b)
{
    for (int32_t k = 0; k < n; k++) {
        const double *col = L + (size_t)k * (size_t)ld;
        b[k] /= col[k];
        for (int32_t i = k + 1; i < n; i++) {
            b[i] -= col[i] * b[k];
        }
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        const double *col = L + (size_t)k * (size_t)ld;
        double        sum = b[k];
        for (int32_t i = k + 1; i < n; i++) {
            sum -= col[i] * b[i];
        }
        b[k] = sum / col[k];
    }
}

double ss_dense_norm1(int32_t n, const double *A, int32_t ld)
{
    double norm = 0;
    for (int32_t j = 0; j < n; j++) {
        double sum = 0;
        for (int32_t i = 0; i < n; i++) {
            sum += fabs(A[(size_t)j * (size_t)ld + (size_t)i]);
        }
        norm = fmax(norm, sum);
    }
    return norm;
}
