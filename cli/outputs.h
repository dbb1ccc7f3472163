/* SPDX-License-Identifier: Apache-2.0 */
/* Names of files to be written, checked before anything is computed. */
#ifndef SS_CLI_OUTPUTS_H
#define SS_CLI_OUTPUTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ss_output {
    const char *option; /* "--csv" */
    const char *path;   /* NULL: not asked for */
    const char *ending; /* ".csv": what such files are called; "": as the user likes */
} ss_output;

/*
 * False, after a usage message, when an output is the input (or is written twice), or has the
 * ending of another kind of file, as in `--out run.csv`. `input` may be NULL.
 */
bool ss_cli_outputs(const char *command, const char *input, const ss_output *outputs,
                    int32_t count);

#endif
