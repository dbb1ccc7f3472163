/* SPDX-License-Identifier: Apache-2.0 */
/* Studies through the C interface: sampling, measures with closed answers, failures as rows. */
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

/* A block that slides to rest: v0^2 / (2 mu g) metres in v0 / (mu g) seconds. */
static const char block[] =
    "dimension: 2\n"
    "params: {mu: 0.25, v0: 1}\n"
    "gravity: [0, -10]\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
    "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}},\n"
    "     position: [0, 0.05], velocity: [v0, 0]}\n"
    "simulation: {step: 0.001, duration: 1}\n";

static bool find(void *user, const char *name, const char **text, size_t *length)
{
    (void)user;
    *text   = block;
    *length = strlen(block);
    return strcmp(name, "block") == 0;
}

static ss_study *load(ss_context *ctx, const char *text)
{
    ss_study_def def    = {.find_scene = find};
    ss_study    *study  = NULL;
    ss_status    status = ss_study_load_text(ctx, text, strlen(text), "study.yaml", &def, &study);
    if (status != SS_OK) {
        print_error("%s\n", ss_context_message(ctx));
    }
    assert_int_equal(status, SS_OK);
    return study;
}

static double value(const ss_trials *t, int64_t trial, const char *measure)
{
    ss_trial row;
    assert_true(ss_trials_get(t, trial, &row));
    for (int32_t i = 0; i < ss_study_measure_count(ss_trials_study(t)); i++) {
        if (strcmp(ss_study_measure_name(ss_trials_study(t), i), measure) == 0) {
            return row.measures[i];
        }
    }
    fail_msg("no measure %s", measure);
    return NAN;
}

static ss_trials *sweep(ss_context *ctx, const ss_study *s, int32_t threads)
{
    ss_sweep_def def = {.threads = threads};
    ss_trials   *t   = NULL;
    assert_int_equal(ss_study_sweep(ctx, s, &def, &t), SS_OK);
    return t;
}

static void measures_agree_with_closed_answers(void **unused)
{
    (void)unused;
    ss_context *ctx = ss_context_create(NULL);
    ss_study   *s   = load(ctx, "study: sweep\nscene: block\n"
                                    "vary: {params.v0: {list: [0.5, 1]}}\n"
                                    "stop: at_rest(0.05)\n"
                                    "measure:\n"
                                    "  distance: x('box')\n"
                                    "  fastest: max(vx('box'))\n"
                                    "  slowest: min(vx('box'))\n"
                                    "  mean: mean(vx('box'))\n"
                                    "  stopped: verdict == 'stopped'\n"
                                    "  ended: time\n"
                                    "  at_tenth: at(0.1, vx('box'))\n"
                                    "  never: at(50, vx('box'))\n"
                                    "  periods: period_mean(0.1, vx('box'))\n"
                                    "  touching: touches('floor', 'box')\n"
                                    "  weight: force('box', 'floor')\n"
                                    "  speed0: v0\n"
                                    "  larger: max(1, v0, 0.25)\n"
                                    "  seen: x('floor', 'box')\n");
    ss_trials  *t   = sweep(ctx, s, 1);
    for (int64_t i = 0; i < 2; i++) {
        double v0 = i == 0 ? 0.5 : 1, stop = v0 / 2.5;
        /* the scheme's sum of speeds is off by half a step's worth */
        assert_true(fabs(value(t, i, "distance") - v0 * v0 / 5) < 0.51e-3 * v0);
        assert_true(value(t, i, "fastest") == v0);
        assert_true(fabs(value(t, i, "slowest")) < 1e-12);
        assert_true(value(t, i, "stopped") == 1);
        assert_true(fabs(value(t, i, "ended") - stop - 0.05) < 2.1e-3);
        assert_true(fabs(value(t, i, "mean") * value(t, i, "ended") - v0 * v0 / 5) < 1e-3);
        assert_true(fabs(value(t, i, "at_tenth") - (v0 - 0.25)) < 1e-9);
        assert_true(isnan(value(t, i, "never")));
        double whole = floor(value(t, i, "ended") / 0.1 + 1e-9) * 0.1;
        double way   = whole < stop ? v0 * whole - 1.25 * whole * whole : v0 * v0 / 5;
        assert_true(fabs(value(t, i, "periods") * whole - way) < 1e-6);
        assert_true(value(t, i, "touching") == 1);
        assert_true(fabs(value(t, i, "weight") - 10) < 1e-9);
        assert_true(value(t, i, "speed0") == v0 && value(t, i, "larger") == 1);
        assert_true(fabs(value(t, i, "seen") + value(t, i, "distance")) < 1e-12);
    }
    ss_trials_destroy(t);
    ss_study_destroy(s);
    ss_context_destroy(ctx);
}

