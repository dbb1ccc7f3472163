/* SPDX-License-Identifier: Apache-2.0 */
/* Searches over runs. Runs of different recordings and points are computed side by side; no result
 * depends on how many threads there are. */
#include "identify/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#ifdef SS_HAVE_OPENMP
#include <omp.h>
#endif

#include "core/constants.h"
#include "core/context.h"
#include "identify/mpec_search.h"
#include "identify/neighbours.h"
#include "study/optimise.h"
#include "study/philox.h"
#include "study/trial.h"

static ss_status no_memory(ss_context *ctx)
{
    return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
}

static int32_t thread_count(const ss_identify_def *def)
{
#ifdef SS_HAVE_OPENMP
    int32_t wanted = def->threads > 0 ? def->threads : omp_get_num_procs();
    return wanted < SS_THREADS_MAX ? wanted : SS_THREADS_MAX;
#else
    (void)def;
    return 1;
#endif
}

static ss_status allocate(ss_fitter *f)
{
    size_t n   = (size_t)f->p->parameter_count + 1;
    f->workers = ss_alloc(f->ctx, (size_t)f->threads, sizeof *f->workers);
    f->low     = ss_alloc(f->ctx, 3 * n, sizeof *f->low);
    f->rows    = ss_alloc(f->ctx, (size_t)f->p->trial_count + 1, sizeof *f->rows);
    f->weight  = ss_alloc(f->ctx, (size_t)f->p->trial_count + 1, sizeof *f->weight);
    if (f->workers == NULL || f->low == NULL || f->rows == NULL || f->weight == NULL) {
        return no_memory(f->ctx);
    }
    f->high  = f->low + n;
    f->scale = f->high + n;
    for (int32_t i = 0; i < f->p->parameter_count; i++) {
        f->low[i]   = f->p->parameters[i].low;
        f->high[i]  = f->p->parameters[i].high;
        f->scale[i] = f->p->parameters[i].scale;
    }
    for (int32_t k = 0; k < f->p->trial_count; k++) {
        f->rows[k] = f->p->trials[k].rows;
    }
    f->rows[f->p->trial_count] = f->p->smooth_count; /* a block of its own after them */
    return SS_OK;
}

ss_status ss_fitter_start(ss_context *ctx, const ss_identify *p, int32_t model,
                          const ss_identify_def *def, ss_fitter *f)
{
    *f = (ss_fitter){.ctx = ctx, .p = p, .def = def, .threads = thread_count(def), .doing = ""};
    SS_TRY(allocate(f));
    for (int32_t i = 0; i < f->threads; i++) {
        ss_context *mine = ss_context_clone(ctx);
        if (mine == NULL) {
            return no_memory(ctx);
        }
        ss_status status = ss_identify_worker_start(mine, p, model, def->interrupt, &f->workers[i]);
        if (status != SS_OK) {
            return ss_fail(ctx, status, "%s", ss_context_message(mine));
        }
    }
    return SS_OK;
}

void ss_fitter_end(ss_fitter *f)
{
    for (int32_t i = 0; f->workers != NULL && i < f->threads; i++) {
        ss_context *mine = f->workers[i].ctx;
        if (mine != NULL) {
            ss_identify_worker_end(&f->workers[i]);
            ss_context_destroy(mine);
        }
    }
    ss_free(f->ctx, f->workers, (size_t)f->threads * sizeof *f->workers);
    ss_free(f->ctx, f->low, 3 * ((size_t)f->p->parameter_count + 1) * sizeof *f->low);
    ss_free(f->ctx, f->rows, ((size_t)f->p->trial_count + 1) * sizeof *f->rows);
    ss_free(f->ctx, f->weight, ((size_t)f->p->trial_count + 1) * sizeof *f->weight);
}

/* ---- bounds ---- */

/* What the scene says of a trial with these values; false: it refuses them. */
static bool accepts(ss_fitter *f, int32_t trial, const double *theta)
{
    ss_model *m      = NULL;
    ss_status status = ss_identify_model(&f->workers[0], trial, theta, &m);
    ss_model_destroy(m);
    return status == SS_OK;
}

