/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Alart-Curnier Newton steps on a cone problem without axes, with a proximal term:
 *
 *     u = W r + q + alpha (r - center),     F(r, u) = 0
 *
 * in variables scaled block by block so that the entries of W are of size 1 (cone_newton.c). The
 * problem is in local form, or it is contacts on bodies in global form (cone_bodies.h), where W =
 * H'M^-1 H is never formed.
 */
#ifndef SS_SOLVER_CONE_NEWTON_H
#define SS_SOLVER_CONE_NEWTON_H

#include <stdbool.h>

#include "core/arena.h"
#include "linalg/sparse.h"
#include "solver/cone_bodies.h"
#include "solver/cone_sweep.h"

typedef struct ss_newton {
    const ss_cone *p;
    double        *scale;    /* (nblocks) r = scale r', u' = scale u                        */
    double        *q;        /* (n) scaled                                                  */
    double        *bound;    /* (nblocks) scaled bounds of disks                            */
    int32_t       *block_of; /* (n) the block of a row                                      */
    int32_t       *column;   /* (nblocks + 1) first entry of each block column              */
    int32_t       *row;      /* (entries) block row of each entry                           */
    size_t        *at;       /* (entries) where its values begin, (dim_row x dim_col)       */
    double        *value;    /* scaled W, block by block                                    */
    int32_t       *offset;   /* (entries) rows above it in its block column                 */
    size_t        *law_at;   /* (nblocks) into A and B                                      */
    double        *A, *B;    /* A dr + B du = -F, dense per block                           */
    double        *F;        /* (n)                                                         */
    double        *u;        /* (n) velocities, with the proximal term                      */
    double        *z;        /* largest block, scratch                                      */
    int32_t       *Jp, *Ji;  /* Jacobian, compressed columns                                */
    double        *Jx;
    double        *dense;    /* (n x n) when the Jacobian is small, otherwise NULL          */
    double        *active;   /* (n x n) when W is large and dense: blocks that are not open */
    int32_t       *place;    /* (n) row in `active`, -1: of an open block                   */
    double        *right;    /* (n)                                                         */
    int32_t       *pivot;    /* (n)                                                         */
    bool           analysed; /* the pattern of J                                          */
    double        *step;     /* (n)                                                         */
    double        *center;   /* (n)                                                         */
    double         alpha;    /* proximal weight                                             */
    double         rho;      /* weight of u against r in the laws, > 0                      */
    ss_sweep      *sweep;    /* contacts on bodies: their velocities, otherwise NULL        */
    double        *plain;    /* (n) the same: reactions that are not scaled                 */
    double        *answer;   /* (n) the same: C^-1 F, see the end of cone_newton.c          */
    double        *dv;       /* (nv) the same                                               */
    ss_cone_bodies bodies;
    double         products; /* of all calls so far                                       */
    ss_patience    patience; /* of factorisations, if the caller sets it                  */
} ss_newton;

/* The local form. false: the arena is too small. */
bool ss_newton_prepare(ss_newton *w, const ss_cone *p, ss_arena *a);

/* Contacts on bodies in global form; `sweep` is prepared for them. */
ss_fronts_result ss_newton_prepare_bodies(ss_newton *w, ss_sweep *sweep, ss_arena *a);

void ss_newton_scale(const ss_newton *w, double *r);   /* r  -> r' */
void ss_newton_unscale(const ss_newton *w, double *r); /* r' -> r  */

/* The laws at (scaled) r: F, A, B. Returns |F|. */
double ss_newton_evaluate(ss_newton *w, const double *r);

/* Analyse the pattern of J, before the first factorisation; ss_newton_step() does it by itself. */
ss_status ss_newton_analyse(ss_newton *w, ss_context *ctx, ss_sparse_lu *lu);

/* Factor J at the point evaluated last; *singular: there are no factors. */
ss_status ss_newton_factor(ss_newton *w, ss_context *ctx, ss_sparse_lu *lu, bool *singular);

/* x := J^-1 x */
void ss_newton_solve(ss_newton *w, ss_sparse_lu *lu, double *x);

/* Let J be W + alpha I, whatever was evaluated: what methods that split the problem factor. */
void ss_newton_shifted(ss_newton *w, double alpha);

/* step := -J^-1 F at the point evaluated last. *singular: there is no such step. */
ss_status ss_newton_step(ss_newton *w, ss_context *ctx, ss_sparse_lu *lu, bool *singular);

#endif
