/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ac: proximal Newton on the equations of Alart and Curnier (1991).
 *
 * Outer iteration (proximal point, Rockafellar 1976; for friction Acary, Bremond, Huber 2018):
 *     r_k+1 solves   u = W r + q + alpha_k (r - r_k)   under the laws of the blocks.
 * The added alpha makes W regular, which it is not by itself, and its solutions in the limit are
 * those of the problem as given. Inner iteration: full Newton steps (cone_newton.c). A line search
 * on |F| would stop at kinks of |F| that are no solutions; instead alpha is the safeguard. When the
 * inner iteration does not converge quickly, r goes back to r_k, alpha grows, and rho, the weight
 * of u against r in the equations (which moves no solution but decides what the first step takes
 * for open, stick and slip) takes its next value; when it does, alpha falls, and the last steps are
 * those of Newton's method on the problem itself.
 *
 * The global form is solved as a local one on (v, r) with equality rows (problem/reduce_border.c),
 * where M may be singular or zero.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "problem/residual.h"
#include "solver/cone_frame.h"
#include "solver/cone_methods.h"
#include "solver/cone_newton.h"
#include "solver/cone_sweep.h"
#include "solver/delegate.h"
#include "solver/tolerances.h"

static const ss_option options[] = {
    {"alpha", SS_OPTION_REAL, offsetof(ss_ac_settings, alpha), SS_AC_ALPHA, SS_AC_ALPHA_LEAST,
     SS_AC_ALPHA_MOST, NULL, "first proximal weight, relative to the diagonal of W"},
    {"sweeps", SS_OPTION_INT, offsetof(ss_ac_settings, sweeps), 10, 0, 1e6, NULL,
     "Gauss-Seidel sweeps before the first Newton step"},
    {"steps", SS_OPTION_INT, offsetof(ss_ac_settings, steps), 0, 0, 1e9, NULL,
     "largest number of Newton steps; 0: as many as it takes"},
    SS_OPTION_END};

enum { ROUNDS_MAX = 2000, INNER_MAX = 10 };

/* Newton steps from a residual that is enough on the way to one that counts as solved. */
enum { FINISHING_STEPS = 25 };

/* One run: the problem, where it stands, and the best that was seen. */
typedef struct run {
    ss_solver            *s;
    const ss_ac_settings *set;
    ss_sparse_lu         *lu;
    ss_status            *status; /* what factorisations had to say                */
    const ss_cone        *p;      /* local form                                    */
    const ss_cone        *given;  /* what is measured: p, or the global form of it */
    ss_newton             newton;
    ss_sweep              sweep;
    bool                  sweeps; /* the problem has diagonal blocks to sweep over */
    bool                  bodies; /* p is in global form: contacts on bodies       */
    double               *r;      /* (n) present point, scaled                     */
    double               *plain;  /* (n) the same, not scaled                      */
    ss_cone_best          best;
    double                alpha;
    int32_t               steps;    /* Newton steps                   */
    int32_t               coarse;   /* of them, until it was enough   */
    int32_t               failures; /* proximal steps that did not end */
} run;

/* The system of a Newton step. */
static ss_fit prepare_newton(run *w, ss_arena *a)
{
    if (!w->bodies) {
        return ss_newton_prepare(&w->newton, w->p, a) ? SS_FIT_READY : SS_FIT_SCRATCH;
    }
    ss_fronts_result planned = ss_newton_prepare_bodies(&w->newton, &w->sweep, a);
    return planned == SS_FRONTS_READY     ? SS_FIT_READY
           : planned == SS_FRONTS_SCRATCH ? SS_FIT_SCRATCH
                                          : SS_FIT_REFUSED;
}

