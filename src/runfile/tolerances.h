/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of run files: name, meaning, why this value. */
#ifndef SS_RUNFILE_TOLERANCES_H
#define SS_RUNFILE_TOLERANCES_H

#include <stdint.h>

/*
 * Bodies or joints of a run: so many that the columns of one row (at most 21 for each, of 8 bytes)
 * are counted by 32 bits. Ten times larger: widths overflow.
 */
enum { SS_RUN_BODIES_MAX = 1 << 26 };

/* States of a run: what ss_run() takes at most, and one. Ten times larger: no run can make it. */
static const int64_t SS_RUN_STATES_MAX = 1000000000001;

#endif
