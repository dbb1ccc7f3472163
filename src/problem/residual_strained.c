/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The certificate of a cone problem whose reactions are far larger than the velocities they must
 * explain (docs/theory/residuals.md, section strained): a body squeezed between walls that close
 * has no solution, but reactions of 1e21 hide its closing speed in their rounding.
 *
 * For every connected component c of the problem (rows that share entries of W, or velocities)
 *
 *     u     = W r + q  or  H'v + q                    summed up in twice the working precision
 *     e     = M v - H r - f                           likewise
 *     V_c   = max(|q_c|, |u_c|),  s_c = |r_c| / V_c
 *     d_i   = min(4 eps t_i, 1e-6 V_c)                what rounding of the r_j makes of u_i
 *     m_i   = sum_k |H_ki| |e_k| / M_kk               what momentum misses, as a velocity
 *     b_i   = n eps^2 t_i + max(0, m_i - 2 d_i) / 100          what may be wrong with u_i
 *     residual_c = max(0, |F_s_c| / |r_c| - 2 |d_c| / V_c) + |b_c| / V_c
 *
 * which is the second part of residual_cone.c, component by component. At this s the projection
 * does not cancel: s_c u is of the size of r. Components without any data (q_c = 0) have no
 * velocity to be measured by; every multiple of their solution is one, and the first part judges.
 *
 * Reactions, too, may be wrong by no more than their component's data explain, or a cone that is
 * missed by a little of a huge reaction would pass. With G_c the largest reaction that forces
 * in rows without mass explain (below), every block must have a small
 *     |F_b at s_b| / (100 max(s_b V_c, G_c)),      s_b = 1 / max W_ii as in residual_cone.c,
 * where 4 eps |r_b| and twice the d_i of its rows are rounding, up to 1e-6 of the same measure.
 *
 * Where M_kk = 0 row k balances forces, and reactions that outgrow all applied forces could hide
 * that they do not: with h_k = max_i |H_ki| it is measured by
 *     |e_k| / min(t_k, 100 h_k G_c),   G_c = max |f_l| / h_l over such rows l of its component.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "linalg/components.h"
#include "linalg/matrix.h"
#include "problem/residual.h"
#include "problem/tolerances.h"

enum { ROW_VECTORS = 8, VELOCITY_VECTORS = 5 };

typedef struct look {
    const ss_strained *x;
    double            *label;   /* (n + nv) components of rows, then of velocities */
    double            *u;       /* (n) scaled to round cones                       */
    double            *unknown; /* (n) m_i                                         */
    double            *R2;      /* (n) |r_c|^2, at the component's root            */
    double            *Q2, *U2; /* (n) |q_c|^2, |u_c|^2                            */
    double            *d2;      /* (n) |d_c|^2                                     */
    double            *G;       /* (n) G_c                                         */
    double            *sum2;    /* (n) scratch, then |F_c|^2 or |b_c|^2            */
    double            *error;   /* (nv) |e_k|                                      */
    double            *size;    /* (nv) t_k                                        */
    double            *mass;    /* (nv) |M_kk|                                     */
    double            *reach;   /* (nv) h_k                                        */
    double            *scratch; /* (nv)                                            */
} look;

size_t ss_residual_strained_work(const ss_cone *p)
{
    return (ROW_VECTORS + 1) * (size_t)p->n + (VELOCITY_VECTORS + 1) * (size_t)p->nv;
}

static look look_make(const ss_strained *x, double *work)
{
    size_t  n = (size_t)x->p->n, nv = (size_t)x->p->nv;
    double *at = work + ROW_VECTORS * n;
    return (look){.x       = x,
                  .u       = work,
                  .unknown = work + n,
                  .R2      = work + 2 * n,
                  .Q2      = work + 3 * n,
                  .U2      = work + 4 * n,
                  .sum2    = work + 5 * n,
                  .G       = work + 6 * n,
                  .d2      = work + 7 * n,
                  .label   = at,
                  .error   = at + n + nv,
                  .size    = at + n + 2 * nv,
                  .mass    = at + n + 3 * nv,
                  .reach   = at + n + 4 * nv,
                  .scratch = at + n + 5 * nv};
}

/* Rows that share an entry of W, of H or of M, and the rows of one block, hang together. */
static void connect(look *y)
{
    const ss_cone *p = y->x->p;
    ss_components_begin(p->n + p->nv, y->label);
    for (int32_t k = 0; k < p->nblocks; k++) {
        for (int32_t i = 1; i < p->blocks[k].dim; i++) {
            ss_components_join(y->label, p->blocks[k].start, p->blocks[k].start + i);
        }
    }
    if (p->nv == 0) {
        ss_components_join_matrix(y->label, &p->W, 0, 0);
        return;
    }
    ss_components_join_matrix(y->label, &p->H, p->n, 0);
    ss_components_join_matrix(y->label, &p->M, p->n, p->n);
}

