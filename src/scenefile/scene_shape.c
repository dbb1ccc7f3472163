/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes in scene files: `shape: {sphere: {radius: 1}}`. The keys come from the shape's own field
 * table and from the one that all shapes share, so that a new shape needs nothing here.
 */
#include <stdio.h>
#include <string.h>

#include "scenefile/schema.h"

enum { FIELDS_MAX = 32, SHAPES_MAX = 64, DEPTH_MAX = 8, POINTS_MAX = 1000000 };

static const ss_key no_more_keys = SS_KEY_END;

/* A row of the schema for a field of a shape; false for fields that are lists. */
static bool key_of_field(const ss_field *f, ss_key *out)
{
    static const ss_key_type types[] = {
        [SS_FIELD_REAL] = SS_KEY_REAL,           [SS_FIELD_VECTOR] = SS_KEY_VECTOR,
        [SS_FIELD_QUAT] = SS_KEY_QUAT,           [SS_FIELD_ANGLE] = SS_KEY_ANGLE_QUAT,
        [SS_FIELD_POINTS] = SS_KEY_CUSTOM,       [SS_FIELD_SHAPES] = SS_KEY_CUSTOM,
        [SS_FIELD_TEXT] = SS_KEY_TEXT,           [SS_FIELD_FILE] = SS_KEY_FILE,
        [SS_FIELD_EULER] = SS_KEY_EULER,         [SS_FIELD_AXIS_ANGLE] = SS_KEY_AXIS_ANGLE,
        [SS_FIELD_DIRECTION] = SS_KEY_DIRECTION, [SS_FIELD_FORMULA] = SS_KEY_FORMULA,
    };
    *out = (ss_key){.name       = f->name,
                    .type       = types[f->type],
                    .dimensions = f->dimensions,
                    .required   = f->required,
                    .offset     = f->offset,
                    .low        = f->low,
                    .high       = f->high,
                    .above      = true,
                    .doc        = f->doc};
    if (f->type == SS_FIELD_TEXT && strcmp(f->name, "material") == 0) {
        out->type = SS_KEY_MATERIAL;
    }
    return out->type != SS_KEY_CUSTOM;
}

/* ---- lists of points and of shapes ---- */

static ss_status decode_points(ss_decoder *d, const ss_field *f, ss_node *node, ss_shape_def *def)
{
    char label[96];
    SS_TRY(ss_decode_expect(d, f->name, node, SS_NODE_LIST));
    ss_vec3 *points = ss_pool_alloc(d->pool, (size_t)node->count + 1, sizeof *points);
    if (points == NULL) {
        return ss_decode_no_memory(d);
    }
    int32_t i = 0;
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next, i++) {
        double x[3] = {0, 0, 0};
        snprintf(label, sizeof label, "%s[%d]", f->name, (int)i);
        SS_TRY(ss_decode_numbers(d, label, entry, d->dimension, x));
        points[i] = ss_v3(x[0], x[1], x[2]);
    }
    *(const ss_vec3 **)(void *)((char *)def + f->offset) = points;
    *(int32_t *)(void *)((char *)def + f->count_offset)  = node->count;
    return SS_OK;
}

static ss_status decode_one(ss_decoder *d, ss_node *node, int depth, ss_shape_def *def);

static ss_status decode_parts(ss_decoder *d, const ss_field *f, ss_node *node, int depth,
                              ss_shape_def *def)
{
    SS_TRY(ss_decode_expect(d, f->name, node, SS_NODE_LIST));
    ss_shape_def *parts = ss_pool_alloc(d->pool, (size_t)node->count + 1, sizeof *parts);
    if (parts == NULL) {
        return ss_decode_no_memory(d);
    }
    int32_t i = 0;
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next, i++) {
        SS_TRY(decode_one(d, entry, depth + 1, &parts[i]));
    }
    *(const ss_shape_def **)(void *)((char *)def + f->offset) = parts;
    *(int32_t *)(void *)((char *)def + f->count_offset)       = node->count;
    return SS_OK;
}

/* ---- one shape ---- */

static const ss_field *find_list_field(const ss_shape_class *cls, const char *name)
{
    for (const ss_field *f = cls->fields; f != NULL && f->name != NULL; f++) {
        bool list = f->type == SS_FIELD_POINTS || f->type == SS_FIELD_SHAPES;
        if (list && strcmp(f->name, name) == 0) {
            return f;
        }
    }
    return NULL;
}

static ss_status decode_list_field(ss_decoder *d, const ss_field *f, ss_node *node, int depth,
                                   ss_shape_def *def)
{
    return f->type == SS_FIELD_POINTS ? decode_points(d, f, node, def)
                                      : decode_parts(d, f, node, depth, def);
}

