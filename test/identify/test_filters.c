/* SPDX-License-Identifier: Apache-2.0 */
/* Methods window and particles, on recordings that were computed by formulas. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "near.h"
#include "random.h"
#include "stickslip/stickslip.h"
#include "study/quantile.h"

static const char block[] =
    "dimension: 2\n"
    "params: {mu: 0.5, push: 0}\n"
    "gravity: [0, -10]\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
    "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}},\n"
    "     position: [0, 0.05], velocity: [1, 0]}\n"
    "simulation: {step: 0.02, duration: 2}\n";

/* Nothing touches: all is linear. */
static const char flight[] = "dimension: 2\n"
                             "params: {push: 0}\n"
                             "gravity: [0, 0]\n"
                             "bodies: [{name: box, type: particle, mass: 1, shape: {point: {}}}]\n"
                             "forces: [{name: f, type: constant, body: box, force: [push, 0]}]\n"
                             "simulation: {step: 0.05, duration: 2}\n";

static bool find(void *user, const char *name, const char **text, size_t *length)
{
    (void)user;
    *text   = strcmp(name, "flight") == 0 ? flight : block;
    *length = strlen(*text);
    return true;
}

static char folder[] = "/tmp/test_filters_XXXXXX";

/* Where a block is that began with v0; friction is `late` from `when` on. */
static double slid(double mu, double late, double when, double v0, double t)
{
    double first = fmin(t, when), stop = v0 / (mu * 10);
    first    = fmin(first, stop);
    double x = v0 * first - mu * 5 * first * first, v = v0 - mu * 10 * first;
    if (t > when && v > 0) {
        double rest = fmin(t - when, v / (late * 10));
        x += v * rest - late * 5 * rest * rest;
    }
    return x;
}

typedef struct truth {
    double mu, late, when, v0, noise, push; /* push > 0: flight */
    int    samples;
    double rate;
} truth;

static void record(const truth *c, uint64_t seed)
{
    char path[256];
    snprintf(path, sizeof path, "%s/one.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "time,px\n");
    for (int i = 0; i < c->samples; i++) {
        double t = i / c->rate;
        double x =
            c->push > 0 ? c->v0 * t + c->push * t * t / 2 : slid(c->mu, c->late, c->when, c->v0, t);
        x += c->noise * ss_normal_quantile(random_between(&seed, 1e-12, 1 - 1e-12));
        fprintf(file, "%.17g,%.17g\n", t, x);
    }
    fclose(file);
}

typedef struct work {
    ss_context        *ctx;
    ss_study          *study;
    ss_identification *id;
} work;

static ss_status try_identify(work *w, const char *text, int threads)
{
    char         name[256];
    ss_study_def def = {.find_scene = find};
    *w               = (work){.ctx = ss_context_create(NULL)};
    snprintf(name, sizeof name, "%s/study.yaml", folder);
    SS_TRY(ss_study_load_text(w->ctx, text, strlen(text), name, &def, &w->study));
    ss_identify_def how = {.threads = threads};
    return ss_study_identify(w->ctx, w->study, &how, &w->id);
}

static ss_identified identify(work *w, const char *text)
{
    ss_identified a;
    if (try_identify(w, text, 1) != SS_OK) {
        fail_msg("%s", ss_context_message(w->ctx));
    }
    assert_true(ss_identification_get(w->id, 0, 0, &a));
    return a;
}

static void drop(work *w)
{
    ss_identification_destroy(w->id);
    ss_study_destroy(w->study);
    ss_context_destroy(w->ctx);
}

static bool is_told(const work *w, const char *what)
{
    const char *text = "";
    for (int32_t i = 0; (text = ss_identification_warning(w->id, 0, i)) != NULL; i++) {
        if (strstr(text, what) != NULL) {
            return true;
        }
    }
    return false;
}

#define HEAD(scene) "study: identify\nscene: " scene "\nseed: 3\n"
#define DATA                                                                                       \
    "data: {files: [one.csv], columns: {t: time, box.x: px}}\nnuisance: {start: {box: [x, "        \
    "vx]}}\n"
#define MU    "free: {params.mu: {bounds: [0, 1, 0.6]}}\n"
#define NOISE "noise: {position: 0.001}\n"

static const truth slides = {
    .mu = 0.2, .v0 = 1.5, .when = INFINITY, .noise = 1e-3, .samples = 45, .rate = 50};

/* The normal equations of x(t) = x0 + v0 t + push t^2/2 with the filters' wide starts, by Gauss. */
static void linear_answer(const truth *c, double *value, double *deviation)
{
    char   path[256], line[128];
    double A[3][4] = {{0}}, sigma = 1e-3, y[100] = {0}, T = 4 / c->rate, slope[2], mean[2];
    snprintf(path, sizeof path, "%s/one.csv", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (int i = 0; i < c->samples; i++) {
        double t, x;
        assert_int_equal(fscanf(file, "%lf,%lf", &t, &x), 2);
        double row[4] = {1, t, t * t / 2, x};
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 4; b++) {
                A[a][b] += row[a] * row[b] / (sigma * sigma);
            }
        }
        y[i] = x;
    }
    fclose(file);
    for (int k = 0; k < 2; k++) { /* lines through five samples each */
        const double *z = y + 5 * k;
        slope[k]        = (2 * (z[4] - z[0]) + z[3] - z[1]) / 10 * c->rate;
    }
    mean[1]         = slope[0];
    mean[0]         = (y[0] + y[1] + y[2] + y[3] + y[4]) / 5 - slope[0] * T / 2;
    double start[2] = {3 * sigma + fabs(slope[1] - slope[0]) * T / 6,
                       3 * sqrt(12.0 / 5) * sigma / T + fabs(slope[1] - slope[0])};
    for (int a = 0; a < 2; a++) {
        A[a][a] += 1 / (start[a] * start[a]);
        A[a][3] += mean[a] / (start[a] * start[a]);
    }
    for (int a = 0; a < 2; a++) {
        for (int b = a + 1; b < 3; b++) {
            double f = A[b][a] / A[a][a];
            for (int k = 0; k < 4; k++) {
                A[b][k] -= f * A[a][k];
            }
        }
    }
    *value     = A[2][3] / A[2][2];
    *deviation = 1 / sqrt(A[2][2]);
}

