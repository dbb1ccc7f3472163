/* SPDX-License-Identifier: Apache-2.0 */
/* An identification from reading to result: search, certainty, scores, for each model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "identify/filter.h"
#include "identify/impacts.h"
#include "identify/scores.h"
#include "identify/tolerances.h"
#include "stickslip/output.h"
#include "study/quantile.h"

enum { WARNINGS_MAX = 64 };

/* What is known with one model. */
typedef struct result {
    double                   *theta;         /* (n)     */
    double                   *A;             /* (n x n) */
    double                   *correlation;   /* (n x n) */
    ss_certainty             *certainty;     /* (n)     */
    ss_score                 *seen, *unseen; /* (trials) */
    ss_identification_summary summary;
    double                    degrees; /* numbers measured beyond those searched for */
    const char               *warnings[WARNINGS_MAX];
    int32_t                   warning_count;
    ss_history                history; /* methods window and particles                       */
    double                   *all;     /* (n) filters: where least squares over all samples end */
    double                    all_cost;
} result;

struct ss_identification {
    ss_context  *ctx;
    ss_pool      pool;
    ss_identify *p;
    result      *models; /* (model_count) */
};

const char *ss_determined_text(ss_determined d)
{
    static const char *const texts[] = {"determined", "at least", "at most", "not determined"};
    return d >= SS_DETERMINED_BOTH && d <= SS_DETERMINED_NOT ? texts[d] : "not determined";
}

/* ---- warnings ---- */

static ss_status warn(ss_identification *id, result *r, const char *text)
{
    int ok = 1;
    if (r->warning_count < WARNINGS_MAX) {
        r->warnings[r->warning_count++] = ss_pool_text(&id->pool, text, &ok);
    }
    return ok ? SS_OK : ss_fail(id->ctx, SS_ERR_MEMORY, "out of memory");
}

/* Only a profile up to both bounds shows that any value would do. */
static const char *why_not(const result *r, const ss_certainty *c)
{
    return !r->summary.converged  ? "the search ended before it converged"
           : c->profile_count > 0 ? "any value within its bounds explains the recordings as well"
           : isinf(c->deviation) != 0 ? "nothing that was recorded depends on it"
                                      : "what is known of it is no narrower than its bounds";
}

static ss_status warn_of_parameter(ss_identification *id, result *r, int32_t i)
{
    const ss_parameter *a = &id->p->parameters[i];
    const ss_certainty *c = &r->certainty[i];
    char                text[512];
    if (c->determined == SS_DETERMINED_NOT) {
        snprintf(text, sizeof text, "%.200s is not determined: %s", a->name, why_not(r, c));
        SS_TRY(warn(id, r, text));
    } else if (c->determined != SS_DETERMINED_BOTH && !a->nuisance) {
        snprintf(text, sizeof text, "%.200s is bounded on one side only: %s %.4g", a->name,
                 ss_determined_text(c->determined),
                 c->determined == SS_DETERMINED_BELOW ? c->low : c->high);
        SS_TRY(warn(id, r, text));
    }
    if (c->at_bound) {
        snprintf(text, sizeof text, "%.200s ends at its bound, %.6g: widen it, or doubt the model",
                 a->name, r->theta[i]);
        SS_TRY(warn(id, r, text));
    }
    return SS_OK;
}

/* Of two values that can stand in for each other, is one wanted? What belongs to the measurement
   counts where the recordings do not determine it: then they do not determine the other either. */
static bool pair_matters(const ss_identification *id, const result *r, int32_t i, int32_t j)
{
    bool a = id->p->parameters[i].nuisance, b = id->p->parameters[j].nuisance;
    if (a && b) {
        return false;
    }
    return (!a || r->certainty[i].determined == SS_DETERMINED_NOT) &&
           (!b || r->certainty[j].determined == SS_DETERMINED_NOT);
}

static ss_status warn_of_pairs(ss_identification *id, result *r)
{
    int32_t n = id->p->parameter_count;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < i; j++) {
            char   text[600];
            double c = r->correlation[i + (ptrdiff_t)j * n];
            if (fabs(c) > SS_CORRELATED && pair_matters(id, r, i, j)) {
                snprintf(text, sizeof text,
                         "%.200s and %.200s can stand in for each other (correlation %.3f)",
                         id->p->parameters[j].name, id->p->parameters[i].name, c);
                SS_TRY(warn(id, r, text));
            }
        }
    }
    return SS_OK;
}

