/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/matrix.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/twofold.h"
#include "linalg/widest.h"

static const double *dense_column(const ss_matrix *A, int32_t j)
{
    return A->dense + (size_t)j * (size_t)A->ld;
}

static void add_column(int32_t n, const double *restrict col, double x, double *restrict y)
{
    for (int32_t i = 0; i < n; i++) {
        y[i] += col[i] * x;
    }
}

void ss_matrix_add_column(const ss_matrix *A, int32_t j, double x, double *y)
{
    if (A->dense != NULL) {
        add_column(A->rows, dense_column(A, j), x, y);
        return;
    }
    for (int32_t k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
        y[A->rowind[k]] += A->values[k] * x;
    }
}

/*
 * Small dense products: up to STRIP rows are summed side by side in registers, which for up to
 * STRIPPED_MAX rows beats going column by column and leaving out those where x is zero.
 */
enum { STRIP = 4, STRIPPED_MAX = 48 };

/* y += A x for `count` rows from `at` on; the compiler is to know count. */
static inline void strip_mul_add(const double *at, int32_t ld, int32_t cols, int32_t count,
                                 const double *x, double *restrict y)
{
    double sum[STRIP] = {0};
    for (int32_t j = 0; j < cols; j++, at += ld) {
        for (int32_t c = 0; c < count; c++) {
            sum[c] += at[c] * x[j];
        }
    }
    for (int32_t c = 0; c < count; c++) {
        y[c] += sum[c];
    }
}

static void strips_mul_add(const ss_matrix *A, const double *x, double *y)
{
    const double *at   = A->dense;
    int32_t       left = A->rows;
    for (; left >= STRIP; left -= STRIP, at += STRIP, y += STRIP) {
        strip_mul_add(at, A->ld, A->cols, STRIP, x, y);
    }
    switch (left) {
    case 3:
        strip_mul_add(at, A->ld, A->cols, 3, x, y);
        break;
    case 2:
        strip_mul_add(at, A->ld, A->cols, 2, x, y);
        break;
    case 1:
        strip_mul_add(at, A->ld, A->cols, 1, x, y);
        break;
    default:
        break;
    }
}

void ss_matrix_mul_add(const ss_matrix *A, const double *x, double *y)
{
    if (A->dense != NULL && A->rows <= STRIPPED_MAX) {
        strips_mul_add(A, x, y);
        return;
    }
    for (int32_t j = 0; j < A->cols; j++) {
        if (x[j] != 0) {
            ss_matrix_add_column(A, j, x[j], y);
        }
    }
}

void ss_matrix_mul_transposed_add(const ss_matrix *A, const double *x, double *y)
{
    for (int32_t j = 0; j < A->cols; j++) {
        double sum = 0;
        if (A->dense != NULL) {
            const double *col = dense_column(A, j);
            for (int32_t i = 0; i < A->rows; i++) {
                sum += col[i] * x[i];
            }
        } else {
            for (int32_t k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
                sum += A->values[k] * x[A->rowind[k]];
            }
        }
        y[j] += sum;
    }
}

static void add_column_sized(int32_t n, const double *restrict col, double x, double *restrict y,
                             double *restrict size)
{
    for (int32_t i = 0; i < n; i++) {
        double term = col[i] * x;
        y[i] += term;
        size[i] += fabs(term);
    }
}

static inline void strip_mul_add_sized(const double *at, int32_t ld, int32_t cols, int32_t count,
                                       const double *x, double *restrict y, double *restrict size)
{
    double sum[STRIP] = {0}, sizes[STRIP] = {0};
    for (int32_t j = 0; j < cols; j++, at += ld) {
        for (int32_t c = 0; c < count; c++) {
            double term = at[c] * x[j];
            sum[c] += term;
            sizes[c] += fabs(term);
        }
    }
    for (int32_t c = 0; c < count; c++) {
        y[c] += sum[c];
        size[c] += sizes[c];
    }
}

static void strips_mul_add_sized(const ss_matrix *A, const double *x, double *y, double *size)
{
    const double *at   = A->dense;
    int32_t       left = A->rows;
    for (; left >= STRIP; left -= STRIP, at += STRIP, y += STRIP, size += STRIP) {
        strip_mul_add_sized(at, A->ld, A->cols, STRIP, x, y, size);
    }
    switch (left) {
    case 3:
        strip_mul_add_sized(at, A->ld, A->cols, 3, x, y, size);
        break;
    case 2:
        strip_mul_add_sized(at, A->ld, A->cols, 2, x, y, size);
        break;
    case 1:
        strip_mul_add_sized(at, A->ld, A->cols, 1, x, y, size);
        break;
    default:
        break;
    }
}