/* Where all is linear, windows of all samples and particles are what linear algebra says. */
static void linear_problems_have_their_answer(void **unused)
{
    static const char *const ways[] = {
        "method: {name: window, samples: all, every: 7}\n",
        "method: {name: window, samples: 6, arrival: all}\n",
        "method: {name: particles, kind: rao-blackwell, particles: 300}\n",
        "method: {name: particles, particles: 2000}\n",
    };
    static const double near[] = {1e-3, 1e-3, 0.25, 0.35}; /* of a deviation */
    truth               c      = {.push = 2, .v0 = 0.5, .noise = 1e-3, .samples = 30, .rate = 20};
    double              value, deviation;
    (void)unused;
    record(&c, 5);
    linear_answer(&c, &value, &deviation);
    for (int i = 0; i < 4; i++) {
        work w;
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD("flight") DATA NOISE "free: {params.push: {bounds: [-5, 5, 0]}}\n%s",
                 ways[i]);
        ss_identified a = identify(&w, text);
        assert_near(a.value, value, near[i] * deviation);
        assert_near(a.deviation / deviation, 1, near[i]);
        assert_int_equal(a.determined, SS_DETERMINED_BOTH);
        drop(&w);
    }
}

/* Through sliding and stopping, too, all methods agree on what least squares say. */
static void methods_agree_on_friction(void **unused)
{
    static const char *const ways[] = {
        "method: {name: window, samples: all, every: 11}\n",
        "method: {name: window, samples: 15, arrival: all}\n",
        "method: particles\n",
        "method: {name: particles, kind: rao-blackwell, particles: 200}\n",
    };
    work w;
    (void)unused;
    record(&slides, 9);
    ss_identified all = identify(&w, HEAD("block") DATA MU NOISE);
    drop(&w);
    for (int i = 0; i < 4; i++) {
        char text[1024];
        snprintf(text, sizeof text, HEAD("block") DATA MU NOISE "%s", ways[i]);
        ss_identified a = identify(&w, text);
        assert_near(a.value, all.value, all.deviation);
        assert_near(a.deviation / all.deviation, 1, 0.5);
        assert_false(is_told(&w, "the filter"));
        drop(&w);
    }
}

