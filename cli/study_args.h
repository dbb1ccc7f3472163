/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that take a study share. */
#ifndef SS_CLI_STUDY_ARGS_H
#define SS_CLI_STUDY_ARGS_H

#include "args.h"
#include "stickslip/study.h"

/* Reads a study: a file or builtin:NAME, and so may be its scene. */
ss_status ss_cli_load_study(ss_context *ctx, const char *path, const ss_arg_list *set,
                            ss_study **out);
/* Is it a study rather than a scene? builtin:NAME is a scene where there are both. */
bool ss_cli_is_study(const char *path);
/* For ss_study_def.find_scene: built-in scenes. */
bool ss_cli_find_scene(void *user, const char *name, const char **text, size_t *length);
/* "study.h5" for "dir/study.yaml" and ".h5": results go where the command is run. */
void ss_cli_study_file(const char *study, const char *ending, char *out, size_t size);

#endif