/* |M v - H r - f| and the sizes of its terms. */
static void momentum_rows(look *y)
{
    const ss_cone *p     = y->x->p;
    size_t         bytes = (size_t)p->nv * sizeof(double);
    double        *e = y->error, *lo = y->scratch;
    memcpy(e, p->f, bytes);
    memset(lo, 0, bytes);
    ss_matrix_mul_add_twofold(&p->H, y->x->r, e, lo);
    for (int32_t k = 0; k < p->nv; k++) {
        e[k]       = -e[k];
        lo[k]      = -lo[k];
        y->size[k] = fabs(p->f[k]);
        y->mass[k] = fabs(ss_matrix_diagonal(&p->M, k));
    }
    ss_matrix_mul_add_twofold(&p->M, y->x->v, e, lo);
    ss_matrix_mul_add_sized(&p->H, y->x->r, lo, y->size);
    ss_matrix_mul_add_sized(&p->M, y->x->v, lo, y->size);
    for (int32_t k = 0; k < p->nv; k++) {
        e[k] = fabs(e[k]) + p->n * SS_TWOFOLD_EPSILON * y->size[k];
    }
}

/* m_i of the global form, and the h_k. */
static void momentum_unknown(look *y)
{
    const ss_matrix *H = &y->x->p->H;
    memset(y->reach, 0, (size_t)H->rows * sizeof *y->reach);
    for (int32_t i = 0; i < H->cols; i++) {
        const double *dense = H->dense != NULL ? H->dense + (size_t)i * (size_t)H->ld : NULL;
        int32_t       first = dense != NULL ? 0 : H->colptr[i];
        int32_t       end   = dense != NULL ? H->rows : H->colptr[i + 1];
        double        sum   = 0;
        for (int32_t e = first; e < end; e++) {
            int32_t k   = dense != NULL ? e : H->rowind[e];
            double  h   = fabs(dense != NULL ? dense[e] : H->values[e]);
            y->reach[k] = fmax(y->reach[k], h);
            sum += y->mass[k] > 0 ? h * y->error[k] / y->mass[k] : 0;
        }
        y->unknown[i] = sum;
    }
}

/* u and m; there is no m in the local form. */
static void velocity_rows(look *y)
{
    const ss_cone *p     = y->x->p;
    size_t         bytes = (size_t)p->n * sizeof(double);
    memcpy(y->u, p->q, bytes);
    memset(y->sum2, 0, bytes);
    if (p->nv == 0) {
        ss_matrix_mul_add_twofold(&p->W, y->x->r, y->u, y->sum2);
        memset(y->unknown, 0, bytes);
    } else {
        momentum_rows(y);
        momentum_unknown(y);
        ss_matrix_mul_transposed_add_twofold(&p->H, y->x->v, y->u, y->sum2);
    }
    for (int32_t k = 0; p->axes != NULL && k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        bool            f = b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_DISK;
        for (int32_t i = b->start + (b->kind == SS_BLOCK_CONE); f && i < b->start + b->dim; i++) {
            y->u[i] *= p->axes[i];
            y->unknown[i] *= p->axes[i];
        }
    }
}

/* |r_c|, |q_c| and |u_c|; false when something is not finite. */
static bool component_sums(look *y)
{
    int32_t n     = y->x->p->n;
    size_t  bytes = (size_t)n * sizeof(double);
    double  sum   = 0;
    memset(y->R2, 0, bytes);
    memset(y->Q2, 0, bytes);
    memset(y->U2, 0, bytes);
    for (int32_t i = 0; i < n; i++) {
        int32_t c = ss_components_find(y->label, i);
        y->R2[c] += y->x->round[i] * y->x->round[i];
        y->Q2[c] += y->x->free[i] * y->x->free[i];
        y->U2[c] += y->u[i] * y->u[i];
        sum += y->R2[c] + y->U2[c] + y->unknown[i];
    }
    return isfinite(sum);
}

/* V_c^2 takes the place of |q_c|^2; no data, no V_c. */
static void component_velocities(look *y)
{
    for (int32_t i = 0; i < y->x->p->n; i++) {
        y->Q2[i] = y->Q2[i] > 0 ? fmax(y->Q2[i], y->U2[i]) : 0;
    }
}

/* d_i */
static double rounding(const look *y, int32_t i, double V)
{
    return fmin(SS_REACTION_ROUNDING * y->x->term[i], SS_FORGIVEN * V);
}

/* |d|^2 over the rows of a block; `size` becomes |r|^2. */
static double rounding2(const look *y, const ss_block *b, double V, double *size)
{
    double sum = 0;
    *size      = 0;
    for (int32_t i = b->start; i < b->start + b->dim; i++) {
        double d = rounding(y, i, V);
        sum += d * d;
        *size += y->x->round[i] * y->x->round[i];
    }
    return sum;
}

