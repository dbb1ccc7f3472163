/* SPDX-License-Identifier: Apache-2.0 */
/* `run --convergence h1,h2,..`: the same scene with several steps, against the finest of them. */
#ifndef SS_CLI_CONVERGENCE_H
#define SS_CLI_CONVERGENCE_H

#include <stdbool.h>

#include "stickslip/series.h"

enum { SS_CONVERGENCE_MAX = 16 };

/* Reads "0.01,0.005,..". False: not a list of 2 or more positive numbers. */
bool ss_convergence_parse(const char *text, double *steps, int32_t *count);

/* Runs the scene with each step and prints errors and orders as a table and plot, or as JSON. */
ss_status ss_convergence_run(ss_context *ctx, const ss_scene_source *source, const double *steps,
                             int32_t count, int32_t threads, bool json);

#endif
