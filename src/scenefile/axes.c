/* SPDX-License-Identifier: Apache-2.0 */
/* The axes of a model (docs/theory/models.md) in scene files and on the command line. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem/reduce.h"
#include "scenefile/schema.h"
#include "stickslip/plugin.h"
#include "stickslip/scene_file.h"

#define SS_INERTIA(name, value, counts, doc) {#name, value, counts, doc},
static const ss_axis_value inertia_values[] = {
#include "model/axis_list.h"
    {NULL, 0, 0, NULL}};

#define SS_CONE_AXIS(name, value, counts, doc) {#name, value, counts, doc},
static const ss_axis_value cone_values[] = {
#include "model/axis_list.h"
    {NULL, 0, 0, NULL}};

#define SS_GAP(name, value, counts, doc) {#name, value, counts, doc},
static const ss_axis_value gap_values[] = {
#include "model/axis_list.h"
    {NULL, 0, 0, NULL}};

#define SS_CORNERS(name, value, counts, doc) {#name, value, counts, doc},
static const ss_axis_value corners_values[] = {
#include "model/axis_list.h"
    {NULL, 0, 0, NULL}};

#define SS_JOINTS(name, value, counts, doc) {#name, value, counts, doc},
static const ss_axis_value joints_values[] = {
#include "model/axis_list.h"
    {NULL, 0, 0, NULL}};

#define SS_GEOMETRY(name, value, counts, doc) {#name, value, counts, doc},
static const ss_axis_value geometry_values[] = {
#include "model/axis_list.h"
    {NULL, 0, 0, NULL}};

#define SS_CONTACT_AXIS(name, value, counts, doc) {#name, value, counts, doc},
static const ss_axis_value contact_values[] = {
#include "model/axis_list.h"
    {NULL, 0, false, NULL}};

#define SS_LEVEL_AXIS(name, value, counts, doc) {#name, value, counts, doc},
static const ss_axis_value level_values[] = {
#include "model/axis_list.h"
    {NULL, 0, 0, NULL}};

#define SS_INTEGRATOR(name, value, counts, doc) {#name, value, counts, doc},
static const ss_axis_value integrator_values[] = {
#include "model/axis_list.h"
    {NULL, 0, 0, NULL}};

static const ss_axis axes_table[] = {
    {"inertia", inertia_values, offsetof(ss_axes, inertia), 0, 0, 0, "what resists motion"},
    {"cone", cone_values, offsetof(ss_axes, cone), offsetof(ss_axes, cone_directions), 2,
     SS_POLYGON_MAX, "the shape of the set of friction forces"},
    {"gap", gap_values, offsetof(ss_axes, gap), 0, 0, 0, "what keeps bodies apart"},
    {"corners", corners_values, offsetof(ss_axes, corners), 0, 0, 0,
     "what happens at protruding vertices and edges"},
    {"joints", joints_values, offsetof(ss_axes, joints), 0, 0, 0, "what keeps joints closed"},
    {"geometry", geometry_values, offsetof(ss_axes, geometry), 0, 0, 0,
     "where gaps, normals and wrenches are taken"},
    {"contact", contact_values, offsetof(ss_axes, contact), 0, 0, 0,
     "what happens at a contact besides friction"},
    {"level", level_values, offsetof(ss_axes, level), 0, 0, 0, "what is asked of an instant"},
    {"integrator", integrator_values, offsetof(ss_axes, integrator), 0, 0, 0,
     "how a step takes positions and velocities forward in time"},
};
enum { AXIS_COUNT = (int)(sizeof axes_table / sizeof axes_table[0]) };

int32_t ss_axis_count(void)
{
    return AXIS_COUNT;
}

const ss_axis *ss_axis_at(int32_t index)
{
    return index >= 0 && index < AXIS_COUNT ? &axes_table[index] : NULL;
}

/* Where a value of a plug-in goes; NULL: the axis takes none. */
static const ss_axis_kind **own_place(const ss_axis *axis, ss_axes *axes)
{
    return strcmp(axis->name, "gap") == 0      ? &axes->own_gap
           : strcmp(axis->name, "joints") == 0 ? &axes->own_joints
                                               : NULL;
}

static const ss_axis_kind *own_value(const ss_axis *axis, const ss_axes *axes)
{
    ss_axes              copy  = *axes;
    const ss_axis_kind **place = own_place(axis, &copy);
    return place != NULL ? *place : NULL;
}

const char *ss_axis_text(const ss_axis *axis, const ss_axes *axes, char *buffer, size_t size)
{
    int                 value = *(const int *)(const void *)((const char *)axes + axis->offset);
    const ss_axis_kind *own   = own_value(axis, axes);
    if (own != NULL) {
        snprintf(buffer, size, "%s", own->name);
        return buffer;
    }
    for (const ss_axis_value *v = axis->values; v->word != NULL; v++) {
        if (v->value == value && v->counts) {
            int32_t n = *(const int32_t *)(const void *)((const char *)axes + axis->count_offset);
            snprintf(buffer, size, "%s:%d", v->word, (int)n);
            return buffer;
        }
        if (v->value == value) {
            snprintf(buffer, size, "%s", v->word);
            return buffer;
        }
    }
    snprintf(buffer, size, "?");
    return buffer;
}

static void join_words(const ss_axis *axis, char *out, size_t size)
{
    size_t used = 0;
    out[0]      = '\0';
    for (const ss_axis_value *v = axis->values; v->word != NULL && used < size; v++) {
        used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? "|" : "", v->word);
    }
}

