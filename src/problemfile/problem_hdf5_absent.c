/* SPDX-License-Identifier: Apache-2.0 */
/* The HDF5 formats in a build without HDF5: they recognise their files and say what is missing. */
#include <string.h>

#include "problemfile/problem_format.h"

static bool sniff(const ss_source *source)
{
    return source->size > 4 && memcmp(source->bytes, "\x89HDF", 4) == 0;
}

static ss_status absent(ss_context *ctx, const char *name)
{
    return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                   "%s: HDF5 files need a build with the HDF5 library, which this one lacks", name);
}

static ss_status read(ss_source *source, ss_pool *pool, ss_stored_problem *out)
{
    (void)pool;
    (void)out;
    return absent(source->ctx, source->name);
}

static ss_status write(ss_pool *pool, const ss_stored_problem *content, const char *path)
{
    (void)content;
    return absent(pool->ctx, path);
}

const ss_problem_class ss_format_stickslip = {{"stickslip",
                                               "HDF5 of this project (not in this build)", 0,
                                               SS_LCP | SS_MLCP | SS_MCP | SS_CONE},
                                              sniff,
                                              read,
                                              write};

const ss_problem_class ss_format_fclib = {
    {"fclib", "FCLIB HDF5 (not in this build)", 0, SS_CONE}, sniff, read, write};
