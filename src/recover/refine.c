/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Velocities finer than impulses can tell.
 *
 *   v+ = v_free + sum_k Y_k p_k
 *
 * is spoilt by rounding where large impulses cancel: a cube of 1 kg under one of 1e6 kg gets the
 * same 1e5 N s from above and from below, and the last digit of either moves it at 1e-11 m/s. What
 * the laws of the certified answer say is known much better: rows of contacts that stick, and
 * normal rows of those that slide, have u = J v+ + bias = 0. Over these rows a,
 *
 *   v+ := v+ - Y_a l,    W_aa l = u_a      (the projection of v+ on them, in A's metric),
 *
 * where l is as small as the error, and so is its rounding. W_aa is factored by Cholesky with
 * pivoting; rows that depend on others follow them. In islands without a W the same projection is
 * found from the rows (formulate/body_system.h). The impulses stay as they were certified.
 *
 * Models without a matrix have no A to measure by; polish.c does the like for them.
 */
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "formulate/body_system.h"
#include "formulate/formulate.h"
#include "linalg/rank.h"
#include "recover/tolerances.h"
#include "rows/contact_state.h"

enum { PASSES = 2, MULTIPLIER_PASSES = 3 };

/* The rows that the answer holds at zero, and the factor of their matrix. */
typedef struct held {
    int32_t  n, rank;
    int32_t *row;   /* (n) in d->rows                  */
    int32_t *local; /* (n) in the island               */
    int32_t *block; /* (n) in d->rows                  */
    int32_t *place; /* (n) of the block in the island  */
    int32_t *perm;  /* (n)                             */
    double  *scale; /* (n) 1 / sqrt of W's diagonal    */
    double  *L;     /* (n x n), where there is a W      */
    double  *u;     /* (n)                             */
    double  *work;  /* (2 n)                           */
} held;

/* Entry of W's diagonal: row k of block i of the island. */
static double diagonal(const ss_model *m, const ss_data *d, const ss_island *isl, int32_t i,
                       int32_t k)
{
    const ss_cone *cone = &isl->cone.as.cone;
    if (cone->W.dense != NULL) {
        return cone->W.dense[(size_t)(cone->blocks[i].start + k) * (size_t)(cone->n + 1)];
    }
    const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
    return ss_row_response(m, d, b, b->row + k);
}

/* With W at hand: a step of one body feels every loop. */
static bool impulses_cancel_dense(const ss_island *isl, const double *r)
{
    const ss_cone *cone   = &isl->cone.as.cone;
    const double  *w      = cone->W.dense; /* its diagonal */
    double         effect = 0, speed = 0;
    for (int32_t k = 0; k < cone->n; k++, w += cone->n + 1) {
        effect = ss_max(effect, fabs(r[k]) * *w);
        speed  = ss_max(speed, fabs(isl->q[k]));
    }
    return effect > SS_IMPULSES_CANCEL * speed;
}

/* Do impulses cancel, so that their rounding shows? */
static bool impulses_cancel(const ss_model *m, const ss_data *d, const ss_island *isl,
                            const double *r)
{
    double effect = 0, speed = 0;
    if (isl->cone.as.cone.W.dense != NULL) {
        return impulses_cancel_dense(isl, r);
    }
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        for (int32_t row = b->row; row < b->row + b->dim; row++, r++) {
            double u = ss_row_rate(m, d, b, row, d->v_free) + d->rows.bias[row];
            effect   = ss_max(effect, fabs(*r) * ss_row_response(m, d, b, row));
            speed    = ss_max(speed, fabs(u));
        }
    }
    return effect > SS_IMPULSES_CANCEL * speed;
}

/* How many of a block's rows the answer holds at zero: none, the normal one, or all. */
static int32_t held_rows(const ss_model *m, const ss_data *d, const ss_row_block *blk,
                         const double *r, double weight)
{
    if (blk->kind == SS_BLOCK_EQUALITY) {
        return blk->dim;
    }
    if (blk->spring > 0) {
        return 0; /* it gives */
    }
    double u = ss_row_rate(m, d, blk, blk->row, d->v_next) + d->rows.bias[blk->row];
    if (blk->kind == SS_BLOCK_DISK || !(weight * r[0] > SS_LOAD_SHOWS * fabs(u))) {
        return 0; /* open, or loaded too little to say */
    }
    return ss_at_limit(m, blk, r) ? 1 : blk->dim;
}

