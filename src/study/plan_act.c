/* SPDX-License-Identifier: Apache-2.0 */
/* Actions: a run of the scene each, that begins where the last one ended (plan.h). */
#include <string.h>

#include "core/context.h"
#include "sim/sim.h"
#include "study/plan.h"
#include "study/trial.h"
#include "study/variant.h"

ss_status ss_plan_worker_start(ss_context *ctx, const ss_study *s, ss_plan_worker *w)
{
    *w = (ss_plan_worker){.ctx = ss_context_clone(ctx), .study = s};
    if (w->ctx == NULL) {
        return SS_ERR_MEMORY;
    }
    w->inputs = ss_alloc(w->ctx, (size_t)s->input_count + 1, sizeof *w->inputs);
    if (w->inputs == NULL) {
        return ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory");
    }
    return ss_watch_create(w->ctx, s, &w->watch);
}

void ss_plan_worker_end(ss_plan_worker *w)
{
    if (w->ctx == NULL) {
        return;
    }
    ss_watch_destroy(w->watch);
    if (w->inputs != NULL) {
        ss_free(w->ctx, w->inputs, ((size_t)w->study->input_count + 1) * sizeof *w->inputs);
    }
    ss_context_destroy(w->ctx);
}

int32_t ss_plan_runs(const ss_study *s)
{
    return s->variable_count > 0 ? 1 + (int32_t)ss_study_trials(s) : 1;
}

void ss_plan_look(const ss_study *s, const ss_plan_state *state, ss_plan_step *step)
{
    const ss_action *a = &s->actions[step->action];
    for (int32_t i = 0; i < a->set_count; i++) {
        step->set[i] = state->measures[a->set_first + i];
    }
}

/* ---- the scene of an action ---- */

/* A number of the plan as a value of the scene. */
static ss_status put(ss_pool *pool, const ss_node *at, const char *path, double value,
                     ss_scene_value *out)
{
    const ss_node *node = ss_study_number(pool, at, value);
    *out                = (ss_scene_value){path, node, at->origin};
    return node != NULL ? SS_OK : ss_fail(pool->ctx, SS_ERR_MEMORY, "out of memory");
}

/* Values of the rung, then of the step. */
static ss_status list_values(const ss_study *s, ss_pool *pool, int32_t rung,
                             const ss_plan_step *step, ss_scene_value *out, int32_t *count)
{
    const ss_rung *r = &s->rungs[rung];
    for (int32_t i = 0; i < r->count; i++) {
        out[(*count)++] = r->values[i];
    }
    if (step == NULL) {
        return SS_OK;
    }
    const ss_action *a = &s->actions[step->action];
    for (int32_t i = 0; i < a->choice_count; i++) {
        const ss_variable *v = &a->choices[i];
        SS_TRY(put(pool, v->node, v->path, step->x[i], &out[(*count)++]));
    }
    for (int32_t i = 0; i < a->set_count; i++) {
        const ss_measure *x = &s->measures[a->set_first + i];
        SS_TRY(put(pool, x->node, x->name, step->set[i], &out[(*count)++]));
    }
    return SS_OK;
}

/* ---- bodies that go on ---- */

static ss_status body_index(ss_plan_worker *w, const ss_model *m, int32_t i, int32_t *out)
{
    *out = ss_model_find_body(m, w->study->carry[i]).index1 - 1;
    return *out >= 0 ? SS_OK
                     : ss_fail(w->ctx, SS_ERR_INPUT, "%s: carry: there is no body '%.60s'",
                               w->study->path, w->study->carry[i]);
}

static ss_status read_bodies(ss_plan_worker *w, const ss_variant *x, ss_plan_state *state)
{
    for (int32_t i = 0; i < w->study->carry_count; i++) {
        int32_t body = 0;
        SS_TRY(body_index(w, x->model, i, &body));
        SS_TRY(ss_data_body(x->model, x->data, body, &state->bodies[i]));
    }
    return SS_OK;
}

/* Where the action before left them. */
typedef struct place {
    ss_plan_worker      *w;
    const ss_plan_state *state;
} place;

