/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connected components: which of n nodes hang together (union and find, with halving of paths).
 * Labels are whole numbers kept as doubles, so that they fit into a caller's workspace of doubles.
 */
#ifndef SS_LINALG_COMPONENTS_H
#define SS_LINALG_COMPONENTS_H

#include "stickslip/problem.h"

/* Every node by itself. */
void ss_components_begin(int32_t n, double *label);

/* The node that stands for the component of `node`. */
int32_t ss_components_find(double *label, int32_t node);

/* The components of a and b become one. */
void ss_components_join(double *label, int32_t a, int32_t b);

/* Row i and column j hang together where A_ij is not zero: nodes row0 + i and col0 + j. */
void ss_components_join_matrix(double *label, const ss_matrix *A, int32_t row0, int32_t col0);

#endif
