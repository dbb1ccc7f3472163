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

/*
 * Space that a commit reserves before HDF5 writes, because HDF5 does not survive a full disk. For
 * each table, a node of the tree of its chunks (3.1 kB for three dimensions); for the result, its
 * attributes; and what deflate adds to bytes that cannot be packed. Ten times larger: runs end with
 * a full disk a megabyte too early.
 */
enum { SS_RUN_FIELD_ROOM = 4096, SS_RUN_RESULT_ROOM = 8192 };
static const double SS_RUN_DEFLATE_LOSS = 0.001;

/* Commit after this many seconds, states or bytes, and never so often that it takes a fifth of the
 * run. Ten times more: a killed run loses 2.5 s. */
static const double SS_RUN_COMMIT_SECONDS = 0.25;
enum { SS_RUN_COMMIT_STATES = 65536, SS_RUN_COMMIT_BYTES = 16 << 20, SS_RUN_COMMIT_SHARE = 4 };

/* How near to a time that is asked for a recorded state must be, as a part of the step. Ten times
   larger: it may be the state of another part; ten times smaller: times are written by hand. */
#define SS_STATE_TIME_NEAR 1e-3

#endif
