/* SPDX-License-Identifier: Apache-2.0 */
/* What every command that takes a scene shares: its options, and loading file or built-in scene. */
#ifndef SS_CLI_SCENE_ARGS_H
#define SS_CLI_SCENE_ARGS_H

#include "args.h"
#include "stickslip/scene_file.h"

typedef struct ss_scene_args {
    ss_arg_list set;            /* --set PATH=VALUE                        */
    double      step, duration; /* --step, --duration; < 0: the scene's    */
    double      step_limit;     /* --step-limit; < 0: the scene's          */
    double      step_budget;    /* --step-budget; < 0: the scene's         */
    const char *model, *solver; /* --model, --solver; NULL: the scene's    */
} ss_scene_args;

/* Rows of an argument table. */
#define SS_SCENE_ARGS(a)                                                                           \
    {"--set", SS_ARG_LIST, &(a)->set, "PATH=VALUE", 0, 0, "change a value of the scene"},          \
        {"--step", SS_ARG_REAL, &(a)->step, "H", 1e-12, 1e9, "time step in seconds"},              \
        {"--duration", SS_ARG_REAL, &(a)->duration, "T", 0, 1e300, "time to simulate in seconds"}, \
        {"--model",                                                                                \
         SS_ARG_TEXT,                                                                              \
         &(a)->model,                                                                              \
         "AXIS=VALUE,..",                                                                          \
         0,                                                                                        \
         0,                                                                                        \
         "model, for example cone=polygon:8,gap=velocity"},                                        \
        {"--step-limit",                                                                           \
         SS_ARG_REAL,                                                                              \
         &(a)->step_limit,                                                                         \
         "S",                                                                                      \
         0,                                                                                        \
         1e9,                                                                                      \
         "seconds of computing for a step; 0: any"},                                               \
        {"--step-budget",                                                                          \
         SS_ARG_REAL,                                                                              \
         &(a)->step_budget,                                                                        \
         "S",                                                                                      \
         0,                                                                                        \
         1e9,                                                                                      \
         "seconds after which a step is taken as it is, marked"},                                  \
    {                                                                                              \
        "--solver", SS_ARG_TEXT, &(a)->solver, "NAME", 0, 0, "`stickslip list` names them"         \
    }

ss_scene_args ss_scene_args_default(void);

/* `name` is a path, or builtin:NAME for a scene that is part of the command. */
ss_status ss_cli_load_scene(ss_context *ctx, const char *name, const ss_scene_args *a,
                            ss_scene **out);

/* The same, parsed once for many scenes. */
ss_status ss_cli_scene_source(ss_context *ctx, const char *name, const ss_scene_args *a,
                              ss_scene_source **out);

#endif
