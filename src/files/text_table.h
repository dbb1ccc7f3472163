/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a recorder that writes a table as text: commas between columns, a row a line. */
#ifndef SS_IO_TEXT_TABLE_H
#define SS_IO_TEXT_TABLE_H

#include <stdio.h>

#include "stickslip/output.h"
#include "stickslip/record.h"

/* The state of such a recorder (ss_recorder_state). */
typedef struct ss_text_table {
    ss_output_file *out;
    FILE           *file; /* its stream */
} ss_text_table;

ss_status ss_table_open(ss_recorder *r);
/* Has everything that was written so far arrived? The message names the file. */
ss_status ss_table_check(ss_recorder *r);
/* The `close` and `discard` of the recorder. */
ss_status ss_table_close(ss_recorder *r, const ss_run_result *result);
void      ss_table_discard(ss_recorder *r);

/* ",x" for each of them, so that it reads back bit for bit. */
void ss_table_reals(FILE *f, const double *x, int count);

#endif
