/* SPDX-License-Identifier: Apache-2.0 */
#include "state_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze_state.h"
#include "cli.h"
#include "json.h"
#include "state_page.h"
#include "stickslip/output.h"

/* ---- cells ---- */

typedef struct work {
    const ss_map_args  *args;
    const ss_state_map *map;
    ss_map_journal      journal;
} work;

ss_status ss_state_look(const ss_map_args *args, ss_context *ctx, const ss_variant *v,
                        ss_state_cell *c, ss_instant **out)
{
    double    h      = ss_model_simulation(v->model)->step;
    ss_status status = SS_OK;
    *out             = NULL;
    while (status == SS_OK && ss_data_time(v->data) < args->at - 0.5 * h) {
        status = ss_step(v->model, v->data, h);
    }
    if (status != SS_OK) {
        c->status  = status;
        c->summary = "failed";
        return status == SS_ERR_CERTIFICATE ? SS_OK : status;
    }
    SS_TRY(ss_instant_create(ctx, v->model, out));
    ss_instant_set_layers(*out, args->layers);
    ss_instant_set_resolution(*out, args->at > 0 ? 2 * h : 0);
    status     = ss_instant_judge(*out, v->model, v->data, &c->verdict);
    c->summary = ss_state_summary(&c->verdict);
    return status;
}

static ss_status judge(void *user, ss_context *ctx, const ss_variant *v)
{
    work          *w      = user;
    ss_state_cell *c      = &w->map->cells[v->index];
    ss_instant    *s      = NULL;
    ss_status      status = ss_state_look(w->args, ctx, v, c, &s);
    ss_instant_destroy(s);
    if (status == SS_OK) {
        status = ss_journal_add(&w->journal, ctx, (int32_t)v->index, c);
    }
    return status;
}

/* ---- results ---- */

static ss_status write_csv(ss_context *ctx, const ss_state_map *m, const char *path)
{
    ss_output_file *file;
    SS_TRY(ss_output_open(ctx, path, &file));
    FILE *out = ss_output_stream(file);
    for (int32_t k = 0; k < m->axis_count; k++) {
        fprintf(out, "%s,", m->axes[k].path);
    }
    fprintf(out, "state,solutions,exists,unique,forces_unique,p_matrix,stable,critical_c2_over_k,"
                 "painleve,mu_border,pointed\n");
    for (int32_t i = 0; i < m->count; i++) {
        const ss_state_cell      *c = &m->cells[i];
        const ss_instant_verdict *v = &c->verdict;
        for (int32_t k = 0; k < m->axis_count; k++) {
            fprintf(out, "%.17g,", c->value[k]);
        }
        fprintf(out, "%s,%d,%s,%s,%s,%s,%s,%.17g,%.17g,%.17g,%s\n", c->summary, (int)v->solutions,
                ss_answer_text(v->exists), ss_answer_text(v->unique),
                ss_answer_text(v->forces_unique), ss_answer_text(v->p_matrix),
                ss_answer_text(v->stable), v->critical, v->painleve, v->mu_border,
                ss_answer_text(v->pointed));
    }
    return ss_output_close(file, SS_OK);
}

static void print_json(const ss_state_map *m)
{
    ss_json out = ss_json_start(stdout, false);
    ss_json_open_array(&out, NULL);
    for (int32_t i = 0; i < m->count; i++) {
        const ss_state_cell      *c = &m->cells[i];
        const ss_instant_verdict *v = &c->verdict;
        ss_json_open_object(&out, NULL);
        for (int32_t k = 0; k < m->axis_count; k++) {
            ss_json_real(&out, m->axes[k].path, c->value[k]);
        }
        ss_json_text(&out, "state", c->summary);
        ss_json_int(&out, "solutions", v->solutions);
        ss_json_text(&out, "exists", ss_answer_text(v->exists));
        ss_json_text(&out, "unique", ss_answer_text(v->unique));
        ss_json_text(&out, "forces_unique", ss_answer_text(v->forces_unique));
        ss_json_text(&out, "p_matrix", ss_answer_text(v->p_matrix));
        ss_json_text(&out, "stable", ss_answer_text(v->stable));
        ss_json_real(&out, "critical_c2_over_k", v->critical);
        ss_json_real(&out, "painleve", v->painleve);
        ss_json_real(&out, "mu_border", v->mu_border);
        ss_json_text(&out, "pointed", ss_answer_text(v->pointed));
        ss_json_close_object(&out);
    }
    ss_json_close_array(&out);
    ss_json_end(&out);
}

