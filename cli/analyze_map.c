/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze_state.h"
#include "json.h"
#include "progress.h"
#include "stickslip/analysis.h"

enum { CELLS_MAX = 1000000 };

/* What one scene of the map said. */
typedef struct cell {
    ss_status          status; /* SS_OK, or the step's certificate failed on the way */
    double             value[SS_MAP_AXES];
    ss_hold_verdict    hold;
    int64_t            steps[SS_HOLD_COUNT]; /* on the way, by verdict */
    ss_motion_verdict  motion;
    ss_sliding_verdict sliding;
} cell;

typedef struct map {
    ss_map_axis axes[SS_MAP_AXES];
    int32_t     axis_count;
    cell       *cells; /* the first axis runs fastest */
    int32_t     count;
} map;

/* ---- axes ---- */

static ss_status parse_axis(ss_context *ctx, const char *text, ss_map_axis *out)
{
    const char *equals = strrchr(text, '=');
    size_t      length = equals != NULL ? (size_t)(equals - text) : 0;
    int         used   = 0;
    if (length == 0 || length >= SS_MAP_PATH ||
        sscanf(equals + 1, "%lf:%lf:%d%n", &out->low, &out->high, &out->count, &used) != 3 ||
        equals[1 + used] != '\0' || !isfinite(out->low) || !isfinite(out->high)) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "--map %s: must be PATH=LOW:HIGH:COUNT, for example params.mu=0.1:0.5:21",
                       text);
    }
    if (out->count < 1 || out->count > CELLS_MAX) {
        return ss_fail(ctx, SS_ERR_INPUT, "--map %s: the count must lie between 1 and %d", text,
                       CELLS_MAX);
    }
    memcpy(out->path, text, length);
    out->path[length] = '\0';
    return SS_OK;
}

ss_status ss_map_axes(ss_context *ctx, const ss_arg_list *texts, ss_map_axis *axes,
                      int32_t *axis_count, int32_t *cells)
{
    int64_t count = 1;
    if (texts->count > SS_MAP_AXES) {
        return ss_fail(ctx, SS_ERR_INPUT, "--map: a map has one or two axes, got %d",
                       (int)texts->count);
    }
    for (*axis_count = 0; *axis_count < texts->count; ++*axis_count) {
        SS_TRY(parse_axis(ctx, texts->items[*axis_count], &axes[*axis_count]));
        count *= axes[*axis_count].count;
    }
    if (count > CELLS_MAX) {
        return ss_fail(ctx, SS_ERR_INPUT, "--map: at most %d cells, got %lld", CELLS_MAX,
                       (long long)count);
    }
    *cells = (int32_t)count;
    return SS_OK;
}

double ss_map_value(const ss_map_axis *a, int32_t i)
{
    return a->count == 1 ? a->low : a->low + (a->high - a->low) * i / (a->count - 1);
}

/* ---- cells ---- */

ss_status ss_analyze_run_to(const ss_model *m, ss_data *d, double at, bool quiet,
                            void (*note)(void *user, const ss_data *d), void *user)
{
    double      h     = ss_model_simulation(m)->step;
    int64_t     total = (int64_t)(at / h) + 1, done = 0;
    ss_progress progress = ss_progress_start("steps", quiet);
    ss_status   status   = SS_OK;
    bool        last     = false;
    while (status == SS_OK && !last) {
        last   = ss_data_time(d) >= at - 0.5 * h;
        status = ss_step(m, d, h);
        ss_progress_update(&progress, ++done, total, ss_data_report(d)->residual);
        if (status == SS_OK && note != NULL) {
            note(user, d);
        }
    }
    ss_progress_end(&progress);
    return status;
}

static void count_hold(void *user, const ss_data *d)
{
    cell *c = user;
    c->steps[ss_data_report(d)->hold]++;
}

static ss_status ask(const ss_map_args *args, const ss_model *m, ss_data *d, cell *c)
{
    c->status = ss_analyze_run_to(m, d, args->at, true, count_hold, c);
    if (c->status != SS_OK) {
        return c->status == SS_ERR_CERTIFICATE ? SS_OK : c->status;
    }
    c->motion = ss_data_report(d)->motion;
    SS_TRY(ss_analyze_hold(m, d, &c->hold, NULL, 0));
    return ss_analyze_sliding(m, d, &c->sliding);
}

static ss_status ask_scene(ss_context *ctx, const ss_map_args *args, const ss_scene_args *changed,
                           cell *c)
{
    ss_scene *scene  = NULL;
    ss_model *m      = NULL;
    ss_data  *d      = NULL;
    ss_status status = ss_cli_load_scene(ctx, args->scene, changed, &scene);
    if (status == SS_OK) {
        status = ss_model_compile(ctx, scene, &m);
    }
    if (status == SS_OK) {
        status = ss_data_create(ctx, m, &d);
    }
    if (status == SS_OK) {
        status = ask(args, m, d, c);
    }
    ss_data_destroy(d);
    ss_model_destroy(m);
    ss_scene_destroy(scene);
    return status;
}

