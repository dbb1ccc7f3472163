/* SPDX-License-Identifier: Apache-2.0 */
/* Which contacts stick at the end of a step, where static and kinetic friction differ. */
#ifndef SS_ROUNDS_STICKING_H
#define SS_ROUNDS_STICKING_H

#include "model/data.h"

/* Into the state, which has room for all blocks. */
void ss_keep_sticking(const ss_model *m, ss_data *d, double h);

#endif
