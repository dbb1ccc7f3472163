/* SPDX-License-Identifier: Apache-2.0 */
#include "study/watch_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- messages ---- */

/* "expression 'sampled(0) > 1': why" -> "why" */
static void bare_message(const ss_context *ctx, char *out, size_t size)
{
    const char *message = ss_context_message(ctx), *colon = strstr(message, "': ");
    bool        wrapped = strncmp(message, "expression '", 12) == 0 && colon != NULL;
    snprintf(out, size, "%s", wrapped ? colon + 3 : message);
}

static ss_status at_node(ss_watch *w, const ss_node *node, const char *what, const char *text,
                         ss_status status)
{
    char message[512];
    if (status == SS_OK) {
        return SS_OK;
    }
    bare_message(w->ctx, message, sizeof message);
    return ss_node_fail(w->ctx, node, status, "%s: expression '%.200s': %s", what, text, message);
}

/* The same for the expression of a measure, of `stop` (STOP) or of the cycle's period. */
enum { STOP = -1, PERIOD = -2 };
static ss_status in_expression(ss_watch *w, int32_t owner, ss_status status)
{
    char what[96];
    if (status == SS_OK) {
        return SS_OK;
    }
    if (owner == STOP) {
        return at_node(w, w->study->stop_node, "stop", w->study->stop, status);
    }
    if (owner == PERIOD) {
        const ss_cycle_def *c = w->study->cycle;
        return at_node(w, c->period_node, "period", c->period, status);
    }
    const ss_measure *x = &w->study->measures[owner];
    snprintf(what, sizeof what, "measure '%.60s'", x->name);
    return at_node(w, x->node, what, x->text, status);
}

/* ---- a trial ---- */

static ss_status update_all(ss_watch *w, bool first)
{
    for (int32_t i = 0; i < w->book.sample_count; i++) {
        ss_status status = ss_sample_update(w, &w->samples[i], first);
        SS_TRY(in_expression(w, w->book.samples[i].owner, status));
    }
    return SS_OK;
}

ss_status ss_watch_begin(ss_watch *w, const ss_scene *scene, const ss_model *m, const ss_data *d)
{
    w->scene    = scene;
    w->m        = m;
    w->d        = d;
    w->started  = 0;
    w->cycle    = NULL;
    w->residual = 0;
    w->begun    = false;
    w->verdict  = SS_TRIAL_PENDING;
    for (int32_t i = 0; i < SS_WATCH_TEXTS; i++) {
        const char *text = i < w->book.text_count ? w->book.texts[i] : NULL;
        w->body[i]       = ss_model_find_body(m, text).index1 - 1;
        w->joint[i]      = ss_model_find_joint(m, text);
    }
    for (int32_t i = 0; i < w->book.sample_count; i++) {
        ss_status status = ss_sample_begin(w, &w->samples[i]);
        SS_TRY(in_expression(w, w->book.samples[i].owner, status));
    }
    for (int32_t i = 0; i < w->study->measure_count; i++) {
        const ss_measure *x = &w->study->measures[i];
        if (x->cls != NULL) {
            memset(w->states[i], 0, x->cls->state_size);
        }
        if (x->cls != NULL && x->cls->begin != NULL) {
            SS_TRY(x->cls->begin(w->states[i], x->user, m, d));
        }
    }
    return SS_OK;
}

ss_status ss_watch_period(ss_watch *w, double *period)
{
    return in_expression(w, PERIOD, ss_expr_judge(w->env, w->period, period, NULL));
}

void ss_watch_set_cycle(ss_watch *w, const ss_cycle *cycle)
{
    w->cycle   = cycle;
    w->started = cycle != NULL ? ss_data_time(w->d) : 0;
}

double ss_watch_time(const ss_watch *w)
{
    /* plans go on from action to action by the clock of the scene; a cycle is measured from its
       start */
    return ss_data_time(w->d) - (w->cycle != NULL ? w->started : 0);
}

ss_status ss_watch_jump(ss_watch *w)
{
    for (int32_t i = 0; i < w->book.sample_count; i++) {
        ss_status status = ss_sample_jump(w, &w->samples[i]);
        SS_TRY(in_expression(w, w->book.samples[i].owner, status));
    }
    return SS_OK;
}

ss_status ss_watch_step(void *user, const ss_model *m, const ss_data *d, bool *stop)
{
    ss_watch *w     = user;
    double    value = 0;
    bool      first = !w->begun;
    w->begun        = true;
    w->residual     = fmax(w->residual, ss_data_report(d)->residual);
    SS_TRY(update_all(w, first));
    for (int32_t i = 0; i < w->study->measure_count; i++) {
        const ss_measure *x = &w->study->measures[i];
        if (x->cls != NULL && x->cls->step != NULL) {
            SS_TRY(x->cls->step(w->states[i], x->user, m, d));
        }
    }
    if (w->stop >= 0) {
        SS_TRY(in_expression(w, STOP, ss_expr_judge(w->env, w->stop, &value, NULL)));
    }
    *stop = value != 0;
    return SS_OK;
}

