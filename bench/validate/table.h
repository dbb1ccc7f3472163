/* SPDX-License-Identifier: Apache-2.0 */
/* A CSV file in memory: a header of names, then rows of cells. */
#ifndef SS_VALIDATE_TABLE_H
#define SS_VALIDATE_TABLE_H

#include <stdbool.h>

typedef struct table {
    int    columns, rows;
    char  *text;  /* the file, cut into cells       */
    char **cells; /* (rows + 1) x columns; first row: names */
} table;

/* False, with a line on standard error, when the file is missing or a row is too short. `folder`
 * may be NULL. */
bool table_read(table *t, const char *folder, const char *file);
void table_free(table *t);
/* -1 when there is no such column. */
int         table_column(const table *t, const char *name);
const char *table_text(const table *t, int row, int column);
double      table_number(const table *t, int row, int column);

#endif
