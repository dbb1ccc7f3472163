/* SPDX-License-Identifier: Apache-2.0 */
/* What `stickslip sweep` prints: JSON for programs, a table for people. */
#ifndef SS_CLI_SWEEP_OUTPUT_H
#define SS_CLI_SWEEP_OUTPUT_H

#include "stickslip/study.h"

void ss_sweep_print_json(const ss_trials *t);
void ss_sweep_print_text(const ss_trials *t, const char *file);
/* The measures over all trials, a line each. */
void ss_sweep_print_measures(const ss_trials *t);
/* One trial. */
void ss_trial_print_json(const ss_study *s, const ss_trial *trial);
void ss_trial_print_text(const ss_study *s, const ss_trial *trial);

#endif
