/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mixed LCP -> LCP by the Schur complement of the free block. With free variables x and
 * complementary ones y,
 *
 *   0 = A x + C y + a           x = -A^-1 (C y + a)
 *   w = D x + B y + b     ->    w = (B - D A^-1 C) y + (b - D A^-1 a),
 *
 * where A is nonsingular (Cottle, Pang, Stone 1992, section 1.5). Dense.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "problem/reduce.h"
#include "problem/tolerances.h"

static ss_reduced allocate(const ss_mlcp *p, ss_arena *a, ss_schur *s)
{
    size_t n = (size_t)p->n;
    *s       = (ss_schur){0}; /* what is asked for next depends on it, also where nothing fits */
    s->x     = ss_arena_alloc(a, n, sizeof *s->x);
    s->y     = ss_arena_alloc(a, n, sizeof *s->y);
    if (s->x == NULL || s->y == NULL) {
        return SS_REDUCED_NO_ROOM;
    }
    s->nx = s->ny = 0;
    for (int32_t i = 0; i < p->n; i++) {
        if (p->free[i]) {
            s->x[s->nx++] = i;
        } else {
            s->y[s->ny++] = i;
        }
    }
    s->AC   = ss_arena_alloc(a, (size_t)s->nx * (size_t)(s->ny + 1), sizeof *s->AC);
    s->full = ss_arena_alloc(a, n * n, sizeof *s->full);
    s->LU   = ss_arena_alloc(a, (size_t)s->nx * (size_t)s->nx, sizeof *s->LU);
    s->piv  = ss_arena_alloc(a, (size_t)s->nx, sizeof *s->piv);
    return s->AC && s->full && s->LU && s->piv ? SS_REDUCED : SS_REDUCED_NO_ROOM;
}

/* AC = A^-1 [C a]; false where A is singular to rounding. */
static bool solve_free_block(const ss_mlcp *p, ss_schur *s)
{
    const double *M  = s->full;
    size_t        nx = (size_t)s->nx, n = (size_t)p->n;
    for (size_t j = 0; j < nx; j++) {
        for (size_t i = 0; i < nx; i++) {
            s->LU[i + j * nx] = M[(size_t)s->x[i] + (size_t)s->x[j] * n];
        }
    }
    double anorm = ss_dense_norm1(s->nx, s->LU, s->nx);
    if (s->nx > 0 && !ss_dense_lu(s->nx, s->LU, s->nx, s->piv)) {
        return false;
    }
    for (size_t k = 0; k < nx; k++) {
        if (!(fabs(s->LU[k + k * nx]) > SS_SINGULAR_PIVOT * anorm)) {
            return false;
        }
    }
    for (size_t j = 0; j <= (size_t)s->ny; j++) {
        double *column = s->AC + j * nx;
        for (size_t i = 0; i < nx; i++) {
            column[i] =
                j < (size_t)s->ny ? M[(size_t)s->x[i] + (size_t)s->y[j] * n] : p->q[s->x[i]];
        }
        if (nx > 0) {
            ss_dense_lu_solve(s->nx, s->LU, s->nx, s->piv, column);
        }
    }
    return true;
}

ss_reduced ss_reduce_schur(const ss_mlcp *p, ss_arena *a, ss_schur *s, ss_lcp *out)
{
    ss_reduced done = allocate(p, a, s);
    size_t     ny = (size_t)s->ny, n = (size_t)p->n;
    double    *S = ss_arena_alloc(a, ny * ny, sizeof *S);
    double    *q = ss_arena_alloc(a, ny, sizeof *q);
    if (done != SS_REDUCED || S == NULL || q == NULL) {
        return SS_REDUCED_NO_ROOM;
    }
    ss_matrix_to_dense(&p->M, s->full, p->n);
    if (!solve_free_block(p, s)) {
        return SS_REDUCED_SINGULAR;
    }
    for (size_t i = 0; i < ny; i++) {
        for (size_t j = 0; j <= ny; j++) {
            double value = j < ny ? s->full[(size_t)s->y[i] + (size_t)s->y[j] * n] : p->q[s->y[i]];
            for (size_t k = 0; k < (size_t)s->nx; k++) {
                value -=
                    s->full[(size_t)s->y[i] + (size_t)s->x[k] * n] * s->AC[k + j * (size_t)s->nx];
            }
            *(j < ny ? &S[i + j * ny] : &q[i]) = value;
        }
    }
    *out = (ss_lcp){s->ny, {.rows = s->ny, .cols = s->ny, .dense = S, .ld = s->ny}, q};
    return SS_REDUCED;
}

void ss_reduce_schur_back(const ss_schur *s, const double *y, double *z)
{
    size_t nx = (size_t)s->nx;
    for (int32_t j = 0; j < s->ny; j++) {
        z[s->y[j]] = y[j];
    }
    for (size_t i = 0; i < nx; i++) {
        double x = -s->AC[i + (size_t)s->ny * nx];
        for (size_t j = 0; j < (size_t)s->ny; j++) {
            x -= s->AC[i + j * nx] * y[j];
        }
        z[s->x[i]] = x;
    }
}
