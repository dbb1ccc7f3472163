/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The certificate of cone problems (docs/theory/residuals.md). Per block, with the semi-axes a of
 * its friction ellipsoid, velocities u a / S and reactions (r / a) T are dimensionless, where S is
 * the largest size of the terms added up in a row of the block and T what the block's reactions
 * weigh where they weigh most. The residual of a block is the natural map in these numbers,
 *   |r - P_K(r - u')|,   u' = u + mu |u_f| n for cones (De Saxce), u' = u otherwise.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "linalg/matrix.h"
#include "problem/residual.h"

typedef struct rows {
    double *u;      /* (n)  relative velocities                     */
    double *size;   /* (n)  sizes of the terms added up in them     */
    double *weight; /* (n or nv) 1 / size of the rows r is added to */
    double *e;      /* (nv) M v - H r - f                           */
    double *esize;  /* (nv) sizes of its terms                      */
    double *minus;  /* (n)  -r                                      */
} rows;

size_t ss_residual_cone_work(const ss_cone *p)
{
    return 4 * (size_t)p->n + 3 * (size_t)p->nv;
}

static rows rows_make(const ss_cone *p, double *work)
{
    size_t n = (size_t)p->n, nv = (size_t)p->nv;
    return (rows){.u      = work,
                  .size   = work + n,
                  .minus  = work + 2 * n,
                  .weight = work + 3 * n,
                  .e      = work + 4 * n + nv,
                  .esize  = work + 4 * n + 2 * nv};
}

static void invert(int32_t n, const double *size, double *weight)
{
    for (int32_t i = 0; i < n; i++) {
        weight[i] = size[i] > 0 ? 1 / size[i] : 0;
    }
}

static void start_rows(int32_t n, const double *q, double sign, double *row, double *size)
{
    for (int32_t i = 0; i < n; i++) {
        row[i]  = sign * q[i];
        size[i] = fabs(q[i]);
    }
}

static void local_rows(const ss_cone *p, const double *r, rows *w)
{
    start_rows(p->n, p->q, 1, w->u, w->size);
    ss_matrix_mul_add_sized(&p->W, r, w->u, w->size);
    invert(p->n, w->size, w->weight);
}

/* y += A' x with sizes. */
static void mul_transposed_sized(const ss_matrix *A, const double *x, double *y, double *size)
{
    for (int32_t j = 0; j < A->cols; j++) {
        int32_t count = A->dense != NULL ? A->rows : A->colptr[j + 1] - A->colptr[j];
        for (int32_t k = 0; k < count; k++) {
            int32_t at  = A->dense != NULL ? k : A->colptr[j] + k;
            int32_t row = A->dense != NULL ? k : A->rowind[at];
            double  a =
                A->dense != NULL ? A->dense[(size_t)j * (size_t)A->ld + (size_t)k] : A->values[at];
            double term = a * x[row];
            y[j] += term;
            size[j] += fabs(term);
        }
    }
}

/* The rows of the global form; gives the residual of M v = H r + f. */
static double global_rows(const ss_cone *p, const double *r, const double *v, rows *w)
{
    start_rows(p->n, p->q, 1, w->u, w->size);
    mul_transposed_sized(&p->H, v, w->u, w->size);
    start_rows(p->nv, p->f, -1, w->e, w->esize);
    ss_matrix_mul_add_sized(&p->M, v, w->e, w->esize);
    for (int32_t i = 0; i < p->n; i++) {
        w->minus[i] = -r[i];
    }
    ss_matrix_mul_add_sized(&p->H, w->minus, w->e, w->esize);
    invert(p->nv, w->esize, w->weight);
    double worst = 0;
    for (int32_t i = 0; i < p->nv; i++) {
        worst = fmax(worst, fabs(w->e[i]) * w->weight[i]);
    }
    return worst;
}

static double axis(const ss_cone *p, const ss_block *b, int32_t i)
{
    bool friction = b->kind == SS_BLOCK_DISK || (b->kind == SS_BLOCK_CONE && i > 0);
    return friction && p->axes != NULL ? p->axes[b->start + i] : 1;
}

/* |x| over the friction entries of a block. */
static double friction_norm(const double *x, int32_t first, int32_t dim)
{
    double sum = 0;
    for (int32_t i = first; i < dim; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

/* Project onto |x_f| <= mu x_0. */
static void project_cone(double *x, int32_t dim, double mu)
{
    double t = friction_norm(x, 1, dim);
    if (t <= mu * x[0]) {
        return;
    }
    double normal = fmax(0, (x[0] + mu * t) / (1 + mu * mu));
    double shrink = t > 0 ? mu * normal / t : 0;
    x[0]          = normal;
    for (int32_t i = 1; i < dim; i++) {
        x[i] *= shrink;
    }
}

static void project_ball(double *x, int32_t dim, double radius)
{
    double t = friction_norm(x, 0, dim);
    for (int32_t i = 0; t > radius && i < dim; i++) {
        x[i] *= radius / t;
    }
}

/* The natural map of one block whose r and u are dimensionless already; x is scratch. */
static double natural_map(const ss_block *b, const double *r, const double *u, double *x,
                          double bound)
{
    double bias = b->kind == SS_BLOCK_CONE ? b->mu * friction_norm(u, 1, b->dim) : 0;
    for (int32_t i = 0; i < b->dim; i++) {
        x[i] = r[i] - u[i] - (i == 0 ? bias : 0);
    }
    switch (b->kind) {
    case SS_BLOCK_EQUALITY:
        break;
    case SS_BLOCK_UNILATERAL:
        x[0] = fmax(0, x[0]);
        break;
    case SS_BLOCK_CONE:
        project_cone(x, b->dim, b->mu);
        break;
    case SS_BLOCK_DISK:
        project_ball(x, b->dim, bound);
        break;
    }
    double worst = 0;
    for (int32_t i = 0; i < b->dim; i++) {
        worst = fmax(worst, fabs(r[i] - x[i]));
    }
    return worst;
}

/* S and T of a block. */
static void block_scales(const ss_cone *p, const ss_block *b, const rows *w, double *S, double *T)
{
    const ss_matrix *A = p->nv > 0 ? &p->H : &p->W;
    *S                 = 0;
    *T                 = 0;
    for (int32_t i = 0; i < b->dim; i++) {
        double a = axis(p, b, i);
        *S       = fmax(*S, a * w->size[b->start + i]);
        *T       = fmax(*T, a * ss_matrix_column_max(A, b->start + i, w->weight));
    }
}

/* The block's u, r and scratch live in its own entries of w->u, w->minus and w->size. */
static double block_residual(const ss_cone *p, const ss_block *b, const double *r, rows *w)
{
    double S, T;
    block_scales(p, b, w, &S, &T);
    double *u = w->u + b->start, *rhat = w->minus + b->start;
    for (int32_t i = 0; i < b->dim; i++) {
        double a = axis(p, b, i);
        u[i]     = S > 0 ? u[i] * a / S : 0;
        rhat[i]  = r[b->start + i] / a * T;
    }
    return natural_map(b, rhat, u, w->size + b->start, b->bound * T);
}

double ss_residual_cone(const ss_cone *p, const double *r, const double *v, double *work)
{
    rows   w     = rows_make(p, work);
    double worst = 0;
    if (p->nv > 0) {
        worst = global_rows(p, r, v, &w);
    } else {
        local_rows(p, r, &w);
    }
    double sum = 0;
    for (int32_t i = 0; i < p->n; i++) {
        sum += w.size[i] + fabs(r[i]);
    }
    for (int32_t i = 0; i < p->nv; i++) {
        sum += w.esize[i] + fabs(v[i]);
    }
    if (!isfinite(sum)) {
        return INFINITY;
    }
    for (int32_t k = 0; k < p->nblocks; k++) {
        worst = fmax(worst, block_residual(p, &p->blocks[k], r, &w));
    }
    return worst;
}
