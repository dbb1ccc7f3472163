/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes at all as a file of columns: a table that expressions call, a recording that a body
 * follows, a map of friction, the cells of a study. Read and brought to its start, or refused in
 * words.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "stickslip/stickslip.h"
#include "stickslip/study.h"

static void load(const char *text)
{
    ss_context *ctx    = ss_context_create(NULL);
    ss_scene   *scene  = NULL;
    ss_model   *model  = NULL;
    ss_data    *start  = NULL;
    ss_status   status = ss_scene_load_text(ctx, text, strlen(text), "fuzz.yaml", NULL, 0, &scene);
    if (status == SS_OK) {
        status = ss_model_compile(ctx, scene, &model);
    }
    if (status == SS_OK) {
        status = ss_data_create(ctx, model, &start);
    }
    if (status == SS_OK) {
        status = ss_step(model, start, 0.01);
    }
    if (status != SS_OK && ss_context_message(ctx)[0] == '\0') {
        abort(); /* an error nobody explains */
    }
    ss_data_destroy(start);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

static bool find(void *user, const char *name, const char **text, size_t *length)
{
    static const char scene[] = "bodies: [{name: a, type: particle, mass: 1}]\n"
                                "simulation: {step: 0.01, duration: 1}\n";
    (void)user, (void)name;
    *text   = scene;
    *length = sizeof scene - 1;
    return true;
}

static void load_study(const char *text)
{
    ss_context  *ctx    = ss_context_create(NULL);
    ss_study    *study  = NULL;
    ss_study_def def    = {.find_scene = find};
    ss_status    status = ss_study_load_text(ctx, text, strlen(text), "fuzz.yaml", &def, &study);
    if (status != SS_OK && ss_context_message(ctx)[0] == '\0') {
        abort(); /* an error nobody explains */
    }
    ss_study_destroy(study);
    ss_context_destroy(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/stickslip-fuzz-XXXXXX", text[512];
    int  file   = mkstemp(path);
    if (file < 0 || write(file, data, size) != (ssize_t)size) {
        abort();
    }
    close(file);
    snprintf(text, sizeof text,
             "tables: {push: {file: %s, argument: time, value: px}}\n"
             "bodies: [{name: a, type: particle, mass: 1}]\n"
             "forces: [{name: f, type: constant, body: a, force: [\"push(t)\", 0, 0]}]\n"
             "simulation: {step: 0.01, duration: 1}\n",
             path);
    load(text);
    snprintf(
        text, sizeof text,
        "bodies:\n  - {name: hand, type: kinematic, motion: {file: %s, columns: {t: time, x: px, "
        "z: pz}, scale: 0.001}}\n"
        "simulation: {step: 0.01, duration: 1}\n",
        path);
    load(text);
    snprintf(text, sizeof text,
             "materials: {default: {friction: {map: {file: %s}}}}\n"
             "bodies:\n  - {name: a, type: dynamic, mass: 1, shape: {sphere: {radius: 1}}}\n"
             "  - {name: b, type: static, shape: {halfspace: {normal: [0, 0, 1], offset: -1}}}\n"
             "simulation: {step: 0.01, duration: 1}\n",
             path);
    load(text);
    snprintf(text, sizeof text, "study: sweep\nscene: a\nvary: {cells: {table: %s}}\n", path);
    load_study(text);
    unlink(path);
    return 0;
}
