/* SPDX-License-Identifier: Apache-2.0 */
/* `loss: {over: impacts}`: times and places of impacts. */
#ifndef SS_IDENTIFY_IMPACTS_H
#define SS_IDENTIFY_IMPACTS_H

#include "identify/identify.h"

typedef struct ss_met {
    double        t;     /* from the start of the run */
    ss_body_state state; /* as it comes to the impact */
} ss_met;

/* Is it a study whose recordings can be read as impacts? */
ss_status ss_impacts_check(ss_decoder *d, const ss_identify *p, const ss_node *at);
/* How many residuals a recording has, and how many of them are measured. */
void ss_impacts_count_rows(const ss_identify *p, ss_recorded *r);

/* Of the run that a worker has made: how many impacts there are, and its residuals (rows); shown:
   room for (columns). */
int32_t ss_impacts_count(const ss_identify_worker *w);
void    ss_impact_residuals(const ss_identify_worker *w, int32_t trial, const double *theta,
                            double *shown, double *residuals);

#endif
