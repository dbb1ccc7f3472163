/* SPDX-License-Identifier: Apache-2.0 */
/* `run --branch`: every motion that the laws allow, where they allow several. */
#ifndef SS_CLI_FUTURES_H
#define SS_CLI_FUTURES_H

#include <stdbool.h>

#include "stickslip/series.h"

typedef struct ss_futures_args {
    const char            *scene; /* its name */
    const ss_scene_source *source;
    const char            *model; /* NULL: the scene's */
    int32_t                most, depth;
    const char            *page; /* NULL: no report */
    bool                   json, quiet;
} ss_futures_args;

/* Follows them, writes the report, prints the tree. *certified: all came to their end. */
ss_status ss_futures_run(ss_context *ctx, const ss_futures_args *args, bool *certified);

#endif
