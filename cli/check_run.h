/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip check RUN.h5`: the scene in the file is run again and must give the same bits. */
#ifndef SS_CLI_CHECK_RUN_H
#define SS_CLI_CHECK_RUN_H

#include <stdbool.h>

#include "cli.h"

/* Prints what came out; returns the exit code: 0 the same, 1 not. */
int ss_cli_check_run(ss_context *ctx, const char *path, bool json, bool quiet);

#endif
