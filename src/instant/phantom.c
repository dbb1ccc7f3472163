/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Friction over k directions e_j of acceleration, with a phantom inertia rho (Peiret et al.
 * (1)-(3), (6)-(8)). At each sticking contact, with E = [e_1 .. e_k] spread over half a turn,
 *
 *   a_t = E (x+ - x-)
 *   0 <= x+  _|_  s- = mu c_n + E'c_t + rho x-  >= 0
 *   0 <= x-  _|_  s+ = mu c_n - E'c_t + rho x+  >= 0        (mind the crosswise pairs)
 *
 * The limits |e_j.c_t| <= mu c_n are a polygon around the circle. rho x+ x- = 0 in every solution,
 * so rho does not change it; but it makes the columns of x+ and x- independent. Eliminating c_t
 * with S = W_tt^-1,   c_t = S (E x - W_tn c_n - q_t),
 *
 *   [a_n]   [W_nn - W_nt S W_tn   W_nt S E      -W_nt S E    ] [c_n]   [q_n - W_nt S q_t]
 *   [s- ] = [mu - E'S W_tn        E'S E         -E'S E + rho ] [x+ ] + [-E'S q_t        ]
 *   [s+ ]   [mu + E'S W_tn        -E'S E + rho   E'S E       ] [x- ]   [ E'S q_t        ]
 *
 * It is singular where rho/2 is an eigenvalue of E'S E: of an even spread, k/2 times one of S. The
 * paper does not say so. Chosen is rho = (k/4) / |W_tt|_1, half of the least such value or less.
 * Redundant contacts leave W_tt singular, and the form does not exist.
 */
#include <math.h>
#include <string.h>

#include "core/constants.h"
#include "core/elementary.h"
#include "instant/instant_problem.h"
#include "instant/tolerances.h"
#include "linalg/dense.h"

/* Unknowns of the cone problem by their part: normal forces, and friction that sticks. */
typedef struct parts {
    const ss_cone *cone;
    int32_t        nn, nt, nk; /* normals, friction rows, directions of them all              */
    int32_t       *normal;     /* (nn) unknowns                                              */
    int32_t       *friction;   /* (nt)                                                       */
    double        *E;          /* (nt x nk) column-major                                     */
    int32_t       *of;         /* (nk) place among the normals whose friction it is, -1: a disk */
    double        *limit;      /* (nk) mu, or the bound of a disk                            */
} parts;

static int32_t directions(int32_t rows, int32_t k)
{
    return rows == 0 ? 0 : rows == 1 ? 1 : k + rows - 2;
}

static int32_t friction_first(const ss_block *b)
{
    return b->kind == SS_BLOCK_CONE ? 1 : b->kind == SS_BLOCK_DISK ? 0 : b->dim;
}

/* The directions of a block's friction rows, from row `at` and column `column` on. */
static void spread(parts *s, size_t ld, int32_t rows, int32_t k, int32_t at, int32_t column)
{
    for (int32_t j = 0; j < directions(rows, k); j++) {
        double *e = s->E + (size_t)(column + j) * ld + at;
        if (rows >= 2 && j < k) {
            e[0] = ss_cos(SS_PI * j / k);
            e[1] = ss_sin(SS_PI * j / k);
        } else {
            e[rows >= 2 ? j - k + 2 : 0] = 1;
        }
    }
}

