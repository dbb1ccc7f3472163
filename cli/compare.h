/* SPDX-License-Identifier: Apache-2.0 */
/* The same scene under other models, beside the run that they are compared with. */
#ifndef SS_CLI_COMPARE_H
#define SS_CLI_COMPARE_H

#include "progress.h"
#include "scene_args.h"
#include "stickslip/report.h"

enum { SS_COMPARE_MAX = 8 };

typedef struct ss_comparison {
    const char   *model; /* as given: "cone=polygon:4" */
    ss_run_result result;
    double        distance; /* of the body that ends furthest from where it ends in the first run */
    char          body[64];
    bool          certified; /* to its end */
} ss_comparison;

/* What the first run was: where its bodies ended. */
typedef struct ss_compare_with {
    const char     *scene_name;
    ss_scene_args   args;
    const ss_model *model;
    const ss_data  *data;
    ss_report      *report; /* every run is added to it; NULL: none */
    bool            quiet;
} ss_compare_with;

/* Runs the scene under `model` to its end. A run that ends early is compared where it ended. */
ss_status ss_compare_run(ss_context *ctx, const ss_compare_with *with, const char *model,
                         ss_comparison *out);

#endif
