/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return NULL;
    }
    char  *text = NULL;
    size_t size = 0, room = 1 << 16, got;
    do {
        char *larger = realloc(text, room *= 2);
        if (larger == NULL) {
            break;
        }
        text = larger;
        got  = fread(text + size, 1, room - size - 1, f);
        size += got;
        text[size] = '\0';
    } while (got > 0);
    fclose(f);
    return text;
}

static int count_of(const char *text, char c)
{
    int count = 0;
    for (; *text != '\0'; text++) {
        count += *text == c;
    }
    return count;
}

static int columns_of(const char *text)
{
    int count = 1;
    for (; *text != '\0' && *text != '\n'; text++) {
        count += *text == ',';
    }
    return count;
}

/* Cuts the next cell off; says whether it ended its line. */
static char *next_cell(char **at, bool *last)
{
    char  *cell = *at;
    size_t n    = strcspn(cell, ",\r\n");
    *last       = cell[n] != ',';
    char *end   = cell + n + (cell[n] == '\r');
    *at         = *end != '\0' ? end + 1 : end;
    cell[n]     = '\0';
    return cell;
}

static bool cut(table *t)
{
    char *at = t->text;
    for (t->rows = -1; *at != '\0'; t->rows++) {
        for (int c = 0; c < t->columns; c++) {
            bool last;
            t->cells[(t->rows + 1) * t->columns + c] = next_cell(&at, &last);
            if (last != (c == t->columns - 1)) {
                return false;
            }
        }
    }
    return t->rows > 0;
}

bool table_read(table *t, const char *folder, const char *file)
{
    char path[1024];
    snprintf(path, sizeof path, "%s%s%s", folder ? folder : "", folder ? "/" : "", file);
    *t = (table){.text = read_all(path)};
    if (t->text == NULL) {
        fprintf(stderr, "validate: cannot read %s\n", path);
        return false;
    }
    t->columns = columns_of(t->text);
    t->cells   = calloc((size_t)(count_of(t->text, '\n') + 2) * (size_t)t->columns, sizeof(char *));
    if (t->cells == NULL || !cut(t)) {
        fprintf(stderr, "validate: %s is not a table of %d columns\n", path, t->columns);
        table_free(t);
        return false;
    }
    return true;
}

void table_free(table *t)
{
    free(t->cells);
    free(t->text);
    *t = (table){0};
}

int table_column(const table *t, const char *name)
{
    for (int c = 0; c < t->columns; c++) {
        if (strcmp(t->cells[c], name) == 0) {
            return c;
        }
    }
    return -1;
}

const char *table_text(const table *t, int row, int column)
{
    return t->cells[(row + 1) * t->columns + column];
}

double table_number(const table *t, int row, int column)
{
    return strtod(table_text(t, row, column), NULL);
}