/* CUSTOM rows of a shape's table: the lists were decoded before, here they are only known. */
static ss_status already_decoded(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    (void)d, (void)key, (void)node, (void)target;
    return SS_OK;
}

static void add_rows(const ss_field *fields, int dimension, ss_key *table, int *count)
{
    for (const ss_field *f = fields; f != NULL && f->name != NULL && *count < FIELDS_MAX - 1; f++) {
        if (!key_of_field(f, &table[*count])) {
            table[*count].decode = already_decoded;
        }
        bool exists = f->dimensions == 5 || f->dimensions == dimension;
        *count += exists;
    }
}

static void set_defaults(const ss_field *fields, ss_shape_def *def)
{
    for (const ss_field *f = fields; f != NULL && f->name != NULL; f++) {
        if (f->type == SS_FIELD_REAL) {
            *(double *)(void *)((char *)def + f->offset) = f->initial;
        }
    }
}

static ss_status decode_fields(ss_decoder *d, const ss_shape_class *cls, ss_node *node, int depth,
                               ss_shape_def *def)
{
    ss_key table[FIELDS_MAX];
    int    count = 0;
    add_rows(cls->fields, d->dimension, table, &count);
    add_rows(ss_shape_common_fields(), d->dimension, table, &count);
    table[count] = no_more_keys;
    set_defaults(cls->fields, def);
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        const ss_field *list = find_list_field(cls, entry->key);
        if (list != NULL) {
            SS_TRY(decode_list_field(d, list, entry, depth, def));
        }
    }
    return ss_decode_map(d, table, node, def);
}

/* `union: [..]` is short for `union: {parts: [..]}`. */
static const ss_field *main_field(const ss_shape_class *cls)
{
    for (const ss_field *f = cls->fields; f != NULL && f->name != NULL; f++) {
        if (f->main) {
            return f;
        }
    }
    return NULL;
}

static ss_status unknown_shape(ss_decoder *d, const ss_node *node)
{
    const char *names[SHAPES_MAX];
    int32_t     count = 0;
    for (int32_t i = 0; i < ss_shape_count(d->ctx) && count < SHAPES_MAX; i++) {
        const ss_shape_class *cls = ss_shape_at(d->ctx, i);
        if (strcmp(cls->name, node->key) == 0 && cls->dimensions != 5 &&
            cls->dimensions != d->dimension) {
            return ss_decode_fail(d, node, "the shape '%s' exists only in %dD scenes", cls->name,
                                  cls->dimensions);
        }
        if (cls->dimensions == 5 || cls->dimensions == d->dimension) {
            names[count++] = cls->name;
        }
    }
    ss_name_list list = {names, count};
    return ss_decode_unknown_name(d, node, "shape", node->key, &list);
}

static ss_status decode_one(ss_decoder *d, ss_node *node, int depth, ss_shape_def *def)
{
    SS_TRY(ss_decode_expect(d, "shape", node, SS_NODE_MAP));
    if (depth > DEPTH_MAX) {
        return ss_decode_fail(d, node, "shapes are nested too deeply");
    }
    if (node->count != 1) {
        return ss_decode_fail(d, node,
                              "shape must have one entry, such as {sphere: {radius: 1}}, got %d",
                              (int)node->count);
    }
    ss_node              *body = node->first;
    const ss_shape_class *cls  = ss_shape_find(d->ctx, body->key, d->dimension);
    if (cls == NULL) {
        return unknown_shape(d, body);
    }
    memset(def, 0, sizeof *def);
    def->type                = cls->name;
    const ss_field *shortcut = main_field(cls);
    if (body->kind == SS_NODE_LIST && shortcut != NULL) {
        set_defaults(cls->fields, def);
        return decode_list_field(d, shortcut, body, depth, def);
    }
    SS_TRY(ss_decode_expect(d, cls->name, body, SS_NODE_MAP));
    SS_TRY(decode_fields(d, cls, body, depth, def));
    bool formula = cls->fields != NULL && cls->fields[0].type == SS_FIELD_FORMULA;
    return formula ? ss_check_formula_shape(d, body, def) : SS_OK;
}

ss_status ss_decode_shape(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_shape_def *def = ss_pool_alloc(d->pool, 1, sizeof *def);
    if (def == NULL) {
        return ss_decode_no_memory(d);
    }
    SS_TRY(decode_one(d, node, 0, def));
    *(const ss_shape_def **)(void *)((char *)target + key->offset) = def;
    return SS_OK;
}
