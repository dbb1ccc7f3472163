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
 *
 * There may be several such directions, of which d leaves some and goes to others: |u| d' = T
 * T'a(d). Newton's method alone ends at any of them, at another in each evaluation. Where d is not
 * next to one that it goes to, it is followed, in turns of a part of a radian, until it has passed
 * it. And a slip that is braked by much of what friction can do ends before it has turned there,
 * the more so where it would have to turn round: it keeps the direction that it has, which changes
 * no faster than the slip itself. So d is there at once only if what the slip has across it is
 * nothing; under friction along -d that stays so.
 */
#include <math.h>
#include <string.h>

#include "dynamics/coordinates.h"
#include "hybrid/hybrid.h"
#include "hybrid/tolerances.h"
#include "instant/tolerances.h"
#include "sim/sim.h"

enum { ITERATIONS = 12, TURNS_MOST = 64, FRICTION_MOST = 5 };

typedef struct faint {
    const ss_model  *m;
    ss_data         *d;
    ss_instant_rows *r;
    int32_t          count;
    int32_t         *block;                    /* (count) */
    double (*start)[FRICTION_MOST];            /* (count) directions at first              */
    double (*was)[FRICTION_MOST];              /* (count) those before a step of the search */
    double (*T)[FRICTION_MOST][FRICTION_MOST]; /* (count) directions square to it      */
    double *slowness;            /* (count) |u|, over the largest: how slowly each turns */
    int32_t n;                   /* unknowns */
    double *F, *step, *A, *work; /* (n), (n), (n x n), scratch */
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
        const ss_instant_block *b                = &g->r->blocks[g->block[i]];
        int32_t                 n                = b->dim - first_of(b);
        double                  a[FRICTION_MOST] = {0};
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

/* Directions as they were at first. */
static void restore(const faint *g)
{
    for (int32_t i = 0; i < g->count; i++) {
        ss_instant_block *b = &g->r->blocks[g->block[i]];
        memcpy(b->slip, g->start[i], sizeof g->start[i]);
    }
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

/* The way that directions go of themselves, in F's place; at most one in each number. */
static void to_way(const faint *g, double *F)
{
    for (int32_t i = 0, at = 0; i < g->count; i++) {
        const ss_instant_block *b = &g->r->blocks[g->block[i]];
        for (int32_t k = first_of(b) + 1; k < b->dim; k++, at++) {
            F[at] /= g->slowness[i];
        }
    }
    double most = largest(F, g->n);
    for (int32_t k = 0; most > 0 && k < g->n; k++) {
        F[k] /= most;
    }
}

/* Turns directions the way they go, until they are next to where they go to: *beside. The way back
   is from a place that they have passed: half as far is then gone at a time. */
static ss_status follow(const faint *g, bool *beside)
{
    double  far = SS_HYBRID_TURNS;
    double *way = g->F, *last = g->step;
    memset(last, 0, (size_t)g->n * sizeof *last);
    *beside = false;
    for (int i = 0; i < TURNS_MOST && !*beside; i++) {
        keep(g);
        SS_TRY(across(g, way));
        to_way(g, way);
        far     = dot(way, last, g->n) < 0 ? 0.5 * far : far;
        *beside = far < SS_HYBRID_BESIDE;
        memcpy(last, way, (size_t)g->n * sizeof *last);
        for (int32_t k = 0; k < g->n; k++) {
            way[k] *= far;
        }
        turn(g, way);
    }
    return SS_OK;
}

/* Newton's method; *found: it came to an end, not far from where it began. Its first step must lead
   the way that directions go: towards one that they leave, it leads against it. */
static ss_status find(const faint *g, bool *found)
{
    double turned = 0;
    *found        = false;
    for (int i = 0; i < ITERATIONS && !*found; i++) {
        keep(g);
        SS_TRY(across(g, g->F));
        SS_TRY(derive(g));
        ss_least_norm(g->n, g->A, g->F, g->step, g->work);
        double by = largest(g->step, g->n);
        turned += by;
        *found = by < SS_HYBRID_TURNED;
        to_way(g, g->F);
        bool back = i == 0 && !*found && dot(g->F, g->step, g->n) < 0;
        if (!isfinite(by) || turned > SS_HYBRID_TURN_MOST || back) {
            *found = false;
            return SS_OK;
        }
        turn(g, g->step);
    }
    return SS_OK;
}

/* Are the slips along these directions? What is across stays as it is under friction along them. */
static bool slip_along(const faint *g)
{
    for (int32_t i = 0; i < g->count; i++) {
        const ss_instant_block *b     = &g->r->blocks[g->block[i]];
        const double           *u     = g->r->u + b->row + first_of(b);
        int32_t                 n     = b->dim - first_of(b);
        double                  along = dot(u, b->slip, n), all = dot(u, u, n);
        bool aside = sqrt(fmax(all - along * along, 0)) > SS_HYBRID_ASIDE * b->none;
        if (aside || dot(b->slip, g->start[i], n) < 0) {
            return false;
        }
    }
    return true;
}

/* Where directions go from where they are; mostly they are nearly there. */
static ss_status find_direction(const faint *g, bool *found)
{
    bool beside = false;
    SS_TRY(find(g, found));
    if (!*found) {
        restore(g);
        SS_TRY(follow(g, &beside));
    }
    if (beside) {
        SS_TRY(find(g, found));
    }
    *found = *found && slip_along(g);
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
    g->slowness      = ss_arena_alloc(s, blocks, sizeof *g->slowness);
    return g->block && g->start && g->was && g->T && g->slowness ? SS_OK : SS_ERR_SCRATCH;
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

/* Slips that are much less than others count as so much of them. */
static void set_slowness(faint *g)
{
    double most = 0;
    for (int32_t i = 0; i < g->count; i++) {
        const ss_instant_block *b = &g->r->blocks[g->block[i]];
        const double           *u = g->r->u + b->row + first_of(b);
        int32_t                 n = b->dim - first_of(b);
        g->slowness[i]            = sqrt(dot(u, u, n));
        most                      = fmax(most, g->slowness[i]);
    }
    for (int32_t i = 0; i < g->count; i++) {
        g->slowness[i] = most > 0 ? fmax(g->slowness[i] / most, SS_INSTANT_BEGUN) : 1;
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
    set_slowness(&g);
    SS_TRY(make_room_for_unknowns(&g));
    for (int32_t i = 0; i < g.count; i++) {
        memcpy(g.start[i], r->blocks[g.block[i]].slip, sizeof g.start[i]);
    }
    SS_TRY(find_direction(&g, &found));
    if (!found) {
        restore(&g);
    }
    return ss_hybrid_solve(m, d, r, out);
}
