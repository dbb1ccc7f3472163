/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a run's result, as run files hold them: attributes of `result`. */
#ifndef SS_IO_RUN_FIGURES_H
#define SS_IO_RUN_FIGURES_H

#include "stickslip/record.h"

enum { SS_RUN_FIGURE_COUNT = 24 };

typedef struct ss_run_figure {
    const char *path; /* "result/" and the name of the attribute */
    double      value;
    bool        clocked; /* it is of computing times: another run has another */
} ss_run_figure;

static inline const char *ss_run_figure_name(const ss_run_figure *f)
{
    return f->path + sizeof "result/" - 1;
}

void ss_run_figures(const ss_run_result *result, ss_run_figure out[SS_RUN_FIGURE_COUNT]);

#endif
