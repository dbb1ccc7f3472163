/* SPDX-License-Identifier: Apache-2.0 */
/* Designs with known answers, constraints, and searches that go on where they were interrupted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "stickslip/stickslip.h"

/* A block slides v0^2 / (2 mu g); with g = 10 and mu = 0.25 it is v0^2 / 5. */
static const char block[] =
    "dimension: 2\n"
    "params: {mu: 0.25, v0: 1}\n"
    "gravity: [0, -10]\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
    "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}},\n"
    "     position: [0, 0.05], velocity: [v0, 0]}\n"
    "simulation: {step: 0.001, duration: 2}\n";

static bool find(void *user, const char *name, const char **text, size_t *length)
{
    (void)user, (void)name;
    *text   = block;
    *length = strlen(block);
    return true;
}

typedef struct work {
    ss_context *ctx;
    ss_study   *study;
    ss_design  *design;
} work;

static work solve(const char *text, const ss_design_def *def, ss_status expected)
{
    work         w     = {.ctx = ss_context_create(NULL)};
    ss_study_def study = {.find_scene = find};
    assert_int_equal(ss_study_load_text(w.ctx, text, strlen(text), "design.yaml", &study, &w.study),
                     SS_OK);
    ss_status status = ss_study_design(w.ctx, w.study, def, &w.design);
    if (status != expected) {
        print_error("%s\n", ss_context_message(w.ctx));
    }
    assert_int_equal(status, expected);
    return w;
}

static void drop(work *w)
{
    ss_design_destroy(w->design);
    ss_study_destroy(w->study);
    ss_context_destroy(w->ctx);
}

#define HEAD                                                                                       \
    "study: design\nscene: block\nseed: 3\nstop: at_rest(0.02)\n"                                  \
    "measure: {miss: \"abs(x('box') - 0.5)\", far: \"x('box') > 0.5\"}\n"

/* Every method finds v0 = sqrt(2.5) for a landing at half a metre. */
static void methods_find_the_known_optimum(void **unused)
{
    static const char *const names[] = {"cobyla", "nelder-mead", "subplex", "bobyqa", "direct"};
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char          text[1024];
        ss_candidate  best;
        ss_design_def def = {.threads = 1};
        snprintf(text, sizeof text,
                 HEAD "vary: {params.v0: {bounds: [0.5, 3, 2.4]}}\n"
                      "objective: {minimise: most(miss)}\n"
                      "method: {algorithm: %s, evaluations: 60, tolerance: 1e-3}\n",
                 names[i]);
        work w = solve(text, &def, SS_OK);
        assert_true(ss_design_best(w.design, &best));
        assert_true(fabs(best.x[0] - sqrt(2.5)) < 0.02 && best.objective < 0.02);
        drop(&w);
    }
}

/*
 * The longest throw of which no more than some go beyond half a metre: with mu uniform in
 * 0.2 .. 0.3 the share beyond is that of mu < v0^2 / 10, and half of them means v0^2 = 2.5.
 */
static void constraints_are_kept(void **unused)
{
    (void)unused;
    ss_candidate  best;
    ss_design_def def = {.threads = 2};
    work          w =
        solve(HEAD "vary: {params.v0: {bounds: [0.5, 3, 1]}, params.mu: {uniform: [0.2, 0.3]}}\n"
                   "trials: 40\nsampling: latin\n"
                   "objective: {maximise: mean(miss) - 2*probability(far)}\n"
                   "constraints: [\"probability(far) <= 0.5\", \"failed() <= 0\"]\n"
                   "method: {algorithm: isres, evaluations: 120}\n",
              &def, SS_OK);
    assert_true(ss_design_best(w.design, &best));
    assert_true(best.constraints[0] >= 0 && best.constraints[1] >= 0);
    /* nothing beyond, and as short as can be: the miss of the slowest throw is the largest */
    assert_true(best.x[0] < 0.75);
    assert_true(ss_trials_estimate(ss_design_trials(w.design), 1, -1).mean <= 0.5);
    drop(&w);
    work impossible = solve(HEAD "vary: {params.v0: {bounds: [0.5, 1]}}\n"
                                 "objective: {minimise: mean(miss)}\n"
                                 "constraints: [\"probability(far) >= 1\"]\n"
                                 "method: {evaluations: 10}\n",
                            &def, SS_OK);
    assert_false(ss_design_best(impossible.design, &best));
    assert_false(best.feasible);
    drop(&impossible);
}

