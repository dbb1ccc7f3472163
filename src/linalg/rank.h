/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky with pivoting: positive semidefinite matrices, and which of their rows depend on others.
 */
#ifndef SS_LINALG_RANK_H
#define SS_LINALG_RANK_H

#include <stdint.h>

/*
 * P'A P = L L' on the leading `rank` rows of the permuted matrix, A symmetric positive semidefinite
 * with a diagonal of size 1 or less, in place in the lower triangle; perm[k] is the row of A that
 * became row k. Pivots below `tol` end it: the rows that are left depend on those before. Returns
 * the rank. `left` holds n doubles.
 */
int32_t ss_dense_rank_cholesky(int32_t n, double *A, int32_t ld, double tol, int32_t *perm,
                               double *left);

#endif
