/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admm: alternating directions (Boyd et al. 2011; for friction contact Acary, Bremond, Huber 2018
 * and Carpentier, Le Lidec, Montaut 2024).
 *
 * With u~ = u + s, s = mu |u_f| in the normal row of each cone (De Saxce), a solution is a point
 * where -u~ is normal to K at r. Split r = z:
 *
 *     (W + rho I) r = rho (z - y) - q - s
 *     z' = P_K(c r + (1 - c) z + y),      c: over-relaxation
 *     y' = y + c r + (1 - c) z - z',      -rho y' is the present estimate of u~
 *     s' = mu rho |y'_f|
 *
 * W + rho I is factored once for every rho; rho follows the ratio of the two errors r - z' and
 * rho (z' - z), and is left alone as soon as it does not help. z always lies in K.
 */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "problem/residual.h"
#include "solver/cone_block.h"
#include "solver/cone_frame.h"
#include "solver/cone_methods.h"
#include "solver/cone_newton.h"
#include "solver/delegate.h"
#include "solver/tolerances.h"

static const ss_option options[] = {
    {"rho", SS_OPTION_REAL, offsetof(ss_admm_settings, rho), SS_ADMM_RHO, SS_ADMM_RHO_LEAST,
     SS_ADMM_RHO_MOST, NULL, "first penalty, relative to the diagonal of W"},
    {"relaxation", SS_OPTION_REAL, offsetof(ss_admm_settings, relaxation), 1.6, 1, 1.9, NULL,
     "over-relaxation"},
    {"patience", SS_OPTION_INT, offsetof(ss_admm_settings, patience), 0, 0, 1e9, NULL,
     "give up when so many iterations do not halve the residual; 0: never"},
    SS_OPTION_END};

enum { ITERATIONS_MAX = 20000, CHECK = 10, ADAPT = 20, ADAPT_MAX = 40 };

typedef struct run {
    ss_solver              *s;
    const ss_admm_settings *set;
    ss_sparse_lu           *lu;
    ss_status              *status; /* what factorisations had to say */
    const ss_cone          *p;
    ss_newton               newton;
    ss_block               *blocks; /* with scaled bounds                     */
    double                 *r, *z, *y, *shift, *plain;
    ss_cone_best            best;
    double                  rho;
    double                  primal, dual; /* the two errors of the last step  */
    int32_t                 iterations, adapted;
    double                  halved;    /* best residual when it was last halved,  */
    int32_t                 halved_at; /* and after how many iterations           */
} run;

static bool prepare(run *w, const ss_cone *p, const ss_cone *given, const double *z, ss_arena *a)
{
    size_t n  = (size_t)p->n;
    w->p      = p;
    w->blocks = ss_arena_alloc(a, (size_t)p->nblocks, sizeof *w->blocks);
    w->r      = ss_arena_alloc(a, n, sizeof *w->r);
    w->z      = ss_arena_alloc(a, n, sizeof *w->z);
    w->y      = ss_arena_alloc(a, n, sizeof *w->y);
    w->shift  = ss_arena_alloc(a, n, sizeof *w->shift);
    w->plain  = ss_arena_alloc(a, n, sizeof *w->plain);
    if (!ss_newton_prepare(&w->newton, p, a) || !w->blocks || !w->r || !w->z || !w->y ||
        !w->shift || !w->plain || !ss_cone_best_make(&w->best, p, given, z, a)) {
        return false;
    }
    w->newton.patience = ss_solver_patience(w->s);
    for (int32_t k = 0; k < p->nblocks; k++) {
        w->blocks[k]       = p->blocks[k];
        w->blocks[k].bound = w->newton.bound[k];
    }
    return true;
}

/* z, and what belongs to it: y = -u~ / rho, s = mu |u_f|. */
static void start(run *w, const double *plain)
{
    size_t bytes = (size_t)w->p->n * sizeof *w->z;
    memcpy(w->z, plain, bytes);
    ss_newton_scale(&w->newton, w->z);
    memset(w->shift, 0, bytes);
    memset(w->y, 0, bytes);
}

/* s = mu rho |y_f| in the normal rows. */
static void fill_shift(run *w)
{
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        const ss_block *b   = &w->blocks[k];
        double          sum = 0;
        for (int32_t i = b->start + 1; b->kind == SS_BLOCK_CONE && i < b->start + b->dim; i++) {
            sum += w->y[i] * w->y[i];
        }
        w->shift[b->start] = b->kind == SS_BLOCK_CONE ? b->mu * w->rho * sqrt(sum) : 0;
    }
}

static ss_status refactor(run *w, double rho, bool *singular)
{
    for (int32_t i = 0; i < w->p->n; i++) {
        w->y[i] *= w->rho > 0 ? w->rho / rho : 1;
    }
    w->rho = rho;
    ss_newton_shifted(&w->newton, rho);
    return ss_newton_factor(&w->newton, ss_solver_context(w->s), w->lu, singular);
}

