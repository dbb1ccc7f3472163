/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `friction` of materials and pairs: a number, {static, kinetic, stribeck}, or something that
 * varies with place: a formula of x, y, z, or {map: {file, ..}}.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pool.h"
#include "expr/formula.h"
#include "scenefile/scene_friction.h"
#include "scenefile/table_csv.h"

/* ---- static and kinetic ---- */

typedef struct two_frictions {
    double at_rest, kinetic, stribeck;
} two_frictions;

const ss_key ss_friction_keys[] = {
    SS_KEY_ROW("static", SS_KEY_REAL, two_frictions, at_rest, SS_NOT_NEGATIVE, .required = true,
               .doc = "coefficient of what sticks"),
    SS_KEY_ROW("kinetic", SS_KEY_REAL, two_frictions, kinetic, SS_NOT_NEGATIVE, .required = true,
               .doc = "coefficient of what slides, at most the static one"),
    SS_KEY_ROW("stribeck", SS_KEY_REAL, two_frictions, stribeck, SS_POSITIVE, .unit = "m/s",
               .initial = "kinetic at once",
               .doc     = "V of kinetic + (static - kinetic) exp(-(v/V)^2) at the slip v"),
    SS_KEY_END};

static ss_status decode_two(ss_decoder *d, ss_node *node, const ss_friction_target *to)
{
    two_frictions two = {.stribeck = 0};
    SS_TRY(ss_decode_map(d, ss_friction_keys, node, &two));
    if (two.kinetic > two.at_rest) {
        return ss_decode_fail(d, node,
                              "friction: static must be at least kinetic (what sticks holds at "
                              "least as well as what slides), got %g < %g",
                              two.at_rest, two.kinetic);
    }
    *to->friction = two.at_rest;
    *to->sliding  = (ss_sliding_def){true, two.kinetic, two.stribeck};
    return SS_OK;
}

/* ---- formulas ---- */

static bool is_param(const ss_decoder *d, const char *name)
{
    const ss_node *params = ss_node_find(d->root, "params");
    return params != NULL && ss_node_find(params, name) != NULL;
}

/* Does a coordinate occur in it, which is no parameter of the scene? */
static bool uses_place(const ss_decoder *d, const char *text)
{
    for (const char *at = text; *at != '\0';) {
        size_t n = 0;
        while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '.') {
            n++;
        }
        const char name[2] = {*at, '\0'};
        if (n == 1 && *at >= 'x' && *at <= 'z' && !is_param(d, name)) {
            return true;
        }
        at += n > 0 ? n : 1;
    }
    return false;
}

static ss_status decode_formula(ss_decoder *d, ss_node *node, const ss_friction_target *to)
{
    ss_formula *parsed = ss_pool_alloc(d->pool, 1, sizeof *parsed);
    if (parsed == NULL) {
        return ss_decode_no_memory(d);
    }
    SS_TRY(ss_decode_formula(d, "friction", node, &to->place->formula));
    if (ss_formula_read(d->ctx, to->place->formula, d->dimension, parsed) != SS_OK) {
        char message[400];
        snprintf(message, sizeof message, "%s", ss_context_message(d->ctx));
        return ss_decode_fail(d, node, "friction: %s", message);
    }
    *to->friction = 1;
    return SS_OK;
}

/* ---- maps ---- */

typedef struct map_def {
    ss_friction_place_def place;
    ss_node              *file, *values;
} map_def;

static ss_status keep_file(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    (void)d;
    (void)key;
    ((map_def *)target)->file = node;
    return SS_OK;
}

/* Read once places are known, whatever the order of the keys. */
static ss_status keep_values(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ((map_def *)target)->values = node;
    return ss_decode_expect(d, key->name, node, SS_NODE_LIST);
}

