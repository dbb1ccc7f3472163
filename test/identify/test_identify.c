/* SPDX-License-Identifier: Apache-2.0 */
/* Identification from recordings that were computed by formulas, not by the engine. */
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
    "params: {mu: 0.5, v0: 1, idle: 1}\n"
    "gravity: [0, -10]\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
    "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}},\n"
    "     position: [0, 0.05], velocity: [v0, 0]}\n"
    "simulation: {step: 0.01, duration: 2}\n";

/* A ball whose impacts fall on steps. */
static const char ball[] =
    "dimension: 2\n"
    "params: {e: 0.5}\n"
    "gravity: [0, -10]\n"
    "materials: {default: {friction: 0, restitution: e}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
    "  - {name: ball, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: [0, 1.1]}\n"
    "simulation: {step: 0.01, duration: 1}\n";

/* A rod of 1 kg that turns about its end, with 0.11 kg m^2 about it, against dry friction. */
static const char pendulum[] =
    "dimension: 2\n"
    "params: {torque: 0.1}\n"
    "gravity: [0, -10]\n"
    "bodies:\n"
    "  - {name: rod, type: dynamic, mass: 1, inertia: 0.02, position: [0.3, 0],\n"
    "     shape: {box: {size: [0.6, 0.02]}}}\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, bodies: [world, rod], anchor: [0, 0], friction: torque}\n"
    "simulation: {step: 0.004, duration: 3}\n";

static bool find(void *user, const char *name, const char **text, size_t *length)
{
    (void)user;
    *text   = strcmp(name, "ball") == 0 ? ball : strcmp(name, "pendulum") == 0 ? pendulum : block;
    *length = strlen(*text);
    return true;
}

/* Where a block is that began with v0 and slides to rest. */
static double slid(double mu, double v0, double t)
{
    double stop = v0 / (mu * 10);
    t           = fmin(t, stop);
    return t < 0 ? v0 * t : v0 * t - mu * 10 * t * t / 2;
}

/* How recordings are made. */
typedef struct camera {
    double mu, v0, noise, delay, scale, offset;
    int    samples, gap; /* every gap-th sample is missing; 0: none */
    double rate;
} camera;

static char folder[] = "/tmp/test_identify_XXXXXX";

static void record(const char *name, const camera *c, uint64_t *seed)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "time,px,py\n");
    for (int i = 0; i < c->samples; i++) {
        double t = i / c->rate, n = 0;
        if (c->noise > 0) {
            n = c->noise * ss_normal_quantile(random_between(seed, 1e-12, 1 - 1e-12));
        }
        double x = c->scale * slid(c->mu, c->v0, t - c->delay) + c->offset + n;
        if (c->gap > 0 && i % c->gap == c->gap - 1) {
            fprintf(file, "%.17g,,nan\n", t);
        } else {
            fprintf(file, "%.17g,%.17g,0.05\n", t, x);
        }
    }
    fclose(file);
}

typedef struct work {
    ss_context        *ctx;
    ss_study          *study;
    ss_identification *id;
} work;

static ss_status try_identify(work *w, const char *text)
{
    char         name[256];
    ss_study_def def = {.find_scene = find};
    *w               = (work){.ctx = ss_context_create(NULL)};
    snprintf(name, sizeof name, "%s/study.yaml", folder);
    SS_TRY(ss_study_load_text(w->ctx, text, strlen(text), name, &def, &w->study));
    ss_identify_def how = {.threads = 1};
    return ss_study_identify(w->ctx, w->study, &how, &w->id);
}

static void identify(work *w, const char *text)
{
    if (try_identify(w, text) != SS_OK) {
        fail_msg("%s", ss_context_message(w->ctx));
    }
}

static void drop(work *w)
{
    ss_identification_destroy(w->id);
    ss_study_destroy(w->study);
    ss_context_destroy(w->ctx);
}

static ss_identified named(const work *w, const char *name)
{
    ss_identified a = {0};
    for (int32_t i = 0; i < ss_identification_count(w->id); i++) {
        assert_true(ss_identification_get(w->id, 0, i, &a));
        if (strcmp(a.name, name) == 0) {
            return a;
        }
    }
    fail_msg("there is no parameter '%s'", name);
    return a;
}

