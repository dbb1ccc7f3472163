/* SPDX-License-Identifier: Apache-2.0 */
/* A built-in scene at its start, judged. */
#ifndef SS_CLI_VERIFY_INSTANT_H
#define SS_CLI_VERIFY_INSTANT_H

#include "verify/verify.h"

typedef struct ss_verify_instant {
    ss_verify_world    world;
    ss_instant        *instant;
    ss_instant_verdict verdict;
} ss_verify_instant;

/* `overrides` ends with NULL. */
ss_status ss_verify_judge(ss_verify *v, const char *scene, const char *const *overrides,
                          ss_verify_instant *out);
void      ss_verify_judged(ss_verify_instant *i);

/* The force of a contact in a solution. */
ss_instant_force ss_verify_force(const ss_verify_instant *i, int32_t solution, int32_t contact);
/* The acceleration of a body in a solution. */
ss_body_motion ss_verify_acceleration(const ss_verify_instant *i, int32_t solution,
                                      const char *body);

#endif