/* Longer windows scatter less. */
static void longer_windows_scatter_less(void **unused)
{
    double before = INFINITY;
    (void)unused;
    record(&slides, 4);
    for (int k = 6; k <= 24; k *= 2) {
        work w;
        char text[1024];
        int  count = 0;
        snprintf(text, sizeof text,
                 HEAD("block") DATA MU NOISE "method: {name: window, samples: %d}\n", k);
        identify(&w, text);
        double squares = 0;
        for (int32_t i = 0; i < ss_identification_moment_count(w.id, 0); i++) {
            ss_identified_moment m;
            assert_true(ss_identification_moment(w.id, 0, i, &m));
            if (m.samples == k && m.t < 0.6) {
                squares += (m.value[0] - 0.2) * (m.value[0] - 0.2);
                count++;
            }
        }
        assert_true(count > 3 && sqrt(squares / count) < 0.7 * before);
        before = sqrt(squares / count);
        drop(&w);
    }
}

/* No particle leaves its bounds, none is put on them, however near the truth is. */
static void bounded_values_stay_inside(void **unused)
{
    work  w;
    truth c = slides;
    (void)unused;
    c.mu = 0.01;
    record(&c, 8);
    ss_identified a =
        identify(&w, HEAD("block") DATA MU NOISE "method: {name: particles, drift: 0.2}\n");
    assert_true(a.value < 0.1 && a.low >= 0);
    assert_string_equal(ss_identification_moment_name(w.id, 0, 0), "params.mu");
    assert_string_equal(ss_identification_moment_name(w.id, 0, 2), "box.vx");
    assert_null(ss_identification_moment_name(w.id, 0, 3));
    for (int32_t i = 0; i < ss_identification_moment_count(w.id, 0); i++) {
        ss_identified_moment m;
        assert_true(ss_identification_moment(w.id, 0, i, &m));
        assert_true(m.kept == 50 && m.count == 3 && m.effective >= 1 && m.effective <= 1000.5);
        for (int32_t k = 0; k < m.kept; k++) {
            assert_true(m.cloud[k * m.count] > 0 && m.cloud[k * m.count] < 1);
        }
    }
    drop(&w);
}

/* What does not slide has no friction, whatever the method. */
static void rest_tells_nothing(void **unused)
{
    static const char *const ways[] = {"method: window\n",
                                       "method: {name: particles, particles: 300}\n"};
    truth                    c      = slides;
    (void)unused;
    c.v0      = 0;
    c.samples = 25;
    record(&c, 8);
    for (int i = 0; i < 2; i++) {
        work w;
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD("block") MU NOISE
                 "set: {bodies.box.velocity: [0, 0]}\n"
                 "data: {files: [one.csv], columns: {t: time, box.x: px}}\n%s",
                 ways[i]);
        assert_int_equal(identify(&w, text).determined, SS_DETERMINED_NOT);
        assert_true(is_told(&w, "not determined"));
        drop(&w);
    }
}

/* Too few particles, or none that moves, are told, not believed. */
static void poor_filters_are_told(void **unused)
{
    work w;
    (void)unused;
    record(&slides, 8);
    identify(&w, HEAD("block") DATA MU NOISE "method: {name: particles, particles: 20}\n");
    assert_true(is_told(&w, "effective"));
    assert_true(is_told(&w, "least squares over all samples say"));
    drop(&w);
    identify(&w,
             HEAD("block") DATA MU NOISE "method: {name: particles, particles: 300, kernel: 0}\n");
    assert_true(is_told(&w, "least squares over all samples say"));
    drop(&w);
    identify(&w, HEAD("block") DATA MU
             "noise: {position: 1e-4}\nmethod: {name: window, samples: all, every: 20}\n");
    assert_true(is_told(&w, "times the noise that is said to be known"));
    drop(&w);
}

/* Friction that changes on the way: windows say so, and drifting particles follow it. */
static void changes_are_seen(void **unused)
{
    work                 w;
    truth                c = slides;
    ss_identified_moment m = {0};
    (void)unused;
    c.mu    = 0.3;
    c.late  = 0.1;
    c.when  = 0.36;
    c.v0    = 2;
    c.noise = 3e-4;
    record(&c, 8);
    identify(&w, HEAD("block") DATA MU
             "noise: {position: 3e-4}\nmethod: {name: window, samples: 12}\n");
    assert_true(is_told(&w, "changes from window to window"));
    drop(&w);
    identify(&w, HEAD("block") DATA MU
             "noise: {position: 3e-4}\n"
             "method: {name: particles, kind: rao-blackwell, particles: 300, drift: 0.3}\n");
    for (int32_t i = 0; i < ss_identification_moment_count(w.id, 0); i++) {
        assert_true(ss_identification_moment(w.id, 0, i, &m));
        if (i == 17) {
            assert_near(m.value[0], 0.3, 0.06);
        }
    }
    assert_near(m.value[0], 0.1, 0.06);
    drop(&w);
}

