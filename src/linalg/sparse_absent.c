/* SPDX-License-Identifier: Apache-2.0 */
/* A build without KLU has no sparse factors: nobody gets here with some. */
#include "linalg/sparse_factors.h"

bool ss_sparse_lu_available(void)
{
    return false;
}

ss_factors *ss_factors_new(ss_context *ctx)
{
    (void)ctx;
    return NULL;
}

void ss_factors_free(ss_context *ctx, ss_factors *f)
{
    (void)ctx, (void)f;
}

bool ss_factors_order(ss_factors *f, int32_t n, const int32_t *colptr, const int32_t *rowind)
{
    (void)f, (void)n, (void)colptr, (void)rowind;
    return false;
}

void ss_factors_forget(ss_factors *f)
{
    (void)f;
}

double ss_factors_expected(const ss_factors *f)
{
    (void)f;
    return 0;
}

ss_status ss_factors_find(ss_context *ctx, ss_factors *f, const int32_t *colptr,
                          const int32_t *rowind, const double *values, bool *singular)
{
    (void)f, (void)colptr, (void)rowind, (void)values, (void)singular;
    return ss_fail(ctx, SS_ERR_UNSUPPORTED, "built without KLU: no sparse factors");
}

double ss_factors_products(const ss_factors *f)
{
    (void)f;
    return 0;
}

void ss_factors_solve(ss_factors *f, double *b)
{
    (void)f, (void)b;
}
