/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse LU by KLU (Davis, Palamadai Natarajan 2010), ordered by AMD. */
#include "linalg/sparse.h"

#include "linalg/dense.h"
#include "linalg/tolerances.h"

#if defined(SS_HAVE_KLU)

#include <klu.h>
#include <string.h>

typedef struct lu_data {
    int32_t       n;
    int32_t      *pattern; /* column starts, then rows, of the analysed matrix */
    size_t        pattern_size;
    klu_common    common;
    klu_symbolic *symbolic;
    klu_numeric  *numeric;
    double        products; /* of a factorisation with these pivots */
    double       *dense;    /* (n x n) the dense factors, where they are faster, otherwise NULL */
    int32_t      *pivot;    /* (n) of them */
} lu_data;

/* Products of a dense factorisation in the time of one of a sparse factorisation, which goes from
   entry to entry; the sizes for which it is looked at: below, both are fast; above, memory counts.
 */
enum { DENSE_FASTER = 6, DENSE_LEAST = 600, DENSE_MOST = 4000 };

static void drop(lu_data *d)
{
    klu_free_numeric(&d->numeric, &d->common);
    klu_free_symbolic(&d->symbolic, &d->common);
}

static lu_data *data_of(ss_context *ctx, ss_sparse_lu *lu)
{
    if (lu->impl == NULL) {
        lu_data *fresh = ss_alloc(ctx, 1, sizeof *fresh);
        if (fresh == NULL) {
            return NULL;
        }
        klu_defaults(&fresh->common);
        fresh->common.btf              = 0; /* contact graphs are connected: nothing to find */
        fresh->common.ordering         = 0; /* AMD of A + A' */
        fresh->common.tol              = SS_DIAGONAL_PIVOT;
        fresh->common.halt_if_singular = 1;
        lu->impl                       = fresh;
    }
    return lu->impl;
}

/* Whether this pattern is the one that was analysed last. */
static bool same_pattern(const lu_data *d, int32_t n, const int32_t *colptr, const int32_t *rowind)
{
    size_t starts = ((size_t)n + 1) * sizeof *colptr, rows = (size_t)colptr[n] * sizeof *rowind;
    return d->symbolic != NULL && d->n == n && d->pattern_size == starts + rows &&
           memcmp(d->pattern, colptr, starts) == 0 && memcmp(d->pattern + n + 1, rowind, rows) == 0;
}

static bool keep_pattern(ss_context *ctx, lu_data *d, const int32_t *colptr, const int32_t *rowind)
{
    size_t starts = ((size_t)d->n + 1) * sizeof *colptr;
    size_t rows   = (size_t)colptr[d->n] * sizeof *rowind;
    ss_free(ctx, d->pattern, d->pattern_size);
    d->pattern_size = 0;
    d->pattern      = ss_alloc(ctx, 1, starts + rows);
    if (d->pattern == NULL) {
        return false;
    }
    d->pattern_size = starts + rows;
    memcpy(d->pattern, colptr, starts);
    memcpy(d->pattern + d->n + 1, rowind, rows);
    return true;
}

