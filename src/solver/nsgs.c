/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nsgs: nonsmooth Gauss-Seidel for friction contact (Jean and Moreau; Acary, Bremond, Huber 2018).
 *
 * Sweeps over the blocks in fixed order, each solved exactly with the others held fixed
 * (cone_sweep.c, cone_block.c). The change in a sweep, in the energy norm, is a cheap sign of
 * convergence; the residual of the whole problem confirms it, and is asked for only when that sign
 * is small enough or the number of sweeps has doubled.
 */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "core/elementary.h"
#include "linalg/anderson.h"
#include "problem/residual.h"
#include "solver/cone_frame.h"
#include "solver/cone_methods.h"
#include "solver/cone_sweep.h"
#include "solver/delegate.h"
#include "solver/tolerances.h"

static const ss_option options[] = {
    {"patience", SS_OPTION_REAL, offsetof(ss_nsgs_settings, patience), 0, 0, 1e9, NULL,
     "give up when the rate of convergence asks for more sweeps than this; 0: never"},
    {"symmetric", SS_OPTION_BOOL, offsetof(ss_nsgs_settings, symmetric), 0, 0, 1, NULL,
     "every second sweep runs backwards"},
    {"plain", SS_OPTION_BOOL, offsetof(ss_nsgs_settings, plain), 0, 0, 1, NULL,
     "sweeps are not extrapolated"},
    {"sweeps", SS_OPTION_INT, offsetof(ss_nsgs_settings, sweeps), 0, 0, 1e9, NULL,
     "largest number of sweeps; 0: as many as it takes"},
    SS_OPTION_END};

/* TRIAL: sweeps before the rate of convergence is judged. */
enum { SWEEPS_MAX = 100000, REFRESH = 64, TRIAL = 20, ROUND = 4, PLAIN = 16 };

/* Up to this many rows Anderson's extrapolation beats momentum, beyond it does not. */
enum { ANDERSON_ROWS = 6000 };

/* sqrt(sum of w_b |r_b|^2): what the change of a sweep is compared with. */
static double energy(const ss_sweep *w, const double *r)
{
    double sum = 0;
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        const ss_block *b = &w->p->blocks[k];
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            sum += w->weight[k] * r[i] * r[i];
        }
    }
    return sqrt(sum);
}

static double measure(ss_sweep *w, const ss_solution *x, double *work)
{
    ss_sweep_refresh(w, x->z);
    return ss_residual_cone(w->p, x->z, w->p->nv > 0 ? w->velocity : NULL, work);
}

/*
 * Sweeps as the descent steps of a conjugate gradient method (Silcowitz-Hansen, Niebe, Erleben
 * 2010): with d the change of a sweep, the next one starts from r + beta p, where p adds up the
 * changes so far, p = beta p + d, and beta = |d|^2 / |d before|^2; beta > 1 forgets the past. The
 * velocities are affine in r and follow by the same sums.
 */
typedef struct momentum {
    int32_t n, nu;
    double *r, *u;   /* before the sweep                 */
    double *pr, *pu; /* sum of changes                   */
    double  square;  /* |d|^2 of the last sweep, 0: none */
} momentum;

static bool momentum_make(const ss_cone *p, ss_arena *a, momentum *m)
{
    *m    = (momentum){.n = p->n, .nu = p->nv > 0 ? p->nv : p->n};
    m->r  = ss_arena_alloc(a, (size_t)m->n, sizeof *m->r);
    m->u  = ss_arena_alloc(a, (size_t)m->nu, sizeof *m->u);
    m->pr = ss_arena_alloc(a, (size_t)m->n, sizeof *m->pr);
    m->pu = ss_arena_alloc(a, (size_t)m->nu, sizeof *m->pu);
    return m->r != NULL && m->u != NULL && m->pr != NULL && m->pu != NULL;
}

static void momentum_before(momentum *m, const ss_sweep *w, const double *r)
{
    memcpy(m->r, r, (size_t)m->n * sizeof *r);
    memcpy(m->u, w->velocity, (size_t)m->nu * sizeof *m->u);
}

/* x += beta p, p = beta p + (x - before), in one pass */
static void push_on(int32_t n, double beta, double *x, const double *before, double *p)
{
    for (int32_t i = 0; i < n; i++) {
        double d = x[i] - before[i], old = beta > 0 ? beta * p[i] : 0;
        x[i] += old;
        p[i] = old + d;
    }
}

/* `change` is the size of this sweep's d. */
static void momentum_after(momentum *m, const ss_sweep *w, double *r, double change)
{
    double square = change * change;
    double beta   = m->square > 0 && square < m->square ? square / m->square : 0;
    push_on(m->n, beta, r, m->r, m->pr);
    push_on(m->nu, beta, w->velocity, m->u, m->pu);
    m->square = square;
}

/* Anderson's extrapolation (anderson.c) of every ROUND sweeps, after the first PLAIN ones. */
typedef struct boost {
    ss_anderson anderson;
    double     *from;   /* (n) where the last round of sweeps began */
    double     *weight; /* (n) diagonal of W, block by block        */
} boost;

static bool boost_prepare(boost *b, const ss_sweep *w, ss_arena *a)
{
    size_t n  = (size_t)w->p->n;
    b->from   = ss_arena_alloc(a, n, sizeof *b->from);
    b->weight = ss_arena_alloc(a, n, sizeof *b->weight);
    if (!ss_anderson_prepare(&b->anderson, w->p->n, b->weight, a) || !b->from || !b->weight) {
        return false;
    }
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        const ss_block *block = &w->p->blocks[k];
        for (int32_t i = block->start; i < block->start + block->dim; i++) {
            b->weight[i] = w->weight[k];
        }
    }
    return true;
}

