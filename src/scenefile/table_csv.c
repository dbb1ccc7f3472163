/* SPDX-License-Identifier: Apache-2.0 */
#include "scenefile/table_csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/input.h"

enum { COLUMNS_MAX = 256 };

typedef struct reader {
    ss_decoder *d;
    const char *path; /* in the pool: nodes keep it */
    char       *at, *end;
    int32_t     line;
    bool        gaps; /* cells may be empty */
} reader;

static ss_status no_memory(const reader *r)
{
    return ss_fail(r->d->ctx, SS_ERR_MEMORY, "out of memory");
}

static ss_status bad(const reader *r, const char *what)
{
    return ss_fail(r->d->ctx, SS_ERR_INPUT, "%s:%d: %s", r->path, (int)r->line, what);
}

/* The file as one text with a zero at its end, in the pool. */
static ss_status read_file(reader *r, const ss_node *node)
{
    int       file;
    size_t    size;
    ss_status status = ss_input_open(r->d->ctx, r->path, SS_NODE_FILE_MAX, &file, &size);
    if (status != SS_OK) {
        return ss_decode_failed(r->d, node, status);
    }
    r->at = ss_pool_alloc(r->d->pool, size + 1, 1);
    if (r->at == NULL) {
        close(file);
        return no_memory(r);
    }
    if (!ss_input_whole(file, r->at, size)) {
        status = ss_decode_fail(r->d, node, "%s: cannot be read", r->path);
    }
    close(file);
    r->end = r->at + (status == SS_OK ? size : 0);
    if (status == SS_OK && memchr(r->at, '\0', size) != NULL) {
        status = ss_decode_fail(r->d, node, "%s: it is no text", r->path);
    }
    return status;
}

/* Cuts the next line into its cells; 0: the text has ended. */
static ss_status next_line(reader *r, char **cells, int32_t *count)
{
    *count = 0;
    while (r->at < r->end) {
        char *line = r->at, *stop = strchr(line, '\n');
        r->line++;
        r->at = stop != NULL ? stop + 1 : r->end;
        if (stop != NULL) {
            *stop = '\0';
        }
        line[strcspn(line, "\r")] = '\0';
        if (line[strspn(line, " \t")] == '\0') {
            continue;
        }
        while (line != NULL) {
            char *comma = strchr(line, ',');
            if (*count == COLUMNS_MAX) {
                return bad(r, "more than 256 columns");
            }
            if (comma != NULL) {
                *comma++ = '\0';
            }
            line += strspn(line, " \t");
            for (char *last = line + strlen(line); last > line && strchr(" \t", last[-1]);) {
                *--last = '\0';
            }
            cells[(*count)++] = line;
            line              = comma;
        }
        return SS_OK;
    }
    return SS_OK;
}

static ss_status read_names(reader *r, ss_csv *out)
{
    char *cells[COLUMNS_MAX];
    if (strncmp(r->at, "\xef\xbb\xbf", 3) == 0) { /* the mark that spreadsheets put */
        r->at += 3;
    }
    SS_TRY(next_line(r, cells, &out->columns));
    if (out->columns == 0) {
        return bad(r, "the table is empty: its first line must name the columns");
    }
    out->names = ss_pool_alloc(r->d->pool, (size_t)out->columns, sizeof *out->names);
    if (out->names == NULL) {
        return no_memory(r);
    }
    for (int32_t c = 0; c < out->columns; c++) {
        out->names[c] = cells[c];
        if (cells[c][0] == '\0' || strlen(cells[c]) > 200) {
            return bad(r, "each column needs a name (at most 200 characters)");
        }
    }
    return SS_OK;
}

static ss_status read_row(reader *r, const ss_csv *table, ss_node *row)
{
    char   *cells[COLUMNS_MAX];
    int32_t count = 0;
    SS_TRY(next_line(r, cells, &count));
    if (count != table->columns) {
        char text[96];
        snprintf(text, sizeof text, "this row has %d values, the table %d columns", (int)count,
                 (int)table->columns);
        return bad(r, text);
    }
    for (int32_t c = 0; c < count; c++) {
        if (cells[c][0] == '\0' && !r->gaps) {
            return bad(r, "a value is missing");
        }
        row[c] = (ss_node){.kind   = SS_NODE_SCALAR,
                           .text   = cells[c],
                           .plain  = true,
                           .origin = r->path,
                           .line   = r->line,
                           .column = 1};
    }
    return SS_OK;
}

static int64_t count_rows(const reader *r)
{
    int64_t rows = 0;
    for (const char *at = r->at; at < r->end;) {
        const char *stop = strchr(at, '\n');
        rows += at[strspn(at, " \t\r")] != '\n' && at[strspn(at, " \t\r")] != '\0';
        at = stop != NULL ? stop + 1 : r->end;
    }
    return rows;
}

static ss_status read_table(ss_decoder *d, const ss_node *node, const char *file, bool gaps,
                            ss_csv *out)
{
    char path[1024];
    int  ok = 1;
    snprintf(path, sizeof path, "%s%s", file[0] == '/' ? "" : d->directory, file);
    reader r = {.d = d, .path = ss_pool_text(d->pool, path, &ok), .gaps = gaps};
    *out     = (ss_csv){0};
    if (!ok) {
        return no_memory(&r);
    }
    SS_TRY(read_file(&r, node));
    SS_TRY(read_names(&r, out));
    out->rows      = count_rows(&r);
    size_t   total = (size_t)out->rows * (size_t)out->columns;
    ss_node *nodes = ss_pool_alloc(d->pool, total + 1, sizeof *nodes);
    out->cells     = ss_pool_alloc(d->pool, total + 1, sizeof *out->cells);
    if (nodes == NULL || out->cells == NULL) {
        return no_memory(&r);
    }
    if (out->rows == 0) {
        return bad(&r, "the table has no rows");
    }
    for (int64_t i = 0; i < out->rows; i++) {
        SS_TRY(read_row(&r, out, nodes + i * out->columns));
    }
    for (size_t i = 0; i < total; i++) {
        out->cells[i] = &nodes[i];
    }
    return SS_OK;
}

ss_status ss_csv_read(ss_decoder *d, const ss_node *node, const char *file, ss_csv *out)
{
    return read_table(d, node, file, false, out);
}

ss_status ss_csv_read_gaps(ss_decoder *d, const ss_node *node, const char *file, ss_csv *out)
{
    return read_table(d, node, file, true, out);
}

/* An empty cell, or one that says nan, was not measured. */
ss_status ss_csv_gap(ss_decoder *d, const ss_node *cell, double *out)
{
    char       *end = NULL;
    const char *s   = cell->text;
    *out            = NAN;
    if (s[0] == '\0' || strcmp(s, "nan") == 0 || strcmp(s, "NaN") == 0 || strcmp(s, "NA") == 0) {
        return SS_OK;
    }
    *out = strtod(s, &end);
    if (*end != '\0' || !isfinite(*out)) {
        return ss_fail(d->ctx, SS_ERR_INPUT, "%s:%d: '%s' is no number", cell->origin,
                       (int)cell->line, s);
    }
    return SS_OK;
}