/* One round of the three updates. */
static void step(run *w, double relaxation)
{
    double primal = 0, dual = 0;
    fill_shift(w);
    for (int32_t i = 0; i < w->p->n; i++) {
        w->r[i] = w->rho * (w->z[i] - w->y[i]) - w->newton.q[i] - w->shift[i];
    }
    ss_newton_solve(&w->newton, w->lu, w->r);
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        const ss_block *b = &w->blocks[k];
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            w->y[i] += relaxation * w->r[i] + (1 - relaxation) * w->z[i];
            w->best.work[i - b->start] = w->z[i];
            w->z[i]                    = w->y[i];
        }
        ss_block_project(b, w->z + b->start);
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            double moved = w->z[i] - w->best.work[i - b->start], apart = w->r[i] - w->z[i];
            w->y[i] -= w->z[i];
            primal += apart * apart;
            dual += moved * moved;
        }
    }
    w->primal = sqrt(primal);
    w->dual   = w->rho * sqrt(dual);
    w->iterations++;
}

/* Let rho follow the ratio of the errors, more and more rarely. */
static ss_status adapt(run *w, bool *singular)
{
    const double out_of_balance = 5;
    double       ratio          = w->primal / w->dual;
    if (!(ratio > out_of_balance || ratio < 1 / out_of_balance) || w->adapted >= ADAPT_MAX) {
        return SS_OK;
    }
    w->adapted++;
    double factor = fmin(fmax(sqrt(ratio), 0.1), 10);
    return refactor(w, fmin(fmax(w->rho * factor, 1 / SS_ADMM_MOST_PENALTY), SS_ADMM_MOST_PENALTY),
                    singular);
}

static double measure(run *w)
{
    ss_solver_worked(w->s, w->newton.products + ss_cone_entries(w->p));
    w->newton.products = 0;
    memcpy(w->plain, w->z, (size_t)w->p->n * sizeof *w->plain);
    ss_newton_unscale(&w->newton, w->plain);
    return ss_cone_best_measure(&w->best, w->plain, NULL);
}

/* Do the iterations still lead somewhere? */
static bool promising(run *w, int32_t patience)
{
    if (w->best.residual < 0.5 * w->halved) {
        w->halved    = w->best.residual;
        w->halved_at = w->iterations;
    }
    return patience == 0 || w->iterations - w->halved_at < patience;
}

static ss_outcome iterate(run *w, const ss_admm_settings *set, ss_status *status)
{
    const ss_common *c    = ss_solver_common(w->s);
    int32_t          most = c->max_iter > 0 ? c->max_iter : ITERATIONS_MAX, pause = ADAPT;
    bool             singular = false;
    *status                   = refactor(w, set->rho, &singular);
    for (int32_t k = 1; *status == SS_OK && !singular && k <= most; k++) {
        step(w, set->relaxation);
        if (k % CHECK != 0 && k != most) {
            continue;
        }
        if (measure(w) <= c->tol) {
            return SS_SOLVED;
        }
        if (ss_solver_out_of_time(w->s) || !promising(w, set->patience)) {
            return SS_LIMIT;
        }
        if (k >= pause) {
            pause   = k + ADAPT + k / 4;
            *status = adapt(w, &singular);
        }
    }
    bool failed = (singular && !w->newton.patience.gave_up) || *status != SS_OK;
    return failed ? SS_NUMERICAL : SS_LIMIT;
}

/* The local form p of a given problem, x->z being the start. */
static ss_fit run_local(void *method, const ss_cone *p, const ss_cone *given, ss_arena *a,
                        ss_solution *x)
{
    run *w = method;
    if (!prepare(w, p, given, x->z, a)) {
        return SS_FIT_SCRATCH;
    }
    w->halved = INFINITY;
    start(w, x->z);
    *w->status    = ss_newton_analyse(&w->newton, ss_solver_context(w->s), w->lu);
    x->outcome    = *w->status == SS_OK ? iterate(w, w->set, w->status) : SS_NUMERICAL;
    x->iterations = w->iterations;
    ss_cone_best_give(&w->best, x);
    return SS_FIT_READY;
}

bool ss_admm_run(ss_solver *s, const ss_admm_settings *set, ss_sparse_lu *lu, const ss_cone *p,
                 ss_arena *a, ss_solution *x, ss_status *status)
{
    run w = {.s = s, .set = set, .lu = lu, .status = status};
    return ss_cone_either_form(run_local, &w, p, a, x) == SS_FIT_READY;
}

static bool attempt(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    ss_cone_state *st = ss_solver_state(s);
    return ss_admm_run(s, ss_solver_settings(s), &st->lu, p, a, x, &st->status);
}

static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    return ss_cone_frame(s, p, x, attempt);
}

const ss_solver_class ss_solver_admm = {
    .name          = "admm",
    .summary       = "alternating directions on friction cones, factors reused, automatic penalty",
    .accepts       = SS_CONE,
    .traits        = SS_TRAIT_WARM_STARTS | SS_TRAIT_SPARSE,
    .options       = options,
    .settings_size = sizeof(ss_admm_settings),
    .state_size    = sizeof(ss_cone_state),
    .solve         = solve,
    .release       = ss_cone_release,
};
