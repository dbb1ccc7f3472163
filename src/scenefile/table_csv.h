/* SPDX-License-Identifier: Apache-2.0 */
/* A file with a table: commas between columns, the first line names them. */
#ifndef SS_SCENEFILE_TABLE_CSV_H
#define SS_SCENEFILE_TABLE_CSV_H

#include "scenefile/schema.h"

typedef struct ss_csv {
    const char    **names; /* (columns) */
    int32_t         columns;
    int64_t         rows;
    const ss_node **cells; /* (rows x columns) scalars that know file and line */
} ss_csv;

/* Reads `file` (relative to the scene or study); `node` names it there, for messages. */
ss_status ss_csv_read(ss_decoder *d, const ss_node *node, const char *file, ss_csv *out);
/* The same for a table some of whose cells may be empty. */
ss_status ss_csv_read_gaps(ss_decoder *d, const ss_node *node, const char *file, ss_csv *out);
/* The number of such a cell; NAN where it is empty, or says nan. */
ss_status ss_csv_gap(ss_decoder *d, const ss_node *cell, double *out);

#endif
