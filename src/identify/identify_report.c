/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of an identification: recordings beside their runs (all models), and what is known of
 * the values. Runs are those of the report in the order recording by recording, model by model;
 * what was measured is shown in the scene's frame, with delay, offset, scale and bias undone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/buffer.h"
#include "identify/fit.h"
#include "stickslip/measured.h"
#include "stickslip/report.h"

typedef struct page {
    const ss_identification *id;
    const ss_identify       *p;
    ss_context              *ctx;
    ss_report               *report;
    int32_t                 *first; /* (trials) the first of its runs in the report; -1: none */
    int32_t                  runs;
    ss_fitter               *fitters; /* (models) one worker each */
} page;

/* ---- which recordings ---- */

typedef struct ranked {
    double  score;
    int32_t trial;
} ranked;

static int by_score(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    int           d = (x->score > y->score) - (x->score < y->score);
    return d != 0 ? d : (x->trial > y->trial) - (x->trial < y->trial);
}

/* All, or as many as fit evenly from the best explained to the worst. */
static ss_status choose(page *g)
{
    int32_t n     = g->p->trial_count;
    ranked *order = ss_alloc(g->ctx, (size_t)n, sizeof *order);
    if (order == NULL) {
        return ss_fail(g->ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (int32_t k = 0; k < n; k++) {
        ss_identified_trial t;
        ss_identification_trial(g->id, 0, k, &t);
        double score = isnan(t.position) ? t.angle : t.position;
        order[k]     = (ranked){isnan(score) ? 0 : score, k};
        g->first[k]  = -1;
    }
    qsort(order, (size_t)n, sizeof *order, by_score);
    int32_t shown = n < SS_REPORT_RECORDINGS ? n : SS_REPORT_RECORDINGS;
    for (int32_t i = 0; i < shown; i++) {
        int32_t at                = shown > 1 ? (int32_t)((int64_t)i * (n - 1) / (shown - 1)) : 0;
        g->first[order[at].trial] = 0;
    }
    ss_free(g->ctx, order, (size_t)n * sizeof *order);
    return SS_OK;
}

/* ---- runs and what was measured ---- */

static ss_status add_measured(page *g, int32_t trial, const double *theta)
{
    const ss_identify *p = g->p;
    const ss_recorded *r = &p->trials[trial];
    ss_measured       *s = NULL;
    double            *y = ss_alloc(g->ctx, (size_t)r->count, sizeof *y);
    if (y == NULL) {
        return ss_fail(g->ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < r->count; i++) {
        y[i] = r->t[i] - ss_identify_delay(p, trial, theta);
    }
    ss_status status = ss_measured_create(g->ctx, r->count, y, &s);
    for (int32_t c = 0; status == SS_OK && c < p->column_count; c++) {
        for (int32_t i = 0; i < r->count; i++) {
            y[i] = ss_identify_unseen(p, trial, theta, c, r->y[(ptrdiff_t)i * p->column_count + c]);
        }
        status = ss_measured_add(s, p->bodies[p->columns[c].body],
                                 ss_quantity_names[p->columns[c].quantity], y);
    }
    if (status == SS_OK) {
        status = ss_report_measured(g->report, g->runs, s);
    }
    ss_measured_destroy(s);
    ss_free(g->ctx, y, (size_t)r->count * sizeof *y);
    return status;
}

static ss_status add_run(page *g, int32_t trial, int32_t model)
{
    ss_identify_worker *w     = &g->fitters[model].workers[0];
    const double       *theta = ss_identification_values(g->id, model);
    const char         *label = ss_identification_model(g->id, model);
    SS_TRY(ss_report_recorder(g->report, g->p->model_count > 1 ? label : g->p->trials[trial].name,
                              &w->recorder));
    ss_status status = ss_identify_simulate(w, trial, theta);
    ss_recorder_destroy(w->recorder);
    w->recorder = NULL;
    if (status != SS_OK) {
        return ss_fail(g->ctx, status, "%s", ss_context_message(w->ctx));
    }
    SS_TRY(add_measured(g, trial, theta));
    g->runs++;
    return SS_OK;
}

static ss_status add_runs(page *g)
{
    for (int32_t k = 0; k < g->p->trial_count; k++) {
        if (g->first[k] < 0) {
            continue;
        }
        g->first[k] = g->runs;
        for (int32_t m = 0; m < g->p->model_count; m++) {
            SS_TRY(add_run(g, k, m));
        }
    }
    return SS_OK;
}

/* ---- what is known, as JSON ---- */

static void put_number(ss_buffer *out, const char *key, double value)
{
    ss_buffer_format(out, ",\"%s\":", key);
    ss_buffer_number(out, value);
}

static void put_profile(ss_buffer *out, const page *g, int32_t model, int32_t i)
{
    ss_profile_point points[SS_PROFILE_MOST];
    int32_t          n = ss_identification_profile(g->id, model, i, points, SS_PROFILE_MOST);
    ss_buffer_text(out, ",\"profile\":[");
    for (int32_t k = 0; k < n; k++) {
        ss_buffer_text(out, k > 0 ? "," : "");
        ss_buffer_numbers(out, (double[]){points[k].value, points[k].height}, 2);
    }
    ss_buffer_text(out, "]");
}

static void put_bootstrap(ss_buffer *out, const page *g, int32_t model, int32_t i)
{
    double  least, most;
    int32_t bins[SS_BOOTSTRAP_BINS];
    if (!ss_identification_bootstrap(g->id, model, i, &least, &most, bins)) {
        return;
    }
    ss_buffer_text(out, ",\"bootstrap\":{\"range\":");
    ss_buffer_numbers(out, (double[]){least, most}, 2);
    ss_buffer_text(out, ",\"counts\":[");
    for (int k = 0; k < SS_BOOTSTRAP_BINS; k++) {
        ss_buffer_format(out, "%s%d", k > 0 ? "," : "", bins[k]);
    }
    ss_buffer_text(out, "]}");
}

static void put_parameter(ss_buffer *out, const page *g, int32_t model, int32_t i)
{
    ss_identified a;
    ss_identification_get(g->id, model, i, &a);
    ss_buffer_text(out, "{\"name\":");
    ss_buffer_quote(out, a.name);
    ss_buffer_format(out, ",\"nuisance\":%s,\"recording\":%d,\"determined\":\"%s\",\"at_bound\":%s",
                     a.nuisance ? "true" : "false", (int)a.trial, ss_determined_text(a.determined),
                     a.at_bound ? "true" : "false");
    put_number(out, "value", a.value);
    put_number(out, "deviation", a.deviation);
    put_number(out, "low", a.low);
    put_number(out, "high", a.high);
    put_number(out, "bootstrap_low", a.bootstrap_low);
    put_number(out, "bootstrap_high", a.bootstrap_high);
    put_number(out, "step_error", a.step_error);
    ss_buffer_text(out, ",\"bounds\":");
    ss_buffer_numbers(out, (double[]){a.bound_low, a.bound_high}, 2);
    put_profile(out, g, model, i);
    put_bootstrap(out, g, model, i);
    ss_buffer_text(out, "}");
}

/* Methods window and particles: what was known at every sample. */
static void put_moment(ss_buffer *out, const ss_identified_moment *m)
{
    ss_buffer_format(out, "{\"recording\":%d,\"samples\":%d,\"resampled\":%s", (int)m->trial,
                     (int)m->samples, m->resampled ? "true" : "false");
    put_number(out, "t", m->t);
    put_number(out, "effective", m->effective);
    ss_buffer_text(out, ",\"value\":");
    ss_buffer_numbers(out, m->value, m->count);
    ss_buffer_text(out, ",\"low\":");
    ss_buffer_numbers(out, m->low, m->count);
    ss_buffer_text(out, ",\"high\":");
    ss_buffer_numbers(out, m->high, m->count);
    ss_buffer_text(out, ",\"cloud\":");
    ss_buffer_numbers(out, m->cloud, m->count * m->kept);
    ss_buffer_text(out, "}");
}

static void put_history(ss_buffer *out, const page *g, int32_t model)
{
    int32_t count = ss_identification_moment_count(g->id, model);
    if (count == 0) {
        return;
    }
    ss_buffer_text(out, ",\"history\":{\"names\":[");
    for (int32_t i = 0; ss_identification_moment_name(g->id, model, i) != NULL; i++) {
        ss_buffer_text(out, i > 0 ? "," : "");
        ss_buffer_quote(out, ss_identification_moment_name(g->id, model, i));
    }
    ss_buffer_text(out, "],\"moments\":[");
    for (int32_t k = 0; k < count; k++) {
        ss_identified_moment m;
        ss_identification_moment(g->id, model, k, &m);
        ss_buffer_text(out, k > 0 ? "," : "");
        put_moment(out, &m);
    }
    ss_buffer_text(out, "]}");
}

static void put_scores(ss_buffer *out, const page *g, int32_t model)
{
    ss_buffer_text(out, ",\"scores\":[");
    for (int32_t k = 0; k < g->p->trial_count; k++) {
        ss_identified_trial t;
        ss_identification_trial(g->id, model, k, &t);
        ss_buffer_text(out, k > 0 ? "," : "");
        ss_buffer_numbers(
            out,
            (double[]){t.position, t.angle, t.end, t.unseen_position, t.unseen_angle, t.unseen_end},
            6);
    }
    ss_buffer_text(out, "]");
}

static void put_model(ss_buffer *out, const page *g, int32_t model)
{
    ss_identification_summary s = ss_identification_summarise(g->id, model);
    ss_buffer_text(out, "{\"name\":");
    ss_buffer_quote(out, ss_identification_model(g->id, model));
    put_number(out, "level", s.level);
    put_number(out, "noise", s.noise);
    put_number(out, "cost", s.cost);
    put_number(out, "samples", (double)s.samples);
    put_number(out, "runs", (double)s.runs);
    ss_buffer_text(out, ",\"parameters\":[");
    for (int32_t i = 0; i < g->p->parameter_count; i++) {
        ss_buffer_text(out, i > 0 ? "," : "");
        put_parameter(out, g, model, i);
    }
    ss_buffer_text(out, "]");
    put_scores(out, g, model);
    put_history(out, g, model);
    ss_buffer_text(out, ",\"warnings\":[");
    for (int32_t i = 0; ss_identification_warning(g->id, model, i) != NULL; i++) {
        ss_buffer_text(out, i > 0 ? "," : "");
        ss_buffer_quote(out, ss_identification_warning(g->id, model, i));
    }
    ss_buffer_text(out, "]");
    if (model > 0 && g->p->folds > 0) {
        ss_estimate e = ss_identification_compare(g->id, model, 0);
        ss_buffer_text(out, ",\"compared\":");
        ss_buffer_numbers(out, (double[]){e.mean, e.low, e.high}, 3);
    }
    ss_buffer_text(out, "}");
}

static void put_recordings(ss_buffer *out, const page *g)
{
    ss_buffer_text(out, ",\"recordings\":[");
    for (int32_t k = 0; k < g->p->trial_count; k++) {
        const ss_recorded *r = &g->p->trials[k];
        ss_buffer_text(out, k > 0 ? ",{\"name\":" : "{\"name\":");
        ss_buffer_quote(out, r->name);
        ss_buffer_format(out, ",\"samples\":%d,\"fold\":%d,\"run\":%d}", (int)r->count,
                         (int)(g->p->folds > 0 ? r->fold : -1), (int)g->first[k]);
    }
    ss_buffer_text(out, "]");
}

static ss_status attach(page *g)
{
    ss_buffer out;
    ss_buffer_start(&out, g->ctx);
    ss_buffer_text(&out, "{\"study\":");
    ss_buffer_quote(&out, ss_study_name(g->p->study));
    ss_buffer_format(&out, ",\"folds\":%d", (int)g->p->folds);
    put_recordings(&out, g);
    ss_buffer_text(&out, ",\"models\":[");
    for (int32_t m = 0; m < g->p->model_count; m++) {
        ss_buffer_text(&out, m > 0 ? "," : "");
        put_model(&out, g, m);
    }
    ss_buffer_text(&out, "]}");
    ss_status status = ss_buffer_status(&out);
    if (status == SS_OK) {
        status = ss_report_attach(g->report, "identification", out.bytes);
    }
    ss_buffer_release(&out);
    return status;
}

/* ---- the page ---- */

static ss_status start_workers(page *g)
{
    static const ss_identify_def one = {.threads = 1};
    for (int32_t m = 0; m < g->p->model_count; m++) {
        SS_TRY(ss_fitter_start(g->ctx, g->p, m, &one, &g->fitters[m]));
    }
    return SS_OK;
}

static ss_status write_page(page *g, const char *path)
{
    SS_TRY(ss_report_create(g->ctx, &g->report));
    SS_TRY(start_workers(g));
    SS_TRY(choose(g));
    SS_TRY(add_runs(g));
    SS_TRY(attach(g));
    return ss_report_write(g->report, path);
}

ss_status ss_identification_report(const ss_identification *id, const char *path)
{
    const ss_identify *p    = ss_identification_problem(id);
    page               g    = {.id = id, .p = p, .ctx = p->ctx};
    ss_pool            pool = {.ctx = p->ctx};
    g.first                 = ss_pool_alloc(&pool, (size_t)p->trial_count, sizeof *g.first);
    g.fitters               = ss_pool_alloc(&pool, (size_t)p->model_count, sizeof *g.fitters);
    ss_status status        = g.first != NULL && g.fitters != NULL
                                  ? write_page(&g, path)
                                  : ss_fail(p->ctx, SS_ERR_MEMORY, "out of memory");
    for (int32_t m = 0; g.fitters != NULL && m < p->model_count; m++) {
        if (g.fitters[m].p != NULL) { /* it was started */
            ss_fitter_end(&g.fitters[m]);
        }
    }
    ss_report_destroy(g.report);
    ss_pool_free(&pool);
    return status;
}
