/* SPDX-License-Identifier: Apache-2.0 */
/* Measures of periodic motion: drifts, limits of rates, shares of stick, slip and flight, cycles.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stickslip/stickslip.h"

/* x = 0.3 t + 0.02 exp(-5 t) + 0.01 sin(2 pi t / 0.1): what its rate settles to is 0.3. */
static const char probe[] =
    "dimension: 2\n"
    "bodies:\n"
    "  - {name: probe, type: kinematic,\n"
    "     motion: {x: '0.3*t + 0.02*exp(-5*t) + 0.01*sin(20*pi*t)', y: 0}}\n"
    "  - {name: weight, type: particle, mass: 1, position: [0, 0]}\n"
    "simulation: {step: 0.001, duration: 0.6543}\n";

/* A particle on a plate that rocks: asymptotic velocities of thesis 5.2.1. */
static const char rocking[] =
    "dimension: 2\n"
    "params: {alpha: 180, T: 0.03, d: 0.05, mu: 0.3, x: 0.0241}\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - name: plate\n"
    "    type: kinematic\n"
    "    shape: {box: {size: [0.4, 0.02], position: [0, d - 0.01]}}\n"
    "    position: [0, -d]\n"
    "    motion:\n"
    "      x: 0\n"
    "      y: -d\n"
    "      angle: \"(t % T < T/2) and alpha*((t % T)^2/2 - T*(t % T)/4) or alpha*(-(t % T)^2/2 + "
    "3*T*(t % T)/4 - T^2/4)\"\n"
    "  - {name: part, type: particle, mass: 0.001, shape: {point: {}}, position: [x, 1e-5]}\n"
    "simulation: {step: 0.00005, duration: 0.9}\n";

/* A plate whose vertical acceleration is three times gravity: the particle flies and lands. */
static const char bouncing[] =
    "params: {w: 66*pi, mu: 0.3}\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - name: plate\n"
    "    type: kinematic\n"
    "    shape: {box: {size: [0.3, 0.3, 0.01], position: [0, 0, -0.005]}}\n"
    "    motion: {acceleration: ['6*sin(w*t)', 0, '30*sin(w*t + 1)'], period: 2*pi/w}\n"
    "  - {name: part, type: particle, mass: 0.001, shape: {point: {}}, position: [0.02, 0, "
    "0.002]}\n"
    "simulation: {step: 0.0002, duration: 0.1}\n";

/* A block that friction slows by the same speed in every period, until it rests. */
static const char slowed[] =
    "dimension: 2\n"
    "materials: {default: {friction: 0.1}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
    "  - {name: part, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.05]}},\n"
    "     position: [0, 0.025], velocity: [1.2, 0]}\n"
    "simulation: {step: 0.005, duration: 1}\n";

static bool find(void *user, const char *name, const char **text, size_t *length)
{
    (void)user;
    *text   = strcmp(name, "probe") == 0     ? probe
              : strcmp(name, "rocking") == 0 ? rocking
              : strcmp(name, "slowed") == 0  ? slowed
                                             : bouncing;
    *length = strlen(*text);
    return true;
}

static ss_trials *sweep(ss_context *ctx, const char *text, ss_study **study)
{
    ss_study_def def       = {.find_scene = find};
    ss_sweep_def sweep_def = {.threads = 1};
    ss_trials   *t         = NULL;
    ss_status    status    = ss_study_load_text(ctx, text, strlen(text), "study.yaml", &def, study);
    if (status == SS_OK) {
        status = ss_study_sweep(ctx, *study, &sweep_def, &t);
    }
    if (status != SS_OK) {
        print_error("%s\n", ss_context_message(ctx));
    }
    assert_int_equal(status, SS_OK);
    return t;
}

static double value(const ss_trials *t, int64_t trial, const char *measure)
{
    ss_trial row;
    assert_true(ss_trials_get(t, trial, &row));
    assert_int_not_equal(row.status, SS_TRIAL_FAILED);
    for (int32_t i = 0; i < ss_study_measure_count(ss_trials_study(t)); i++) {
        if (strcmp(ss_study_measure_name(ss_trials_study(t), i), measure) == 0) {
            return row.measures[i];
        }
    }
    fail_msg("no measure %s", measure);
    return NAN;
}

