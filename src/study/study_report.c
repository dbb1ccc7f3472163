/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of a study: one page that holds its own data (page.html) and some replays
 * (report_page.h).
 */
#include <stdio.h>
#include <string.h>

#include "files/buffer.h"
#include "stickslip/report.h"
#include "study/design_parts.h"
#include "study/flow_parts.h"
#include "study/report_page.h"
#include "study/trial.h"
#include "study/trials.h"

/* Rows above this many are thinned out: pages of more than about 20 MB are slow to open. */
enum { ROWS_MOST = 100000, FAILED_MOST = 12 };

/* [count, mean, low, high] */
static void put_estimate(ss_buffer *b, const ss_estimate *e)
{
    ss_buffer_format(b, "[%lld", (long long)e->count);
    ss_page_put_number(b, ",", e->mean);
    ss_page_put_number(b, ",", e->low);
    ss_page_put_number(b, ",", e->high);
    ss_buffer_text(b, "]");
}

/* Sobol' indices: of each variable [first, low, high, total, low, high], or null. */
static void put_sensitivity(ss_buffer *b, const ss_trials *t, int32_t measure)
{
    ss_buffer_text(b, ",\"sobol\":[");
    for (int32_t i = 0; i < ss_study_sensitivity_count(t->study); i++) {
        ss_sensitivity x;
        bool           known = ss_trials_sensitivity(t, measure, i, &x);
        ss_buffer_text(b, i > 0 ? "," : "");
        if (!known) {
            ss_buffer_text(b, "null");
            continue;
        }
        ss_page_put_number(b, "[", x.first);
        ss_page_put_number(b, ",", x.first_low);
        ss_page_put_number(b, ",", x.first_high);
        ss_page_put_number(b, ",", x.total);
        ss_page_put_number(b, ",", x.total_low);
        ss_page_put_number(b, ",", x.total_high);
        ss_buffer_text(b, "]");
    }
    ss_buffer_text(b, "]");
}

/* The variables that have indices. */
static void put_random(ss_buffer *b, const ss_study *s)
{
    ss_buffer_text(b, ",\"random\":[");
    for (int32_t i = 0; i < ss_study_sensitivity_count(s); i++) {
        ss_buffer_text(b, i > 0 ? "," : "");
        ss_buffer_quote(b, ss_study_sensitivity_name(s, i));
    }
    ss_buffer_text(b, "]");
}

static void put_measures(ss_buffer *b, const ss_trials *t)
{
    const ss_study *s = t->study;
    ss_buffer_text(b, ",\"measures\":[");
    for (int32_t i = 0; i < s->measure_count; i++) {
        ss_estimate e = ss_trials_estimate(t, i, -1);
        ss_buffer_text(b, i > 0 ? ",{\"name\":" : "{\"name\":");
        ss_buffer_quote(b, s->measures[i].name);
        ss_buffer_format(b, ",\"truth\":%s,\"all\":", s->measures[i].truth ? "true" : "false");
        put_estimate(b, &e);
        ss_page_put_number(b, ",\"least\":", e.least);
        ss_page_put_number(b, ",\"most\":", e.most);
        ss_buffer_text(b, ",\"cells\":[");
        for (int64_t cell = 0; cell < s->cells; cell++) {
            e = ss_trials_estimate(t, i, cell);
            ss_buffer_text(b, cell > 0 ? "," : "");
            put_estimate(b, &e);
        }
        ss_buffer_text(b, "]");
        put_sensitivity(b, t, i);
        ss_buffer_text(b, "}");
    }
    ss_buffer_text(b, "]");
}

/* What makes cells, and its values in every cell. */
static void put_axes(ss_buffer *b, const ss_study *s, double *inputs)
{
    int32_t count = ss_study_axis_count(s);
    ss_buffer_text(b, ",\"axes\":[");
    for (int32_t a = 0; a < count; a++) {
        ss_buffer_format(b, "%s{\"input\":%d,\"size\":%lld}", a > 0 ? "," : "",
                         (int)ss_study_axis_input(s, a), (long long)ss_study_axis_size(s, a));
    }
    ss_buffer_text(b, "],\"cell_inputs\":[");
    for (int64_t cell = 0; cell < s->cells; cell++) {
        ss_study_draw(s, cell * s->trials, inputs);
        ss_buffer_text(b, cell > 0 ? ",[" : "[");
        for (int32_t a = 0; a < count; a++) {
            ss_page_put_number(b, a > 0 ? "," : "", inputs[ss_study_axis_input(s, a)]);
        }
        ss_buffer_text(b, "]");
    }
    ss_buffer_text(b, "]");
}

