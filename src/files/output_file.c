/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* PATH_MAX, pread; NOLINT(bugprone-reserved-identifier) */
#include "stickslip/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/part_file.h"

struct ss_output_file {
    ss_context *ctx;
    ss_part     part; /* of regular files */
    bool        direct;
    FILE       *stream;
    const char *path; /* as given; kept in `names` */
    ss_pool     names;
};

static ss_status failed(const ss_output_file *o)
{
    return ss_fail(o->ctx, SS_ERR_IO, "%s: cannot be written: %s", o->path,
                   errno != 0 ? strerror(errno) : "not all of it arrived");
}

/* Devices and pipes: there is nothing to replace. */
static bool is_stream(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static ss_status start(ss_output_file *o, const char *path)
{
    int ok  = 1;
    o->path = ss_pool_text(&o->names, path, &ok);
    if (!ok) {
        return ss_fail(o->ctx, SS_ERR_MEMORY, "%s: no memory", path);
    }
    o->direct = is_stream(path);
    if (!o->direct) {
        SS_TRY(ss_part_open(&o->part, o->ctx, path));
    }
    errno     = 0;
    o->stream = fopen(o->direct ? path : o->part.part, o->direct ? "wb" : "r+b");
    return o->stream != NULL ? SS_OK : failed(o);
}

ss_status ss_output_test(ss_context *ctx, const char *path)
{
    return path == NULL || is_stream(path) ? SS_OK : ss_part_test(ctx, path);
}

/* The folder of a path, and what follows it. */
static const char *split(const char *path, char *folder, size_t size)
{
    const char *slash = strrchr(path, '/');
    int         many  = slash == NULL ? 0 : slash == path ? 1 : (int)(slash - path);
    snprintf(folder, size, "%.*s", slash == NULL ? 1 : many, slash == NULL ? "." : path);
    return slash == NULL ? path : slash + 1;
}

bool ss_output_same(const char *a, const char *b)
{
    struct stat x, y;
    bool        has_a = stat(a, &x) == 0, has_b = stat(b, &y) == 0;
    if (has_a && has_b) {
        return S_ISREG(x.st_mode) && x.st_ino == y.st_ino && x.st_dev == y.st_dev;
    }
    char        folder_a[PATH_MAX], folder_b[PATH_MAX];
    const char *name_a = split(a, folder_a, sizeof folder_a);
    const char *name_b = split(b, folder_b, sizeof folder_b);
    return !has_a && !has_b && strcmp(name_a, name_b) == 0 &&
           (strcmp(folder_a, folder_b) == 0 ||
            (stat(folder_a, &x) == 0 && stat(folder_b, &y) == 0 && x.st_ino == y.st_ino &&
             x.st_dev == y.st_dev));
}

ss_status ss_output_open(ss_context *ctx, const char *path, ss_output_file **out)
{
    *out              = NULL;
    ss_output_file *o = ss_alloc(ctx, 1, sizeof *o);
    if (o == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
    }
    *o               = (ss_output_file){.ctx = ctx, .part = {.lock = -1}, .names = {.ctx = ctx}};
    ss_status status = start(o, path);
    if (status != SS_OK) {
        (void)ss_output_close(o, status);
        return status;
    }
    *out = o;
    return SS_OK;
}

FILE *ss_output_stream(const ss_output_file *o)
{
    return o->stream;
}

ss_status ss_output_check(const ss_output_file *o)
{
    return ferror(o->stream) ? failed(o) : SS_OK;
}

/* Where the last whole line of a file ends that has more than one; 0: there is none. */
static off_t end_of_lines(int file)
{
    char    block[4096];
    off_t   at = 0, end = 0;
    int64_t lines = 0;
    for (ssize_t n; (n = pread(file, block, sizeof block, at)) > 0; at += n) {
        for (ssize_t i = 0; i < n; i++) {
            if (block[i] == '\n') {
                end = at + i + 1;
                lines++;
            }
        }
    }
    return lines > 1 ? end : 0;
}

/* Whole lines of the part stay: of a table, what could be written. False: there is nothing. */
static bool keep_lines(ss_output_file *o)
{
    int   file = o->part.part != NULL ? open(o->part.part, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    off_t end  = file >= 0 ? end_of_lines(file) : 0;
    bool  kept = end > 0 && ftruncate(file, end) == 0;
    if (file >= 0) {
        close(file);
    }
    if (kept) {
        ss_log(o->ctx, SS_LOG_NOTICE, "what was written of %s is in %s", o->path, o->part.part);
    }
    return kept;
}

static ss_status end(ss_output_file *o, ss_status so_far, bool lines_stay)
{
    if (o == NULL) {
        return so_far;
    }
    if (o->stream != NULL) {
        errno    = 0;
        bool bad = fflush(o->stream) != 0 || ferror(o->stream) != 0;
        bad      = fclose(o->stream) != 0 || bad;
        so_far   = so_far == SS_OK && bad ? failed(o) : so_far;
    }
    if (so_far == SS_OK && !o->direct) {
        so_far = ss_part_finish(&o->part);
    }
    bool kept = so_far != SS_OK && lines_stay && keep_lines(o);
    ss_part_release(&o->part, !kept);
    ss_pool_free(&o->names);
    ss_free(o->ctx, o, sizeof *o);
    return so_far;
}

ss_status ss_output_close(ss_output_file *o, ss_status so_far)
{
    return end(o, so_far, false);
}

ss_status ss_output_close_table(ss_output_file *o, ss_status so_far)
{
    return end(o, so_far, true);
}
