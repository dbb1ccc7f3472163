/* SPDX-License-Identifier: Apache-2.0 */
/* Wedging and jamming of the step that is about to be accepted. */
#ifndef SS_ANALYSIS_HOLD_H
#define SS_ANALYSIS_HOLD_H

#include "model/data.h"

/* Fills d->report.hold, with scratch of the step. */
ss_status ss_judge_hold(const ss_model *m, ss_data *d);

/* Of the islands that were not solved: do the contacts that are closed at the start of the step
   wedge one of them? */
ss_status ss_wedged_unsolved(const ss_model *m, ss_data *d, bool *wedged);

#endif
