/* SPDX-License-Identifier: Apache-2.0 */
/* The table of all trials in memory, and its file. */
#ifndef SS_STUDY_TRIALS_H
#define SS_STUDY_TRIALS_H

#include "files/buffer.h"
#include "study/study.h"

/* A row without the two arrays, which lie in tables of their own. */
typedef struct ss_trial_row {
    ss_trial_status status;
    int64_t         steps;
    double          time, residual, seconds;
    char           *message; /* NULL: none */
} ss_trial_row;

struct ss_trials {
    ss_context     *ctx;
    const ss_study *study;
    int64_t         count;
    ss_trial_row   *rows;
    double         *inputs, *measures; /* (count x ..) */
    int64_t         of_status[4];
};

/* A probability from so many successes, with its interval (estimate.c). */
ss_estimate ss_estimate_share(int64_t good, int64_t count);

ss_status ss_trials_put(ss_trials *t, const ss_trial *trial);

/* ---- the file (store_hdf5.c): always a whole HDF5 file, whatever kills the process ---- */

typedef struct ss_store ss_store;

/* A new file with room for all trials. Its name is locked until it is closed. */
ss_status ss_store_create(ss_context *ctx, const ss_study *s, const char *path, ss_store **out);
/* A file of the same study, for reading, or for adding trials (its name is then locked);
   SS_ERR_INPUT when it is of another, or when another sweep adds trials to it. */
typedef enum ss_store_use { SS_STORE_READ, SS_STORE_ADD } ss_store_use;
ss_status ss_store_open(ss_context *ctx, const ss_study *s, const char *path, ss_store_use use,
                        ss_store **out);
/* Takes what the file has into the table. */
ss_status ss_store_read(ss_store *f, ss_trials *t);
ss_status ss_store_put(ss_store *f, const ss_trial *trial);
ss_status ss_store_close(ss_store *f);

/* "inputs":[..]: names of the inputs, and the texts that numbers stand for; JSON. */
void ss_study_put_inputs(ss_buffer *b, const ss_study *s);

#endif
