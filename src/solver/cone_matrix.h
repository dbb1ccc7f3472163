/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sparse matrix  K = M + sum over blocks of L_b R_b'  on velocities, where L_b and R_b have the
 * rows of H_b: what is left of a Newton step of the global form when the reactions are eliminated.
 * The pattern is that of bodies that touch, the same for every choice of values.
 */
#ifndef SS_SOLVER_CONE_MATRIX_H
#define SS_SOLVER_CONE_MATRIX_H

#include "solver/cone_sweep.h"

typedef struct ss_cone_matrix {
    const ss_sweep *s;
    int32_t        *colptr, *rowind; /* compressed columns, rows ascending                      */
    double         *values;
    size_t         *at;    /* (nblocks + 1) into place                                          */
    int32_t        *place; /* (dofs x dofs) per block, column-major: where its entries are      */
    int32_t        *mass;  /* (entries of M) where they are                                     */
} ss_cone_matrix;

/* false: the arena is too small. M must be sparse, and s prepared for the global form. */
bool ss_cone_matrix_prepare(ss_cone_matrix *K, const ss_sweep *s, ss_arena *a);

/* K := M */
void ss_cone_matrix_reset(ss_cone_matrix *K);

/* K += L R' for block k; L and R are (dofs x dim), column-major, on the block's coordinates. */
void ss_cone_matrix_add(ss_cone_matrix *K, int32_t k, const double *L, const double *R);

#endif