#define HEAD "study: identify\nscene: block\nseed: 3\n"
#define ONE                                                                                        \
    "data: {files: [one.csv], columns: {t: time, box.x: px}}\n"                                    \
    "nuisance: {start: {box: [x, vx]}}\n"
#define MU "free: {params.mu: {bounds: [0.02, 1, 0.6]}}\n"

static const camera clear = {.mu = 0.2, .v0 = 1.5, .scale = 1, .samples = 80, .rate = 100};

/* Without noise the values come out to rounding, whatever is missing. */
static void perfect_recordings_give_exact_values(void **unused)
{
    work   w;
    camera c = clear;
    (void)unused;
    c.gap = 7;
    record("one.csv", &c, NULL);
    identify(&w, HEAD ONE MU);
    ss_identified mu = named(&w, "params.mu"), v = named(&w, "start box.vx (one.csv)");
    assert_near(mu.value, 0.2, 1e-6);
    assert_near(v.value, 1.5, 1e-6);
    assert_int_equal(mu.determined, SS_DETERMINED_BOTH);
    assert_true(ss_identification_summarise(w.id, 0).samples == 80 - 11);
    drop(&w);
}

/* Delay, scale and offset of a camera are told apart from friction. */
static void cameras_are_found_beside(void **unused)
{
    work   w;
    camera c = clear, slow = clear;
    (void)unused;
    c.delay  = 0.013;
    c.scale  = 1.02;
    c.offset = 0.3;
    slow     = c;
    slow.v0  = 0.8;
    record("one.csv", &c, NULL);
    record("two.csv", &slow, NULL);
    identify(&w, HEAD "data: {columns: {t: time, box.x: px}, files: [{file: one.csv, set: "
                      "{params.v0: 1.5}}, {file: two.csv, set: {params.v0: 0.8}}]}\n" MU
                      "nuisance: {delay: {bounds: [-0.05, 0.05]}, length_scale: {bounds: [0.9, "
                      "1.1]}, offset: {axes: [x], bounds: [-1, 1]}}\n");
    assert_near(named(&w, "params.mu").value, 0.2, 1e-4);
    assert_near(named(&w, "delay").value, 0.013, 1e-4);
    assert_near(named(&w, "length_scale").value, 1.02, 1e-4);
    assert_near(named(&w, "offset x").value, 0.3, 1e-4);
    drop(&w);
}

