/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Designs under uncertainty. A candidate x gives values to the variables with bounds; its trials
 * are those of the study, with the same random numbers for every candidate (common random numbers:
 * differences between candidates are differences of designs, not of luck). Statistics over the
 * trials make the objective f(x) and the constraints g_i(x) <= 0; a method without derivatives
 * searches, several times from other starts if asked.
 *
 * With rungs (models from cheap to expensive) a candidate that does not keep the constraints on one
 * is not tried on the next. That saves time and loses nothing where a cheap model fails only what
 * the dear one fails too; `naive` tries every candidate on every rung and counts what would have
 * been lost.
 *
 * Everything is deterministic, so that a search is resumed by doing it again: candidates that the
 * journal has are looked up instead of computed.
 */
#include "study/design_parts.h"

#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "study/optimise.h"
#include "study/period_program.h"
#include "study/philox.h"
#include "study/rungs.h"
#include "study/tolerances.h"

/* ---- candidates ---- */

static const ss_design_entry *look_up(const ss_design *d, const ss_design_entry *list,
                                      int32_t count, const double *x)
{
    for (int32_t i = 0; i < count; i++) {
        if (memcmp(list[i].x, x, (size_t)d->study->choice_count * sizeof *x) == 0) {
            return &list[i];
        }
    }
    return NULL;
}

/* A candidate of which nothing can be told is the worst there is, and keeps no constraint. */
static const double hopeless = 1e30;

static ss_status judge(ss_design *d, ss_design_entry *e)
{
    e->c.failed = d->trials->of_status[SS_TRIAL_FAILED];
    SS_TRY(ss_expr_judge(d->env, d->objective, &e->c.objective, NULL));
    for (int32_t i = 0; i < d->constraint_count; i++) {
        const ss_design_constraint *c     = &d->constraints[i];
        double                      right = 0;
        SS_TRY(ss_expr_judge(d->env, c->left, &e->g[i], NULL));
        SS_TRY(ss_expr_judge(d->env, c->right, &right, NULL));
        e->g[i] = c->sign * (e->g[i] - right);
        if (isnan(e->g[i])) {
            e->g[i] = -hopeless;
        }
    }
    return SS_OK;
}