/* |F_b at s_b| / (100 max(s_b V_c, G_c)), without what rounding makes of it */
static double reaction_error(const look *y, const ss_block *b, double V, double G)
{
    double w = 0, size2;
    for (int32_t i = b->start; i < b->start + b->dim; i++) {
        w = fmax(w, y->x->w[i]);
    }
    double s = w > 0 ? 1 / w : G / V;
    if (s == 0) {
        return 0;
    }
    double e2 = ss_cone_block_error2(b, y->x->round + b->start, y->u + b->start, s);
    double d = sqrt(rounding2(y, b, V, &size2)), scale = SS_STRAIN * fmax(s * V, G);
    double noise = SS_REACTION_ROUNDING * sqrt(size2) + 2 * s * d;
    return fmax(0, sqrt(e2) - fmin(noise, SS_FORGIVEN * scale)) / scale;
}

/* b_i */
static double unknown(const look *y, int32_t i, double V)
{
    double missed = fmax(0, y->unknown[i] - 2 * rounding(y, i, V));
    return missed / SS_STRAIN + y->x->p->n * SS_TWOFOLD_EPSILON * y->x->term[i];
}

/* max over components of |F_c| / |r_c| + |b_c| / V_c, and over blocks of the error of reactions */
static double worst_component(look *y)
{
    const ss_cone *p     = y->x->p;
    double         worst = 0, size2, *b2 = y->U2; /* |u_c| is in V_c by now */
    double        *d2 = y->d2;
    memset(d2, 0, (size_t)p->n * sizeof *d2);
    memset(y->sum2, 0, (size_t)p->n * sizeof *y->sum2);
    memset(b2, 0, (size_t)p->n * sizeof *b2);
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        int32_t         c = ss_components_find(y->label, b->start);
        if (!(y->Q2[c] > 0 && y->R2[c] > 0)) {
            continue;
        }
        double s = sqrt(y->R2[c] / y->Q2[c]);
        worst    = fmax(worst, reaction_error(y, b, sqrt(y->Q2[c]), y->G[c]));
        d2[c] += rounding2(y, b, sqrt(y->Q2[c]), &size2);
        y->sum2[c] += ss_cone_block_error2(b, y->x->round + b->start, y->u + b->start, s);
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            double b_i = unknown(y, i, sqrt(y->Q2[c]));
            b2[c] += b_i * b_i;
        }
    }
    for (int32_t c = 0; c < p->n; c++) {
        if (y->Q2[c] > 0 && y->R2[c] > 0) {
            double V = sqrt(y->Q2[c]), miss = sqrt(y->sum2[c] / y->R2[c]) - 2 * sqrt(d2[c]) / V;
            worst = fmax(worst, fmax(0, miss) + sqrt(b2[c]) / V);
        }
    }
    return worst;
}

/* max_k |e_k| / min(t_k, 100 h_k G_c) over the rows without mass; leaves the G_c. */
static double balance_error(look *y)
{
    const ss_cone *p     = y->x->p;
    double         worst = 0;
    double        *G     = y->scratch; /* of components that no row belongs to */
    memset(G, 0, (size_t)p->nv * sizeof *G);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t k = 0; k < p->nv; k++) {
            int32_t c    = ss_components_find(y->label, p->n + k);
            double *most = c < p->n ? &y->G[c] : &G[c - p->n];
            if (y->mass[k] > 0 || y->reach[k] == 0) {
                continue;
            }
            if (pass == 0) {
                *most = fmax(*most, fabs(p->f[k]) / y->reach[k]);
            } else if (*most > 0) {
                double size = fmin(y->size[k], SS_STRAIN * y->reach[k] * *most);
                worst       = fmax(worst, y->error[k] / size);
            }
        }
    }
    return worst;
}

const double *ss_residual_component_terms(const ss_strained *x, double *work)
{
    look    y = look_make(x, work);
    int32_t n = x->p->n;
    connect(&y);
    memset(y.R2, 0, (size_t)n * sizeof *y.R2);
    for (int32_t i = 0; i < n; i++) {
        int32_t c = ss_components_find(y.label, i);
        y.R2[c]   = x->w[i] > 0 ? fmax(y.R2[c], x->term[i] / sqrt(x->w[i])) : y.R2[c];
    }
    for (int32_t i = 0; i < n; i++) {
        y.Q2[i] = y.R2[ss_components_find(y.label, i)];
    }
    return y.Q2;
}

double ss_residual_strained(const ss_strained *x, double *work)
{
    look y = look_make(x, work);
    connect(&y);
    velocity_rows(&y);
    if (!component_sums(&y)) {
        return INFINITY;
    }
    component_velocities(&y);
    memset(y.G, 0, (size_t)x->p->n * sizeof *y.G);
    double balance = x->p->nv > 0 ? balance_error(&y) : 0;
    return fmax(balance, worst_component(&y));
}