static ss_status split(ss_data *d, const ss_cone *cone, int32_t k, parts *s)
{
    *s = (parts){.cone = cone};
    for (int32_t i = 0; i < cone->nblocks; i++) {
        const ss_block *b    = &cone->blocks[i];
        int32_t         rows = b->dim - friction_first(b);
        s->nn += b->dim - rows;
        s->nt += rows;
        s->nk += directions(rows, k);
    }
    size_t nn = (size_t)s->nn, nt = (size_t)s->nt, nk = (size_t)s->nk;
    s->normal   = ss_arena_alloc(&d->scratch, nn, sizeof *s->normal);
    s->friction = ss_arena_alloc(&d->scratch, nt, sizeof *s->friction);
    s->E        = ss_arena_alloc(&d->scratch, nt * nk, sizeof *s->E);
    s->of       = ss_arena_alloc(&d->scratch, nk, sizeof *s->of);
    s->limit    = ss_arena_alloc(&d->scratch, nk, sizeof *s->limit);
    if (!s->normal || !s->friction || !s->E || !s->of || !s->limit) {
        return SS_ERR_SCRATCH;
    }
    memset(s->E, 0, nt * nk * sizeof *s->E);
    s->nn = s->nt = s->nk = 0;
    for (int32_t i = 0; i < cone->nblocks; i++) {
        const ss_block *b    = &cone->blocks[i];
        int32_t         rows = b->dim - friction_first(b), at = s->nt;
        for (int32_t j = 0; j < b->dim - rows; j++) {
            s->normal[s->nn++] = b->start + j;
        }
        for (int32_t j = 0; j < rows; j++) {
            s->friction[s->nt++] = b->start + friction_first(b) + j;
        }
        spread(s, nt, rows, k, at, s->nk);
        for (int32_t j = 0; j < directions(rows, k); j++, s->nk++) {
            bool disk       = b->kind == SS_BLOCK_DISK;
            s->of[s->nk]    = disk ? -1 : s->nn - 1;
            s->limit[s->nk] = disk ? b->bound : b->mu;
        }
    }
    return SS_OK;
}

/* Friction c_t = T z + t0, column by column: T is (nt x n). */
static ss_status eliminate(ss_data *d, const parts *s, double *T, double *t0, double *size,
                           bool *regular)
{
    size_t        nt = (size_t)s->nt, nk = (size_t)s->nk;
    const double *W    = s->cone->W.dense;
    size_t        ld   = (size_t)s->cone->W.ld;
    double       *A    = ss_arena_alloc(&d->scratch, nt * nt, sizeof *A);
    double       *work = ss_arena_alloc(&d->scratch, 3 * nt + 1, sizeof *work);
    int32_t      *piv  = ss_arena_alloc(&d->scratch, nt, sizeof *piv);
    if (A == NULL || work == NULL || piv == NULL) {
        return SS_ERR_SCRATCH;
    }
    for (size_t i = 0; i < nt; i++) {
        for (size_t j = 0; j < nt; j++) {
            A[i + j * nt] = W[(size_t)s->friction[i] + (size_t)s->friction[j] * ld];
        }
        t0[i] = -s->cone->q[s->friction[i]];
        for (size_t j = 0; j < (size_t)s->nn; j++) {
            T[i + j * nt] = -W[(size_t)s->friction[i] + (size_t)s->normal[j] * ld];
        }
        for (size_t j = 0; j < nk; j++) {
            T[i + ((size_t)s->nn + j) * nt]      = s->E[i + j * nt];
            T[i + ((size_t)s->nn + nk + j) * nt] = -s->E[i + j * nt];
        }
    }
    *size = ss_dense_norm1(s->nt, A, s->nt);
    *regular =
        s->nt == 0 || (ss_dense_lu(s->nt, A, s->nt, piv) &&
                       ss_dense_lu_rcond(s->nt, A, s->nt, piv, *size, work) > SS_INSTANT_RANK);
    for (size_t j = 0; *regular && s->nt > 0 && j < (size_t)s->nn + 2 * nk; j++) {
        ss_dense_lu_solve(s->nt, A, s->nt, piv, T + j * nt);
    }
    if (*regular && s->nt > 0) {
        ss_dense_lu_solve(s->nt, A, s->nt, piv, t0);
    }
    return SS_OK;
}

