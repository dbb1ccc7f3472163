/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip analyze`: what the state before a step says, as text and as JSON. */
#ifndef SS_CLI_ANALYZE_STATE_H
#define SS_CLI_ANALYZE_STATE_H

#include <stdio.h>

#include "json.h"
#include "stickslip/instant.h"

/* Is the state as it should be: a solution, one motion, and not unstable? */
bool ss_state_certain(const ss_instant_verdict *v);

/* "one solution", "no solution", .. */
const char *ss_state_summary(const ss_instant_verdict *v);

/* "yes", "no", "undecided". */
const char *ss_answer_text(ss_answer answer);

void ss_state_print(FILE *out, const ss_model *m, const ss_instant *s, const ss_instant_verdict *v,
                    double t);
void ss_state_json(ss_json *out, const char *key, const ss_model *m, const ss_instant *s,
                   const ss_instant_verdict *v, double t);

#endif
