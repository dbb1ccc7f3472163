/* SPDX-License-Identifier: Apache-2.0 */
#include "study/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "study/variant.h"

/* ---- the scene of a trial ---- */

static ss_status no_memory(ss_context *ctx)
{
    return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
}

/* A node at the place of the study file that the value comes from. */
static ss_node *node_for(ss_pool *pool, const ss_variable *v, ss_node_kind kind)
{
    return ss_node_new(pool, kind, v->node->origin, v->node->line, v->node->column);
}

ss_node *ss_study_number(ss_pool *pool, const ss_node *at, double value)
{
    ss_node *node = ss_node_new(pool, SS_NODE_SCALAR, at->origin, at->line, at->column);
    char    *text = ss_pool_alloc(pool, 32, 1);
    if (node == NULL || text == NULL) {
        return NULL;
    }
    snprintf(text, 32, "%.17g", value);
    node->text  = text;
    node->plain = true;
    return node;
}

/* [a, b, c] */
static ss_node *list_node(ss_pool *pool, const ss_variable *v, const double *x, int32_t count)
{
    ss_node *list = node_for(pool, v, SS_NODE_LIST);
    for (int32_t i = 0; list != NULL && i < count; i++) {
        ss_node *entry = ss_study_number(pool, v->node, x[i]);
        if (entry == NULL) {
            return NULL;
        }
        ss_node_append(list, entry);
    }
    return list;
}

/* [[x, y], [x, y], [x, y]] */
static ss_node *points_node(ss_pool *pool, const ss_variable *v, const double *x)
{
    ss_node *list = node_for(pool, v, SS_NODE_LIST);
    for (int32_t i = 0; list != NULL && i < 3; i++) {
        ss_node *point = list_node(pool, v, x + (ptrdiff_t)2 * i, 2);
        if (point == NULL) {
            return NULL;
        }
        ss_node_append(list, point);
    }
    return list;
}

static const ss_node *value_node(ss_pool *pool, const ss_study *s, const ss_variable *v,
                                 int64_t trial, const double *x)
{
    switch (v->kind) {
    case SS_VARY_LIST:
    case SS_VARY_CHOICE:
        return v->values[ss_study_entry(s, v, trial)];
    case SS_VARY_SUPPORT:
        return points_node(pool, v, x);
    case SS_VARY_DIRECTION:
        return list_node(pool, v, x, v->input_count);
    case SS_VARY_ROTATION:
        return v->input_count == 1 ? ss_study_number(pool, v->node, x[0])
                                   : list_node(pool, v, x, 4);
    case SS_VARY_GRID:
    case SS_VARY_UNIFORM:
    case SS_VARY_NORMAL:
    case SS_VARY_LOGNORMAL:
    case SS_VARY_TABLE:
    case SS_VARY_BOUNDS:
        break;
    }
    return ss_study_number(pool, v->node, x[0]);
}

/* "study.yaml:7:3: trial 12" */
static const char *origin_of(ss_pool *pool, const ss_variable *v, int64_t trial)
{
    char text[384];
    int  ok = 1;
    snprintf(text, sizeof text, "%.200s:%d:%d: trial %lld", v->node->origin, (int)v->node->line,
             (int)v->node->column, (long long)trial);
    return ss_pool_text(pool, text, &ok);
}

/* The values of a variable: one, or one for each column of a table. */
static ss_status list_values(ss_pool *pool, const ss_study *s, const ss_variable *v, int64_t trial,
                             const double *inputs, ss_scene_value *out, int32_t *count)
{
    const char *origin = origin_of(pool, v, trial);
    if (v->kind == SS_VARY_TABLE) {
        int64_t row = ss_study_entry(s, v, trial);
        for (int32_t c = 0; c < v->input_count; c++) {
            out[(*count)++] = (ss_scene_value){s->inputs[v->input + c].path,
                                               v->values[row * v->input_count + c], origin};
        }
        return origin != NULL ? SS_OK : no_memory(pool->ctx);
    }
    const ss_node *node = value_node(pool, s, v, trial, inputs + v->input);
    out[(*count)++]     = (ss_scene_value){v->path, node, origin};
    return node != NULL && origin != NULL ? SS_OK : no_memory(pool->ctx);
}

ss_status ss_study_make_scene(ss_context *ctx, const ss_study *s, int64_t trial,
                              const double *inputs, bool texts, ss_scene **out)
{
    ss_pool         pool   = {.ctx = ctx};
    int32_t         count  = 0;
    size_t          room   = (size_t)s->input_count + (size_t)s->extra_count + 1;
    ss_scene_value *values = ss_pool_alloc(&pool, room, sizeof *values);
    ss_status       status = values != NULL ? SS_OK : no_memory(ctx);
    *out                   = NULL;
    for (int32_t i = 0; status == SS_OK && i < s->variable_count; i++) {
        status = list_values(&pool, s, &s->variables[i], trial, inputs, values, &count);
    }
    for (int32_t i = 0; status == SS_OK && i < s->extra_count; i++) {
        values[count++] = s->extra[i];
    }
    if (status == SS_OK) {
        status = ss_scene_from_values(ctx, s->source, values, count, texts, out);
    }
    ss_pool_free(&pool);
    return status;
}