/* The unknowns of the cone problem as P z + p0. */
static void put_together(const parts *s, const double *T, const double *t0, ss_phantom *out)
{
    size_t n = (size_t)s->cone->n, all = (size_t)out->lcp.n, nt = (size_t)s->nt;
    memset(out->P, 0, n * all * sizeof *out->P);
    memset(out->p0, 0, n * sizeof *out->p0);
    for (int32_t i = 0; i < s->nn; i++) {
        out->P[(size_t)s->normal[i] + (size_t)i * n] = 1;
    }
    for (size_t i = 0; i < nt; i++) {
        out->p0[s->friction[i]] = t0[i];
        for (size_t j = 0; j < all; j++) {
            out->P[(size_t)s->friction[i] + j * n] = T[i + j * nt];
        }
    }
}

static void fill(const parts *s, const double *T, const double *t0, const ss_phantom *ph, double *M,
                 double *q)
{
    size_t        n = (size_t)s->cone->n, all = (size_t)ph->lcp.n, nt = (size_t)s->nt;
    size_t        nn = (size_t)s->nn, nk = (size_t)s->nk;
    const double *W  = s->cone->W.dense;
    size_t        ld = (size_t)s->cone->W.ld;
    for (size_t j = 0; j <= all; j++) { /* the last: q */
        const double *x = j < all ? ph->P + j * n : ph->p0;
        double       *y = j < all ? M + j * all : q;
        for (size_t i = 0; i < nn; i++) {
            y[i] = j < all ? 0 : s->cone->q[s->normal[i]];
            for (size_t k = 0; k < n; k++) {
                y[i] += W[(size_t)s->normal[i] + k * ld] * x[k];
            }
        }
        for (size_t e = 0; e < nk; e++) {
            double along = 0, limit = 0;
            for (size_t i = 0; i < nt; i++) {
                along += s->E[i + e * nt] * (j < all ? T[i + j * nt] : t0[i]);
            }
            if (s->of[e] < 0) {
                limit = j == all ? s->limit[e] : 0;
            } else if (j == (size_t)s->of[e]) {
                limit = s->limit[e];
            }
            y[nn + e]      = limit + along + (j == nn + nk + e ? ph->rho : 0);
            y[nn + nk + e] = limit - along + (j == nn + e ? ph->rho : 0);
        }
    }
}

ss_status ss_instant_phantom(ss_data *d, const ss_instant_problem *p, int32_t k, double rho,
                             ss_phantom *out, bool *regular)
{
    parts  s;
    double size;
    SS_TRY(split(d, &p->cone, k, &s));
    int32_t all = s.nn + 2 * s.nk;
    size_t  n = (size_t)p->cone.n, na = (size_t)all, nt = (size_t)s.nt;
    *out       = (ss_phantom){.k = k};
    out->P     = ss_arena_alloc(&d->scratch, n * na, sizeof *out->P);
    out->p0    = ss_arena_alloc(&d->scratch, n, sizeof *out->p0);
    double *M  = ss_arena_alloc(&d->scratch, na * na, sizeof *M);
    double *q  = ss_arena_alloc(&d->scratch, na, sizeof *q);
    double *T  = ss_arena_alloc(&d->scratch, nt * na, sizeof *T);
    double *t0 = ss_arena_alloc(&d->scratch, nt, sizeof *t0);
    if (!out->P || !out->p0 || !M || !q || !T || !t0) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(eliminate(d, &s, T, t0, &size, regular));
    if (!*regular) {
        return SS_OK;
    }
    out->rho = rho >= 0 ? rho : size > 0 ? 0.25 * k / size : 1;
    out->lcp = (ss_lcp){
        .n = all, .M = {.rows = all, .cols = all, .dense = M, .ld = all > 0 ? all : 1}, .q = q};
    put_together(&s, T, t0, out);
    fill(&s, T, t0, out, M, q);
    return SS_OK;
}

void ss_instant_phantom_back(const ss_instant_problem *p, const ss_phantom *ph, const double *z,
                             double *forces)
{
    size_t n = (size_t)p->cone.n;
    memcpy(forces, ph->p0, n * sizeof *forces);
    for (size_t j = 0; j < (size_t)ph->lcp.n; j++) {
        for (size_t i = 0; i < n; i++) {
            forces[i] += ph->P[i + j * n] * z[j];
        }
    }
}
