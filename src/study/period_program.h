/* SPDX-License-Identifier: Apache-2.0 */
/* Designs as boundary-value programs with complementarity: algorithm `mpec` of a design. */
#ifndef SS_STUDY_PERIOD_PROGRAM_H
#define SS_STUDY_PERIOD_PROGRAM_H

#include <signal.h>

#include "study/study.h"

/* What is asked for, beside the study. */
typedef struct ss_period_def {
    int32_t                      choices;
    const double                *low, *high;
    int32_t                      drift[2]; /* measures that say which drift is asked for */
    bool                         touching; /* contact is never lost */
    const volatile sig_atomic_t *interrupt;
} ss_period_def;

/* From the candidate x (choices), which becomes what was found. */
ss_status ss_period_solve(ss_context *ctx, const ss_study *study, const ss_period_def *def,
                          double *x, ss_design_program *out);

#endif
