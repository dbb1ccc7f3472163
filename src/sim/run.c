/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one loop around ss_step(): n = duration / h steps (the last one shorter where h does not
 * divide the duration), each handed to the recorders. A step that fails a certificate is cut by
 * ss_step() itself (cut.c).
 */
#include <math.h>

#include "core/clock.h"
#include "sim/adapt.h"
#include "sim/sim.h"
#include "sim/tolerances.h"
#include "stickslip/record.h"

typedef struct runner {
    ss_context       *ctx;
    const ss_model   *m;
    ss_data          *d;
    const ss_run_def *def;
    ss_run_result    *result;
    double            step, duration;
    int64_t           total; /* steps of the whole run */
    ss_adapt          adapt; /* simulation: {error}    */
} runner;

ss_run_def ss_run_def_default(void)
{
    ss_run_def def = {0};
    return def;
}

/* ---- recorders ---- */

static void discard_first(const runner *r, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        ss_recorder *recorder = r->def->recorders[i];
        ss_recorder_class_of(recorder)->discard(recorder);
    }
}

static ss_status open_recorders(runner *r)
{
    ss_run_info info = {.model      = r->m,
                        .data       = r->d,
                        .scene_name = r->def->scene_name != NULL ? r->def->scene_name : "",
                        .scene_path = r->def->scene_path,
                        .scene_text = r->def->scene_text,
                        .resolved   = r->def->resolved,
                        .step       = r->step,
                        .duration   = r->duration,
                        .steps      = r->total,
                        .ranges     = r->def->ranges};
    for (int32_t i = 0; i < r->def->recorder_count; i++) {
        ss_recorder *recorder = r->def->recorders[i];
        ss_status    status   = ss_recorder_class_of(recorder)->open(recorder, &info);
        if (status != SS_OK) {
            discard_first(r, i + 1);
            return status;
        }
    }
    return SS_OK;
}

static ss_status append(const runner *r)
{
    for (int32_t i = 0; i < r->def->recorder_count; i++) {
        ss_recorder *recorder = r->def->recorders[i];
        SS_TRY(ss_recorder_class_of(recorder)->append(recorder, r->m, r->d));
    }
    return SS_OK;
}

/* Files stay valid when the run ended for a reason of its own; otherwise they are removed. */
static ss_status close_recorders(const runner *r)
{
    ss_status why  = r->result->status;
    bool      keep = why == SS_OK || why == SS_ERR_CERTIFICATE || why == SS_ERR_INTERRUPTED;
    if (!keep) {
        discard_first(r, r->def->recorder_count);
        return why;
    }
    for (int32_t i = 0; i < r->def->recorder_count; i++) {
        ss_recorder *recorder = r->def->recorders[i];
        ss_status    status   = ss_recorder_class_of(recorder)->close(recorder, r->result);
        if (status != SS_OK && (why == SS_OK || why == SS_ERR_INTERRUPTED)) {
            why = status;
        }
    }
    return why;
}

/* ---- steps ---- */

/* The first step whose motion is not unique: which body could move most, and how. */
static ss_status note_free_motion(const runner *r)
{
    int32_t         n        = ss_model_body_count(r->m);
    ss_run_result  *x        = r->result;
    ss_body_motion *motion   = ss_alloc(r->ctx, (size_t)n, sizeof *motion);
    double          furthest = 0;
    if (motion == NULL) {
        return ss_fail(r->ctx, SS_ERR_MEMORY, "no memory for the motion of %d bodies", (int)n);
    }
    ss_motion_unique(r->m, r->d, motion);
    x->not_unique_at = ss_data_time(r->d);
    for (int32_t i = 0; i < n; i++) {
        double size = ss_norm(motion[i].velocity);
        if (size > furthest || (x->free_body < 0 && ss_norm(motion[i].angular_velocity) > 0)) {
            x->free_body   = i;
            x->free_motion = motion[i];
            furthest       = size;
        }
    }
    ss_free(r->ctx, motion, (size_t)n * sizeof *motion);
    return SS_OK;
}

/* What was said of the state before the step, at time t. */
static void note_verdict(ss_run_result *x, const ss_step_verdict *v, double t)
{
    x->ruled_unique[v->unique]++;
    x->ruled_stable[v->stable]++;
    x->active_max = v->active > x->active_max ? v->active : x->active_max;
    if (v->unique == SS_RULING_NO && isnan(x->unique_lost_at)) {
        x->unique_lost_at = t;
    }
    if (v->stable == SS_RULING_NO && isnan(x->stable_lost_at)) {
        x->stable_lost_at = t;
    }
}

