/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All trials on all cores. Workers take the next trial that is not there yet; each has a context
 * and a watcher of its own and shares nothing but the study, which is constant. Rows go into the
 * table and the file under one lock. No result depends on who computed it. Under mpirun, one thread
 * of process 0 hands out trials to the other processes and takes their rows (ranks_mpi.c).
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef SS_HAVE_OPENMP
#include <omp.h>
#endif

#include "core/constants.h"
#include "core/context.h"
#include "study/ranks.h"
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

/* What a worker has of its own. */
typedef struct worker {
    sweep       *sweep;
    ss_context  *ctx;
    ss_watch    *watch;
    double      *room; /* for inputs and measures */
    ss_trial_run run;
} worker;

static size_t room_size(const sweep *w)
{
    return (size_t)w->study->input_count + (size_t)w->study->measure_count + 1;
}

static ss_status worker_start(sweep *w, worker *k)
{
    *k = (worker){.sweep = w, .ctx = ss_context_clone(w->ctx)};
    if (k->ctx == NULL) {
        return SS_ERR_MEMORY;
    }
    k->room = ss_alloc(k->ctx, room_size(w), sizeof *k->room);
    if (k->room == NULL) {
        return ss_fail(k->ctx, SS_ERR_MEMORY, "out of memory");
    }
    SS_TRY(ss_watch_create(k->ctx, w->study, &k->watch));
    k->run = (ss_trial_run){
        .ctx = k->ctx, .study = w->study, .watch = k->watch, .interrupt = w->def->interrupt};
    return SS_OK;
}

static void worker_end(worker *k)
{
    ss_watch_destroy(k->watch);
    if (k->room != NULL) {
        ss_free(k->ctx, k->room, room_size(k->sweep) * sizeof *k->room);
    }
    ss_context_destroy(k->ctx);
}

/* One worker, from the first trial it takes to the last. */
static ss_status compute_trials(sweep *w, worker *k)
{
    for (int64_t trial = take_next(w); trial >= 0; trial = take_next(w)) {
        ss_trial  out    = {.inputs = k->room, .measures = k->room + w->study->input_count};
        ss_status status = ss_trial_compute(&k->run, trial, &out);
        deliver(w, k->ctx, status, &out);
        if (w->def->interrupt != NULL && *w->def->interrupt != 0) {
            return ss_fail(k->ctx, SS_ERR_INTERRUPTED, "interrupted");
        }
    }
    return SS_OK;
}

static void work(sweep *w)
{
    worker    k;
    ss_status status = worker_start(w, &k);
    if (status == SS_OK) {
        status = compute_trials(w, &k);
    }
    if (status != SS_OK) {
#pragma omp critical(ss_sweep)
        fail(w, k.ctx, status);
    }
    worker_end(&k);
}

/* ---- several processes ---- */

static int32_t hand_out(void *user, int64_t *trials, int32_t room)
{
    sweep  *w     = user;
    int32_t count = 0;
    if (w->def->interrupt != NULL && *w->def->interrupt != 0) {
        return 0;
    }
    while (count < room) {
        int64_t trial = take_next(w);
        if (trial < 0) {
            break;
        }
        trials[count++] = trial;
    }
    return count;
}

static void take_back(void *user, const ss_trial *trial)
{
    sweep *w = user;
    deliver(w, w->ctx, SS_OK, trial);
}

static void note_failure(void *user, ss_status status, const char *message)
{
    sweep *w = user;
#pragma omp critical(ss_sweep)
    if (w->status == SS_OK) {
        w->status = status;
        snprintf(w->message, sizeof w->message, "%s", message);
    }
}

static int64_t count_left(void *user)
{
    const sweep *w = user;
    return w->trials->count - w->next;
}

/* Process 0: one thread serves the others, one computes. */
static void lead(sweep *w, const ss_ranks *r)
{
    const ss_ranks_master master = {w, hand_out, take_back, note_failure, count_left};
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        ss_ranks_serve(w->study, r, &master);
#pragma omp section
        work(w);
    }
}

static ss_status compute_one(void *user, int64_t trial, ss_trial *out)
{
    worker *k = user;
    return ss_trial_compute(&k->run, trial, out);
}

/* Any other process. */
static ss_status follow(sweep *w)
{
    worker    k;
    ss_status status = worker_start(w, &k);
    if (status == SS_OK) {
        status = ss_ranks_work(k.ctx, w->study, compute_one, &k);
    }
    if (status != SS_OK && k.ctx != NULL) {
        ss_fail(w->ctx, status, "%s", ss_context_message(k.ctx));
    }
    worker_end(&k);
    return status;
}

/* ---- one process ---- */

/* Threads that the machine has and the sweep can use. */
static int32_t thread_count(const sweep *w)
{
    int64_t wanted = w->def->threads, left = w->trials->of_status[SS_TRIAL_PENDING];
#ifdef SS_HAVE_OPENMP
    wanted = wanted > 0 ? wanted : omp_get_num_procs();
    wanted = wanted < SS_THREADS_MAX ? wanted : SS_THREADS_MAX;
#else
    wanted = 1;
#endif
    return (int32_t)(wanted < left ? wanted : left > 0 ? left : 1);
}

static void run_workers(sweep *w, const ss_ranks *r)
{
    if (r->count > 1) {
        lead(w, r);
        return;
    }
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
        ss_store_open(w->ctx, w->study, w->def->out, SS_STORE_READ, &old) != SS_OK) {
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
        SS_TRY(ss_store_open(w->ctx, w->study, w->def->out, SS_STORE_ADD, &w->store));
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

/* All of process 0; alone it is the only one. */
static ss_status sweep_here(sweep *w, const ss_ranks *r)
{
    ss_status status = open_store(w);
    if (status == SS_OK) {
        run_workers(w, r);
        status = w->status != SS_OK ? ss_fail(w->ctx, w->status, "%s", w->message) : SS_OK;
    } else if (r->count > 1) {
        w->status                    = status; /* so that nothing is handed out */
        const ss_ranks_master master = {w, hand_out, take_back, note_failure, count_left};
        ss_ranks_serve(w->study, r, &master);
    }
    ss_status closed = ss_store_close(w->store);
    return status != SS_OK ? status : closed;
}

ss_status ss_study_sweep(ss_context *ctx, const ss_study *s, const ss_sweep_def *def,
                         ss_trials **out)
{
    ss_ranks ranks;
    SS_TRY(check(ctx, s, def, out));
    *out = NULL;
    if (s->kind == SS_STUDY_IDENTIFY || s->kind == SS_STUDY_PLAN) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: this study is no `sweep`", s->path);
    }
    sweep w = {.ctx = ctx, .study = s, .def = def};
    SS_TRY(ss_ranks_find(ctx, &ranks));
    if (ranks.count > 1 && def->threads > 1) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "under mpirun every process is one worker: start more of them instead of "
                       "%d threads",
                       (int)def->threads);
    }
    if (ranks.rank > 0) {
        return follow(&w);
    }
    SS_TRY(ss_trials_create(ctx, s, &w.trials));
    ss_status status = sweep_here(&w, &ranks);
    if (status != SS_OK && status != SS_ERR_INTERRUPTED) {
        ss_trials_destroy(w.trials);
        return status;
    }
    *out = w.trials;
    return status;
}
