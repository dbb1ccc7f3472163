/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a watcher (watch.h) is made of, for the files that are one: its life over a trial
 * (watch.c), the functions that its expressions call (watch_functions.c), and sums over the states
 * of a run (watch_sums.c, watch_periods.c).
 */
#ifndef SS_STUDY_WATCH_PARTS_H
#define SS_STUDY_WATCH_PARTS_H

#include "expr/expr.h"
#include "study/cycle.h"
#include "study/watch.h"
#include "study/watch_text.h"

/* Periods whose rates Aitken's method looks at: two extrapolations. */
enum { SS_SAMPLE_RATES = 4 };

/* A sum over the states of a run: max(E), mean(E), at(T, E), .. */
typedef struct ss_sample {
    ss_sample_kind kind;
    int32_t        expression, time_at, from_at; /* handles, -1: none              */
    double         time, from;                   /* values in this trial           */
    double         value; /* MAX, MIN, AT: the answer; of periods: sum to the last boundary */
    double integral;      /* MEAN, PERIOD: up to the last state; DRIFT, LIMIT: rise of E so far */
    double last, last_time, first_time;
    double periods;               /* whole ones so far                                   */
    double rate[SS_SAMPLE_RATES]; /* of the last whole periods, the newest first           */
    double moved_at;              /* REST: when something moved last                   */
    bool   known;                 /* AT, MAX, MIN: has a value                          */
    bool   truth;                 /* E is true or false                                 */
} ss_sample;

struct ss_watch {
    ss_context     *ctx;
    const ss_study *study;
    ss_pool         pool;
    ss_watch_book   book;
    ss_expr_env    *env;
    ss_sample       samples[SS_WATCH_SAMPLES];
    int32_t         stop;     /* handle, -1: none              */
    int32_t         period;   /* of the study's cycle: handle, -1: none */
    int32_t        *measures; /* (measure_count) handles, -1: in C */
    bool           *truth;    /* (measure_count)               */
    void          **states;   /* (measure_count) of measures in C */
    /* the trial */
    const ss_scene *scene;
    const ss_model *m;
    const ss_data  *d;
    double          started;  /* time at which a cycle begins to be measured; else 0 */
    const ss_cycle *cycle;    /* that was looked for; NULL: none */
    double          residual; /* the worst so far */
    bool            begun;    /* the state at the start was seen */
    ss_trial_status verdict;
    int32_t         body[SS_WATCH_TEXTS], joint[SS_WATCH_TEXTS]; /* of the texts, -1: none */
};

/* A sum begins: its times are constants of the trial. */
ss_status ss_sample_begin(ss_watch *w, ss_sample *s);
/* It takes the present state in; `first`: the state at the start. */
ss_status ss_sample_update(ss_watch *w, ss_sample *s, bool first);
/* The state was changed from outside: what it was before and what it is now are not a motion. */
ss_status ss_sample_jump(ss_watch *w, ss_sample *s);
/* The clock of the scene; of a cycle: seconds since its measurement began. */
double ss_watch_time(const ss_watch *w);
/* The answer so far; NaN: there is none yet. */
double ss_sample_value(const ss_sample *s);

/* Sums over whole periods (watch_periods.c): do they make the answer, a value at a time since the
   last one, and the answer so far. */
bool   ss_sample_is_periodic(ss_sample_kind kind);
void   ss_sample_add_period(ss_sample *s, double now, double value);
double ss_sample_period_value(const ss_sample *s);

/* Makes the functions of watch_functions.c known to the watcher's expressions. */
ss_status ss_watch_add_functions(ss_watch *w);

#endif
