/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matrix on velocities that is left of a Newton step on contacts on bodies, in global form,
 * when the reactions are eliminated:
 *
 *     K = M + sum over blocks of H_b G_b H_b'
 *
 * where dr_b = -c_b - G_b H_b'dv is how the reaction of block b answers to velocities. The unknowns
 * are the velocities of the bodies and every contact is one dense element, so K is factored by
 * fronts (linalg/fronts.h).
 */
#ifndef SS_SOLVER_CONE_BODIES_H
#define SS_SOLVER_CONE_BODIES_H

#include "linalg/fronts.h"
#include "solver/cone_sweep.h"

typedef struct ss_cone_bodies {
    const ss_sweep *s;
    ss_fronts_shape shape;
    ss_fronts       fronts;
    size_t         *at;    /* (nblocks) of each block's G                                    */
    double         *G;     /* (dim x dim) per block, column-major; the caller fills it       */
    int32_t        *node;  /* (nv) the node of each coordinate                               */
    int32_t        *slot;  /* (dofs of all blocks) which of the element's nodes it is in     */
    double         *left;  /* (dofs x dim) of one block                                      */
    int32_t        *place; /* (dofs) of one block                                            */
} ss_cone_bodies;

/* s is prepared for the global form, and M is sparse. */
ss_fronts_result ss_cone_bodies_prepare(ss_cone_bodies *w, const ss_sweep *s, ss_arena *a);

/* Assemble and factor K; false: it is singular. */
bool ss_cone_bodies_factor(ss_cone_bodies *w);

/* The products of that. */
double ss_cone_bodies_products(const ss_cone_bodies *w);

/* b := K^-1 b */
void ss_cone_bodies_solve(const ss_cone_bodies *w, double *b);

/* y += H_b x for block k, and x := H_b'y. */
void ss_cone_bodies_push(const ss_cone_bodies *w, int32_t k, const double *x, double *y);
void ss_cone_bodies_pull(const ss_cone_bodies *w, int32_t k, const double *y, double *x);

#endif
