/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The motion in which every contact stays closed, and what sticks goes on to stick. It has u = 0 in
 * all rows of the problem u = W r + q, so that any r in the cones with
 *
 *   W r = -q                                                                                    (1)
 *
 * is a solution: the law of a row without velocity asks for nothing else. Where too many unknowns
 * are there to look for all solutions this one is still a linear program, and for bodies at rest it
 * is rest. Cones of friction are replaced by the hull of n +- mu e_k within them, e_k the
 * directions of their rows: in the plane that is the cone; in space some rest is not found. The
 * program is
 *
 *   max t   such that  W (sum over rays of (x_j + t) g_j) = -q,  x >= 0,  0 <= t <= 1
 *
 * so that forces lie as deep within the cones as they can.
 */
#include "instant/instant_parts.h"

#include <math.h>
#include <string.h>

#include "analysis/lp.h"

/* The program in parts of `unit`: columns of rays and free rows, the last one of t. */
typedef struct program {
    const ss_cone *cone;
    int32_t        cols;
    double         unit; /* the size of the forces */
    double        *G;    /* (n x cols) what a column stands for */
    double        *A, *row, *low, *high, *x;
} program;

/* Forces that are bounded by themselves have no rays. */
static int32_t rays_of(const ss_block *b)
{
    switch (b->kind) {
    case SS_BLOCK_CONE:
        return b->mu > 0 ? 2 * (b->dim - 1) : 1;
    case SS_BLOCK_UNILATERAL:
        return 1;
    case SS_BLOCK_EQUALITY:
        return b->dim;
    case SS_BLOCK_DISK:
        break;
    }
    return -1;
}

static bool count_rays(const ss_cone *c, int32_t *count)
{
    *count = 0;
    for (int32_t i = 0; i < c->nblocks; i++) {
        int32_t rays = rays_of(&c->blocks[i]);
        if (rays < 0) {
            return false;
        }
        *count += rays;
    }
    return true;
}

static void put_rays(program *p)
{
    const ss_cone *c  = p->cone;
    size_t         n  = (size_t)c->n;
    int32_t        at = 0;
    for (int32_t i = 0; i < c->nblocks; i++) {
        const ss_block *b     = &c->blocks[i];
        bool            free  = b->kind == SS_BLOCK_EQUALITY;
        int32_t         count = rays_of(b);
        for (int32_t k = 0; k < count; k++, at++) {
            double *g                    = p->G + (size_t)at * n;
            g[b->start + (free ? k : 0)] = 1;
            if (count > 1 && !free) {
                int32_t row = b->start + 1 + k / 2;
                g[row]      = (k % 2 == 0 ? b->mu : -b->mu) * (c->axes != NULL ? c->axes[row] : 1);
            }
            p->low[at]  = free ? -INFINITY : 0;
            p->high[at] = INFINITY;
        }
    }
    for (int32_t j = 0; j < at; j++) {
        for (size_t i = 0; p->low[j] == 0 && i < n; i++) {
            p->G[(size_t)at * n + i] += p->G[(size_t)j * n + i];
        }
    }
    p->low[at]  = 0;
    p->high[at] = 1;
}

/* A = W G, each row in parts of its own size. */
static void put_rows(program *p)
{
    const ss_matrix *W = &p->cone->W;
    size_t           n = (size_t)p->cone->n, ld = (size_t)W->ld;
    for (size_t i = 0; i < n; i++) {
        double w = W->dense[i + i * ld];
        p->unit  = w > 0 ? fmax(p->unit, fabs(p->cone->q[i]) / w) : p->unit;
    }
    for (size_t j = 0; j < (size_t)p->cols; j++) {
        for (size_t k = 0; k < n; k++) {
            double g = p->G[j * n + k];
            for (size_t i = 0; g != 0 && i < n; i++) {
                p->A[j * n + i] += W->dense[i + k * ld] * g;
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        double w    = W->dense[i + i * ld];
        double size = w > 0 ? w : 1;
        p->row[i]   = p->unit > 0 ? -p->cone->q[i] / (size * p->unit) : 0;
        for (size_t j = 0; j < (size_t)p->cols; j++) {
            p->A[j * n + i] /= size;
        }
    }
}

static ss_status open_program(ss_data *d, const ss_cone *c, int32_t rays, program *p)
{
    size_t n = (size_t)c->n, cols = (size_t)rays + 1;
    *p     = (program){.cone = c, .cols = rays + 1};
    p->G   = ss_arena_alloc(&d->scratch, n * cols, sizeof *p->G);
    p->A   = ss_arena_alloc(&d->scratch, n * cols, sizeof *p->A);
    p->row = ss_arena_alloc(&d->scratch, n, sizeof *p->row);
    p->low = ss_arena_alloc(&d->scratch, 4 * cols, sizeof *p->low);
    if (!p->G || !p->A || !p->row || !p->low) {
        return SS_ERR_SCRATCH;
    }
    p->high = p->low + cols;
    p->x    = p->high + cols;
    memset(p->G, 0, n * cols * sizeof *p->G);
    memset(p->A, 0, n * cols * sizeof *p->A);
    put_rays(p);
    put_rows(p);
    return SS_OK;
}

static ss_status solve_program(ss_context *ctx, program *p, bool *found)
{
    double *c  = p->x + p->cols, depth;
    ss_lp  *lp = NULL;
    memset(c, 0, (size_t)p->cols * sizeof *c);
    c[p->cols - 1] = -1;
    ss_status status =
        ss_lp_create(ctx, p->cone->n, p->cols, p->A, p->row, p->row, p->low, p->high, &lp);
    *found = status == SS_OK && ss_lp_minimise(lp, c, &depth, p->x) == SS_LP_OPTIMAL;
    ss_lp_destroy(lp);
    return status == SS_ERR_UNSUPPORTED ? SS_OK : status;
}

ss_status ss_instant_find_held(ss_data *d, const ss_instant_problem *p, double *z, double *residual)
{
    const ss_problem problem = {.type = SS_CONE, .as.cone = p->cone};
    int32_t          rays;
    program          lp;
    bool             found;
    *residual = INFINITY;
    if (p->n > SS_INSTANT_OPENED || !count_rays(&p->cone, &rays)) {
        return SS_OK;
    }
    SS_TRY(open_program(d, &p->cone, rays, &lp));
    double *work = ss_arena_alloc(&d->scratch, ss_residual_work(&problem) + 1, sizeof *work);
    if (work == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(solve_program(d->ctx, &lp, &found));
    if (!found) {
        return SS_OK;
    }
    memset(z, 0, (size_t)p->n * sizeof *z);
    for (int32_t j = 0; j < lp.cols; j++) {
        for (int32_t i = 0; i < p->n; i++) {
            z[i] += lp.unit * lp.x[j] * lp.G[(size_t)j * (size_t)p->n + (size_t)i];
        }
    }
    *residual = ss_residual(&problem, z, NULL, work);
    return SS_OK;
}