/* What the program found must be what the engine does. */
static ss_status warn_of_program(ss_identification *id, result *r)
{
    const ss_identification_summary *s = &r->summary;
    char                             text[256];
    if (s->program != SS_SOLVED) {
        snprintf(text, sizeof text, "the program ended '%s'", ss_outcome_text(s->program));
        SS_TRY(warn(id, r, text));
    }
    if (!(s->program_apart <= SS_PROGRAM_AGREES)) {
        snprintf(text, sizeof text,
                 "the program's path is no run: they are apart by %.2g of the recording's extent",
                 s->program_apart);
        SS_TRY(warn(id, r, text));
    }
    return SS_OK;
}

/* Noise that is told to be known makes the intervals: residuals must look like it. Their mean
   square has the deviation sqrt(2/degrees). */
static ss_status warn_of_noise(ss_identification *id, result *r)
{
    char   text[256];
    double cost  = r->all != NULL ? r->all_cost : r->summary.cost;
    double ratio = sqrt(cost / fmax(r->degrees, 1));
    if (!id->p->sigma_known || ratio <= 1 + SS_NOISE_BEYOND / sqrt(2 * fmax(r->degrees, 1))) {
        return SS_OK;
    }
    snprintf(
        text, sizeof text,
        "residuals are %.3g times the noise that is said to be known: intervals are too narrow, "
        "or the model leaves something out",
        ratio);
    return warn(id, r, text);
}

/* A value that does not drift must be what all samples say, and no surer than they are. */
static bool disagrees(const ss_identification *id, const result *r, int32_t i)
{
    const ss_certainty *c     = &r->certainty[i];
    bool                value = id->p->parameters[i].kind != SS_PARAMETER_START;
    if (r->history.count == 0 || !value || id->p->search.filter.drift > 0 ||
        c->determined == SS_DETERMINED_NOT || !isfinite(c->all_deviation)) {
        return false;
    }
    double apart = fabs(c->all - r->theta[i]);
    return apart > SS_FILTER_APART * fmax(c->deviation, c->all_deviation) ||
           c->deviation < SS_FILTER_NARROW * c->all_deviation;
}

/* Particles that died out, and values that change on the way. */
static ss_status warn_of_history(ss_identification *id, result *r)
{
    char             text[600];
    const ss_moment *least = NULL;
    for (int32_t i = 0; i < r->history.count; i++) {
        const ss_moment *m = &r->history.moments[i];
        if (!isnan(m->effective) && (least == NULL || m->effective < least->effective)) {
            least = m;
        }
    }
    if (least != NULL && least->effective < SS_FEW_PARTICLES) {
        snprintf(text, sizeof text,
                 "only %.2g particles were effective at %g s of %.200s: estimates are chance; more "
                 "`particles`, `kind: rao-blackwell`, or `process` noise",
                 least->effective, least->t, id->p->trials[least->trial].name);
        SS_TRY(warn(id, r, text));
    }
    for (int32_t i = 0; i < id->p->parameter_count; i++) {
        const ss_certainty *c = &r->certainty[i];
        if (disagrees(id, r, i)) {
            snprintf(text, sizeof text,
                     "%.200s: least squares over all samples say %.4g +- %.2g, the filter %.4g +- "
                     "%.2g: more `particles`, or a longer window; or it is no constant",
                     id->p->parameters[i].name, c->all, c->all_deviation, r->theta[i],
                     c->deviation);
            SS_TRY(warn(id, r, text));
        }
        if (r->certainty[i].wanders) {
            snprintf(text, sizeof text,
                     "%.200s changes from window to window by more than its deviations: it is no "
                     "constant, or the model leaves something out",
                     id->p->parameters[i].name);
            SS_TRY(warn(id, r, text));
        }
    }
    return SS_OK;
}

/* Least squares give numbers that are far off much weight. */
static ss_status warn_of_outliers(ss_identification *id, ss_fitter *f, result *r)
{
    ss_outliers o;
    char        text[600];
    SS_TRY(ss_find_outliers(f, r->all != NULL ? r->all : r->theta, &o));
    if (o.count == 0 || o.count > SS_OUTLIER_SHARE * o.of || r->summary.noise <= SS_NOISE_LEAST) {
        return SS_OK;
    }
    snprintf(text, sizeof text,
             "%d of %d numbers are far off, the worst %.200s at %g s of %.200s by %.3g times the "
             "spread of most: least squares give them much weight; leave them empty if they are "
             "mistakes of the measurement",
             (int)o.count, (int)o.of, id->p->columns[o.column].name, o.t,
             id->p->trials[o.trial].name, o.times);
    return warn(id, r, text);
}