/* w->s, w->lu and w->bodies are set. */
static ss_fit prepare(run *w, const ss_cone *p, const ss_cone *given, const double *z, ss_arena *a)
{
    size_t n              = (size_t)p->n;
    w->p                  = p;
    w->r                  = ss_arena_alloc(a, n, sizeof *w->r);
    w->plain              = ss_arena_alloc(a, n, sizeof *w->plain);
    bool            best  = ss_cone_best_make(&w->best, p, given, z, a);
    ss_sweep_result swept = ss_sweep_prepare(&w->sweep, p, a);
    if (swept != SS_SWEEP_READY) {
        return swept == SS_SWEEP_REFUSED ? SS_FIT_REFUSED : SS_FIT_SCRATCH;
    }
    ss_fit fit         = prepare_newton(w, a);
    w->newton.patience = ss_solver_patience(w->s);
    w->sweeps          = true;
    for (int32_t k = 0; k < p->nblocks; k++) {
        w->sweeps = w->sweeps && w->sweep.weight[k] > 0;
    }
    return w->r && w->plain && best ? fit : SS_FIT_SCRATCH;
}

static double measure(run *w)
{
    if (w->bodies) {
        ss_sweep_refresh(&w->sweep, w->plain);
    }
    ss_solver_worked(w->s, w->newton.products + ss_cone_entries(w->p));
    w->newton.products = 0;
    return ss_cone_best_measure(&w->best, w->plain, w->bodies ? w->sweep.velocity : NULL);
}

static void sweep(run *w, int32_t count)
{
    if (!w->sweeps) {
        return;
    }
    ss_sweep_refresh(&w->sweep, w->plain);
    ss_solver_worked(w->s, (1 + count) * ss_cone_entries(w->p));
    for (int32_t k = 0; k < count; k++) {
        ss_sweep_run(&w->sweep, w->plain, false);
    }
}

/* Newton steps on the proximal problem, from r. False: not converged, r is of no use. */
static bool inner(run *w, double start, int32_t *used, ss_status *status)
{
    for (*used = 0; *used < INNER_MAX; ++*used) {
        double size = ss_newton_evaluate(&w->newton, w->r);
        if (size <= SS_AC_ENOUGH * start) {
            return true;
        }
        if (!(size < SS_AC_HOPELESS * start)) {
            return false;
        }
        bool singular = false;
        *status       = ss_newton_step(&w->newton, ss_solver_context(w->s), w->lu, &singular);
        if (*status != SS_OK || singular) {
            return false;
        }
        for (int32_t i = 0; i < w->p->n; i++) {
            w->r[i] += w->newton.step[i];
        }
        w->steps++;
    }
    return ss_newton_evaluate(&w->newton, w->r) <= SS_AC_ENOUGH * start;
}

/* What rounding alone leaves of |F|: there is nothing to be won below it. */
static double rounding(const run *w)
{
    double sum = 0;
    for (int32_t i = 0; i < w->p->n; i++) {
        sum += w->r[i] * w->r[i] + w->newton.q[i] * w->newton.q[i];
    }
    return 0.5 * DBL_EPSILON * sqrt(sum);
}

/* One proximal step. *exhausted: r is exact to rounding. */
static ss_status outer(run *w, bool *exhausted)
{
    static const double stretch[3] = {1, 3, 0.3};
    ss_newton          *newton     = &w->newton;
    size_t              bytes      = (size_t)w->p->n * sizeof *w->r;
    memcpy(w->r, w->plain, bytes);
    ss_newton_scale(newton, w->r);
    memcpy(newton->center, w->r, bytes);
    newton->alpha    = w->alpha;
    newton->rho      = stretch[w->failures % 3] / (1 + w->alpha);
    ss_status status = SS_OK;
    int32_t   used   = 0;
    double    start  = ss_newton_evaluate(newton, w->r);
    *exhausted       = start <= rounding(w);
    if (inner(w, start, &used, &status)) {
        memcpy(w->plain, w->r, bytes);
        ss_newton_unscale(newton, w->plain);
        w->alpha *= used <= 4 ? 0.1 : used <= 7 ? 0.5 : 1;
        w->alpha = fmax(w->alpha, w->bodies ? SS_AC_LEAST_ALPHA_BODIES : SS_AC_LEAST_ALPHA);
    } else {
        w->alpha = fmin(w->alpha * 5, SS_AC_MOST_ALPHA);
        w->failures++;
    }
    return status;
}

