/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `run --dump-problem FILE[@STEP]`: the problem of a step in a file that `solve` replays without
 * the scene. It is a recorder: of the step asked for, or of the one that failed. Where a step has
 * several islands, it is the one furthest from its solution.
 */
#ifndef SS_CLI_DUMP_PROBLEM_H
#define SS_CLI_DUMP_PROBLEM_H

#include "stickslip/record.h"

enum { SS_DUMP_PATH = 4096 };

/* FILE@12 is FILE and 12; an @ that no number follows belongs to the name (0: the one that fails).
 */
int64_t ss_dump_problem_file(const char *argument, char file[SS_DUMP_PATH]);

/* The path of the recorder is FILE[@STEP]. */
extern const ss_recorder_class ss_recorder_dump_problem;

/* Says where it was written; nothing if it was not. */
void ss_dump_problem_print(const ss_recorder *r);

#endif