static ss_status allocate(ss_data *d, int32_t rows, bool dense, held *x)
{
    size_t n = (size_t)rows;
    x->row   = ss_arena_alloc(&d->scratch, n, sizeof *x->row);
    x->local = ss_arena_alloc(&d->scratch, n, sizeof *x->local);
    x->block = ss_arena_alloc(&d->scratch, n, sizeof *x->block);
    x->perm  = ss_arena_alloc(&d->scratch, n, sizeof *x->perm);
    x->scale = ss_arena_alloc(&d->scratch, n, sizeof *x->scale);
    x->place = ss_arena_alloc(&d->scratch, n, sizeof *x->place);
    x->L     = ss_arena_alloc(&d->scratch, dense ? n * n : 0, sizeof *x->L);
    x->u     = ss_arena_alloc(&d->scratch, n, sizeof *x->u);
    x->work  = ss_arena_alloc(&d->scratch, 2 * n, sizeof *x->work);
    bool all = x->row && x->local && x->block && x->place && x->perm && x->scale && x->L && x->u &&
               x->work;
    return all ? SS_OK : SS_ERR_SCRATCH;
}

static void gather_rows(const ss_model *m, const ss_data *d, const ss_island *isl, const double *r,
                        held *x)
{
    const ss_cone *cone = &isl->cone.as.cone;
    x->n                = 0;
    for (int32_t i = 0; i < cone->nblocks; i++) {
        const ss_row_block *blk   = &d->rows.blocks[isl->blocks[i]];
        int32_t             start = cone->blocks[i].start;
        int32_t             count = held_rows(m, d, blk, r + start, diagonal(m, d, isl, i, 0));
        for (int32_t k = 0; k < count; k++, x->n++) {
            double w       = diagonal(m, d, isl, i, k);
            x->row[x->n]   = blk->row + k;
            x->local[x->n] = start + k;
            x->place[x->n] = i;
            x->block[x->n] = isl->blocks[i];
            x->scale[x->n] = w > 0 ? 1 / sqrt(w) : 1;
        }
    }
}

static void factor(const ss_cone *cone, held *x)
{
    for (int32_t j = 0; j < x->n; j++) {
        const double *column = cone->W.dense + (size_t)x->local[j] * (size_t)cone->n;
        for (int32_t i = 0; i < x->n; i++) {
            x->L[(size_t)j * (size_t)x->n + (size_t)i] =
                x->scale[i] * x->scale[j] * column[x->local[i]];
        }
    }
    x->rank = ss_dense_rank_cholesky(x->n, x->L, x->n, SS_REFINE_DEPENDENT, x->perm, x->work);
}

/* x->work := l of the leading rows, scaled. */
static void solve(held *x)
{
    double *y = x->work;
    for (int32_t k = 0; k < x->rank; k++) {
        y[k] = x->scale[x->perm[k]] * x->u[x->perm[k]];
        for (int32_t j = 0; j < k; j++) {
            y[k] -= x->L[(size_t)j * (size_t)x->n + (size_t)k] * y[j];
        }
        y[k] /= x->L[(size_t)k * (size_t)(x->n + 1)];
    }
    for (int32_t k = x->rank - 1; k >= 0; k--) {
        for (int32_t j = k + 1; j < x->rank; j++) {
            y[k] -= x->L[(size_t)k * (size_t)x->n + (size_t)j] * y[j];
        }
        y[k] /= x->L[(size_t)k * (size_t)(x->n + 1)];
    }
}

static void measure(const ss_model *m, const ss_data *d, held *x)
{
    for (int32_t i = 0; i < x->n; i++) {
        const ss_row_block *blk = &d->rows.blocks[x->block[i]];
        x->u[i] = ss_row_rate(m, d, blk, x->row[i], d->v_next) + d->rows.bias[x->row[i]];
    }
}