static ss_status check_bound(ss_fitter *f, const ss_parameter *a, double *value, double bound,
                             const double *theta)
{
    double start = *value;
    *value       = bound;
    bool ok      = accepts(f, a->trial >= 0 ? a->trial : 0, theta);
    *value       = start;
    return ok ? SS_OK
              : ss_node_fail(f->ctx, a->node, SS_ERR_INPUT,
                             "free '%s': bounds: the scene refuses %g: %s", a->path, bound,
                             ss_context_message(f->workers[0].ctx));
}

/* Bounds are values, too: a search must be able to go there. */
ss_status ss_fitter_check_bounds(ss_fitter *f)
{
    int32_t   n      = f->p->parameter_count;
    double   *theta  = ss_alloc(f->ctx, (size_t)n + 1, sizeof *theta);
    ss_status status = theta != NULL ? SS_OK : no_memory(f->ctx);
    for (int32_t i = 0; theta != NULL && i < n; i++) {
        theta[i] = f->p->parameters[i].start;
    }
    bool runs = theta != NULL && accepts(f, 0, theta); /* if not, the search says why */
    for (int32_t i = 0; runs && status == SS_OK && i < n; i++) {
        const ss_parameter *a = &f->p->parameters[i];
        if (a->kind != SS_PARAMETER_VALUE || a->trial > 0) { /* those of one path have one range */
            continue;
        }
        status = check_bound(f, a, &theta[i], a->low, theta);
        status = status == SS_OK ? check_bound(f, a, &theta[i], a->high, theta) : status;
    }
    ss_free(f->ctx, theta, ((size_t)n + 1) * sizeof *theta);
    return status;
}

/* ---- residuals of many points ---- */

static bool uses(void *user, int32_t block, int32_t parameter)
{
    const ss_fitter *f = user;
    int32_t          k = f->p->parameters[parameter].trial;
    if (block == f->p->trial_count) {
        return ss_smooth_uses(f->p, parameter);
    }
    return k < 0 || k == block;
}

/* A run that cannot be made is a point without residuals; what is no property of it ends all. */
void ss_fitter_note(ss_fitter *f, const ss_context *ctx, ss_status status)
{
    snprintf(f->message, sizeof f->message, "%s", ss_context_message(ctx));
    f->failed = ss_trial_ends_everything(status) ? status : f->failed;
}

ss_status ss_fitter_after(ss_fitter *f, int64_t runs)
{
    f->runs += runs;
    if (f->def->progress != NULL) {
        f->def->progress(f->def->progress_user, f->doing, f->runs);
    }
    if (f->def->interrupt != NULL && *f->def->interrupt != 0) {
        return ss_fail(f->ctx, SS_ERR_INTERRUPTED, "interrupted");
    }
    return f->failed == SS_OK ? SS_OK : ss_fail(f->ctx, f->failed, "%s", f->message);
}

static ss_status evaluate(void *user, int32_t count, const int32_t *block, const double *const *x,
                          double *const *r, bool *ok)
{
    ss_fitter *f = user;
    f->failed    = SS_OK;
#pragma omp parallel for num_threads(f->threads) schedule(dynamic, 1)
    for (int32_t j = 0; j < count; j++) {
#ifdef SS_HAVE_OPENMP
        ss_identify_worker *w = &f->workers[omp_get_thread_num()];
#else
        ss_identify_worker *w = &f->workers[0];
#endif
        ss_status status = SS_OK;
        if (block[j] == f->p->trial_count) {
            ss_smooth_residuals(f->p, x[j], r[j]);
        } else {
            status = ss_identify_residuals(w, block[j], x[j], r[j]);
        }
        ok[j] = status == SS_OK;
        if (status != SS_OK) {
#pragma omp critical(ss_identify)
            ss_fitter_note(f, w->ctx, status);
        }
    }
    return ss_fitter_after(f, count);
}

