/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse LU by KLU (Davis, Palamadai Natarajan 2010), ordered by AMD. */
#include <klu.h>

#include "linalg/sparse_factors.h"
#include "linalg/tolerances.h"

struct ss_factors {
    int32_t       n;
    klu_common    common;
    klu_symbolic *symbolic;
    klu_numeric  *numeric;
    double        products; /* of a factorisation with these pivots */
};

bool ss_sparse_lu_available(void)
{
    return true;
}

ss_factors *ss_factors_new(ss_context *ctx)
{
    ss_factors *f = ss_alloc(ctx, 1, sizeof *f);
    if (f != NULL) {
        klu_defaults(&f->common);
        f->common.btf              = 0; /* contact graphs are connected: nothing to find */
        f->common.ordering         = 0; /* AMD of A + A' */
        f->common.tol              = SS_DIAGONAL_PIVOT;
        f->common.halt_if_singular = 1;
    }
    return f;
}

void ss_factors_forget(ss_factors *f)
{
    klu_free_numeric(&f->numeric, &f->common);
}

static void drop(ss_factors *f)
{
    klu_free_numeric(&f->numeric, &f->common);
    klu_free_symbolic(&f->symbolic, &f->common);
}

void ss_factors_free(ss_context *ctx, ss_factors *f)
{
    if (f != NULL) {
        drop(f);
        ss_free(ctx, f, sizeof *f);
    }
}

bool ss_factors_order(ss_factors *f, int32_t n, const int32_t *colptr, const int32_t *rowind)
{
    drop(f);
    f->n        = n;
    f->symbolic = klu_analyze(n, (int32_t *)colptr, (int32_t *)rowind, &f->common);
    return f->symbolic != NULL;
}

double ss_factors_expected(const ss_factors *f)
{
    return f->symbolic->est_flops > 0 ? 0.5 * f->symbolic->est_flops : 0;
}

/* Reuse pivots and pattern of the factors; false when growth shows that they no longer fit. */
static bool refactor(ss_factors *f, int32_t *colptr, int32_t *rowind, double *values)
{
    return f->numeric != NULL &&
           klu_refactor(colptr, rowind, values, f->symbolic, f->numeric, &f->common) &&
           f->common.status == KLU_OK &&
           klu_rgrowth(colptr, rowind, values, f->symbolic, f->numeric, &f->common) &&
           f->common.rgrowth > SS_LEAST_PIVOT_GROWTH;
}

ss_status ss_factors_find(ss_context *ctx, ss_factors *f, const int32_t *colptr,
                          const int32_t *rowind, const double *values, bool *singular)
{
    int32_t *p = (int32_t *)colptr, *i = (int32_t *)rowind; /* KLU takes no const */
    double  *x = (double *)values;
    if (refactor(f, p, i, x)) {
        return SS_OK;
    }
    klu_free_numeric(&f->numeric, &f->common);
    f->numeric = klu_factor(p, i, x, f->symbolic, &f->common);
    if (f->numeric == NULL && f->common.status == KLU_OUT_OF_MEMORY) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the factors of a sparse matrix");
    }
    *singular   = f->numeric == NULL;
    f->products = *singular || !klu_flops(f->symbolic, f->numeric, &f->common)
                      ? (double)colptr[f->n]
                      : 0.5 * f->common.flops;
    return SS_OK;
}

double ss_factors_products(const ss_factors *f)
{
    return f->products;
}

void ss_factors_solve(ss_factors *f, double *b)
{
    klu_solve(f->symbolic, f->numeric, f->n, 1, b, &f->common);
}
