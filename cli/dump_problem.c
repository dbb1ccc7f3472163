/* SPDX-License-Identifier: Apache-2.0 */
#include "dump_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stickslip/output.h"
#include "stickslip/problem_file.h"

typedef struct dump {
    const ss_data *d;
    char           file[SS_DUMP_PATH];
    int64_t        wanted, step; /* wanted 0: the one that fails */
    bool           written;
} dump;

int64_t ss_dump_problem_file(const char *argument, char file[SS_DUMP_PATH])
{
    const char *at     = strrchr(argument, '@');
    char       *end    = NULL;
    size_t      named  = strlen(argument);
    int64_t     wanted = 0;
    if (at != NULL && at[1] >= '1' && at[1] <= '9') {
        wanted = strtoll(at + 1, &end, 10);
        named  = *end == '\0' ? (size_t)(at - argument) : named;
        wanted = *end == '\0' ? wanted : 0;
    }
    snprintf(file, SS_DUMP_PATH, "%.*s", (int)named, argument);
    return wanted;
}

static ss_status open(ss_recorder *r, const ss_run_info *info)
{
    dump *x   = ss_recorder_state(r);
    x->d      = info->data;
    x->step   = -1;
    x->wanted = ss_dump_problem_file(ss_recorder_path(r), x->file);
    SS_TRY(ss_output_test(ss_recorder_context(r), x->file));
    return x->wanted <= info->steps
               ? SS_OK
               : ss_fail(ss_recorder_context(r), SS_ERR_ARGUMENT,
                         "--dump-problem: there is no step %lld, the run has %lld",
                         (long long)x->wanted, (long long)info->steps);
}

/* The island furthest from its solution; -1: the step had none. */
static int32_t worst_island(const ss_data *d)
{
    int32_t worst = -1;
    double  most  = -1;
    for (int32_t i = 0; ss_data_problem(d, i) != NULL; i++) {
        double residual = ss_data_problem_residual(d, i);
        if (!(residual <= most)) {
            most  = residual;
            worst = i;
        }
    }
    return worst;
}

static ss_status write(ss_recorder *r, dump *x)
{
    int32_t island = worst_island(x->d);
    if (island < 0) {
        return ss_fail(ss_recorder_context(r), SS_ERR_ARGUMENT,
                       "--dump-problem: nothing touches in the step that ends at t = %g: it has no "
                       "problem",
                       ss_data_time(x->d));
    }
    char title[80];
    snprintf(title, sizeof title, "island %d of a step at t = %.17g", (int)island,
             ss_data_time(x->d));
    ss_stored_problem content = {.problem = *ss_data_problem(x->d, island),
                                 .title   = title,
                                 .guess_z = ss_data_problem_solution(x->d, island)};
    SS_TRY(ss_problem_file_write(ss_recorder_context(r), &content, x->file, "stickslip"));
    x->written = true;
    return SS_OK;
}

static ss_status append(ss_recorder *r, const ss_model *m, const ss_data *d)
{
    (void)m;
    dump *x = ss_recorder_state(r);
    x->d    = d;
    x->step++; /* the first is the state before any step */
    return x->step == x->wanted && x->wanted > 0 ? write(r, x) : SS_OK;
}

/* What a step that failed leaves behind is its problem. */
static ss_status finish(ss_recorder *r, const ss_run_result *result)
{
    dump *x = ss_recorder_state(r);
    return result->status == SS_ERR_CERTIFICATE && !x->written ? write(r, x) : SS_OK;
}

static void discard(ss_recorder *r)
{
    (void)r;
}

void ss_dump_problem_print(const ss_recorder *r)
{
    const dump *x = r != NULL ? ss_recorder_state((ss_recorder *)r) : NULL;
    if (x != NULL && x->written) {
        printf("\nwrote %s\n", x->file);
    }
}

const ss_recorder_class ss_recorder_dump_problem = {.name       = "dump-problem",
                                                    .summary    = "the problem of a step",
                                                    .state_size = sizeof(dump),
                                                    .open       = open,
                                                    .append     = append,
                                                    .close      = finish,
                                                    .discard    = discard};
