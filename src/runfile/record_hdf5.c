/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder of run files. Until the run ends they are called NAME.XXXXXX.part
 * (files/part_file.h), and at every moment that is a complete, closed HDF5 file, whatever happens
 * to the process: HDF5 updates a file in many places, so a file that is being extended is never the
 * one that can be seen. There are two, .part and .spare. A commit opens the spare one, appends the
 * states it lacks, closes it, and exchanges the two names by renaming, which the operating system
 * does as a whole or not at all. The end of the run syncs the part and gives it its name
 * (docs/decisions/0004-run-files-in-pairs.md tells why not SWMR).
 *
 * HDF5 1.10 does not survive a write that fails: it crashes when the process ends. So the first
 * bytes are made in memory and written here, and the space for each commit is reserved before HDF5
 * may write. When that fails the run ends, and what was committed stays.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/context.h"
#include "files/part_file.h"
#include "runfile/run_describe.h"
#include "runfile/run_hdf5.h"
#include "runfile/tolerances.h"

typedef struct state {
    ss_run_rows rows; /* what at least one of the two files does not have yet */
    ss_part     part;
    int64_t     in_visible, in_hidden; /* states that each file has */
    double      last, next;            /* monotonic clock: last commit, earliest next one */
    bool        failed;                /* the disk is full: nothing more can be written */
} state;

static ss_status io_error(ss_recorder *r, const char *path)
{
    return ss_fail(ss_recorder_context(r), SS_ERR_IO, "%s: %s", path, strerror(errno));
}

static bool write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(file, bytes, size);
        if (n <= 0) {
            return false;
        }
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

static bool copy_bytes(int from, int to)
{
    char    block[1 << 16];
    ssize_t n;
    while ((n = read(from, block, sizeof block)) > 0) {
        if (!write_all(to, block, (size_t)n)) {
            return false;
        }
    }
    return n == 0;
}

/* A new spare file that is a copy of the visible one. */
static ss_status copy_visible(ss_recorder *r)
{
    state *s  = ss_recorder_state(r);
    int    in = open(s->part.part, O_RDONLY | O_CLOEXEC), out = -1;
    unlink(s->part.spare);
    bool ok = in >= 0 && (out = ss_part_create(s->part.spare)) >= 0 && copy_bytes(in, out);
    if (out >= 0 && close(out) != 0) {
        ok = false;
    }
    ss_status status = ok ? SS_OK : io_error(r, s->part.spare);
    if (in >= 0) {
        close(in);
    }
    s->in_hidden = s->in_visible;
    return status;
}

/* The spare file becomes the visible one and the other way round; the visible name always exists.
 */
static ss_status exchange(ss_recorder *r)
{
    state         *s    = ss_recorder_state(r);
    const ss_part *p    = &s->part;
    bool           kept = link(p->part, p->swap) == 0;
    int64_t        in   = s->in_visible;
    if (rename(p->spare, p->part) != 0) {
        return io_error(r, p->part);
    }
    s->in_visible = s->in_hidden;
    if (!kept) { /* a file system without links: start again from a copy */
        return copy_visible(r);
    }
    s->in_hidden = in;
    return rename(p->swap, p->spare) == 0 ? SS_OK : io_error(r, p->spare);
}

/* Space on the disk for what HDF5 will write; where that cannot be reserved we hope. */
static ss_status reserve(ss_recorder *r)
{
    state      *s    = ss_recorder_state(r);
    int         file = open(s->part.spare, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct stat info;
    if (file < 0 || fstat(file, &info) != 0) {
        ss_status status = io_error(r, s->part.spare);
        if (file >= 0) {
            close(file);
        }
        return status;
    }
    double room = ss_run_hdf5_room(&s->rows, s->in_hidden);
    int    why  = posix_fallocate(file, info.st_size, (off_t)room);
    close(file);
    if (why == ENOSPC || why == EFBIG || why == EDQUOT || why == EIO) {
        errno = why;
        return io_error(r, s->part.part);
    }
    return SS_OK;
}

static ss_status extend_spare(ss_recorder *r, const ss_run_figure *figures, int32_t count)
{
    state      *s    = ss_recorder_state(r);
    ss_context *ctx  = ss_recorder_context(r);
    const char *path = s->part.spare;
    SS_TRY(reserve(r));
    if (ss_run_hdf5_append(ctx, path, &s->rows, s->in_hidden, figures, count) == SS_OK) {
        return SS_OK;
    }
    /* Somebody reads what used to be the visible file: leave it to them and work on a copy. */
    SS_TRY(copy_visible(r));
    SS_TRY(reserve(r));
    return ss_run_hdf5_append(ctx, path, &s->rows, s->in_hidden, figures, count);
}

static ss_status write_commit(ss_recorder *r, const ss_run_figure *figures, int32_t count)
{
    state *s     = ss_recorder_state(r);
    double start = ss_clock_seconds();
    SS_TRY(extend_spare(r, figures, count));
    s->in_hidden = s->rows.first_step + s->rows.steps;
    SS_TRY(exchange(r));
    int64_t both = s->in_visible < s->in_hidden ? s->in_visible : s->in_hidden;
    ss_run_rows_drop(&s->rows, (int32_t)(both - s->rows.first_step));
    s->last = ss_clock_seconds();
    s->next = s->last + SS_RUN_COMMIT_SHARE * (s->last - start);
    return SS_OK;
}

static ss_status commit(ss_recorder *r, const ss_run_figure *figures, int32_t count)
{
    state    *s      = ss_recorder_state(r);
    ss_status status = write_commit(r, figures, count);
    s->failed        = status != SS_OK;
    return status;
}

/* The bytes of a file without states. */
static ss_status make_image(ss_recorder *r, const ss_run_info *info, const char *description,
                            ss_buffer *out)
{
    const state      *s       = ss_recorder_state(r);
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
            types[b]  = ss_run_body_type(info->model, b);
            masses[b] = ss_model_mass(info->model, b);
        }
        ss_run_bodies bodies = {names, types, masses, nb};
        status               = ss_run_hdf5_image(ctx, &s->rows.size, texts,
                                                 (int32_t)(sizeof texts / sizeof texts[0]), &bodies, out);
    }
    ss_pool_free(&pool);
    return status;
}