void ss_matrix_mul_add_sized(const ss_matrix *A, const double *x, double *y, double *size)
{
    if (A->dense != NULL && A->rows <= STRIPPED_MAX) {
        strips_mul_add_sized(A, x, y, size);
        return;
    }
    for (int32_t j = 0; j < A->cols; j++) {
        double xj = x[j];
        if (xj == 0) {
            continue;
        }
        if (A->dense != NULL) {
            add_column_sized(A->rows, dense_column(A, j), xj, y, size);
            continue;
        }
        for (int32_t k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
            double term = A->values[k] * xj;
            y[A->rowind[k]] += term;
            size[A->rowind[k]] += fabs(term);
        }
    }
}

/* Where the stored entries of column j begin and end, whatever the storage. */
static int32_t column_begin(const ss_matrix *A, int32_t j)
{
    return A->dense != NULL ? 0 : A->colptr[j];
}

static int32_t column_end(const ss_matrix *A, int32_t j)
{
    return A->dense != NULL ? A->rows : A->colptr[j + 1];
}

/* `count` rows of a dense matrix, whose sums stay in registers. */
static inline void strip_mul_add_twofold(const double *at, int32_t ld, int32_t cols, int32_t count,
                                         const double *x, double *restrict hi, double *restrict lo)
{
    double h[STRIP], l[STRIP];
    for (int32_t c = 0; c < count; c++) {
        h[c] = hi[c];
        l[c] = lo[c];
    }
    for (int32_t j = 0; j < cols; j++, at += ld) {
        for (int32_t c = 0; x[j] != 0 && c < count; c++) {
            ss_twofold y = ss_twofold_add_product((ss_twofold){h[c], l[c]}, at[c], x[j]);
            h[c]         = y.hi;
            l[c]         = y.lo;
        }
    }
    for (int32_t c = 0; c < count; c++) {
        hi[c] = h[c];
        lo[c] = l[c];
    }
}

SS_WIDEST static void strips_mul_add_twofold(const ss_matrix *A, const double *x, double *hi,
                                             double *lo)
{
    int32_t i = 0;
    for (; i + STRIP <= A->rows; i += STRIP) {
        strip_mul_add_twofold(A->dense + i, A->ld, A->cols, STRIP, x, hi + i, lo + i);
    }
    for (; i < A->rows; i++) {
        strip_mul_add_twofold(A->dense + i, A->ld, A->cols, 1, x, hi + i, lo + i);
    }
}

void ss_matrix_mul_add_twofold(const ss_matrix *A, const double *x, double *hi, double *lo)
{
    if (A->dense != NULL) {
        strips_mul_add_twofold(A, x, hi, lo);
        return;
    }
    for (int32_t j = 0; j < A->cols; j++) {
        for (int32_t k = A->colptr[j]; x[j] != 0 && k < A->colptr[j + 1]; k++) {
            int32_t    i = A->rowind[k];
            ss_twofold y = ss_twofold_add_product((ss_twofold){hi[i], lo[i]}, A->values[k], x[j]);
            hi[i]        = y.hi;
            lo[i]        = y.lo;
        }
    }
}

void ss_matrix_mul_transposed_add_twofold(const ss_matrix *A, const double *x, double *hi,
                                          double *lo)
{
    for (int32_t j = 0; j < A->cols; j++) {
        ss_twofold y = {hi[j], lo[j]};
        for (int32_t k = column_begin(A, j); k < column_end(A, j); k++) {
            double a = A->dense != NULL ? dense_column(A, j)[k] : A->values[k];
            y        = ss_twofold_add_product(y, a, x[A->dense != NULL ? k : A->rowind[k]]);
        }
        hi[j] = y.hi;
        lo[j] = y.lo;
    }
}

double ss_matrix_column_max(const ss_matrix *A, int32_t j, const double *weight)
{
    double largest = 0;
    if (A->dense != NULL) {
        const double *col = dense_column(A, j);
        for (int32_t i = 0; i < A->rows; i++) {
            double share = fabs(col[i]) * weight[i];
            largest      = share > largest ? share : largest;
        }
    } else {
        for (int32_t k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
            double share = fabs(A->values[k]) * weight[A->rowind[k]];
            largest      = share > largest ? share : largest;
        }
    }
    return largest;
}

