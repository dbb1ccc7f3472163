/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The description of a run: what does not change while it runs, as one JSON object. Run files hold
 * it under `description`, reports put it in their header (docs/reference/run-files.md).
 */
#ifndef SS_IO_RUN_DESCRIBE_H
#define SS_IO_RUN_DESCRIBE_H

#include "files/buffer.h"
#include "stickslip/record.h"

void ss_run_describe(ss_buffer *out, ss_context *ctx, const ss_run_info *info);

/* "static", "kinematic", "dynamic" or "particle". */
const char *ss_run_body_type(const ss_model *m, int32_t body);
/* Is it one of those? */
bool ss_run_is_body_type(const char *text);

/* Its end, by which what was simulated is told and drawn: bodies, shapes, joints and forces. */
void ss_run_describe_parts(ss_buffer *out, const ss_model *m);

#endif
