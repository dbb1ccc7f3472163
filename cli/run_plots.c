/* SPDX-License-Identifier: Apache-2.0 */
#include "run_plots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stickslip/plot.h"

enum { PLOTS_MAX = 16, CURVES_MAX = 4, NAME_SIZE = 96, DEFAULT_BODIES = 3 };

typedef struct canvas {
    ss_context  *ctx;
    ss_run_file *file;
    size_t       states;
    double      *t;
    ss_plot      plots[PLOTS_MAX];
    ss_curve     curves[PLOTS_MAX][CURVES_MAX];
    double      *values[PLOTS_MAX][CURVES_MAX];
    char         titles[PLOTS_MAX][NAME_SIZE];
    int32_t      count;
} canvas;

/* One plot of step scalars, or of the columns of one body. */
typedef struct kind {
    const char *name, *title, *unit;
    const char *fields[CURVES_MAX]; /* of steps/; a body's kind has one field of bodies/ */
    const char *labels[CURVES_MAX];
    bool        log_y, stairs;
} kind;

static const kind run_kinds[] = {
    {"energy",
     "Energy",
     "J",
     {"steps/kinetic", "steps/potential", "steps/dissipated"},
     {"kinetic", "potential", "dissipated"},
     false,
     false},
    {"residual", "Certificate", "residual", {"steps/residual"}, {"residual"}, true, false},
    {"contacts",
     "Contacts",
     "count",
     {"steps/contacts", "steps/stick", "steps/slip"},
     {"all", "stick", "slip"},
     false,
     true},
    {"iterations", "Solver iterations", "count", {"steps/iterations"}, {"iterations"}, false, true},
    {"penetration", "Penetration", "m", {"steps/penetration"}, {"deepest"}, false, false},
};

static const kind body_kinds[] = {
    {"position", "position", "m", {"bodies/position"}, {"x", "y", "z"}, false, false},
    {"velocity", "velocity", "m/s", {"bodies/velocity"}, {"x", "y", "z"}, false, false},
    {"angle", "angle", "rad", {"bodies/angle"}, {"angle"}, false, false},
    {"angular_velocity",
     "angular velocity",
     "rad/s",
     {"bodies/angular_velocity"},
     {"x", "y", "z"},
     false,
     false},
    {"quat_wxyz", "quaternion", "", {"bodies/quat_wxyz"}, {"w", "x", "y", "z"}, false, false},
};

static ss_status no_memory(const canvas *c)
{
    return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for the plots");
}

static ss_status add_curve(canvas *c, const char *label, double *values)
{
    ss_plot *p                          = &c->plots[c->count];
    c->values[c->count][p->curve_count] = values;
    c->curves[c->count][p->curve_count] = (ss_curve){label, c->t, values, c->states};
    p->curve_count++;
    return values != NULL ? SS_OK : no_memory(c);
}

static void start_plot(canvas *c, const kind *k, const char *body)
{
    snprintf(c->titles[c->count], NAME_SIZE, "%s%s%s", body != NULL ? body : "",
             body != NULL ? ": " : "", k->title);
    c->plots[c->count] = (ss_plot){.title   = c->titles[c->count],
                                   .x_label = "t / s",
                                   .y_label = k->unit,
                                   .curves  = c->curves[c->count],
                                   .log_y   = k->log_y,
                                   .stairs  = k->stairs};
}

static ss_status add_run_plot(canvas *c, const kind *k)
{
    start_plot(c, k, NULL);
    for (int i = 0; i < CURVES_MAX && k->fields[i] != NULL; i++) {
        double *values = malloc((c->states + 1) * sizeof *values);
        SS_TRY(add_curve(c, k->labels[i], values));
        SS_TRY(ss_run_file_read(c->file, k->fields[i], 0, (int64_t)c->states, values));
    }
    c->count++;
    return SS_OK;
}

/* The columns of one body out of those of all. */
static ss_status add_body_plot(canvas *c, const kind *k, int32_t body)
{
    size_t width = (size_t)ss_run_file_width(c->file, k->fields[0]);
    size_t each  = width / (size_t)ss_run_file_body_count(c->file);
    if (width == 0) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "a run in %dD has no %s",
                       ss_run_file_dimension(c->file), k->name);
    }
    start_plot(c, k, ss_run_file_body_name(c->file, body));
    double *all = malloc((c->states * width + 1) * sizeof *all);
    if (all == NULL) {
        return no_memory(c);
    }
    ss_status status = ss_run_file_read(c->file, k->fields[0], 0, (int64_t)c->states, all);
    for (size_t i = 0; status == SS_OK && i < each; i++) {
        double *values = malloc((c->states + 1) * sizeof *values);
        status         = add_curve(c, each == 1 ? k->title : k->labels[i], values);
        for (size_t s = 0; status == SS_OK && s < c->states; s++) {
            values[s] = all[s * width + (size_t)body * each + i];
        }
    }
    free(all);
    c->count++;
    return status;
}

