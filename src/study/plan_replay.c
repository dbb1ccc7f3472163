/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan as one recording. Each action is a run of its own; relays stand in for the recorders,
 * open them with the first action, leave out the state in which a later one begins (it is the last
 * of the action before, with the tools elsewhere), and close them with the last.
 */
#include "study/plan_search.h"

typedef struct relay {
    ss_recorder   *to;
    const ss_plan *plan;
    int32_t        action;
    bool           begun, opened;
} relay;

static relay *relay_of(const ss_recorder *r)
{
    return *(relay **)ss_recorder_state(r);
}

static ss_status relay_open(ss_recorder *r, const ss_run_info *info)
{
    relay *x = relay_of(r);
    x->begun = false;
    if (x->opened) {
        return SS_OK;
    }
    ss_run_info whole = *info;
    whole.duration *= ss_plan_length(x->plan);
    whole.steps *= ss_plan_length(x->plan);
    SS_TRY(ss_recorder_class_of(x->to)->open(x->to, &whole));
    x->opened = true;
    return SS_OK;
}

static ss_status relay_append(ss_recorder *r, const ss_model *m, const ss_data *d)
{
    relay *x    = relay_of(r);
    bool   skip = !x->begun && x->action > 0;
    x->begun    = true;
    return skip ? SS_OK : ss_recorder_class_of(x->to)->append(x->to, m, d);
}

static ss_status relay_close(ss_recorder *r, const ss_run_result *result)
{
    relay *x    = relay_of(r);
    bool   last = x->action == ss_plan_length(x->plan) - 1 || result->status != SS_OK;
    x->opened   = x->opened && !last;
    return last ? ss_recorder_class_of(x->to)->close(x->to, result) : SS_OK;
}

static void relay_discard(ss_recorder *r)
{
    relay *x     = relay_of(r);
    bool   do_it = x->opened;
    x->opened    = false;
    if (do_it) {
        ss_recorder_class_of(x->to)->discard(x->to);
    }
}

static const ss_recorder_class relay_class = {.name       = "relay",
                                              .summary    = "one recording of many runs",
                                              .state_size = sizeof(relay *),
                                              .open       = relay_open,
                                              .append     = relay_append,
                                              .close      = relay_close,
                                              .discard    = relay_discard};

enum { RELAYS = 8 };

/* All actions of a run. */
static ss_status act(const ss_plan *p, ss_plan_worker *w, relay *relays, int32_t run,
                     ss_plan_state *state)
{
    int32_t last = p->study->rung_count - 1;
    for (int32_t k = 0; k < ss_plan_length(p); k++) {
        for (int32_t i = 0; i < w->recorder_count; i++) {
            relays[i].action = k;
        }
        SS_TRY(ss_plan_act(w, last, run, &p->best->steps[k], k == 0, state));
        if (state->failed) {
            return ss_fail(w->ctx, SS_ERR_CERTIFICATE, "action %d: %s", (int)k + 1,
                           ss_context_message(w->ctx));
        }
    }
    return SS_OK;
}

static ss_status replay(const ss_plan *p, ss_plan_worker *w, relay *relays, ss_recorder **stands,
                        int32_t run)
{
    ss_plan       own    = {.ctx = w->ctx, .study = p->study, .runs = 1};
    ss_plan_node *room   = ss_plan_node_new(&own);
    ss_status     status = room != NULL ? SS_OK : ss_fail(w->ctx, SS_ERR_MEMORY, "no memory");
    for (int32_t i = 0; status == SS_OK && i < w->recorder_count; i++) {
        status = ss_recorder_create_class(w->ctx, &relay_class, "", &stands[i]);
        if (status == SS_OK) {
            *(relay **)ss_recorder_state(stands[i]) = &relays[i];
        }
    }
    if (status == SS_OK) {
        status = act(p, w, relays, run, &room->states[0]);
    }
    for (int32_t i = 0; i < w->recorder_count; i++) {
        if (relays[i].opened) { /* an action could not begin */
            relays[i].opened = false;
            ss_recorder_class_of(relays[i].to)->discard(relays[i].to);
        }
        ss_recorder_destroy(stands[i]);
    }
    ss_plan_node_free(&own, room);
    return status;
}

ss_status ss_plan_replay(ss_context *ctx, const ss_plan *p, int32_t run,
                         ss_recorder *const *recorders, int32_t recorder_count,
                         const volatile sig_atomic_t *interrupt)
{
    relay          relays[RELAYS] = {0};
    ss_recorder   *stands[RELAYS] = {0};
    ss_plan_worker w;
    if (ctx == NULL || p == NULL || recorder_count < 0 || recorder_count > RELAYS || run < 0 ||
        run >= p->runs) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "there are runs 0 to %d, and at most %d recorders",
                       p != NULL ? (int)p->runs - 1 : 0, RELAYS);
    }
    ss_status status = ss_plan_worker_start(ctx, p->study, &w);
    for (int32_t i = 0; i < recorder_count; i++) {
        relays[i] = (relay){.to = recorders[i], .plan = p};
    }
    if (status == SS_OK) {
        w.interrupt      = interrupt;
        w.recorders      = stands;
        w.recorder_count = recorder_count;
        status           = replay(p, &w, relays, stands, run);
    }
    if (status != SS_OK && w.ctx != NULL) {
        status = ss_fail(ctx, status, "%s", ss_context_message(w.ctx));
    }
    ss_plan_worker_end(&w);
    return status;
}