/* A candidate without a way through for every trial: how far from that, in place of the numbers. */
static ss_status ask_geometry(ss_design *d, const ss_rung *r, ss_design_entry *e, bool *passed)
{
    int64_t found = 0, trials = ss_study_trials(&d->view);
    bool   *ways = ss_alloc(d->ctx, (size_t)trials, sizeof *ways);
    if (ways == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    ss_status status = ss_geometric_trials(d->ctx, &d->view, r->geometric, ways);
    for (int64_t i = 0; i < trials; i++) {
        found += ways[i];
    }
    ss_free(d->ctx, ways, (size_t)trials * sizeof *ways);
    SS_TRY(status);
    *passed        = found == trials;
    e->c.objective = NAN;
    e->c.failed    = 0;
    for (int32_t i = 0; i < d->constraint_count; i++) {
        e->g[i] = (double)(found - trials) / (double)trials;
    }
    return SS_OK;
}

static double worst_margin(const ss_design *d, const ss_design_entry *e)
{
    double worst = INFINITY;
    for (int32_t i = 0; i < d->constraint_count; i++) {
        worst = fmin(worst, e->g[i]);
    }
    return worst;
}

static ss_status run_trials(ss_design *d, ss_design_entry *e, bool *passed)
{
    ss_sweep_def def = {.threads = d->def->threads, .interrupt = d->def->interrupt};
    ss_trials_destroy(d->trials);
    d->trials        = NULL;
    ss_status status = ss_study_sweep(d->ctx, &d->view, &def, &d->trials);
    SS_TRY(status == SS_OK ? judge(d, e) : status);
    *passed = isfinite(e->c.objective) && worst_margin(d, e) >= 0;
    return SS_OK;
}

/* A candidate on one rung. */
static ss_status climb(ss_design *d, ss_design_entry *e, int32_t rung, bool *passed)
{
    const ss_rung *r    = &d->study->rungs[rung];
    double         from = ss_clock_computing();
    d->view             = *d->study;
    d->view.candidate   = e->x;
    d->view.extra       = r->values;
    d->view.extra_count = r->count;
    SS_TRY(r->geometric != NULL ? ask_geometry(d, r, e, passed) : run_trials(d, e, passed));
    d->use[rung].candidates++;
    d->use[rung].passed += *passed;
    d->use[rung].seconds += ss_clock_computing() - from;
    e->c.rung = rung;
    return SS_OK;
}

static ss_status compute(ss_design *d, ss_design_entry *e)
{
    int32_t last = d->study->rung_count - 1, failed = -1;
    bool    passed = true;
    for (int32_t r = 0; r <= last && (passed || d->def->naive); r++) {
        SS_TRY(climb(d, e, r, &passed));
        if (!passed && failed < 0) {
            failed = r;
        }
    }
    if (failed >= 0 && passed) { /* naive: what the rungs would have lost */
        d->use[failed].lost++;
    }
    return SS_OK;
}

static double cost(const ss_design *d, const ss_design_entry *e)
{
    double f = d->maximise ? -e->c.objective : e->c.objective;
    return isfinite(f) ? f : hopeless;
}

/* Feasible beats infeasible; then the objective; among infeasible ones the higher rung, then the
   smaller violation. */
static bool better(const ss_design *d, const ss_design_entry *a, const ss_design_entry *b)
{
    if (a->c.feasible != b->c.feasible) {
        return a->c.feasible;
    }
    if (a->c.rung != b->c.rung) {
        return a->c.rung > b->c.rung;
    }
    return a->c.feasible ? cost(d, a) < cost(d, b) : worst_margin(d, a) > worst_margin(d, b);
}

static ss_status remember(ss_design *d, const ss_design_entry *e)
{
    if (d->count == d->room) {
        int32_t          room = d->room > 0 ? 2 * d->room : 64;
        ss_design_entry *more = ss_resize(d->ctx, d->entries, (size_t)d->room * sizeof *more,
                                          (size_t)room * sizeof *more);
        if (more == NULL) {
            return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
        }
        d->entries = more;
        d->room    = room;
    }
    d->entries[d->count] = *e;
    if (d->best < 0 || better(d, e, &d->entries[d->best])) {
        d->best = d->count;
    }
    d->count++;
    return SS_OK;
}

static ss_candidate shown(const ss_design_entry *e)
{
    ss_candidate c = e->c;
    c.x            = e->x;
    c.constraints  = e->g;
    return c;
}

static ss_status try_candidate(ss_design *d, const double *x, ss_design_entry *e)
{
    const ss_design_entry *tried = look_up(d, d->entries, d->count, x);
    const ss_design_entry *known = look_up(d, d->known, d->known_count, x);
    if (tried != NULL) { /* methods come back to points, which are no new candidates */
        *e = *tried;
        return SS_OK;
    }
    *e = (ss_design_entry){.c = {.number = d->count, .restart = d->restart}};
    memcpy(e->x, x, (size_t)d->study->choice_count * sizeof *x);
    if (known != NULL) {
        *e           = *known;
        e->c.known   = true;
        e->c.number  = d->count;
        e->c.restart = d->restart;
    } else {
        SS_TRY(compute(d, e));
    }
    e->c.feasible = e->c.rung == d->study->rung_count - 1 && isfinite(e->c.objective) &&
                    worst_margin(d, e) >= 0;
    if (known == NULL && d->journal != NULL) {
        SS_TRY(ss_design_journal_add(d, e));
    }
    return remember(d, e);
}

static int evaluate(void *user, const double *x, double *objective, double *g)
{
    ss_design      *d = user;
    ss_design_entry e;
    d->status = try_candidate(d, x, &e);
    if (d->status != SS_OK) {
        return 1;
    }
    *objective = cost(d, &e);
    for (int32_t i = 0; i < d->constraint_count; i++) {
        g[i] = -e.g[i];
    }
    if (d->def->progress != NULL) {
        ss_candidate last = shown(&e), best = shown(&d->entries[d->best]);
        d->def->progress(d->def->progress_user, &last, &best);
    }
    return 0;
}

/* ---- the search ---- */

/* Candidates drawn evenly from the bounds, the first at the start. */
static ss_status search_at_random(ss_design *d, const ss_optimise_def *def, int32_t restart)
{
    double x[SS_DESIGN_CHOICES], objective = 0, g[SS_DESIGN_CONSTRAINTS];
    memcpy(x, def->start, (size_t)def->n * sizeof *x);
    for (int32_t k = 0; k < def->evaluations; k++) {
        for (int32_t i = 0; i < def->n && k > 0; i++) {
            double   u[2];
            uint64_t number = ((uint64_t)restart << 32) + (uint64_t)k;
            ss_philox_uniform(d->study->seed, number, d->choices[i]->name, 1, u);
            x[i] = def->low[i] + u[0] * (def->high[i] - def->low[i]);
        }
        if (evaluate(d, x, &objective, g) != 0) {
            return d->status;
        }
    }
    return SS_OK;
}

/* The start, and what the boundary-value program makes of it: both are candidates. */
static ss_status search_by_program(ss_design *d, const ss_optimise_def *def)
{
    double            x[SS_DESIGN_CHOICES], objective = 0, g[SS_DESIGN_CONSTRAINTS];
    ss_design_program found = {0};
    ss_study          view  = *d->study;
    ss_period_def     how   = {.choices   = def->n,
                               .low       = def->low,
                               .high      = def->high,
                               .drift     = {d->method.drift[0], d->method.drift[1]},
                               .touching  = d->method.touching,
                               .interrupt = d->def->interrupt};
    memcpy(x, def->start, (size_t)def->n * sizeof *x);
    if (evaluate(d, x, &objective, g) != 0) {
        return d->status;
    }
    view.candidate = def->start;
    SS_TRY(ss_period_solve(d->ctx, &view, &how, x, &found));
    bool first = !d->program.posed || (found.solved && !d->program.solved);
    if (first || (found.solved == d->program.solved && found.objective < d->program.objective)) {
        d->program = found;
    }
    return evaluate(d, x, &objective, g) == 0 ? SS_OK : d->status;
}

static ss_status search_once(ss_design *d, int32_t restart)
{
    int32_t n = d->study->choice_count;
    double  low[SS_DESIGN_CHOICES], high[SS_DESIGN_CHOICES], start[SS_DESIGN_CHOICES];
    for (int32_t i = 0; i < n; i++) {
        double u[2];
        ss_philox_uniform(d->study->seed, (uint64_t)restart, d->choices[i]->name, 0, u);
        low[i]   = d->choices[i]->low;
        high[i]  = d->choices[i]->high;
        start[i] = restart == 0 ? d->choices[i]->start : low[i] + u[0] * (high[i] - low[i]);
    }
    ss_optimise_def def = {.algorithm   = d->algorithm,
                           .n           = n,
                           .constraints = d->constraint_count,
                           .low         = low,
                           .high        = high,
                           .start       = start,
                           .evaluations = d->method.evaluations,
                           .tolerance   = d->method.tolerance,
                           .seed        = d->study->seed + (uint64_t)restart + 1,
                           .evaluate    = evaluate,
                           .user        = d};
    d->restart          = restart;
    ss_status status    = d->algorithm == SS_DESIGN_RANDOM ? search_at_random(d, &def, restart)
                          : d->algorithm == SS_DESIGN_MPEC ? search_by_program(d, &def)
                                                           : ss_optimise(d->ctx, &def);
    return d->status != SS_OK ? d->status : status;
}

/* The best design's trials once more, for whoever asks about them. */
static ss_status finish(ss_design *d)
{
    ss_design_entry e      = d->entries[d->best];
    bool            passed = false;
    int32_t         rung   = e.c.rung;
    while (d->study->rungs[rung].geometric != NULL) {
        rung++; /* there must be trials to look at */
    }
    ss_rung_use kept = d->use[rung]; /* a second look is no candidate */
    SS_TRY(climb(d, &e, rung, &passed));
    d->use[rung]      = kept;
    d->view.candidate = d->entries[d->best].x; /* for replays of them */
    d->best_trials    = d->trials;
    d->trials         = NULL;
    return SS_OK;
}

static ss_status search(ss_design *d)
{
    d->use = ss_pool_alloc(&d->pool, (size_t)d->study->rung_count, sizeof *d->use);
    if (d->use == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    SS_TRY(ss_design_read(d));
    SS_TRY(ss_design_journal_open(d));
    for (int32_t k = 0; k <= d->method.restarts; k++) {
        SS_TRY(search_once(d, k));
    }
    return finish(d);
}

ss_status ss_study_design(ss_context *ctx, const ss_study *s, const ss_design_def *def,
                          ss_design **out)
{
    if (ctx == NULL || s == NULL || def == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a design needs a context, a study and a definition");
    }
    ss_design *d = ss_alloc(ctx, 1, sizeof *d);
    *out         = NULL;
    if (d == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    d->ctx           = ctx;
    d->pool.ctx      = ctx;
    d->study         = s;
    d->def           = def;
    d->best          = -1;
    ss_status status = search(d);
    if (d->journal != NULL && fclose(d->journal) != 0 && status == SS_OK) {
        status = ss_fail(ctx, SS_ERR_IO, "%s: could not be written", def->journal);
    }
    d->journal = NULL;
    d->def     = NULL;
    if (status != SS_OK) {
        ss_design_destroy(d);
        return status;
    }
    *out = d;
    return SS_OK;
}

void ss_design_destroy(ss_design *d)
{
    if (d == NULL) {
        return;
    }
    ss_context *ctx = d->ctx;
    ss_trials_destroy(d->trials);
    ss_trials_destroy(d->best_trials);
    ss_expr_env_destroy(d->env);
    ss_free(ctx, d->entries, (size_t)d->room * sizeof *d->entries);
    ss_free(ctx, d->known, (size_t)d->known_count * sizeof *d->known);
    ss_pool_free(&d->pool);
    ss_free(ctx, d, sizeof *d);
}

bool ss_design_best(const ss_design *d, ss_candidate *out)
{
    if (d == NULL || out == NULL || d->best < 0) {
        return false;
    }
    *out = shown(&d->entries[d->best]);
    return out->feasible;
}

int32_t ss_design_count(const ss_design *d)
{
    return d != NULL ? d->count : 0;
}

int32_t ss_design_choice_count(const ss_design *d)
{
    return d != NULL ? d->study->choice_count : 0;
}

const char *ss_design_choice_name(const ss_design *d, int32_t choice)
{
    return choice >= 0 && choice < ss_design_choice_count(d) ? d->choices[choice]->path : NULL;
}

int32_t ss_design_constraint_count(const ss_design *d)
{
    return d != NULL ? d->constraint_count : 0;
}

const char *ss_design_constraint_text(const ss_design *d, int32_t index)
{
    return index >= 0 && index < ss_design_constraint_count(d) ? d->constraints[index].text : NULL;
}

ss_design_program ss_design_program_of(const ss_design *d)
{
    return d != NULL ? d->program : (ss_design_program){0};
}

int32_t ss_design_rung_count(const ss_design *d)
{
    return d != NULL ? d->study->rung_count : 0;
}

ss_rung_use ss_design_rung(const ss_design *d, int32_t rung)
{
    ss_rung_use none = {0};
    if (rung < 0 || rung >= ss_design_rung_count(d)) {
        return none;
    }
    none      = d->use[rung];
    none.name = d->study->rungs[rung].name;
    return none;
}

bool ss_design_candidate(const ss_design *d, int32_t number, ss_candidate *out)
{
    if (d == NULL || out == NULL || number < 0 || number >= d->count) {
        return false;
    }
    const ss_design_entry *e = &d->entries[number];
    *out                     = e->c;
    out->x                   = e->x;
    out->constraints         = e->g;
    return true;
}

const ss_trials *ss_design_trials(const ss_design *d)
{
    return d != NULL ? d->best_trials : NULL;
}