/* What does not slide tells nothing of friction; an idle value tells nothing at all. */
static void what_is_not_seen_is_not_determined(void **unused)
{
    work     w;
    camera   c    = clear;
    uint64_t seed = 5;
    (void)unused;
    c.v0    = 0;
    c.noise = 1e-3;
    record("one.csv", &c, &seed);
    identify(&w, HEAD "set: {params.v0: 0}\ndata: {files: [one.csv], columns: {t: time, box.x: "
                      "px}}\nfree: {params.mu: {bounds: [0.02, 1]}, params.idle: {bounds: [0, "
                      "1]}}\n");
    assert_int_equal(named(&w, "params.mu").determined, SS_DETERMINED_NOT);
    assert_int_equal(named(&w, "params.idle").determined, SS_DETERMINED_NOT);
    assert_non_null(strstr(ss_identification_warning(w.id, 0, 0), "not determined"));
    drop(&w);
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

/* Friction and a scale of lengths with free starts: a block half as far away slides half as hard.
 */
static void what_stands_in_for_a_nuisance_is_told(void **unused)
{
    work     w;
    camera   c    = clear;
    uint64_t seed = 3;
    (void)unused;
    c.noise = 1e-3;
    record("one.csv", &c, &seed);
    identify(&w, HEAD "data: {files: [one.csv], columns: {t: time, box.x: px}}\n" MU
                      "nuisance: {start: {box: [x, vx]}, length_scale: {bounds: [0.5, 2]}}\n");
    assert_true(is_told(&w, "params.mu and length_scale can stand in for each other"));
    drop(&w);
}

/* Noise that is said to be known is held against the residuals. */
static void known_noise_is_believed_only_where_it_fits(void **unused)
{
    work     w;
    camera   c    = clear;
    uint64_t seed = 3;
    (void)unused;
    c.noise = 1e-3;
    record("one.csv", &c, &seed);
    identify(&w, HEAD ONE MU "noise: {position: 0.001, known: true}\n");
    assert_false(is_told(&w, "said to be known"));
    drop(&w);
    identify(&w, HEAD ONE MU "noise: {position: 0.0005, known: true}\n");
    assert_true(is_told(&w, "times the noise that is said to be known"));
    drop(&w);
}

/* Bounds that exclude the truth are reached, and told. */
static void bounds_are_told(void **unused)
{
    work     w;
    camera   c    = clear;
    uint64_t seed = 7;
    (void)unused;
    c.noise = 1e-4;
    record("one.csv", &c, &seed);
    identify(&w, HEAD ONE "free: {params.mu: {bounds: [0.25, 1]}}\n");
    ss_identified mu = named(&w, "params.mu");
    assert_true(mu.at_bound);
    assert_near(mu.value, 0.25, 1e-6);
    drop(&w);
}

/* Folds predict what was left out, and models are compared pair by pair. */
static void folds_tell_models_apart(void **unused)
{
    work     w;
    uint64_t seed = 11;
    char     name[16];
    (void)unused;
    for (int k = 0; k < 4; k++) {
        camera c  = clear;
        c.v0      = 1 + 0.2 * k;
        c.noise   = 5e-4;
        c.samples = 20;
        c.rate    = 25;
        snprintf(name, sizeof name, "r%d.csv", k);
        record(name, &c, &seed);
    }
    identify(&w, HEAD
             "data: {files: [r0.csv, r1.csv, r2.csv, r3.csv], columns: {t: time, box.x: px}}\n" MU
             "nuisance: {start: {box: [x, vx]}}\nnoise: {position: 5e-4}\n"
             "set: {simulation.step: 0.04}\nfolds: {count: 2, known: 0.2}\n"
             "confidence: {bootstrap: 5}\n"
             "models: [{name: right}, {name: tilted, set: {gravity: [1.5, -10]}}]\n");
    ss_identified_trial t;
    assert_true(ss_identification_trial(w.id, 0, 2, &t));
    assert_true(t.position < 1e-3 && t.unseen_position < 0.02 && t.unseen_end < 0.05);
    ss_identified mu = named(&w, "params.mu");
    assert_near(mu.value, 0.2, 2e-3);
    assert_true(mu.bootstrap_low < mu.bootstrap_high);
    assert_true(mu.bootstrap_low < 0.203 && mu.bootstrap_high > 0.197);
    ss_estimate e = ss_identification_compare(w.id, 1, 0);
    assert_true(e.count == 4 && e.low <= e.mean && e.mean <= e.high);
    drop(&w);
}

/* Distances alone, and measures of the study, are losses too; so is a search without slopes. */
static void other_losses_find_the_same(void **unused)
{
    static const char *const ways[] = {
        "loss: travel\n",
        "measure: {miss: \"x('box') - 0.5625\"}\nloss: {over: measures, measures: [miss]}\n",
        "method: {algorithm: subplex, tolerance: 1e-5, evaluations: 50}\n",
    };
    work w;
    (void)unused;
    record("one.csv", &clear, NULL); /* it ends at v0^2 / (2 mu g) = 0.5625 m */
    record("two.csv", &clear, NULL);
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD "set: {params.v0: 1.5}\ndata: {files: [one.csv, two.csv], columns: {t: time, "
                      "box.x: px}}\n" MU "confidence: {profile: false}\n%s",
                 ways[i]);
        identify(&w, text);
        assert_near(named(&w, "params.mu").value, 0.2, 1e-3);
        drop(&w);
    }
}

