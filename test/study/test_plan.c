/* SPDX-License-Identifier: Apache-2.0 */
/* Plans with known answers: how many actions they take, what they do about uncertainty, files. */
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

#include "stickslip/stickslip.h"

/* A fence at x = from pushes a block of length 0.2 to the right, until its own place is `to`. */
static const char fence[] =
    "dimension: 2\n"
    "gravity: [0, 0]\n"
    "params: {x0: 0, from: -0.2, by: 0.3, begin: 0}\n"
    "bodies:\n"
    "  - {name: block, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}}, position: [x0, "
    "0],\n"
    "     support: {points: [[0.05, 0.03], [-0.05, 0.03], [0, -0.03]], friction: 0.3}}\n"
    "  - {name: fence, type: kinematic, shape: {box: {size: [0.02, 1]}},\n"
    "     motion: {x: \"from - 0.01 + by*(t - begin)\", y: 0}}\n"
    "simulation: {step: 0.01, start: begin, duration: 1, model: {inertia: quasistatic}}\n";

/* Two frictionless jaws close on a rectangle of 4 x 2 cm, turned by `turn`. */
static const char jaws[] =
    "dimension: 2\n"
    "gravity: [0, 0]\n"
    "params: {turn: 0, force: 10}\n"
    "materials: {default: {friction: 0}}\n"
    "bodies:\n"
    "  - {name: part, type: dynamic, mass: 0.05, shape: {box: {size: [0.04, 0.02]}},\n"
    "     support: {points: [[0.016, 0.008], [-0.016, 0.008], [0, -0.008]], friction: 0.3}}\n"
    "  - {name: upper, type: dynamic, mass: 0.1, inertia: 1, com: [0, 0], angle: turn,\n"
    "     shape: {box: {size: [0.1, 0.01]}}, position: [\"-0.035*sin(turn)\", "
    "\"0.035*cos(turn)\"]}\n"
    "  - {name: lower, type: dynamic, mass: 0.1, inertia: 1, com: [0, 0], angle: turn,\n"
    "     shape: {box: {size: [0.1, 0.01]}}, position: [\"0.035*sin(turn)\", "
    "\"-0.035*cos(turn)\"]}\n"
    "joints:\n"
    "  - {name: a, type: prismatic, bodies: [world, upper], axis: [\"-sin(turn)\", "
    "\"cos(turn)\"]}\n"
    "  - {name: b, type: prismatic, bodies: [world, lower], axis: [\"-sin(turn)\", "
    "\"cos(turn)\"]}\n"
    "forces:\n"
    "  - {name: c, type: constant, body: upper, force: [\"force*sin(turn)\", "
    "\"-force*cos(turn)\"]}\n"
    "  - {name: d, type: constant, body: lower, force: [\"-force*sin(turn)\", "
    "\"force*cos(turn)\"]}\n"
    "simulation: {step: 0.001, duration: 1}\n";

static bool find(void *user, const char *name, const char **text, size_t *length)
{
    (void)user;
    *text   = strcmp(name, "jaws") == 0 ? jaws : fence;
    *length = strlen(*text);
    return true;
}

typedef struct work {
    ss_context *ctx;
    ss_study   *study;
    ss_plan    *plan;
} work;

static work open_study(const char *text, ss_status expected)
{
    work         w   = {.ctx = ss_context_create(NULL)};
    ss_study_def def = {.find_scene = find};
    ss_status status = ss_study_load_text(w.ctx, text, strlen(text), "plan.yaml", &def, &w.study);
    if (status != expected) {
        print_error("%s\n", ss_context_message(w.ctx));
    }
    assert_int_equal(status, expected);
    return w;
}

static work solve(const char *text, int32_t threads)
{
    work        w      = open_study(text, SS_OK);
    ss_plan_def def    = {.threads = threads};
    ss_status   status = ss_study_plan(w.ctx, w.study, &def, &w.plan);
    if (status != SS_OK) {
        print_error("%s\n", ss_context_message(w.ctx));
    }
    assert_int_equal(status, SS_OK);
    return w;
}

static void drop(work *w)
{
    ss_plan_destroy(w->plan);
    ss_study_destroy(w->study);
    ss_context_destroy(w->ctx);
}

