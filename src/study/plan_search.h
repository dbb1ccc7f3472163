/* SPDX-License-Identifier: Apache-2.0 */
/* A plan, and the search for it (plan.c). */
#ifndef SS_STUDY_PLAN_SEARCH_H
#define SS_STUDY_PLAN_SEARCH_H

#include <stdio.h>

#include "study/plan.h"

/* A sequence of actions and where it leads in every run. */
typedef struct ss_plan_node {
    ss_plan_step   steps[SS_PLAN_LENGTH];
    int32_t        length, number; /* number: of the sample it came from */
    ss_plan_state *states;         /* (runs)                             */
    double         size, worst;    /* root mean square of the errors, the largest */
} ss_plan_node;

typedef struct ss_plan_method {
    int32_t samples, width, refine, steps;
} ss_plan_method;

struct ss_plan {
    ss_context        *ctx;
    const ss_study    *study;
    const ss_plan_def *def; /* while it searches */
    ss_plan_method     method;
    ss_pool            scratch;
    int32_t            runs;
    ss_plan_worker    *workers; /* (worker_count) */
    int32_t            worker_count;
    ss_plan_node      *best;
    bool               fixed;   /* numbers of `set` are those of the plan, not looked up    */
    bool               judging; /* every run counts, also after one failed                  */
    int64_t            simulated;
    int64_t            checked, good; /* fresh trials, and those that reach the goal        */
    FILE              *journal;       /* what was simulated (plan_journal.c); NULL: none     */
    long               journal_end;   /* of what is in it already; -1: all was taken         */
};

/* Opens the journal that p->def names, if any. */
ss_status ss_plan_journal_open(ss_plan *p);
/* What the journal says became of these plans; false: it does not know. */
bool ss_plan_journal_take(ss_plan *p, ss_plan_node **nodes, int32_t count, int32_t rung,
                          int32_t from);
/* Adds what became of them, known by `key` of what they were before. */
uint64_t  ss_plan_journal_key(const ss_plan *p, ss_plan_node *const *nodes, int32_t count,
                              int32_t rung, int32_t from);
ss_status ss_plan_journal_add(ss_plan *p, ss_plan_node *const *nodes, int32_t count, uint64_t key);
void      ss_plan_journal_close(ss_plan *p);

ss_plan_node *ss_plan_node_new(ss_plan *p); /* NULL: no memory */
void          ss_plan_node_free(ss_plan *p, ss_plan_node *n);
void          ss_plan_node_copy(const ss_plan *p, const ss_plan_node *from, ss_plan_node *to);
/* An error of a run in units of the goal's tolerance; infinite where the run failed. */
double ss_plan_error_of(const ss_plan *p, const ss_plan_node *n, int32_t run, int32_t goal);

/* States before the first action. */
ss_status ss_plan_root(ss_plan *p, int32_t rung, ss_plan_node *n);
/* What plans do from action `from` on (-1: the last alone), on all threads. */
ss_status ss_plan_follow_all(ss_plan *p, ss_plan_node **nodes, int32_t count, int32_t rung,
                             int32_t from);

/* Fills in p->best; none of length 0 when every plan failed. */
ss_status ss_plan_search(ss_plan *p);

#endif