/* Where the residual is enough, and the last digits do not come quickly, they do not come. */
static bool finished(run *w)
{
    if (!(w->best.residual <= ss_solver_common(w->s)->enough)) {
        w->coarse = w->steps;
    }
    return w->steps - w->coarse > FINISHING_STEPS;
}

/* Would the next step take more than all may? */
static bool is_too_dear(const run *w)
{
    double steps = (double)w->steps + 1;
    return w->set->most > 0 && w->bodies &&
           steps * ss_cone_bodies_products(&w->newton.bodies) > w->set->most;
}

static ss_outcome iterate(run *w, const ss_ac_settings *set, ss_status *status)
{
    const ss_common *c    = ss_solver_common(w->s);
    int32_t          most = c->max_iter > 0 ? c->max_iter : INT32_MAX;
    most                  = set->steps > 0 && set->steps < most ? set->steps : most;
    w->alpha              = set->alpha;
    sweep(w, set->sweeps);
    for (int32_t k = 0; k < ROUNDS_MAX && measure(w) > c->tol; k++) {
        if (w->steps >= most || is_too_dear(w) || finished(w) || w->newton.patience.gave_up ||
            ss_solver_out_of_time(w->s)) {
            return SS_LIMIT;
        }
        bool exhausted = false;
        *status        = outer(w, &exhausted);
        if (*status != SS_OK || (exhausted && measure(w) > c->tol)) {
            return SS_NUMERICAL;
        }
    }
    return w->best.residual <= c->tol ? SS_SOLVED : SS_LIMIT;
}

/* The local form p of a given problem, x->z being the start. */
static ss_fit run_local(void *method, const ss_cone *p, const ss_cone *given, ss_arena *a,
                        ss_solution *x)
{
    run   *w   = method;
    ss_fit fit = prepare(w, p, given, x->z, a);
    if (fit != SS_FIT_READY) {
        return fit;
    }
    memcpy(w->plain, x->z, (size_t)p->n * sizeof *x->z);
    *w->status    = SS_OK;
    x->outcome    = iterate(w, w->set, w->status);
    x->iterations = w->steps;
    ss_cone_best_give(&w->best, x);
    return SS_FIT_READY;
}

/* Contacts on bodies whose masses are small blocks: steps are taken in their velocities. */
static ss_fit run_bodies(run *w, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    w->bodies  = true;
    ss_fit fit = run_local(w, p, p, a, x);
    if (fit == SS_FIT_READY) {
        ss_sweep_refresh(&w->sweep, x->z);
        memcpy(x->v, w->sweep.velocity, (size_t)p->nv * sizeof *x->v);
    }
    return fit;
}

bool ss_ac_run(ss_solver *s, const ss_ac_settings *set, ss_sparse_lu *lu, const ss_cone *p,
               ss_arena *a, ss_solution *x, ss_status *status)
{
    run    w   = {.s = s, .set = set, .lu = lu, .status = status};
    ss_fit fit = SS_FIT_REFUSED;
    if (ss_ipm_takes(p)) {
        fit = run_bodies(&w, p, a, x);
    }
    if (fit == SS_FIT_REFUSED) { /* masses that are large blocks, or singular: the bordered form */
        w   = (run){.s = s, .set = set, .lu = lu, .status = status};
        fit = ss_cone_either_form(run_local, &w, p, a, x);
    }
    if (fit == SS_FIT_REFUSED) {
        x->outcome = SS_NOT_APPLICABLE;
    }
    return fit != SS_FIT_SCRATCH;
}

static bool attempt(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    ss_cone_state *st = ss_solver_state(s);
    return ss_ac_run(s, ss_solver_settings(s), &st->lu, p, a, x, &st->status);
}

static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    return ss_cone_frame(s, p, x, attempt);
}

const ss_solver_class ss_solver_ac = {
    .name          = "ac",
    .summary       = "proximal Newton on the Alart-Curnier equations of friction contact",
    .accepts       = SS_CONE,
    .traits        = SS_TRAIT_WARM_STARTS | SS_TRAIT_SPARSE,
    .options       = options,
    .settings_size = sizeof(ss_ac_settings),
    .state_size    = sizeof(ss_cone_state),
    .solve         = solve,
    .release       = ss_cone_release,
};
