/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sparse factors of a matrix, by KLU (sparse_klu.c). A build without it has none
 * (sparse_absent.c), and takes dense factors for everything (sparse.c).
 */
#ifndef SS_LINALG_SPARSE_FACTORS_H
#define SS_LINALG_SPARSE_FACTORS_H

#include "linalg/sparse.h"

typedef struct ss_factors ss_factors;

/* NULL: no memory, or none in this build. */
ss_factors *ss_factors_new(ss_context *ctx);
void        ss_factors_free(ss_context *ctx, ss_factors *f);

/* The pattern's order of elimination; factors of the last one are gone. False: no memory. */
bool ss_factors_order(ss_factors *f, int32_t n, const int32_t *colptr, const int32_t *rowind);

/* The order stays, factors and pivots do not. */
void ss_factors_forget(ss_factors *f);

/* Products that elimination takes by that order; 0: not known. */
double ss_factors_expected(const ss_factors *f);

/* *singular: set where a pivot was zero, else left. */
ss_status ss_factors_find(ss_context *ctx, ss_factors *f, const int32_t *colptr,
                          const int32_t *rowind, const double *values, bool *singular);

/* What the last factorisation took. */
double ss_factors_products(const ss_factors *f);

void ss_factors_solve(ss_factors *f, double *b);

#endif