/* Means, deviations and correlation of what is drawn, and strata of the two other samplings. */
static void samples_have_their_distributions(void **unused)
{
    enum { N = 4000 };
    (void)unused;
    static const char *const ways[] = {"random", "latin", "sobol"};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "study: sweep\nscene: block\nseed: 3\ntrials: %d\nsampling: %s\n"
                 "vary:\n"
                 "  params.mu: {lognormal: [-1.5, 0.1]}\n"
                 "  params.v0: {normal: [2, 0.5]}\n"
                 "  bodies.box.angle: {uniform: [0, 0.001]}\n"
                 "  bodies.box.velocity: {direction: 3}\n"
                 "correlation: [{between: [params.mu, params.v0], value: 0.6}]\n",
                 (int)N, ways[k]);
        ss_context *ctx     = ss_context_create(NULL);
        ss_study   *s       = load(ctx, text);
        double      mean[5] = {0}, product = 0, square[2] = {0};
        char        strata[N] = {0};
        int         full      = 0;
        assert_int_equal(ss_study_input_count(s), 5);
        for (int64_t i = 0; i < N; i++) {
            double x[5];
            assert_int_equal(ss_study_sample(s, i, x), SS_OK);
            double a = (log(x[0]) + 1.5) / 0.1, b = (x[1] - 2) / 0.5;
            product += a * b / N;
            square[0] += a * a / N;
            square[1] += b * b / N;
            for (int c = 0; c < 5; c++) {
                mean[c] += x[c] / N;
            }
            strata[(int)(x[2] / 0.001 * N)] = 1;
            assert_true(fabs(hypot(x[3], x[4]) - 3) < 1e-12);
        }
        for (int i = 0; i < N; i++) {
            full += strata[i];
        }
        assert_true(fabs(product - 0.6) < 0.08 && fabs(square[0] - 1) < 0.12);
        assert_true(fabs(square[1] - 1) < 0.12 && fabs(mean[1] - 2) < 0.04);
        assert_true(fabs(mean[2] - 0.0005) < 0.00003 && fabs(mean[3]) < 0.2 && fabs(mean[4]) < 0.2);
        assert_true(k == 0 ? full < 0.7 * N : k == 1 ? full == N : full > 0.8 * N);
        ss_study_destroy(s);
        ss_context_destroy(ctx);
    }
}

/* Supports hold the centre of mass; rotations are unit quaternions. */
static void supports_and_choices_make_sense(void **unused)
{
    (void)unused;
    ss_context *ctx   = ss_context_create(NULL);
    ss_study   *s     = load(ctx, "study: sweep\nscene: block\ntrials: 200\n"
                                        "set: {gravity: [0, 0], bodies.box.support.friction: 0.3}\n"
                                        "vary:\n"
                                        "  bodies.box.support.points: {support: {radius: 0.05}}\n"
                                        "  simulation.solver: {choice: [auto, lemke]}\n"
                                        "  bodies.box.position: {list: [[0, 0.05], [1, 0.05]]}\n");
    int         lemke = 0;
    assert_int_equal(ss_study_trials(s), 400);
    assert_string_equal(ss_study_input_name(s, 0), "bodies.box.support.points.0.0");
    for (int64_t i = 0; i < 400; i++) {
        double x[16];
        assert_int_equal(ss_study_sample(s, i, x), SS_OK);
        double a = x[0] * x[3] - x[1] * x[2], b = x[2] * x[5] - x[3] * x[4];
        double c = x[4] * x[1] - x[5] * x[0];
        assert_true((a > 0) == (b > 0) && (b > 0) == (c > 0));
        assert_true(hypot(x[0], x[1]) <= 0.05 && hypot(x[2], x[3]) <= 0.05);
        lemke += strcmp(ss_study_input_text(s, 6, x[6]), "lemke") == 0;
        assert_true(x[7] == (i < 200 ? 0 : 1));
    }
    assert_true(lemke > 150 && lemke < 250);
    ss_study_destroy(s);
    ss_context_destroy(ctx);
}

