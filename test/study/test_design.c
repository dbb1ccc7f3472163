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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_find_the_known_optimum),
        cmocka_unit_test(constraints_are_kept),
        cmocka_unit_test(searches_go_on_where_they_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