#define FENCE                                                                                      \
    "study: plan\nscene: fence\nseed: 2\ncarry: [block]\n"                                         \
    "actions: {push: {choose: {params.by: {bounds: [0, 0.5]}},\n"                                  \
    "  set: {params.from: \"x('block') - 0.3\", params.begin: time}}}\n"                           \
    "measure: {miss: \"x('block') - 0.7\"}\ngoal: {miss: 0.001}\n"                                 \
    "method: {samples: 20, width: 6, refine: 4}\n"

/* The fence starts 0.2 behind the block's side, so that a push by d moves it d - 0.2, at most 0.3:
   0.7 takes three pushes, whose sum is 0.7 + 3 * 0.2. */
static void the_shortest_plan_has_the_pushes_it_needs(void **unused)
{
    work w = solve(FENCE "length: [1, 5]\n", 1);
    (void)unused;
    assert_true(ss_plan_found(w.plan));
    assert_int_equal(ss_plan_length(w.plan), 3);
    double sum = 0, behind = -0.3;
    for (int32_t k = 0; k < 3; k++) {
        assert_string_equal(ss_plan_action(w.plan, k), "push");
        assert_string_equal(ss_plan_number_name(w.plan, k, 0), "params.by");
        assert_string_equal(ss_plan_number_name(w.plan, k, 1), "params.from");
        double by = ss_plan_number(w.plan, k, 0);
        assert_true(fabs(ss_plan_number(w.plan, k, 1) - behind) < 1e-9);
        assert_true(fabs(ss_plan_number(w.plan, k, 2) - k) < 1e-9); /* each takes a second */
        behind += fmax(by - 0.2, 0);
        sum += by;
    }
    assert_true(fabs(sum - 1.3) < 2e-3);
    assert_true(fabs(ss_plan_error(w.plan, 0, 0)) <= 1);
    drop(&w);
}

static void what_is_too_far_is_not_reached_and_said(void **unused)
{
    work w = solve(FENCE "length: [1, 2]\n", 1);
    (void)unused;
    assert_false(ss_plan_found(w.plan));
    assert_true(ss_plan_length(w.plan) >= 1);
    assert_true(ss_plan_error(w.plan, 0, 0) < -1);
    drop(&w);
}

/* A fence makes starts equal: the block ends where the fence does, wherever it began. */
static void a_plan_holds_for_every_trial(void **unused)
{
    work w = solve(FENCE "length: [1, 5]\nvary: {params.x0: {uniform: [-0.05, 0.05]}}\n"
                         "trials: 5\ncheck: 20\n",
                   2);
    (void)unused;
    assert_true(ss_plan_found(w.plan));
    assert_int_equal(ss_plan_run_count(w.plan), 6);
    for (int32_t i = 0; i < 6; i++) {
        assert_true(fabs(ss_plan_error(w.plan, i, 0)) <= 1);
    }
    ss_estimate e = ss_plan_check(w.plan);
    assert_int_equal(e.count, 20);
    assert_true(e.mean == 1 && e.low > 0.8);
    drop(&w);
}

/*
 * Goldberg 1993: a rectangle takes two squeezes. With sides 2 : 1 the first leaves it along the
 * jaws or across them; the second must take both to the same side, which it does when they lie
 * within 90 - atan(1/2) degrees of where its long side ends: the first squeeze is 26.6 to 63.4
 * degrees off the second. One squeeze leaves two orientations.
 */
static void a_rectangle_is_oriented_by_two_squeezes(void **unused)
{
    static const char text[] =
        "study: plan\nscene: jaws\nseed: 4\ncarry: [part]\nsampling: latin\ntrials: 12\n"
        "vary: {bodies.part.angle: {rotation: {}}}\nstop: at_rest(0.02)\n"
        "actions: {squeeze: {choose: {params.turn: {bounds: [-1.5708, 1.5708]}}}}\n"
        "measure: {off: \"sin(angle('part'))\"}\ngoal: {off: 0.02}\nlength: [1, 3]\n"
        "method: {samples: 40, width: 10, refine: 2, steps: 2}\n";
    work w = solve(text, 0);
    (void)unused;
    assert_true(ss_plan_found(w.plan));
    assert_int_equal(ss_plan_length(w.plan), 2);
    double pi    = 3.14159265358979323846;
    double apart = fabs(remainder(ss_plan_number(w.plan, 0, 0) - ss_plan_number(w.plan, 1, 0), pi));
    assert_true(apart > atan(0.5) - 0.02 && apart < pi / 2 - atan(0.5) + 0.02);
    drop(&w);
}

