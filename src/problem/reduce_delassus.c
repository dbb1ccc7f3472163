/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Global -> local: where M is nonsingular, v = M^-1 (H r + f) is put into u = H'v + q,
 *
 *   u = W r + q',   W = H' M^-1 H  (Delassus' operator),   q' = q + H' M^-1 f.
 *
 * Dense: for problems whose W is wanted as a matrix. The blocks and axes are shared with p.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "problem/reduce.h"
#include "problem/tolerances.h"

/* M = L U, and X = M^-1 H column by column. */
static ss_reduced factor(const ss_cone *p, ss_arena *a, ss_delassus *m)
{
    size_t nv = (size_t)p->nv, n = (size_t)p->n;
    m->LU  = ss_arena_alloc(a, nv * nv, sizeof *m->LU);
    m->piv = ss_arena_alloc(a, nv, sizeof *m->piv);
    m->X   = ss_arena_alloc(a, nv * n, sizeof *m->X);
    m->x0  = ss_arena_alloc(a, nv, sizeof *m->x0);
    if (!m->LU || !m->piv || !m->X || !m->x0) {
        return SS_REDUCED_NO_ROOM;
    }
    ss_matrix_to_dense(&p->M, m->LU, p->nv);
    double anorm = ss_dense_norm1(p->nv, m->LU, p->nv);
    if (!ss_dense_lu(p->nv, m->LU, p->nv, m->piv)) {
        return SS_REDUCED_SINGULAR;
    }
    for (int32_t k = 0; k < p->nv; k++) {
        if (!(fabs(m->LU[(size_t)k * nv + (size_t)k]) > SS_SINGULAR_PIVOT * anorm)) {
            return SS_REDUCED_SINGULAR;
        }
    }
    ss_matrix_to_dense(&p->H, m->X, p->nv);
    memcpy(m->x0, p->f, nv * sizeof *m->x0);
    ss_dense_lu_solve(p->nv, m->LU, p->nv, m->piv, m->x0);
    for (int32_t j = 0; j < p->n; j++) {
        ss_dense_lu_solve(p->nv, m->LU, p->nv, m->piv, m->X + (size_t)j * nv);
    }
    return SS_REDUCED;
}

ss_reduced ss_reduce_delassus(const ss_cone *p, ss_arena *a, ss_delassus *m, ss_cone *out)
{
    size_t  n = (size_t)p->n;
    double *W = ss_arena_alloc(a, n * n, sizeof *W);
    double *q = ss_arena_alloc(a, n, sizeof *q);
    if (W == NULL || q == NULL) {
        return SS_REDUCED_NO_ROOM;
    }
    ss_reduced done = factor(p, a, m);
    if (done != SS_REDUCED) {
        return done;
    }
    memset(W, 0, n * n * sizeof *W);
    memcpy(q, p->q, n * sizeof *q);
    ss_matrix_mul_transposed_add(&p->H, m->x0, q);
    for (int32_t j = 0; j < p->n; j++) {
        ss_matrix_mul_transposed_add(&p->H, m->X + (size_t)j * (size_t)p->nv, W + (size_t)j * n);
    }
    *out = (ss_cone){.n       = p->n,
                     .nblocks = p->nblocks,
                     .blocks  = p->blocks,
                     .q       = q,
                     .axes    = p->axes,
                     .W       = {.rows = p->n, .cols = p->n, .dense = W, .ld = p->n}};
    return SS_REDUCED;
}

void ss_reduce_delassus_back(const ss_cone *p, const ss_delassus *m, const double *r, double *v)
{
    size_t nv = (size_t)p->nv;
    memcpy(v, m->x0, nv * sizeof *v);
    for (int32_t j = 0; j < p->n; j++) {
        for (size_t k = 0; k < nv; k++) {
            v[k] += m->X[(size_t)j * nv + k] * r[j];
        }
    }
}
