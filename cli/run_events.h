/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a run (level: acceleration), collected step by step. */
#ifndef SS_CLI_RUN_EVENTS_H
#define SS_CLI_RUN_EVENTS_H

#include "json.h"
#include "stickslip/stickslip.h"

enum { SS_RUN_EVENT_KINDS = SS_EVENT_BRIDGED + 1, SS_RUN_EVENTS_KEPT = 1000 };

typedef struct ss_run_events {
    int64_t  counts[SS_RUN_EVENT_KINDS];
    ss_event kept[SS_RUN_EVENTS_KEPT]; /* the first ones */
    int32_t  kept_count;
    int64_t  several; /* steps with an event that had several solutions */
} ss_run_events;

/* Does the model find times within steps? */
bool ss_run_finds_events(const ss_model *m);
/* Those of the last step. */
ss_status ss_run_events_add(ss_run_events *e, const ss_model *m, const ss_data *d);
/* "12 impacts, 3 slips, .."; nothing where there are none; what was bridged. */
void ss_run_events_print(const ss_run_events *e, const ss_model *m, const ss_run_result *r);
void ss_run_events_json(ss_json *out, const ss_run_events *e, const ss_model *m);

#endif
