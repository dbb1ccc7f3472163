/* SPDX-License-Identifier: Apache-2.0 */
/* Orthonormal bases that grow vector by vector. Small and dense. */
#ifndef SS_LINALG_BASIS_H
#define SS_LINALG_BASIS_H

#include <stdbool.h>
#include <stdint.h>

/* x (n) := what is left of it outside the basis Q (n x rank, column-major). */
void ss_basis_leave(int32_t n, const double *Q, int32_t rank, double *x);

/*
 * Basis Q (n x *rank, room for n columns) of the vectors handed to it one by one: what is left of
 * `x` (n, overwritten) outside the basis is added when its norm exceeds `tol`. True when it was.
 */
bool ss_basis_add(int32_t n, double *Q, int32_t *rank, double *x, double tol);

/* Complete Q to a basis of the whole space: columns rank .. n - 1 become its complement. */
void ss_basis_complete(int32_t n, double *Q, int32_t rank);

#endif
