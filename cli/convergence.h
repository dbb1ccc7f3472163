/* SPDX-License-Identifier: Apache-2.0 */
/* `run --convergence h1,h2,..`: the same scene with several steps, against the finest of them. */
#ifndef SS_CLI_CONVERGENCE_H
#define SS_CLI_CONVERGENCE_H

#include <stdbool.h>

#include "stickslip/sim.h"

enum { SS_CONVERGENCE_MAX = 16 };

/* Reads "0.01,0.005,.."; steps come out largest first. False: not a list of positive numbers. */
bool ss_convergence_parse(const char *text, double *steps, int *count);

/* Runs the model with each step and prints errors and orders as a table and plot, or as JSON. */
ss_status ss_convergence_run(ss_context *ctx, const ss_model *m, const double *steps, int count,
                             double duration, bool json);

#endif
