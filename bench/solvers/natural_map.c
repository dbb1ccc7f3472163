/* SPDX-License-Identifier: Apache-2.0 */
#include "natural_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_product(const ss_matrix *A, const double *x, double *y)
{
    for (int32_t j = 0; j < A->cols; j++) {
        if (A->dense != NULL) {
            for (int32_t i = 0; i < A->rows; i++) {
                y[i] += A->dense[(size_t)j * (size_t)A->ld + (size_t)i] * x[j];
            }
        } else {
            for (int32_t k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
                y[A->rowind[k]] += A->values[k] * x[j];
            }
        }
    }
}

static double norm(const double *x, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

static double complementarity_map(const ss_problem *p, const double *z, const double *w, double *F)
{
    int32_t n = ss_problem_size(p);
    for (int32_t i = 0; i < n; i++) {
        int free = p->type == SS_MLCP && p->as.mlcp.free[i];
        F[i]     = free ? w[i] : fmin(z[i], w[i]);
    }
    double size = norm(p->type == SS_LCP ? p->as.lcp.q : p->as.mlcp.q, n);
    return norm(F, n) / (size > 0 ? size : 1);
}

/* Projection of (x_n, x_t) on the cone |x_t| <= mu x_n. */
static void project(double mu, int32_t dim, const double *x, double *out)
{
    double t = norm(x + 1, dim - 1);
    memset(out, 0, (size_t)dim * sizeof *out);
    if (x[0] >= 0 && t <= mu * x[0]) {
        memcpy(out, x, (size_t)dim * sizeof *out);
    } else if (mu * t > -x[0]) {
        out[0] = (x[0] + mu * t) / (1 + mu * mu);
        for (int32_t i = 1; i < dim; i++) {
            out[i] = mu * out[0] * x[i] / t;
        }
    }
}

static double cone_map(const ss_cone *c, const double *r, const double *u, double *F)
{
    for (int32_t k = 0; k < c->nblocks; k++) {
        const ss_block *b    = &c->blocks[k];
        double          x[6] = {0}, P[6];
        if (b->kind == SS_BLOCK_EQUALITY) {
            memcpy(F + b->start, u + b->start, (size_t)b->dim * sizeof *F);
            continue;
        }
        for (int32_t i = 0; i < b->dim; i++) {
            x[i] = r[b->start + i] - u[b->start + i];
        }
        x[0] -= b->mu * norm(u + b->start + 1, b->dim - 1);
        project(b->mu, b->dim, x, P);
        for (int32_t i = 0; i < b->dim; i++) {
            F[b->start + i] = r[b->start + i] - P[i];
        }
    }
    double size = fmax(norm(c->q, c->n), fmax(norm(r, c->n), norm(u, c->n)));
    return norm(F, c->n) / (size > 0 ? size : 1);
}

double natural_residual(const ss_problem *p, const double *z)
{
    size_t           n = (size_t)ss_problem_size(p);
    double          *w = calloc(2 * n + 1, sizeof *w), *F = w + n;
    const ss_matrix *M = p->type == SS_LCP    ? &p->as.lcp.M
                         : p->type == SS_MLCP ? &p->as.mlcp.M
                                              : &p->as.cone.W;
    const double    *q = p->type == SS_LCP    ? p->as.lcp.q
                         : p->type == SS_MLCP ? p->as.mlcp.q
                                              : p->as.cone.q;
    double           residual;
    if (w == NULL) {
        return INFINITY;
    }
    memcpy(w, q, n * sizeof *w);
    add_product(M, z, w);
    residual =
        p->type == SS_CONE ? cone_map(&p->as.cone, z, w, F) : complementarity_map(p, z, w, F);
    free(w);
    return isfinite(residual) ? residual : INFINITY;
}