/* Sums of |R_i A_ij C_j| over each row and each column. */
static void absolute_sums(const ss_matrix *A, const double *R, const double *C, double *rows,
                          double *cols)
{
    memset(rows, 0, (size_t)A->rows * sizeof *rows);
    for (int32_t j = 0; j < A->cols; j++) {
        int32_t first = A->dense != NULL ? 0 : A->colptr[j];
        int32_t last  = A->dense != NULL ? A->rows : A->colptr[j + 1];
        cols[j]       = 0;
        for (int32_t k = first; k < last; k++) {
            int32_t i    = A->dense != NULL ? k : A->rowind[k];
            double  a    = A->dense != NULL ? dense_column(A, j)[k] : A->values[k];
            double  size = fabs(R[i] * a * C[j]);
            rows[i] += size;
            cols[j] += size;
        }
    }
}

void ss_matrix_equilibrate(const ss_matrix *A, double *R, double *C, double *work)
{
    enum { PASSES = 6 };
    for (int32_t i = 0; i < A->rows; i++) {
        R[i] = 1;
    }
    for (int32_t j = 0; j < A->cols; j++) {
        C[j] = 1;
    }
    for (int pass = 0; pass < PASSES; pass++) {
        absolute_sums(A, R, C, work, work + A->rows);
        for (int32_t i = 0; i < A->rows; i++) {
            R[i] *= ss_balance(work[i]);
        }
        for (int32_t j = 0; j < A->cols; j++) {
            C[j] *= ss_balance(work[A->rows + j]);
        }
    }
}

/* The exponent of a number that is not zero, as frexp gives it; read off its bits where it is
   normal, because every entry is asked some twenty times. */
static inline int32_t exponent(double a)
{
    uint64_t bits = 0;
    memcpy(&bits, &a, sizeof bits);
    int32_t biased = (int32_t)(bits >> 52 & 0x7ff);
    if (biased > 0 && biased < 0x7ff) {
        return biased - 1022;
    }
    int e = 0;
    (void)frexp(a, &e);
    return e;
}

/* One column of units_pass: `at` has `count` entries in the rows `rows` (NULL: 0, 1, ..). */
static void units_of_column(const double *at, const int32_t *rows, int32_t count, const double *R,
                            double *sum)
{
    double  mean = 0;
    int32_t some = 0;
    for (int32_t k = 0; k < count; k++) {
        if (at[k] != 0) {
            mean += exponent(at[k]) + R[rows != NULL ? rows[k] : k];
            some++;
        }
    }
    mean = some > 0 ? mean / some : 0;
    for (int32_t k = 0; k < count; k++) {
        if (at[k] != 0) {
            sum[rows != NULL ? rows[k] : k] += exponent(at[k]) - mean;
        }
    }
}

/* Least squares in the logarithms, columns and rows in turn; returns the largest change of a row.
 */
static double units_pass(const ss_matrix *A, double *R, const double *count, double *sum)
{
    double change = 0;
    memset(sum, 0, (size_t)A->rows * sizeof *sum);
    for (int32_t j = 0; j < A->cols; j++) {
        if (A->dense != NULL) {
            units_of_column(dense_column(A, j), NULL, A->rows, R, sum);
        } else {
            int32_t first = A->colptr[j];
            units_of_column(A->values + first, A->rowind + first, A->colptr[j + 1] - first, R, sum);
        }
    }
    for (int32_t i = 0; i < A->rows; i++) {
        double fresh = count[i] > 0 ? -sum[i] / count[i] : 0;
        change       = fmax(change, fabs(fresh - R[i]));
        R[i]         = fresh;
    }
    return change;
}

/* Exponents and their number share one number, exactly: sum + 2^32 count. */
static const double exponents_end = 4294967296.0;

static double count_of(double packed)
{
    return floor(packed / exponents_end);
}

/* Counted from 1022 below those of frexp, so that they are positive. */
static double exponents_of(double packed)
{
    return packed - (exponents_end + 1022) * count_of(packed);
}

/*
 * The exponents of a dense column and the number of entries that are not zero, added to `sums` row
 * by row, and all of them into `column`; exact in any order. False: an entry is subnormal or not
 * finite.
 */
