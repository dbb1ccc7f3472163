/* SPDX-License-Identifier: Apache-2.0 */
/* Plug-ins on the command line: every context that a command makes (ss_cli_context) has them. */
#ifndef SS_CLI_PLUGIN_ARGS_H
#define SS_CLI_PLUGIN_ARGS_H

#include "args.h"
#include "cli.h"

typedef struct ss_plugin_args {
    ss_arg_list files; /* --plugin FILE                     */
    bool        allow; /* --allow-plugins: scenes may load theirs */
} ss_plugin_args;

extern ss_plugin_args ss_cli_plugins;

/* Rows of an argument table. */
#define SS_PLUGIN_ARGS                                                                             \
    {"--plugin",                                                                                   \
     SS_ARG_LIST,                                                                                  \
     &ss_cli_plugins.files,                                                                        \
     "FILE",                                                                                       \
     0,                                                                                            \
     0,                                                                                            \
     "load a plug-in, a shared object; may be repeated"},                                          \
    {                                                                                              \
        "--allow-plugins", SS_ARG_FLAG, &ss_cli_plugins.allow, NULL, 0, 0,                         \
            "scenes may load the plug-ins that they name"                                          \
    }

/* Loads them into a context; the message is in it when one cannot be. */
ss_status ss_cli_load_plugins(ss_context *ctx);

#endif
