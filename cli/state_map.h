/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip analyze --map` of models with momentum: what states before a step say. */
#ifndef SS_CLI_STATE_MAP_H
#define SS_CLI_STATE_MAP_H

#include "map_cells.h"
#include "map_page.h"

typedef struct ss_state_map {
    const char    *scene;
    ss_map_axis    axes[SS_MAP_AXES];
    int32_t        axis_count;
    ss_state_cell *cells; /* the first axis runs fastest */
    int32_t        count;
} ss_state_map;

ss_status ss_state_map_run(ss_context *ctx, const ss_map_args *args);

/* Goes to the state of a cell and judges it. *out is there where that worked; destroy it. */
ss_status ss_state_look(const ss_map_args *args, ss_context *ctx, const ss_variant *v,
                        ss_state_cell *c, ss_instant **out);

/* What is said of each cell, the panels of the picture first. */
extern const ss_map_column ss_state_columns[];
enum { SS_STATE_PANELS = 3, SS_STATE_COLUMNS = 7 };

/* The map as a picture: solutions, P-matrix, stability of contact beside each other. */
ss_status ss_state_map_svg(ss_context *ctx, const ss_state_map *map, const char *path);

#endif
