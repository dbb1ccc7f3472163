/* SPDX-License-Identifier: Apache-2.0 */
/* `analyze --picture`: all solutions of a state below each other, with the forces of the contacts,
   what each of them does, and how bodies accelerate. */
#ifndef SS_CLI_SOLUTIONS_PICTURE_H
#define SS_CLI_SOLUTIONS_PICTURE_H

#include <stdio.h>

#include "stickslip/instant.h"

/* The state of `d` that `s` has judged. SS_ERR_INPUT for a scene in space. */
ss_status ss_solutions_picture_write(ss_context *ctx, const ss_model *m, const ss_data *d,
                                     const ss_instant *s, const ss_instant_verdict *v,
                                     const char *path);
/* The same into a stream. */
ss_status ss_solutions_picture_draw(ss_context *ctx, const ss_model *m, const ss_data *d,
                                    const ss_instant *s, const ss_instant_verdict *v, FILE *out);

#endif