/* Fields of velocities, where the study has them. */
static ss_status put_flows(ss_buffer *b, const ss_trials *t)
{
    enum { FLOWS_MOST = 200 };
    ss_buffer_text(b, ",\"flows\":[");
    for (int64_t i = 0; i < ss_trials_flow_count(t) && i < FLOWS_MOST; i++) {
        char     name[256];
        ss_flow *flow = NULL;
        SS_TRY(ss_trials_flow(t, i, &flow));
        ss_trials_flow_name(t, i, name, sizeof name);
        ss_buffer_text(b, i > 0 ? ",\n" : "");
        ss_flow_put(b, flow, name);
        ss_flow_destroy(flow);
    }
    ss_buffer_text(b, "]");
    return SS_OK;
}

/* [trial, status, inputs .., measures ..] */
static void put_rows(ss_buffer *b, const ss_trials *t)
{
    int64_t     every     = (t->count + ROWS_MOST - 1) / ROWS_MOST;
    const char *separator = "";
    ss_buffer_text(b, ",\"trials\":[");
    for (int64_t i = 0; i < t->count; i += every) {
        ss_trial row;
        if (!ss_trials_get(t, i, &row) || row.status == SS_TRIAL_PENDING) {
            continue;
        }
        ss_buffer_format(b, "%s[%lld,%d", separator, (long long)i, (int)row.status);
        for (int32_t k = 0; k < t->study->input_count; k++) {
            ss_page_put_number(b, ",", row.inputs[k]);
        }
        for (int32_t k = 0; k < t->study->measure_count; k++) {
            ss_page_put_number(b, ",", row.measures[k]);
        }
        ss_buffer_text(b, "]");
        separator = ",\n";
    }
    ss_buffer_text(b, "],\"failed\":[");
    int shown = 0;
    for (int64_t i = 0; i < t->count && shown < FAILED_MOST; i++) {
        if (t->rows[i].status == SS_TRIAL_FAILED) {
            ss_buffer_format(b, "%s[%lld,", shown++ > 0 ? "," : "", (long long)i);
            ss_buffer_quote(b, t->rows[i].message != NULL ? t->rows[i].message : "");
            ss_buffer_text(b, "]");
        }
    }
    ss_buffer_text(b, "]");
}

/* ---- replays ---- */

static ss_status record(ss_context *ctx, const ss_study *s, int64_t trial, double *room,
                        ss_buffer *b, bool *first)
{
    char         label[48];
    ss_report   *report   = NULL;
    ss_recorder *recorder = NULL;
    ss_trial     out      = {.inputs = room, .measures = room + s->input_count};
    snprintf(label, sizeof label, "trial %lld", (long long)trial);
    ss_status status = ss_report_create(ctx, &report);
    if (status == SS_OK) {
        status = ss_report_recorder(report, label, &recorder);
    }
    if (status == SS_OK) {
        status = ss_study_replay(ctx, s, trial, &recorder, 1, NULL, &out);
    }
    if (status == SS_OK && out.steps > 0) { /* a scene that cannot be has nothing to show */
        ss_buffer_text(b, *first ? "" : ",");
        *first = false;
        status = ss_page_put_replay(b, report, trial);
    }
    ss_recorder_destroy(recorder);
    ss_report_destroy(report);
    return status;
}

/* Trials worth a look: spread over all, so that every region of the study has one. */
static ss_status put_replays(ss_buffer *b, const ss_trials *t, int32_t wanted, double *room)
{
    const ss_study *s     = t->study;
    bool            first = true;
    int64_t         count = wanted < t->count ? wanted : t->count;
    SS_TRY(ss_page_put_viewer(b, count > 0));
    ss_buffer_text(b, ",\"replays\":[");
    for (int64_t k = 0; k < count; k++) {
        int64_t trial = count > 1 ? k * (t->count - 1) / (count - 1) : 0;
        if (t->rows[trial].status != SS_TRIAL_PENDING) {
            SS_TRY(record(b->ctx, s, trial, room, b, &first));
        }
    }
    ss_buffer_text(b, "]");
    return SS_OK;
}

/* ---- the page ---- */

