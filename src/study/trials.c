/* SPDX-License-Identifier: Apache-2.0 */
/* What a study is, and what its trials gave. */
#include "study/trials.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stickslip/output.h"

/* ---- the study ---- */

const char *ss_study_name(const ss_study *s)
{
    return s != NULL ? s->name : "";
}

int64_t ss_study_cells(const ss_study *s)
{
    return s != NULL ? s->cells : 0;
}

int64_t ss_study_trials_per_cell(const ss_study *s)
{
    return s != NULL ? s->trials : 0;
}

int64_t ss_study_trials(const ss_study *s)
{
    return ss_study_cells(s) * ss_study_trials_per_cell(s);
}

uint64_t ss_study_seed(const ss_study *s)
{
    return s != NULL ? s->seed : 0;
}

int32_t ss_study_input_count(const ss_study *s)
{
    return s != NULL ? s->input_count : 0;
}

const char *ss_study_input_name(const ss_study *s, int32_t input)
{
    return input >= 0 && input < ss_study_input_count(s) ? s->inputs[input].path : NULL;
}

const char *ss_study_input_text(const ss_study *s, int32_t input, double value)
{
    if (input < 0 || input >= ss_study_input_count(s) || s->inputs[input].levels == NULL ||
        !(value >= 0) || value >= s->inputs[input].level_count) {
        return NULL;
    }
    return s->inputs[input].levels[(int32_t)value];
}

int32_t ss_study_measure_count(const ss_study *s)
{
    return s != NULL ? s->measure_count : 0;
}

const char *ss_study_measure_name(const ss_study *s, int32_t measure)
{
    return measure >= 0 && measure < ss_study_measure_count(s) ? s->measures[measure].name : NULL;
}

bool ss_study_measure_is_truth(const ss_study *s, int32_t measure)
{
    return measure >= 0 && measure < ss_study_measure_count(s) && s->measures[measure].truth;
}

static const ss_variable *axis(const ss_study *s, int32_t wanted)
{
    for (int32_t i = 0; s != NULL && wanted >= 0 && i < s->variable_count; i++) {
        if (ss_variable_makes_cells(&s->variables[i]) && wanted-- == 0) {
            return &s->variables[i];
        }
    }
    return NULL;
}

int32_t ss_study_axis_count(const ss_study *s)
{
    int32_t count = 0;
    while (axis(s, count) != NULL) {
        count++;
    }
    return count;
}

int64_t ss_study_axis_size(const ss_study *s, int32_t index)
{
    const ss_variable *v = axis(s, index);
    return v != NULL ? v->count : 0;
}

int32_t ss_study_axis_input(const ss_study *s, int32_t index)
{
    const ss_variable *v = axis(s, index);
    return v != NULL ? v->input : -1;
}

const char *ss_trial_status_text(ss_trial_status status)
{
    switch (status) {
    case SS_TRIAL_PENDING:
        return "pending";
    case SS_TRIAL_DONE:
        return "done";
    case SS_TRIAL_STOPPED:
        return "stopped";
    case SS_TRIAL_FAILED:
        return "failed";
    }
    return "?";
}

/* ---- the table ---- */

ss_status ss_trials_create(ss_context *ctx, const ss_study *s, ss_trials **out)
{
    if (ctx == NULL || s == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "no trials without a context and a study");
    }
    ss_trials *t = ss_alloc(ctx, 1, sizeof *t);
    *out         = NULL;
    if (t == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    t->ctx      = ctx;
    t->study    = s;
    t->count    = ss_study_trials(s);
    size_t n    = (size_t)t->count;
    t->rows     = ss_alloc(ctx, n, sizeof *t->rows);
    t->inputs   = ss_alloc(ctx, n * (size_t)s->input_count + 1, sizeof *t->inputs);
    t->measures = ss_alloc(ctx, n * (size_t)s->measure_count + 1, sizeof *t->measures);
    t->of_status[SS_TRIAL_PENDING] = t->count;
    if (t->rows == NULL || t->inputs == NULL || t->measures == NULL) {
        ss_trials_destroy(t);
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for %lld trials", (long long)n);
    }
    *out = t;
    return SS_OK;
}

