/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of maps, and how a journal keeps them. */
#ifndef SS_CLI_MAP_CELLS_H
#define SS_CLI_MAP_CELLS_H

#include "map_journal.h"
#include "stickslip/analysis.h"
#include "stickslip/instant.h"

/* What one scene of a map of steps said. */
typedef struct ss_step_cell {
    ss_status          status; /* SS_OK, or the step's certificate failed on the way */
    double             value[SS_MAP_AXES];
    ss_hold_verdict    hold;
    int64_t            steps[SS_HOLD_COUNT]; /* on the way, by verdict */
    ss_motion_verdict  motion;
    ss_sliding_verdict sliding;
} ss_step_cell;

/* What one scene of a map of states said. */
typedef struct ss_state_cell {
    ss_status          status; /* SS_OK, or a step on the way to the state failed */
    double             value[SS_MAP_AXES];
    ss_instant_verdict verdict;
    const char        *summary; /* follows from the others: not kept */
} ss_state_cell;

extern const ss_journal_class ss_journal_of_steps, ss_journal_of_states;

#endif