/* Takes what the last step, from time `began` on, found out into the figures of the run. */
static ss_status note(const runner *r, double began)
{
    const ss_step_report *s = ss_data_report(r->d);
    ss_run_result        *x = r->result;
    x->residual_max         = fmax(x->residual_max, s->residual);
    x->motion_error_max     = fmax(x->motion_error_max, s->motion_error);
    x->steps_by_motion += s->by_motion > 0;
    x->islands_by_motion += s->by_motion;
    x->islands += s->islands;
    x->penetration_max = fmax(x->penetration_max, s->penetration);
    x->contacts_max    = s->contacts > x->contacts_max ? s->contacts : x->contacts_max;
    x->joint_error_max = fmax(x->joint_error_max, s->joint_error);
    x->asleep          = s->asleep;
    x->splits += s->splits > 0;
    x->events += s->events;
    x->bridged += s->bridged;
    x->restitution_factor = fmin(x->restitution_factor, s->restitution_factor);
    x->iterations += s->iterations;
    x->marked += s->marked;
    x->over_budget += s->over_budget;
    x->work += s->work;
    x->work_max = fmax(x->work_max, s->work);
    x->solver   = s->solver;
    x->undecided += s->motion == SS_MOTION_UNDECIDED;
    if (x->held[s->hold]++ == 0) {
        x->held_at[s->hold] = ss_data_time(r->d);
    }
    note_verdict(x, &s->verdict, began);
    if (s->motion == SS_MOTION_NOT_UNIQUE) {
        x->not_unique++;
    }
    return s->motion == SS_MOTION_NOT_UNIQUE && x->not_unique == 1 ? note_free_motion(r) : SS_OK;
}

static ss_status take(runner *r, double h)
{
    double began = ss_data_time(r->d);
    if (r->adapt.error > 0) {
        SS_TRY(ss_adapt_step(r->m, r->d, &r->adapt, h));
        r->result->substeps       = r->adapt.steps;
        r->result->error_estimate = r->adapt.estimate;
        return note(r, began);
    }
    ss_status status = ss_step(r->m, r->d, h);
    if (status == SS_ERR_CERTIFICATE) {
        r->result->splits += ss_data_report(r->d)->splits > 0;
    }
    return status == SS_OK ? note(r, began) : status;
}

/* The state goes to the recorders and to the watcher. */
static ss_status show(const runner *r)
{
    SS_TRY(append(r));
    return r->def->watch != NULL
               ? r->def->watch(r->def->watch_user, r->m, r->d, &r->result->stopped)
               : SS_OK;
}

static ss_status steps(runner *r)
{
    ss_run_result *x = r->result;
    SS_TRY(show(r));
    for (int64_t i = 0; i < r->total && !x->stopped; i++) {
        bool   last = i == r->total - 1;
        double left = r->duration - (double)i * r->step;
        SS_TRY(take(r, last && left < r->step * (1 - SS_STEP_ROUNDING) ? left : r->step));
        x->steps = i + 1;
        x->time  = ss_data_time(r->d);
        SS_TRY(show(r));
        if (r->def->progress != NULL) {
            r->def->progress(r->def->progress_user, x, r->total);
        }
        if (r->def->interrupt != NULL && *r->def->interrupt != 0 && !last && !x->stopped) {
            return SS_ERR_INTERRUPTED;
        }
    }
    return SS_OK;
}

static ss_status loop(runner *r)
{
    double end = ss_data_time(r->d) + r->duration;
    ss_data_stop_on(r->d, r->def->interrupt);
    ss_status status = steps(r);
    ss_data_stop_on(r->d, NULL);
    bool asked = r->def->interrupt != NULL && *r->def->interrupt != 0;
    if (status != SS_ERR_INTERRUPTED || !asked) {
        return status;
    }
    return ss_fail(r->ctx, status, "interrupted at t = %g of %g s", r->result->time, end);
}

/* How many steps the duration takes; a remainder below rounding is no step of its own. */
static ss_status count_steps(runner *r)
{
    static const double steps_max = 1e12;
    double              exact     = r->duration / r->step;
    if (!(r->step > 0) || !(r->duration >= 0) || !(exact < steps_max)) {
        return ss_fail(r->ctx, SS_ERR_ARGUMENT,
                       "a run needs a step > 0 and a duration >= 0 of fewer than %g steps, got "
                       "step %g and duration %g",
                       steps_max, r->step, r->duration);
    }
    r->total = (int64_t)ceil(exact - SS_STEP_ROUNDING * fmax(1, exact * SS_STEPS_THOUSANDTH));
    return SS_OK;
}

ss_status ss_run(ss_context *ctx, const ss_model *m, ss_data *d, const ss_run_def *def,
                 ss_run_result *result)
{
    const ss_simulation_def *simulation = ss_model_simulation(m);
    runner                   r = {.ctx = ctx, .m = m, .d = d, .def = def, .result = result};
    r.step                     = def->step > 0 ? def->step : simulation->step;
    r.duration                 = def->duration > 0 ? def->duration : simulation->duration;
    *result                    = (ss_run_result){.solver             = "",
                                                 .time               = ss_data_time(d),
                                                 .free_body          = -1,
                                                 .restitution_factor = 1,
                                                 .unique_lost_at     = NAN,
                                                 .stable_lost_at     = NAN};
    result->initial = result->final = ss_data_energy(m, d);
    result->status                  = count_steps(&r);
    if (result->status == SS_OK && simulation->error > 0) {
        result->status = ss_adapt_open(m, d, simulation->error, r.duration, r.step, &r.adapt);
    }
    if (result->status == SS_OK) {
        result->status = open_recorders(&r);
    }
    if (result->status != SS_OK) {
        ss_adapt_close(m, &r.adapt);
        return result->status;
    }
    ss_data_time_stages(d, def->timed);
    double started       = ss_clock_seconds();
    result->status       = loop(&r);
    result->final        = ss_data_energy(m, d);
    result->wall_seconds = ss_clock_seconds() - started;
    result->status       = close_recorders(&r);
    ss_warn_of_losses(m, d);
    ss_adapt_close(m, &r.adapt);
    return result->status;
}