static void free_message(ss_context *ctx, char *message)
{
    ss_free(ctx, message, message != NULL ? strlen(message) + 1 : 0);
}

void ss_trials_destroy(ss_trials *t)
{
    if (t == NULL) {
        return;
    }
    ss_context *ctx = t->ctx;
    size_t      n   = (size_t)t->count;
    for (int64_t i = 0; t->rows != NULL && i < t->count; i++) {
        free_message(ctx, t->rows[i].message);
    }
    ss_free(ctx, t->rows, n * sizeof *t->rows);
    ss_free(ctx, t->inputs, (n * (size_t)t->study->input_count + 1) * sizeof *t->inputs);
    ss_free(ctx, t->measures, (n * (size_t)t->study->measure_count + 1) * sizeof *t->measures);
    ss_free(ctx, t, sizeof *t);
}

ss_status ss_trials_put(ss_trials *t, const ss_trial *trial)
{
    ss_trial_row *row = &t->rows[trial->trial];
    size_t        ni = (size_t)t->study->input_count, nm = (size_t)t->study->measure_count;
    char         *message = NULL;
    if (trial->message[0] != '\0') {
        message = ss_alloc(t->ctx, strlen(trial->message) + 1, 1);
        if (message == NULL) {
            return ss_fail(t->ctx, SS_ERR_MEMORY, "out of memory");
        }
        memcpy(message, trial->message, strlen(trial->message) + 1);
    }
    t->of_status[row->status]--;
    t->of_status[trial->status]++;
    free_message(t->ctx, row->message);
    *row = (ss_trial_row){trial->status,   trial->steps,   trial->time,
                          trial->residual, trial->seconds, message};
    memcpy(t->inputs + (size_t)trial->trial * ni, trial->inputs, ni * sizeof *t->inputs);
    memcpy(t->measures + (size_t)trial->trial * nm, trial->measures, nm * sizeof *t->measures);
    return SS_OK;
}

const ss_study *ss_trials_study(const ss_trials *t)
{
    return t != NULL ? t->study : NULL;
}

int64_t ss_trials_count(const ss_trials *t, ss_trial_status status)
{
    bool known = t != NULL && (int)status >= 0 && status <= SS_TRIAL_FAILED;
    return known ? t->of_status[status] : 0;
}

bool ss_trials_get(const ss_trials *t, int64_t trial, ss_trial *out)
{
    if (t == NULL || out == NULL || trial < 0 || trial >= t->count) {
        return false;
    }
    const ss_trial_row *row = &t->rows[trial];
    *out                    = (ss_trial){.trial    = trial,
                                         .status   = row->status,
                                         .steps    = row->steps,
                                         .time     = row->time,
                                         .residual = row->residual,
                                         .seconds  = row->seconds};
    out->inputs             = t->inputs + trial * t->study->input_count;
    out->measures           = t->measures + trial * t->study->measure_count;
    snprintf(out->message, sizeof out->message, "%s", row->message != NULL ? row->message : "");
    return true;
}

ss_status ss_trials_read(ss_trials *t, const char *path)
{
    ss_store *f = NULL;
    if (t == NULL || path == NULL) {
        return ss_fail(t != NULL ? t->ctx : NULL, SS_ERR_ARGUMENT,
                       "reading needs trials and a path");
    }
    SS_TRY(ss_store_open(t->ctx, t->study, path, SS_STORE_READ, &f));
    ss_status status = ss_store_read(f, t);
    ss_status closed = ss_store_close(f);
    return status != SS_OK ? status : closed;
}

