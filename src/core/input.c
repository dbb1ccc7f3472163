/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* fdopen; NOLINT(bugprone-reserved-identifier) */
#include "core/input.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/context.h"
#include "stickslip/output.h"

/* ---- the files that were read ---- */

typedef struct identity {
    uint64_t device, inode;
    bool     used;
} identity;

/* A set with open addressing, shared by the contexts of all threads. */
struct ss_inputs {
    pthread_mutex_t lock;
    identity       *slots;
    size_t          count, room; /* room: a power of two */
};

ss_status ss_context_keep_inputs(ss_context *ctx)
{
    if (ctx->inputs == NULL) {
        ctx->inputs = ss_alloc(ctx, 1, sizeof *ctx->inputs);
        if (ctx->inputs == NULL || pthread_mutex_init(&ctx->inputs->lock, NULL) != 0) {
            return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the names of files");
        }
        ctx->owns_inputs = true;
    }
    return SS_OK;
}

void ss_inputs_free(ss_context *ctx)
{
    if (ctx->inputs != NULL && ctx->owns_inputs) {
        pthread_mutex_destroy(&ctx->inputs->lock);
        ss_free(ctx, ctx->inputs->slots, ctx->inputs->room * sizeof(identity));
        ss_free(ctx, ctx->inputs, sizeof *ctx->inputs);
    }
    ctx->inputs = NULL;
}

/* Where it is, or would be. */
static identity *slot_of(const struct ss_inputs *x, uint64_t device, uint64_t inode)
{
    size_t at = (size_t)((inode ^ device << 32) * 0x9e3779b97f4a7c15u >> 20);
    for (;; at++) {
        identity *s = &x->slots[at & (x->room - 1)];
        if (!s->used || (s->device == device && s->inode == inode)) {
            return s;
        }
    }
}

static bool grow(ss_context *ctx, struct ss_inputs *x)
{
    struct ss_inputs old = *x;
    x->room              = old.room > 0 ? 2 * old.room : 64;
    x->slots             = ss_alloc(ctx, x->room, sizeof *x->slots);
    if (x->slots == NULL) {
        x->slots = old.slots;
        x->room  = old.room;
        return false;
    }
    for (size_t i = 0; i < old.room; i++) {
        if (old.slots[i].used) {
            *slot_of(x, old.slots[i].device, old.slots[i].inode) = old.slots[i];
        }
    }
    ss_free(ctx, old.slots, old.room * sizeof *old.slots);
    return true;
}

static ss_status remember(ss_context *ctx, const struct stat *info)
{
    struct ss_inputs *x = ctx->inputs;
    if (x == NULL) {
        return SS_OK;
    }
    pthread_mutex_lock(&x->lock);
    bool ok = 2 * x->count < x->room || grow(ctx, x);
    if (ok) {
        identity *s = slot_of(x, (uint64_t)info->st_dev, (uint64_t)info->st_ino);
        x->count += !s->used;
        *s = (identity){(uint64_t)info->st_dev, (uint64_t)info->st_ino, true};
    }
    pthread_mutex_unlock(&x->lock);
    return ok ? SS_OK : ss_fail(ctx, SS_ERR_MEMORY, "no memory for the names of files");
}

bool ss_input_is_kept(const ss_context *ctx, const char *path)
{
    struct ss_inputs *x = ctx->inputs;
    struct stat       info;
    if (x == NULL || stat(path, &info) != 0) {
        return false;
    }
    pthread_mutex_lock(&x->lock);
    bool kept = x->room > 0 && slot_of(x, (uint64_t)info.st_dev, (uint64_t)info.st_ino)->used;
    pthread_mutex_unlock(&x->lock);
    return kept;
}

/* ---- opening ---- */

static ss_status not_opened(ss_context *ctx, const char *path)
{
    return ss_fail(ctx, SS_ERR_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
}

static ss_status judge(ss_context *ctx, const char *path, const struct stat *info, int64_t most)
{
    if (!S_ISREG(info->st_mode)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: is not a file, but %s", path,
                       S_ISDIR(info->st_mode)    ? "a folder"
                       : S_ISFIFO(info->st_mode) ? "a pipe"
                                                 : "a device");
    }
    return (int64_t)info->st_size <= most
               ? SS_OK
               : ss_fail(ctx, SS_ERR_INPUT, "%s: too large: %lld bytes, at most %lld are read",
                         path, (long long)info->st_size, (long long)most);
}

/* A pipe that is opened without O_NONBLOCK would wait for somebody to write to it. */
static ss_status open_regular(ss_context *ctx, const char *path, int64_t most, int *file,
                              struct stat *info)
{
    *file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*file < 0 || fstat(*file, info) != 0) {
        ss_status status = not_opened(ctx, path);
        if (*file >= 0) {
            close(*file);
        }
        return status;
    }
    ss_status status = judge(ctx, path, info, most);
    if (status != SS_OK) {
        close(*file);
    }
    return status;
}

ss_status ss_input_open(ss_context *ctx, const char *path, int64_t most, int *file, size_t *size)
{
    struct stat info;
    SS_TRY(open_regular(ctx, path, most, file, &info));
    ss_status status = remember(ctx, &info);
    if (status != SS_OK) {
        close(*file);
    }
    *size = (size_t)info.st_size;
    return status;
}

bool ss_input_whole(int file, void *bytes, size_t size)
{
    for (size_t have = 0; have < size;) {
        ssize_t n = read(file, (char *)bytes + have, size - have);
        if (n <= 0) {
            return false;
        }
        have += (size_t)n;
    }
    return true;
}

static ss_status as_stream(ss_context *ctx, const char *path, int file, FILE **out)
{
    *out = fdopen(file, "rb");
    if (*out == NULL) {
        ss_status status = not_opened(ctx, path);
        close(file);
        return status;
    }
    return SS_OK;
}

ss_status ss_input_stream(ss_context *ctx, const char *path, int64_t most, FILE **out)
{
    int    file;
    size_t size;
    *out = NULL;
    SS_TRY(ss_input_open(ctx, path, most, &file, &size));
    return as_stream(ctx, path, file, out);
}

ss_status ss_input_look(ss_context *ctx, const char *path, int64_t most, size_t *size)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return not_opened(ctx, path);
    }
    SS_TRY(judge(ctx, path, &info, most));
    if (size != NULL) {
        *size = (size_t)info.st_size;
    }
    return remember(ctx, &info);
}