static bool add_exponents(const double *restrict at, int32_t rows, double *restrict sums,
                          double *column)
{
    const int64_t not_finite = 0x7ff, end = (int64_t)1 << 32;
    int64_t       total = 0;
    for (int32_t i = 0; i < rows; i++) {
        int64_t bits;
        memcpy(&bits, at + i, sizeof bits);
        int64_t biased = bits >> 52 & 0x7ff;
        if (biased == 0 && at[i] == 0) {
            continue;
        }
        if (biased == 0 || biased == not_finite) {
            return false;
        }
        total += biased + end;
        sums[i] += (double)(biased + end);
    }
    *column = (double)total;
    return true;
}

/* units_pass for a dense matrix of which the sums of exponents are known: what is left to do is to
   add up the units where an entry is not zero. In four strands, whatever the machine. */
SS_WIDEST static double dense_units_pass(const ss_matrix *A, const double *rows, const double *cols,
                                         double *restrict R, double *restrict sum)
{
    double  change = 0;
    int32_t n = A->rows, whole = n - n % STRIP;
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int32_t j = 0; j < A->cols; j++) {
        const double *at = dense_column(A, j);
        if (count_of(cols[j]) == 0) {
            continue;
        }
        double part[STRIP] = {0};
        for (int32_t i = 0; i < whole; i += STRIP) {
            for (int32_t k = 0; k < STRIP; k++) {
                part[k] += at[i + k] != 0 ? R[i + k] : 0;
            }
        }
        for (int32_t i = whole; i < n; i++) {
            part[0] += at[i] != 0 ? R[i] : 0;
        }
        double all  = (part[0] + part[1]) + (part[2] + part[3]);
        double mean = (exponents_of(cols[j]) + all) / count_of(cols[j]);
        for (int32_t i = 0; i < whole; i += STRIP) {
            for (int32_t k = i; k < i + STRIP; k++) {
                sum[k] += at[k] != 0 ? mean : 0;
            }
        }
        for (int32_t i = whole; i < n; i++) {
            sum[i] += at[i] != 0 ? mean : 0;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        double count = count_of(rows[i]);
        double fresh = count > 0 ? (sum[i] - exponents_of(rows[i])) / count : 0;
        change       = fmax(change, fabs(fresh - R[i]));
        R[i]         = fresh;
    }
    return change;
}

enum { UNITS_PASSES = 50 };
static const double units_enough = 0.25; /* of a factor of two */

/* The logarithms of the units of a dense matrix; false where an entry has no plain exponent. */
static bool dense_row_units(const ss_matrix *A, double *R, double *work)
{
    double *rows = work, *cols = rows + A->rows, *sum = cols + A->cols;
    memset(rows, 0, (size_t)A->rows * sizeof *rows);
    for (int32_t j = 0; j < A->cols; j++) {
        if (!add_exponents(dense_column(A, j), A->rows, rows, &cols[j])) {
            return false;
        }
    }
    memset(R, 0, (size_t)A->rows * sizeof *R);
    for (int pass = 0;
         pass < UNITS_PASSES && dense_units_pass(A, rows, cols, R, sum) > units_enough; pass++) {
    }
    return true;
}

static void any_row_units(const ss_matrix *A, double *R, double *work)
{
    double *count = work;
    memset(R, 0, (size_t)A->rows * sizeof *R);
    memset(count, 0, (size_t)A->rows * sizeof *count);
    for (int32_t j = 0; j < A->cols; j++) {
        for (int32_t k = column_begin(A, j); k < column_end(A, j); k++) {
            double a = A->dense != NULL ? dense_column(A, j)[k] : A->values[k];
            count[A->dense != NULL ? k : A->rowind[k]] += a != 0;
        }
    }
    for (int pass = 0;
         pass < UNITS_PASSES && units_pass(A, R, count, work + A->rows) > units_enough; pass++) {
    }
}

void ss_matrix_row_units(const ss_matrix *A, double *R, double *work)
{
    if (A->dense == NULL || !dense_row_units(A, R, work)) {
        any_row_units(A, R, work);
    }
    for (int32_t i = 0; i < A->rows; i++) {
        R[i] = ldexp(1, (int)fmin(fmax(R[i], -1000), 1000));
    }
}

void ss_matrix_to_dense(const ss_matrix *A, double *dense, int32_t ld)
{
    for (int32_t j = 0; j < A->cols; j++) {
        double *restrict to = dense + (size_t)j * (size_t)ld;
        if (A->dense != NULL) {
            const double *restrict from = dense_column(A, j);
            for (int32_t i = 0; i < A->rows; i++) {
                to[i] = from[i];
            }
            continue;
        }
        memset(to, 0, (size_t)A->rows * sizeof *to);
        for (int32_t k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
            to[A->rowind[k]] = A->values[k];
        }
    }
}
