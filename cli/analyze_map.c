/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze_state.h"
#include "cli.h"
#include "json.h"
#include "map_cells.h"
#include "map_page.h"
#include "progress.h"
#include "stickslip/analysis.h"
#include "stickslip/output.h"

enum { CELLS_MAX = 1000000 };

typedef struct map {
    ss_map_axis    axes[SS_MAP_AXES];
    int32_t        axis_count;
    ss_step_cell  *cells; /* the first axis runs fastest */
    int32_t        count;
    double         at; /* time of the step that is asked about */
    ss_map_journal journal;
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
    ss_step_cell *c = user;
    c->steps[ss_data_report(d)->hold]++;
}

static ss_status look(const map *m, const ss_variant *v, ss_step_cell *c)
{
    c->status = ss_analyze_run_to(v->model, v->data, m->at, true, count_hold, c);
    if (c->status != SS_OK) {
        return c->status == SS_ERR_CERTIFICATE ? SS_OK : c->status;
    }
    c->motion = ss_data_report(v->data)->motion;
    SS_TRY(ss_analyze_hold(v->model, v->data, &c->hold, NULL, 0));
    return ss_analyze_sliding(v->model, v->data, &c->sliding);
}

static ss_status ask(void *user, ss_context *ctx, const ss_variant *v)
{
    map          *m = user;
    ss_step_cell *c = &m->cells[v->index];
    SS_TRY(look(m, v, c));
    return ss_journal_add(&m->journal, ctx, (int32_t)v->index, c);
}

/* ---- all cells ---- */

void ss_map_cell_values(const ss_map_axis *axes, int32_t axis_count, int64_t index, double *values)
{
    for (int32_t k = 0; k < axis_count; k++) {
        values[k] = ss_map_value(&axes[k], (int32_t)(index % axes[k].count));
        index /= axes[k].count;
    }
}

typedef struct filling {
    const ss_map_axis *axes;
    int32_t            axis_count;
    const int32_t     *todo;
    ss_map_judge       judge;
    void              *user;
} filling;

static ss_status sample(void *user, int64_t index, ss_overrides *out)
{
    const filling *f = user;
    double         values[SS_MAP_AXES];
    ss_map_cell_values(f->axes, f->axis_count, f->todo[index], values);
    for (int32_t k = 0; k < f->axis_count; k++) {
        SS_TRY(ss_overrides_add(out, "%s=%.17g", f->axes[k].path, values[k]));
    }
    return SS_OK;
}

static ss_status measure(void *user, ss_context *ctx, const ss_variant *v)
{
    const filling *f       = user;
    ss_variant     variant = *v;
    variant.index          = f->todo[v->index];
    return f->judge(f->user, ctx, &variant);
}

static void show_progress(void *user, int64_t done, int64_t count)
{
    ss_progress_update(user, done, count, -1);
}

ss_status ss_map_fill(ss_context *ctx, const ss_map_args *args, const ss_map_axis *axes,
                      int32_t axis_count, const int32_t *todo, int32_t count, ss_map_judge judge,
                      void *user)
{
    filling       f        = {axes, axis_count, todo, judge, user};
    ss_progress   progress = ss_progress_start("cells", args->quiet);
    ss_series_def def      = {.source        = args->source,
                              .count         = count,
                              .threads       = args->threads,
                              .sample        = sample,
                              .measure       = measure,
                              .user          = &f,
                              .interrupt     = ss_cli_catch_interrupt(),
                              .progress      = show_progress,
                              .progress_user = &progress};
    ss_status     status   = ss_series_run(ctx, &def);
    ss_progress_end(&progress);
    return status;
}

/* ---- results ---- */

static const char *hold_of(const ss_step_cell *c)
{
    return c->status != SS_OK ? "failed" : ss_hold_text(c->hold.hold);
}

static ss_status write_csv(ss_context *ctx, const map *m, const char *path)
{
    ss_output_file *file;
    SS_TRY(ss_output_open(ctx, path, &file));
    FILE *out = ss_output_stream(file);
    for (int32_t k = 0; k < m->axis_count; k++) {
        fprintf(out, "%s,", m->axes[k].path);
    }
    fprintf(out, "hold,at_rest,pointed,held,jammed_steps,wedged_steps,motion,sliding,p_matrix,"
                 "lowest_diagonal\n");
    for (int32_t i = 0; i < m->count; i++) {
        const ss_step_cell *c = &m->cells[i];
        for (int32_t k = 0; k < m->axis_count; k++) {
            fprintf(out, "%.17g,", c->value[k]);
        }
        fprintf(out, "%s,%d,%s,%s,%lld,%lld,%s,%d,%s,%.17g\n", hold_of(c), c->hold.at_rest,
                ss_answer_text(c->hold.pointed), ss_answer_text(c->hold.held),
                (long long)c->steps[SS_HOLD_JAMMED], (long long)c->steps[SS_HOLD_WEDGED],
                ss_motion_verdict_text(c->motion), (int)c->sliding.contacts,
                ss_answer_text(c->sliding.p_matrix), c->sliding.lowest);
    }
    return ss_output_close(file, SS_OK);
}

