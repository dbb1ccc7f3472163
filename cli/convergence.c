/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convergence in the step: the state at the end against that of the finest step. The order between
 * two steps is log(e1/e2) / log(h1/h2); errors at the level of rounding have none.
 */
#include "convergence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "progress.h"

typedef struct study {
    const ss_model *m;
    int             count, bodies;
    double          step[SS_CONVERGENCE_MAX];
    double          position[SS_CONVERGENCE_MAX], velocity[SS_CONVERGENCE_MAX];
    double          residual[SS_CONVERGENCE_MAX];
    ss_body_state  *states; /* (count x bodies) at the end */
    ss_progress     progress;
    int64_t         done, total; /* steps of all runs */
} study;

static int larger_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

bool ss_convergence_parse(const char *text, double *steps, int *count)
{
    *count = 0;
    for (const char *at = text;; at++) {
        char  *end = NULL;
        double h   = strtod(at, &end);
        if (end == at || !(h > 0) || !isfinite(h) || *count == SS_CONVERGENCE_MAX) {
            return false;
        }
        steps[(*count)++] = h;
        at                = end;
        if (*at == '\0') {
            break;
        }
        if (*at != ',') {
            return false;
        }
    }
    qsort(steps, (size_t)*count, sizeof *steps, larger_first);
    return *count >= 2;
}

/* One run; steps are made to fit the duration exactly. */
static ss_status run_once(ss_context *ctx, study *s, int k, double duration)
{
    ss_data *d = NULL;
    SS_TRY(ss_data_create(ctx, s->m, &d));
    long      n      = lround(ceil(duration / s->step[k] - 1e-9));
    double    h      = duration / (double)(n > 0 ? n : 1);
    ss_status status = SS_OK;
    s->step[k]       = h;
    for (long i = 0; status == SS_OK && i < n; i++) {
        status         = ss_step(s->m, d, h);
        s->residual[k] = fmax(s->residual[k], ss_data_report(d)->residual);
        ss_progress_update(&s->progress, ++s->done, s->total, s->residual[k]);
    }
    for (int i = 0; i < s->bodies; i++) {
        ss_data_body(s->m, d, i, &s->states[k * s->bodies + i]);
    }
    ss_data_destroy(d);
    return status;
}

/* The furthest that any body is from where the finest step puts it. */
static void measure(study *s, int k)
{
    for (int i = 0; i < s->bodies; i++) {
        const ss_body_state *a = &s->states[k * s->bodies + i];
        const ss_body_state *b = &s->states[(s->count - 1) * s->bodies + i];
        s->position[k]         = fmax(s->position[k], ss_norm(ss_sub(a->position, b->position)));
        s->velocity[k]         = fmax(s->velocity[k], ss_norm(ss_sub(a->velocity, b->velocity)));
    }
}

/*
 * Against a reference of step r the error of a scheme of order p is c (h^p - r^p); with p = 1,
 * which is what these schemes are, dividing by h - r takes the reference's own error out.
 */
static double order(const study *s, const double *error, int k)
{
    double r = s->step[s->count - 1];
    if (k == 0 || k >= s->count - 1 || !(error[k] > 1e-13) || !(error[k - 1] > 1e-13)) {
        return NAN;
    }
    double drop = log(error[k - 1] / error[k]);
    double even = log((s->step[k - 1] - r) / (s->step[k] - r)); /* what order 1 would give */
    return drop / even;
}

static void print_json(const study *s)
{
    ss_json out = ss_json_start(stdout, false);
    ss_json_open_object(&out, NULL);
    ss_json_open_array(&out, "convergence");
    for (int k = 0; k < s->count; k++) {
        ss_json_open_object(&out, NULL);
        ss_json_real(&out, "step", s->step[k]);
        ss_json_real(&out, "position_error", s->position[k]);
        ss_json_real(&out, "position_order", order(s, s->position, k));
        ss_json_real(&out, "velocity_error", s->velocity[k]);
        ss_json_real(&out, "velocity_order", order(s, s->velocity, k));
        ss_json_real(&out, "residual_max", s->residual[k]);
        ss_json_close_object(&out);
    }
    ss_json_close_array(&out);
    ss_json_close_object(&out);
    ss_json_end(&out);
}

static void print_order(double value)
{
    if (isfinite(value)) {
        printf(" %7.2f", value);
    } else {
        printf(" %7s", "-");
    }
}

/* A bar per step, logarithmic: one sign per quarter of a decade above rounding. */
static void print_bar(double error)
{
    int length = error > 1e-16 ? (int)lround(4 * (log10(error) + 16)) : 0;
    printf("  ");
    for (int i = 0; i < length && i < 72; i++) {
        putchar('#');
    }
    putchar('\n');
}

static void print_text(const study *s)
{
    printf("%12s %12s %7s %12s %7s %10s\n", "step (s)", "position (m)", "order", "speed (m/s)",
           "order", "residual");
    for (int k = 0; k < s->count; k++) {
        printf("%12.4g %12.3e", s->step[k], s->position[k]);
        print_order(order(s, s->position, k));
        printf(" %12.3e", s->velocity[k]);
        print_order(order(s, s->velocity, k));
        printf(" %10.1e%s\n", s->residual[k], k == s->count - 1 ? "  (the reference)" : "");
    }
    printf("\nposition error, each # a quarter of a decade above 1e-16\n");
    for (int k = 0; k < s->count - 1; k++) {
        printf("%12.4g", s->step[k]);
        print_bar(s->position[k]);
    }
}

ss_status ss_convergence_run(ss_context *ctx, const ss_model *m, const double *steps, int count,
                             double duration, bool json)
{
    study s  = {.m = m, .count = count, .bodies = ss_model_body_count(m)};
    s.states = calloc((size_t)count * (size_t)s.bodies + 1, sizeof *s.states);
    if (s.states == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the study");
    }
    s.progress = ss_progress_start("steps", json);
    for (int k = 0; k < count; k++) {
        s.total += (int64_t)ceil(duration / steps[k] - 1e-9);
    }
    ss_status status = SS_OK;
    for (int k = 0; status == SS_OK && k < count; k++) {
        s.step[k] = steps[k];
        status    = run_once(ctx, &s, k, duration);
    }
    ss_progress_end(&s.progress);
    for (int k = 0; status == SS_OK && k < count; k++) {
        measure(&s, k);
    }
    if (status == SS_OK && json) {
        print_json(&s);
    } else if (status == SS_OK) {
        print_text(&s);
    }
    free(s.states);
    return status;
}
