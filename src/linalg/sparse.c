/* SPDX-License-Identifier: Apache-2.0 */
/* Which factors a sparse matrix gets, sparse or dense ones, and dense ones where it fills in. */
#include "linalg/sparse.h"

#include <string.h>

#include "linalg/dense.h"
#include "linalg/sparse_factors.h"
#include "linalg/tolerances.h"

typedef struct lu_data {
    int32_t     n;
    int32_t    *pattern; /* column starts, then rows, of the analysed matrix */
    size_t      pattern_size;
    ss_factors *sparse;   /* NULL: a build that has none */
    double      products; /* of the last dense factorisation */
    double     *dense;    /* (n x n) the dense factors, where they are taken, otherwise NULL */
    int32_t    *pivot;    /* (n) of them */
} lu_data;

/* Products of a dense factorisation in the time of one of a sparse factorisation, which goes from
   entry to entry; the sizes for which it is looked at: below, both are fast; above, memory counts.
 */
enum { DENSE_FASTER = 6, DENSE_LEAST = 600, DENSE_MOST = 4000 };

static lu_data *data_of(ss_context *ctx, ss_sparse_lu *lu)
{
    if (lu->impl == NULL) {
        lu_data *fresh = ss_alloc(ctx, 1, sizeof *fresh);
        if (fresh == NULL) {
            return NULL;
        }
        fresh->sparse = ss_factors_new(ctx);
        lu->impl      = fresh;
        if (fresh->sparse == NULL && ss_sparse_lu_available()) {
            ss_sparse_lu_free(ctx, lu);
        }
    }
    return lu->impl;
}

/* Whether this pattern is the one that was analysed last. */
static bool same_pattern(const lu_data *d, int32_t n, const int32_t *colptr, const int32_t *rowind)
{
    size_t starts = ((size_t)n + 1) * sizeof *colptr, rows = (size_t)colptr[n] * sizeof *rowind;
    return d->pattern != NULL && d->n == n && d->pattern_size == starts + rows &&
           memcmp(d->pattern, colptr, starts) == 0 && memcmp(d->pattern + n + 1, rowind, rows) == 0;
}

static void drop_pattern(ss_context *ctx, lu_data *d)
{
    ss_free(ctx, d->pattern, d->pattern_size);
    d->pattern      = NULL;
    d->pattern_size = 0;
}

static bool keep_pattern(ss_context *ctx, lu_data *d, const int32_t *colptr, const int32_t *rowind)
{
    size_t starts = ((size_t)d->n + 1) * sizeof *colptr;
    size_t rows   = (size_t)colptr[d->n] * sizeof *rowind;
    d->pattern    = ss_alloc(ctx, 1, starts + rows);
    if (d->pattern == NULL) {
        return false;
    }
    d->pattern_size = starts + rows;
    memcpy(d->pattern, colptr, starts);
    memcpy(d->pattern + d->n + 1, rowind, rows);
    return true;
}

static size_t dense_entries(const lu_data *d)
{
    return (size_t)d->n * (size_t)d->n;
}

static void drop_dense(ss_context *ctx, lu_data *d)
{
    ss_free(ctx, d->dense, dense_entries(d) * sizeof *d->dense);
    ss_free(ctx, d->pivot, (size_t)d->n * sizeof *d->pivot);
    d->dense = NULL;
    d->pivot = NULL;
}

/* Where there is no other way, and where the order leaves little of the zeros. */
static bool wants_dense(const lu_data *d)
{
    if (d->n > DENSE_MOST || d->sparse == NULL) {
        return d->n <= DENSE_MOST;
    }
    return d->n >= DENSE_LEAST &&
           DENSE_FASTER * ss_factors_expected(d->sparse) >= ss_dense_lu_products(d->n);
}

