/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues of small matrices that are not symmetric. */
#ifndef SS_LINALG_EIGEN_H
#define SS_LINALG_EIGEN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The eigenvalues re[i] + i im[i] of A (n x n, column-major). `work` holds 2 n n doubles. False:
 * the iteration did not settle.
 */
bool ss_dense_eigenvalues(int32_t n, const double *A, double *work, double *re, double *im);

#endif
