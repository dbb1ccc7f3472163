/* SPDX-License-Identifier: Apache-2.0 */
#include "state_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze_state.h"
#include "demand.h"
#include "solutions_picture.h"
#include "stickslip/output.h"

typedef struct book {
    ss_context         *ctx;
    const ss_map_args  *args;
    const ss_state_map *map;
    char              **texts, **pictures; /* (map->count) */
} book;

/* ---- one state ---- */

static void write_text(FILE *out, const ss_map_args *args, const ss_state_map *map,
                       const ss_variant *v, const ss_instant *s, const ss_state_cell *c)
{
    fprintf(out, "scene      %s\n", args->scene);
    for (int32_t k = 0; k < map->axis_count; k++) {
        fprintf(out, "           %s = %.9g\n", map->axes[k].path, map->cells[v->index].value[k]);
    }
    if (s != NULL) {
        ss_state_print(out, v->model, s, &c->verdict, ss_data_time(v->data));
    } else {
        fprintf(out, "state      a step on the way to it failed its certificate\n");
    }
}

/* Of a scene in the plane; another has none. */
static ss_status write_picture(ss_context *ctx, const ss_variant *v, const ss_instant *s,
                               const ss_state_cell *c, FILE *out)
{
    if (s == NULL || ss_model_dimension(v->model) != 2 || c->verdict.refused != NULL) {
        return SS_OK;
    }
    return ss_solutions_picture_draw(ctx, v->model, v->data, s, &c->verdict, out);
}

/* Both, in memory. */
static ss_status describe(void *user, ss_context *ctx, const ss_variant *v)
{
    book         *b      = user;
    ss_state_cell c      = b->map->cells[v->index];
    ss_instant   *s      = NULL;
    size_t        size   = 0;
    FILE         *text   = open_memstream(&b->texts[v->index], &size);
    FILE         *drawn  = open_memstream(&b->pictures[v->index], &size);
    ss_status     status = text != NULL && drawn != NULL
                               ? ss_state_look(b->args, ctx, v, &c, &s)
                               : ss_fail(ctx, SS_ERR_MEMORY, "no memory for the states of the page");
    if (status == SS_OK) {
        write_text(text, b->args, b->map, v, s, &c);
        status = write_picture(ctx, v, s, &c, drawn);
    }
    if (text != NULL) {
        fclose(text);
    }
    if (drawn != NULL) {
        fclose(drawn);
    }
    ss_instant_destroy(s);
    return status;
}

/* ---- the page ---- */

static ss_status write_page(const book *b, bool served, const char *path)
{
    const ss_map_page page = {.args         = b->args,
                              .axes         = b->map->axes,
                              .axis_count   = b->map->axis_count,
                              .cells        = b->map->cells,
                              .cell_size    = sizeof *b->map->cells,
                              .count        = b->map->count,
                              .columns      = ss_state_columns,
                              .column_count = SS_STATE_COLUMNS,
                              .texts        = (const char *const *)b->texts,
                              .pictures     = (const char *const *)b->pictures,
                              .served       = served};
    return ss_map_page_write(b->ctx, &page, path);
}

/* Which of the `count` entries of an axis: about `wanted`, first and last among them. */
static bool is_chosen(int32_t i, int32_t count, int32_t wanted)
{
    if (wanted >= count) {
        return true;
    }
    double step = (double)(count - 1) / fmax(1, wanted - 1);
    return (int32_t)lround(lround(i / step) * step) == i;
}

/* Cells spread over the map, at most args->states. */
static int32_t choose(const book *b, int32_t *todo)
{
    const ss_map_axis *a  = b->map->axes;
    int32_t            nx = a[0].count, ny = b->map->axis_count > 1 ? a[1].count : 1, count = 0;
    int32_t            most = b->args->states, wide = ny > 1 ? (int32_t)sqrt((double)most) : most;
    wide         = nx < wide ? nx : wide;
    int32_t high = most / (wide > 0 ? wide : 1);
    wide         = ny < high && high > 0 ? most / ny : wide;
    for (int32_t i = 0; most > 0 && i < nx * ny; i++) {
        if (is_chosen(i % nx, nx, wide) && is_chosen(i / nx, ny, high)) {
            todo[count++] = i;
        }
    }
    return count;
}

static void drop(book *b)
{
    for (int32_t i = 0; i < b->map->count; i++) {
        if (b->texts != NULL) {
            free(b->texts[i]);
        }
        if (b->pictures != NULL) {
            free(b->pictures[i]);
        }
    }
    free(b->texts);
    free(b->pictures);
}

ss_status ss_state_page_write(ss_context *ctx, const ss_map_args *args, const ss_state_map *map,
                              const char *path)
{
    size_t    n      = (size_t)map->count;
    book      b      = {.ctx      = ctx,
                        .args     = args,
                        .map      = map,
                        .texts    = calloc(n, sizeof *b.texts),
                        .pictures = calloc(n, sizeof *b.pictures)};
    int32_t  *todo   = calloc(n, sizeof *todo);
    ss_status status = b.texts != NULL && b.pictures != NULL && todo != NULL
                           ? ss_map_fill(ctx, args, map->axes, map->axis_count, todo,
                                         choose(&b, todo), describe, &b)
                           : ss_fail(ctx, SS_ERR_MEMORY, "no memory for the states of the page");
    if (status == SS_OK) {
        status = write_page(&b, false, path);
    }
    free(todo);
    drop(&b);
    return status;
}

/* ---- states on demand ---- */

static ss_status write_state(void *user, int64_t cell, const char *path)
{
    static const char head[] =
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>stickslip "
        "state</title><style>body{font:15px/1.45 system-ui,sans-serif;margin:0 auto;"
        "max-width:1000px;padding:16px 20px}pre{overflow-x:auto}</style></head><body>\n<pre>";
    book           *b     = user;
    int32_t         index = (int32_t)cell;
    ss_output_file *file;
    free(b->texts[cell]);
    free(b->pictures[cell]);
    b->texts[cell] = b->pictures[cell] = NULL;
    SS_TRY(ss_map_fill(b->ctx, b->args, b->map->axes, b->map->axis_count, &index, 1, describe, b));
    SS_TRY(ss_output_open(b->ctx, path, &file));
    FILE *out = ss_output_stream(file);
    fputs(head, out);
    ss_output_markup(out, b->texts[cell]);
    fprintf(out, "</pre>\n%s</body></html>\n", b->pictures[cell]);
    return ss_output_close(file, SS_OK);
}

ss_status ss_state_page_serve(ss_context *ctx, const ss_map_args *args, const ss_state_map *map)
{
    size_t    n = (size_t)map->count;
    char      page[512];
    book      b      = {.ctx      = ctx,
                        .args     = args,
                        .map      = map,
                        .texts    = calloc(n, sizeof *b.texts),
                        .pictures = calloc(n, sizeof *b.pictures)};
    ss_status status = b.texts != NULL && b.pictures != NULL
                           ? ss_cli_temporary(ctx, page, sizeof page)
                           : ss_fail(ctx, SS_ERR_MEMORY, "no memory for the states of the page");
    if (status == SS_OK) {
        status = write_page(&b, true, page);
    }
    if (status == SS_OK) {
        ss_demand demand = {.page    = page,
                            .folder  = "state",
                            .count   = map->count,
                            .make    = write_state,
                            .user    = &b,
                            .port    = args->port,
                            .no_open = args->no_open};
        status           = ss_cli_serve_on_demand(ctx, &demand);
    }
    drop(&b);
    return status;
}
