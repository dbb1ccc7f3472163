/* SPDX-License-Identifier: Apache-2.0 */
#include "stickslip/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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

ss_status ss_output_close(ss_output_file *o, ss_status so_far)
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
    ss_part_release(&o->part, true);
    ss_pool_free(&o->names);
    ss_free(o->ctx, o, sizeof *o);
    return so_far;
}
