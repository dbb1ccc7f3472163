/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of model axes that plug-ins bring (stickslip/plugin.h): the class of the built-in value
 * that they are like, with a function of their own. docs/decisions/0011-what-plug-ins-may-bring.md
 * says why these axes.
 */
#include <string.h>

#include "core/context.h"
#include "model/axes.h"
#include "stickslip/plugin.h"

const ss_axis_kind *ss_axis_kind_find(const ss_context *ctx, const char *axis, const char *name)
{
    for (int32_t i = 0; ctx != NULL && i < ctx->registry.axis_count; i++) {
        const ss_axis_kind *k = ctx->registry.axes[i];
        if (strcmp(k->axis, axis) == 0 && strcmp(k->name, name) == 0) {
            return k;
        }
    }
    return NULL;
}

/* The built-in values of the axis as words; which of them is `name`, or -1. */
static int built_in(const char *axis, const char *name)
{
    if (name == NULL) {
        return -1;
    }
#define SS_GAP(word, value, ...)                                                                   \
    if (strcmp(axis, "gap") == 0 && strcmp(name, #word) == 0) {                                    \
        return value;                                                                              \
    }
#define SS_JOINTS(word, value, ...)                                                                \
    if (strcmp(axis, "joints") == 0 && strcmp(name, #word) == 0) {                                 \
        return value;                                                                              \
    }
#include "model/axis_list.h"
    return -1;
}

static ss_status check_kind(ss_context *ctx, const ss_axis_kind *k)
{
    const char *axis = k->axis != NULL ? k->axis : "", *name = k->name != NULL ? k->name : "";
    bool        gap = strcmp(axis, "gap") == 0, joints = strcmp(axis, "joints") == 0;
    if (!gap && !joints) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "axis value '%s': plug-ins may bring values of gap and joints, not of '%s'",
                       name, axis);
    }
    if (name[0] == '\0' || (gap && k->seen == NULL) || (joints && k->bias == NULL)) {
        return ss_fail(ctx, SS_ERR_INPUT, "axis value '%s' of %s needs a name and a function `%s`",
                       name, axis, gap ? "seen" : "bias");
    }
    if (built_in(axis, k->like) < 0) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "axis value '%s': it must be like a built-in value of %s, not '%s'", name,
                       axis, k->like != NULL ? k->like : "");
    }
    return SS_OK;
}

ss_status ss_axis_register(ss_context *ctx, const ss_axis_kind *kind)
{
    SS_TRY(check_kind(ctx, kind));
    if (built_in(kind->axis, kind->name) >= 0 ||
        ss_axis_kind_find(ctx, kind->axis, kind->name) != NULL) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s has a value '%s' already", kind->axis, kind->name);
    }
    SS_TRY(ss_registry_room(ctx, ctx->registry.axis_count, "axis values"));
    ctx->registry.axes[ctx->registry.axis_count++] = kind;
    return SS_OK;
}

ss_status ss_take_axes(ss_model *m)
{
    const ss_axes      *axes = &m->simulation.axes;
    const ss_axis_kind *gap = axes->own_gap, *joints = axes->own_joints;
    int                 ok = 1;
    m->gap                 = ss_gap_axis[axes->gap];
    m->joints_axis         = ss_joints_axis[axes->joints];
    if (gap != NULL) {
        ss_gap_class *own = ss_pool_copy(&m->pool, m->gap, 1, sizeof *own, &ok);
        if (own != NULL) {
            own->name = gap->name;
            own->seen = gap->seen;
            m->gap    = own;
        }
    }
    if (joints != NULL) {
        ss_joints_class *own = ss_pool_copy(&m->pool, m->joints_axis, 1, sizeof *own, &ok);
        if (own != NULL) {
            own->name      = joints->name;
            own->bias      = joints->bias;
            m->joints_axis = own;
        }
    }
    return ok ? SS_OK : ss_fail(m->ctx, SS_ERR_MEMORY, "no memory for the model");
}