/* What is wrong is said with file and line. */
static void mistakes_have_a_place(void **unused)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {HEAD MU, "needs `data` and `free`"},
        {HEAD MU "data: {files: [one.csv], columns: {t: time, bix.x: px}}\n", "no body 'bix'"},
        {HEAD MU "data: {files: [one.csv], columns: {t: time, box.z: px}}\n", "no coordinate"},
        {HEAD MU "data: {files: [one.csv], columns: {t: time, box.x: pz}}\n", "no column 'pz'"},
        {HEAD MU "data: {files: [none.csv], columns: {t: time, box.x: px}}\n", "cannot be opened"},
        {HEAD MU "data: {files: [one.csv], columns: {t: time, box.x: px}, from: 70}\n",
         "at least 2"},
        {HEAD ONE "free: {params.mu: {bounds: [1, 0]}}\n", "must lie below"},
        {HEAD ONE MU "folds: 3\n", "folds"},
        {HEAD ONE MU "loss: paths\n", "loss"},
        {HEAD MU "data: {files: [one.csv], columns: {t: time, box.x: px, box.angle: py}}\n",
         "noise"},
        {HEAD ONE MU "method: guess\n", "method"},
        {HEAD ONE "free: {bodies.box.mass: {bounds: [-2, -1]}}\n", "study.yaml:6:"},
        {HEAD ONE "free: {params.none.x: {bounds: [0, 1]}}\n", "study.yaml:6:"},
    };
    (void)unused;
    record("one.csv", &clear, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        work w;
        assert_int_equal(try_identify(&w, cases[i].text), SS_ERR_INPUT);
        if (strstr(ss_context_message(w.ctx), cases[i].message) == NULL ||
            strstr(ss_context_message(w.ctx), "study.yaml") == NULL) {
            fail_msg("case %d: %s", (int)i, ss_context_message(w.ctx));
        }
        drop(&w);
    }
}

/* Results are the same bits for every number of threads. */
static void threads_change_nothing(void **unused)
{
    double found[2];
    (void)unused;
    for (int i = 0; i < 2; i++) {
        uint64_t     seed = 17;
        camera       c    = clear;
        work         w    = {.ctx = ss_context_create(NULL)};
        char         name[256];
        ss_study_def def = {.find_scene = find};
        c.noise          = 1e-3;
        record("one.csv", &c, &seed);
        snprintf(name, sizeof name, "%s/study.yaml", folder);
        assert_int_equal(
            ss_study_load_text(w.ctx, HEAD ONE MU, strlen(HEAD ONE MU), name, &def, &w.study),
            SS_OK);
        ss_identify_def how = {.threads = 1 + 2 * i};
        assert_int_equal(ss_study_identify(w.ctx, w.study, &how, &w.id), SS_OK);
        found[i] = named(&w, "params.mu").high;
        drop(&w);
    }
    assert_memory_equal(&found[0], &found[1], sizeof found[0]);
}

/* The 90 % interval holds the truth in about 90 of 100 recordings; COVERAGE asks for more. */
static void intervals_hold_the_truth(void **unused)
{
    const char *asked = getenv("COVERAGE");
    int         sets = asked != NULL ? atoi(asked) : 16, held = 0;
    uint64_t    seed = 2024;
    (void)unused;
    for (int i = 0; i < sets; i++) {
        work   w;
        camera c  = clear;
        c.noise   = 2e-3;
        c.samples = 25;
        c.rate    = 40;
        record("one.csv", &c, &seed);
        identify(&w, HEAD ONE MU "set: {simulation.step: 0.025}\n");
        ss_identified mu = named(&w, "params.mu");
        held += mu.low <= 0.2 && mu.high >= 0.2;
        drop(&w);
    }
    double share = (double)held / sets, spread = sqrt(0.09 / sets);
    print_message("%d of %d intervals hold the truth\n", held, sets);
    assert_true(share >= 0.9 - 2 * spread && share <= 0.9 + 2 * spread);
}

/* How high a ball is that falls 1 m, and bounces with 0.7. */
static double bounced(double t)
{
    const double g = 10, e = 0.7;
    double       v = sqrt(2 * g), begin = v / g; /* of the arc, which leaves with e v */
    if (t < begin) {
        return 1.1 - g * t * t / 2;
    }
    for (v *= e; t > begin + 2 * v / g; v *= e) {
        begin += 2 * v / g;
    }
    return 0.1 + v * (t - begin) - g * (t - begin) * (t - begin) / 2;
}

/* The angle of the pendulum, which begins at rest: steps of Runge and Kutta so small that it does
   not matter in which of them it turns round. */
