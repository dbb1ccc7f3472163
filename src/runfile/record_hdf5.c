/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder of run files. At every moment the file under the given name is a complete, closed
 * HDF5 file, whatever happens to the process: HDF5 updates a file in many places, so a file that is
 * being extended is never the one that can be seen. There are two, `run.h5` and `run.h5.next`. A
 * commit opens the hidden one, appends the states it lacks, closes it, and exchanges the two names
 * by renaming, which the operating system does as a whole or not at all. The last commit removes
 * the older file (docs/decisions/run-files.md tells why not SWMR).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/pool.h"
#include "files/buffer.h"
#include "runfile/run_describe.h"
#include "runfile/run_hdf5.h"

/* Commit after this much time or data, and never so often that it takes a fifth of the run. */
static const double commit_seconds = 0.25;
enum { COMMIT_STATES = 65536, COMMIT_BYTES = 16 << 20, COMMIT_SHARE = 4 };

typedef struct state {
    ss_run_rows rows;         /* what at least one of the two files does not have yet */
    char       *hidden, *old; /* path.next, path.old */
    size_t      name_size;
    int64_t     in_visible, in_hidden; /* states that each file has */
    double      last, next;            /* monotonic clock: last commit, earliest next one */
    bool        placed;                /* the visible name is ours */
} state;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ss_status io_error(ss_recorder *r, const char *path)
{
    return ss_fail(ss_recorder_context(r), SS_ERR_IO, "%s: %s", path, strerror(errno));
}

static bool copy_bytes(FILE *from, FILE *to)
{
    char   block[1 << 16];
    size_t n;
    while ((n = fread(block, 1, sizeof block, from)) > 0) {
        if (fwrite(block, 1, n, to) != n) {
            return false;
        }
    }
    return !ferror(from);
}

static ss_status copy_file(ss_recorder *r, const char *from, const char *to)
{
    FILE *in = fopen(from, "rb");
    if (in == NULL) {
        return io_error(r, from);
    }
    FILE *out = fopen(to, "wb");
    bool  ok  = out != NULL && copy_bytes(in, out);
    if (out != NULL && fclose(out) != 0) {
        ok = false;
    }
    fclose(in);
    return ok ? SS_OK : io_error(r, to);
}

/* The hidden file becomes the visible one and the other way round; the visible name always exists.
 */
static ss_status exchange(ss_recorder *r)
{
    state      *s    = ss_recorder_state(r);
    const char *path = ss_recorder_path(r);
    unlink(s->old);
    bool kept = link(path, s->old) == 0;
    if (rename(s->hidden, path) != 0) {
        return io_error(r, path);
    }
    if (!kept) { /* a file system without links: start again from a copy */
        SS_TRY(copy_file(r, path, s->hidden));
        s->in_visible = s->in_hidden;
        return SS_OK;
    }
    if (rename(s->old, s->hidden) != 0) {
        return io_error(r, s->hidden);
    }
    int64_t in    = s->in_visible;
    s->in_visible = s->in_hidden;
    s->in_hidden  = in;
    return SS_OK;
}

/* Somebody reads what used to be the visible file: leave it to them and work on a copy. */
static ss_status step_aside(ss_recorder *r)
{
    state *s = ss_recorder_state(r);
    unlink(s->hidden);
    SS_TRY(copy_file(r, ss_recorder_path(r), s->hidden));
    s->in_hidden = s->in_visible;
    return SS_OK;
}

static ss_status extend_hidden(ss_recorder *r, const ss_run_figure *figures, int32_t count)
{
    state      *s   = ss_recorder_state(r);
    ss_context *ctx = ss_recorder_context(r);
    if (ss_run_hdf5_append(ctx, s->hidden, &s->rows, s->in_hidden, figures, count) == SS_OK) {
        return SS_OK;
    }
    SS_TRY(step_aside(r));
    return ss_run_hdf5_append(ctx, s->hidden, &s->rows, s->in_hidden, figures, count);
}

static ss_status commit(ss_recorder *r, const ss_run_figure *figures, int32_t count)
{
    state *s     = ss_recorder_state(r);
    double start = now();
    SS_TRY(extend_hidden(r, figures, count));
    s->in_hidden = s->rows.first_step + s->rows.steps;
    SS_TRY(exchange(r));
    int64_t both = s->in_visible < s->in_hidden ? s->in_visible : s->in_hidden;
    ss_run_rows_drop(&s->rows, (int32_t)(both - s->rows.first_step));
    s->last = now();
    s->next = s->last + COMMIT_SHARE * (s->last - start);
    return SS_OK;
}

static char *suffixed(ss_context *ctx, const char *path, const char *suffix, size_t size)
{
    char *name = ss_alloc(ctx, size, 1);
    if (name != NULL) {
        snprintf(name, size, "%s%s", path, suffix);
    }
    return name;
}

static const char *type_name(ss_body_type type)
{
    static const char *const names[] = {"static", "kinematic", "dynamic", "particle"};
    return names[type];
}