/* The same bits for every number of threads. */
static void threads_change_nothing(void **unused)
{
    static const char *const ways[] = {
        "method: {name: window, samples: 8}\n",
        "method: {name: particles, particles: 100, process: {velocity: 0.01}}\n",
        "method: {name: particles, particles: 60, kind: rao-blackwell}\n"};
    (void)unused;
    record(&slides, 2);
    for (int i = 0; i < 3; i++) {
        double found[2][3];
        for (int k = 0; k < 2; k++) {
            work                 w;
            char                 text[1024];
            ss_identified_moment m;
            snprintf(text, sizeof text, HEAD("block") DATA MU NOISE "%s", ways[i]);
            assert_int_equal(try_identify(&w, text, 1 + 2 * k), SS_OK);
            ss_identification_moment(w.id, 0, ss_identification_moment_count(w.id, 0) - 1, &m);
            memcpy(found[k], m.value, sizeof found[k]);
            drop(&w);
        }
        assert_memory_equal(found[0], found[1], sizeof found[0]);
    }
}

/* Tables of estimates over time. */
static void estimates_are_written(void **unused)
{
    work w;
    char path[256], line[256];
    int  rows = 0;
    (void)unused;
    record(&slides, 2);
    identify(&w, HEAD("block") DATA MU NOISE "method: {name: window, samples: 10, every: 4}\n");
    snprintf(path, sizeof path, "%s/out.csv", folder);
    assert_int_equal(ss_identification_csv(w.id, 0, path), SS_OK);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "recording,t,samples,effective,name,value,deviation,low,high\n");
    while (fgets(line, sizeof line, file) != NULL) {
        assert_non_null(strstr(line, "one.csv,"));
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 3 * ss_identification_moment_count(w.id, 0));
    assert_int_equal(ss_identification_moment_count(w.id, 0), 11); /* samples 4, 8, .. 44 */
    drop(&w);
}

/* What is wrong is said with file and line. */
static void mistakes_have_a_place(void **unused)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"method: window\n", "`noise` must say it"},
        {NOISE "method: {name: window, particles: 50}\n", "method window has no `particles`"},
        {NOISE "method: {name: simulate, drift: 0.1}\n", "method simulate has no `drift`"},
        {NOISE "method: {name: window, samples: 1}\n", "from 2 on, or all"},
        {NOISE "method: {name: window, samples: 2.5}\n", "from 2 on, or all"},
        {NOISE "method: {name: particles, particles: 3}\n", "particles"},
        {NOISE "method: {name: particles, kind: kalman}\n", "kind"},
        {NOISE "method: {name: particles, process: {speed: 1}}\n", "speed"},
        {NOISE "method: particles\nloss: end\n", "compares paths"},
        {NOISE "method: particles\nconfidence: {bootstrap: 5}\n", "no folds, bootstrap or starts"},
    };
    (void)unused;
    record(&slides, 2);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        work w;
        char text[1024];
        snprintf(text, sizeof text, HEAD("block") DATA MU "%s", cases[i].text);
        assert_int_equal(try_identify(&w, text, 1), SS_ERR_INPUT);
        if (strstr(ss_context_message(w.ctx), cases[i].message) == NULL ||
            strstr(ss_context_message(w.ctx), "study.yaml") == NULL) {
            fail_msg("case %d: %s", (int)i, ss_context_message(w.ctx));
        }
        drop(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_problems_have_their_answer),
        cmocka_unit_test(methods_agree_on_friction),
        cmocka_unit_test(longer_windows_scatter_less),
        cmocka_unit_test(bounded_values_stay_inside),
        cmocka_unit_test(rest_tells_nothing),
        cmocka_unit_test(poor_filters_are_told),
        cmocka_unit_test(changes_are_seen),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(estimates_are_written),
        cmocka_unit_test(mistakes_have_a_place),
    };
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    int  failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return failed + (system(command) != 0);
}
