/* SPDX-License-Identifier: Apache-2.0 */
/* Cone problems with a known solution: r and u that obey the law are chosen first, then q. */
#ifndef SS_TEST_PLANTED_CONE_H
#define SS_TEST_PLANTED_CONE_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "random.h"
#include "stickslip/problem.h"

enum { PLANTED_ROWS = 64, PLANTED_BLOCKS = 16, PLANTED_DOFS = 64 };

typedef struct planted {
    int32_t  n, nblocks, nv;
    ss_block blocks[PLANTED_BLOCKS];
    double   H[PLANTED_ROWS * PLANTED_DOFS]; /* (nv x n) */
    double   M[PLANTED_DOFS * PLANTED_DOFS]; /* (nv x nv) */
    double   W[PLANTED_ROWS * PLANTED_ROWS]; /* (n x n)  */
    double   q[PLANTED_ROWS], b[PLANTED_ROWS], f[PLANTED_DOFS];
    double   r[PLANTED_ROWS], u[PLANTED_ROWS], v[PLANTED_DOFS];
    double   axes[PLANTED_ROWS];
    uint64_t seed;
} planted;

static inline double planted_random(planted *p)
{
    return random_between(&p->seed, -1, 1);
}

static inline void planted_add(planted *p, ss_block_kind kind, int32_t dim, double mu, double bound)
{
    p->blocks[p->nblocks++] = (ss_block){kind, p->n, dim, mu, bound};
    p->n += dim;
}

/* A random direction of m entries, of length 1. */
static inline void planted_direction(planted *p, int32_t m, double *d)
{
    double sum = 0;
    for (int32_t i = 0; i < m; i++) {
        d[i] = planted_random(p);
        sum += d[i] * d[i];
    }
    for (int32_t i = 0; i < m; i++) {
        d[i] /= sqrt(sum);
    }
}

/* Friction rows: stick (a half of the limit), or slip against direction d. */
static inline void planted_friction(planted *p, int32_t m, double limit, int slip, double *r,
                                    double *u)
{
    double d[PLANTED_ROWS];
    planted_direction(p, m, d);
    double speed = slip ? 1.5 + planted_random(p) : 0;
    for (int32_t i = 0; i < m; i++) {
        r[i] = -(slip ? 1 : 0.5) * limit * d[i];
        u[i] = speed * d[i];
    }
}

static inline void planted_block(planted *p, const ss_block *b)
{
    double *r = p->r + b->start, *u = p->u + b->start;
    int     choice = (int)((planted_random(p) + 1) * 1.5);
    memset(r, 0, (size_t)b->dim * sizeof *r);
    memset(u, 0, (size_t)b->dim * sizeof *u);
    switch (b->kind) {
    case SS_BLOCK_EQUALITY:
        for (int32_t i = 0; i < b->dim; i++) {
            r[i] = planted_random(p);
        }
        break;
    case SS_BLOCK_UNILATERAL:
        *(choice > 0 ? r : u) = 1.5 + planted_random(p);
        break;
    case SS_BLOCK_CONE:
        if (choice == 0) {
            for (int32_t i = 0; i < b->dim; i++) {
                u[i] = planted_random(p);
            }
            u[0] = fabs(u[0]);
            break;
        }
        r[0] = 1.5 + planted_random(p);
        planted_friction(p, b->dim - 1, b->mu * r[0], choice == 2, r + 1, u + 1);
        break;
    case SS_BLOCK_DISK:
        planted_friction(p, b->dim, b->bound, choice == 2, r, u);
        break;
    }
}

/* M = diag, H random, W = H' M^-1 H, then q, b and f so that (r, u, v) is a solution. */
static inline void planted_finish(planted *p, int32_t nv)
{
    p->nv = nv;
    for (int32_t k = 0; k < p->nblocks; k++) {
        planted_block(p, &p->blocks[k]);
    }
    memset(p->M, 0, sizeof p->M);
    for (int32_t k = 0; k < nv; k++) {
        p->M[k * nv + k] = 1.5 + planted_random(p);
        p->v[k]          = planted_random(p);
    }
    for (int32_t i = 0; i < nv * p->n; i++) {
        p->H[i] = planted_random(p);
    }
    for (int32_t k = 0; k < nv; k++) {
        p->f[k] = p->M[k * nv + k] * p->v[k];
        for (int32_t i = 0; i < p->n; i++) {
            p->f[k] -= p->H[i * nv + k] * p->r[i];
        }
    }
    for (int32_t i = 0; i < p->n; i++) {
        p->q[i] = p->u[i];
        p->b[i] = p->u[i];
        for (int32_t j = 0; j < p->n; j++) {
            double sum = 0;
            for (int32_t k = 0; k < nv; k++) {
                sum += p->H[i * nv + k] * p->H[j * nv + k] / p->M[k * nv + k];
            }
            p->W[j * p->n + i] = sum;
            p->q[i] -= sum * p->r[j];
        }
        for (int32_t k = 0; k < nv; k++) {
            p->b[i] -= p->H[i * nv + k] * p->v[k];
        }
    }
}

static inline ss_problem planted_local(const planted *p)
{
    ss_problem out = {.type = SS_CONE};
    out.as.cone    = (ss_cone){.n       = p->n,
                               .nblocks = p->nblocks,
                               .blocks  = p->blocks,
                               .q       = p->q,
                               .W       = {.rows = p->n, .cols = p->n, .dense = p->W, .ld = p->n}};
    return out;
}

static inline ss_problem planted_global(const planted *p)
{
    ss_problem out = {.type = SS_CONE};
    out.as.cone    = (ss_cone){.n       = p->n,
                               .nblocks = p->nblocks,
                               .blocks  = p->blocks,
                               .q       = p->b,
                               .nv      = p->nv,
                               .M       = {.rows = p->nv, .cols = p->nv, .dense = p->M, .ld = p->nv},
                               .H       = {.rows = p->nv, .cols = p->n, .dense = p->H, .ld = p->nv},
                               .f       = p->f};
    return out;
}

/* A bit of everything: contacts of every dimension, a joint, a limit, two motors. */
static inline void planted_mixed(planted *p, uint64_t seed, int32_t nv)
{
    *p = (planted){.seed = seed};
    planted_add(p, SS_BLOCK_EQUALITY, 3, 0, 0);
    planted_add(p, SS_BLOCK_CONE, 3, 0.5, 0);
    planted_add(p, SS_BLOCK_UNILATERAL, 1, 0, 0);
    planted_add(p, SS_BLOCK_CONE, 2, 0.3, 0);
    planted_add(p, SS_BLOCK_CONE, 4, 0.8, 0);
    planted_add(p, SS_BLOCK_DISK, 1, 0, 0.7);
    planted_add(p, SS_BLOCK_CONE, 6, 0.2, 0);
    planted_add(p, SS_BLOCK_DISK, 2, 0, 1.1);
    planted_add(p, SS_BLOCK_CONE, 3, 0, 0);
    planted_finish(p, nv);
}

/* `count` contacts of `dim` rows. */
static inline void planted_contacts(planted *p, uint64_t seed, int32_t count, int32_t dim,
                                    double mu, int32_t nv)
{
    *p = (planted){.seed = seed};
    for (int32_t k = 0; k < count; k++) {
        planted_add(p, SS_BLOCK_CONE, dim, mu, 0);
    }
    planted_finish(p, nv);
}

#endif