/* A trial that cannot be is a row with its reason, and the others are computed. */
static void failed_trials_are_rows(void **unused)
{
    (void)unused;
    ss_context *ctx = ss_context_create(NULL);
    ss_study   *s   = load(ctx, "study: sweep\nscene: block\n"
                                    "vary: {bodies.box.mass: {grid: [-1, 2, 4]}}\n"
                                    "measure: {far: x('box') > 0.1}\n");
    ss_trials  *t   = sweep(ctx, s, 2);
    ss_trial    row;
    assert_int_equal(ss_trials_count(t, SS_TRIAL_FAILED), 2);
    assert_int_equal(ss_trials_count(t, SS_TRIAL_DONE), 2);
    assert_true(ss_trials_get(t, 0, &row));
    assert_non_null(strstr(row.message, "mass must be > 0, got -1"));
    assert_true(isnan(row.measures[0]));
    ss_estimate e = ss_trials_estimate(t, 0, -1);
    assert_int_equal(e.count, 2);
    assert_true(e.mean == 1 && e.low > 0.3 && e.low < 0.35 && e.high == 1); /* Wilson, 2 of 2 */
    assert_false(ss_trials_get(t, 4, &row));
    assert_false(ss_trials_get(NULL, 0, &row));
    ss_trials_destroy(t);
    ss_study_destroy(s);
    ss_context_destroy(ctx);
}

/* Same bits for every number of threads, and in a replay. */
static void threads_change_no_bit(void **unused)
{
    (void)unused;
    ss_context *ctx = ss_context_create(NULL);
    ss_study   *s =
        load(ctx, "study: sweep\nscene: block\nseed: 5\ntrials: 20\n"
                  "vary: {params.mu: {uniform: [0.1, 0.9]}, params.v0: {grid: [0.5, 1, 2]}}\n"
                  "stop: at_rest(0.01)\n"
                  "measure: {x: x('box'), v: mean(speed('box'))}\n");
    ss_trials *one = sweep(ctx, s, 1), *four = sweep(ctx, s, 4);
    for (int64_t i = 0; i < ss_study_trials(s); i++) {
        ss_trial a, b, c = {.inputs = (double[2]){0}, .measures = (double[2]){0}};
        assert_true(ss_trials_get(one, i, &a) && ss_trials_get(four, i, &b));
        assert_memory_equal(a.inputs, b.inputs, 2 * sizeof(double));
        assert_memory_equal(a.measures, b.measures, 2 * sizeof(double));
        assert_true(a.status == b.status && a.residual == b.residual && a.steps == b.steps);
        if (i % 13 == 0) {
            assert_int_equal(ss_study_replay(ctx, s, i, NULL, 0, NULL, &c), SS_OK);
            assert_memory_equal(a.measures, c.measures, 2 * sizeof(double));
        }
    }
    ss_trials_destroy(one);
    ss_trials_destroy(four);
    ss_study_destroy(s);
    ss_context_destroy(ctx);
}

/* A measure in C: how many steps the box moved. */
typedef struct counter {
    int steps;
} counter;

static ss_status count_step(void *state, void *user, const ss_model *m, const ss_data *d)
{
    counter      *c = state;
    ss_body_state s;
    (void)user;
    SS_TRY(ss_data_body(m, d, 1, &s));
    c->steps += s.velocity.x > 1e-9;
    return SS_OK;
}

