/* SPDX-License-Identifier: Apache-2.0 */
#include "state_map.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze_state.h"
#include "cli.h"
#include "json.h"
#include "progress.h"

/* ---- cells ---- */

/* What the threads share. */
typedef struct work {
    const ss_map_args     *args;
    const ss_scene_source *source;
    const ss_state_map    *map;
    atomic_int             next, done, failed; /* failed: a status */
    char                   message[512];
} work;

static ss_status judge(ss_context *ctx, const work *w, const ss_model *m, ss_data *d,
                       ss_state_cell *c)
{
    double    h      = ss_model_simulation(m)->step;
    ss_status status = SS_OK;
    while (status == SS_OK && ss_data_time(d) < w->args->at - 0.5 * h) {
        status = ss_step(m, d, h);
    }
    if (status != SS_OK) {
        c->status  = status;
        c->summary = "failed";
        return status == SS_ERR_CERTIFICATE ? SS_OK : status;
    }
    ss_instant *s = NULL;
    SS_TRY(ss_instant_create(ctx, m, &s));
    ss_instant_set_layers(s, w->args->layers);
    ss_instant_set_resolution(s, w->args->at > 0 ? 2 * h : 0);
    status     = ss_instant_judge(s, m, d, &c->verdict);
    c->summary = ss_state_summary(&c->verdict);
    ss_instant_destroy(s);
    return status;
}

static ss_status fill_cell(ss_context *ctx, const work *w, int32_t index)
{
    char           text[SS_MAP_AXES][SS_MAP_PATH + 32];
    const char    *overrides[SS_MAP_AXES];
    ss_state_cell *c     = &w->map->cells[index];
    ss_scene      *scene = NULL;
    ss_model      *m     = NULL;
    ss_data       *d     = NULL;
    int32_t        rest  = index;
    for (int32_t k = 0; k < w->map->axis_count; k++) {
        const ss_map_axis *a = &w->map->axes[k];
        c->value[k]          = ss_map_value(a, rest % a->count);
        rest /= a->count;
        snprintf(text[k], sizeof text[k], "%s=%.17g", a->path, c->value[k]);
        overrides[k] = text[k];
    }
    ss_status status = ss_scene_from_source(ctx, w->source, overrides, w->map->axis_count, &scene);
    status           = status == SS_OK ? ss_model_compile(ctx, scene, &m) : status;
    status           = status == SS_OK ? ss_data_create(ctx, m, &d) : status;
    status           = status == SS_OK ? judge(ctx, w, m, d, c) : status;
    ss_data_destroy(d);
    ss_model_destroy(m);
    ss_scene_destroy(scene);
    return status;
}

static void *run_thread(void *user)
{
    work       *w   = user;
    ss_context *ctx = ss_context_create(NULL);
    if (ctx == NULL) {
        atomic_store(&w->failed, SS_ERR_MEMORY);
        return NULL;
    }
    for (int i;
         atomic_load(&w->failed) == SS_OK && (i = atomic_fetch_add(&w->next, 1)) < w->map->count;) {
        ss_status status = fill_cell(ctx, w, i);
        int       none   = SS_OK;
        if (status != SS_OK && atomic_compare_exchange_strong(&w->failed, &none, (int)status)) {
            snprintf(w->message, sizeof w->message, "%s", ss_context_message(ctx));
        }
        atomic_fetch_add(&w->done, 1);
    }
    ss_context_destroy(ctx);
    return NULL;
}

static ss_status fill(ss_context *ctx, const ss_map_args *args, const ss_scene_source *source,
                      const ss_state_map *map)
{
    enum { THREADS = 64 };
    pthread_t   threads[THREADS];
    int         count = 0, wanted = args->threads < THREADS ? args->threads : THREADS;
    work        w        = {.args = args, .source = source, .map = map};
    ss_progress progress = ss_progress_start("cells", args->quiet);
    for (; count + 1 < wanted; count++) {
        if (pthread_create(&threads[count], NULL, run_thread, &w) != 0) {
            break; /* fewer will do */
        }
    }
    run_thread(&w);
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    ss_progress_update(&progress, atomic_load(&w.done), map->count, -1);
    ss_progress_end(&progress);
    ss_status status = (ss_status)atomic_load(&w.failed);
    return status == SS_OK ? SS_OK : ss_fail(ctx, status, "%s", w.message);
}

/* ---- results ---- */

static ss_status write_csv(ss_context *ctx, const ss_state_map *m, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return ss_fail(ctx, SS_ERR_IO, "cannot write '%s'", path);
    }
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
    bool bad = ferror(out) != 0;
    return fclose(out) != 0 || bad ? ss_fail(ctx, SS_ERR_IO, "cannot write '%s'", path) : SS_OK;
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
    printf(
        "\n. one solution   ~ one, and contact may be unstable   0 none   2.. several   ! impact\n"
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
    if (args->json) {
        print_json(map);
    } else if (!args->quiet) {
        draw(map);
    }
    return SS_OK;
}

ss_status ss_state_map_run(ss_context *ctx, const ss_map_args *args)
{
    ss_state_map     map    = {.scene = args->scene};
    ss_scene_source *source = NULL;
    SS_TRY(ss_map_axes(ctx, args->axes, map.axes, &map.axis_count, &map.count));
    ss_status status = ss_cli_scene_source(ctx, args->scene, args->scene_args, &source);
    map.cells        = calloc((size_t)map.count, sizeof *map.cells);
    if (status == SS_OK && map.cells == NULL) {
        status = ss_fail(ctx, SS_ERR_MEMORY, "no memory for %d cells", (int)map.count);
    }
    if (status == SS_OK) {
        status = fill(ctx, args, source, &map);
    }
    if (status == SS_OK) {
        status = show(ctx, args, &map);
    }
    free(map.cells);
    ss_scene_source_destroy(source);
    return status;
}
