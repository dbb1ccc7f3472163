/* SPDX-License-Identifier: Apache-2.0 */
/* A map as a page of its own: panels with lines between verdicts, what is said of each cell under
   the pointer, and the command that opens it (map_page.html). */
#ifndef SS_CLI_MAP_PAGE_H
#define SS_CLI_MAP_PAGE_H

#include <stddef.h>

#include "analyze_map.h"

/* map_page.html as text, put into the command when it is built. */
typedef struct ss_map_template {
    const char *text; /* terminated */
    size_t      size;
} ss_map_template;

extern const ss_map_template ss_map_template_built;

enum { SS_MAP_KINDS = 9 };

typedef struct ss_map_legend {
    const char *colour, *text;
} ss_map_legend;

/* Something that is said of every cell: one of a few kinds, or a number. */
typedef struct ss_map_column {
    const char *title;
    int (*kind)(const void *cell);      /* index into `legend`, -1: not applicable */
    double (*number)(const void *cell); /* NAN: not applicable; NULL: it has kinds */
    ss_map_legend legend[SS_MAP_KINDS]; /* as far as it has texts                 */
} ss_map_column;

typedef struct ss_map_page {
    const ss_map_args   *args;
    const ss_map_axis   *axes;
    int32_t              axis_count;
    const void          *cells; /* (count) the first axis runs fastest */
    size_t               cell_size;
    int32_t              count;
    const ss_map_column *columns;
    int32_t              column_count;
    /* cells that are in the page with everything that is said of them, and how they are drawn */
    const char *const *texts, *const *pictures; /* (count) or NULL; NULL: not in the page */
    bool served;                                /* or at state/CELL */
} ss_map_page;

ss_status ss_map_page_write(ss_context *ctx, const ss_map_page *page, const char *path);

#endif
