/* SPDX-License-Identifier: Apache-2.0 */
/* The curves of a run file as an SVG picture. */
#ifndef SS_CLI_RUN_PLOTS_H
#define SS_CLI_RUN_PLOTS_H

#include "args.h"
#include "stickslip/run_file.h"

/*
 * `wanted` names plots: energy, residual, contacts, iterations, BODY.position, BODY.velocity,
 * BODY.angle, BODY.angular_velocity, BODY.quat_wxyz. Empty: energy, velocities of the first moving
 * bodies, contacts, residual.
 */
ss_status ss_run_plots_write(ss_context *ctx, ss_run_file *file, const ss_arg_list *wanted,
                             const char *path);

#endif
