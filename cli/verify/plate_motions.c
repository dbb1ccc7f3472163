/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 6.1: motions of a plate that were searched for. A circle, velocities (-0.15 y, 0.15 x)
 * from 4 to 8 cm, and a saddle, (-0.2 x, 0.2 y). The quick cases measure the thesis' motions and
 * those that `stickslip design` finds from the thesis' starts by one measure, the distance of the
 * velocity that a particle settles to at a place from the one asked for, as a share of that; the
 * slow cases
 * (--all) search.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study_args.h"
#include "verify/verify.h"

/* Six amplitudes and phases: x, y, z (m/s^2), then about x, y, z (rad/s^2). */
typedef struct motion {
    double A[6], C[6];
} motion;

static const motion circle_68       = {{0, 0, 15.3654, 0, 0, 40.8332}, {0, 0, 6.5374, 0, 0, 0}};
static const motion circle_text     = {{0, 0, 16.3305, 0, 0, 40.7791}, {0, 0, 6.91229, 0, 0, 0}};
static const motion circle_touching = {{0, 0, 9.81585, 0, 0, 62.913}, {0, 0, 6.33218, 0, 0, 0}};
static const motion saddle_thesis   = {{3.88479, -4.31188, 0, 155.816, 204.171, 0},
                                       {-1.08465, -2.0938, 0, 0.430032, 5.77261, 0}};
/* What `design builtin:plate-circle`, the same with a penalty on flight, and `design
   builtin:plate-saddle` came to. */
static const motion circle_ours = {{0, 0, 19.267532, 0, 0, 34.809531}, {0, 0, 6.3293396, 0, 0, 0}};
static const motion circle_touching_ours = {{0, 0, 4.1290792, 0, 0, 115.99337},
                                            {0, 0, 6.2846799, 0, 0, 0}};
static const motion saddle_ours          = {{8.3178767, -5.3408768, 0, 129.39376, 74.362792, 0},
                                            {0.76497554, -1.4964861, 0, 1.5230989, 5.5338418, 0}};

/* ---- a motion, measured ---- */

typedef struct sweep {
    ss_study  *study;
    ss_trials *trials;
} sweep;

enum { U, V, FLIGHT, REPEATS };

static ss_status measure(ss_verify *v, const motion *m, double h, const char *places, sweep *out)
{
    char         text[2048], set[1024];
    int          used = 0;
    ss_context  *ctx  = ss_verify_context(v);
    ss_study_def def  = {.find_scene = ss_cli_find_scene};
    ss_sweep_def how  = {0};
    for (int i = 0; i < 6; i++) {
        used += snprintf(set + used, sizeof set - (size_t)used,
                         ", params.A%d: %.17g, params.C%d: %.17g", i + 1, m->A[i], i + 1, m->C[i]);
    }
    int length = snprintf(text, sizeof text,
                          "study: sweep\nscene: builtin:plate\nset: {simulation.step: %g%s}\n"
                          "vary: {%s}\ncycle: {period: 2*pi/w, body: part, in: plate}\n"
                          "measure:\n"
                          "  u: drift(2*pi/w, x('part', 'plate'))\n"
                          "  v: drift(2*pi/w, y('part', 'plate'))\n"
                          "  flight: period_mean(2*pi/w, apart('part', 'plate'))\n"
                          "  repeats: cycle_found\n",
                          h, set, places);
    *out       = (sweep){0};
    SS_TRY(ss_study_load_text(ctx, text, (size_t)length, "plate motion", &def, &out->study));
    return ss_study_sweep(ctx, out->study, &how, &out->trials);
}

static void drop(sweep *s)
{
    ss_trials_destroy(s->trials);
    ss_study_destroy(s->study);
}

static double value(const sweep *s, int32_t measure_number, int64_t cell)
{
    return ss_trials_estimate(s->trials, measure_number, cell).mean;
}

/* ---- the circle ---- */

enum { RADII = 5 };
static const double radii[RADII] = {0.04, 0.05, 0.06, 0.07, 0.08};

/* Angular velocities over the radii, the worst distance from 0.15 rad/s, and the most flight. */
typedef struct circle {
    double omega[RADII], worst, mean, flight;
} circle;