static void print_json(const map *m)
{
    ss_json out = ss_json_start(stdout, false);
    ss_json_open_array(&out, NULL);
    for (int32_t i = 0; i < m->count; i++) {
        const ss_step_cell *c = &m->cells[i];
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

/* ---- the page ---- */

static int hold_kind(const void *from)
{
    const ss_step_cell *c = from;
    return c->status != SS_OK ? 5 : (int)c->hold.hold;
}

static int answer_kind(const ss_step_cell *c, ss_answer answer)
{
    return c->status != SS_OK || answer == SS_UNDECIDED ? -1 : answer == SS_YES ? 0 : 1;
}

static int pointed_kind(const void *from)
{
    const ss_step_cell *c = from;
    return answer_kind(c, c->hold.pointed);
}

static int motion_kind(const void *from)
{
    const ss_step_cell *c = from;
    return c->status != SS_OK || c->motion == SS_MOTION_UNDECIDED ? -1 : (int)c->motion;
}

static double lowest_of(const void *from)
{
    const ss_step_cell *c = from;
    return c->status != SS_OK || c->sliding.contacts == 0 ? NAN : c->sliding.lowest;
}

static const ss_map_column columns[] = {
    {.title  = "what contacts do",
     .kind   = hold_kind,
     .legend = {{"#ffffff", "nothing touches"},
                {"#d9ead3", "free"},
                {"#cccccc", "undecided"},
                {"#f6b26b", "jammed"},
                {"#cc4125", "wedged"},
                {"#b4a7d6", "certificate failed"}}},
    {.title  = "friction cone",
     .kind   = pointed_kind,
     .legend = {{"#d9ead3", "pointed"}, {"#e06666", "not pointed: forces can cancel"}}},
    {.title  = "motion",
     .kind   = motion_kind,
     .legend = {{"#d9ead3", "unique"}, {"#f6b26b", "not unique"}}},
    {.title = "least normal response of a sliding contact", .number = lowest_of},
};

static ss_status write_page(ss_context *ctx, const ss_map_args *args, const map *m)
{
    const ss_map_page page = {.args         = args,
                              .axes         = m->axes,
                              .axis_count   = m->axis_count,
                              .cells        = m->cells,
                              .cell_size    = sizeof *m->cells,
                              .count        = m->count,
                              .columns      = columns,
                              .column_count = (int32_t)(sizeof columns / sizeof columns[0])};
    return ss_map_page_write(ctx, &page, args->page);
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
            const ss_step_cell *c = &m->cells[r * x->count + i];
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

static ss_status fill(ss_context *ctx, const ss_map_args *args, map *m)
{
    for (int32_t i = 0; i < m->count; i++) {
        ss_map_cell_values(m->axes, m->axis_count, i, m->cells[i].value);
    }
    SS_TRY(ss_journal_open(ctx, args, &ss_journal_of_steps, m->cells, m->count, &m->journal));
    ss_status status = ss_map_fill(ctx, args, m->axes, m->axis_count, m->journal.todo,
                                   m->journal.todo_count, ask, m);
    ss_journal_close(&m->journal);
    return status;
}

ss_status ss_analyze_map(ss_context *ctx, const ss_map_args *args)
{
    map m = {.at = args->at};
    SS_TRY(ss_map_axes(ctx, args->axes, m.axes, &m.axis_count, &m.count));
    m.cells          = calloc((size_t)m.count, sizeof *m.cells);
    ss_status status = m.cells != NULL
                           ? fill(ctx, args, &m)
                           : ss_fail(ctx, SS_ERR_MEMORY, "no memory for %d cells", m.count);
    if (status == SS_OK && args->csv != NULL) {
        status = write_csv(ctx, &m, args->csv);
    }
    if (status == SS_OK && args->page != NULL) {
        status = write_page(ctx, args, &m);
    }
    if (status == SS_OK && args->json) {
        print_json(&m);
    } else if (status == SS_OK && !args->quiet) {
        draw(&m);
    }
    free(m.cells);
    return status;
}
