/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a design is made of, for the files that are one: statistics over a candidate's trials
 * (design_statistics.c), what the study file says (design_read.c), the journal (design_journal.c),
 * candidates and the search among them (design.c).
 */
#ifndef SS_STUDY_DESIGN_PARTS_H
#define SS_STUDY_DESIGN_PARTS_H

#include <stdio.h>

#include "expr/expr.h"
#include "study/design.h"
#include "study/trials.h"

/* In place of an index into ss_algorithms: candidates drawn from the bounds, or found by a
   boundary-value program (period_program.c). */
enum {
    SS_DESIGN_CHOICES     = 64,
    SS_DESIGN_CONSTRAINTS = 32,
    SS_DESIGN_RANDOM      = -1,
    SS_DESIGN_MPEC        = -2
};

typedef struct ss_design_method {
    const ss_study *study;
    const char     *algorithm;
    int32_t         evaluations, restarts;
    double          tolerance;
    int32_t         drift[2]; /* mpec: measures that say which drift is asked for; -1: none */
    bool            touching; /* mpec: contact is never lost */
} ss_design_method;

typedef struct ss_design_constraint {
    const char *text;
    int32_t     left, right; /* handles */
    double      sign;        /* of what must be >= 0 */
} ss_design_constraint;

typedef struct ss_design_entry {
    ss_candidate c;
    double       x[SS_DESIGN_CHOICES], g[SS_DESIGN_CONSTRAINTS]; /* g >= 0 is kept */
} ss_design_entry;

struct ss_design {
    ss_context          *ctx;
    ss_pool              pool;
    const ss_study      *study;
    const ss_design_def *def;  /* while it searches */
    ss_study             view; /* the study with the present candidate */
    ss_expr_env         *env;
    ss_design_method     method;
    int32_t              algorithm, objective;
    bool                 maximise;
    ss_design_constraint constraints[SS_DESIGN_CONSTRAINTS];
    int32_t              constraint_count;
    const ss_variable   *choices[SS_DESIGN_CHOICES];
    ss_trials           *trials, *best_trials;
    ss_design_entry     *entries;
    int32_t              count, room;
    ss_rung_use         *use; /* (rung_count) */
    int32_t              best, restart, known_count;
    ss_design_entry     *known; /* from the journal */
    FILE                *journal;
    uint64_t             fingerprint;
    ss_status            status;
    ss_design_program    program;
};

/* Makes the statistics known to the expressions of a design, in which measures are numbers. */
ss_status ss_design_add_statistics(ss_design *d);
/* Table rows "write | meaning" of the statistics, for the reference. */
void ss_design_statistics_reference(void (*write)(void *user, const char *text), void *user);

/* Objective, constraints and method of the study. */
ss_status ss_design_read(ss_design *d);

/* Opens the journal that d->def names, if any; with `resume` d->known is what it held. */
ss_status ss_design_journal_open(ss_design *d);
/* Adds a candidate to the open journal. */
ss_status ss_design_journal_add(const ss_design *d, const ss_design_entry *e);

#endif