/* The scene with the values of one cell, after those of --set. */
static ss_status fill_cell(ss_context *ctx, const ss_map_args *args, const map *m, int32_t index)
{
    char          text[SS_MAP_AXES][SS_MAP_PATH + 32];
    ss_scene_args changed = *args->scene_args;
    int32_t       n = changed.set.count, rest = index;
    const char  **all = malloc(((size_t)n + SS_MAP_AXES) * sizeof *all);
    if (all == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    if (n > 0) {
        memcpy(all, changed.set.items, (size_t)n * sizeof *all);
    }
    for (int32_t k = 0; k < m->axis_count; k++) {
        const ss_map_axis *a     = &m->axes[k];
        m->cells[index].value[k] = ss_map_value(a, rest % a->count);
        rest /= a->count;
        snprintf(text[k], sizeof text[k], "%s=%.17g", a->path, m->cells[index].value[k]);
        all[n + k] = text[k];
    }
    changed.set      = (ss_arg_list){all, n + m->axis_count};
    ss_status status = ask_scene(ctx, args, &changed, &m->cells[index]);
    free(all);
    return status;
}

static ss_status fill(ss_context *ctx, const ss_map_args *args, const map *m)
{
    ss_progress progress = ss_progress_start("cells", args->quiet);
    ss_status   status   = SS_OK;
    for (int32_t i = 0; status == SS_OK && i < m->count; i++) {
        status = fill_cell(ctx, args, m, i);
        ss_progress_update(&progress, i + 1, m->count, -1);
    }
    ss_progress_end(&progress);
    return status;
}

/* ---- results ---- */

static const char *hold_of(const cell *c)
{
    return c->status != SS_OK ? "failed" : ss_hold_text(c->hold.hold);
}

static ss_status write_csv(ss_context *ctx, const map *m, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return ss_fail(ctx, SS_ERR_IO, "cannot write '%s'", path);
    }
    for (int32_t k = 0; k < m->axis_count; k++) {
        fprintf(out, "%s,", m->axes[k].path);
    }
    fprintf(out, "hold,at_rest,pointed,held,jammed_steps,wedged_steps,motion,sliding,p_matrix,"
                 "lowest_diagonal\n");
    for (int32_t i = 0; i < m->count; i++) {
        const cell *c = &m->cells[i];
        for (int32_t k = 0; k < m->axis_count; k++) {
            fprintf(out, "%.17g,", c->value[k]);
        }
        fprintf(out, "%s,%d,%s,%s,%lld,%lld,%s,%d,%s,%.17g\n", hold_of(c), c->hold.at_rest,
                ss_answer_text(c->hold.pointed), ss_answer_text(c->hold.held),
                (long long)c->steps[SS_HOLD_JAMMED], (long long)c->steps[SS_HOLD_WEDGED],
                ss_motion_verdict_text(c->motion), (int)c->sliding.contacts,
                ss_answer_text(c->sliding.p_matrix), c->sliding.lowest);
    }
    bool bad = ferror(out) != 0;
    return fclose(out) != 0 || bad ? ss_fail(ctx, SS_ERR_IO, "cannot write '%s'", path) : SS_OK;
}

static void print_json(const map *m)
{
    ss_json out = ss_json_start(stdout, false);
    ss_json_open_array(&out, NULL);
    for (int32_t i = 0; i < m->count; i++) {
        const cell *c = &m->cells[i];
        ss_json_open_object(&out, NULL);
        for (int32_t k = 0; k < m->axis_count; k++) {
            ss_json_real(&out, m->axes[k].path, c->value[k]);
        }
        ss_json_text(&out, "hold", hold_of(c));
        ss_json_bool(&out, "at_rest", c->hold.at_rest);
        ss_json_text(&out, "pointed", ss_answer_text(c->hold.pointed));
        ss_json_text(&out, "held", ss_answer_text(c->hold.held));
        ss_json_int(&out, "jammed_steps", c->steps[SS_HOLD_JAMMED]);
        ss_json_int(&out, "wedged_steps", c->steps[SS_HOLD_WEDGED]);
        ss_json_text(&out, "motion", ss_motion_verdict_text(c->motion));
        ss_json_int(&out, "sliding", c->sliding.contacts);
        ss_json_text(&out, "p_matrix", ss_answer_text(c->sliding.p_matrix));
        ss_json_real(&out, "lowest_diagonal", c->sliding.lowest);
        ss_json_close_object(&out);
    }
    ss_json_close_array(&out);
    ss_json_end(&out);
}

/* One letter a cell: the first axis to the right, the second upwards. */
static void draw(const map *m)
{
    static const char  letters[] = "-.?jw";
    const ss_map_axis *x = &m->axes[0], *y = m->axis_count > 1 ? &m->axes[1] : NULL;
    int32_t            rows = y != NULL ? y->count : 1;
    for (int32_t r = rows - 1; r >= 0; r--) {
        printf("%12.5g  ", y != NULL ? ss_map_value(y, r) : 0.0);
        for (int32_t i = 0; i < x->count; i++) {
            const cell *c = &m->cells[r * x->count + i];
            putchar(c->status != SS_OK ? 'x' : letters[c->hold.hold]);
        }
        putchar('\n');
    }
    printf("\nto the right: %s from %g to %g", x->path, x->low, x->high);
    if (y != NULL) {
        printf("; upwards: %s", y->path);
    }
    printf("\n. free   j jammed   w wedged   ? undecided   - nothing touches   x certificate "
           "failed\n");
}

ss_status ss_analyze_map(ss_context *ctx, const ss_map_args *args)
{
    map m = {.axis_count = 0};
    SS_TRY(ss_map_axes(ctx, args->axes, m.axes, &m.axis_count, &m.count));
    m.cells          = calloc((size_t)m.count, sizeof *m.cells);
    ss_status status = m.cells != NULL
                           ? fill(ctx, args, &m)
                           : ss_fail(ctx, SS_ERR_MEMORY, "no memory for %d cells", m.count);
    if (status == SS_OK && args->csv != NULL) {
        status = write_csv(ctx, &m, args->csv);
    }
    if (status == SS_OK && args->json) {
        print_json(&m);
    } else if (status == SS_OK && !args->quiet) {
        draw(&m);
    }
    free(m.cells);
    return status;
}
