/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 6, Definition 5: the circle as a boundary-value problem, a mathematical program with
 * equilibrium constraints, which the thesis poses and does not solve. From the thesis' start; the
 * quick case asks for 0.15 rad/s at one radius with fewer steps, the slow one at five.
 *
 *   - the program ends in a feasible point: rows, and products of complementary unknowns, to
 * rounding;
 *   - the engine's period with what was found, from where the program has it begin, is the
 * program's;
 *   - the velocity that a particle settles to, found by the engine from rest, is the one asked for;
 *   - it still is with steps of 0.1 ms, at least as well as by the thesis' motion (2 %).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study_args.h"
#include "verify/verify.h"

/* The best candidate's numbers and its worst distance from what was asked. */
typedef struct found {
    ss_design_program program;
    double            A6, A3, C3, worst, flight;
} found;

static ss_status largest(const ss_trials *t, const char *name, const ss_study *s, double *out)
{
    for (int32_t m = 0; m < ss_study_measure_count(s); m++) {
        if (strcmp(ss_study_measure_name(s, m), name) == 0) {
            *out = ss_trials_estimate(t, m, -1).most;
        }
    }
    return SS_OK;
}

static ss_status search(ss_verify *v, const char *study, const char *const *overrides,
                        int32_t count, found *out)
{
    ss_context   *ctx    = ss_verify_context(v);
    ss_arg_list   set    = {.items = (const char **)overrides, .count = count};
    ss_study     *s      = NULL;
    ss_design    *d      = NULL;
    ss_design_def def    = {0};
    ss_candidate  best   = {0};
    ss_status     status = ss_cli_load_study(ctx, study, &set, &s);
    status               = status == SS_OK ? ss_study_design(ctx, s, &def, &d) : status;
    if (status == SS_OK && !ss_design_best(d, &best)) {
        status = ss_fail(ctx, SS_ERR_INTERNAL, "%s: no design was found", study);
    }
    if (status == SS_OK) {
        *out   = (found){ss_design_program_of(d), best.x[0], best.x[1], best.x[2], NAN, NAN};
        status = largest(ss_design_trials(d), "off", s, &out->worst);
        largest(ss_design_trials(d), "flight", s, &out->flight);
    }
    ss_design_destroy(d);
    ss_study_destroy(s);
    return status;
}

static void judge(ss_verify *v, const char *which, const found *f)
{
    ss_verify_near(v, 1, f->program.solved, 0, "%s: feasible, and a local optimum", which);
    ss_verify_near(v, 0, f->program.infeasibility, 1e-9, "%s: rows", which);
    ss_verify_near(v, 0, f->program.complementarity, 1e-12, "%s: products of pairs", which);
    ss_verify_near(v, 0, f->program.apart, 1e-9, "%s: the engine's period is the program's, m",
                   which);
}

static ss_status run_one(ss_verify *v)
{
    static const char *const one[] = {"set.simulation.step=0.0006", "vary.params.x={list: [0.06]}"};
    found                    f;
    SS_TRY(search(v, "builtin:plate-circle-program", one, 2, &f));
    judge(v, "one radius", &f);
    ss_verify_near(v, 0, f.worst, 0.005, "one radius: distance from 0.15 rad/s, share");
    return SS_OK;
}

/* The same motion once more, as accelerations and with finer steps. */
static ss_status again(ss_verify *v, found *f)
{
    char        text[3][64];
    const char *set[] = {text[0], text[1], text[2], "method.evaluations=1",
                         "set.simulation.step=0.0001"};
    snprintf(text[0], sizeof text[0], "vary.params.A6={bounds: [10, 150, %.17g]}", f->A6);
    snprintf(text[1], sizeof text[1], "vary.params.A3={bounds: [0, 25, %.17g]}", f->A3);
    snprintf(text[2], sizeof text[2], "vary.params.C3={bounds: [0, 13, %.17g]}", f->C3);
    return search(v, "builtin:plate-circle", set, 5, f);
}

static ss_status run_five(ss_verify *v)
{
    static const char *const touch[] = {"method.touching=true"};
    found                    f;
    SS_TRY(search(v, "builtin:plate-circle-program", NULL, 0, &f));
    judge(v, "five radii", &f);
    ss_verify_near(v, 0, f.worst, 0.005, "five radii: worst distance from 0.15 rad/s, share");
    SS_TRY(again(v, &f));
    ss_verify_near(v, 0, f.worst, 0.02, "the same with steps of 0.1 ms, at most (6.8)'s 2 %%");
    SS_TRY(search(v, "builtin:plate-circle-program", touch, 1, &f));
    judge(v, "contact kept", &f);
    ss_verify_near(v, 0, f.flight, 0, "contact kept: share of flight");
    return SS_OK;
}

const ss_verify_case ss_verify_plate_program        = {"plate-program", "Berard 6, Definition 5",
                                                       "a plate motion as a boundary-value program", false,
                                                       run_one};
const ss_verify_case ss_verify_plate_program_search = {
    "plate-program-search", "Berard 6, Definition 5",
    "the same at five radii, contact lost or kept", true, run_five};
