/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Block Gauss-Seidel sweeps over a cone problem without axes. In the local form the velocities u
 * are kept up to date column by column; in the global form with block-diagonal M the velocities v
 * are, so that a sweep costs O(contacts) and W is never formed.
 */
#ifndef SS_SOLVER_CONE_SWEEP_H
#define SS_SOLVER_CONE_SWEEP_H

#include <stdbool.h>

#include "core/arena.h"
#include "stickslip/problem.h"

typedef enum ss_sweep_result {
    SS_SWEEP_READY,
    SS_SWEEP_SCRATCH, /* the arena is too small; it knows how much was wanted              */
    SS_SWEEP_REFUSED  /* global form, and M is singular or not block-diagonal              */
} ss_sweep_result;

/* M of the global form as independent dense blocks. */
typedef struct ss_mass {
    int32_t  count;   /* blocks                                                      */
    int32_t *start;   /* (count + 1) first entry of each block in dof                */
    int32_t *dof;     /* (nv) coordinates, block by block                            */
    int32_t *block;   /* (nv) the block of each coordinate                           */
    size_t  *at;      /* (count + 1) where each inverse begins in `inverse`          */
    double  *inverse; /* dense inverses, column-major                               */
} ss_mass;

/* Where a cone of three rows finds its bodies, when each has six coordinates in a row. */
typedef struct ss_pair {
    int32_t bodies;   /* 1 or 2; 0: the block is of another shape  */
    int32_t first[2]; /* first coordinate of each body             */
} ss_pair;

typedef struct ss_sweep {
    const ss_cone *p;
    double        *velocity; /* local: u (n); global: v (nv)                        */
    double        *weight;   /* (nblocks) largest diagonal entry of the block of W  */
    size_t        *data_at;  /* (nblocks + 1) into data                             */
    double        *data;     /* what ss_block_solve needs                           */
    double        *u;        /* velocities of one block, scratch                    */
    double        *change;   /* change of its reactions, scratch                    */
    ss_mass        mass;     /* global form only, as are the following              */
    size_t        *dof_at;   /* (nblocks + 1) into dof                              */
    int32_t       *dof;      /* coordinates that each block acts on                 */
    size_t        *entry_at; /* (nblocks + 1) into H and Y                          */
    double        *H;        /* (dofs x dim) columns of H, dense per block          */
    double        *Y;        /* (dofs x dim) M^-1 H                                 */
    double        *rhs;      /* (nv) scratch                                        */
    ss_pair       *pair;     /* (nblocks) contacts of two bodies in space           */
} ss_sweep;

ss_sweep_result ss_sweep_prepare(ss_sweep *s, const ss_cone *p, ss_arena *a);

/* Velocities that belong to r; also used to wash out what rounding has added up. */
void ss_sweep_refresh(ss_sweep *s, const double *r);

/* One sweep over all blocks, forwards or backwards. Returns sqrt(sum of w_b |change_b|^2). */
double ss_sweep_run(ss_sweep *s, double *r, bool backwards);

#endif
