/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a run on their way from the simulation into a file or a report. */
#ifndef SS_IO_RUN_ROWS_H
#define SS_IO_RUN_ROWS_H

#include "runfile/run_fields.h"
#include "stickslip/sim.h"

/* Bits of steps/flags. */
enum {
    SS_FLAG_MARKED     = 1,
    SS_FLAG_NOT_UNIQUE = 2,
    SS_FLAG_SPLIT      = 4,
    SS_FLAG_FALLBACK   = 8,
    SS_FLAG_CORNER     = 16
};

ss_run_size ss_run_size_of(const ss_model *m, bool ranges);

typedef struct ss_run_rows {
    ss_context    *ctx;
    ss_run_size    size;
    double         step;          /* h of the run: parts of split steps are known by it      */
    int64_t        first_step;    /* of the run: the state in row 0                          */
    int64_t        first_contact; /* of the run: the contact in row 0                        */
    int32_t        steps, contacts;
    int32_t        step_room, contact_room;
    unsigned char *column[SS_RUN_FIELD_COUNT]; /* (rows x width) row after row               */
} ss_run_rows;

void ss_run_rows_start(ss_run_rows *r, ss_context *ctx, const ss_run_size *size);
void ss_run_rows_release(ss_run_rows *r);

/* Room for so many more states and contacts. */
ss_status ss_run_rows_reserve(ss_run_rows *r, int32_t steps, int32_t contacts);
/* Append the present state and the contacts of the step that led to it. */
ss_status ss_run_rows_collect(ss_run_rows *r, const ss_model *m, const ss_data *d);
/* Forget the first states and their contacts. */
void ss_run_rows_drop(ss_run_rows *r, int32_t steps);

/* How many contacts the first states have together. */
int32_t ss_run_rows_contacts_of(const ss_run_rows *r, int32_t steps);
/* Rows of the table that a field belongs to. */
int32_t ss_run_rows_count(const ss_run_rows *r, ss_run_table table);

/* Index of a solver's name among the solvers of the context. */
uint8_t ss_run_solver_index(const ss_context *ctx, const char *name);

static inline double *ss_run_reals(const ss_run_rows *r, ss_run_field_id id)
{
    return (double *)(void *)r->column[id];
}

static inline int32_t *ss_run_ints(const ss_run_rows *r, ss_run_field_id id)
{
    return (int32_t *)(void *)r->column[id];
}

#endif