static ss_status check_trial(ss_context *ctx, const ss_study *s, int64_t trial)
{
    if (ctx == NULL || s == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "no trial without a context and a study");
    }
    if (trial < 0 || trial >= ss_study_trials(s)) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "there is no trial %lld, only 0 to %lld",
                       (long long)trial, (long long)ss_study_trials(s) - 1);
    }
    return SS_OK;
}

ss_status ss_study_sample(const ss_study *s, int64_t trial, double *inputs)
{
    if (s == NULL || inputs == NULL || trial < 0 || trial >= ss_study_trials(s)) {
        return SS_ERR_ARGUMENT;
    }
    ss_study_draw(s, trial, inputs);
    return SS_OK;
}

ss_status ss_study_scene(ss_context *ctx, const ss_study *s, int64_t trial, ss_scene **out)
{
    SS_TRY(check_trial(ctx, s, trial));
    double *inputs = ss_alloc(ctx, (size_t)s->input_count + 1, sizeof *inputs);
    if (inputs == NULL) {
        return no_memory(ctx);
    }
    ss_study_draw(s, trial, inputs);
    ss_status status = ss_study_make_scene(ctx, s, trial, inputs, true, out);
    ss_free(ctx, inputs, ((size_t)s->input_count + 1) * sizeof *inputs);
    return status;
}

/* ---- running it ---- */

static ss_status build(const ss_trial_run *r, int64_t trial, const double *inputs, ss_variant *v)
{
    SS_TRY(ss_study_make_scene(r->ctx, r->study, trial, inputs, r->recorder_count > 0, &v->scene));
    return ss_variant_complete(r->ctx, v);
}

/* A cycle while it is measured: the body goes back to its place after every period. */
typedef struct cycle_run {
    ss_watch *watch;
    ss_cycle  cycle;
    ss_data  *d;
    int64_t   step, last; /* of all periods */
} cycle_run;

static ss_status watch_cycle(void *user, const ss_model *m, const ss_data *d, bool *stop)
{
    cycle_run *c = user;
    SS_TRY(ss_watch_step(c->watch, m, d, stop));
    bool ended = c->step > 0 && c->step < c->last && c->step % c->cycle.steps == 0;
    c->step++;
    if (!ended || *stop) {
        return SS_OK;
    }
    SS_TRY(ss_cycle_put_back(m, c->d, &c->cycle));
    return ss_watch_jump(c->watch);
}

static ss_status open_cycle(ss_context *ctx, const ss_study *s, const ss_variant *v, ss_watch *w,
                            ss_cycle *cycle)
{
    double period = 0;
    SS_TRY(ss_watch_begin(w, v->scene, v->model, v->data));
    SS_TRY(ss_watch_period(w, &period));
    return ss_cycle_open(ctx, s->cycle, v->model, v->data, period, cycle);
}

/* Finds the cycle; what follows is a run over the periods that are measured. */
static ss_status settle(const ss_trial_run *r, const ss_variant *v, cycle_run *c, ss_run_def *def)
{
    *c = (cycle_run){.watch = r->watch, .d = v->data};
    SS_TRY(open_cycle(r->ctx, r->study, v, r->watch, &c->cycle));
    SS_TRY(ss_cycle_find(r->ctx, v->model, v->data, r->interrupt, &c->cycle));
    c->last         = c->cycle.steps * c->cycle.measured;
    def->step       = c->cycle.step;
    def->duration   = c->cycle.period * c->cycle.measured;
    def->watch      = watch_cycle;
    def->watch_user = c;
    return SS_OK;
}

static ss_status run(const ss_trial_run *r, const ss_variant *v, ss_trial *out)
{
    ss_run_result result;
    cycle_run     cycle;
    ss_run_def    def  = ss_run_def_default();
    def.recorders      = r->recorders;
    def.recorder_count = r->recorder_count;
    def.interrupt      = r->interrupt;
    def.watch          = ss_watch_step;
    def.watch_user     = r->watch;
    if (r->study->cycle != NULL) {
        SS_TRY(settle(r, v, &cycle, &def));
    }
    SS_TRY(ss_watch_begin(r->watch, v->scene, v->model, v->data));
    ss_watch_set_cycle(r->watch, r->study->cycle != NULL ? &cycle.cycle : NULL);
    ss_status status = ss_variant_run(r->ctx, v, &def, &result);
    out->steps       = result.steps;
    out->time        = result.time;
    out->residual    = result.residual_max;
    if (status == SS_OK) {
        status      = ss_watch_end(r->watch, &result, out->measures);
        out->status = result.stopped ? SS_TRIAL_STOPPED : SS_TRIAL_DONE;
    }
    return status;
}

