/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An lcp, mlcp or mcp as one box-bounded system, in scaled unknowns y and rows G:
 *
 *   z = C y,   G(y) = R F(C y) + proximal (y - anchor),   l <= y <= u
 *
 * (proximal = 0: the problem itself) and the linear systems that Newton's methods for it need:
 * (diag(da) + diag(db) (G' + eps I)) d = r.
 *
 * Large sparse problems are factored by sparse LU, in one pattern for every active set; the others
 * are copied into a dense matrix of the size of the active set.
 */
#ifndef SS_SOLVER_NEWTON_SYSTEM_H
#define SS_SOLVER_NEWTON_SYSTEM_H

#include "linalg/sparse.h"
#include "stickslip/solver.h"

/* The factored matrix of a sparse problem: the pattern of F' and the whole diagonal. */
typedef struct ss_newton_sparse {
    ss_sparse_lu *lu;       /* NULL: the problem is treated as dense     */
    int32_t      *colptr;   /* (n + 1)                                   */
    int32_t      *rowind;   /* (at most nnz + n)                         */
    int32_t      *diagonal; /* (n) where the diagonal entries are        */
    double       *values;   /* (as rowind)                               */
} ss_newton_sparse;

typedef struct ss_newton_system {
    const ss_problem *p;
    int32_t           n;
    ss_context       *ctx;
    ss_status         status; /* what a sparse factorisation had to say                     */
    ss_newton_sparse  sparse;
    ss_matrix         J;      /* F', of the problem as given                               */
    double           *values; /* (nnz) of J when p is an mcp, otherwise NULL                */
    double           *R, *C;  /* (n)                                                        */
    double           *lower;  /* (n) of y                                                   */
    double           *upper;  /* (n) of y                                                   */
    double            proximal;
    double           *anchor;   /* (n)                                                        */
    double           *z;        /* (n) scratch: C y                                           */
    double           *A;        /* (n x n) the dense matrix that was factored last            */
    double           *right;    /* (n)                                                        */
    int32_t          *piv;      /* (n) numbers of the unknowns, then pivots                   */
    int32_t          *index;    /* (n) unknowns of the reduced system                         */
    double            products; /* of all calls so far                                      */
    ss_patience       patience; /* of factorisations                                          */
} ss_newton_system;

size_t ss_newton_system_bytes(const ss_problem *p);

/*
 * sys->ctx is set; lu is kept from problem to problem, because patterns repeat. False when F or F'
 * cannot be evaluated at the starting point z0 (needed by an mcp for scaling), or with sys->status.
 */
bool ss_newton_system_make(ss_newton_system *sys, const ss_problem *p, ss_sparse_lu *lu,
                           const double *z0, void *memory);

/* G(y); false outside the domain of F, or when a value is not finite. */
bool ss_newton_system_eval(ss_newton_system *sys, const double *y, double *G);

/* Bring F' to y; false outside the domain. */
bool ss_newton_system_linearise(ss_newton_system *sys, const double *y);

/* Solve for d; rows with db_i = 0 are eliminated first. False when the matrix is singular. */
bool ss_newton_system_solve(ss_newton_system *sys, const double *da, const double *db, double eps,
                            const double *r, double *d);

/* g = (diag(da) + diag(db) G')' r: the gradient of |Phi|^2 / 2 for r = Phi. */
void ss_newton_system_gradient(const ss_newton_system *sys, const double *da, const double *db,
                               const double *r, double *g);

#endif