bool ss_sparse_lu_available(void)
{
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

/* Products that elimination takes by the analysed order; 0: not known. */
static double expected_products(const lu_data *d)
{
    return d->symbolic->est_flops > 0 ? 0.5 * d->symbolic->est_flops : 0;
}

/* Room for dense factors where the order leaves little of the zeros; without it, KLU has to do. */
static void prefer_dense(ss_context *ctx, lu_data *d)
{
    if (d->n < DENSE_LEAST || d->n > DENSE_MOST ||
        DENSE_FASTER * expected_products(d) < ss_dense_lu_products(d->n)) {
        return;
    }
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
    if (same_pattern(d, n, colptr, rowind)) {
        /* Old pivots would let the rounding of one problem depend on the one solved before. */
        klu_free_numeric(&d->numeric, &d->common);
        return SS_OK;
    }
    drop(d);
    drop_dense(ctx, d);
    d->n        = n;
    d->symbolic = klu_analyze(n, (int32_t *)colptr, (int32_t *)rowind, &d->common);
    if (d->symbolic == NULL || !keep_pattern(ctx, d, colptr, rowind)) {
        drop(d);
        return ss_fail(ctx, SS_ERR_MEMORY, "a %d x %d sparse matrix could not be ordered", (int)n,
                       (int)n);
    }
    prefer_dense(ctx, d);
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

/* Reuse pivots and pattern of the factors; false when growth shows that they no longer fit. */
static bool refactor(lu_data *d, int32_t *colptr, int32_t *rowind, double *values)
{
    return d->numeric != NULL &&
           klu_refactor(colptr, rowind, values, d->symbolic, d->numeric, &d->common) &&
           d->common.status == KLU_OK &&
           klu_rgrowth(colptr, rowind, values, d->symbolic, d->numeric, &d->common) &&
           d->common.rgrowth > SS_LEAST_PIVOT_GROWTH;
}

ss_status ss_sparse_lu_factor(ss_context *ctx, ss_sparse_lu *lu, const int32_t *colptr,
                              const int32_t *rowind, const double *values, ss_patience *patience,
                              bool *singular)
{
    lu_data *d = lu->impl;
    int32_t *p = (int32_t *)colptr, *i = (int32_t *)rowind; /* KLU takes no const */
    double  *x = (double *)values;
    *singular  = false;
    if (d->dense != NULL) {
        *singular = !dense_factor(d, colptr, rowind, values, patience);
        return SS_OK;
    }
    if (ss_patience_ends(patience, expected_products(d) / SS_SPARSE_RATE)) { /* it cannot be cut */
        *singular = true;
        return SS_OK;
    }
    if (refactor(d, p, i, x)) {
        return SS_OK;
    }
    klu_free_numeric(&d->numeric, &d->common);
    d->numeric = klu_factor(p, i, x, d->symbolic, &d->common);
    if (d->numeric == NULL && d->common.status == KLU_OUT_OF_MEMORY) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the factors of a sparse matrix");
    }
    *singular   = d->numeric == NULL;
    d->products = *singular || !klu_flops(d->symbolic, d->numeric, &d->common)
                      ? (double)colptr[d->n]
                      : 0.5 * d->common.flops;
    return SS_OK;
}

double ss_sparse_lu_products(const ss_sparse_lu *lu)
{
    return lu->impl != NULL ? ((const lu_data *)lu->impl)->products : 0;
}

void ss_sparse_lu_solve(ss_sparse_lu *lu, double *b)
{
    lu_data *d = lu->impl;
    if (d->dense != NULL) {
        ss_dense_lu_solve(d->n, d->dense, d->n, d->pivot, b);
        return;
    }
    klu_solve(d->symbolic, d->numeric, d->n, 1, b, &d->common);
}

void ss_sparse_lu_free(ss_context *ctx, ss_sparse_lu *lu)
{
    lu_data *d = lu->impl;
    if (d != NULL) {
        drop(d);
        drop_dense(ctx, d);
        ss_free(ctx, d->pattern, d->pattern_size);
        ss_free(ctx, d, sizeof *d);
    }
    lu->impl = NULL;
}

#else

bool ss_sparse_lu_available(void)
{
    return false;
}

ss_status ss_sparse_lu_analyse(ss_context *ctx, ss_sparse_lu *lu, int32_t n, const int32_t *colptr,
                               const int32_t *rowind)
{
    (void)lu, (void)colptr, (void)rowind;
    return ss_fail(ctx, SS_ERR_UNSUPPORTED, "built without KLU: no sparse LU of size %d", (int)n);
}

ss_status ss_sparse_lu_factor(ss_context *ctx, ss_sparse_lu *lu, const int32_t *colptr,
                              const int32_t *rowind, const double *values, ss_patience *patience,
                              bool *singular)
{
    (void)lu, (void)colptr, (void)rowind, (void)values, (void)patience;
    *singular = true;
    return ss_fail(ctx, SS_ERR_UNSUPPORTED, "built without KLU: no sparse LU");
}

double ss_sparse_lu_products(const ss_sparse_lu *lu)
{
    (void)lu;
    return 0;
}

void ss_sparse_lu_solve(ss_sparse_lu *lu, double *b)
{
    (void)lu, (void)b;
}

void ss_sparse_lu_free(ss_context *ctx, ss_sparse_lu *lu)
{
    (void)ctx, (void)lu;
}

#endif