/* After every ROUND sweeps: extrapolate from where they began and where they led. */
static void boost_after(boost *b, ss_sweep *w, int32_t sweeps, double *r)
{
    if (sweeps % ROUND != 0) {
        return;
    }
    size_t bytes = (size_t)w->p->n * sizeof *r;
    if (sweeps > PLAIN && ss_anderson_step(&b->anderson, b->from, r)) {
        memcpy(r, b->from, bytes);
        ss_sweep_refresh(w, r);
        return;
    }
    memcpy(b->from, r, bytes);
}

/* One of the two accelerations, or none. */
typedef struct boosts {
    enum { BOOST_NONE, BOOST_ANDERSON, BOOST_MOMENTUM } kind;
    momentum push;
    boost    mix;
} boosts;

static bool boosts_prepare(boosts *b, bool plain, const ss_sweep *w, ss_arena *a)
{
    b->kind = plain ? BOOST_NONE : w->p->n <= ANDERSON_ROWS ? BOOST_ANDERSON : BOOST_MOMENTUM;
    switch (b->kind) {
    case BOOST_ANDERSON:
        return boost_prepare(&b->mix, w, a);
    case BOOST_MOMENTUM:
        return momentum_make(w->p, a, &b->push);
    default:
        return true;
    }
}

static void boosts_before(boosts *b, const ss_sweep *w, const double *r)
{
    if (b->kind == BOOST_MOMENTUM) {
        momentum_before(&b->push, w, r);
    }
}

static void boosts_after(boosts *b, ss_sweep *w, int32_t sweeps, double change, double *r)
{
    if (b->kind == BOOST_ANDERSON) {
        boost_after(&b->mix, w, sweeps, r);
    } else if (b->kind == BOOST_MOMENTUM) {
        momentum_after(&b->push, w, r, change);
    }
}

/* Whether the fall of the residual over the last sweeps promises an end within `patience` more. */
static bool promising(double patience, double before, double now, int32_t sweeps, double tol)
{
    double rate = ss_ln(before / now) / sweeps;
    return patience == 0 || (rate > 0 && ss_ln(now / tol) < patience * rate);
}

static ss_outcome sweep_until(ss_solver *s, const ss_nsgs_settings *set, ss_sweep *w,
                              ss_solution *x, double *work, boosts *b)
{
    const ss_common *c    = ss_solver_common(s);
    int32_t          most = set->sweeps > 0 ? set->sweeps : SWEEPS_MAX;
    most                  = c->max_iter > 0 && c->max_iter < most ? c->max_iter : most;
    int32_t next = 1, checked = 0;
    double  trust = c->tol, products = ss_cone_entries(w->p) + SS_WORK_BLOCK * w->p->nblocks;
    x->residual = INFINITY;
    for (int32_t k = 0; k < most; k++) {
        boosts_before(b, w, x->z);
        double change = ss_sweep_run(w, x->z, set->symmetric && k % 2 == 1);
        ss_solver_worked(s, products);
        x->iterations = k + 1;
        if (k % REFRESH == REFRESH - 1) {
            ss_sweep_refresh(w, x->z);
        }
        if (ss_solver_out_of_time_now(s, k % REFRESH == REFRESH - 1)) {
            return SS_LIMIT;
        }
        double share = change / energy(w, x->z);
        if (share > trust && k + 1 < next) {
            boosts_after(b, w, k + 1, change, x->z);
            continue;
        }
        double before = x->residual;
        x->residual   = measure(w, x, work);
        if (x->residual <= c->tol) {
            return SS_SOLVED;
        }
        if (!isfinite(x->residual)) {
            return SS_NUMERICAL;
        }
        if (k + 1 >= next) {
            if (k >= TRIAL &&
                !promising(set->patience, before, x->residual, k + 1 - checked, c->tol)) {
                return SS_LIMIT;
            }
            next *= 2;
        }
        checked = k + 1;
        trust   = fmin(share * fmax(c->tol / x->residual, 0.1), trust);
        boosts_after(b, w, k + 1, change, x->z);
    }
    return SS_LIMIT;
}

bool ss_nsgs_run(ss_solver *s, const ss_nsgs_settings *set, const ss_cone *p, ss_arena *a,
                 ss_solution *x)
{
    ss_sweep        w;
    ss_sweep_result result = ss_sweep_prepare(&w, p, a);
    double         *work   = ss_arena_alloc(a, ss_residual_cone_work(p), sizeof *work);
    if (result == SS_SWEEP_REFUSED) {
        x->outcome = SS_NOT_APPLICABLE;
        return true;
    }
    boosts b;
    if (result != SS_SWEEP_READY || work == NULL || !boosts_prepare(&b, set->plain, &w, a)) {
        return false;
    }
    ss_sweep_refresh(&w, x->z);
    x->outcome = sweep_until(s, set, &w, x, work, &b);
    if (p->nv > 0) {
        ss_sweep_refresh(&w, x->z);
        memcpy(x->v, w.velocity, (size_t)p->nv * sizeof *x->v);
    }
    return true;
}

static bool attempt(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    return ss_nsgs_run(s, ss_solver_settings(s), p, a, x);
}

static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    return ss_cone_frame(s, p, x, attempt);
}

const ss_solver_class ss_solver_nsgs = {
    .name          = "nsgs",
    .summary       = "block Gauss-Seidel on exact friction cones; on velocities in the global form",
    .accepts       = SS_CONE,
    .traits        = SS_TRAIT_WARM_STARTS | SS_TRAIT_SPARSE,
    .options       = options,
    .settings_size = sizeof(ss_nsgs_settings),
    .state_size    = sizeof(ss_cone_state),
    .solve         = solve,
    .release       = ss_cone_release,
};
