/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes at all as a study file: read and its first trial's scene made, or refused in words.
 * Every scene that a study names is one that is kept here.
 */
#include "fuzz.h"
#include "stickslip/study.h"

static const char scene[] =
    "dimension: 2\ngravity: [0, -9.81]\nparams: {mu: 0.5, by: 0.1, from: 0, begin: 0, turn: 0}\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
    "  - {name: part, type: dynamic, mass: 1, shape: {box: {size: [1, 1]}}, position: [0, 1]}\n"
    "simulation: {step: 0.01, duration: 0.1}\n";

static bool find(void *user, const char *name, const char **text, size_t *length)
{
    (void)user;
    (void)name;
    *text   = scene;
    *length = sizeof scene - 1;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_context        *ctx   = ss_context_create(NULL);
    ss_study          *study = NULL;
    const ss_study_def def   = {.find_scene = find};
    ss_status status = ss_study_load_text(ctx, (const char *)data, size, "fuzz.yaml", &def, &study);
    if (status != SS_OK && ss_context_message(ctx)[0] == '\0') {
        abort(); /* an error nobody explains */
    }
    ss_study_destroy(study);
    ss_context_destroy(ctx);
    return 0;
}
