/* SPDX-License-Identifier: Apache-2.0 */
/* Which experiment tells most: against information that is written down by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"
#include "stickslip/stickslip.h"

/* Nothing touches: x = x0 + v0 t + push t^2/2, whatever the values are. */
static const char flight[] =
    "dimension: 2\n"
    "params: {push: 0, idle: 0}\n"
    "gravity: [0, 0]\n"
    "bodies: [{name: box, type: particle, mass: 1, shape: {point: {}}, velocity: [0.5, 0]}]\n"
    "forces: [{name: f, type: constant, body: box, force: [push, 0]}]\n"
    "simulation: {step: 0.05, duration: 2}\n";

static const char slides[] =
    "dimension: 2\n"
    "params: {mu: 0.5, v0: 1}\n"
    "gravity: [0, -10]\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
    "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}},\n"
    "     position: [0, 0.05], velocity: [v0, 0]}\n"
    "simulation: {step: 0.02, duration: 2}\n";

static bool find(void *user, const char *name, const char **text, size_t *length)
{
    (void)user;
    *text   = strcmp(name, "flight") == 0 ? flight : slides;
    *length = strlen(*text);
    return true;
}

typedef struct work {
    ss_context    *ctx;
    ss_study      *study;
    ss_excitation *e;
} work;

static ss_status try_excite(work *w, const char *text, int threads)
{
    ss_study_def    def = {.find_scene = find};
    ss_identify_def how = {.threads = threads};
    *w                  = (work){.ctx = ss_context_create(NULL)};
    SS_TRY(ss_study_load_text(w->ctx, text, strlen(text), "study.yaml", &def, &w->study));
    return ss_study_excite(w->ctx, w->study, &how, &w->e);
}

static void excite(work *w, const char *text)
{
    if (try_excite(w, text, 1) != SS_OK) {
        fail_msg("%s", ss_context_message(w->ctx));
    }
}

static void drop(work *w)
{
    ss_excitation_destroy(w->e);
    ss_study_destroy(w->study);
    ss_context_destroy(w->ctx);
}

/* The information on push of n samples dt apart; start: x0 and v0 are not known either. */
static double by_hand(int n, double dt, double sigma, bool start)
{
    double s[5] = {0};
    for (int i = 0; i < n; i++) {
        double t = i * dt, power = 1;
        for (int k = 0; k < 5; k++, power *= t) {
            s[k] += power / (sigma * sigma);
        }
    }
    double a = s[0], b = s[1], c = s[2], p = s[2] / 2, q = s[3] / 2, det = a * c - b * b;
    return s[4] / 4 - (start ? (p * p * c - 2 * p * q * b + q * q * a) / det : 0);
}

#define DATA "data: {columns: {t: time, box.x: px}}\nnoise: {position: 0.001}\n"

static void linear_information_is_what_algebra_says(void **unused)
{
    (void)unused;
    for (int start = 0; start < 2; start++) {
        work w;
        bool told;
        char text[512];
        snprintf(text, sizeof text,
                 "study: identify\nscene: flight\n" DATA
                 "free: {params.push: {bounds: [-1, 1]}, params.idle: {bounds: [0, 1]}}\n%s"
                 "excite: {rate: 20, duration: 1, points: 3, inputs: [{name: one}, {name: two}]}\n",
                 start != 0 ? "nuisance: {start: {box: [x, vx]}}\n" : "");
        excite(&w, text);
        double     F = by_hand(21, 0.05, 1e-3, start != 0), prior = 4.0 / 12;
        ss_excited one, two;
        assert_true(ss_excitation_get(w.e, 0, &one) && ss_excitation_get(w.e, 1, &two));
        assert_near(ss_excitation_deviation(w.e, 0, 0, &told) / sqrt(1 / (F + 1 / prior)), 1, 1e-5);
        assert_true(told);
        assert_near(one.gain, log2(1 + F * prior) / 2, 1e-5);
        assert_near(two.sum, log2(1 + 2 * F * prior) / 2, 1e-5);
        assert_true(one.place == 0 && two.place == 1 && one.failed == 0);
        (void)ss_excitation_deviation(w.e, 0, 1, &told);
        assert_false(told); /* nothing depends on it */
        assert_string_equal(ss_excitation_value(w.e, 1), "params.idle");
        assert_null(ss_excitation_value(w.e, 2));
        drop(&w);
    }
}

/* What does not slide tells nothing; what slides longer tells more. */
static void sliding_tells_friction(void **unused)
{
    static const char study[] =
        "study: identify\nscene: slides\n" DATA "free: {params.mu: {bounds: [0.05, 1]}}\n"
        "nuisance: {start: {box: [x, vx]}}\n"
        "excite: {rate: 50, duration: 1, points: 8, inputs: [{name: still, set: {params.v0: 0}}, "
        "{name: slow, set: {params.v0: 0.4}}, {name: fast, set: {params.v0: 3}}]}\n";
    work       w;
    bool       told;
    ss_excited still, slow, fast;
    double     before = 0;
    (void)unused;
    for (int threads = 1; threads <= 3; threads += 2) {
        assert_int_equal(try_excite(&w, study, threads), SS_OK);
        ss_excitation_get(w.e, 0, &still);
        ss_excitation_get(w.e, 1, &slow);
        ss_excitation_get(w.e, 2, &fast);
        assert_true(fast.place == 0 && fast.gain > slow.gain + 1 && slow.gain > still.gain + 0.5);
        assert_near(still.gain, 0, 0.1);
        (void)ss_excitation_deviation(w.e, 0, 0, &told);
        assert_false(told);
        assert_true(threads == 1 || memcmp(&before, &slow.gain, sizeof before) == 0);
        before = slow.gain;
        drop(&w);
    }
}

static void mistakes_have_a_place(void **unused)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {DATA, "`excite` is missing"},
        {DATA "excite: {rate: 50, duration: 1}\n", "inputs"},
        {DATA "excite: {rate: 50, duration: 1, inputs: []}\n", "there is none"},
        {DATA "excite: {rate: 0, duration: 1, inputs: [{name: a}]}\n", "rate"},
        {DATA "excite: {rate: 1, duration: 0.5, inputs: [{name: a}]}\n", "samples"},
        {DATA "excite: {rate: 9, duration: 1, inputs: [{name: a, set: {params.none.x: 1}}]}\n",
         "none"},
        {"data: {columns: {t: time, box.x: px}}\n"
         "excite: {rate: 9, duration: 1, inputs: [{name: a}]}\n",
         "`noise` must say it"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        work w;
        char text[1024];
        snprintf(text, sizeof text,
                 "study: identify\nscene: slides\nfree: {params.mu: {bounds: [0.05, 1]}}\n%s",
                 cases[i].text);
        assert_int_equal(try_excite(&w, text, 1), SS_ERR_INPUT);
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
        cmocka_unit_test(linear_information_is_what_algebra_says),
        cmocka_unit_test(sliding_tells_friction),
        cmocka_unit_test(mistakes_have_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