/* Without room for dense factors sparse ones have to do. */
static void make_dense(ss_context *ctx, lu_data *d)
{
    d->dense = ss_alloc(ctx, dense_entries(d), sizeof *d->dense);
    d->pivot = ss_alloc(ctx, (size_t)d->n, sizeof *d->pivot);
    if (d->dense == NULL || d->pivot == NULL) {
        drop_dense(ctx, d);
    }
}

ss_status ss_sparse_lu_analyse(ss_context *ctx, ss_sparse_lu *lu, int32_t n, const int32_t *colptr,
                               const int32_t *rowind)
{
    lu_data *d = data_of(ctx, lu);
    if (d == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for a sparse factorisation");
    }
    if (d->sparse == NULL && n > DENSE_MOST) {
        return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                       "built without KLU: no factors of a sparse matrix of %d rows (at most %d)",
                       (int)n, DENSE_MOST);
    }
    if (same_pattern(d, n, colptr, rowind)) {
        /* Old pivots would let the rounding of one problem depend on the one solved before. */
        if (d->sparse != NULL) {
            ss_factors_forget(d->sparse);
        }
        return SS_OK;
    }
    drop_dense(ctx, d);
    drop_pattern(ctx, d);
    d->n         = n;
    bool ordered = d->sparse == NULL || ss_factors_order(d->sparse, n, colptr, rowind);
    if (!ordered || !keep_pattern(ctx, d, colptr, rowind)) {
        return ss_fail(ctx, SS_ERR_MEMORY, "a %d x %d sparse matrix could not be ordered", (int)n,
                       (int)n);
    }
    if (wants_dense(d)) {
        make_dense(ctx, d);
    }
    return SS_OK;
}

static bool dense_factor(lu_data *d, const int32_t *colptr, const int32_t *rowind,
                         const double *values, ss_patience *patience)
{
    memset(d->dense, 0, dense_entries(d) * sizeof *d->dense);
    for (int32_t j = 0; j < d->n; j++) {
        double *column = d->dense + (size_t)j * (size_t)d->n;
        for (int32_t e = colptr[j]; e < colptr[j + 1]; e++) {
            column[rowind[e]] = values[e];
        }
    }
    d->products = ss_dense_lu_products(d->n);
    return ss_dense_lu_within(d->n, d->dense, d->n, d->pivot, patience);
}

ss_status ss_sparse_lu_factor(ss_context *ctx, ss_sparse_lu *lu, const int32_t *colptr,
                              const int32_t *rowind, const double *values, ss_patience *patience,
                              bool *singular)
{
    lu_data *d = lu->impl;
    *singular  = false;
    if (d->dense != NULL) {
        *singular = !dense_factor(d, colptr, rowind, values, patience);
        return SS_OK;
    }
    if (d->sparse == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the factors of a sparse matrix");
    }
    if (ss_patience_ends(patience, ss_factors_expected(d->sparse) / SS_SPARSE_RATE)) {
        *singular = true; /* it cannot be cut */
        return SS_OK;
    }
    return ss_factors_find(ctx, d->sparse, colptr, rowind, values, singular);
}

double ss_sparse_lu_products(const ss_sparse_lu *lu)
{
    const lu_data *d = lu->impl;
    if (d == NULL) {
        return 0;
    }
    return d->dense != NULL || d->sparse == NULL ? d->products : ss_factors_products(d->sparse);
}

void ss_sparse_lu_solve(ss_sparse_lu *lu, double *b)
{
    lu_data *d = lu->impl;
    if (d->dense != NULL) {
        ss_dense_lu_solve(d->n, d->dense, d->n, d->pivot, b);
        return;
    }
    ss_factors_solve(d->sparse, b);
}

void ss_sparse_lu_free(ss_context *ctx, ss_sparse_lu *lu)
{
    lu_data *d = lu->impl;
    if (d != NULL) {
        ss_factors_free(ctx, d->sparse);
        drop_dense(ctx, d);
        drop_pattern(ctx, d);
        ss_free(ctx, d, sizeof *d);
    }
    lu->impl = NULL;
}
