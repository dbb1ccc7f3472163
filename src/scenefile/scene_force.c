/* SPDX-License-Identifier: Apache-2.0 */
/* Forces in scene files: one table of keys for each type. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "model/settings.h"
#include "scenefile/schema.h"
#include "stickslip/plugin.h"

enum { NAMES_MAX = 64 };

ss_status ss_decode_two_bodies(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    const char **bodies = (const char **)(void *)((char *)target + key->offset);
    int          i      = 0;
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_LIST));
    if (node->count != 2) {
        return ss_decode_fail(d, node, "bodies must name two bodies, got %d", (int)node->count);
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next, i++) {
        SS_TRY(ss_decode_text(d, key->name, entry, &bodies[i]));
        if (strcmp(bodies[i], "world") != 0 && !ss_name_list_has(&d->bodies, bodies[i])) {
            return ss_decode_unknown_name(d, entry, "body", bodies[i], &d->bodies);
        }
    }
    return SS_OK;
}

static ss_status decode_anchors(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_force_def *def = target;
    int           i   = 0;
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_LIST));
    if (node->count != 2) {
        return ss_decode_fail(d, node, "anchors must be two points, got %d", (int)node->count);
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next, i++) {
        double p[3] = {0};
        SS_TRY(ss_decode_numbers(d, key->name, entry, d->dimension, p));
        def->anchors[i] = ss_v3(p[0], p[1], p[2]);
    }
    return SS_OK;
}

/* Which settings there are is known from the type. */
static ss_status keep_for_later(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    (void)d, (void)key, (void)node, (void)target;
    return SS_OK;
}

#define NAME_AND_TYPE                                                                              \
    SS_KEY_ROW("name", SS_KEY_NAME, ss_force_def, name, .doc = "unique among forces"),             \
        SS_KEY_ROW("type", SS_KEY_TEXT, ss_force_def, type, .required = true,                      \
                   .doc = "which of these it is")

#define BETWEEN                                                                                    \
    SS_KEY_ROW("bodies", SS_KEY_CUSTOM, ss_force_def, bodies, .required = true,                    \
               .decode = ss_decode_two_bodies, .form = "[body, body]",                             \
               .doc = "the two that it acts on; `world` for something fixed"),                     \
        SS_KEY_ROW("anchors", SS_KEY_CUSTOM, ss_force_def, anchors, .decode = decode_anchors,      \
                   .form = "[point, point]", .unit = "m", .initial = "0",                          \
                   .doc = "where it ends, in the bodies' frames"),                                 \
        SS_KEY_ROW("damping", SS_KEY_REAL, ss_force_def, damping, SS_NOT_NEGATIVE,                 \
                   .unit = "N s/m", .initial = "0", .doc = "against the relative velocity"),       \
        SS_KEY_ROW("axial", SS_KEY_BOOL, ss_force_def, axial, .initial = "false",                  \
                   .doc = "damps along the line between the points alone, not in all directions")

static const ss_key constant_keys[] = {
    NAME_AND_TYPE,
    SS_KEY_ROW("body", SS_KEY_BODY, ss_force_def, body, .required = true, .doc = "it acts on"),
    SS_KEY_ROW("force", SS_KEY_TIMED_VECTOR, ss_force_def, force, .unit = "N", .initial = "0",
               .doc = "in world axes"),
    SS_KEY_ROW("torque", SS_KEY_TIMED_SPIN, ss_force_def, torque, .unit = "N m", .initial = "0",
               .doc = "in world axes"),
    SS_KEY_ROW("point", SS_KEY_VECTOR, ss_force_def, point,
               .flag = offsetof(ss_force_def, point_set), .unit = "m",
               .initial = "the centre of mass", .doc = "of application, in the body's frame"),
    SS_KEY_END};

static const ss_key spring_keys[] = {
    NAME_AND_TYPE, BETWEEN,
    SS_KEY_ROW("stiffness", SS_KEY_REAL, ss_force_def, stiffness, SS_NOT_NEGATIVE, .unit = "N/m",
               .initial = "0", .doc = "along the line between the points"),
    SS_KEY_ROW("rest_length", SS_KEY_REAL, ss_force_def, rest_length, SS_NOT_NEGATIVE,
               .flag = offsetof(ss_force_def, rest_set), .unit = "m",
               .initial = "the length at the start", .doc = "at which it does not pull"),
    SS_KEY_END};

static const ss_key damper_keys[] = {NAME_AND_TYPE, BETWEEN, SS_KEY_END};

/* state: {i: 0, last: 0} */
static ss_status decode_memory(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_force_def *def = target;
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_MAP));
    if (node->count > SS_CONTROLLER_MEMORY) {
        return ss_decode_fail(d, node, "state has at most %d numbers, got %d", SS_CONTROLLER_MEMORY,
                              (int)node->count);
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        int32_t i            = def->memory_count++;
        def->memory_names[i] = entry->key;
        SS_TRY(ss_decode_number(d, entry->key, entry, &def->memory[i]));
    }
    return SS_OK;
}