static ss_status warn_of_all(ss_identification *id, result *r, bool better)
{
    for (int32_t i = 0; i < id->p->parameter_count; i++) {
        SS_TRY(warn_of_parameter(id, r, i));
    }
    SS_TRY(warn_of_pairs(id, r));
    if (!r->summary.converged) {
        SS_TRY(warn(id, r, "the search ended before it converged: more iterations, or starts"));
    }
    if (r->summary.variables > 0) {
        SS_TRY(warn_of_program(id, r));
    }
    SS_TRY(warn_of_noise(id, r));
    SS_TRY(warn_of_history(id, r));
    if (better) {
        SS_TRY(warn(id, r,
                    "values that explain the recordings better were met on the way to an "
                    "interval's end: ask for more `starts`"));
    }
    if (r->summary.memory > SS_MEMORY) {
        SS_TRY(warn(id, r,
                    "residuals follow each other: they are no noise but what the model "
                    "leaves out, and intervals by profile are too narrow; ask for "
                    "`confidence: {bootstrap: 200}`"));
    }
    return SS_OK;
}

/* Impacts that fall on steps jump from one to the next: the sum of squares is a flight of stairs,
   and the way to an interval's end stops at the first. */
static bool jumps(const ss_identification *id, const result *r, int32_t i)
{
    const ss_certainty *c    = &r->certainty[i];
    double              down = r->theta[i] - c->low, up = c->high - r->theta[i];
    bool known = !id->p->parameters[i].nuisance && c->determined == SS_DETERMINED_BOTH &&
                 !c->at_bound && id->p->confidence.profile;
    return known &&
           (fmin(down, up) < SS_ROUGH * fmax(down, up) || fmax(down, up) < SS_ROUGH * c->deviation);
}

static ss_status warn_of_jumps(ss_identification *id, result *r)
{
    for (int32_t i = 0; i < id->p->parameter_count; i++) {
        if (r->certainty[i].rough) {
            char text[400];
            snprintf(text, sizeof text,
                     "how well %.200s explains the recordings changes by jumps, so that a search "
                     "ends at one of many values: with impacts take `model: {level: "
                     "acceleration}`, which has them at their time, else shorter steps",
                     id->p->parameters[i].name);
            SS_TRY(warn(id, r, text));
        }
    }
    return SS_OK;
}