static double swung(double t)
{
    const double  h = 1e-5, over = 1 / 0.11, weight = 3, torque = 0.05;
    static double angle, speed, now;
    if (t < now || t == 0) {
        angle = speed = now = 0;
    }
    for (; now < t - h / 2; now += h) {
        double dry = speed <= 0 ? torque : -torque;
        double x[4], a[4] = {0}, d[4] = {0, h / 2, h / 2, h};
        for (int k = 0; k < 4; k++) {
            x[k] = speed + (k > 0 ? d[k] * a[k - 1] : 0);
            a[k] = over * (dry - weight * cos(angle + (k > 0 ? d[k] * x[k - 1] : 0)));
        }
        angle += h / 6 * (x[0] + 2 * x[1] + 2 * x[2] + x[3]);
        speed += h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
    }
    return angle;
}

static void record_values(double (*at)(double t), int samples, double rate, double noise,
                          uint64_t *seed)
{
    char path[256];
    snprintf(path, sizeof path, "%s/one.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "time,px\n");
    for (int i = 0; i < samples; i++) {
        double n = noise * ss_normal_quantile(random_between(seed, 1e-12, 1 - 1e-12));
        fprintf(file, "%.17g,%.17g\n", i / rate, at(i / rate) + n);
    }
    fclose(file);
}

/* What the step adds is in the intervals: of runs whose error is as large as what noise leaves
   open, and of runs whose impacts fall on steps. Recordings have no step. */
static void intervals_hold_what_steps_add(void **unused)
{
    static const struct {
        const char *name, *study, *value;
        double (*at)(double t);
        int    samples, fewest;
        double rate, noise, truth;
    } cases[]         = {{"ball",
                          "study: identify\nscene: ball\ndata: {files: [one.csv], columns: {t: time, "
                                  "ball.y: px}}\nfree: {params.e: {bounds: [0.3, 0.95]}}\nnuisance: {start: "
                                  "{ball: [y, vy]}}\nset: {simulation.model: {integrator: euler}}\n",
                          "params.e", bounced, 61, 10, 60, 1e-3, 0.7},
                         {"pendulum",
                          "study: identify\nscene: pendulum\ndata: {files: [one.csv], columns: {t: "
                                  "time, rod.angle: px}}\nfree: {params.torque: {bounds: [0.001, 0.5]}}\n",
                          "params.torque", swung, 121, 3, 40, 1e-3, 0.05}};
    const char *asked = getenv("COVERAGE");
    (void)unused;
    for (int k = 0; k < 2; k++) {
        uint64_t seed = 2025;
        int      sets = asked != NULL ? atoi(asked) : cases[k].fewest, held = 0, noise = 0;
        for (int i = 0; i < sets; i++) {
            work w;
            record_values(cases[k].at, cases[k].samples, cases[k].rate, cases[k].noise, &seed);
            identify(&w, cases[k].study);
            ss_identified a = named(&w, cases[k].value);
            held += a.low <= cases[k].truth && a.high >= cases[k].truth;
            noise +=
                a.low + a.step_error <= cases[k].truth && a.high - a.step_error >= cases[k].truth;
            drop(&w);
        }
        print_message("%s: %d of %d intervals hold the truth, %d without the step's error\n",
                      cases[k].name, held, sets, noise);
        assert_true(held >= 0.9 * sets);
        assert_true(noise <= 0.5 * sets); /* the cases are hard enough */
    }
}

#ifdef SS_HAVE_IPOPT
/* Method mpec: a particle that falls and slides, path, forces and friction in one program. */
static const char falling[] =
    "dimension: 2\n"
    "params: {mu: 1}\n"
    "gravity: [0, -9.81]\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
    "  - {name: p, type: particle, mass: 1, shape: {point: {}}, position: [0, 0.2]}\n"
    "forces: [{name: f, type: constant, body: p, force: [5, 0]}]\n"
    "simulation: {step: 0.05, duration: 1, model: {integrator: euler}}\n";

static bool find_falling(void *user, const char *name, const char **text, size_t *length)
{
    (void)user, (void)name;
    *text   = falling;
    *length = strlen(falling);
    return true;
}

/* Stewart-Trinkle's steps, written down apart from the engine: friction 0.2 of what presses. */
static void record_falling(uint64_t *seed, double noise)
{
    char   path[256];
    double x = 0, y = 0.2, vx = 0, vy = 0, h = 0.05;
    snprintf(path, sizeof path, "%s/fall.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "t,x,y\n");
    for (int i = 0; i <= 20; i++) {
        fprintf(file, "%.17g,%.17g,%.17g\n", i * h, x + random_between(seed, -noise, noise),
                y + random_between(seed, -noise, noise));
        double free = vy - 9.81 * h, press = fmax(-y / h - free, 0);
        vy = free + press;
        vx += 5 * h;
        vx -= fmin(0.2 * press, vx);
        x += h * vx;
        y += h * vy;
    }
    fclose(file);
}

static void programs_find_what_runs_do(void **unused)
{
    static const char study[] =
        "study: identify\nscene: falling\ndata: {files: [fall.csv], columns: {t: t, p.x: x, p.y: "
        "y}}\nfree: {params.mu: {bounds: [0, 1, 1]}}\nnoise: {position: 1e-3, bound: 5e-3}\n";
    double found[2];
    (void)unused;
    for (int i = 0; i < 2; i++) {
        uint64_t     seed = 3;
        char         name[256], text[512];
        ss_study_def def = {.find_scene = find_falling};
        work         w   = {.ctx = ss_context_create(NULL)};
        record_falling(&seed, 2e-3);
        snprintf(name, sizeof name, "%s/study.yaml", folder);
        snprintf(text, sizeof text, "%smethod: %s\n", study, i == 0 ? "simulate" : "mpec");
        assert_int_equal(ss_study_load_text(w.ctx, text, strlen(text), name, &def, &w.study),
                         SS_OK);
        if (ss_study_identify(w.ctx, w.study, NULL, &w.id) != SS_OK) {
            fail_msg("%s", ss_context_message(w.ctx));
        }
        ss_identification_summary s = ss_identification_summarise(w.id, 0);
        found[i]                    = named(&w, "params.mu").value;
        assert_near(found[i], 0.2, 0.02);
        if (i == 1) {
            assert_int_equal(s.variables, 20 * 8 + 42 + 1);
            assert_int_equal(s.program, SS_SOLVED);
            assert_near(s.program_objective, s.cost, 1e-9 * s.cost);
            assert_true(s.program_apart < 1e-9);
        }
        drop(&w);
    }
    assert_near(found[0], found[1], 1e-6); /* two routes, one answer */
}

/* Scenes that the program cannot pose are refused, with what would work. */
static void programs_refuse_what_they_cannot_pose(void **unused)
{
    work w;
    (void)unused;
    record("one.csv", &clear, NULL);
    assert_int_equal(try_identify(&w, HEAD ONE MU "method: mpec\n"), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(w.ctx), "method simulate takes any scene"));
    drop(&w);
}

#endif

/* Student's quantiles from tables. */
static void students_quantiles_are_those_of_tables(void **unused)
{
    (void)unused;
    assert_near(ss_student_quantile(0.975, 1), 12.7062047, 1e-6);
    assert_near(ss_student_quantile(0.975, 4), 2.7764451, 1e-6);
    assert_near(ss_student_quantile(0.95, 7), 1.8945786, 1e-6);
    assert_near(ss_student_quantile(0.95, 29), 1.6991270, 1e-6);
    assert_near(ss_student_quantile(0.95, 30), 1.6972609, 1e-6);
    assert_near(ss_student_quantile(0.05, 100), -1.6602343, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perfect_recordings_give_exact_values),
        cmocka_unit_test(cameras_are_found_beside),
        cmocka_unit_test(what_is_not_seen_is_not_determined),
        cmocka_unit_test(what_stands_in_for_a_nuisance_is_told),
        cmocka_unit_test(known_noise_is_believed_only_where_it_fits),
        cmocka_unit_test(bounds_are_told),
        cmocka_unit_test(folds_tell_models_apart),
        cmocka_unit_test(other_losses_find_the_same),
        cmocka_unit_test(mistakes_have_a_place),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(intervals_hold_the_truth),
        cmocka_unit_test(intervals_hold_what_steps_add),
#ifdef SS_HAVE_IPOPT
        cmocka_unit_test(programs_find_what_runs_do),
        cmocka_unit_test(programs_refuse_what_they_cannot_pose),
#endif
        cmocka_unit_test(students_quantiles_are_those_of_tables),
    };
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    int  failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return failed + (system(command) != 0);
}