ss_status ss_trials_write(const ss_trials *t, const char *path)
{
    ss_store *f = NULL;
    if (t == NULL || path == NULL) {
        return ss_fail(t != NULL ? t->ctx : NULL, SS_ERR_ARGUMENT,
                       "writing needs trials and a path");
    }
    SS_TRY(ss_store_create(t->ctx, t->study, path, &f));
    ss_status status = SS_OK;
    for (int64_t i = 0; status == SS_OK && i < t->count; i++) {
        ss_trial row;
        if (ss_trials_get(t, i, &row) && row.status != SS_TRIAL_PENDING) {
            status = ss_store_put(f, &row);
        }
    }
    ss_status closed = ss_store_close(f);
    return status != SS_OK ? status : closed;
}

/* ---- CSV ---- */

/* A text with commas or quotes in it stands in quotes. */
static void write_text(FILE *f, const char *text)
{
    if (text[strcspn(text, ",\"\n")] == '\0') {
        fputs(text, f);
        return;
    }
    fputc('"', f);
    for (const char *c = text; *c != '\0'; c++) {
        fputs(*c == '"' ? "\"\"" : "", f);
        if (*c != '"') {
            fputc(*c, f);
        }
    }
    fputc('"', f);
}

static void write_header(FILE *f, const ss_study *s)
{
    fputs("trial", f);
    for (int32_t i = 0; i < s->input_count; i++) {
        fputc(',', f);
        write_text(f, s->inputs[i].path);
    }
    for (int32_t i = 0; i < s->measure_count; i++) {
        fputc(',', f);
        write_text(f, s->measures[i].name);
    }
    fputs(",status,residual,seconds\n", f);
}

static void write_row(FILE *f, const ss_study *s, const ss_trial *row)
{
    fprintf(f, "%lld", (long long)row->trial);
    for (int32_t i = 0; i < s->input_count; i++) {
        const char *text = ss_study_input_text(s, i, row->inputs[i]);
        fputc(',', f);
        if (text != NULL) {
            write_text(f, text);
        } else {
            fprintf(f, "%.17g", row->inputs[i]);
        }
    }
    for (int32_t i = 0; i < s->measure_count; i++) {
        if (isnan(row->measures[i])) {
            fputs(",nan", f); /* whatever its sign and payload */
        } else {
            fprintf(f, ",%.17g", row->measures[i]);
        }
    }
    fprintf(f, ",%s,%.17g,%.6g\n", ss_trial_status_text(row->status), row->residual, row->seconds);
}

ss_status ss_trials_csv(const ss_trials *t, const char *path)
{
    if (t == NULL || path == NULL) {
        return ss_fail(t != NULL ? t->ctx : NULL, SS_ERR_ARGUMENT,
                       "writing needs trials and a path");
    }
    ss_output_file *out;
    SS_TRY(ss_output_open(t->ctx, path, &out));
    FILE *f = ss_output_stream(out);
    write_header(f, t->study);
    for (int64_t i = 0; i < t->count; i++) {
        ss_trial row;
        if (ss_trials_get(t, i, &row) && row.status != SS_TRIAL_PENDING) {
            write_row(f, t->study, &row);
        }
    }
    return ss_output_close(out, SS_OK);
}

void ss_study_put_inputs(ss_buffer *b, const ss_study *s)
{
    ss_buffer_text(b, "\"inputs\":[");
    for (int32_t i = 0; i < s->input_count; i++) {
        ss_buffer_text(b, i > 0 ? ",{\"name\":" : "{\"name\":");
        ss_buffer_quote(b, s->inputs[i].path);
        for (int32_t k = 0; k < s->inputs[i].level_count; k++) {
            ss_buffer_text(b, k > 0 ? "," : ",\"texts\":[");
            ss_buffer_quote(b, s->inputs[i].levels[k]);
        }
        ss_buffer_text(b, s->inputs[i].level_count > 0 ? "]}" : "}");
    }
    ss_buffer_text(b, "]");
}