static ss_squares squares_of(ss_fitter *f, const ss_fit *fit)
{
    for (int32_t i = 0; i < f->threads; i++) {
        f->workers[i].until    = fit->until;
        f->workers[i].halvings = fit->halvings;
    }
    for (int32_t k = 0; k <= f->p->trial_count;
         k++) { /* differences count once, whatever is left out */
        f->weight[k] = fit->weight != NULL && k < f->p->trial_count ? fit->weight[k] : 1;
    }
    return (ss_squares){.ctx        = f->ctx,
                        .n          = f->p->parameter_count,
                        .low        = f->low,
                        .high       = f->high,
                        .scale      = f->scale,
                        .fixed      = fit->fixed,
                        .blocks     = f->p->trial_count + (f->p->smooth_count > 0),
                        .rows       = f->rows,
                        .weight     = f->weight,
                        .uses       = uses,
                        .evaluate   = evaluate,
                        .user       = f,
                        .iterations = fit->iterations,
                        .tolerance  = f->p->search.tolerance};
}

ss_status ss_fit_minimise(ss_fitter *f, const ss_fit *fit, double *theta, double *A,
                          ss_squares_result *out)
{
    ss_squares p = squares_of(f, fit);
    return ss_squares_minimise(&p, theta, A, out);
}

/* ---- searches that know values alone ---- */

typedef struct by_value {
    ss_fitter *f;
    ss_squares squares;
    double    *best; /* (parameters) */
    double     cost;
    int32_t    evaluations;
    ss_status  status;
} by_value;

static int cost_at(void *user, const double *x, double *objective, double *g)
{
    by_value *b = user;
    (void)g;
    b->status = ss_squares_cost(&b->squares, x, objective);
    b->evaluations++;
    *objective = fmin(*objective, 1e30); /* NLopt counts on numbers */
    if (*objective < b->cost) {
        b->cost = *objective;
        memcpy(b->best, x, (size_t)b->squares.n * sizeof *x);
    }
    return b->status != SS_OK;
}

