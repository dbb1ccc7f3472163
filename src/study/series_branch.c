/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Futures of a scene whose laws allow several motions. A future is known by the motions it takes at
 * its forks. The first takes the least everywhere. Each fork of a future beyond those that were
 * given to it leads to others: the same motions up to there, then one that was not taken. Every
 * future is so found exactly once, and runs from the start, so that it is a run like any other.
 */
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "stickslip/series.h"
#include "study/variant.h"

/* A future that waits to be run: the forks of its parent, and another motion at the last. */
typedef struct plan {
    int32_t parent, given;
    int32_t motion[SS_FUTURE_FORKS];
} plan;

typedef struct tree {
    ss_context            *ctx;
    const ss_scene_source *source;
    const char            *model;
    const ss_branch_def   *def;
    const ss_run_def      *with;
    ss_future             *futures;
    int32_t                count;
    plan                  *plans; /* (def->most) the first is run already */
    int32_t                plan_count, left;
    ss_variant             first;
} tree;

/* ---- what a run tells ---- */

static ss_status collect(void *user, const ss_model *m, const ss_data *d, bool *stop)
{
    ss_future *f = user;
    (void)stop;
    for (int32_t i = 0; i < ss_data_fork_count(d); i++) {
        if (f->fork_count < SS_FUTURE_FORKS) {
            SS_TRY(ss_data_fork(m, d, i, &f->forks[f->fork_count]));
        }
        f->fork_count++;
    }
    return SS_OK;
}

/* "at 0 s rod leaves floor (2 of 2), .." */
static void label(const ss_future *f, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "no fork");
    for (int32_t i = 0; i < f->fork_count && i < SS_FUTURE_FORKS && used < size; i++) {
        const ss_fork *k = &f->forks[i];
        int            more =
            snprintf(text + used, size - used, "%sat %.6g s %s (%d of %d)", i > 0 ? "; " : "",
                     k->time, k->what, (int)k->taken + 1, (int)k->motions);
        used += more > 0 ? (size_t)more : 0;
    }
}

/* ---- one future ---- */

static ss_status run_one(tree *t, const ss_variant *v, ss_future *f)
{
    ss_run_def   def      = *t->with;
    ss_recorder *recorder = NULL;
    char         text[512];
    def.watch      = collect;
    def.watch_user = f;
    if (t->def->report != NULL) {
        SS_TRY(ss_report_recorder(t->def->report, "future", &recorder));
        def.recorders      = &recorder;
        def.recorder_count = 1;
    }
    ss_status status = ss_variant_run(t->ctx, v, &def, &f->result);
    f->certified     = status != SS_ERR_CERTIFICATE;
    if (!f->certified) { /* forks of the step that failed lead on as well */
        snprintf(f->why, sizeof f->why, "%s", ss_context_message(t->ctx));
        status = collect(f, v->model, v->data, NULL);
    }
    ss_recorder_destroy(recorder);
    if (status == SS_OK && t->def->report != NULL) {
        label(f, text, sizeof text);
        status = ss_report_label(t->def->report, text);
    }
    return status;
}

/* The motions that a future did not take, at forks that were its own to choose at. */
static void add_plans(tree *t, int32_t parent)
{
    const ss_future *f     = &t->futures[parent];
    int32_t          forks = f->fork_count < t->def->depth ? f->fork_count : t->def->depth;
    for (int32_t k = f->given; k < forks; k++) {
        for (int32_t i = 0; i < f->forks[k].motions; i++) {
            if (i == f->forks[k].taken) {
                continue;
            }
            if (t->plan_count == t->def->most) {
                t->left++;
                continue;
            }
            plan *p = &t->plans[t->plan_count++];
            *p      = (plan){.parent = parent, .given = k + 1};
            for (int32_t j = 0; j < k; j++) {
                p->motion[j] = f->forks[j].taken;
            }
            p->motion[k] = i;
        }
    }
}

static ss_status follow(tree *t, const plan *p, ss_variant *v)
{
    ss_future *f = &t->futures[t->count];
    *f           = (ss_future){.parent = p->parent, .given = p->given};
    SS_TRY(ss_variant_make_model(t->ctx, t->source, t->model, v));
    SS_TRY(ss_data_choose(v->model, v->data, p->motion, p->given));
    SS_TRY(run_one(t, v, f));
    if (t->count > 0) {
        f->distance = ss_variants_apart(&t->first, v, f->body, sizeof f->body);
    }
    add_plans(t, t->count++);
    return t->def->ended != NULL ? t->def->ended(t->def->user, f, v) : SS_OK;
}

static ss_status follow_all(tree *t)
{
    t->plan_count    = 1;
    t->plans[0]      = (plan){.parent = -1};
    ss_status status = follow(t, &t->plans[0], &t->first);
    for (int32_t i = 1; status == SS_OK && i < t->plan_count; i++) {
        ss_variant v = {0};
        status       = follow(t, &t->plans[i], &v);
        ss_variant_release(&v);
    }
    return status;
}

ss_status ss_series_branch(ss_context *ctx, const ss_scene_source *source, const char *model,
                           const ss_branch_def *def, const ss_run_def *run, ss_future *out,
                           int32_t *count, int32_t *left)
{
    if (source == NULL || def == NULL || run == NULL || out == NULL || count == NULL ||
        left == NULL || def->most < 1 || def->depth < 1 || def->depth > SS_FUTURE_FORKS) {
        return ss_fail(ctx, SS_ERR_ARGUMENT,
                       "futures need a scene, a number and a depth of 1 to %d", SS_FUTURE_FORKS);
    }
    tree t  = {.ctx = ctx, .source = source, .model = model, .def = def, .with = run};
    t.plans = ss_alloc(ctx, (size_t)def->most, sizeof *t.plans);
    if (t.plans == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for %d futures", (int)def->most);
    }
    t.futures        = out;
    ss_status status = follow_all(&t);
    *count           = t.count;
    *left            = t.left;
    ss_variant_release(&t.first);
    ss_free(ctx, t.plans, (size_t)def->most * sizeof *t.plans);
    return status;
}
