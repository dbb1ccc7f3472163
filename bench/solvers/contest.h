/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One contestant on one problem: a child process solves it repeatedly from a cold start, within a
 * limit of CPU time that holds even for a solver that hangs or crashes; the parent judges the
 * answer by the natural map.
 */
#ifndef SS_BENCH_CONTEST_H
#define SS_BENCH_CONTEST_H

#include <stdbool.h>

#include "stickslip/problem.h"

typedef struct contestant {
    const char *name;    /* "auto", "NSN_AC"      */
    bool        siconos; /* otherwise one of ours */
} contestant;

typedef enum verdict { V_SOLVED, V_WRONG, V_FAILED, V_TIMEOUT, V_CRASH, V_ABSENT } verdict;

typedef struct result {
    verdict verdict;  /* WRONG: called solved, but the residual says otherwise */
    double  seconds;  /* CPU time, the shortest of up to 15 solves             */
    double  residual; /* natural map                                           */
    int     outcome;  /* of ours: ss_outcome                                   */
} result;

/* What a child tells its parent, in shared memory. */
typedef struct answer {
    int    calls;   /* solves finished           */
    int    claimed; /* the solver says: solved   */
    int    outcome; /* ours: ss_outcome          */
    double seconds; /* shortest so far           */
    double clock;   /* what reading it costs     */
    double z[];     /* (n)                       */
} answer;

/* `given` may be in global form: Siconos' solvers get it by its own reduction to the local one,
   which is part of their time; p, condensed beforehand, judges everybody. */
result contest(const contestant *c, const ss_problem *p, const ss_problem *given, double tol,
               double cap);

/* Solve until 15 times or `budget` seconds are through; each keeps `a` up to date. */
enum { CALLS_MAX = 15 };
double cpu_seconds(void);
void   note_call(answer *a, double seconds, bool claimed);
bool   enough_calls(const answer *a, double started);
void   solve_ours(const contestant *c, const ss_problem *p, double tol, double cap, answer *a);
void   solve_siconos(const contestant *c, const ss_problem *p, const ss_problem *given, double tol,
                     answer *a);
/* Whether this build can run Siconos. */
bool siconos_present(void);

#endif
