/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slips that begin or end. What slides by u = |u| d with the acceleration a(d), under friction
 * along -d, has
 *
 *   |u|' = d.a(d),     |u| d' = a(d) - (d.a) d
 *
 * so that d goes to where the right side vanishes within |u| over what friction can do, the faster
 * the smaller |u| is, whether the slip grows (it begins: a is zero where friction reaches its bound
 * and grows with the time t, |u| as t^2) or ends. An integrator that follows that takes steps as
 * short. As long as the slip is faint (below what counts as none) d is there at once,
 *
 *   T'a(d) = 0      (T: directions square to d),
 *
 * by Newton's method, for all that is faint at once: corners of a box share their forces. What is
 * missed is |u| d' over what friction can do; velocities are off by a faint slip times what d turns
 * meanwhile.
 */
#include <math.h>
#include <string.h>

#include "dynamics/coordinates.h"
#include "hybrid/hybrid.h"
#include "hybrid/tolerances.h"
#include "sim/sim.h"

enum { ITERATIONS = 12, FRICTION_MOST = 5 };

typedef struct faint {
    const ss_model  *m;
    ss_data         *d;
    ss_instant_rows *r;
    int32_t          count;
    int32_t         *block;                    /* (count) */
    double (*start)[FRICTION_MOST];            /* (count) directions at first              */
    double (*was)[FRICTION_MOST];              /* (count) those before a step of the search */
    double (*T)[FRICTION_MOST][FRICTION_MOST]; /* (count) directions square to it      */
    int32_t n;                                 /* unknowns */
    double *F, *step, *A, *work;               /* (n), (n), (n x n), scratch */
} faint;

static int32_t first_of(const ss_instant_block *b)
{
    return b->kind == SS_BLOCK_CONE ? 1 : 0;
}