static ss_status place_bodies(void *user, const ss_model *m, ss_data *d)
{
    const place *p = user;
    for (int32_t i = 0; i < p->w->study->carry_count; i++) {
        int32_t body = 0;
        SS_TRY(body_index(p->w, m, i, &body));
        SS_TRY(ss_data_set_body(m, d, body, &p->state->bodies[i]));
    }
    return SS_OK;
}

/* ---- running ---- */

/* The scene of a run with the values of a rung and a step. */
static ss_status make_scene(ss_plan_worker *w, int32_t rung, int32_t run, const ss_plan_step *step,
                            ss_pool *pool, ss_scene **out)
{
    ss_study        view   = *w->study;
    int32_t         count  = 0;
    size_t          room   = (size_t)view.rungs[rung].count + SS_PLAN_CHOICES + SS_PLAN_SETS;
    ss_scene_value *values = ss_pool_alloc(pool, room, sizeof *values);
    if (values == NULL) {
        return ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory");
    }
    SS_TRY(list_values(&view, pool, rung, step, values, &count));
    view.extra       = values;
    view.extra_count = count;
    if (run == 0) {
        view.variable_count = 0; /* as the scene has it */
    } else {
        ss_study_draw(&view, run - 1, w->inputs);
    }
    return ss_study_make_scene(w->ctx, &view, run > 0 ? run - 1 : 0, w->inputs,
                               w->recorder_count > 0, out);
}

static ss_status build(ss_plan_worker *w, int32_t rung, int32_t run, const ss_plan_step *step,
                       const ss_plan_state *before, ss_variant *out)
{
    ss_pool   pool   = {.ctx = w->ctx};
    place     here   = {w, before};
    ss_status status = make_scene(w, rung, run, step, &pool, &out->scene);
    ss_pool_free(&pool);
    SS_TRY(status);
    SS_TRY(ss_model_compile(w->ctx, out->scene, &out->model));
    return ss_data_create_placed(w->ctx, out->model, before != NULL ? place_bodies : NULL, &here,
                                 &out->data);
}

static ss_status look_at_start(ss_plan_worker *w, const ss_variant *x, ss_plan_state *state)
{
    ss_run_result nothing = {0};
    bool          stop    = false;
    SS_TRY(ss_watch_begin(w->watch, x->scene, x->model, x->data));
    SS_TRY(ss_watch_step(w->watch, x->model, x->data, &stop));
    SS_TRY(ss_watch_end(w->watch, &nothing, state->measures));
    return read_bodies(w, x, state);
}

ss_status ss_plan_begin(ss_plan_worker *w, int32_t rung, int32_t run, ss_plan_state *state)
{
    ss_variant x      = {0};
    ss_status  status = build(w, rung, run, NULL, NULL, &x);
    if (status == SS_OK) {
        status = look_at_start(w, &x, state);
    }
    ss_variant_release(&x);
    state->failed = false;
    return status;
}

static ss_status run_world(ss_plan_worker *w, const ss_variant *x, ss_plan_state *state)
{
    ss_run_result result;
    ss_run_def    def  = ss_run_def_default();
    def.recorders      = w->recorders;
    def.recorder_count = w->recorder_count;
    def.interrupt      = w->interrupt;
    def.watch          = ss_watch_step;
    def.watch_user     = w->watch;
    SS_TRY(ss_watch_begin(w->watch, x->scene, x->model, x->data));
    SS_TRY(ss_variant_run(w->ctx, x, &def, &result));
    SS_TRY(ss_watch_end(w->watch, &result, state->measures));
    return read_bodies(w, x, state);
}

ss_status ss_plan_act(ss_plan_worker *w, int32_t rung, int32_t run, const ss_plan_step *step,
                      bool first, ss_plan_state *state)
{
    ss_variant x      = {0};
    ss_status  status = build(w, rung, run, step, first ? NULL : state, &x);
    if (status == SS_OK) {
        status = run_world(w, &x, state);
    }
    ss_variant_release(&x);
    state->failed = status != SS_OK;
    return ss_trial_ends_everything(status) ? status : SS_OK;
}
