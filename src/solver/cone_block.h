/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One block of a cone problem by itself: u = A r + b under the block's law, solved exactly.
 * Friction ellipsoids have been scaled to balls before (problem/reduce_axes.c).
 */
#ifndef SS_SOLVER_CONE_BLOCK_H
#define SS_SOLVER_CONE_BLOCK_H

#include <stdbool.h>

#include "stickslip/problem.h"

/* Larger blocks (disks, equalities) are treated by projection and row by row. */
enum { SS_BLOCK_EXACT = 8, SS_BLOCK_DATA = SS_BLOCK_EXACT * SS_BLOCK_EXACT };

/* Doubles that ss_block_prepare needs for a block of this size. */
static inline size_t ss_block_data_size(int32_t dim)
{
    return (size_t)dim * (size_t)dim + 4;
}

/* Keep what ss_block_solve needs of A (dim x dim, column-major, leading dimension ld). */
void ss_block_prepare(const ss_block *b, const double *A, int32_t ld, double *data);

/*
 * Given the block's reaction r and its velocity u at r, everything else held fixed, replace r by
 * the reaction that obeys the law. `change` (dim) receives new - old.
 */
void ss_block_solve(const ss_block *b, const double *data, const double *u, double *r,
                    double *change);

/* r := P(r), the nearest reaction that the block allows. */
void ss_block_project(const ss_block *b, double *r);

#endif
