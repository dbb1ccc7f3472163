/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans: sequences of actions without looking (open loop). An action is a run of the scene in which
 *
 *   - the numbers that its `choose` names have the values that the plan gives them,
 *   - the numbers that its `set` names have the values of expressions at the end of the action
 *     before (at the start of the scene for the first), in the run in which nothing is uncertain,
 *   - the bodies that `carry` names begin where the action before left them.
 *
 * So a trial (a draw of what is uncertain) meets the same numbers as the run without uncertainty:
 * the plan does not look. What the scene measures at the end of the last action, each in units of
 * its goal's tolerance, are the errors e of the trial; a plan is good when no |e| is above 1 in
 * any.
 */
#ifndef SS_STUDY_PLAN_H
#define SS_STUDY_PLAN_H

#include "scenefile/schema.h"
#include "study/watch.h"

enum {
    SS_PLAN_LENGTH  = 32, /* actions of a plan at most              */
    SS_PLAN_CHOICES = 16, /* chosen numbers of an action at most    */
    SS_PLAN_SETS    = 16  /* numbers of its `set` at most           */
};

typedef struct ss_plan_step {
    int32_t action;
    double  x[SS_PLAN_CHOICES], set[SS_PLAN_SETS];
} ss_plan_step;

/* Keys of `plan` in a study file (plan_read.c). */
typedef struct ss_plan_keys {
    ss_node *actions, *goal, *carry, *length;
} ss_plan_keys;
ss_status ss_plan_decode(ss_decoder *d, ss_study *s, const ss_plan_keys *keys);
void      ss_plan_reference(void (*write)(void *user, const char *text), void *user);

/* ---- doing it (plan_act.c) ---- */

/* What a worker has of its own; the study is shared. */
typedef struct ss_plan_worker {
    ss_context                  *ctx;
    const ss_study              *study;
    ss_watch                    *watch;
    double                      *inputs;
    const volatile sig_atomic_t *interrupt;
    ss_recorder *const          *recorders;
    int32_t                      recorder_count;
} ss_plan_worker;

ss_status ss_plan_worker_start(ss_context *ctx, const ss_study *s, ss_plan_worker *w);
void      ss_plan_worker_end(ss_plan_worker *w);

/* How many runs a plan is judged by: the one without uncertainty (number 0), then the trials. */
int32_t ss_plan_runs(const ss_study *s);

/* One run after some actions. */
typedef struct ss_plan_state {
    ss_body_state *bodies;   /* (carry_count) */
    double        *measures; /* (measure_count) at the end of the last action */
    bool           failed;
} ss_plan_state;

/* Before the first action: bodies as the scene has them, and what `set` takes from there. */
ss_status ss_plan_begin(ss_plan_worker *w, int32_t rung, int32_t run, ss_plan_state *state);
/* One action more; a step that fails makes the state failed. */
ss_status ss_plan_act(ss_plan_worker *w, int32_t rung, int32_t run, const ss_plan_step *step,
                      bool first, ss_plan_state *state);
/* The numbers of a step's `set` after run 0 came to this state. */
void ss_plan_look(const ss_study *s, const ss_plan_state *state, ss_plan_step *step);

#endif