static ss_status create_file(ss_recorder *r, const ss_run_info *info, const char *description)
{
    state            *s       = ss_recorder_state(r);
    ss_context       *ctx     = ss_recorder_context(r);
    int32_t           nb      = s->rows.size.bodies;
    ss_pool           pool    = {.ctx = ctx};
    const char      **names   = ss_pool_alloc(&pool, (size_t)nb, sizeof *names);
    const char      **types   = ss_pool_alloc(&pool, (size_t)nb, sizeof *types);
    double           *masses  = ss_pool_alloc(&pool, (size_t)nb, sizeof *masses);
    const ss_run_text texts[] = {
        {"description", description},
        {"scene/name", info->scene_name},
        {"scene/path", info->scene_path != NULL ? info->scene_path : ""},
        {"scene/text", info->scene_text != NULL ? info->scene_text : ""},
        {"scene/resolved", info->resolved != NULL ? info->resolved : ""},
    };
    ss_status status = SS_ERR_MEMORY;
    if (names != NULL && types != NULL && masses != NULL) {
        for (int32_t b = 0; b < nb; b++) {
            names[b]  = ss_model_body_name(info->model, b);
            types[b]  = type_name(ss_model_body_type(info->model, b));
            masses[b] = ss_model_mass(info->model, b);
        }
        ss_run_bodies bodies = {names, types, masses, nb};
        status               = ss_run_hdf5_create(ctx, s->hidden, &s->rows.size, texts,
                                                  (int32_t)(sizeof texts / sizeof texts[0]), &bodies);
    }
    ss_pool_free(&pool);
    return status;
}

/* A file without states is there before the first step. */
static ss_status open_file(ss_recorder *r, const ss_run_info *info)
{
    state      *s   = ss_recorder_state(r);
    ss_context *ctx = ss_recorder_context(r);
    ss_buffer   description;
    ss_buffer_start(&description, ctx);
    ss_run_describe(&description, ctx, info);
    ss_status status = ss_buffer_status(&description);
    if (status == SS_OK) {
        status = create_file(r, info, description.bytes);
    }
    ss_buffer_release(&description);
    SS_TRY(status);
    SS_TRY(copy_file(r, s->hidden, s->old));
    s->placed = rename(s->old, ss_recorder_path(r)) == 0;
    return s->placed ? SS_OK : io_error(r, ss_recorder_path(r));
}

static ss_status start(ss_recorder *r, const ss_run_info *info)
{
    state      *s    = ss_recorder_state(r);
    ss_context *ctx  = ss_recorder_context(r);
    const char *path = ss_recorder_path(r);
    ss_run_size size = ss_run_size_of(info->model);
    ss_run_rows_start(&s->rows, ctx, &size);
    s->rows.step = info->step;
    s->name_size = strlen(path) + sizeof ".next";
    s->hidden    = suffixed(ctx, path, ".next", s->name_size);
    s->old       = suffixed(ctx, path, ".old", s->name_size);
    s->last      = now();
    if (s->hidden == NULL || s->old == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "%s: no memory for its name", path);
    }
    return open_file(r, info);
}

/* Is it time to commit? The start is there at once, the rest follows by the clock. */
static bool due(const state *s)
{
    const ss_run_rows *rows  = &s->rows;
    int64_t            fresh = rows->first_step + rows->steps - s->in_visible;
    double             bytes =
        (double)fresh * 13 * 8 * (rows->size.bodies + 1) + (double)rows->contacts * 28 * 8;
    if (s->in_visible == 0 || fresh >= COMMIT_STATES || bytes >= COMMIT_BYTES) {
        return true;
    }
    double t = now();
    return t - s->last >= commit_seconds && t >= s->next;
}

static ss_status append(ss_recorder *r, const ss_model *m, const ss_data *d)
{
    state *s = ss_recorder_state(r);
    SS_TRY(ss_run_rows_collect(&s->rows, m, d));
    return due(s) ? commit(r, NULL, 0) : SS_OK;
}

static void release(ss_recorder *r)
{
    state      *s   = ss_recorder_state(r);
    ss_context *ctx = ss_recorder_context(r);
    ss_run_rows_release(&s->rows);
    ss_free(ctx, s->hidden, s->hidden != NULL ? s->name_size : 0);
    ss_free(ctx, s->old, s->old != NULL ? s->name_size : 0);
    *s = (state){0};
}

static ss_status finish(ss_recorder *r, const ss_run_result *result)
{
    state              *s         = ss_recorder_state(r);
    const ss_run_figure figures[] = {
        {"status", (double)result->status},
        {"steps", (double)result->steps},
        {"splits", (double)result->splits},
        {"marked", (double)result->marked},
        {"time", result->time},
        {"wall_seconds", result->wall_seconds},
        {"residual_max", result->residual_max},
        {"penetration_max", result->penetration_max},
        {"contacts_max", (double)result->contacts_max},
        {"iterations", (double)result->iterations},
        {"energy_initial", result->initial.kinetic + result->initial.potential},
        {"energy_final", result->final.kinetic + result->final.potential},
        {"dissipated", result->final.dissipated},
    };
    ss_status status = commit(r, figures, (int32_t)(sizeof figures / sizeof figures[0]));
    unlink(s->hidden);
    release(r);
    return status;
}

static void discard(ss_recorder *r)
{
    state *s = ss_recorder_state(r);
    if (s->hidden != NULL) {
        unlink(s->hidden);
    }
    if (s->placed) {
        unlink(ss_recorder_path(r));
    }
    release(r);
}

const ss_recorder_class ss_recorder_hdf5 = {.name       = "hdf5",
                                            .summary    = "run files, readable from many languages",
                                            .state_size = sizeof(state),
                                            .open       = start,
                                            .append     = append,
                                            .close      = finish,
                                            .discard    = discard};
