/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convergence in the step: the state at the end against that of the finest step, r. The error of a
 * scheme of order p is c h^p, and what is seen of it against the reference c (h^p - r^p). The order
 * between two steps is the p at which
 *
 *   e1 / e2 = (h1^p - r^p) / (h2^p - r^p),   h1 > h2 > r,
 *
 * whose right side grows with p. Errors at the level of rounding have no order.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/elementary.h"
#include "sim/sim.h"
#include "stickslip/series.h"
#include "study/tolerances.h"

typedef struct steps {
    ss_context                  *ctx;
    int32_t                      bodies;
    ss_step_error               *rows;
    ss_body_state               *states; /* (count x bodies) at the end */
    double                       duration;
    const volatile sig_atomic_t *interrupt;
} steps;

static int larger_first(const void *a, const void *b)
{
    const ss_step_error *x = a, *y = b;
    return (x->step < y->step) - (x->step > y->step);
}

static ss_status sample(void *user, int64_t index, ss_overrides *out)
{
    const steps *s = user;
    return ss_overrides_add(out, "simulation.step=%.17g", s->rows[index].step);
}

static ss_status measure(void *user, ss_context *ctx, const ss_variant *v)
{
    steps        *s   = user;
    ss_run_def    def = ss_run_def_default();
    ss_run_result result;
    def.interrupt = s->interrupt;
    SS_TRY(ss_variant_run(ctx, v, &def, &result));
    s->rows[v->index].residual_max = result.residual_max;
    for (int32_t i = 0; i < s->bodies; i++) {
        SS_TRY(ss_data_body(v->model, v->data, i, &s->states[v->index * s->bodies + i]));
    }
    return SS_OK;
}

/* The furthest that any body is from where the finest step puts it. */
static void compare(const steps *s, int32_t k, int32_t finest)
{
    ss_step_error *row = &s->rows[k];
    for (int32_t i = 0; i < s->bodies; i++) {
        const ss_body_state *a = &s->states[k * s->bodies + i];
        const ss_body_state *b = &s->states[finest * s->bodies + i];
        row->position          = fmax(row->position, ss_norm(ss_sub(a->position, b->position)));
        row->velocity          = fmax(row->velocity, ss_norm(ss_sub(a->velocity, b->velocity)));
    }
}

/* log of (h1^p - r^p) / (h2^p - r^p); both steps are larger than r. */
static double seen_ratio(double h1, double h2, double r, double p)
{
    double a = ss_ln(h1 / r), b = ss_ln(h2 / r);
    return p == 0 ? ss_ln(a / b) : ss_ln((ss_exp(p * a) - 1) / (ss_exp(p * b) - 1));
}

static double order(const steps *s, int32_t k, int32_t finest, double before, double now)
{
    if (k == 0 || k >= finest || !(now > SS_STEP_ERROR_NONE) || !(before > SS_STEP_ERROR_NONE)) {
        return NAN;
    }
    double h1 = s->rows[k - 1].step, h2 = s->rows[k].step, r = s->rows[finest].step;
    double drop = ss_ln(before / now), low = -SS_STEP_ORDER_MOST, high = SS_STEP_ORDER_MOST;
    if (!(h1 > h2) || !(h2 > r) || drop < seen_ratio(h1, h2, r, low) ||
        drop > seen_ratio(h1, h2, r, high)) {
        return NAN;
    }
    for (int i = 0; i < 60; i++) { /* bisection to the last digit */
        double p = 0.5 * (low + high);
        if (seen_ratio(h1, h2, r, p) < drop) {
            low = p;
        } else {
            high = p;
        }
    }
    return 0.5 * (low + high);
}

/* Duration and number of bodies, by the scene as it is. */
static ss_status look(ss_context *ctx, const ss_scene_source *source, steps *s)
{
    ss_variant v;
    ss_status  status = ss_variant_make(ctx, source, NULL, 0, &v);
    if (status == SS_OK) {
        s->bodies   = ss_model_body_count(v.model);
        s->duration = ss_model_simulation(v.model)->duration;
    }
    ss_variant_release(&v);
    return status;
}

/* Steps are made to fit the duration exactly. */
static ss_status fit(ss_context *ctx, steps *s, const double *wanted, int32_t count)
{
    memset(s->rows, 0, (size_t)count * sizeof *s->rows);
    for (int32_t k = 0; k < count; k++) {
        if (!(wanted[k] > 0) || !isfinite(wanted[k])) {
            return ss_fail(ctx, SS_ERR_INPUT, "a step must be > 0, got %g", wanted[k]);
        }
        double n        = ceil(s->duration / wanted[k] * (1 - SS_TIME_ROUNDING));
        s->rows[k].step = s->duration > 0 ? s->duration / fmax(n, 1) : wanted[k];
    }
    qsort(s->rows, (size_t)count, sizeof *s->rows, larger_first);
    return SS_OK;
}

ss_status ss_series_steps(ss_context *ctx, const ss_series_def *def, const double *wanted,
                          int32_t count, ss_step_error *out)
{
    if (ctx == NULL || def == NULL || wanted == NULL || out == NULL || count < 2) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "convergence needs a definition and 2 steps or more");
    }
    steps s = {.ctx = ctx, .rows = out, .interrupt = def->interrupt};
    SS_TRY(look(ctx, def->source, &s));
    SS_TRY(fit(ctx, &s, wanted, count));
    size_t room = (size_t)count * (size_t)s.bodies + 1;
    s.states    = ss_alloc(ctx, room, sizeof *s.states);
    if (s.states == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for %d runs", (int)count);
    }
    ss_series_def all = *def;
    all.count         = count;
    all.sample        = sample;
    all.measure       = measure;
    all.user          = &s;
    ss_status status  = ss_series_run(ctx, &all);
    for (int32_t k = 0; status == SS_OK && k < count; k++) {
        compare(&s, k, count - 1);
        ss_step_error *now = &out[k], *before = &out[k > 0 ? k - 1 : 0];
        now->position_order = order(&s, k, count - 1, before->position, now->position);
        now->velocity_order = order(&s, k, count - 1, before->velocity, now->velocity);
    }
    ss_free(ctx, s.states, room * sizeof *s.states);
    return status;
}