static double dot(const double *x, const double *y, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* Accelerations of a block's friction rows. */
static void accelerations(const faint *g, const ss_instant_block *b, const double *a, double *out)
{
    for (int32_t k = first_of(b); k < b->dim; k++) {
        double sum = g->r->k[b->row + k];
        for (int side = 0; side < b->sides; side++) {
            if (b->body[side] >= 0) {
                sum += ss_dot_dof(ss_row_side(g->m, &g->d->rows, b->row + k, side),
                                  a + g->m->bodies[b->body[side]].v_start, g->m->dof);
            }
        }
        out[k - first_of(b)] = sum;
    }
}

/* An orthonormal basis of what is square to the block's direction (Gram and Schmidt). */
static void span(const ss_instant_block *b, double (*T)[FRICTION_MOST])
{
    int32_t n = b->dim - first_of(b), have = 0, largest = 0;
    for (int32_t i = 1; i < n; i++) {
        largest = fabs(b->slip[i]) > fabs(b->slip[largest]) ? i : largest;
    }
    for (int32_t i = 0; i < n; i++) {
        double *t = T[have];
        if (i == largest) {
            continue;
        }
        memset(t, 0, FRICTION_MOST * sizeof *t);
        t[i] = 1;
        for (int32_t k = -1; k < have; k++) {
            const double *e    = k < 0 ? b->slip : T[k];
            double        part = dot(t, e, n);
            for (int32_t c = 0; c < n; c++) {
                t[c] -= part * e[c];
            }
        }
        double size = sqrt(dot(t, t, n));
        for (int32_t c = 0; c < n; c++) {
            t[c] /= size;
        }
        have++;
    }
}

/* Directions: those before, turned by x. */
static void turn(const faint *g, const double *x)
{
    for (int32_t i = 0, at = 0; i < g->count; i++) {
        ss_instant_block *b = &g->r->blocks[g->block[i]];
        int32_t           n = b->dim - first_of(b);
        memcpy(b->slip, g->was[i], sizeof g->was[i]);
        for (int32_t k = 0; k + 1 < n; k++, at++) {
            for (int32_t c = 0; c < n; c++) {
                b->slip[c] += x[at] * g->T[i][k][c];
            }
        }
        double size = sqrt(dot(b->slip, b->slip, n));
        for (int32_t c = 0; c < n; c++) {
            b->slip[c] /= size;
        }
    }
}

/* F = T'a for the directions as they are, T of those before. */
static ss_status across(const faint *g, double *F)
{
    size_t    mark = ss_arena_mark(&g->d->scratch);
    ss_solved x;
    SS_TRY(ss_hybrid_solve(g->m, g->d, g->r, &x));
    for (int32_t i = 0, at = 0; i < g->count; i++) {
        const ss_instant_block *b = &g->r->blocks[g->block[i]];
        int32_t                 n = b->dim - first_of(b);
        double                  a[FRICTION_MOST];
        accelerations(g, b, x.a, a);
        double along = dot(a, b->slip, n);
        for (int32_t c = 0; c < n; c++) {
            a[c] -= along * b->slip[c];
        }
        for (int32_t k = 0; k + 1 < n; k++) {
            F[at++] = dot(a, g->T[i][k], n);
        }
    }
    ss_arena_release(&g->d->scratch, mark);
    return SS_OK;
}

/* Derivatives of F by turning each direction both ways. */
static ss_status derive(const faint *g)
{
    double *ahead = g->work, *back = ahead + g->n, *x = back + g->n;
    memset(x, 0, (size_t)g->n * sizeof *x);
    for (int32_t j = 0; j < g->n; j++) {
        x[j] = SS_HYBRID_TURN;
        turn(g, x);
        SS_TRY(across(g, ahead));
        x[j] = -SS_HYBRID_TURN;
        turn(g, x);
        SS_TRY(across(g, back));
        x[j] = 0;
        for (int32_t i = 0; i < g->n; i++) {
            g->A[i + (size_t)j * (size_t)g->n] = (ahead[i] - back[i]) / (2 * SS_HYBRID_TURN);
        }
    }
    turn(g, x);
    return SS_OK;
}

static double largest(const double *x, int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static void keep(const faint *g)
{
    for (int32_t i = 0; i < g->count; i++) {
        ss_instant_block *b = &g->r->blocks[g->block[i]];
        memcpy(g->was[i], b->slip, sizeof g->was[i]);
        span(b, g->T[i]);
    }
}

/* Newton's method; *found: it came to an end. */
static ss_status find(const faint *g, bool *found)
{
    *found = false;
    for (int i = 0; i < ITERATIONS && !*found; i++) {
        keep(g);
        SS_TRY(across(g, g->F));
        SS_TRY(derive(g));
        ss_least_norm(g->n, g->A, g->F, g->step, g->work);
        double by = largest(g->step, g->n);
        if (!isfinite(by)) {
            return SS_OK;
        }
        for (int32_t k = 0; by > SS_HYBRID_TURN_MOST && k < g->n; k++) {
            g->step[k] *= SS_HYBRID_TURN_MOST / by;
        }
        turn(g, g->step);
        *found = by < SS_HYBRID_TURNED;
    }
    return SS_OK;
}

static ss_status make_room(faint *g)
{
    ss_arena *s      = &g->d->scratch;
    size_t    blocks = (size_t)g->r->nblocks + 1;
    g->block         = ss_arena_alloc(s, blocks, sizeof *g->block);
    g->start         = ss_arena_alloc(s, blocks, sizeof *g->start);
    g->was           = ss_arena_alloc(s, blocks, sizeof *g->was);
    g->T             = ss_arena_alloc(s, blocks, sizeof *g->T);
    return g->block && g->start && g->was && g->T ? SS_OK : SS_ERR_SCRATCH;
}

static ss_status make_room_for_unknowns(faint *g)
{
    ss_arena *s = &g->d->scratch;
    size_t    n = (size_t)g->n;
    g->F        = ss_arena_alloc(s, n, sizeof *g->F);
    g->step     = ss_arena_alloc(s, n, sizeof *g->step);
    g->A        = ss_arena_alloc(s, n * n, sizeof *g->A);
    g->work     = ss_arena_alloc(s, n * n + 6 * n, sizeof *g->work);
    return g->F && g->step && g->A && g->work ? SS_OK : SS_ERR_SCRATCH;
}

/* Blocks whose slip is faint. */
static void list(faint *g)
{
    for (int32_t i = 0; i < g->r->nblocks; i++) {
        const ss_instant_block *b = &g->r->blocks[i];
        if (b->faint) {
            g->block[g->count++] = i;
            g->n += b->dim - first_of(b) - 1;
        }
    }
}

static bool any_faint(const ss_instant_rows *r)
{
    for (int32_t i = 0; i < r->nblocks; i++) {
        if (r->blocks[i].faint) {
            return true;
        }
    }
    return false;
}

ss_status ss_hybrid_direct(const ss_model *m, ss_data *d, ss_instant_rows *r, ss_solved *out)
{
    faint g = {.m = m, .d = d, .r = r};
    bool  found;
    if (!any_faint(r)) {
        return SS_OK;
    }
    SS_TRY(make_room(&g));
    list(&g);
    SS_TRY(make_room_for_unknowns(&g));
    for (int32_t i = 0; i < g.count; i++) {
        memcpy(g.start[i], r->blocks[g.block[i]].slip, sizeof g.start[i]);
    }
    SS_TRY(find(&g, &found));
    for (int32_t i = 0; i < g.count && !found; i++) {
        memcpy(r->blocks[g.block[i]].slip, g.start[i], sizeof g.start[i]);
    }
    return ss_hybrid_solve(m, d, r, out);
}
