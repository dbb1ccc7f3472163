/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold at the borders of stages, whatever the scene: ranges, dimensions, finiteness. A
 * fault is a mistake of ours, never of the user's: builds for debugging and sanitizers (SS_CHECKED)
 * assert that there is none after every stage; tests ask in every build.
 */
#ifndef SS_SIM_BORDERS_H
#define SS_SIM_BORDERS_H

#include "model/data.h"
#include "stickslip/sim.h"

/* What is wrong with what the stage leaves to the next; NULL: nothing. */
const char *ss_border_fault(const ss_model *m, const ss_data *d, ss_stage_id stage);

#endif