/* Reads a whole file. */
static size_t slurp(const char *path, char *out, size_t size)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(out, 1, size - 1, f);
    out[n]   = '\0';
    fclose(f);
    return n;
}

static void write_part(const char *path, const char *text, size_t length)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fwrite(text, 1, length, f);
    fclose(f);
}

/* Cut anywhere, a journal leads to the same search, and to the same journal. */
static void searches_go_on_where_they_ended(void **unused)
{
    (void)unused;
    static const char study[] =
        HEAD "vary: {params.v0: {bounds: [0.5, 3, 2.4]}, params.mu: {uniform: [0.2, 0.3]}}\n"
             "trials: 5\nobjective: {minimise: mean(miss)}\n"
             "method: {algorithm: nelder-mead, evaluations: 20, restarts: 1}\n";
    char          path[64], whole[16384], again[16384];
    ss_design_def def = {.journal = path, .threads = 1};
    ss_candidate  a, b;
    snprintf(path, sizeof path, "/tmp/stickslip_design_%d.csv", (int)getpid());
    work   first = solve(study, &def, SS_OK);
    size_t size  = slurp(path, whole, sizeof whole);
    def.resume   = true;
    ss_design_best(first.design, &a);
    for (size_t cut = 100; cut < size; cut += size / 5) {
        write_part(path, whole, cut);
        work w = solve(study, &def, SS_OK);
        ss_design_best(w.design, &b);
        assert_true(a.x[0] == b.x[0] && a.objective == b.objective);
        assert_int_equal(slurp(path, again, sizeof again), size);
        assert_string_equal(whole, again);
        drop(&w);
    }
    char other[sizeof study];
    memcpy(other, study, sizeof study);
    *strstr(other, "seed: 3")   = 's';
    strstr(other, "seed: 3")[6] = '4';
    work refused                = solve(other, &def, SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(refused.ctx), "journal of another study"));
    drop(&refused);
    drop(&first);
    remove(path);
}

/* ---- rungs ---- */

/* A box of 0.2 x 0.02 lies above a slot of width `gap` between two blocks; the floor is far below.
 */
static const char slot[] = "dimension: 2\n"
                           "params: {gap: 0.1, start: 0}\n"
                           "gravity: [0, -10]\n"
                           "materials: {default: {friction: 0}}\n"
                           "bodies:\n"
                           "  - {name: left, type: static, shape: {box: {size: [1, 0.1]}}, "
                           "position: [\"-0.5 - gap/2\", 0]}\n"
                           "  - {name: right, type: static, shape: {box: {size: [1, 0.1]}}, "
                           "position: [\"0.5 + gap/2\", 0]}\n"
                           "  - {name: bar, type: dynamic, mass: 1, shape: {box: {size: [0.2, "
                           "0.02]}}, position: [0, 0.3],\n"
                           "     angle: start}\n"
                           "simulation: {step: 0.002, duration: 0.5}\n";

static bool find_slot(void *user, const char *name, const char **text, size_t *length)
{
    (void)user, (void)name;
    *text   = slot;
    *length = strlen(slot);
    return true;
}

static work climb(const char *text, const ss_design_def *def)
{
    work         w     = {.ctx = ss_context_create(NULL)};
    ss_study_def study = {.find_scene = find_slot};
    ss_status    status =
        ss_study_load_text(w.ctx, text, strlen(text), "design.yaml", &study, &w.study);
    if (status == SS_OK) {
        status = ss_study_design(w.ctx, w.study, def, &w.design);
    }
    if (status != SS_OK) {
        print_error("%s\n", ss_context_message(w.ctx));
    }
    assert_int_equal(status, SS_OK);
    return w;
}

#define SLOT                                                                                       \
    "study: design\nscene: slot\nseed: 5\nstop: \"y('bar') < -0.3\"\n"                             \
    "measure: {through: \"y('bar') < -0.3\"}\nobjective: {maximise: mean(through)}\n"              \
    "constraints: [\"mean(through) >= 1\"]\nmethod: {algorithm: random, evaluations: 24}\n"        \
    "rungs:\n"                                                                                     \
    "  - {name: way, geometric: {body: bar, x: [-0.3, 0.3], y: [-0.4, 0.4], cells: [30, 40, "      \
    "36],\n"                                                                                       \
    "     to: {y: [-0.4, -0.3]}}}\n"                                                               \
    "  - {name: fall}\n"

