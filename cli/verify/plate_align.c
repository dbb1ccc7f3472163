/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plate motion of our own, which particles alone could not have shown: it gathers parts and turns
 * a long one into one heading. Spin over heading, at the period that repeats itself there, must
 * fall through zero at one heading (that is where parts stay) and rise through zero at one other,
 * with the step of the search and with a finer one; the field of particles must be a sink.
 */
#include <math.h>
#include <stdio.h>

#include "stickslip/flow.h"
#include "study_args.h"
#include "verify/verify.h"

typedef struct headings {
    double stays, leaves; /* rad */
    int    falls, rises;
    double repeats;
} headings;

static ss_status load_and_sweep(ss_verify *v, const char *study, const char *const *over,
                                int32_t count, ss_study **s, ss_trials **t)
{
    ss_arg_list  set = {.items = (const char **)over, .count = count};
    ss_sweep_def how = {0};
    SS_TRY(ss_cli_load_study(ss_verify_context(v), study, &set, s));
    return ss_study_sweep(ss_verify_context(v), *s, &how, t);
}

/* Headings repeat after pi: the curve is closed. */
static void find_zeros(const ss_trials *t, headings *out)
{
    enum { COUNT = 11 };
    double at[COUNT + 1], spin[COUNT + 1];
    for (int i = 0; i < COUNT; i++) {
        at[i]   = -1.5 + 0.3 * i;
        spin[i] = ss_trials_estimate(t, 0, i).mean;
        out->repeats += ss_trials_estimate(t, 1, i).mean / COUNT;
    }
    at[COUNT]   = at[0] + acos(-1);
    spin[COUNT] = spin[0];
    for (int i = 0; i < COUNT; i++) {
        double zero = at[i] - spin[i] * (at[i + 1] - at[i]) / (spin[i + 1] - spin[i]);
        if (spin[i] > 0 && spin[i + 1] <= 0) {
            out->falls++;
            out->stays = zero;
        } else if (spin[i] <= 0 && spin[i + 1] > 0) {
            out->rises++;
            out->leaves = zero;
        }
    }
}

static ss_status look(ss_verify *v, const char *step, headings *out)
{
    char        text[96];
    const char *over[] = {text};
    ss_study   *s      = NULL;
    ss_trials  *t      = NULL;
    snprintf(text, sizeof text, "set={params.x: 0, params.y: 0, simulation.step: %s}", step);
    ss_status status = load_and_sweep(v, "builtin:plate-align", over, 1, &s, &t);
    *out             = (headings){0};
    if (status == SS_OK) {
        find_zeros(t, out);
    }
    ss_trials_destroy(t);
    ss_study_destroy(s);
    return status;
}

static ss_status check_field(ss_verify *v)
{
    static const char *const over[] = {
        "set={simulation.step: 0.0005, params.w: 40*pi, params.A3: 0, params.A6: 0, params.A1: 8, "
        "params.C1: pi/2, params.A2: 15, params.A4: 100, params.C4: pi/2, params.A5: 50}",
        "vary={params.x: {grid: [-0.05, 0.05, 5]}, params.y: {grid: [-0.05, 0.05, 5]}}"};
    ss_study  *s      = NULL;
    ss_trials *t      = NULL;
    ss_flow   *f      = NULL;
    ss_status  status = load_and_sweep(v, "builtin:plate-field", over, 2, &s, &t);
    if (status == SS_OK) {
        status = ss_trials_flow(t, 0, &f);
    }
    if (status == SS_OK) {
        ss_flow_linear whole = ss_flow_whole(f);
        ss_verify_near(v, SS_FLOW_SINK, whole.kind, 0, "the field of particles is a sink");
        ss_verify_near(v, 1, whole.rate[0] < -0.2 && whole.rate[1] < 2 * whole.rate[0], 0,
                       "one of its rates is more than twice the other");
    }
    ss_flow_destroy(f);
    ss_trials_destroy(t);
    ss_study_destroy(s);
    return status;
}

static ss_status run(ss_verify *v)
{
    headings coarse, fine;
    SS_TRY(look(v, "0.0005", &coarse));
    SS_TRY(look(v, "0.0001", &fine));
    ss_verify_near(v, 1, coarse.falls, 0, "headings in which a part stays");
    ss_verify_near(v, 1, fine.falls, 0, "the same with a fifth of the step");
    ss_verify_near(v, 1, fine.rises, 0, "headings that it is driven away from");
    ss_verify_near(v, coarse.stays, fine.stays, 0.1, "heading, coarse and fine step, rad");
    ss_verify_near(v, 1, fine.repeats, 1e-9, "a period repeats itself at every heading");
    return check_field(v);
}

const ss_verify_case ss_verify_plate_align = {
    "plate-align", "own", "a plate motion that gathers parts and aligns long ones", false, run};
