/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variants of one scene on all cores. Workers take the next index that nobody has; each has a
 * context of its own and shares nothing but the source, which is constant.
 */
#include "stickslip/series.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#ifdef SS_HAVE_OPENMP
#include <omp.h>
#endif

#include "core/constants.h"
#include "core/context.h"
#include "core/pool.h"
#include "scenefile/source.h"
#include "study/variant.h"

/* ---- one variant ---- */

ss_status ss_variant_complete(ss_context *ctx, ss_variant *v)
{
    SS_TRY(ss_model_compile(ctx, v->scene, &v->model));
    return ss_data_create(ctx, v->model, &v->data);
}

ss_status ss_variant_make(ss_context *ctx, const ss_scene_source *source,
                          const char *const *overrides, int32_t count, ss_variant *out)
{
    if (out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "there is no place for the variant (NULL)");
    }
    *out = (ss_variant){0};
    SS_TRY(ss_scene_from_source(ctx, source, overrides, count, &out->scene));
    return ss_variant_complete(ctx, out);
}

void ss_variant_release(ss_variant *v)
{
    if (v != NULL) {
        ss_data_destroy(v->data);
        ss_model_destroy(v->model);
        ss_scene_destroy(v->scene);
        *v = (ss_variant){0};
    }
}

ss_status ss_variant_run(ss_context *ctx, const ss_variant *v, const ss_run_def *def,
                         ss_run_result *result)
{
    if (v == NULL || v->scene == NULL || v->data == NULL || def == NULL || result == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a run needs a variant and a definition");
    }
    ss_run_def whole = *def;
    whole.scene_name = ss_scene_name(v->scene);
    whole.scene_path = ss_scene_path(v->scene);
    whole.scene_text = ss_scene_text(v->scene);
    whole.resolved   = ss_scene_resolved(v->scene);
    return ss_run(ctx, v->model, v->data, &whole, result);
}

/* ---- overrides ---- */

enum { OVERRIDES_MAX = 32 };

struct ss_overrides {
    ss_pool     pool;
    const char *items[OVERRIDES_MAX];
    int32_t     count;
};

ss_status ss_overrides_add(ss_overrides *o, const char *format, ...)
{
    va_list args;
    char    text[1024];
    int     ok = 1;
    if (o == NULL || format == NULL || o->count == OVERRIDES_MAX) {
        return ss_fail(o != NULL ? o->pool.ctx : NULL, SS_ERR_ARGUMENT,
                       "a variant has at most %d overrides", OVERRIDES_MAX);
    }
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof text) {
        return ss_fail(o->pool.ctx, SS_ERR_ARGUMENT, "an override has at most %d characters",
                       (int)sizeof text - 1);
    }
    o->items[o->count] = ss_pool_text(&o->pool, text, &ok);
    o->count += ok;
    return ok ? SS_OK : ss_fail(o->pool.ctx, SS_ERR_MEMORY, "out of memory");
}

/* ---- all of them ---- */

typedef struct series {
    ss_context          *ctx;
    const ss_series_def *def;
    int64_t              next, done;
    ss_status            status; /* the first failure */
    char                 message[SS_MESSAGE_SIZE];
} series;

static int64_t take_next(series *s)
{
    int64_t index = -1;
#pragma omp critical(ss_series)
    {
        if (s->status == SS_OK && s->next < s->def->count) {
            index = s->next++;
        }
    }
    return index;
}

static void deliver(series *s, const ss_context *ctx, ss_status status)
{
#pragma omp critical(ss_series)
    {
        if (status != SS_OK && s->status == SS_OK) {
            s->status = status;
            snprintf(s->message, sizeof s->message, "%s",
                     ctx != NULL ? ss_context_message(ctx) : "out of memory");
        }
        s->done++;
        if (s->def->progress != NULL) {
            s->def->progress(s->def->progress_user, s->done, s->def->count);
        }
    }
}

static ss_status one_variant(const ss_series_def *def, ss_context *ctx, int64_t index)
{
    ss_overrides overrides = {.pool = {.ctx = ctx}};
    ss_variant   v         = {0};
    ss_status    status = def->sample != NULL ? def->sample(def->user, index, &overrides) : SS_OK;
    if (status == SS_OK) { /* texts take as long to write as all the rest of a scene */
        status = ss_scene_from_overrides(ctx, def->source, overrides.items, overrides.count, false,
                                         &v.scene);
    }
    if (status == SS_OK) {
        status = ss_variant_complete(ctx, &v);
    }
    if (status == SS_OK) {
        v.index = index;
        status  = def->measure(def->user, ctx, &v);
    }
    ss_variant_release(&v);
    ss_pool_free(&overrides.pool);
    if (status == SS_OK && def->interrupt != NULL && *def->interrupt != 0) {
        status = ss_fail(ctx, SS_ERR_INTERRUPTED, "interrupted");
    }
    return status;
}

static void work(series *s)
{
    ss_context *ctx = ss_context_clone(s->ctx);
    if (ctx == NULL) {
        deliver(s, NULL, SS_ERR_MEMORY);
        return;
    }
    for (int64_t index = take_next(s); index >= 0; index = take_next(s)) {
        deliver(s, ctx, one_variant(s->def, ctx, index));
    }
    ss_context_destroy(ctx);
}

static int32_t thread_count(const ss_series_def *def)
{
#ifdef SS_HAVE_OPENMP
    int64_t wanted = def->threads > 0 ? def->threads : omp_get_num_procs();
    wanted         = wanted < SS_THREADS_MAX ? wanted : SS_THREADS_MAX;
    return (int32_t)(wanted < def->count ? wanted : def->count);
#else
    (void)def;
    return 1;
#endif
}

ss_status ss_series_run(ss_context *ctx, const ss_series_def *def)
{
    if (ctx == NULL || def == NULL || def->source == NULL || def->measure == NULL ||
        def->count < 0) {
        return ss_fail(ctx, SS_ERR_ARGUMENT,
                       "a series needs a context, a source, a number and something to measure");
    }
    series  s       = {.ctx = ctx, .def = def};
    int32_t threads = thread_count(def);
    if (threads > 1) {
#pragma omp parallel num_threads(threads)
        work(&s);
    } else {
        work(&s);
    }
    return s.status == SS_OK ? SS_OK : ss_fail(ctx, s.status, "%s", s.message);
}