static ss_status find_word(ss_decoder *d, const ss_axis *axis, const ss_node *node,
                           const char *word, const ss_axis_value **out)
{
    char    choices[256];
    int     index;
    ss_node named = *node;
    named.kind    = SS_NODE_SCALAR;
    named.text    = word;
    join_words(axis, choices, sizeof choices);
    SS_TRY(ss_decode_choice(d, axis->name, &named, choices, &index));
    *out = &axis->values[index];
    return SS_OK;
}

static ss_status decode_count(ss_decoder *d, const ss_axis *axis, const ss_axis_value *v,
                              ss_node *node, ss_axes *axes)
{
    double n;
    SS_TRY(ss_decode_number(d, v->word, node, &n));
    if (n != floor(n) || n < v->counts || n > axis->high) {
        return ss_decode_fail(d, node, "%s must be a whole number between %d and %d, got %s",
                              v->word, (int)v->counts, (int)axis->high, node->text);
    }
    *(int32_t *)(void *)((char *)axes + axis->count_offset) = (int32_t)n;
    return SS_OK;
}

/* A word that a plug-in brought: in what it does not say itself it is as a built-in value. */
static bool take_own(ss_decoder *d, const ss_axis *axis, const ss_node *node, ss_axes *axes)
{
    const ss_axis_kind **place = own_place(axis, axes);
    const ss_axis_kind  *own   = place != NULL && node->kind == SS_NODE_SCALAR
                                     ? ss_axis_kind_find(d->ctx, axis->name, node->text)
                                     : NULL;
    if (place != NULL) {
        *place = own;
    }
    for (const ss_axis_value *v = axis->values; own != NULL && v->word != NULL; v++) {
        if (strcmp(v->word, own->like) == 0) {
            *(int *)(void *)((char *)axes + axis->offset) = v->value;
        }
    }
    return own != NULL;
}

/* `cone: quadratic`, or `cone: {polygon: 8}`. */
static ss_status decode_axis(ss_decoder *d, const ss_axis *axis, ss_node *node, ss_axes *axes)
{
    const ss_axis_value *v = NULL;
    if (take_own(d, axis, node, axes)) {
        return SS_OK;
    }
    if (node->kind == SS_NODE_MAP && node->count == 1) {
        SS_TRY(find_word(d, axis, node->first, node->first->key, &v));
        if (!v->counts) {
            return ss_decode_fail(d, node, "%s: %s takes no number", axis->name, v->word);
        }
        SS_TRY(decode_count(d, axis, v, node->first, axes));
    } else {
        SS_TRY(ss_decode_expect(d, axis->name, node, SS_NODE_SCALAR));
        SS_TRY(find_word(d, axis, node, node->text, &v));
        if (v->counts) {
            return ss_decode_fail(d, node, "%s: %s needs a number: {%s: 8}", axis->name, v->word,
                                  v->word);
        }
    }
    *(int *)(void *)((char *)axes + axis->offset) = v->value;
    return SS_OK;
}

ss_status ss_decode_axes(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_axes    *axes = (ss_axes *)(void *)((char *)target + key->offset);
    const char *names[AXIS_COUNT];
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_MAP));
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        const ss_axis *axis = NULL;
        for (int i = 0; i < AXIS_COUNT; i++) {
            names[i] = axes_table[i].name;
            axis     = strcmp(entry->key, names[i]) == 0 ? &axes_table[i] : axis;
        }
        if (axis == NULL) {
            ss_name_list list = {names, AXIS_COUNT};
            return ss_decode_unknown_name(d, entry, "model axis", entry->key, &list);
        }
        SS_TRY(decode_axis(d, axis, entry, axes));
    }
    return SS_OK;
}

/* "cone=polygon:8" -> "simulation.model.cone={polygon: 8}" */
static ss_status one_override(ss_context *ctx, const char *text, int length, char *out)
{
    char        piece[96];
    const char *equals;
    char       *colon;
    int         n;
    snprintf(piece, sizeof piece, "%.*s", length, text);
    equals = strchr(piece, '=');
    if (equals == NULL || equals == piece || equals[1] == '\0' || length > 95) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "--model: expected AXIS=VALUE, such as cone=polygon:8, got "
                       "'%s'",
                       piece);
    }
    colon = strchr(piece, ':');
    if (colon != NULL) {
        *colon = '\0';
        n      = snprintf(out, 128, "simulation.model.%.*s={%s: %s}", (int)(equals - piece), piece,
                          equals + 1, colon + 1);
    } else {
        n = snprintf(out, 128, "simulation.model.%s", piece);
    }
    return n < 128 ? SS_OK : ss_fail(ctx, SS_ERR_INPUT, "--model: '%s' is too long", piece);
}

ss_status ss_axes_to_overrides(ss_context *ctx, const char *text, char (*overrides)[128],
                               int32_t room, int32_t *count)
{
    *count = 0;
    for (const char *at = text; at != NULL;) {
        const char *comma  = strchr(at, ',');
        int         length = comma != NULL ? (int)(comma - at) : (int)strlen(at);
        if (*count == room) {
            return ss_fail(ctx, SS_ERR_INPUT, "--model: more than %d axes", (int)room);
        }
        SS_TRY(one_override(ctx, at, length, overrides[*count]));
        *count += 1;
        at = comma != NULL ? comma + 1 : NULL;
    }
    return SS_OK;
}