/* Intervals of noise become intervals of noise and step. */
static ss_status include_steps(ss_identification *id, ss_fitter *f, result *r)
{
    size_t  n     = (size_t)id->p->parameter_count + 1;
    double *error = ss_pool_alloc(&id->pool, n, sizeof *error);
    if (error == NULL) {
        return ss_fail(id->ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < id->p->parameter_count; i++) {
        r->certainty[i].rough = jumps(id, r, i);
    }
    SS_TRY(ss_step_error(f, r->theta, error));
    ss_include_step_error(f, error, r->certainty);
    return SS_OK;
}

/* Where the step says more of an interval than the noise does, and where nobody knows. */
static ss_status warn_of_steps(ss_identification *id, const ss_fitter *f, result *r)
{
    char text[700];
    for (int32_t i = 0; i < id->p->parameter_count; i++) {
        const ss_certainty *c = &r->certainty[i];
        if (isnan(c->step_error)) {
            snprintf(text, sizeof text,
                     "what the step adds is not in the intervals: runs with finer steps fail: %s",
                     f->message);
            return warn(id, r, text);
        }
        if (!id->p->parameters[i].nuisance && c->determined != SS_DETERMINED_NOT &&
            c->step_error > SS_STEP_MOST * (c->high - c->low)) {
            snprintf(text, sizeof text,
                     "most of the interval of %.200s is the error of the runs: shorten "
                     "`simulation: {step: ..}`; with impacts take `model: {level: acceleration}`",
                     id->p->parameters[i].name);
            SS_TRY(warn(id, r, text));
        }
    }
    return SS_OK;
}

/* Runs with what was found that have another number of impacts than was recorded. */
static ss_status warn_of_impacts(ss_identification *id, ss_fitter *f, result *r)
{
    for (int32_t k = 0; k < id->p->trial_count; k++) {
        int32_t seen = id->p->trials[k].count - 1;
        SS_TRY(ss_identify_simulate(&f->workers[0], k, r->theta));
        int32_t found = ss_impacts_count(&f->workers[0]);
        if (found < seen) {
            char text[256];
            snprintf(text, sizeof text,
                     "%.100s: %d impacts were recorded, its run has %d of %g m/s and more",
                     id->p->trials[k].name, (int)seen, (int)found, id->p->least_impact);
            SS_TRY(warn(id, r, text));
        }
    }
    return SS_OK;
}

/* ---- one model ---- */

static ss_status allocate(ss_identification *id, result *r)
{
    size_t n = (size_t)id->p->parameter_count + 1, k = (size_t)id->p->trial_count;
    r->theta       = ss_pool_alloc(&id->pool, n, sizeof *r->theta);
    r->A           = ss_pool_alloc(&id->pool, n * n, sizeof *r->A);
    r->correlation = ss_pool_alloc(&id->pool, n * n, sizeof *r->correlation);
    r->certainty   = ss_pool_alloc(&id->pool, n, sizeof *r->certainty);
    r->seen        = ss_pool_alloc(&id->pool, k, sizeof *r->seen);
    r->unseen      = ss_pool_alloc(&id->pool, k, sizeof *r->unseen);
    bool made      = r->theta != NULL && r->A != NULL && r->correlation != NULL &&
                r->certainty != NULL && r->seen != NULL && r->unseen != NULL;
    for (size_t i = 0; made && i < n; i++) {
        r->certainty[i].bootstrap_low = r->certainty[i].bootstrap_high = NAN;
        r->certainty[i].step_error                                     = NAN;
    }
    for (size_t i = 0; made && i < k; i++) {
        r->unseen[i] = (ss_score){NAN, NAN, NAN};
    }
    return made ? SS_OK : ss_fail(id->ctx, SS_ERR_MEMORY, "out of memory");
}

/* Noise and degrees of freedom from what is left over. */
static double count_degrees(const ss_identification *id, result *r)
{
    int64_t measured = 0, searched = 0;
    for (int32_t k = 0; k < id->p->trial_count; k++) {
        measured += id->p->trials[k].present;
    }
    for (int32_t i = 0; i < id->p->parameter_count; i++) {
        searched += r->A[i + (ptrdiff_t)i * id->p->parameter_count] > 0 ||
                    (r->history.count > 0 && id->p->parameters[i].kind != SS_PARAMETER_START);
    }
    double degrees     = (double)(measured + id->p->smooth_count - searched);
    r->degrees         = degrees;
    r->summary.samples = measured;
    r->summary.noise   = id->p->sigma_known ? 1 : sqrt(r->summary.cost / fmax(degrees, 1));
    return degrees;
}

static ss_status find_intervals(ss_identification *id, ss_fitter *f, result *r, bool *better,
                                double *there)
{
    double degrees = count_degrees(id, r);
    if (degrees < 1 && !id->p->sigma_known) {
        return ss_fail(id->ctx, SS_ERR_INPUT,
                       "%s: %lld numbers were measured: too few for %d free values, starts among "
                       "them, and to tell the noise",
                       id->p->study->path, (long long)r->summary.samples,
                       (int)id->p->parameter_count);
    }
    f->doing = "intervals";
    /* residuals of zero (data without noise) leave nothing to judge by: rounding counts as noise */
    double noise = fmax(r->summary.noise, SS_NOISE_LEAST);
    return ss_confidence(f, r->theta, r->A, r->summary.cost, noise, degrees, r->certainty,
                         r->correlation, better, there);
}
/* Intervals. Where values that explain the recordings better are met on the way to their ends, the
   search goes on from there. */
static ss_status be_sure(ss_identification *id, ss_fitter *f, result *r, bool *better)
{
    enum { ROUNDS = 5 };
    ss_fit  fit   = {.until = INFINITY, .iterations = id->p->search.iterations};
    double *there = ss_pool_alloc(&id->pool, (size_t)id->p->parameter_count + 1, sizeof *there);
    bool    again = id->p->search.method == SS_METHOD_SIMULATE;
    if (there == NULL) {
        return ss_fail(id->ctx, SS_ERR_MEMORY, "out of memory");
    }
    SS_TRY(find_intervals(id, f, r, better, there));
    for (int k = 0; again && *better && k < ROUNDS; k++) {
        ss_squares_result best;
        memcpy(r->theta, there, (size_t)id->p->parameter_count * sizeof *there);
        SS_TRY(ss_fit_minimise(f, &fit, r->theta, r->A, &best));
        r->summary.cost = best.cost;
        SS_TRY(find_intervals(id, f, r, better, there));
    }
    if (*better &&
        id->p->search.method == SS_METHOD_MPEC) { /* intervals are of least squares: what breaks the
                                                     bound of noise is no better */
        SS_TRY(ss_keeps_bound(f, there, better));
    }
    f->doing = "bootstrap";
    return id->p->confidence.bootstrap > 0 ? ss_bootstrap(f, r->theta, r->certainty) : SS_OK;
}

static ss_status score_all(ss_identification *id, ss_fitter *f, result *r)
{
    double memory[2] = {0, 0};
    for (int32_t k = 0; k < id->p->trial_count; k++) {
        ss_score unused;
        SS_TRY(ss_score_trial(f, k, r->theta, 0, &r->seen[k], r->all == NULL ? memory : NULL));
        if (r->all != NULL) {
            SS_TRY(ss_score_trial(f, k, r->all, 0, &unused, memory));
        }
    }
    r->summary.memory = memory[1] > 0 ? memory[0] / memory[1] : 0;
    f->doing          = "folds";
    return id->p->folds > 0 ? ss_score_unseen(f, r->theta, r->unseen) : SS_OK;
}

static bool is_filter(const ss_identify *p)
{
    return p->search.method == SS_METHOD_WINDOW || p->search.method == SS_METHOD_PARTICLES;
}

/* Values by a filter, then starts by runs with these values: what residuals are of. */
static ss_status filter(ss_identification *id, ss_fitter *f, result *r, ss_certainty *found,
                        bool *fixed, ss_squares_result *best)
{
    const ss_identify *p = id->p;
    r->history.pool      = &id->pool;
    SS_TRY(ss_unknowns_make(p, &id->pool, &r->history.unknowns));
    for (int32_t i = 0; i < p->parameter_count; i++) {
        r->theta[i] = p->parameters[i].start;
        fixed[i]    = p->parameters[i].kind != SS_PARAMETER_START;
    }
    SS_TRY(p->search.method == SS_METHOD_WINDOW
               ? ss_window_search(f, &r->history, r->theta, found)
               : ss_particle_search(f, &r->history, r->theta, found));
    ss_fit fit = {.fixed = fixed, .until = INFINITY, .iterations = p->search.iterations};
    f->doing   = "residuals";
    SS_TRY(ss_fit_minimise(f, &fit, r->theta, r->A, best));
    return isfinite(best->cost)
               ? SS_OK
               : ss_fail(id->ctx, SS_ERR_INPUT,
                         "no run can be made with the values that were found: %s", f->message);
}

/* What least squares over all samples says of the values, beside the filter. */
static ss_status hold_against_all(ss_identification *id, ss_fitter *f, result *r,
                                  ss_certainty *found)
{
    size_t            n     = (size_t)id->p->parameter_count;
    ss_pool           pool  = {.ctx = id->ctx};
    double           *theta = ss_pool_alloc(&id->pool, n + 1, sizeof *theta);
    double           *A     = ss_pool_alloc(&pool, 2 * n * n + 1, sizeof *A);
    ss_certainty     *all   = ss_pool_alloc(&pool, n + 1, sizeof *all);
    ss_fit            fit   = {.until = INFINITY, .iterations = id->p->search.iterations};
    bool              better;
    ss_squares_result best;
    ss_status         status = theta != NULL && A != NULL && all != NULL
                                   ? SS_OK
                                   : ss_fail(id->ctx, SS_ERR_MEMORY, "out of memory");
    if (status == SS_OK) {
        memcpy(theta, r->theta, n * sizeof *theta);
        status = ss_fit_minimise(f, &fit, theta, A, &best);
    }
    if (status == SS_OK) {
        status      = ss_confidence(f, theta, A, best.cost, 1, 1, all, A + n * n, &better, NULL);
        r->all      = theta;
        r->all_cost = best.cost;
    }
    for (size_t i = 0; status == SS_OK && i < n; i++) {
        found[i].all           = theta[i];
        found[i].all_deviation = all[i].deviation;
    }
    ss_pool_free(&pool);
    return status;
}

static ss_status identify_by_filter(ss_identification *id, ss_fitter *f, result *r)
{
    size_t            n      = (size_t)id->p->parameter_count + 1;
    ss_certainty     *found  = ss_pool_alloc(&id->pool, n, sizeof *found);
    bool             *fixed  = ss_pool_alloc(&id->pool, n, sizeof *fixed);
    bool              better = false;
    ss_squares_result best;
    SS_TRY(allocate(id, r));
    if (found == NULL || fixed == NULL) {
        return ss_fail(id->ctx, SS_ERR_MEMORY, "out of memory");
    }
    SS_TRY(ss_fitter_check_bounds(f));
    SS_TRY(filter(id, f, r, found, fixed, &best));
    SS_TRY(hold_against_all(id, f, r, found));
    r->summary = (ss_identification_summary){.cost       = best.cost,
                                             .level      = id->p->confidence.level,
                                             .iterations = best.iterations,
                                             .converged  = best.converged};
    SS_TRY(be_sure(id, f, r, &better));
    for (int32_t i = 0; i < id->p->parameter_count; i++) {
        r->certainty[i] = fixed[i] ? found[i] : r->certainty[i];
    }
    SS_TRY(score_all(id, f, r));
    r->summary.runs = f->runs;
    SS_TRY(warn_of_all(id, r, better));
    return id->p->loss == SS_LOSS_PATH ? warn_of_outliers(id, f, r) : SS_OK;
}

static ss_status identify_model(ss_identification *id, ss_fitter *f, result *r)
{
    ss_squares_result best;
    ss_program_result program = {0};
    bool              better  = false;
    bool steps = id->p->confidence.steps && id->p->search.method == SS_METHOD_SIMULATE &&
                 id->p->ensemble.runs == 0;
    SS_TRY(allocate(id, r));
    SS_TRY(ss_fitter_check_bounds(f));
    f->doing = "search";
    SS_TRY(ss_fit_search(f, r->theta, r->A, &best, &program));
    r->summary = (ss_identification_summary){.cost               = best.cost,
                                             .level              = id->p->confidence.level,
                                             .iterations         = best.iterations,
                                             .converged          = best.converged,
                                             .variables          = program.variables,
                                             .program            = program.outcome,
                                             .program_iterations = program.iterations,
                                             .program_objective  = program.objective,
                                             .program_apart      = program.apart};
    SS_TRY(be_sure(id, f, r, &better));
    if (steps) {
        SS_TRY(include_steps(id, f, r));
    }
    SS_TRY(score_all(id, f, r));
    r->summary.runs = f->runs;
    SS_TRY(warn_of_all(id, r, better));
    if (steps) {
        SS_TRY(warn_of_jumps(id, r));
        SS_TRY(warn_of_steps(id, f, r));
    }
    if (id->p->loss == SS_LOSS_IMPACTS) {
        return warn_of_impacts(id, f, r);
    }
    return id->p->loss == SS_LOSS_PATH ? warn_of_outliers(id, f, r) : SS_OK;
}

static ss_status identify_all(ss_identification *id, const ss_study *s, const ss_identify_def *def)
{
    SS_TRY(ss_identify_read(id->ctx, s, false, &id->p));
    id->models = ss_pool_alloc(&id->pool, (size_t)id->p->model_count, sizeof *id->models);
    if (id->models == NULL) {
        return ss_fail(id->ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (int32_t m = 0; m < id->p->model_count; m++) {
        ss_fitter f;
        ss_status status = ss_fitter_start(id->ctx, id->p, m, def, &f);
        if (status == SS_OK) {
            status = is_filter(id->p) ? identify_by_filter(id, &f, &id->models[m])
                                      : identify_model(id, &f, &id->models[m]);
        }
        ss_fitter_end(&f);
        SS_TRY(status);
    }
    return SS_OK;
}

ss_status ss_study_identify(ss_context *ctx, const ss_study *s, const ss_identify_def *def,
                            ss_identification **out)
{
    static const ss_identify_def nothing = {0};
    if (ctx == NULL || s == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "an identification needs a context and a study");
    }
    *out = NULL;
    if (s->kind != SS_STUDY_IDENTIFY) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: the study is no `identify`", s->path);
    }
    ss_identification *id = ss_alloc(ctx, 1, sizeof *id);
    if (id == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    id->ctx          = ctx;
    id->pool.ctx     = ctx;
    ss_status status = identify_all(id, s, def != NULL ? def : &nothing);
    if (status != SS_OK) {
        ss_identification_destroy(id);
        return status;
    }
    *out = id;
    return SS_OK;
}

void ss_identification_destroy(ss_identification *id)
{
    if (id != NULL) {
        ss_context *ctx = id->ctx;
        ss_identify_free(id->p);
        ss_pool_free(&id->pool);
        ss_free(ctx, id, sizeof *id);
    }
}

/* ---- what came out ---- */

int32_t ss_identification_model_count(const ss_identification *id)
{
    return id != NULL ? id->p->model_count : 0;
}

static const result *result_of(const ss_identification *id, int32_t model)
{
    return model >= 0 && model < ss_identification_model_count(id) ? &id->models[model] : NULL;
}

const char *ss_identification_model(const ss_identification *id, int32_t model)
{
    return result_of(id, model) != NULL ? id->p->models[model].name : NULL;
}

int32_t ss_identification_count(const ss_identification *id)
{
    return id != NULL ? id->p->parameter_count : 0;
}

bool ss_identification_get(const ss_identification *id, int32_t model, int32_t parameter,
                           ss_identified *out)
{
    const result *r = result_of(id, model);
    if (r == NULL || out == NULL || parameter < 0 || parameter >= ss_identification_count(id)) {
        return false;
    }
    const ss_parameter *a = &id->p->parameters[parameter];
    const ss_certainty *c = &r->certainty[parameter];
    *out =
        (ss_identified){a->name, a->nuisance, a->trial,         r->theta[parameter], c->deviation,
                        c->low,  c->high,     c->bootstrap_low, c->bootstrap_high,   a->low,
                        a->high, c->at_bound, c->determined,    c->step_error};
    return true;
}

int32_t ss_identification_profile(const ss_identification *id, int32_t model, int32_t parameter,
                                  ss_profile_point *out, int32_t room)
{
    const result *r = result_of(id, model);
    if (r == NULL || out == NULL || parameter < 0 || parameter >= ss_identification_count(id)) {
        return 0;
    }
    const ss_certainty *c     = &r->certainty[parameter];
    int32_t             count = c->profile_count < room ? c->profile_count : room;
    memcpy(out, c->profile, (size_t)(count > 0 ? count : 0) * sizeof *out);
    return count > 0 ? count : 0;
}

bool ss_identification_bootstrap(const ss_identification *id, int32_t model, int32_t parameter,
                                 double *least, double *most, int32_t *counts)
{
    const result *r = result_of(id, model);
    if (r == NULL || parameter < 0 || parameter >= ss_identification_count(id) ||
        isnan(r->certainty[parameter].bootstrap_low)) {
        return false;
    }
    const ss_certainty *c = &r->certainty[parameter];
    *least                = c->bootstrap_least;
    *most                 = c->bootstrap_most;
    memcpy(counts, c->bins, sizeof c->bins);
    return true;
}

const ss_identify *ss_identification_problem(const ss_identification *id)
{
    return id->p;
}

const double *ss_identification_values(const ss_identification *id, int32_t model)
{
    return id->models[model].theta;
}

double ss_identification_correlation(const ss_identification *id, int32_t model, int32_t a,
                                     int32_t b)
{
    const result *r = result_of(id, model);
    int32_t       n = ss_identification_count(id);
    return r != NULL && a >= 0 && a < n && b >= 0 && b < n ? r->correlation[a + (ptrdiff_t)b * n]
                                                           : NAN;
}

int32_t ss_identification_trial_count(const ss_identification *id)
{
    return id != NULL ? id->p->trial_count : 0;
}

bool ss_identification_trial(const ss_identification *id, int32_t model, int32_t trial,
                             ss_identified_trial *out)
{
    const result *r = result_of(id, model);
    if (r == NULL || out == NULL || trial < 0 || trial >= id->p->trial_count) {
        return false;
    }
    const ss_recorded *k = &id->p->trials[trial];
    *out                 = (ss_identified_trial){.name            = k->name,
                                                 .samples         = k->count,
                                                 .fold            = k->fold,
                                                 .position        = r->seen[trial].position,
                                                 .angle           = r->seen[trial].angle,
                                                 .end             = r->seen[trial].end,
                                                 .travel          = k->travel,
                                                 .unseen_position = r->unseen[trial].position,
                                                 .unseen_angle    = r->unseen[trial].angle,
                                                 .unseen_end      = r->unseen[trial].end};
    return true;
}

ss_identification_summary ss_identification_summarise(const ss_identification *id, int32_t model)
{
    const result *r = result_of(id, model);
    return r != NULL ? r->summary : (ss_identification_summary){0};
}

const char *ss_identification_warning(const ss_identification *id, int32_t model, int32_t warning)
{
    const result *r = result_of(id, model);
    return r != NULL && warning >= 0 && warning < r->warning_count ? r->warnings[warning] : NULL;
}

/* ---- moments ---- */

static const ss_history *history_of(const ss_identification *id, int32_t model)
{
    const result *r = result_of(id, model);
    return r != NULL ? &r->history : NULL;
}

int32_t ss_identification_moment_count(const ss_identification *id, int32_t model)
{
    const ss_history *h = history_of(id, model);
    return h != NULL ? h->count : 0;
}

const char *ss_identification_moment_name(const ss_identification *id, int32_t model, int32_t i)
{
    const ss_history *h = history_of(id, model);
    return h != NULL && h->count > 0 && i >= 0 && i < h->unknowns.count ? h->unknowns.names[i]
                                                                        : NULL;
}

bool ss_identification_moment(const ss_identification *id, int32_t model, int32_t moment,
                              ss_identified_moment *out)
{
    const ss_history *h = history_of(id, model);
    if (h == NULL || out == NULL || moment < 0 || moment >= h->count) {
        return false;
    }
    const ss_moment *m = &h->moments[moment];
    *out               = (ss_identified_moment){.trial     = m->trial,
                                                .t         = m->t,
                                                .samples   = m->last - m->first + 1,
                                                .effective = m->effective,
                                                .resampled = m->resampled,
                                                .count     = h->unknowns.count,
                                                .value     = m->value,
                                                .deviation = m->deviation,
                                                .low       = m->low,
                                                .high      = m->high,
                                                .cloud     = m->cloud,
                                                .kept      = m->kept};
    return true;
}

ss_estimate ss_identification_compare(const ss_identification *id, int32_t a, int32_t b)
{
    ss_estimate   e = {0, NAN, NAN, NAN, NAN, NAN, NAN};
    const result *x = result_of(id, a), *y = result_of(id, b);
    double        sum = 0, squares = 0;
    if (x == NULL || y == NULL || id->p->folds == 0 || id->p->trial_count < 2) {
        return e;
    }
    for (int32_t k = 0; k < id->p->trial_count; k++) {
        double d = x->unseen[k].position - y->unseen[k].position;
        e.least  = e.count == 0 ? d : fmin(e.least, d);
        e.most   = e.count == 0 ? d : fmax(e.most, d);
        e.count++;
        sum += d;
    }
    e.mean = sum / (double)e.count;
    for (int32_t k = 0; k < id->p->trial_count; k++) {
        double d = x->unseen[k].position - y->unseen[k].position - e.mean;
        squares += d * d;
    }
    double n    = (double)e.count;
    e.deviation = sqrt(squares / (n - 1));
    double half = ss_student_quantile(0.975, n - 1) * e.deviation / sqrt(n);
    e.low       = e.mean - half;
    e.high      = e.mean + half;
    return e;
}

/* ---- residuals as a table ---- */

static void write_trial(const ss_identification *id, int32_t trial, const double *predicted,
                        FILE *file)
{
    const ss_recorded *r = &id->p->trials[trial];
    int32_t            n = id->p->column_count;
    for (int32_t i = 0; i < r->count; i++) {
        for (int32_t c = 0; c < n; c++) {
            double y = r->y[(ptrdiff_t)i * n + c], x = predicted[(ptrdiff_t)i * n + c];
            fprintf(file, "%s,%.17g,%s,", r->name, r->t[i], id->p->columns[c].name);
            if (isnan(y)) {
                fprintf(file, ",%.17g,\n", x);
            } else {
                fprintf(file, "%.17g,%.17g,%.17g\n", y, x, y - x);
            }
        }
    }
}

static ss_status write_trials(const ss_identification *id, int32_t model, FILE *file)
{
    static const ss_identify_def nothing = {.threads = 1};
    ss_fitter                    f;
    ss_status                    status = ss_fitter_start(id->ctx, id->p, model, &nothing, &f);
    for (int32_t k = 0; status == SS_OK && k < id->p->trial_count; k++) {
        size_t  cells = (size_t)id->p->trials[k].count * (size_t)id->p->column_count + 1;
        double *work  = ss_alloc(id->ctx, 2 * cells, sizeof *work);
        status = work != NULL ? ss_identify_predict(&f.workers[0], k, id->models[model].theta, work,
                                                    work + cells)
                              : ss_fail(id->ctx, SS_ERR_MEMORY, "out of memory");
        if (status == SS_OK) {
            write_trial(id, k, work, file);
        }
        ss_free(id->ctx, work, 2 * cells * sizeof *work);
    }
    ss_fitter_end(&f);
    return status;
}

/* One row for each unknown of each moment. */
static void write_history(const ss_identification *id, const ss_history *h, FILE *file)
{
    fprintf(file, "recording,t,samples,effective,name,value,deviation,low,high\n");
    for (int32_t k = 0; k < h->count; k++) {
        const ss_moment *m = &h->moments[k];
        for (int32_t i = 0; i < h->unknowns.count; i++) {
            if (isnan(m->value[i])) {
                continue;
            }
            fprintf(file, "%s,%.17g,%d,", id->p->trials[m->trial].name, m->t,
                    (int)(m->last - m->first + 1));
            if (!isnan(m->effective)) {
                fprintf(file, "%.17g", m->effective);
            }
            fprintf(file, ",%s,%.17g,%.17g,%.17g,%.17g\n", h->unknowns.names[i], m->value[i],
                    m->deviation[i], m->low[i], m->high[i]);
        }
    }
}

ss_status ss_identification_csv(const ss_identification *id, int32_t model, const char *path)
{
    if (result_of(id, model) == NULL || path == NULL) {
        return ss_fail(id != NULL ? id->ctx : NULL, SS_ERR_ARGUMENT, "there is no such model");
    }
    ss_output_file *file;
    SS_TRY(ss_output_open(id->ctx, path, &file));
    if (id->models[model].history.count > 0) {
        write_history(id, &id->models[model].history, ss_output_stream(file));
        return ss_output_close(file, SS_OK);
    }
    fprintf(ss_output_stream(file), "recording,t,column,measured,simulated,residual\n");
    return ss_output_close(file, write_trials(id, model, ss_output_stream(file)));
}
