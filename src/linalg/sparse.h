/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sparse direct solvers over SuiteSparse's LGPL parts, with the symbolic phase apart from the
 * numeric one, so that a pattern is analysed once however often its values change.
 */
#ifndef SS_LINALG_SPARSE_H
#define SS_LINALG_SPARSE_H

#include <stdbool.h>

#include "linalg/patience.h"
#include "stickslip/base.h"

/*
 * LU with partial pivoting (KLU), compressed columns. Zero-initialise before the first use. Large
 * matrices that fill in so far that a dense factorisation is faster get one.
 */
typedef struct ss_sparse_lu {
    void *impl;
} ss_sparse_lu;

/* Whether this build has it. */
bool ss_sparse_lu_available(void);

/*
 * Analyse a pattern: colptr (n + 1), rowind ascending in each column. Replaces what was there; the
 * pattern of the last call costs a comparison. Call it once per problem: factors and pivots of
 * earlier ones are forgotten, so that the same problem gives the same bits whatever came before.
 */
ss_status ss_sparse_lu_analyse(ss_context *ctx, ss_sparse_lu *lu, int32_t n, const int32_t *colptr,
                               const int32_t *rowind);

/*
 * Factor the values that belong to the analysed pattern, whose arrays must still be the same.
 * Pivots are taken over from the last factorisation where they are still good. *singular: a pivot
 * was zero, or patience is over (it may be NULL), and there are no factors.
 */
ss_status ss_sparse_lu_factor(ss_context *ctx, ss_sparse_lu *lu, const int32_t *colptr,
                              const int32_t *rowind, const double *values, ss_patience *patience,
                              bool *singular);

/* The products that the last factorisation took; 0: there are no factors. */
double ss_sparse_lu_products(const ss_sparse_lu *lu);

/* b := A^-1 b */
void ss_sparse_lu_solve(ss_sparse_lu *lu, double *b);

void ss_sparse_lu_free(ss_context *ctx, ss_sparse_lu *lu);

#endif
