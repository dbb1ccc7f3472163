/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All trials on all cores. Workers take the next trial that is not there yet; each has a context
 * and a watcher of its own and shares nothing but the study, which is constant. Rows go into the
 * table and the file under one lock. No result depends on who computed it.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef SS_HAVE_OPENMP
#include <omp.h>
#endif

#include "core/context.h"
#include "study/trial.h"
#include "study/trials.h"

typedef struct sweep {
    ss_context         *ctx;
    const ss_study     *study;
    const ss_sweep_def *def;
    ss_trials          *trials;
    ss_store           *store; /* NULL: memory alone */
    int64_t             next;
    ss_status           status; /* the first failure that ends everything */
    char                message[SS_MESSAGE_SIZE];
} sweep;

static bool is_mine(const sweep *w, int64_t trial)
{
    return w->def->parts <= 0 || trial % w->def->parts == w->def->part - 1;
}

/* The next trial to compute; -1: none is left, or the sweep ends. */
static int64_t take_next(sweep *w)
{
    int64_t trial = -1;
#pragma omp critical(ss_sweep)
    {
        while (w->next < w->trials->count &&
               (w->trials->rows[w->next].status != SS_TRIAL_PENDING || !is_mine(w, w->next))) {
            w->next++;
        }
        if (w->status == SS_OK && w->next < w->trials->count) {
            trial = w->next++;
        }
    }
    return trial;
}

static void fail(sweep *w, const ss_context *ctx, ss_status status)
{
    if (w->status == SS_OK) {
        w->status = status;
        snprintf(w->message, sizeof w->message, "%s", ss_context_message(ctx));
    }
}

static void deliver(sweep *w, const ss_context *ctx, ss_status status, const ss_trial *trial)
{
#pragma omp critical(ss_sweep)
    {
        if (status != SS_OK) {
            fail(w, ctx, status);
        } else {
            status = ss_trials_put(w->trials, trial);
            if (status == SS_OK && w->store != NULL) {
                status = ss_store_put(w->store, trial);
            }
            if (status != SS_OK) {
                fail(w, w->ctx, status);
            }
            if (w->def->progress != NULL) {
                w->def->progress(w->def->progress_user, w->trials, trial);
            }
        }
    }
}

/* One worker, from the first trial it takes to the last. */
static ss_status compute_trials(sweep *w, ss_context *ctx, ss_watch *watch, double *room)
{
    ss_trial_run r = {
        .ctx = ctx, .study = w->study, .watch = watch, .interrupt = w->def->interrupt};
    ss_status status = SS_OK;
    for (int64_t trial = take_next(w); trial >= 0; trial = take_next(w)) {
        ss_trial out = {.inputs = room, .measures = room + w->study->input_count};
        status       = ss_trial_compute(&r, trial, &out);
        deliver(w, ctx, status, &out);
        if (w->def->interrupt != NULL && *w->def->interrupt != 0) {
            return ss_fail(ctx, SS_ERR_INTERRUPTED, "interrupted");
        }
    }
    return SS_OK;
}

static void work(sweep *w)
{
    size_t      size   = (size_t)w->study->input_count + (size_t)w->study->measure_count + 1;
    ss_context *ctx    = ss_context_clone(w->ctx);
    ss_watch   *watch  = NULL;
    double     *room   = ctx != NULL ? ss_alloc(ctx, size, sizeof *room) : NULL;
    ss_status   status = room != NULL ? ss_watch_create(ctx, w->study, &watch) : SS_ERR_MEMORY;
    if (status == SS_OK) {
        status = compute_trials(w, ctx, watch, room);
    }
    if (status != SS_OK) {
#pragma omp critical(ss_sweep)
        fail(w, ctx, status);
    }
    ss_watch_destroy(watch);
    if (room != NULL) {
        ss_free(ctx, room, size * sizeof *room);
    }
    ss_context_destroy(ctx);
}

/* Threads that the machine has and the sweep can use. */
static int32_t thread_count(const sweep *w)
{
    int64_t wanted = w->def->threads, left = w->trials->of_status[SS_TRIAL_PENDING];
#ifdef SS_HAVE_OPENMP
    wanted = wanted > 0 ? wanted : omp_get_num_procs();
#else
    wanted = 1;
#endif
    return (int32_t)(wanted < left ? wanted : left > 0 ? left : 1);
}

static void run_workers(sweep *w)
{
    int32_t threads = thread_count(w);
    (void)threads; /* without OpenMP there is one */
#pragma omp parallel num_threads(threads)
    work(w);
}

/* ---- files ---- */

/* An unfinished study is not thrown away by accident. */
static ss_status refuse_to_overwrite(sweep *w)
{
    ss_store *old = NULL;
    if (access(w->def->out, F_OK) != 0 ||
        ss_store_open(w->ctx, w->study, w->def->out, &old) != SS_OK) {
        return SS_OK; /* nothing there, or something else, which is overwritten as any output is */
    }
    ss_trials *t      = NULL;
    ss_status  status = ss_trials_create(w->ctx, w->study, &t);
    if (status == SS_OK) {
        status = ss_store_read(old, t);
    }
    int64_t pending = status == SS_OK ? t->of_status[SS_TRIAL_PENDING] : 0;
    int64_t total   = status == SS_OK ? t->count : 0;
    ss_trials_destroy(t);
    ss_store_close(old);
    if (pending > 0 && pending < total && w->def->parts <= 0) {
        return ss_fail(w->ctx, SS_ERR_INPUT,
                       "%s: %lld of %lld trials of this study are there already: continue with "
                       "--resume, or remove the file",
                       w->def->out, (long long)(total - pending), (long long)total);
    }
    return SS_OK;
}

static ss_status open_store(sweep *w)
{
    if (w->def->out == NULL) {
        return SS_OK;
    }
    if (w->def->resume && access(w->def->out, F_OK) == 0) {
        SS_TRY(ss_store_open(w->ctx, w->study, w->def->out, &w->store));
        return ss_store_read(w->store, w->trials);
    }
    SS_TRY(refuse_to_overwrite(w));
    return ss_store_create(w->ctx, w->study, w->def->out, &w->store);
}

static ss_status check(ss_context *ctx, const ss_study *s, const ss_sweep_def *def, ss_trials **out)
{
    if (ctx == NULL || s == NULL || def == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a sweep needs a context, a study and a definition");
    }
    if (def->parts > 0 && (def->part < 1 || def->part > def->parts)) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "there is no part %d of %d", (int)def->part,
                       (int)def->parts);
    }
    return SS_OK;
}

ss_status ss_study_sweep(ss_context *ctx, const ss_study *s, const ss_sweep_def *def,
                         ss_trials **out)
{
    SS_TRY(check(ctx, s, def, out));
    *out    = NULL;
    sweep w = {.ctx = ctx, .study = s, .def = def};
    SS_TRY(ss_trials_create(ctx, s, &w.trials));
    ss_status status = open_store(&w);
    if (status == SS_OK) {
        run_workers(&w);
        status = w.status != SS_OK ? ss_fail(ctx, w.status, "%s", w.message) : SS_OK;
    }
    ss_status closed = ss_store_close(w.store);
    status           = status != SS_OK ? status : closed;
    if (status != SS_OK && status != SS_ERR_INTERRUPTED) {
        ss_trials_destroy(w.trials);
        return status;
    }
    *out = w.trials;
    return status;
}
