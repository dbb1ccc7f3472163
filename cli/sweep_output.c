/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep_output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"

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

static void json_measure(ss_json *out, const ss_trials *t, int32_t measure, double *inputs)
{
    const ss_study *s = ss_trials_study(t);
    ss_estimate     e = ss_trials_estimate(t, measure, -1);
    ss_json_open_object(out, ss_study_measure_name(s, measure));
    json_estimate(out, &e);
    ss_json_real(out, "deviation", e.deviation);
    ss_json_real(out, "least", e.least);
    ss_json_real(out, "most", e.most);
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