static ss_status write_image(ss_recorder *r, const ss_buffer *image)
{
    state *s    = ss_recorder_state(r);
    int    file = open(s->part.part, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    bool   ok   = file >= 0 && write_all(file, image->bytes, image->size);
    if (file >= 0 && close(file) != 0) {
        ok = false;
    }
    return ok ? copy_visible(r) : io_error(r, s->part.part);
}

/* A file without states is there before the first step. */
static ss_status open_file(ss_recorder *r, const ss_run_info *info)
{
    ss_context *ctx = ss_recorder_context(r);
    ss_buffer   description, image;
    ss_buffer_start(&description, ctx);
    ss_buffer_start(&image, ctx);
    ss_run_describe(&description, ctx, info);
    ss_status status = ss_buffer_status(&description);
    if (status == SS_OK) {
        status = make_image(r, info, description.bytes, &image);
    }
    if (status == SS_OK) {
        status = write_image(r, &image);
    }
    ss_buffer_release(&image);
    ss_buffer_release(&description);
    return status;
}

static ss_status start(ss_recorder *r, const ss_run_info *info)
{
    state      *s    = ss_recorder_state(r);
    ss_context *ctx  = ss_recorder_context(r);
    ss_run_size size = ss_run_size_of(info->model, info->ranges);
    ss_run_rows_start(&s->rows, ctx, &size);
    s->rows.step = info->step;
    s->last      = ss_clock_seconds();
    SS_TRY(ss_part_open(&s->part, ctx, ss_recorder_path(r)));
    SS_TRY(open_file(r, info));
    ss_log(ctx, SS_LOG_NOTICE, "%s is called %s until the run ends", s->part.name, s->part.part);
    return SS_OK;
}

/* Is it time to commit? The start is there at once, the rest follows by the clock. */
static bool due(const state *s)
{
    const ss_run_rows *rows  = &s->rows;
    int64_t            fresh = rows->first_step + rows->steps - s->in_visible;
    double             bytes =
        (double)fresh * 13 * 8 * (rows->size.bodies + 1) + (double)rows->contacts * 28 * 8;
    if (s->in_visible == 0 || fresh >= SS_RUN_COMMIT_STATES || bytes >= SS_RUN_COMMIT_BYTES) {
        return true;
    }
    double t = ss_clock_seconds();
    return t - s->last >= SS_RUN_COMMIT_SECONDS && t >= s->next;
}

static ss_status append(ss_recorder *r, const ss_model *m, const ss_data *d)
{
    state *s = ss_recorder_state(r);
    SS_TRY(ss_run_rows_collect(&s->rows, m, d));
    return due(s) ? commit(r, NULL, 0) : SS_OK;
}

static void release(ss_recorder *r, bool remove_part)
{
    state *s = ss_recorder_state(r);
    ss_run_rows_release(&s->rows);
    if (s->part.spare != NULL) {
        unlink(s->part.spare);
    }
    ss_part_release(&s->part, remove_part);
    *s = (state){0};
}

static ss_status finish(ss_recorder *r, const ss_run_result *result)
{
    state        *s = ss_recorder_state(r);
    ss_run_figure figures[SS_RUN_FIGURE_COUNT];
    ss_run_figures(result, figures);
    ss_status status = commit(r, figures, SS_RUN_FIGURE_COUNT);
    if (status == SS_OK) {
        status = ss_part_finish(&s->part);
    }
    release(r, false);
    return status;
}

/* The run failed: what it computed stays under the name of the part. A run that never began leaves
 * nothing. The message is about what went wrong, whatever becomes of the file. */
static void discard(ss_recorder *r)
{
    state      *s   = ss_recorder_state(r);
    ss_context *ctx = ss_recorder_context(r);
    char        message[SS_MESSAGE_SIZE];
    bool        begun = s->rows.first_step + s->rows.steps > 0;
    snprintf(message, sizeof message, "%s", ss_context_message(ctx));
    if (begun && !s->failed) {
        (void)commit(r, NULL, 0);
        (void)ss_fail(ctx, SS_ERR_INTERNAL, "%s", message);
    }
    if (begun && s->in_visible > 0) {
        ss_log(ctx, SS_LOG_NOTICE, "the run up to then is in %s", s->part.part);
    }
    release(r, !begun || s->in_visible == 0);
}

const ss_recorder_class ss_recorder_hdf5 = {.name       = "hdf5",
                                            .summary    = "run files, readable from many languages",
                                            .state_size = sizeof(state),
                                            .open       = start,
                                            .append     = append,
                                            .close      = finish,
                                            .discard    = discard};