static ss_status give_count(void *state, void *user, const ss_model *m, const ss_data *d,
                            const ss_run_result *result, double *out)
{
    (void)user, (void)m, (void)d, (void)result;
    *out = ((counter *)state)->steps;
    return SS_OK;
}

static void measures_can_be_written_in_c(void **unused)
{
    (void)unused;
    static const ss_measure_class moving = {"moving", sizeof(counter), NULL, count_step,
                                            give_count};
    ss_context                   *ctx    = ss_context_create(NULL);
    ss_study *s = load(ctx, "study: sweep\nscene: block\nvary: {params.v0: {list: [0.5, 1]}}\n");
    assert_int_equal(ss_study_add_measure(s, &moving, NULL), SS_OK);
    assert_int_equal(ss_study_add_measure(s, &moving, NULL), SS_ERR_ARGUMENT);
    ss_trials *t = sweep(ctx, s, 2);
    assert_true(value(t, 0, "moving") == 200 && value(t, 1, "moving") == 400);
    ss_trials_destroy(t);
    ss_study_destroy(s);
    ss_context_destroy(ctx);
}

/* What is wrong is said with file and line. */
/* Ishigami's function of three uniform numbers has indices in closed form; a = 7, b = 0.1. The
   fourth number, a direction, is drawn from several coordinates and has no part in it. */
static void sobol_indices_are_those_of_ishigami(void **unused)
{
    static const char text[] =
        "study: sweep\nname: shares\nscene: block\nseed: 3\nsampling: saltelli\n"
        "vary:\n"
        "  bodies.box.mass: {list: [1, 2]}\n"
        "  params.mu: {uniform: [0, 1]}\n"
        "  params.v0: {uniform: [0, 1]}\n"
        "  bodies.box.position.0: {uniform: [0, 1]}\n"
        "  gravity: {direction: 1}\n"
        "trials: 6144\n"
        "stop: \"true\"\n"
        "measure:\n"
        "  f: \"sin(pi*(2*mu - 1))*(1 + 0.1*(pi*(2*at(0, x('box')) - "
        "1))^4) + 7*sin(pi*(2*v0 - 1))^2\"\n"
        "  same: \"1\"\n";
    static const double first[] = {0.3139, 0.4424, 0, 0}, total[] = {0.5576, 0.4424, 0.2437, 0};
    ss_context         *ctx   = ss_context_create(NULL);
    ss_study           *study = load(ctx, text);
    ss_trials          *t     = sweep(ctx, study, 1);
    ss_sensitivity      x;
    (void)unused;
    assert_int_equal(ss_study_sensitivity_count(study), 4);
    assert_string_equal(ss_study_sensitivity_name(study, 3), "gravity");
    assert_null(ss_study_sensitivity_name(study, 4));
    for (int32_t i = 0; i < 4; i++) {
        assert_true(ss_trials_sensitivity(t, 0, i, &x));
        print_message("%s: %.3f (%.3f .. %.3f), %.3f (%.3f .. %.3f)\n",
                      ss_study_sensitivity_name(study, i), x.first, x.first_low, x.first_high,
                      x.total, x.total_low, x.total_high);
        assert_int_equal(x.rows, 2048);
        assert_true(first[i] >= x.first_low - 1e-9 && first[i] <= x.first_high + 1e-9);
        assert_true(total[i] >= x.total_low - 1e-9 && total[i] <= x.total_high + 1e-9);
        assert_true(fabs(x.first - first[i]) < 0.05 && fabs(x.total - total[i]) < 0.05);
    }
    assert_false(ss_trials_sensitivity(t, 1, 0, &x)); /* it does not vary */
    ss_trials_destroy(t);
    ss_study_destroy(study);
    ss_context_destroy(ctx);
}