static ss_status decode_knots(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_friction_place_def *p    = &((map_def *)target)->place;
    bool                   is_x = key->name[0] == 'x';
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_LIST));
    double *v = ss_pool_alloc(d->pool, (size_t)node->count + 1, sizeof *v);
    if (v == NULL) {
        return ss_decode_no_memory(d);
    }
    SS_TRY(ss_decode_numbers(d, key->name, node, node->count, v));
    if (node->count < 1) {
        return ss_decode_fail(d, node, "%s must have at least one place", key->name);
    }
    for (int32_t i = 1; i < node->count; i++) {
        if (!(v[i] > v[i - 1])) {
            return ss_decode_fail(d, node, "%s must increase, got %g after %g", key->name, v[i],
                                  v[i - 1]);
        }
    }
    *(is_x ? &p->x : &p->y)   = v;
    *(is_x ? &p->nx : &p->ny) = node->count;
    return SS_OK;
}

static ss_status check_value(ss_decoder *d, const ss_node *node, double value)
{
    return value >= 0 ? SS_OK : ss_decode_fail(d, node, "friction must be >= 0, got %g", value);
}

static ss_status read_values(ss_decoder *d, ss_node *node, ss_friction_place_def *p)
{
    int32_t ny = p->ny > 0 ? p->ny : 1, j = 0;
    double *v = ss_pool_alloc(d->pool, (size_t)(p->nx * ny) + 1, sizeof *v);
    if (v == NULL) {
        return ss_decode_no_memory(d);
    }
    if (p->nx == 0 || node->count != ny) {
        return ss_decode_fail(d, node, "values must have a row for each y (%d), got %d", (int)ny,
                              (int)node->count);
    }
    for (ss_node *row = node->first; row != NULL; row = row->next, j++) {
        SS_TRY(ss_decode_numbers(d, "a row of values", row, p->nx, v + (ptrdiff_t)j * p->nx));
        for (int32_t i = 0; i < p->nx; i++) {
            SS_TRY(check_value(d, row, v[j * p->nx + i]));
        }
    }
    p->values = v;
    return SS_OK;
}

/* The numbers in the first line, after its first cell. */
static ss_status read_columns(ss_decoder *d, const ss_csv *csv, ss_friction_place_def *p)
{
    const char *path = csv->cells[0]->origin;
    double     *x    = ss_pool_alloc(d->pool, (size_t)csv->columns, sizeof *x);
    if (x == NULL) {
        return ss_decode_no_memory(d);
    }
    for (int32_t c = 1; c < csv->columns; c++) {
        char *end;
        x[c - 1] = strtod(csv->names[c], &end);
        if (*end != '\0' || !isfinite(x[c - 1])) {
            return ss_fail(d->ctx, SS_ERR_INPUT,
                           "%s:1: the first line must have the places along x after its first "
                           "cell, got '%.40s'",
                           path, csv->names[c]);
        }
        if (c > 1 && !(x[c - 1] > x[c - 2])) {
            return ss_fail(d->ctx, SS_ERR_INPUT,
                           "%s:1: places along x must increase, got %g after %g", path, x[c - 1],
                           x[c - 2]);
        }
    }
    p->x  = x;
    p->nx = csv->columns - 1;
    return SS_OK;
}

static ss_status read_rows(ss_decoder *d, const ss_csv *csv, ss_friction_place_def *p)
{
    size_t  rows = (size_t)csv->rows, nx = (size_t)p->nx;
    double *y = ss_pool_alloc(d->pool, rows, sizeof *y);
    double *v = ss_pool_alloc(d->pool, rows * nx, sizeof *v);
    if (y == NULL || v == NULL) {
        return ss_decode_no_memory(d);
    }
    for (size_t j = 0; j < rows; j++) {
        const ss_node *const *row  = csv->cells + j * (size_t)csv->columns;
        ss_node               cell = *row[0];
        SS_TRY(ss_decode_number(d, "the place along y", &cell, &y[j]));
        if (j > 0 && !(y[j] > y[j - 1])) {
            return ss_decode_fail(d, row[0], "places along y must increase, got %g after %g", y[j],
                                  y[j - 1]);
        }
        for (size_t i = 0; i < nx; i++) {
            cell = *row[i + 1];
            SS_TRY(ss_decode_number(d, "friction", &cell, &v[j * nx + i]));
            SS_TRY(check_value(d, row[i + 1], v[j * nx + i]));
        }
    }
    p->y      = y;
    p->ny     = (int32_t)csv->rows;
    p->values = v;
    return SS_OK;
}

