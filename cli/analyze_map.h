/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip analyze --map`: the verdicts of many scenes, over one or two of their values. Models
   without momentum: of a step, as here; models with it: of the state before, state_map.h. */
#ifndef SS_CLI_ANALYZE_MAP_H
#define SS_CLI_ANALYZE_MAP_H

#include "scene_args.h"
#include "stickslip/series.h"

enum { SS_MAP_AXES = 2, SS_MAP_PATH = 96 };

/* PATH=LOW:HIGH:COUNT */
typedef struct ss_map_axis {
    char    path[SS_MAP_PATH];
    double  low, high;
    int32_t count;
} ss_map_axis;

/* One or two axes, and how many cells they make. */
ss_status ss_map_axes(ss_context *ctx, const ss_arg_list *texts, ss_map_axis *axes,
                      int32_t *axis_count, int32_t *cells);
double    ss_map_value(const ss_map_axis *a, int32_t i);
/* The values of a cell; the first axis runs fastest. */
void ss_map_cell_values(const ss_map_axis *axes, int32_t axis_count, int64_t index, double *values);

typedef struct ss_map_args {
    const char            *scene;  /* its name */
    const ss_scene_source *source; /* parsed once, for all cells */
    const ss_arg_list     *axes;   /* PATH=LOW:HIGH:COUNT, one or two */
    double                 at;     /* time of the step that is asked about */
    double                 layers; /* c^2/k, NAN: not given                */
    int                    threads;
    const char            *csv, *svg, *page; /* NULL: no file */
    const char            *resume;           /* journal of cells; NULL: none is kept */
    const char            *resolved;         /* the scene with every number resolved */
    const ss_scene_args   *scene_args;
    int32_t                states;        /* at most so many are in the page, whole */
    bool                   view, no_open; /* serve the page, states on demand       */
    int32_t                port;
    bool                   json, quiet;
} ss_map_args;

/* To time `at`, and one step more: what is asked is about that step. `note` may be NULL. */
ss_status ss_analyze_run_to(const ss_model *m, ss_data *d, double at, bool quiet,
                            void (*note)(void *user, const ss_data *d), void *user);

/* The cells `todo` of a map as a series of variants of the scene, on args->threads threads;
   v->index is that of the cell. */
typedef ss_status (*ss_map_judge)(void *user, ss_context *ctx, const ss_variant *v);
ss_status ss_map_fill(ss_context *ctx, const ss_map_args *args, const ss_map_axis *axes,
                      int32_t axis_count, const int32_t *todo, int32_t count, ss_map_judge judge,
                      void *user);

ss_status ss_analyze_map(ss_context *ctx, const ss_map_args *args);

#endif