static int32_t find_algorithm(const char *name)
{
    for (int32_t i = 0; ss_algorithms[i].name != NULL; i++) {
        if (strcmp(ss_algorithms[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Where nothing bounds a parameter, some scales around where it begins do. */
enum { SCALES_AROUND = 20 };

static ss_status search_by_value(ss_fitter *f, int32_t algorithm, double *theta, bool *converged)
{
    int32_t  n    = f->p->parameter_count;
    ss_fit   fit  = {.until = INFINITY};
    by_value b    = {.f = f, .cost = INFINITY, .squares = squares_of(f, &fit)};
    size_t   room = 3 * (size_t)n + 1;
    double  *work = ss_alloc(f->ctx, room, sizeof *work);
    if (work == NULL) {
        return no_memory(f->ctx);
    }
    double *low = work, *high = work + n;
    b.best = work + 2 * (ptrdiff_t)n;
    for (int32_t i = 0; i < n; i++) {
        low[i]  = fmax(f->low[i], theta[i] - SCALES_AROUND * f->scale[i]);
        high[i] = fmin(f->high[i], theta[i] + SCALES_AROUND * f->scale[i]);
    }
    ss_optimise_def def    = {.algorithm   = algorithm,
                              .n           = n,
                              .low         = low,
                              .high        = high,
                              .start       = theta,
                              .evaluations = f->p->search.evaluations,
                              .tolerance   = f->p->search.tolerance,
                              .seed        = f->p->study->seed + 1,
                              .evaluate    = cost_at,
                              .user        = &b};
    ss_status       status = ss_optimise(f->ctx, &def);
    status                 = b.status != SS_OK ? b.status : status;
    *converged             = b.evaluations < f->p->search.evaluations;
    if (status == SS_OK && isfinite(b.cost)) {
        memcpy(theta, b.best, (size_t)n * sizeof *theta);
    }
    ss_free(f->ctx, work, room * sizeof *work);
    return status;
}

/* ---- the search of the study ---- */

/*
 * Gauss-Newton. A search that ends where nothing depends on a free value (what sticks does not tell
 * how much friction holds it) goes on from the best of some other values of it.
 */
static ss_status search_runs(ss_fitter *f, double *theta, double *A, ss_squares_result *out)
{
    ss_fit  fit = {.until = INFINITY, .iterations = f->p->search.iterations};
    int32_t n   = f->p->parameter_count;
    bool    moved;
    do {
        SS_TRY(ss_fit_minimise(f, &fit, theta, A, out));
        moved           = false;
        double     cost = out->cost;
        ss_squares p    = squares_of(f, &fit);
        for (int32_t i = 0; i < n; i++) {
            if (!f->p->parameters[i].nuisance && !(A[i + (ptrdiff_t)i * n] > 0)) {
                SS_TRY(ss_squares_elsewhere(&p, i, theta, &cost, &moved));
            }
        }
    } while (moved);
    return SS_OK;
}

static ss_status search_program(ss_fitter *f, double *theta, ss_program_result *program)
{
    ss_mpec_result r = {0};
    SS_TRY(ss_mpec_search(f, theta, &r));
    *program =
        (ss_program_result){r.nlp.outcome, r.variables, r.nlp.iterations, r.nlp.objective, r.apart};
    return SS_OK;
}

static ss_status search_from(ss_fitter *f, double *theta, double *A, ss_squares_result *out,
                             ss_program_result *program)
{
    const ss_search_def *s         = &f->p->search;
    ss_fit               fit       = {.until = INFINITY};
    bool                 converged = true;
    if (s->method == SS_METHOD_MPEC) {
        SS_TRY(search_runs(f, theta, A, out));
        SS_TRY(search_program(f, theta, program));
    } else if (strcmp(s->algorithm, "gauss-newton") == 0) {
        return search_runs(f, theta, A, out);
    } else {
        int32_t algorithm = find_algorithm(s->algorithm);
        if (algorithm < 0) {
            return ss_node_fail(f->ctx, f->p->study->method, SS_ERR_INPUT,
                                "there is no algorithm '%s': gauss-newton, or one of designs",
                                s->algorithm);
        }
        SS_TRY(search_by_value(f, algorithm, theta, &converged));
    }
    SS_TRY(ss_fit_minimise(f, &fit, theta, A, out)); /* cost and J'J at its end, by runs */
    out->converged = converged;
    return SS_OK;
}

static void starting_values(const ss_fitter *f, int32_t start, double *theta)
{
    for (int32_t i = 0; i < f->p->parameter_count; i++) {
        const ss_parameter *a = &f->p->parameters[i];
        double              u[2];
        theta[i] = a->start;
        if (start > 0 && !a->nuisance) {
            ss_philox_uniform(f->p->study->seed, (uint64_t)start, ss_philox_name(a->name), 0, u);
            theta[i] = a->low + u[0] * (a->high - a->low);
        }
    }
}

ss_status ss_fit_search(ss_fitter *f, double *theta, double *A, ss_squares_result *out,
                        ss_program_result *program)
{
    size_t  n = (size_t)f->p->parameter_count, room = n + n * n + 1;
    double *work = ss_alloc(f->ctx, room, sizeof *work);
    if (work == NULL) {
        return no_memory(f->ctx);
    }
    ss_status status = SS_OK;
    *out             = (ss_squares_result){.cost = INFINITY};
    for (int32_t k = 0; status == SS_OK && k < f->p->search_starts; k++) {
        ss_squares_result one   = {0};
        ss_program_result posed = {0};
        starting_values(f, k, work);
        status = search_from(f, work, work + n, &one, &posed);
        if (status == SS_OK && (k == 0 || one.cost < out->cost)) {
            memcpy(theta, work, n * sizeof *theta);
            memcpy(A, work + n, n * n * sizeof *A);
            *out     = one;
            *program = posed;
        }
    }
    ss_free(f->ctx, work, room * sizeof *work);
    if (status == SS_OK && !isfinite(out->cost)) {
        return ss_fail(f->ctx, SS_ERR_INPUT, "no run can be made from where the search starts: %s",
                       f->message);
    }
    return status;
}