static void correct(const ss_model *m, ss_data *d, const held *x)
{
    for (int32_t k = 0; k < x->rank; k++) {
        int32_t             i   = x->perm[k];
        const ss_row_block *blk = &d->rows.blocks[x->block[i]];
        for (int side = 0; side < blk->sides; side++) {
            if (blk->body[side] >= 0) {
                double *v = d->v_next + m->bodies[blk->body[side]].v_start;
                ss_add_dof(v, -x->scale[i] * x->work[k], ss_response_side(m, d, x->row[i], side),
                           m->dof);
            }
        }
    }
}

/* K = A + c J'J over the held rows, c so large that a few passes are enough. */
static bool factor_rows(ss_body_system *s, const held *x)
{
    ss_body_system_reset(s);
    for (int32_t i = 0; i < s->isl->body_count; i++) {
        ss_body_system_add_mass(s, i, 1);
    }
    for (int32_t i = 0; i < x->n; i++) {
        int32_t k = x->row[i] - s->d->rows.blocks[x->block[i]].row;
        ss_body_system_add_row(s, x->place[i], k, SS_REFINE_HELD * x->scale[i] * x->scale[i]);
    }
    return ss_body_system_factor(s);
}

/* change := the least change of velocities, by A, that takes the rates u out of the held rows. */
static void project(const ss_body_system *s, const held *x, double *change)
{
    size_t  nv = (size_t)s->isl->body_count * (size_t)s->m->dof;
    double *y  = x->work;
    memset(y, 0, (size_t)x->n * sizeof *y);
    for (int pass = 0; pass < MULTIPLIER_PASSES; pass++) {
        memset(change, 0, nv * sizeof *change);
        for (int32_t i = 0; i < x->n; i++) {
            int32_t k = x->row[i] - s->d->rows.blocks[x->block[i]].row;
            double  c = SS_REFINE_HELD * x->scale[i] * x->scale[i];
            ss_body_system_push(s, x->place[i], k, -c * x->u[i] - y[i], change);
        }
        ss_body_system_solve(s, change);
        for (int32_t i = 0; i < x->n; i++) {
            int32_t k = x->row[i] - s->d->rows.blocks[x->block[i]].row;
            double  c = SS_REFINE_HELD * x->scale[i] * x->scale[i];
            y[i] += c * (ss_body_system_rate(s, x->place[i], k, change) + x->u[i]);
        }
    }
}

static ss_status refine_by_rows(const ss_model *m, ss_data *d, const ss_island *isl, held *x)
{
    ss_body_system s;
    bool           made = false;
    double        *change =
        ss_arena_alloc(&d->scratch, (size_t)isl->body_count * (size_t)m->dof, sizeof *change);
    if (change == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(ss_body_system_plan(m, d, isl, &s, &made));
    made = made && factor_rows(&s, x);
    for (int pass = 0; made && pass < PASSES; pass++) {
        measure(m, d, x);
        project(&s, x, change);
        for (int32_t i = 0; i < isl->body_count; i++) {
            ss_add_dof(d->v_next + m->bodies[isl->bodies[i]].v_start, 1,
                       change + (ptrdiff_t)i * m->dof, m->dof);
        }
    }
    return SS_OK;
}

ss_status ss_refine_velocities(const ss_model *m, ss_data *d, const ss_island *isl, const double *r)
{
    const ss_cone *cone  = &isl->cone.as.cone;
    bool           dense = cone->W.dense != NULL;
    if (isl->eliminated != NULL || !(isl->solution.residual <= m->simulation.tolerance) ||
        !impulses_cancel(m, d, isl, r)) {
        return SS_OK;
    }
    held x;
    SS_TRY(allocate(d, cone->n, dense, &x));
    gather_rows(m, d, isl, r, &x);
    if (!dense) {
        return refine_by_rows(m, d, isl, &x);
    }
    factor(cone, &x);
    for (int pass = 0; pass < PASSES; pass++) {
        measure(m, d, &x);
        solve(&x);
        correct(m, d, &x);
    }
    return SS_OK;
}
