/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of one sweep. Started by mpirun, process 0 hands out batches of trials, takes rows and
 * computes as well; the others compute. Started alone, there is one process.
 */
#ifndef SS_STUDY_RANKS_H
#define SS_STUDY_RANKS_H

#include "study/study.h"

typedef struct ss_ranks {
    int32_t rank, count;
} ss_ranks;

/* Which process this is. SS_ERR_UNSUPPORTED: one of several, in a build without MPI. */
ss_status ss_ranks_find(ss_context *ctx, ss_ranks *out);

/* What process 0 does with what the others send. */
typedef struct ss_ranks_master {
    void *user;
    /* The next trials, at most `room`: how many. None: there is nothing left to do. */
    int32_t (*take)(void *user, int64_t *trials, int32_t room);
    void (*deliver)(void *user, const ss_trial *trial);
    void (*fail)(void *user, ss_status status, const char *message);
    /* How many trials are still to be handed out. */
    int64_t (*left)(void *user);
} ss_ranks_master;

/* Process 0: serves the others until all of them have been told that nothing is left. */
void ss_ranks_serve(const ss_study *s, const ss_ranks *r, const ss_ranks_master *master);

/* The others: compute(user, trial, row) for the trials they are given, until there are no more. */
typedef ss_status (*ss_ranks_compute)(void *user, int64_t trial, ss_trial *out);
ss_status ss_ranks_work(ss_context *ctx, const ss_study *s, ss_ranks_compute compute, void *user);

#endif