static int32_t find_body(const canvas *c, const char *name, size_t length)
{
    for (int32_t b = 0; b < ss_run_file_body_count(c->file); b++) {
        const char *own = ss_run_file_body_name(c->file, b);
        if (strlen(own) == length && strncmp(own, name, length) == 0) {
            return b;
        }
    }
    return -1;
}

static ss_status add_named(canvas *c, const char *name)
{
    for (size_t i = 0; i < sizeof run_kinds / sizeof run_kinds[0]; i++) {
        if (strcmp(name, run_kinds[i].name) == 0) {
            return add_run_plot(c, &run_kinds[i]);
        }
    }
    const char *dot  = strrchr(name, '.');
    int32_t     body = dot != NULL ? find_body(c, name, (size_t)(dot - name)) : -1;
    for (size_t i = 0; body >= 0 && i < sizeof body_kinds / sizeof body_kinds[0]; i++) {
        if (strcmp(dot + 1, body_kinds[i].name) == 0) {
            return add_body_plot(c, &body_kinds[i], body);
        }
    }
    return ss_fail(c->ctx, SS_ERR_INPUT,
                   "there is nothing to plot under '%s': expected energy, residual, contacts, "
                   "iterations, penetration, or BODY.position, .velocity, .angle, "
                   ".angular_velocity, .quat_wxyz",
                   name);
}

/* Does the body's first column of positions ever change? */
static bool moves(canvas *c, int32_t body, double *two, size_t width)
{
    size_t  each = width / (size_t)ss_run_file_body_count(c->file);
    int64_t last = (int64_t)c->states - 1;
    if (ss_run_file_read(c->file, "bodies/position", 0, 1, two) != SS_OK ||
        ss_run_file_read(c->file, "bodies/position", last, 1, two + width) != SS_OK) {
        return false;
    }
    return memcmp(two + (size_t)body * each, two + width + (size_t)body * each,
                  each * sizeof *two) != 0;
}

static ss_status add_default(canvas *c)
{
    size_t  width = (size_t)ss_run_file_width(c->file, "bodies/position");
    double *two   = malloc((2 * width + 1) * sizeof *two);
    int32_t shown = 0;
    if (two == NULL) {
        return no_memory(c);
    }
    ss_status status = add_run_plot(c, &run_kinds[0]);
    for (int32_t b = 0; b < ss_run_file_body_count(c->file); b++) {
        if (status == SS_OK && shown < DEFAULT_BODIES && moves(c, b, two, width)) {
            status = add_body_plot(c, &body_kinds[1], b);
            shown++;
        }
    }
    free(two);
    SS_TRY(status);
    SS_TRY(add_run_plot(c, &run_kinds[2]));
    return add_run_plot(c, &run_kinds[1]);
}

static ss_status fill(canvas *c, const ss_arg_list *wanted)
{
    c->t = malloc((c->states + 1) * sizeof *c->t);
    if (c->t == NULL) {
        return no_memory(c);
    }
    SS_TRY(ss_run_file_read(c->file, "steps/t", 0, (int64_t)c->states, c->t));
    if (wanted->count > PLOTS_MAX) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "at most %d plots fit into a picture", PLOTS_MAX);
    }
    for (int32_t i = 0; i < wanted->count; i++) {
        SS_TRY(add_named(c, wanted->items[i]));
    }
    return wanted->count > 0 ? SS_OK : add_default(c);
}

ss_status ss_run_plots_write(ss_context *ctx, ss_run_file *file, const ss_arg_list *wanted,
                             const char *path)
{
    canvas *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the plots");
    }
    c->ctx           = ctx;
    c->file          = file;
    c->states        = (size_t)ss_run_file_states(file);
    ss_status status = fill(c, wanted);
    if (status == SS_OK) {
        status = ss_plot_write(ctx, c->plots, c->count, path);
    }
    for (int i = 0; i < PLOTS_MAX * CURVES_MAX; i++) {
        free(c->values[i / CURVES_MAX][i % CURVES_MAX]);
    }
    free(c->t);
    free(c);
    return status;
}
