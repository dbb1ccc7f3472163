/* SPDX-License-Identifier: Apache-2.0 */
/* Which values the fields of a run file can have: those that stand for something. */
#ifndef SS_RUNFILE_RUN_VALUES_H
#define SS_RUNFILE_RUN_VALUES_H

#include <stdbool.h>

#include "runfile/run_fields.h"

/* What the description of the run lists. */
typedef struct ss_run_names {
    int32_t outcomes, solvers;
} ss_run_names;

/* The first of `count` numbers of a field that it cannot have, or -1. They are doubles, or what
   ss_run_type says (`native`). */
int64_t ss_run_first_wrong(const ss_run_field *field, const ss_run_names *names,
                           const void *numbers, bool native, int64_t count, double *value);

#endif