static ss_status turn(ss_verify *v, const motion *m, double h, circle *out)
{
    sweep     s;
    ss_status status = measure(v, m, h, "params.x: {list: [0.04, 0.05, 0.06, 0.07, 0.08]}", &s);
    *out             = (circle){0};
    for (int i = 0; status == SS_OK && i < RADII; i++) {
        double off = hypot(value(&s, U, i), value(&s, V, i) - 0.15 * radii[i]) / (0.15 * radii[i]);
        out->omega[i] = value(&s, V, i) / radii[i];
        out->worst    = fmax(out->worst, off);
        out->mean += off / RADII;
        out->flight = fmax(out->flight, value(&s, FLIGHT, i));
    }
    drop(&s);
    return status;
}

/* Radians in 5 s of a particle that is let go at a radius. */
static ss_status ride(ss_verify *v, const motion *m, double x, double *out)
{
    char        place[48], a3[48], c3[48], a6[48];
    const char *over[] = {place, a3, c3, a6, NULL};
    snprintf(place, sizeof place, "params.x=%g", x);
    snprintf(a3, sizeof a3, "params.A3=%.17g", m->A[2]);
    snprintf(c3, sizeof c3, "params.C3=%.17g", m->C[2]);
    snprintf(a6, sizeof a6, "params.A6=%.17g", m->A[5]);
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "plate", over, &w));
    ss_status     status = ss_verify_steps(v, &w, 1e-4, 50000);
    ss_body_state s      = ss_verify_body(&w, "part");
    *out                 = atan2(s.position.y, s.position.x);
    ss_verify_close(&w);
    return status;
}

static ss_status run_circle(ss_verify *v)
{
    static const double places[] = {0.04, 0.06, 0.08}, turned[] = {0.7488, 0.7544, 0.7588};
    circle              printed, text, touching, ours, ours_touching;
    for (int i = 0; i < 3; i++) {
        double angle = 0;
        SS_TRY(ride(v, &circle_68, places[i], &angle));
        ss_verify_near(v, turned[i], angle, 0.002, "(6.8), (6.9): rad in 5 s from %g m", places[i]);
    }
    SS_TRY(turn(v, &circle_68, 1e-4, &printed));
    SS_TRY(turn(v, &circle_text, 1e-4, &text));
    SS_TRY(turn(v, &circle_touching, 1e-4, &touching));
    SS_TRY(turn(v, &circle_ours, 1e-4, &ours));
    SS_TRY(turn(v, &circle_touching_ours, 1e-4, &ours_touching));
    ss_verify_near(v, 0, printed.worst, 0.02,
                   "(6.8), (6.9): worst distance from 0.15 rad/s, share");
    ss_verify_near(v, 0, text.worst, 0.02, "the text's numbers: the same");
    ss_verify_near(v, 0.56 / 5, touching.omega[0], 0.002, "(6.6), (6.7): rad/s at 4 cm");
    ss_verify_near(v, 0.80 / 5, touching.omega[4], 0.002, "(6.6), (6.7): rad/s at 8 cm");
    ss_verify_near(v, 0, ours.worst, printed.worst, "our motion: worst distance, at most (6.8)'s");
    ss_verify_near(v, 0, ours_touching.mean, 0.5 * touching.mean,
                   "our motion that keeps contact: mean distance, at most half the thesis'");
    ss_verify_near(v, 0, ours_touching.flight, 0, "its share of flight");
    return SS_OK;
}

/* ---- the saddle ---- */

typedef struct saddle {
    double off[4]; /* mean over the places of a quadrant: (+, +), (-, +), (-, -), (+, -) */
    double repeats;
} saddle;

static ss_status part_ways(ss_verify *v, const motion *m, double h, saddle *out)
{
    static const double at[] = {-0.05, -0.02, 0.02, 0.05};
    sweep               s;
    ss_status           status = measure(v, m, h,
                                         "params.x: {list: [-0.05, -0.02, 0.02, 0.05]}, "
                                                   "params.y: {list: [-0.05, -0.02, 0.02, 0.05]}",
                                         &s);
    *out                       = (saddle){0};
    for (int cell = 0; status == SS_OK && cell < 16; cell++) {
        double x = at[cell / 4], y = at[cell % 4];
        int    quadrant = y > 0 ? (x > 0 ? 0 : 1) : (x < 0 ? 2 : 3);
        double off      = hypot(value(&s, U, cell) + 0.2 * x, value(&s, V, cell) - 0.2 * y);
        out->off[quadrant] += off / (0.2 * hypot(x, y)) / 4;
        out->repeats += value(&s, REPEATS, cell) / 16;
    }
    drop(&s);
    return status;
}

