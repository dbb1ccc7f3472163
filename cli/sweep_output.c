/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep_output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "stickslip/flow.h"

/* ---- JSON ---- */

static void json_input(ss_json *out, const ss_study *s, int32_t input, double value)
{
    const char *text = ss_study_input_text(s, input, value);
    if (text != NULL) {
        ss_json_text(out, ss_study_input_name(s, input), text);
    } else {
        ss_json_real(out, ss_study_input_name(s, input), value);
    }
}

/* The values that make the cell. */
static void json_cell_values(ss_json *out, const ss_study *s, int64_t cell, double *inputs)
{
    if (ss_study_sample(s, cell * ss_study_trials_per_cell(s), inputs) != SS_OK) {
        return;
    }
    ss_json_open_object(out, "at");
    for (int32_t a = 0; a < ss_study_axis_count(s); a++) {
        int32_t input = ss_study_axis_input(s, a);
        json_input(out, s, input, inputs[input]);
    }
    ss_json_close_object(out);
}

static void json_estimate(ss_json *out, const ss_estimate *e)
{
    ss_json_int(out, "count", e->count);
    ss_json_real(out, "mean", e->mean);
    ss_json_real(out, "low", e->low);
    ss_json_real(out, "high", e->high);
}

/* Sobol indices by the paths of the variables. */
static void json_sensitivity(ss_json *out, const ss_trials *t, int32_t measure)
{
    const ss_study *s = ss_trials_study(t);
    if (ss_study_sensitivity_count(s) == 0) {
        return;
    }
    ss_json_open_object(out, "sobol");
    for (int32_t i = 0; i < ss_study_sensitivity_count(s); i++) {
        ss_sensitivity x;
        if (ss_trials_sensitivity(t, measure, i, &x)) {
            ss_json_open_object(out, ss_study_sensitivity_name(s, i));
            ss_json_real(out, "first", x.first);
            ss_json_real(out, "first_low", x.first_low);
            ss_json_real(out, "first_high", x.first_high);
            ss_json_real(out, "total", x.total);
            ss_json_real(out, "total_low", x.total_low);
            ss_json_real(out, "total_high", x.total_high);
            ss_json_close_object(out);
        }
    }
    ss_json_close_object(out);
}

static void json_measure(ss_json *out, const ss_trials *t, int32_t measure, double *inputs)
{
    const ss_study *s = ss_trials_study(t);
    ss_estimate     e = ss_trials_estimate(t, measure, -1);
    ss_json_open_object(out, ss_study_measure_name(s, measure));
    json_estimate(out, &e);
    ss_json_real(out, "deviation", e.deviation);
    ss_json_real(out, "least", e.least);
    ss_json_real(out, "most", e.most);
    json_sensitivity(out, t, measure);
    ss_json_open_array(out, "cells");
    for (int64_t cell = 0; cell < ss_study_cells(s); cell++) {
        e = ss_trials_estimate(t, measure, cell);
        ss_json_open_object(out, NULL);
        json_cell_values(out, s, cell, inputs);
        json_estimate(out, &e);
        ss_json_close_object(out);
    }
    ss_json_close_array(out);
    ss_json_close_object(out);
}

static void json_linear(ss_json *out, const ss_flow_linear *l)
{
    ss_json_text(out, "kind", ss_flow_kind_text(l->kind));
    ss_json_real(out, "x", l->at[0]);
    ss_json_real(out, "y", l->at[1]);
    ss_json_open_array(out, "jacobian");
    for (int i = 0; i < 4; i++) {
        ss_json_real(out, NULL, l->jacobian[i]);
    }
    ss_json_close_array(out);
    ss_json_open_array(out, "eigenvalues_real");
    ss_json_real(out, NULL, l->rate[0]);
    ss_json_real(out, NULL, l->rate[1]);
    ss_json_close_array(out);
    ss_json_real(out, "turn", l->turn);
    ss_json_real(out, "vx", l->velocity[0]);
    ss_json_real(out, "vy", l->velocity[1]);
    ss_json_real(out, "misfit", l->misfit);
}

static void json_flow(ss_json *out, const ss_flow *f, const char *name)
{
    ss_flow_linear whole = ss_flow_whole(f);
    ss_json_open_object(out, NULL);
    ss_json_text(out, "name", name);
    ss_json_open_object(out, "whole");
    json_linear(out, &whole);
    ss_json_close_object(out);
    ss_json_open_array(out, "points");
    for (int32_t k = 0; k < ss_flow_point_count(f); k++) {
        ss_flow_point p = ss_flow_point_at(f, k);
        ss_json_open_object(out, NULL);
        json_linear(out, &p.near);
        ss_json_int(out, "index", p.index);
        ss_json_int(out, "resting", p.resting);
        ss_json_close_object(out);
    }
    ss_json_close_array(out);
    ss_json_close_object(out);
}

