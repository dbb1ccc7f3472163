/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions over a run: what a study stops by and measures. One watcher belongs to one worker; it
 * is made once and begins anew with every trial.
 */
#ifndef SS_STUDY_WATCH_H
#define SS_STUDY_WATCH_H

#include "study/study.h"

typedef struct ss_watch ss_watch;

/* Compiles the expressions of a study. Messages name file and line of the study. */
ss_status ss_watch_create(ss_context *ctx, const ss_study *s, ss_watch **out);
void      ss_watch_destroy(ss_watch *w);

/* A new trial, whose scene has these params. */
ss_status ss_watch_begin(ss_watch *w, const ss_scene *scene, const ss_model *m, const ss_data *d);
/* The period of the study's cycle in this trial, seconds. */
ss_status ss_watch_period(ss_watch *w, double *period);
/* What was found of the cycle, which is measured from now on; it must live until ss_watch_end. */
void ss_watch_set_cycle(ss_watch *w, const ss_cycle *cycle);
/* The state was changed from outside since the last step. */
ss_status ss_watch_jump(ss_watch *w);
/* For ss_run_def.watch; user is the watcher. */
ss_status ss_watch_step(void *user, const ss_model *m, const ss_data *d, bool *stop);
/* The measures of the trial: (measure_count). */
ss_status ss_watch_end(ss_watch *w, const ss_run_result *result, double *measures);
/* Did a measure give true or false at the end, rather than a number? */
bool ss_watch_gave_truth(const ss_watch *w, int32_t measure);

/* What expressions know, for the reference; ends with a NULL name. */
typedef struct ss_watch_doc {
    const char *name, *form, *doc;
} ss_watch_doc;
extern const ss_watch_doc ss_watch_docs[];

#endif
