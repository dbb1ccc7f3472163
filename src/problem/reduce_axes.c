/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Friction ellipsoids to balls. With D = diag(a), a the semi-axes in friction rows and 1 elsewhere,
 * r = D r', u' = D u turn |r_f / a| <= mu r_n into |r'_f| <= mu r_n and keep u.r, hence the law:
 *
 *     W' = D W D,  q' = D q          (local)
 *     H' = H D,    q' = D q          (global; M, f and v stay)
 */
#include <string.h>

#include "problem/reduce.h"

/* The semi-axis of row i of block b, 1 where the row is not a friction row. */
static double axis_of(const ss_cone *p, const ss_block *b, int32_t i)
{
    bool friction = b->kind == SS_BLOCK_DISK || (b->kind == SS_BLOCK_CONE && i > b->start);
    return friction && p->axes != NULL ? p->axes[i] : 1;
}

static void fill_scale(const ss_cone *p, double *scale)
{
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            scale[i] = axis_of(p, b, i);
        }
    }
}

/* B := diag(left) A diag(right), left NULL for the identity. */
static bool scaled_copy(const ss_matrix *A, const double *left, const double *right, ss_arena *a,
                        ss_matrix *B)
{
    *B           = *A;
    size_t  size = A->dense ? (size_t)A->rows * (size_t)A->cols : (size_t)A->colptr[A->cols];
    double *x    = ss_arena_alloc(a, size, sizeof *x);
    if (x == NULL || right == NULL) {
        return false;
    }
    for (int32_t j = 0; j < A->cols; j++) {
        int32_t count = A->dense ? A->rows : A->colptr[j + 1] - A->colptr[j];
        size_t  to    = A->dense ? (size_t)j * (size_t)A->rows : (size_t)A->colptr[j];
        size_t  from  = A->dense ? (size_t)j * (size_t)A->ld : to;
        for (int32_t k = 0; k < count; k++) {
            int32_t i         = A->dense ? k : A->rowind[A->colptr[j] + k];
            double  here      = (A->dense ? A->dense : A->values)[from + (size_t)k];
            x[to + (size_t)k] = here * right[j] * (left ? left[i] : 1);
        }
    }
    B->dense  = A->dense ? x : NULL;
    B->values = A->dense ? NULL : x;
    B->ld     = A->rows;
    return true;
}

bool ss_reduce_axes(const ss_cone *p, ss_arena *a, ss_cone *out)
{
    *out           = *p;
    out->axes      = NULL;
    double *scale  = ss_arena_alloc(a, (size_t)p->n, sizeof *scale);
    double *q      = ss_arena_alloc(a, (size_t)p->n, sizeof *q);
    bool    fitted = scale != NULL && q != NULL;
    if (fitted) {
        fill_scale(p, scale);
        for (int32_t i = 0; i < p->n; i++) {
            q[i] = scale[i] * p->q[i];
        }
    }
    out->q = q;
    if (p->nv > 0) {
        return scaled_copy(&p->H, NULL, scale, a, &out->H) && fitted;
    }
    return scaled_copy(&p->W, scale, scale, a, &out->W) && fitted;
}

void ss_reduce_axes_forth(const ss_cone *p, double *r)
{
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            r[i] /= axis_of(p, b, i);
        }
    }
}

void ss_reduce_axes_back(const ss_cone *p, double *r)
{
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            r[i] *= axis_of(p, b, i);
        }
    }
}