ss_status ss_watch_end(ss_watch *w, const ss_run_result *result, double *measures)
{
    w->verdict = result->stopped ? SS_TRIAL_STOPPED : SS_TRIAL_DONE;
    for (int32_t i = 0; i < w->study->measure_count; i++) {
        const ss_measure *x = &w->study->measures[i];
        if (x->cls != NULL) {
            SS_TRY(x->cls->end(w->states[i], x->user, w->m, w->d, result, &measures[i]));
        } else {
            ss_status status = ss_expr_judge(w->env, w->measures[i], &measures[i], &w->truth[i]);
            SS_TRY(in_expression(w, i, status));
        }
    }
    return SS_OK;
}

bool ss_watch_gave_truth(const ss_watch *w, int32_t measure)
{
    return w->truth[measure];
}

/* ---- making one ---- */
static ss_status compile(ss_watch *w, int32_t owner, const char *text, int32_t *handle)
{
    const char *lua = NULL;
    w->book.owner   = owner;
    SS_TRY(ss_watch_rewrite(&w->book, text, &lua));
    return ss_expr_compile(w->env, lua, handle);
}

/* Handle -1 for what is not there. */
static ss_status compile_part(ss_watch *w, const char *text, int32_t *handle)
{
    *handle = -1;
    return text != NULL ? ss_expr_compile(w->env, text, handle) : SS_OK;
}

static ss_status compile_sample(ss_watch *w, const ss_sample_text *t, ss_sample *s)
{
    *s = (ss_sample){.kind = t->kind};
    SS_TRY(compile_part(w, t->expression, &s->expression));
    SS_TRY(compile_part(w, t->time, &s->time_at));
    return compile_part(w, t->from, &s->from_at);
}

static ss_status compile_samples(ss_watch *w)
{
    for (int32_t i = 0; i < w->book.sample_count; i++) {
        ss_status status = compile_sample(w, &w->book.samples[i], &w->samples[i]);
        SS_TRY(in_expression(w, w->book.samples[i].owner, status));
    }
    return SS_OK;
}

static ss_status prepare(ss_watch *w)
{
    const ss_study *s = w->study;
    w->measures       = ss_pool_alloc(&w->pool, (size_t)s->measure_count + 1, sizeof *w->measures);
    w->truth          = ss_pool_alloc(&w->pool, (size_t)s->measure_count + 1, sizeof *w->truth);
    w->states         = ss_pool_alloc(&w->pool, (size_t)s->measure_count + 1, sizeof *w->states);
    if (w->measures == NULL || w->truth == NULL || w->states == NULL) {
        return ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < s->measure_count; i++) {
        const ss_measure *x = &s->measures[i];
        w->measures[i]      = -1;
        if (x->cls == NULL) {
            SS_TRY(in_expression(w, i, compile(w, i, x->text, &w->measures[i])));
        } else {
            w->states[i] = ss_pool_alloc(&w->pool, x->cls->state_size + 1, 1);
            SS_TRY(w->states[i] != NULL ? SS_OK : ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory"));
        }
    }
    if (s->stop != NULL) {
        SS_TRY(in_expression(w, STOP, compile(w, STOP, s->stop, &w->stop)));
    }
    if (s->cycle != NULL) {
        SS_TRY(in_expression(w, PERIOD, compile(w, PERIOD, s->cycle->period, &w->period)));
    }
    return compile_samples(w);
}

ss_status ss_watch_create(ss_context *ctx, const ss_study *s, ss_watch **out)
{
    ss_watch *w = ss_alloc(ctx, 1, sizeof *w);
    *out        = NULL;
    if (w == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    w->ctx           = ctx;
    w->study         = s;
    w->stop          = -1;
    w->period        = -1;
    w->pool          = (ss_pool){.ctx = ctx};
    w->book          = (ss_watch_book){.ctx = ctx, .pool = &w->pool, .scene = s->first_scene};
    ss_status status = ss_expr_env_create(ctx, &w->env);
    if (status == SS_OK) {
        status = ss_watch_add_functions(w);
    }
    if (status == SS_OK) {
        status = prepare(w);
    }
    if (status != SS_OK) {
        ss_watch_destroy(w);
        return status;
    }
    *out = w;
    return SS_OK;
}

void ss_watch_destroy(ss_watch *w)
{
    if (w != NULL) {
        ss_expr_env_destroy(w->env);
        ss_pool_free(&w->pool);
        ss_free(w->ctx, w, sizeof *w);
    }
}