static double place(double t)
{
    return 0.3 * t + 0.02 * exp(-5 * t) + 0.01 * sin(20 * acos(-1) * t);
}

static void rates_over_whole_periods(void **unused)
{
    (void)unused;
    ss_study   *s   = NULL;
    ss_context *ctx = ss_context_create(NULL);
    ss_trials  *t   = sweep(ctx,
                            "study: sweep\nscene: probe\nmeasure:\n"
                               "  drift: drift(0.1, x('probe'))\n"
                               "  later: drift(0.1, x('probe'), 0.2)\n"
                               "  limit: asymptotic(0.1, x('probe'))\n"
                               "  left: asymptotic_error(0.1, x('probe'))\n"
                               "  never: drift(5, x('probe'))\n"
                               "  early: asymptotic(0.3, x('probe'))\n"
                               "  long_mean: period_mean(0.1, vx('probe'), 0.2)\n",
                            &s);
    assert_true(fabs(value(t, 0, "drift") - (place(0.6) - place(0)) / 0.6) < 1e-12);
    assert_true(fabs(value(t, 0, "later") - (place(0.6) - place(0.2)) / 0.4) < 1e-12);
    /* the rate of each period is 0.3 and a term that shrinks by one factor: Aitken is exact */
    assert_true(fabs(value(t, 0, "limit") - 0.3) < 1e-9);
    assert_true(value(t, 0, "left") < 1e-9);
    assert_true(isnan(value(t, 0, "never")) && isnan(value(t, 0, "early")));
    assert_true(fabs(value(t, 0, "long_mean") - value(t, 0, "later")) < 1e-2);
    ss_trials_destroy(t);
    ss_study_destroy(s);
    ss_context_destroy(ctx);
}

/*
 * The same place three ways: by its cycle, by waiting (a tolerance that no period meets, so that
 * the rest is measured), and as a free run, which lags behind as it moves.
 */
static void a_cycle_is_what_waiting_comes_to(void **unused)
{
    (void)unused;
    ss_study   *s          = NULL;
    ss_context *ctx        = ss_context_create(NULL);
    const char  measures[] = "measure:\n"
                             "  v: drift(T, x('part', 'plate'))\n"
                             "  found: cycle_found\n"
                             "  periods: cycle_periods\n"
                             "  error: cycle_error\n"
                             "  slip: period_mean(T, slips('part', 'plate'))\n"
                             "  stick: period_mean(T, sticks('part', 'plate'))\n"
                             "  flight: period_mean(T, apart('part', 'plate'))\n";
    char        text[2][1024];
    double      v[2];
    const char *settings[2] = {"", ", tolerance: 1e-300, periods: 120"};
    for (int i = 0; i < 2; i++) {
        snprintf(text[i], sizeof text[i],
                 "study: sweep\nscene: rocking\ncycle: {period: T, body: part, in: plate%s}\n%s",
                 settings[i], measures);
        ss_trials *t    = sweep(ctx, text[i], &s);
        v[i]            = value(t, 0, "v");
        bool to_the_bit = i == 1 && value(t, 0, "error") == 0; /* meets every tolerance */
        assert_true((value(t, 0, "found") == 1) == (i == 0 || to_the_bit));
        assert_true(value(t, 0, "periods") <= (i == 0 ? 20 : 60));
        assert_true(i == 1 || value(t, 0, "error") <= 1e-6);
        double all = value(t, 0, "slip") + value(t, 0, "stick") + value(t, 0, "flight");
        assert_true(fabs(all - 1) < 1e-9 && value(t, 0, "slip") > 0.99);
        ss_trials_destroy(t);
        ss_study_destroy(s);
    }
    assert_true(fabs(v[0] - v[1]) < 1e-5 * fabs(v[0]));
    /* full planar equations, integrated apart with the place held: -0.0137115 m/s */
    assert_true(fabs(v[0] + 0.0137115) < 0.005 * 0.0137115);
    ss_context_destroy(ctx);
}