static const ss_key controller_keys[] = {
    NAME_AND_TYPE,
    SS_KEY_ROW("body", SS_KEY_BODY, ss_force_def, body, .doc = "it acts on: force, then torque"),
    SS_KEY_ROW("joint", SS_KEY_TEXT, ss_force_def, joint,
               .doc = "it acts on instead: one force or torque along its first coordinate"),
    SS_KEY_ROW(
        "function", SS_KEY_TEXT, ss_force_def, function, .required = true,
        .doc = "`function(t, s, state) return .. end` in Lua; `s.NAME.FIELD` is the state at the "
               "start of the step: x, y, z, vx, vy, vz, angle, w (3D: qw, qx, qy, qz, wx, "
               "wy, wz) of bodies, value and rate of joints"),
    SS_KEY_ROW("state", SS_KEY_CUSTOM, ss_force_def, memory, .decode = decode_memory,
               .form = "{name: number, ..}", .initial = "none",
               .doc = "numbers that the function keeps from step to step as `state.NAME`, at their "
                      "start; saved and restored with the state. Nothing else survives a call"),
    SS_KEY_ROW("stiffness", SS_KEY_REAL, ss_force_def, stiffness, SS_NOT_NEGATIVE, .unit = "N/m",
               .initial = "0",
               .doc = "by how much its force falls as it moves on: stiff controllers that say so "
                      "are stable at any step"),
    SS_KEY_ROW("damping", SS_KEY_REAL, ss_force_def, damping, SS_NOT_NEGATIVE, .unit = "N s/m",
               .initial = "0", .doc = "by how much its force falls as it speeds up"),
    SS_KEY_END};

const struct ss_section_table ss_force_tables[] = {{"constant", constant_keys},
                                                   {"spring", spring_keys},
                                                   {"damper", damper_keys},
                                                   {"controller", controller_keys},
                                                   {NULL, NULL}};

/* A type that a plug-in brings. */
static const ss_key plugin_keys[2][5] = {
    {NAME_AND_TYPE,
     SS_KEY_ROW("body", SS_KEY_BODY, ss_force_def, body, .required = true, .doc = "it acts on"),
     SS_KEY_ROW("settings", SS_KEY_CUSTOM, ss_force_def, settings, .decode = keep_for_later,
                .form = "{name: value, ..}", .doc = "as the plug-in describes them"),
     SS_KEY_END},
    {NAME_AND_TYPE,
     SS_KEY_ROW("bodies", SS_KEY_CUSTOM, ss_force_def, bodies, .required = true,
                .decode = ss_decode_two_bodies, .form = "[body, body]",
                .doc = "the two that it acts on; `world` for something fixed"),
     SS_KEY_ROW("settings", SS_KEY_CUSTOM, ss_force_def, settings, .decode = keep_for_later,
                .form = "{name: value, ..}", .doc = "as the plug-in describes them"),
     SS_KEY_END}};

static ss_status decode_plugin(ss_decoder *d, ss_node *entry, const ss_force_kind *kind,
                               ss_force_def *def)
{
    const ss_setting_list list = {.options = kind->options, .size = kind->settings_size};
    SS_TRY(ss_decode_map(d, plugin_keys[kind->bodies - 1], entry, def));
    return ss_decode_settings(d, ss_node_find(entry, "settings"), &list, &def->settings,
                              &def->setting_count);
}

static ss_status decode_by_type(ss_decoder *d, ss_node *entry, ss_force_def *def)
{
    const char  *names[NAMES_MAX];
    ss_name_list list = {names, 0};
    ss_node     *type = ss_node_find(entry, "type");
    const char  *word = NULL;
    if (type == NULL) {
        return ss_decode_fail(d, entry, "type is missing");
    }
    SS_TRY(ss_decode_text(d, "type", type, &word));
    for (const struct ss_section_table *t = ss_force_tables; t->title != NULL; t++) {
        if (strcmp(t->title, word) == 0) {
            return ss_decode_map(d, t->keys, entry, def);
        }
    }
    for (int32_t i = 0; i < d->ctx->registry.force_count; i++) {
        if (strcmp(d->ctx->registry.forces[i]->name, word) == 0) {
            return decode_plugin(d, entry, d->ctx->registry.forces[i], def);
        }
    }
    for (int32_t i = 0; i < ss_force_type_count(d->ctx) && list.count < NAMES_MAX; i++) {
        names[list.count++] = ss_force_type_name(d->ctx, i);
    }
    return ss_decode_unknown_name(d, type, "force type", word, &list);
}

ss_status ss_decode_force(ss_decoder *d, ss_node *entry)
{
    ss_force_def def = {0};
    SS_TRY(decode_by_type(d, entry, &def));
    def.where = ss_decode_place(d, entry);
    return ss_node_place(d->ctx, entry, ss_scene_add_force(d->scene, &def));
}
