/* SPDX-License-Identifier: Apache-2.0 */
/* The problems of a folder; global friction problems as they are and condensed to the local form.
 */
#ifndef SS_BENCH_PROBLEM_SET_H
#define SS_BENCH_PROBLEM_SET_H

#include "stickslip/problem_file.h"

typedef struct bench_problem {
    char             name[96];
    const char      *folder;
    ss_problem       given;   /* as the file has it                      */
    ss_problem       problem; /* the same, condensed where it was global */
    ss_problem_file *file;    /* owns `given`                            */
} bench_problem;

typedef struct problem_set {
    bench_problem *items;
    size_t         count;
} problem_set;

/* Add the problem files of root/folder, by name. False when the folder cannot be read. */
bool problem_set_add(problem_set *set, ss_context *ctx, const char *root, const char *folder);

#endif
