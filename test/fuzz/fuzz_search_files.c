/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of searches that are lines of text: the journal of a design, and a plan that is judged
 * again. The first byte says which; of a journal the sum of the study, which nobody guesses, stands
 * where the input has an @.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "stickslip/study.h"

static const char scene[]     = "dimension: 2\ngravity: [0, 0]\nparams: {by: 0.3}\n"
                                "bodies:\n"
                                "  - {name: part, type: dynamic, mass: 1, shape: {box: {size: [0.2, "
                                "0.1]}}, velocity: [by, 0]}\n"
                                "simulation: {step: 0.05, duration: 0.1}\n";
static const char plan_text[] = "study: plan\nscene: a\ncarry: [part]\nactions: {push: {choose: "
                                "{params.by: {bounds: [0, 1]}}}}\n"
                                "measure: {off: \"x('part') - 5\"}\ngoal: {off: 0.1}\nlength: 1\n";
static const char design_text[] =
    "study: design\nscene: a\nmeasure: {off: \"x('part') - 5\"}\n"
    "vary: {params.by: {bounds: [0, 1, 0.5]}}\nobjective: {minimise: most(off)}\n"
    "method: {algorithm: random, evaluations: 3}\n";

static bool find(void *user, const char *name, const char **text, size_t *length)
{
    (void)user, (void)name;
    *text   = scene;
    *length = sizeof scene - 1;
    return true;
}

static ss_study *load(ss_context *ctx, const char *text)
{
    ss_study    *study = NULL;
    ss_study_def def   = {.find_scene = find};
    if (ss_study_load_text(ctx, text, strlen(text), "a.yaml", &def, &study) != SS_OK) {
        abort();
    }
    return study;
}

static void explained(const ss_context *ctx, ss_status status)
{
    if (status != SS_OK && ss_context_message(ctx)[0] == '\0') {
        abort();
    }
}

static void judge_plan(const char *path)
{
    ss_context *ctx   = ss_context_create(NULL);
    ss_study   *study = load(ctx, plan_text);
    ss_plan    *plan  = NULL;
    ss_plan_def how   = {.threads = 1};
    explained(ctx, ss_study_plan_read(ctx, study, path, &how, &plan));
    ss_plan_destroy(plan);
    ss_study_destroy(study);
    ss_context_destroy(ctx);
}

static void go_on_with_design(const char *path, bool resume)
{
    ss_context   *ctx    = ss_context_create(NULL);
    ss_study     *study  = load(ctx, design_text);
    ss_design    *design = NULL;
    ss_design_def how    = {.threads = 1, .journal = path, .resume = resume};
    explained(ctx, ss_study_design(ctx, study, &how, &design));
    ss_design_destroy(design);
    ss_study_destroy(study);
    ss_context_destroy(ctx);
}

/* The sum that the program writes: the last word of a line of a journal of its own. */
static const char *sum_of_study(const char *path)
{
    static char sum[32];
    char        line[512];
    if (sum[0] == '\0') {
        go_on_with_design(path, false);
        FILE *f = fopen(path, "r");
        while (f != NULL && fgets(line, sizeof line, f) != NULL) {
            snprintf(sum, sizeof sum, "%.16s", strrchr(line, ',') + 1);
        }
        if (f != NULL) {
            fclose(f);
        }
        unlink(path);
    }
    return sum;
}

static void write_file(const char *path, const uint8_t *data, size_t size, const char *sum)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL) {
        abort();
    }
    for (size_t i = 0; i < size; i++) {
        if (sum != NULL && data[i] == '@') {
            fputs(sum, f);
        } else {
            fputc(data[i], f);
        }
    }
    fclose(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "fuzz_search.%ld.csv", (long)getpid());
    if (size > 0 && data[0] == 'd') {
        write_file(path, data + 1, size - 1, sum_of_study(path));
        go_on_with_design(path, true);
    } else if (size > 0) {
        write_file(path, data + 1, size - 1, NULL);
        judge_plan(path);
    }
    unlink(path);
    return 0;
}
