/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices as lists of (row, column, value), and from there to compressed columns. */
#ifndef SS_IO_TRIPLETS_H
#define SS_IO_TRIPLETS_H

#include <stdbool.h>

#include "files/pool_numbers.h"
#include "stickslip/problem.h"

typedef struct ss_triplets {
    int32_t  rows, cols;
    int32_t  count;
    int32_t *i, *j; /* (count) 0-based, within rows and cols */
    double  *x;     /* (count)                               */
} ss_triplets;

/* Room for `count` entries. */
ss_status ss_triplets_alloc(ss_pool *pool, int32_t rows, int32_t cols, size_t count,
                            ss_triplets *t);
/* Compressed columns, rows ascending; entries at the same place are added up. */
ss_status ss_triplets_compress(ss_pool *pool, const ss_triplets *t, ss_matrix *out);
/* All stored entries of a matrix (of a dense one: those that are not zero). */
ss_status ss_triplets_of(ss_pool *pool, const ss_matrix *m, ss_triplets *t);
/* Append the mirror image of everything off the diagonal. */
ss_status ss_triplets_mirror(ss_pool *pool, ss_triplets *t);
/* True when there are entries above the diagonal and none below it. */
bool ss_triplets_upper_only(const ss_triplets *t);

/* Number of stored entries of a matrix. */
size_t ss_matrix_entries(const ss_matrix *m);
/* Entry (i, j). */
double ss_matrix_at(const ss_matrix *m, int32_t i, int32_t j);
/* A dense matrix over `values`, column-major. */
ss_matrix ss_matrix_dense(int32_t rows, int32_t cols, const double *values);

#endif