static ss_status read_file(ss_decoder *d, ss_node *node, ss_friction_place_def *p)
{
    const char *file;
    ss_csv      csv;
    SS_TRY(ss_decode_text(d, "file", node, &file));
    SS_TRY(ss_csv_read(d, node, file, &csv));
    if (csv.columns < 2) {
        return ss_decode_fail(d, node,
                              "%s: a map has a column of places along y and at least one "
                              "column of values",
                              file);
    }
    SS_TRY(read_columns(d, &csv, p));
    return read_rows(d, &csv, p);
}

const ss_key ss_friction_map_keys[] = {
    SS_KEY_ROW("file", SS_KEY_CUSTOM, map_def, file, .decode = keep_file, .form = "path",
               .schema = "\"type\": \"string\"",
               .doc = "CSV: places along x in the first line after its first cell, then a line for "
                      "each place along y: the place, and the values"),
    SS_KEY_ROW("x", SS_KEY_CUSTOM, map_def, place, .decode = decode_knots, .form = "[..]",
               .unit = "m", .schema = "\"type\": \"array\"",
               .doc = "instead of a file: places along x, increasing"),
    SS_KEY_ROW("y", SS_KEY_CUSTOM, map_def, place, .decode = decode_knots, .form = "[..]",
               .unit = "m", .schema = "\"type\": \"array\"", .initial = "the same along y",
               .doc = "places along y, increasing"),
    SS_KEY_ROW("values", SS_KEY_CUSTOM, map_def, values, .decode = keep_values,
               .form = "[[..], ..]", .schema = "\"type\": \"array\"",
               .doc =
                   "coefficients: a row for each place along y, expressions of params among them"),
    SS_KEY_ROW("frame", SS_KEY_CHOICE, map_def, place.frame, .choices = "body|world",
               .initial = "body",
               .doc = "whose coordinates: of the body that has the material (of a pair: the first "
                      "of the two), or of the world"),
    SS_KEY_ROW("axes", SS_KEY_CHOICE, map_def, place.axes, .choices = "xy|xz|yz", .initial = "xy",
               .doc = "which coordinates x and y of the map are"),
    SS_KEY_END};

static ss_status decode_map(ss_decoder *d, ss_node *node, const ss_friction_target *to)
{
    ss_node *map = ss_node_find(node, "map");
    map_def  def = {.file = NULL};
    if (node->count != 1) {
        return ss_decode_fail(d, node, "friction: a map stands alone: {map: {..}}");
    }
    SS_TRY(ss_decode_expect(d, "map", map, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, ss_friction_map_keys, map, &def));
    bool listed = def.values != NULL && def.place.x != NULL;
    if ((def.file != NULL) == listed || (def.file != NULL && (def.place.x || def.place.y))) {
        return ss_decode_fail(d, map, "map must have either a file, or x and values");
    }
    if (d->dimension == 2 && def.place.axes != SS_FRICTION_XY) {
        return ss_decode_fail(d, map, "map: axes must be xy in 2D");
    }
    SS_TRY(def.file != NULL ? read_file(d, def.file, &def.place)
                            : read_values(d, def.values, &def.place));
    *to->place    = def.place;
    *to->friction = 1;
    return SS_OK;
}

/* ---- all of them ---- */

bool ss_friction_is_placed(const ss_decoder *d, const ss_node *node)
{
    bool map = node->kind == SS_NODE_MAP && ss_node_find(node, "map") != NULL;
    return map || (node->kind == SS_NODE_SCALAR && uses_place(d, node->text));
}

ss_status ss_decode_friction(ss_decoder *d, ss_node *node, const ss_friction_target *to)
{
    static const ss_key range = {SS_NOT_NEGATIVE};
    if (node->kind == SS_NODE_MAP && ss_node_find(node, "map") != NULL) {
        return decode_map(d, node, to);
    }
    if (node->kind == SS_NODE_MAP) {
        return decode_two(d, node, to);
    }
    if (node->kind == SS_NODE_SCALAR && uses_place(d, node->text)) {
        return decode_formula(d, node, to);
    }
    SS_TRY(ss_decode_number(d, "friction", node, to->friction));
    return ss_decode_range(d, &range, "friction", node, *to->friction);
}