/* Fields of velocities: each as a whole, and its points. */
static void json_flows(ss_json *out, const ss_trials *t)
{
    int64_t count = ss_trials_flow_count(t);
    if (count == 0) {
        return;
    }
    ss_json_open_array(out, "fields");
    for (int64_t i = 0; i < count; i++) {
        char     name[256];
        ss_flow *f = NULL;
        if (ss_trials_flow(t, i, &f) == SS_OK) {
            ss_trials_flow_name(t, i, name, sizeof name);
            json_flow(out, f, name);
        }
        ss_flow_destroy(f);
    }
    ss_json_close_array(out);
}

void ss_sweep_print_json(const ss_trials *t)
{
    const ss_study *s      = ss_trials_study(t);
    double         *inputs = calloc((size_t)ss_study_input_count(s) + 1, sizeof *inputs);
    if (inputs == NULL) {
        return;
    }
    int64_t failed = ss_trials_count(t, SS_TRIAL_FAILED);
    int64_t done =
        ss_trials_count(t, SS_TRIAL_DONE) + ss_trials_count(t, SS_TRIAL_STOPPED) + failed;
    ss_json out = ss_json_start(stdout, false);
    ss_json_open_object(&out, NULL);
    ss_json_text(&out, "study", ss_study_name(s));
    ss_json_int(&out, "trials", ss_study_trials(s));
    ss_json_int(&out, "done", done);
    ss_json_int(&out, "stopped", ss_trials_count(t, SS_TRIAL_STOPPED));
    ss_json_int(&out, "failed", failed);
    ss_json_open_object(&out, "measures");
    for (int32_t i = 0; i < ss_study_measure_count(s); i++) {
        json_measure(&out, t, i, inputs);
    }
    ss_json_close_object(&out);
    json_flows(&out, t);
    ss_json_close_object(&out);
    ss_json_end(&out);
    free(inputs);
}

void ss_trial_print_json(const ss_study *s, const ss_trial *trial)
{
    ss_json out = ss_json_start(stdout, false);
    ss_json_open_object(&out, NULL);
    ss_json_text(&out, "study", ss_study_name(s));
    ss_json_int(&out, "trial", trial->trial);
    ss_json_open_object(&out, "inputs");
    for (int32_t i = 0; i < ss_study_input_count(s); i++) {
        json_input(&out, s, i, trial->inputs[i]);
    }
    ss_json_close_object(&out);
    ss_json_open_object(&out, "measures");
    for (int32_t i = 0; i < ss_study_measure_count(s); i++) {
        ss_json_real(&out, ss_study_measure_name(s, i), trial->measures[i]);
    }
    ss_json_close_object(&out);
    ss_json_text(&out, "status", ss_trial_status_text(trial->status));
    ss_json_text(&out, "message", trial->message);
    ss_json_int(&out, "steps", trial->steps);
    ss_json_real(&out, "time", trial->time);
    ss_json_real(&out, "residual", trial->residual);
    ss_json_real(&out, "seconds", trial->seconds);
    ss_json_close_object(&out);
    ss_json_end(&out);
}

/* ---- text ---- */

void ss_sweep_print_measures(const ss_trials *t)
{
    const ss_study *s = ss_trials_study(t);
    printf("%-24s %8s %12s   %s\n", "measure", "trials", "mean", "95 % interval");
    for (int32_t i = 0; i < ss_study_measure_count(s); i++) {
        ss_estimate e = ss_trials_estimate(t, i, -1);
        printf("%-24s %8lld %12.5g   %.5g .. %.5g\n", ss_study_measure_name(s, i),
               (long long)e.count, e.mean, e.low, e.high);
    }
}

static void print_sensitivity(const ss_trials *t)
{
    const ss_study *s = ss_trials_study(t);
    if (ss_study_sensitivity_count(s) == 0) {
        return;
    }
    printf("\n%-24s %-28s %8s %s   %s\n", "Sobol indices of", "to", "first", "95 % interval",
           "total 95 % interval");
    for (int32_t m = 0; m < ss_study_measure_count(s); m++) {
        for (int32_t i = 0; i < ss_study_sensitivity_count(s); i++) {
            ss_sensitivity x;
            if (ss_trials_sensitivity(t, m, i, &x)) {
                printf("%-24s %-28s %8.3f %5.2f .. %4.2f %7.3f %5.2f .. %4.2f\n",
                       ss_study_measure_name(s, m), ss_study_sensitivity_name(s, i), x.first,
                       x.first_low, x.first_high, x.total, x.total_low, x.total_high);
            }
        }
    }
}