bool ss_trial_ends_everything(ss_status status)
{
    return status == SS_ERR_INTERRUPTED || status == SS_ERR_MEMORY || status == SS_ERR_IO;
}

ss_status ss_trial_compute(const ss_trial_run *r, int64_t trial, ss_trial *out)
{
    ss_variant v       = {0};
    double     started = ss_clock_seconds();
    double    *inputs = out->inputs, *measures = out->measures;
    *out = (ss_trial){.trial = trial, .inputs = inputs, .measures = measures};
    ss_study_draw(r->study, trial, inputs);
    ss_status status = build(r, trial, inputs, &v);
    if (status == SS_OK) {
        status = run(r, &v, out);
    }
    ss_variant_release(&v);
    out->seconds = ss_clock_seconds() - started;
    if (status == SS_OK || ss_trial_ends_everything(status)) {
        return status;
    }
    out->status = SS_TRIAL_FAILED;
    snprintf(out->message, sizeof out->message, "%s", ss_context_message(r->ctx));
    for (int32_t i = 0; i < r->study->measure_count; i++) {
        measures[i] = NAN;
    }
    return SS_OK;
}

ss_status ss_study_replay(ss_context *ctx, const ss_study *s, int64_t trial,
                          ss_recorder *const *recorders, int32_t recorder_count,
                          const volatile sig_atomic_t *interrupt, ss_trial *out)
{
    ss_watch *w = NULL;
    SS_TRY(check_trial(ctx, s, trial));
    if (out == NULL || out->inputs == NULL || out->measures == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "there is no place for inputs and measures (NULL)");
    }
    SS_TRY(ss_watch_create(ctx, s, &w));
    ss_trial_run r      = {ctx, s, w, recorders, recorder_count, interrupt};
    ss_status    status = ss_trial_compute(&r, trial, out);
    ss_watch_destroy(w);
    return status;
}

/* ---- the first look ---- */

/* Every expression once, at the start of a trial: names that do not exist are found now. */
static ss_status ask(ss_study *s, ss_watch *w, const ss_variant *v)
{
    bool          stop     = false;
    ss_run_result nothing  = {0};
    double       *measures = ss_alloc(s->ctx, (size_t)s->measure_count + 1, sizeof *measures);
    if (measures == NULL) {
        return no_memory(s->ctx);
    }
    ss_cycle  cycle;
    ss_status status = s->cycle != NULL ? open_cycle(s->ctx, s, v, w, &cycle) : SS_OK;
    if (status == SS_OK) {
        status = ss_watch_begin(w, v->scene, v->model, v->data);
    }
    if (status == SS_OK) {
        status = ss_watch_step(w, v->model, v->data, &stop);
    }
    if (status == SS_OK) {
        status = ss_watch_end(w, &nothing, measures);
    }
    for (int32_t i = 0; status == SS_OK && i < s->measure_count; i++) {
        s->measures[i].truth = ss_watch_gave_truth(w, i);
    }
    ss_free(s->ctx, measures, ((size_t)s->measure_count + 1) * sizeof *measures);
    return status;
}

enum { LOOKS = 16 };

int64_t ss_trial_looks(const ss_study *s)
{
    return ss_study_trials(s) < LOOKS ? ss_study_trials(s) : LOOKS;
}

int64_t ss_trial_look(const ss_study *s, int64_t i)
{
    return i * (ss_study_trials(s) / ss_trial_looks(s));
}

/*
 * A trial that cannot start is a row of the study; only if none of those that are looked at can,
 * the study itself is wrong, and the first one's message says why.
 */
ss_status ss_trial_try(ss_context *ctx, ss_study *s, ss_watch *w)
{
    char         message[768] = "";
    double      *inputs       = ss_alloc(ctx, (size_t)s->input_count + 1, sizeof *inputs);
    ss_trial_run r            = {.ctx = ctx, .study = s, .watch = w};
    ss_status    status = inputs != NULL ? SS_OK : no_memory(ctx), first = SS_OK;
    bool         found = false;
    for (int64_t i = 0; status == SS_OK && i < ss_trial_looks(s) && !found; i++) {
        ss_variant v     = {0};
        int64_t    trial = ss_trial_look(s, i);
        ss_study_draw(s, trial, inputs);
        ss_status built = build(&r, trial, inputs, &v);
        found           = built == SS_OK;
        if (found) {
            status = ask(s, w, &v);
        } else if (first == SS_OK) {
            first = built;
            snprintf(message, sizeof message, "%s", ss_context_message(ctx));
        }
        ss_variant_release(&v);
    }
    ss_free(ctx, inputs, ((size_t)s->input_count + 1) * sizeof *inputs);
    return status == SS_OK && !found ? ss_fail(ctx, first, "%s", message) : status;
}