static void plans_are_the_same_for_all_numbers_of_threads(void **unused)
{
    work a = solve(FENCE "length: [1, 5]\n", 1), b = solve(FENCE "length: [1, 5]\n", 3);
    (void)unused;
    for (int32_t k = 0; k < ss_plan_length(a.plan); k++) {
        for (int32_t i = 0; i < ss_plan_number_count(a.plan, k); i++) {
            double x = ss_plan_number(a.plan, k, i), y = ss_plan_number(b.plan, k, i);
            assert_memory_equal(&x, &y, sizeof x);
        }
    }
    drop(&a);
    drop(&b);
}

static work resume(const char *journal, bool go_on, ss_status expected)
{
    work        w   = open_study(FENCE "length: [1, 5]\n", SS_OK);
    ss_plan_def def = {.threads = 2, .journal = journal, .resume = go_on};
    assert_int_equal(ss_study_plan(w.ctx, w.study, &def, &w.plan), expected);
    return w;
}

static void same_plan(const ss_plan *a, const ss_plan *b)
{
    assert_int_equal(ss_plan_length(a), ss_plan_length(b));
    assert_true(ss_plan_simulated(a) == ss_plan_simulated(b));
    for (int32_t k = 0; k < ss_plan_length(a); k++) {
        for (int32_t i = 0; i < ss_plan_number_count(a, k); i++) {
            double x = ss_plan_number(a, k, i), y = ss_plan_number(b, k, i);
            assert_memory_equal(&x, &y, sizeof x);
        }
    }
}

static long size_of(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    fclose(f);
    return size;
}

/* Cut short anywhere, as a kill leaves it, a search ends with the same plan and the same journal.
 */
static void a_search_goes_on_where_its_journal_ends(void **unused)
{
    const char *path = "test_plan.journal";
    work        a = solve(FENCE "length: [1, 5]\n", 1), b = resume(path, false, SS_OK);
    long        whole = size_of(path);
    (void)unused;
    same_plan(a.plan, b.plan);
    drop(&b);
    static const double shares[] = {1, 0.9, 0.5, 0.1, 0.01, 0.001};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        long left = (long)(shares[i] * (double)whole);
        assert_int_equal(truncate(path, left < 40 ? 40 : left), 0);
        b = resume(path, true, SS_OK);
        same_plan(a.plan, b.plan);
        assert_int_equal(size_of(path), whole);
        drop(&b);
    }
    /* a byte that is not as it was: from there on it is done again */
    FILE *f = fopen(path, "r+b");
    fseek(f, whole / 3, SEEK_SET);
    fputc('?', f);
    fclose(f);
    b = resume(path, true, SS_OK);
    same_plan(a.plan, b.plan);
    drop(&b);
    /* of another study, or none at all */
    work        c   = open_study(FENCE "length: [1, 4]\n", SS_OK);
    ss_plan_def def = {.threads = 1, .journal = path, .resume = true};
    assert_int_equal(ss_study_plan(c.ctx, c.study, &def, &c.plan), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(c.ctx), "no journal of this study"));
    def.journal = NULL;
    assert_int_equal(ss_study_plan(c.ctx, c.study, &def, &c.plan), SS_ERR_ARGUMENT);
    def.journal = "no/such/folder/journal";
    assert_int_equal(ss_study_plan(c.ctx, c.study, &def, &c.plan), SS_ERR_IO);
    unlink(path);
    drop(&c);
    drop(&a);
}

static void a_plan_that_was_written_does_the_same(void **unused)
{
    const char *path = "test_plan.csv";
    work        a = solve(FENCE "length: 3\n", 1), b = open_study(FENCE "length: 3\n", SS_OK);
    ss_plan_def def = {.threads = 1};
    (void)unused;
    assert_int_equal(ss_plan_write(a.plan, path), SS_OK);
    assert_int_equal(ss_study_plan_read(b.ctx, b.study, path, &def, &b.plan), SS_OK);
    double x = ss_plan_error(a.plan, 0, 0), y = ss_plan_error(b.plan, 0, 0);
    assert_memory_equal(&x, &y, sizeof x);
    assert_int_equal(ss_plan_length(b.plan), 3);
    unlink(path);
    drop(&a);
    drop(&b);
}

