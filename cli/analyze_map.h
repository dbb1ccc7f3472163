/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip analyze --map`: the verdicts of many scenes, over one or two of their values. */
#ifndef SS_CLI_ANALYZE_MAP_H
#define SS_CLI_ANALYZE_MAP_H

#include "scene_args.h"
#include "stickslip/sim.h"

typedef struct ss_map_args {
    const char          *scene;
    const ss_scene_args *scene_args;
    const ss_arg_list   *axes; /* PATH=LOW:HIGH:COUNT, one or two */
    double               at;   /* time of the step that is asked about */
    const char          *csv;  /* NULL: no file */
    bool                 json, quiet;
} ss_map_args;

/* To time `at`, and one step more: what is asked is about that step. `note` may be NULL. */
ss_status ss_analyze_run_to(const ss_model *m, ss_data *d, double at, bool quiet,
                            void (*note)(void *user, const ss_data *d), void *user);

ss_status ss_analyze_map(ss_context *ctx, const ss_map_args *args);

#endif
