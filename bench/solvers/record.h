/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every single result of a run in a CSV file, written as it comes. A file that does not end with
 * its last line ("# end") is an interrupted run of the same limits: what it holds is not done
 * again.
 */
#ifndef BENCH_RECORD_H
#define BENCH_RECORD_H

#include "contest.h"

typedef struct record record;

/* Which result. */
typedef struct entry {
    const char       *group, *problem;
    int32_t           n;
    double            tolerance;
    const contestant *who;
} entry;

/* NULL: it cannot be written. `cap` are the seconds a solve may take. */
record *record_open(const char *path, double cap);
bool    record_find(const record *done, const entry *e, result *out);
void    record_add(record *done, const entry *e, const result *r);
/* The run is complete. */
void record_close(record *done);

#endif