/* An upright bar falls through wherever it fits; the rung closes gaps that are too small by more
   than its cells are large, loses no design, and gives the same verdicts. */
static void geometry_loses_no_design(void **unused)
{
    static const char text[] = SLOT
        "vary: {params.gap: {bounds: [0.001, 0.06]}, params.start: {list: [1.5707963267948966]}}\n";
    ss_design_def every = {.threads = 1, .naive = true}, some = {.threads = 1};
    work          a = climb(text, &every), b = climb(text, &some);
    ss_rung_use   way = ss_design_rung(a.design, 0), fall = ss_design_rung(a.design, 1);
    (void)unused;
    assert_string_equal(way.name, "way");
    assert_int_equal(way.candidates, 24);
    assert_int_equal(fall.candidates, 24);
    assert_int_equal(way.lost, 0);
    assert_true(fall.passed > 4 && fall.passed < 24);
    assert_true(way.passed >= fall.passed);
    ss_rung_use after = ss_design_rung(b.design, 1);
    assert_int_equal(after.candidates, way.passed);
    assert_int_equal(after.passed, fall.passed);
    drop(&a);
    drop(&b);
}

/* A lying bar of 0.2 is longer than a gap of 0.1: there is a way, because it can turn; through
   one of 0.002 there is none, however it turns (its thickness is 0.02). */
static void bodies_may_turn_on_their_way(void **unused)
{
    static const struct {
        const char *gap;
        int         passed;
    } cases[] = {{"[0.1, 0.1001]", 1}, {"[0.002, 0.0021]", 0}};
    (void)unused;
    for (size_t i = 0; i < 2; i++) {
        char          text[2048];
        ss_design_def def = {.threads = 1, .naive = true};
        snprintf(text, sizeof text,
                 SLOT "vary: {params.gap: {bounds: %s}, params.start: {list: [0]}}\n",
                 cases[i].gap);
        char *count = strstr(text, "evaluations: 24");
        memcpy(count, "evaluations: 1 ", 15);
        char *cells = strstr(text, "cells: [30, 40, 36]");
        memcpy(cells, "cells: [90, 90, 90]", 19);
        work w = climb(text, &def);
        assert_int_equal(ss_design_rung(w.design, 0).passed, cases[i].passed);
        assert_int_equal(ss_design_rung(w.design, 0).lost, 0);
        drop(&w);
    }
}

/* What fails on a cheap model is not tried on the next, and never the best. */
static void a_candidate_climbs_while_it_is_good(void **unused)
{
    static const char text[] =
        HEAD "vary: {params.v0: {bounds: [0.5, 3]}}\nobjective: {minimise: mean(miss)}\n"
             "constraints: [\"mean(miss) <= 0.3\"]\nmethod: {algorithm: random, evaluations: 20}\n"
             "rungs: [{name: coarse, set: {simulation.step: 0.02}}, {name: fine}]\n";
    ss_design_def def = {.threads = 2};
    ss_candidate  best;
    work          w = solve(text, &def, SS_OK);
    (void)unused;
    assert_int_equal(ss_design_rung_count(w.design), 2);
    ss_rung_use coarse = ss_design_rung(w.design, 0), fine = ss_design_rung(w.design, 1);
    assert_int_equal(coarse.candidates, 20);
    assert_true(coarse.passed > 0 && coarse.passed < 20);
    assert_int_equal(fine.candidates, coarse.passed);
    assert_true(ss_design_best(w.design, &best));
    assert_int_equal(best.rung, 1);
    assert_true(fabs(best.x[0] - sqrt(2.5)) < 0.3);
    drop(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_find_the_known_optimum),
        cmocka_unit_test(constraints_are_kept),
        cmocka_unit_test(searches_go_on_where_they_ended),
        cmocka_unit_test(geometry_loses_no_design),
        cmocka_unit_test(bodies_may_turn_on_their_way),
        cmocka_unit_test(a_candidate_climbs_while_it_is_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
