/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_SIM_SIM_H
#define SS_SIM_SIM_H

#include "model/data.h"

/*
 * Call `stage` until it has the room it asks for: a stage that runs out of scratch memory, pairs or
 * contacts returns SS_ERR_SCRATCH without harm, the buffers grow, and it is called again.
 */
typedef ss_status (*ss_stage)(const ss_model *m, ss_data *d, double h);
ss_status ss_retry_with_room(ss_data *d, ss_stage stage, double h);

/* Moves the bodies to where they rest (settle.c). */
ss_status ss_settle(const ss_model *m, ss_data *d);

#endif