/* One letter a cell: how many solutions; in capitals where contact is unstable for some c^2/k. */
static char letter(const ss_state_cell *c)
{
    const ss_instant_verdict *v = &c->verdict;
    if (c->status != SS_OK) {
        return 'x';
    }
    if (v->refused != NULL || v->striking > 0 || v->exists == SS_UNDECIDED) {
        return v->striking > 0 ? '!' : '?';
    }
    if (v->contacts == 0) {
        return '-';
    }
    if (v->exists == SS_NO) {
        return '0';
    }
    if (v->unique == SS_NO && v->solutions == 1) {
        return 'c'; /* a continuum */
    }
    if (v->unique == SS_NO) {
        return v->solutions < 10 ? (char)('0' + v->solutions) : '9';
    }
    return v->stable == SS_NO || v->critical > 0 ? '~' : '.';
}

static void draw(const ss_state_map *m)
{
    const ss_map_axis *x = &m->axes[0], *y = m->axis_count > 1 ? &m->axes[1] : NULL;
    for (int32_t r = (y != NULL ? y->count : 1) - 1; r >= 0; r--) {
        printf("%12.5g  ", y != NULL ? ss_map_value(y, r) : 0.0);
        for (int32_t i = 0; i < x->count; i++) {
            putchar(letter(&m->cells[r * x->count + i]));
        }
        putchar('\n');
    }
    printf("\nto the right: %s from %g to %g", x->path, x->low, x->high);
    if (y != NULL) {
        printf("; upwards: %s", y->path);
    }
    printf("\n. one solution   ~ one, and contact may be unstable   0 none   2.. several   c a "
           "continuum   ! impact\n"
           "- nothing touches   ? undecided   x certificate failed on the way\n");
}

static ss_status show(ss_context *ctx, const ss_map_args *args, const ss_state_map *map)
{
    if (args->csv != NULL) {
        SS_TRY(write_csv(ctx, map, args->csv));
    }
    if (args->svg != NULL) {
        SS_TRY(ss_state_map_svg(ctx, map, args->svg));
    }
    if (args->page != NULL) {
        SS_TRY(ss_state_page_write(ctx, args, map, args->page));
    }
    if (args->json) {
        print_json(map);
    } else if (!args->quiet) {
        draw(map);
    }
    return args->view ? ss_state_page_serve(ctx, args, map) : SS_OK;
}

static ss_status fill(ss_context *ctx, const ss_map_args *args, ss_state_map *map)
{
    work w = {.args = args, .map = map};
    for (int32_t i = 0; i < map->count; i++) {
        ss_map_cell_values(map->axes, map->axis_count, i, map->cells[i].value);
    }
    SS_TRY(ss_journal_open(ctx, args, &ss_journal_of_states, map->cells, map->count, &w.journal));
    ss_status status = ss_map_fill(ctx, args, map->axes, map->axis_count, w.journal.todo,
                                   w.journal.todo_count, judge, &w);
    ss_journal_close(&w.journal);
    for (int32_t i = 0; status == SS_OK && i < map->count; i++) { /* those of the journal too */
        ss_state_cell *c = &map->cells[i];
        c->summary       = c->status != SS_OK ? "failed" : ss_state_summary(&c->verdict);
    }
    return status;
}

ss_status ss_state_map_run(ss_context *ctx, const ss_map_args *args)
{
    ss_state_map map = {.scene = args->scene};
    SS_TRY(ss_map_axes(ctx, args->axes, map.axes, &map.axis_count, &map.count));
    map.cells        = calloc((size_t)map.count, sizeof *map.cells);
    ss_status status = map.cells != NULL
                           ? fill(ctx, args, &map)
                           : ss_fail(ctx, SS_ERR_MEMORY, "no memory for %d cells", (int)map.count);
    if (status == SS_OK) {
        status = show(ctx, args, &map);
    }
    free(map.cells);
    return status;
}