/* The reasons of failures, each once, the first few. */
static void print_failures(const ss_trials *t)
{
    enum { MOST = 5 };
    int     shown = 0;
    int64_t total = ss_study_trials(ss_trials_study(t));
    for (int64_t i = 0; i < total && shown < MOST; i++) {
        ss_trial row;
        if (ss_trials_get(t, i, &row) && row.status == SS_TRIAL_FAILED) {
            printf("  trial %lld, after %lld steps: %s\n", (long long)i, (long long)row.steps,
                   row.message);
            shown++;
        }
    }
    if (ss_trials_count(t, SS_TRIAL_FAILED) > MOST) {
        printf("  ..\n");
    }
}

static void print_linear(const char *before, const ss_flow_linear *l)
{
    printf("%s%s", before, ss_flow_kind_text(l->kind));
    printf(" at (%.4g, %.4g), eigenvalues ", l->at[0], l->at[1]);
    if (l->turn != 0) {
        printf("%.4g +- %.4gi 1/s\n", l->rate[0], fabs(l->turn));
    } else {
        printf("%.4g, %.4g 1/s\n", l->rate[0], l->rate[1]);
    }
}

static void print_flows(const ss_trials *t)
{
    for (int64_t i = 0; i < ss_trials_flow_count(t); i++) {
        char     name[256];
        ss_flow *f = NULL;
        if (ss_trials_flow(t, i, &f) != SS_OK) {
            continue;
        }
        ss_flow_linear whole = ss_flow_whole(f);
        ss_trials_flow_name(t, i, name, sizeof name);
        printf("\nfield%s%s\n", name[0] != '\0' ? "  " : "", name);
        print_linear("  as a whole: ", &whole);
        for (int32_t k = 0; k < ss_flow_point_count(f); k++) {
            ss_flow_point p = ss_flow_point_at(f, k);
            print_linear("  ", &p.near);
        }
        ss_flow_destroy(f);
    }
}

void ss_sweep_print_text(const ss_trials *t, const char *file)
{
    const ss_study *s      = ss_trials_study(t);
    int64_t         failed = ss_trials_count(t, SS_TRIAL_FAILED);
    int64_t         left   = ss_trials_count(t, SS_TRIAL_PENDING);
    printf("study      %s\n", ss_study_name(s));
    printf("trials     %lld in %lld cell%s\n", (long long)ss_study_trials(s),
           (long long)ss_study_cells(s), ss_study_cells(s) == 1 ? "" : "s");
    printf("ended      %lld done, %lld stopped, %lld failed",
           (long long)ss_trials_count(t, SS_TRIAL_DONE),
           (long long)ss_trials_count(t, SS_TRIAL_STOPPED), (long long)failed);
    if (left > 0) {
        printf(", %lld not computed", (long long)left);
    }
    printf("\n");
    if (file != NULL) {
        printf("file       %s\n", file);
    }
    printf("\n");
    ss_sweep_print_measures(t);
    print_sensitivity(t);
    print_flows(t);
    if (failed > 0) {
        printf("\nfailed trials, which count in no mean:\n");
        print_failures(t);
    }
}

void ss_trial_print_text(const ss_study *s, const ss_trial *trial)
{
    printf("study      %s, trial %lld\n", ss_study_name(s), (long long)trial->trial);
    printf("ended      %s at t = %.6g s after %lld steps%s%s\n",
           ss_trial_status_text(trial->status), trial->time, (long long)trial->steps,
           trial->message[0] != '\0' ? ": " : "", trial->message);
    printf("residual   %.2g\n\n", trial->residual);
    for (int32_t i = 0; i < ss_study_input_count(s); i++) {
        const char *text = ss_study_input_text(s, i, trial->inputs[i]);
        if (text != NULL) {
            printf("%-32s %s\n", ss_study_input_name(s, i), text);
        } else {
            printf("%-32s %.9g\n", ss_study_input_name(s, i), trial->inputs[i]);
        }
    }
    printf("\n");
    for (int32_t i = 0; i < ss_study_measure_count(s); i++) {
        printf("%-32s %.9g\n", ss_study_measure_name(s, i), trial->measures[i]);
    }
}