static void bad_studies_are_refused(void **unused)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"study: swep\nscene: block\n", "study.yaml:1:8: study must be one of sweep"},
        {"study: sweep\nscene: block\nvry: 1\n", "study.yaml:3:6: there is no key 'vry' here"},
        {"study: sweep\nscene: none\n", "study.yaml:2:8: none: cannot be opened"},
        {"study: sweep\nscene: block\nvary: {params.mu: {uniform: [2, 1]}}\n",
         "must not lie above"},
        {"study: sweep\nscene: block\nvary: {params.mu: {unifrm: [2, 1]}}\n", "'uniform'?"},
        {"study: sweep\nscene: block\nvary: {params.mu: {grid: [1, 2, 0]}}\n", "from 1, got 0"},
        {"study: sweep\nscene: block\nvary: {bodies.box.mas: {list: [1]}}\n", "mean 'mass'?"},
        {"study: sweep\nscene: block\nmeasure: {a: x('bx')}\n",
         "study.yaml:3:14: measure 'a': expression 'x('bx')': there is no body 'bx'"},
        {"study: sweep\nscene: block\nmeasure: {a: \"max(mean(x('box')))\"}\n",
         "cannot stand inside"},
        {"study: sweep\nscene: block\nmeasure: {a: x('box}\n", "study.yaml"},
        {"study: sweep\nscene: block\nmeasure: {a: t}\n", "the time is called 'time'"},
        {"study: sweep\nscene: block\nmeasure: {status: time}\n", "choose another name"},
        {"study: sweep\nscene: block\nstop: x('box') >\n", "study.yaml:3:7: stop: expression"},
        {"study: sweep\nscene: block\nstop: \"at_rest(0)\"\n", "must be > 0, got 0"},
        {"study: sweep\nscene: block\ntrials: 1.5\n", "whole number"},
        {"study: sweep\nscene: block\nvary: {bodies.box.mass: {list: [-1, -2]}}\n",
         "mass must be > 0"},
        {"study: sweep\nscene: block\nvary: {params.mu: {normal: [1, 1]}, params.v0: {normal: [1, "
         "1]}}\ncorrelation: [{between: [params.mu, params.v0], value: 1}]\n",
         "not positive definite"},
        {"study: sweep\nscene: block\nsampling: saltelli\ntrials: 6\n", "no value is random"},
        {"study: sweep\nscene: block\nsampling: saltelli\ntrials: 7\n"
         "vary: {params.mu: {uniform: [0, 1]}}\n",
         "study.yaml:5:7: sampling: saltelli takes rows of 3 trials"},
        {"study: sweep\nscene: block\nsampling: saltelli\ntrials: 8\n"
         "vary: {params.mu: {normal: [1, 1]}, params.v0: {normal: [1, 1]}}\n"
         "correlation: [{between: [params.mu, params.v0], value: 0.1}]\n",
         "indices are those of independent values"},
        {"study: sweep\nscene: .\n", "study.yaml:2:8: .: "},
        {"study: sweep\nscene: /dev/null/x\n", "study.yaml:2:8: /dev/null/x: cannot be opened"},
        {"study: sweep\nscene: block\nvary: {a: {table: none.csv}}\n",
         "study.yaml:3:19: vary 'a': none.csv: cannot be opened"},
        {"study: sweep\nscene: block\nvary: {a: {table: .}}\n", "study.yaml:3:19: vary 'a': .: "},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ss_context  *ctx   = ss_context_create(NULL);
        ss_study_def def   = {.find_scene = find};
        ss_study    *study = NULL;
        assert_int_equal(
            ss_study_load_text(ctx, bad[i].text, strlen(bad[i].text), "study.yaml", &def, &study),
            SS_ERR_INPUT);
        if (strstr(ss_context_message(ctx), bad[i].message) == NULL) {
            fail_msg("%s\ndoes not say: %s", ss_context_message(ctx), bad[i].message);
        }
        ss_context_destroy(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_agree_with_closed_answers),
        cmocka_unit_test(samples_have_their_distributions),
        cmocka_unit_test(supports_and_choices_make_sense),
        cmocka_unit_test(failed_trials_are_rows),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(measures_can_be_written_in_c),
        cmocka_unit_test(sobol_indices_are_those_of_ishigami),
        cmocka_unit_test(bad_studies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
