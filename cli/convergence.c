/* SPDX-License-Identifier: Apache-2.0 */
#include "convergence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "json.h"
#include "progress.h"

bool ss_convergence_parse(const char *text, double *steps, int32_t *count)
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
            return *count >= 2;
        }
        if (*at != ',') {
            return false;
        }
    }
}

static void print_json(const ss_step_error *rows, int32_t count)
{
    ss_json out = ss_json_start(stdout, false);
    ss_json_open_object(&out, NULL);
    ss_json_open_array(&out, "convergence");
    for (int32_t k = 0; k < count; k++) {
        ss_json_open_object(&out, NULL);
        ss_json_real(&out, "step", rows[k].step);
        ss_json_real(&out, "position_error", rows[k].position);
        ss_json_real(&out, "position_order", rows[k].position_order);
        ss_json_real(&out, "velocity_error", rows[k].velocity);
        ss_json_real(&out, "velocity_order", rows[k].velocity_order);
        ss_json_real(&out, "residual_max", rows[k].residual_max);
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

static void print_text(const ss_step_error *rows, int32_t count)
{
    printf("%12s %12s %7s %12s %7s %10s\n", "step (s)", "position (m)", "order", "speed (m/s)",
           "order", "residual");
    for (int32_t k = 0; k < count; k++) {
        printf("%12.4g %12.3e", rows[k].step, rows[k].position);
        print_order(rows[k].position_order);
        printf(" %12.3e", rows[k].velocity);
        print_order(rows[k].velocity_order);
        printf(" %10.1e%s\n", rows[k].residual_max, k + 1 == count ? "  (the reference)" : "");
    }
    printf("\nposition error, each # a quarter of a decade above 1e-16\n");
    for (int32_t k = 0; k + 1 < count; k++) {
        printf("%12.4g", rows[k].step);
        print_bar(rows[k].position);
    }
}

static void show_progress(void *user, int64_t done, int64_t count)
{
    ss_progress_update(user, done, count, -1);
}

ss_status ss_convergence_run(ss_context *ctx, const ss_scene_source *source, const double *steps,
                             int32_t count, int32_t threads, bool json)
{
    ss_step_error rows[SS_CONVERGENCE_MAX];
    ss_progress   progress = ss_progress_start("runs", json);
    ss_series_def def      = {.source        = source,
                              .threads       = threads,
                              .interrupt     = ss_cli_catch_interrupt(),
                              .progress      = show_progress,
                              .progress_user = &progress};
    ss_status     status   = ss_series_steps(ctx, &def, steps, count, rows);
    ss_progress_end(&progress);
    if (status == SS_OK && json) {
        print_json(rows, count);
    } else if (status == SS_OK) {
        print_text(rows, count);
    }
    return status;
}
