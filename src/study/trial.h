/* SPDX-License-Identifier: Apache-2.0 */
/* One trial: sample -> scene -> model -> run -> measures. */
#ifndef SS_STUDY_TRIAL_H
#define SS_STUDY_TRIAL_H

#include "study/watch.h"

/* What a trial is run with. */
typedef struct ss_trial_run {
    ss_context                  *ctx;
    const ss_study              *study;
    ss_watch                    *watch;
    ss_recorder *const          *recorders;
    int32_t                      recorder_count;
    const volatile sig_atomic_t *interrupt;
} ss_trial_run;

/* Computes a trial. What is wrong with the trial itself is in out->status and out->message; the
   status that is returned says that it could not be computed (memory, disk, interrupted). */
ss_status ss_trial_compute(const ss_trial_run *r, int64_t trial, ss_trial *out);

/* Is it a failure that is no property of the trial (memory, disk, interrupted)? It ends the study
   instead of filling it with rows. */
bool ss_trial_ends_everything(ss_status status);

/* Which trials are looked at when a study is read: a few, spread over all. */
int64_t ss_trial_looks(const ss_study *s);
int64_t ss_trial_look(const ss_study *s, int64_t i);

/* Looks for a trial that can start, and asks the study's expressions once about it. */
ss_status ss_trial_try(ss_context *ctx, ss_study *s, ss_watch *w);

#endif