static void flight_and_landing(void **unused)
{
    (void)unused;
    ss_study   *s      = NULL;
    ss_context *ctx    = ss_context_create(NULL);
    ss_trials  *t      = sweep(ctx,
                               "study: sweep\nscene: bouncing\n"
                                     "cycle: {period: 2*pi/w, body: part, in: plate}\n"
                                     "measure:\n"
                                     "  v: drift(2*pi/w, x('part', 'plate'))\n"
                                     "  flight: period_mean(2*pi/w, apart('part', 'plate'))\n"
                                     "  touch: period_mean(2*pi/w, touches('part', 'plate'))\n",
                               &s);
    double      flight = value(t, 0, "flight"), touch = value(t, 0, "touch");
    assert_true(flight > 0.5 && flight < 0.98 && fabs(flight + touch - 1) < 1e-9);
    assert_true(isfinite(value(t, 0, "v")) && fabs(value(t, 0, "v")) > 1e-4);
    ss_trials_destroy(t);
    ss_study_destroy(s);
    ss_context_destroy(ctx);
}

/* Its periods change the velocity alike, so that nothing can be extrapolated; it comes to rest. */
static void a_steady_change_is_no_cycle(void **unused)
{
    (void)unused;
    ss_study   *s   = NULL;
    ss_context *ctx = ss_context_create(NULL);
    for (int few = 0; few < 2; few++) {
        char text[256];
        snprintf(text, sizeof text,
                 "study: sweep\nscene: slowed\ncycle: {period: 0.1, body: part, periods: %d}\n"
                 "measure: {v: \"drift(0.1, x('part'))\", found: cycle_found}\n",
                 few ? 10 : 100);
        ss_trials *t = sweep(ctx, text, &s);
        assert_true(value(t, 0, "found") == (few ? 0 : 1));
        assert_true(few ? fabs(value(t, 0, "v")) < 1.2 : fabs(value(t, 0, "v")) < 1e-9);
        ss_trials_destroy(t);
        ss_study_destroy(s);
    }
    ss_context_destroy(ctx);
}

static void refuses(ss_context *ctx, const char *scene, const char *cycle, const char *message)
{
    char         text[512];
    ss_study    *s   = NULL;
    ss_study_def def = {.find_scene = find};
    snprintf(text, sizeof text, "study: sweep\nscene: %s\nmeasure: {a: time}\ncycle: %s\n", scene,
             cycle);
    assert_int_equal(ss_study_load_text(ctx, text, strlen(text), "study.yaml", &def, &s),
                     SS_ERR_INPUT);
    if (strstr(ss_context_message(ctx), message) == NULL) {
        fail_msg("'%s' is not in '%s'", message, ss_context_message(ctx));
    }
}

static void wrong_cycles_are_refused(void **unused)
{
    (void)unused;
    ss_context *ctx = ss_context_create(NULL);
    refuses(ctx, "rocking", "{period: T, body: parts, in: plate}", "study.yaml:4:");
    refuses(ctx, "rocking", "{period: T, body: parts, in: plate}", "there is no body 'parts'");
    refuses(ctx, "rocking", "{period: T, body: part, in: table}", "there is no body 'table'");
    refuses(ctx, "rocking", "{period: T, body: plate}", "is none");
    refuses(ctx, "rocking", "{period: 0*T, body: part}", "period must be > 0");
    refuses(ctx, "rocking", "{period: T/100, body: part}", "fewer than 8 steps");
    refuses(ctx, "rocking", "{period: Q, body: part}", "study.yaml:4:");
    refuses(ctx, "rocking", "{period: T, body: part, hold: [u]}", "any of x, y, z, angle");
    refuses(ctx, "rocking", "{body: part}", "period");
    refuses(ctx, "rocking", "{period: T, body: part, tolerance: 0}", "tolerance");
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_over_whole_periods),
        cmocka_unit_test(a_cycle_is_what_waiting_comes_to),
        cmocka_unit_test(flight_and_landing),
        cmocka_unit_test(a_steady_change_is_no_cycle),
        cmocka_unit_test(wrong_cycles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