static void plans_that_are_none_are_refused(void **unused)
{
    static const char *const files[] = {
        "something\n",
        "step,action,number,value\n",
        "step,action,number,value\n1,pull,params.by,0.3\n",
        "step,action,number,value\n2,push,params.by,0.3\n",
        "step,action,number,value\n1,push,params.by,0.3\n",
        "step,action,number,value\n1,push,params.by,much\n",
    };
    const char *path = "test_plan_bad.csv";
    ss_plan_def def  = {.threads = 1};
    work        w    = open_study(FENCE, SS_OK);
    (void)unused;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fputs(files[i], f);
        fclose(f);
        assert_int_equal(ss_study_plan_read(w.ctx, w.study, path, &def, &w.plan), SS_ERR_INPUT);
        assert_null(w.plan);
        assert_non_null(strstr(ss_context_message(w.ctx), path));
    }
    unlink(path);
    assert_int_equal(ss_study_plan_read(w.ctx, w.study, "nowhere.csv", &def, &w.plan),
                     SS_ERR_INPUT);
    drop(&w);
}

#define REST "measure: {miss: \"x('block')\"}\ncarry: [block]\n"

static void mistakes_have_their_line(void **unused)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"study: plan\nscene: fence\n" REST "goal: {miss: 1}\n", "actions"},
        {"study: plan\nscene: fence\n" REST "actions: {push: {}}\n", "goal"},
        {"study: plan\nscene: fence\n" REST "actions: {push: {}}\ngoal: {mis: 1}\n",
         "did you mean"},
        {"study: plan\nscene: fence\n" REST "actions: {push: {}}\ngoal: {miss: 0}\n", ":6:"},
        {"study: plan\nscene: fence\n" REST
         "actions: {push: {choose: {params.by: {bounds: [2, 1]}}}}\ngoal: {miss: 1}\n",
         "must lie below"},
        {"study: plan\nscene: fence\n" REST
         "actions: {push: {choose: {params.by: {normal: [2, 1]}}}}\ngoal: {miss: 1}\n",
         "chooses between"},
        {"study: plan\nscene: fence\n" REST
         "actions: {push: {set: {params.by: \"x('nobody')\"}}}\ngoal: {miss: 1}\n",
         "nobody"},
        {"study: plan\nscene: fence\n" REST "actions: {push: {}}\ngoal: {miss: 1}\nlength: 40\n",
         "length"},
        {"study: sweep\nscene: fence\nactions: {push: {}}\n", "belongs into"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        work w = open_study(wrong[i].text, SS_ERR_INPUT);
        if (strstr(ss_context_message(w.ctx), wrong[i].message) == NULL) {
            print_error("%s\n", ss_context_message(w.ctx));
        }
        assert_non_null(strstr(ss_context_message(w.ctx), wrong[i].message));
        drop(&w);
    }
}

/* One recording of all actions: time goes on, and so does the block. */
static void a_replay_is_one_recording(void **unused)
{
    work         w = solve(FENCE "length: 3\n", 1);
    ss_recorder *r = NULL;
    char         line[1024];
    double       last = -1;
    int          rows = 0;
    (void)unused;
    assert_int_equal(ss_recorder_create(w.ctx, "csv", "test_plan_run.csv", &r), SS_OK);
    assert_int_equal(ss_plan_replay(w.ctx, w.plan, 0, &r, 1, NULL), SS_OK);
    ss_recorder_destroy(r);
    FILE *f = fopen("test_plan_run.csv", "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    while (fgets(line, sizeof line, f) != NULL) {
        double t = strtod(line, NULL);
        assert_true(t > last);
        last = t;
        rows++;
    }
    fclose(f);
    unlink("test_plan_run.csv");
    assert_int_equal(rows, 301);
    assert_true(fabs(last - 3) < 1e-9);
    assert_int_equal(ss_plan_replay(w.ctx, w.plan, 7, NULL, 0, NULL), SS_ERR_ARGUMENT);
    drop(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shortest_plan_has_the_pushes_it_needs),
        cmocka_unit_test(what_is_too_far_is_not_reached_and_said),
        cmocka_unit_test(a_plan_holds_for_every_trial),
        cmocka_unit_test(a_rectangle_is_oriented_by_two_squeezes),
        cmocka_unit_test(plans_are_the_same_for_all_numbers_of_threads),
        cmocka_unit_test(a_search_goes_on_where_its_journal_ends),
        cmocka_unit_test(a_plan_that_was_written_does_the_same),
        cmocka_unit_test(plans_that_are_none_are_refused),
        cmocka_unit_test(mistakes_have_their_line),
        cmocka_unit_test(a_replay_is_one_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
