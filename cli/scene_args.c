/* SPDX-License-Identifier: Apache-2.0 */
#include "scene_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embedded.h"

enum { AXES_MAX = 16, OVERRIDE_SIZE = 128, EXTRA_MAX = AXES_MAX + 5, NAMES_MAX = 64 };

ss_scene_args ss_scene_args_default(void)
{
    ss_scene_args a = {.step = -1, .duration = -1, .step_limit = -1, .step_budget = -1};
    return a;
}

static ss_status unknown_builtin(ss_context *ctx, const char *name)
{
    const char *names[NAMES_MAX];
    int32_t     count = 0;
    for (const ss_embedded *e = ss_embedded_scenes; e->name != NULL && count < NAMES_MAX; e++) {
        names[count++] = e->name;
    }
    const char *near = ss_nearest_name(name, names, count);
    return ss_fail(
        ctx, SS_ERR_INPUT, "there is no built-in scene '%s'%s%s%s (see 'stickslip list')", name,
        near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
}

static ss_status load(ss_context *ctx, const char *name, const char *const *overrides,
                      int32_t count, ss_scene **out)
{
    static const char prefix[] = "builtin:";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) {
        return ss_scene_load(ctx, name, overrides, count, out);
    }
    for (const ss_embedded *e = ss_embedded_scenes; e->name != NULL; e++) {
        if (strcmp(e->name, name + sizeof prefix - 1) == 0) {
            return ss_scene_load_text(ctx, e->text, e->length, name, overrides, count, out);
        }
    }
    return unknown_builtin(ctx, name + sizeof prefix - 1);
}

/* Step, duration, solver and model as overrides, after those of --set. */
static ss_status write_extras(ss_context *ctx, const ss_scene_args *a, char (*extra)[OVERRIDE_SIZE],
                              int32_t *count)
{
    *count = 0;
    if (a->model != NULL) {
        SS_TRY(ss_axes_to_overrides(ctx, a->model, extra, AXES_MAX, count));
    }
    if (a->step >= 0) {
        snprintf(extra[(*count)++], OVERRIDE_SIZE, "simulation.step=%.17g", a->step);
    }
    if (a->duration >= 0) {
        snprintf(extra[(*count)++], OVERRIDE_SIZE, "simulation.duration=%.17g", a->duration);
    }
    if (a->step_limit >= 0) {
        snprintf(extra[(*count)++], OVERRIDE_SIZE, "simulation.step_limit=%.17g", a->step_limit);
    }
    if (a->step_budget >= 0) {
        snprintf(extra[(*count)++], OVERRIDE_SIZE, "simulation.step_budget=%.17g", a->step_budget);
    }
    if (a->solver != NULL) {
        int n = snprintf(extra[(*count)++], OVERRIDE_SIZE, "simulation.solver=\"%s\"", a->solver);
        if (n >= OVERRIDE_SIZE || strpbrk(a->solver, "\"\\") != NULL) {
            return ss_fail(ctx, SS_ERR_INPUT, "--solver: there is no solver '%.40s'", a->solver);
        }
    }
    return SS_OK;
}

ss_status ss_cli_load_scene(ss_context *ctx, const char *name, const ss_scene_args *a,
                            ss_scene **out)
{
    char    extra[EXTRA_MAX][OVERRIDE_SIZE];
    int32_t extra_count = 0;
    *out                = NULL;
    SS_TRY(write_extras(ctx, a, extra, &extra_count));
    int32_t      count = a->set.count + extra_count;
    const char **all   = malloc(((size_t)count + 1) * sizeof *all);
    if (all == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < count; i++) {
        all[i] = i < a->set.count ? a->set.items[i] : extra[i - a->set.count];
    }
    ss_status status = load(ctx, name, all, count, out);
    free((void *)all);
    return status;
}

static ss_status load_source(ss_context *ctx, const char *name, ss_scene_source **out)
{
    static const char prefix[] = "builtin:";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) {
        return ss_scene_source_load(ctx, name, out);
    }
    for (const ss_embedded *e = ss_embedded_scenes; e->name != NULL; e++) {
        if (strcmp(e->name, name + sizeof prefix - 1) == 0) {
            return ss_scene_source_text(ctx, e->text, e->length, name, out);
        }
    }
    return unknown_builtin(ctx, name + sizeof prefix - 1);
}

ss_status ss_cli_scene_source(ss_context *ctx, const char *name, const ss_scene_args *a,
                              ss_scene_source **out)
{
    char    extra[EXTRA_MAX][OVERRIDE_SIZE];
    int32_t extra_count = 0;
    *out                = NULL;
    SS_TRY(write_extras(ctx, a, extra, &extra_count));
    SS_TRY(load_source(ctx, name, out));
    ss_status status = SS_OK;
    for (int32_t i = 0; status == SS_OK && i < a->set.count + extra_count; i++) {
        const char *text = i < a->set.count ? a->set.items[i] : extra[i - a->set.count];
        status           = ss_scene_source_override(*out, text);
    }
    if (status != SS_OK) {
        ss_scene_source_destroy(*out);
        *out = NULL;
    }
    return status;
}
