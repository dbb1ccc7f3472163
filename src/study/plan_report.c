/* SPDX-License-Identifier: Apache-2.0 */
/* The report of a plan: its actions, how near every run comes to the goal, and replays of runs. */
#include <stdio.h>

#include "study/plan_search.h"
#include "study/report_page.h"

/* [{"name": .., "numbers": [[name, value], ..]}, ..] */
static void put_actions(ss_buffer *b, const ss_plan *p)
{
    ss_buffer_text(b, ",\"actions\":[");
    for (int32_t k = 0; k < ss_plan_length(p); k++) {
        ss_buffer_text(b, k > 0 ? ",{\"name\":" : "{\"name\":");
        ss_buffer_quote(b, ss_plan_action(p, k));
        ss_buffer_text(b, ",\"numbers\":[");
        for (int32_t i = 0; i < ss_plan_number_count(p, k); i++) {
            ss_buffer_text(b, i > 0 ? ",[" : "[");
            ss_buffer_quote(b, ss_plan_number_name(p, k, i));
            ss_page_put_number(b, ",", ss_plan_number(p, k, i));
            ss_buffer_text(b, "]");
        }
        ss_buffer_text(b, "]}");
    }
    ss_buffer_text(b, "]");
}

/* Names of goals with what each allows; of every run its errors in units of that. */
static void put_goals(ss_buffer *b, const ss_plan *p)
{
    ss_buffer_text(b, ",\"goals\":[");
    for (int32_t g = 0; g < ss_plan_goal_count(p); g++) {
        ss_buffer_text(b, g > 0 ? ",{\"name\":" : "{\"name\":");
        ss_buffer_quote(b, ss_plan_goal_name(p, g));
        ss_page_put_number(b, ",\"allows\":", p->study->goals[g].tolerance);
        ss_buffer_text(b, "}");
    }
    ss_buffer_text(b, "],\"runs\":[");
    for (int32_t i = 0; i < ss_plan_run_count(p); i++) {
        ss_buffer_text(b, i > 0 ? ",[" : "[");
        for (int32_t g = 0; g < ss_plan_goal_count(p); g++) {
            ss_page_put_number(b, g > 0 ? "," : "", ss_plan_error(p, i, g));
        }
        ss_buffer_text(b, "]");
    }
    ss_buffer_text(b, "]");
}

static void put_plan(ss_buffer *b, const ss_plan *p)
{
    ss_estimate check = ss_plan_check(p);
    ss_buffer_format(b, ",\"plan\":{\"found\":%s,\"simulated\":%lld,\"check\":[%lld",
                     ss_plan_found(p) ? "true" : "false", (long long)ss_plan_simulated(p),
                     (long long)check.count);
    ss_page_put_number(b, ",", check.mean);
    ss_page_put_number(b, ",", check.low);
    ss_page_put_number(b, ",", check.high);
    ss_buffer_text(b, "]");
    put_actions(b, p);
    put_goals(b, p);
    ss_buffer_text(b, "}");
}

/* A run that fails on its way has a recording up to there. */
static ss_status record(ss_context *ctx, const ss_plan *p, int32_t run, ss_buffer *b, bool *first)
{
    char         label[48];
    ss_report   *report   = NULL;
    ss_recorder *recorder = NULL;
    snprintf(label, sizeof label, run == 0 ? "without uncertainty" : "trial %d", (int)run);
    ss_status status = ss_report_create(ctx, &report);
    if (status == SS_OK) {
        status = ss_report_recorder(report, label, &recorder);
    }
    if (status == SS_OK) {
        status = ss_plan_replay(ctx, p, run, &recorder, 1, NULL);
        status = status == SS_ERR_CERTIFICATE ? SS_OK : status;
    }
    if (status == SS_OK) {
        ss_buffer_text(b, *first ? "" : ",");
        *first = false;
        status = ss_page_put_replay(b, report, run);
    }
    ss_recorder_destroy(recorder);
    ss_report_destroy(report);
    return status;
}

/* The run without uncertainty, and trials spread over all. */
static ss_status put_replays(ss_buffer *b, const ss_plan *p, int32_t wanted)
{
    int32_t runs = ss_plan_run_count(p), count = wanted < runs ? wanted : runs;
    bool    first = true;
    SS_TRY(ss_page_put_viewer(b, count > 0));
    ss_buffer_text(b, ",\"replays\":[");
    for (int32_t k = 0; k < count; k++) {
        SS_TRY(record(b->ctx, p, count > 1 ? k * (runs - 1) / (count - 1) : 0, b, &first));
    }
    ss_buffer_text(b, "]");
    return SS_OK;
}

static ss_status put_data(ss_buffer *b, const ss_plan *p, const ss_study_report_def *def)
{
    ss_buffer_text(b, "{\"name\":");
    ss_buffer_quote(b, ss_study_name(p->study));
    ss_buffer_text(b, ",\"command\":");
    ss_buffer_quote(b, def->command != NULL ? def->command : "");
    ss_buffer_text(b, ",\"served\":false,\"inputs\":[],\"measures\":[],\"axes\":[],\"trials\":[]");
    put_plan(b, p);
    SS_TRY(put_replays(b, p, def->replays));
    ss_buffer_text(b, "}");
    return ss_buffer_status(b);
}

ss_status ss_plan_report(const ss_plan *p, const ss_study_report_def *def, const char *path)
{
    ss_buffer b;
    if (p == NULL || def == NULL || path == NULL) {
        return ss_fail(p != NULL ? p->ctx : NULL, SS_ERR_ARGUMENT,
                       "a report needs a plan, a definition and a path");
    }
    ss_buffer_start(&b, p->ctx);
    ss_status status = put_data(&b, p, def);
    if (status == SS_OK) {
        status = ss_page_write(p->ctx, path, &b);
    }
    ss_buffer_release(&b);
    return status;
}