static ss_status run_saddle(ss_verify *v)
{
    static const char *const names[] = {"(+, +)", "(-, +)", "(-, -)", "(+, -)"};
    saddle                   thesis, ours, finer;
    SS_TRY(part_ways(v, &saddle_thesis, 1e-4, &thesis));
    SS_TRY(part_ways(v, &saddle_ours, 1e-4, &ours));
    SS_TRY(part_ways(v, &saddle_ours, 5e-5, &finer));
    for (int i = 0; i < 4; i++) {
        ss_verify_near(v, 0, ours.off[i], thesis.off[i],
                       "quadrant %s: our motion's distance, at most the thesis' motion's",
                       names[i]);
        ss_verify_near(v, ours.off[i], finer.off[i], 0.03, "the same with half the step");
    }
    ss_verify_near(v, 1, ours.repeats, 0.25, "share of places where a period repeats itself");
    return SS_OK;
}

/* ---- searches ---- */

static ss_status search(ss_verify *v, const char *study, const char *const *overrides,
                        int32_t count, const char *const *names, double *best)
{
    ss_context   *ctx    = ss_verify_context(v);
    ss_arg_list   set    = {.items = (const char **)overrides, .count = count};
    ss_study     *s      = NULL;
    ss_design    *d      = NULL;
    ss_design_def def    = {0};
    ss_candidate  found  = {0};
    ss_status     status = ss_cli_load_study(ctx, study, &set, &s);
    if (status == SS_OK) {
        status = ss_study_design(ctx, s, &def, &d);
    }
    if (status == SS_OK && !ss_design_best(d, &found)) {
        status = ss_fail(ctx, SS_ERR_INTERNAL, "%s: no design was found", study);
    }
    for (int32_t i = 0; status == SS_OK && i < ss_design_choice_count(d); i++) {
        for (int k = 0; names[k] != NULL; k++) {
            if (strcmp(names[k], ss_design_choice_name(d, i)) == 0) {
                best[k] = found.x[i];
            }
        }
    }
    ss_design_destroy(d);
    ss_study_destroy(s);
    return status;
}

static ss_status run_circle_search(ss_verify *v)
{
    static const char *const names[] = {"params.A3", "params.C3", "params.A6", NULL};
    static const char *const touch[] = {"objective.minimise=mean(off) + 10*most(flight)"};
    double                   best[3] = {0};
    circle                   thesis, ours;
    for (int penalised = 0; penalised < 2; penalised++) {
        SS_TRY(search(v, "builtin:plate-circle", touch, penalised, names, best));
        motion m = {{0, 0, best[0], 0, 0, best[2]}, {0, 0, best[1], 0, 0, 0}};
        SS_TRY(turn(v, penalised ? &circle_touching : &circle_68, 1e-4, &thesis));
        SS_TRY(turn(v, &m, 1e-4, &ours));
        if (penalised) {
            ss_verify_near(v, 0, ours.mean, thesis.mean,
                           "penalised: mean distance, at most (6.6)'s");
            ss_verify_near(v, 0, ours.flight, 0, "penalised: share of flight");
        } else {
            ss_verify_near(v, 0, ours.worst, 0.02, "worst distance from 0.15 rad/s, share");
        }
    }
    return SS_OK;
}

static ss_status run_saddle_search(ss_verify *v)
{
    static const char *const names[] = {"params.A1", "params.A2", "params.A4",
                                        "params.A5", "params.C1", "params.C2",
                                        "params.C4", "params.C5", NULL};
    double                   b[8]    = {0};
    saddle                   thesis, ours;
    SS_TRY(search(v, "builtin:plate-saddle", NULL, 0, names, b));
    motion m = {{b[0], b[1], 0, b[2], b[3], 0}, {b[4], b[5], 0, b[6], b[7], 0}};
    SS_TRY(part_ways(v, &saddle_thesis, 1e-4, &thesis));
    SS_TRY(part_ways(v, &m, 1e-4, &ours));
    for (int i = 0; i < 4; i++) {
        ss_verify_near(v, 0, ours.off[i], thesis.off[i],
                       "quadrant %d: at most the thesis' motion's", i + 1);
    }
    return SS_OK;
}

const ss_verify_case ss_verify_plate_circle = {
    "plate-circle", "Berard 6.1.1", "plate motions that carry particles round", false, run_circle};
const ss_verify_case ss_verify_plate_circle_search = {
    "plate-circle-search", "Berard 6.1.1", "search for these motions", true, run_circle_search};
const ss_verify_case ss_verify_plate_saddle = {
    "plate-saddle", "Berard 6.1.2", "plate motions with a saddle as field", false, run_saddle};
const ss_verify_case ss_verify_plate_saddle_search = {
    "plate-saddle-search", "Berard 6.1.2", "search for such a motion", true, run_saddle_search};
