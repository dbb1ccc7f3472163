/* SPDX-License-Identifier: Apache-2.0 */
/* Names of files to be written, checked before anything is computed. */
#ifndef SS_CLI_OUTPUTS_H
#define SS_CLI_OUTPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "stickslip/output.h"

typedef struct ss_output {
    const char *option; /* "--csv" */
    const char *path;   /* NULL: not asked for */
    const char *ending; /* ".csv": what such files are called; "": as the user likes */
} ss_output;

/*
 * False, after a usage message, when an output is one of the inputs that are named (NULL: left
 * out), or is written twice, or has the ending of another kind of file, as in `--out run.csv`.
 * Outputs that are files which those lead to (includes, meshes, recordings) are refused when they
 * have been read (ss_output_test).
 */
bool ss_cli_outputs(const char *command, const char *const *inputs, int32_t input_count,
                    const ss_output *outputs, int32_t count);

#endif
