/* SPDX-License-Identifier: Apache-2.0 */
#include "run_events.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "stickslip/scene_file.h"

bool ss_run_finds_events(const ss_model *m)
{
    char word[64];
    for (int32_t i = 0; i < ss_axis_count(); i++) {
        const ss_axis *axis = ss_axis_at(i);
        if (strcmp(axis->name, "level") == 0) {
            const ss_axes *axes = &ss_model_simulation(m)->axes;
            return strcmp(ss_axis_text(axis, axes, word, sizeof word), "acceleration") == 0;
        }
    }
    return false;
}

ss_status ss_run_events_add(ss_run_events *e, const ss_model *m, const ss_data *d)
{
    for (int32_t i = 0; i < ss_data_event_count(d); i++) {
        ss_event event;
        SS_TRY(ss_data_event(m, d, i, &event));
        e->counts[event.kind]++;
        if (e->kept_count < SS_RUN_EVENTS_KEPT) {
            e->kept[e->kept_count++] = event;
        }
    }
    e->several += ss_data_report(d)->solutions > 1;
    return SS_OK;
}

void ss_run_events_print(const ss_run_events *e, const ss_model *m, const ss_run_result *r)
{
    const char *comma = "";
    for (int k = 0; k < SS_RUN_EVENT_KINDS; k++) {
        if (e->counts[k] > 0) {
            printf("%s%" PRId64 " x %s", *comma == 0 ? "events     " : comma, e->counts[k],
                   ss_event_text((ss_event_kind)k));
            comma = ", ";
        }
    }
    printf("%s", *comma == 0 ? "" : "\n");
    for (int32_t i = 0; i < e->kept_count; i++) {
        const ss_event *x = &e->kept[i];
        if (x->kind == SS_EVENT_RESTS) {
            printf("           '%s' rests on '%s' at t = %.10g s, after infinitely many impacts\n",
                   ss_model_body_name(m, x->body_b), ss_model_body_name(m, x->body_a), x->until);
        }
    }
    if (r->bridged > 0) {
        printf("           bridged: the impulse level took over, for %.3g s of %.6g s, with the "
               "errors of its steps\n",
               r->bridged, r->time);
    }
    if (e->several > 0) {
        printf("           %" PRId64 " steps with an instant of several solutions: the least "
               "constrained was taken\n",
               e->several);
    }
}

static void json_event(ss_json *out, const ss_event *x, const ss_model *m)
{
    ss_json_open_object(out, NULL);
    ss_json_real(out, "time", x->time);
    ss_json_text(out, "kind", ss_event_text(x->kind));
    if (x->kind == SS_EVENT_RESTS || x->kind == SS_EVENT_BRIDGED) {
        ss_json_real(out, "until", x->until);
    }
    if (x->body_a >= 0) {
        ss_json_open_array(out, "bodies");
        ss_json_text(out, NULL, ss_model_body_name(m, x->body_a));
        ss_json_text(out, NULL, ss_model_body_name(m, x->body_b));
        ss_json_close_array(out);
    }
    if (x->joint >= 0) {
        ss_json_text(out, "joint", ss_model_joint_name(m, x->joint));
    }
    if (x->support >= 0) {
        ss_json_int(out, "support", x->support);
    }
    ss_json_close_object(out);
}

void ss_run_events_json(ss_json *out, const ss_run_events *e, const ss_model *m)
{
    ss_json_open_object(out, "event_counts");
    for (int k = 0; k < SS_RUN_EVENT_KINDS; k++) {
        ss_json_int(out, ss_event_text((ss_event_kind)k), e->counts[k]);
    }
    ss_json_int(out, "several_solutions", e->several);
    ss_json_close_object(out);
    ss_json_open_array(out, "event_list");
    for (int32_t i = 0; i < e->kept_count; i++) {
        json_event(out, &e->kept[i], m);
    }
    ss_json_close_array(out);
}