/* How a search went: [restart, rung, feasible, objective, values .., margins of constraints ..] */
static void put_design(ss_buffer *b, const ss_design *d)
{
    ss_candidate c;
    bool         kept = ss_design_best(d, &c);
    ss_buffer_format(b, ",\"design\":{\"best\":%d,\"kept\":%s,\"maximise\":%s,\"choices\":[",
                     (int)c.number, kept ? "true" : "false", d->maximise ? "true" : "false");
    for (int32_t i = 0; i < ss_design_choice_count(d); i++) {
        ss_buffer_text(b, i > 0 ? "," : "");
        ss_buffer_quote(b, ss_design_choice_name(d, i));
    }
    ss_buffer_text(b, "],\"constraints\":[");
    for (int32_t i = 0; i < ss_design_constraint_count(d); i++) {
        ss_buffer_text(b, i > 0 ? "," : "");
        ss_buffer_quote(b, ss_design_constraint_text(d, i));
    }
    ss_buffer_text(b, "],\"rungs\":[");
    for (int32_t i = 0; i < ss_design_rung_count(d); i++) {
        ss_rung_use r = ss_design_rung(d, i);
        ss_buffer_text(b, i > 0 ? ",{\"name\":" : "{\"name\":");
        ss_buffer_quote(b, r.name);
        ss_buffer_format(b, ",\"tried\":%d,\"passed\":%d", (int)r.candidates, (int)r.passed);
        ss_page_put_number(b, ",\"seconds\":", r.seconds);
        ss_buffer_text(b, "}");
    }
    ss_buffer_text(b, "],\"candidates\":[");
    for (int32_t k = 0; ss_design_candidate(d, k, &c); k++) {
        ss_buffer_format(b, "%s[%d,%d,%d", k > 0 ? ",\n" : "", (int)c.restart, (int)c.rung,
                         c.feasible);
        ss_page_put_number(b, ",", c.objective);
        for (int32_t i = 0; i < ss_design_choice_count(d); i++) {
            ss_page_put_number(b, ",", c.x[i]);
        }
        for (int32_t i = 0; i < ss_design_constraint_count(d); i++) {
            ss_page_put_number(b, ",", c.constraints[i]);
        }
        ss_buffer_text(b, "]");
    }
    ss_buffer_text(b, "]}");
}

static ss_status put_data(ss_buffer *b, const ss_trials *t, const ss_design *design,
                          const ss_study_report_def *def, double *room)
{
    const ss_study *s = t->study;
    ss_buffer_text(b, "{\"name\":");
    ss_buffer_quote(b, s->name);
    ss_buffer_text(b, ",\"command\":");
    ss_buffer_quote(b, def->command != NULL ? def->command : "");
    ss_buffer_format(b, ",\"served\":%s", def->served ? "true" : "false");
    ss_buffer_format(
        b, ",\"total\":%lld,\"cells\":%lld,\"per_cell\":%lld,\"counts\":[%lld,%lld,%lld,%lld]",
        (long long)t->count, (long long)s->cells, (long long)s->trials, (long long)t->of_status[0],
        (long long)t->of_status[1], (long long)t->of_status[2], (long long)t->of_status[3]);
    ss_buffer_text(b, ",");
    ss_study_put_inputs(b, s);
    put_random(b, s);
    put_measures(b, t);
    put_axes(b, s, room);
    SS_TRY(put_flows(b, t));
    put_rows(b, t);
    if (design != NULL) {
        put_design(b, design);
    }
    SS_TRY(put_replays(b, t, def->replays, room));
    ss_buffer_text(b, "}");
    return ss_buffer_status(b);
}

static ss_status write_report(const ss_trials *t, const ss_design *design,
                              const ss_study_report_def *def, const char *path)
{
    ss_buffer b;
    if (t == NULL || def == NULL || path == NULL) {
        return ss_fail(t != NULL ? t->ctx : NULL, SS_ERR_ARGUMENT,
                       "a report needs trials, a definition and a path");
    }
    size_t  size = (size_t)t->study->input_count + (size_t)t->study->measure_count + 1;
    double *room = ss_alloc(t->ctx, size, sizeof *room);
    if (room == NULL) {
        return ss_fail(t->ctx, SS_ERR_MEMORY, "out of memory");
    }
    ss_buffer_start(&b, t->ctx);
    ss_status status = put_data(&b, t, design, def, room);
    if (status == SS_OK) {
        status = ss_page_write(t->ctx, path, &b);
    }
    ss_buffer_release(&b);
    ss_free(t->ctx, room, size * sizeof *room);
    return status;
}

ss_status ss_trials_report(const ss_trials *t, const ss_study_report_def *def, const char *path)
{
    return write_report(t, NULL, def, path);
}

ss_status ss_design_report(const ss_design *d, const ss_study_report_def *def, const char *path)
{
    return write_report(ss_design_trials(d), d, def, path);
}
