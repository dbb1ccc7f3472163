/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables in scene files, and motions that were recorded:
 *
 *   tables: {push: {file: run.csv, argument: time, value: force, scale: 0.001, delay: 0.1}}
 *   motion: {file: run.csv, columns: {t: time, x: px, y: py}, scale: 0.001}
 *
 * A table is a function f(x) = scale y(x - delay) that expressions call. A recorded motion is
 * written out before anything is decoded: a table for each column, and the expression that calls
 * it in place of the column's name, so that nothing else knows of files.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/scene.h"
#include "scenefile/schema.h"
#include "scenefile/table_csv.h"

typedef struct table_entry {
    const char *file, *argument, *value;
    double      scale, delay, period;
    int         interpolation;
    double     *x, *y; /* (count) points */
    int32_t     count;
    const char *signs[4]; /* columns of the quaternion that `value` belongs to */
} table_entry;

static ss_status decode_points(ss_decoder *d, const ss_key *key, ss_node *node, void *target);
static ss_status decode_signs(ss_decoder *d, const ss_key *key, ss_node *node, void *target);

const ss_key ss_table_keys[] = {
    SS_KEY_ROW("points", SS_KEY_CUSTOM, table_entry, x, .decode = decode_points,
               .form = "[[x, y], ..]", .doc = "the points themselves, x increasing"),
    SS_KEY_ROW("file", SS_KEY_FILE, table_entry, file,
               .doc = "instead of points: a file with commas between columns, whose first line "
                      "names them"),
    SS_KEY_ROW("argument", SS_KEY_TEXT, table_entry, argument, .initial = "the first column",
               .doc = "column of x"),
    SS_KEY_ROW("value", SS_KEY_TEXT, table_entry, value, .initial = "the second column",
               .doc = "column of y"),
    SS_KEY_ROW("quaternion", SS_KEY_CUSTOM, table_entry, signs, .decode = decode_signs,
               .form = "[w, x, y, z]: columns",
               .doc  = "of which `value` is one: where all four change their sign from one row to "
                       "the next, which is the same orientation, they are changed back"),
    SS_KEY_ROW("scale", SS_KEY_REAL, table_entry, scale, .initial = "1",
               .doc = "factor of the values: 0.001 for millimetres"),
    SS_KEY_ROW("delay", SS_KEY_REAL, table_entry, delay, .initial = "0",
               .doc = "is added to the arguments: the recording begins that much later"),
    SS_KEY_ROW("interpolation", SS_KEY_CHOICE, table_entry, interpolation,
               .choices = "cubic|linear|step", .initial = "cubic",
               .doc = "between points: a spline with two continuous derivatives, straight "
                      "lines, or the value of the point before. Outside the end values stay"),
    SS_KEY_ROW("period", SS_KEY_REAL, table_entry, period, SS_NOT_NEGATIVE, .initial = "0: none",
               .doc = "it repeats; greater than what the points span, the first of them comes "
                      "again"),
    SS_KEY_END};

/* ---- one table ---- */

static ss_status make_room(ss_decoder *d, table_entry *t, int64_t count)
{
    t->count = (int32_t)count;
    t->x     = ss_pool_alloc(d->pool, (size_t)count + 1, sizeof *t->x);
    t->y     = ss_pool_alloc(d->pool, (size_t)count + 1, sizeof *t->y);
    return t->x != NULL && t->y != NULL ? SS_OK : ss_decode_no_memory(d);
}

static ss_status check_order(ss_decoder *d, const table_entry *t, int32_t i, const ss_node *at)
{
    if (i > 0 && !(t->x[i] > t->x[i - 1])) {
        return ss_decode_fail(d, at, "arguments must increase: %.15g follows %.15g", t->x[i],
                              t->x[i - 1]);
    }
    return SS_OK;
}

static ss_status decode_points(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    table_entry *t = target;
    int32_t      i = 0;
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_LIST));
    SS_TRY(make_room(d, t, node->count));
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next, i++) {
        double point[2];
        SS_TRY(ss_decode_numbers(d, "a point", entry, 2, point));
        t->x[i] = point[0];
        t->y[i] = point[1];
        SS_TRY(check_order(d, t, i, entry));
    }
    return SS_OK;
}

static ss_status decode_signs(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    table_entry *t = target;
    int          i = 0;
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_LIST));
    if (node->count != 4) {
        return ss_decode_fail(d, node, "quaternion must name 4 columns, got %d", (int)node->count);
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        SS_TRY(ss_decode_text(d, key->name, entry, &t->signs[i++]));
    }
    return SS_OK;
}

static ss_status find_column(ss_decoder *d, const ss_csv *csv, const ss_node *node,
                             const char *name, int32_t *out)
{
    for (*out = 0; *out < csv->columns; (*out)++) {
        if (strcmp(csv->names[*out], name) == 0) {
            return SS_OK;
        }
    }
    ss_name_list list;
    SS_TRY(ss_name_list_make(d, &list, csv->columns));
    list.count = csv->columns;
    memcpy(list.names, csv->names, (size_t)csv->columns * sizeof *list.names);
    ss_name_list_sort(&list);
    return ss_decode_unknown_name(d, node, "column", name, &list);
}

static ss_status cell(ss_decoder *d, const ss_csv *csv, int64_t row, int32_t column, double *out)
{
    ss_node copy = *csv->cells[row * csv->columns + column]; /* decoding writes into nodes */
    return ss_decode_number(d, csv->names[column], &copy, out);
}

/* Rows of quaternions with the sign that is nearer to the row before. */
static ss_status mend_signs(ss_decoder *d, const ss_csv *csv, const ss_node *node, table_entry *t)
{
    double  before[4] = {0}, now[4], sign = 1;
    int32_t columns[4];
    for (int k = 0; k < 4; k++) {
        SS_TRY(find_column(d, csv, node, t->signs[k], &columns[k]));
    }
    for (int32_t i = 0; i < t->count; i++) {
        double along = 0;
        for (int k = 0; k < 4; k++) {
            SS_TRY(cell(d, csv, i, columns[k], &now[k]));
            along += now[k] * before[k];
        }
        sign = along < 0 ? -sign : sign;
        t->y[i] *= sign;
        memcpy(before, now, sizeof now);
    }
    return SS_OK;
}

static ss_status read_columns(ss_decoder *d, ss_node *node, table_entry *t)
{
    ss_csv         csv;
    int32_t        from = 0, to = 1;
    const ss_node *argument = ss_node_find(node, "argument"), *value = ss_node_find(node, "value");
    SS_TRY(ss_csv_read(d, ss_node_find(node, "file"), t->file, &csv));
    if (argument != NULL) {
        SS_TRY(find_column(d, &csv, argument, t->argument, &from));
    }
    if (value != NULL) {
        SS_TRY(find_column(d, &csv, value, t->value, &to));
    } else if (csv.columns < 2) {
        return ss_decode_fail(d, node, "%s has one column; a table needs two", t->file);
    }
    SS_TRY(make_room(d, t, csv.rows));
    for (int32_t i = 0; i < t->count; i++) {
        SS_TRY(cell(d, &csv, i, from, &t->x[i]));
        SS_TRY(cell(d, &csv, i, to, &t->y[i]));
        SS_TRY(check_order(d, t, i, csv.cells[(int64_t)i * csv.columns + from]));
    }
    return t->signs[0] != NULL ? mend_signs(d, &csv, node, t) : SS_OK;
}

static ss_status decode_table(ss_decoder *d, ss_node *node)
{
    table_entry t = {.scale = 1};
    SS_TRY(ss_decode_expect(d, "a table", node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, ss_table_keys, node, &t));
    if ((t.file != NULL) == (t.x != NULL)) {
        return ss_decode_fail(d, node, "a table has points or a file");
    }
    if (t.file != NULL) {
        SS_TRY(read_columns(d, node, &t));
    }
    for (int32_t i = 0; i < t.count; i++) {
        t.x[i] += t.delay;
        t.y[i] *= t.scale;
    }
    const ss_table_def def = {.name          = node->key,
                              .x             = t.x,
                              .y             = t.y,
                              .count         = t.count,
                              .interpolation = (ss_interpolation)t.interpolation,
                              .period        = t.period};
    SS_TRY(ss_node_place(d->ctx, node, ss_scene_add_table(d->scene, &def)));
    SS_TRY(ss_decode_need_env(d, node));
    return ss_tables_into(d->env, d->scene->tables + d->scene->table_count - 1, 1);
}

/* ---- motions that were recorded ---- */

typedef struct recording {
    ss_decoder *d;
    ss_node    *tables; /* the section */
    ss_node    *motion, *columns;
} recording;

static ss_status new_node(const recording *r, ss_node_kind kind, const char *key, const char *text,
                          ss_node **out)
{
    int ok = 1;
    *out   = ss_node_new(r->d->pool, kind, r->motion->origin, r->motion->line, r->motion->column);
    if (*out == NULL) {
        return ss_decode_no_memory(r->d);
    }
    (*out)->key  = ss_pool_text(r->d->pool, key, &ok);
    (*out)->text = ss_pool_text(r->d->pool, text, &ok);
    return ok ? SS_OK : ss_decode_no_memory(r->d);
}

static ss_status append_copy(const recording *r, const ss_node *from, const char *key, ss_node *to)
{
    int      ok   = 1;
    ss_node *copy = ss_node_copy(r->d->pool, from);
    if (copy == NULL) {
        return ss_decode_no_memory(r->d);
    }
    copy->key  = ss_pool_text(r->d->pool, key, &ok);
    copy->next = NULL;
    ss_node_append(to, copy);
    return ok ? SS_OK : ss_decode_no_memory(r->d);
}

/* A name that no table has. */
static void free_name(const recording *r, char *name, size_t size)
{
    int32_t number = r->tables->count;
    do {
        snprintf(name, size, "recorded_%d", (int)number++);
    } while (ss_node_find(r->tables, name) != NULL);
}

static bool is_length(const char *key)
{
    return strcmp(key, "x") == 0 || strcmp(key, "y") == 0 || strcmp(key, "z") == 0 ||
           strcmp(key, "velocity") == 0 || strcmp(key, "acceleration") == 0;
}

/* A table for one column, and the expression that calls it instead of the column's name. */
static ss_status replace_column(const recording *r, const ss_node *quantity, ss_node *column)
{
    static const char *const shared[] = {"file", "delay", "interpolation", "period"};
    char                     name[32], call[64];
    ss_node                 *table;
    int                      ok = 1;
    SS_TRY(ss_decode_expect(r->d, "the name of a column", column, SS_NODE_SCALAR));
    free_name(r, name, sizeof name);
    snprintf(call, sizeof call, "%s(t)", name);
    SS_TRY(new_node(r, SS_NODE_MAP, name, NULL, &table));
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        const ss_node *given = ss_node_find(r->motion, shared[i]);
        if (given != NULL) {
            SS_TRY(append_copy(r, given, shared[i], table));
        }
    }
    const ss_node *scale = ss_node_find(r->motion, "scale");
    if (scale != NULL && is_length(quantity->key)) {
        SS_TRY(append_copy(r, scale, "scale", table));
    }
    const ss_node *time = ss_node_find(r->columns, "t");
    if (time != NULL) {
        SS_TRY(append_copy(r, time, "argument", table));
    }
    SS_TRY(append_copy(r, column, "value", table));
    if (strcmp(quantity->key, "quat_wxyz") == 0) {
        SS_TRY(append_copy(r, quantity, "quaternion", table));
    }
    ss_node_append(r->tables, table);
    column->text  = ss_pool_text(r->d->pool, call, &ok);
    column->plain = false;
    return ok ? SS_OK : ss_decode_no_memory(r->d);
}

static ss_status replace_quantity(const recording *r, const ss_node *quantity)
{
    ss_node *written = ss_node_copy(r->d->pool, quantity);
    if (written == NULL) {
        return ss_decode_no_memory(r->d);
    }
    written->next = NULL;
    if (written->kind == SS_NODE_LIST) {
        for (ss_node *column = written->first; column != NULL; column = column->next) {
            SS_TRY(replace_column(r, quantity, column));
        }
    } else {
        SS_TRY(replace_column(r, quantity, written));
    }
    if (ss_node_find(r->motion, quantity->key) != NULL) {
        return ss_decode_fail(r->d, quantity, "%.60s is in the file and in the motion",
                              quantity->key);
    }
    ss_node_append(r->motion, written);
    return SS_OK;
}

/* {file: .., columns: {..}, ..} becomes the keys that `columns` has. */
static ss_status write_out(recording *r)
{
    r->columns = ss_node_find(r->motion, "columns");
    if (r->columns == NULL || r->columns->kind != SS_NODE_MAP) {
        return ss_decode_fail(r->d, r->motion,
                              "a motion with a file needs columns: {t: .., x: .., ..}, the names "
                              "of its columns");
    }
    for (const ss_node *q = r->columns->first; q != NULL; q = q->next) {
        if (strcmp(q->key, "t") != 0) {
            SS_TRY(replace_quantity(r, q));
        }
    }
    static const char *const consumed[] = {"file", "columns", "scale", "delay", "interpolation"};
    for (size_t i = 0; i < sizeof consumed / sizeof *consumed; i++) {
        ss_node_drop(r->motion, consumed[i]);
    }
    return SS_OK;
}

static ss_status tables_section(ss_decoder *d, ss_node **out)
{
    *out = ss_node_find(d->root, "tables");
    if (*out != NULL) {
        return ss_decode_expect(d, "tables", *out, SS_NODE_MAP);
    }
    *out = ss_node_new(d->pool, SS_NODE_MAP, d->root->origin, d->root->line, d->root->column);
    if (*out == NULL) {
        return ss_decode_no_memory(d);
    }
    (*out)->key = "tables";
    ss_node_append(d->root, *out);
    return SS_OK;
}

static ss_status write_out_recordings(ss_decoder *d)
{
    const ss_node *bodies = ss_node_find(d->root, "bodies");
    if (bodies == NULL || bodies->kind != SS_NODE_LIST) {
        return SS_OK; /* the section itself complains */
    }
    for (const ss_node *body = bodies->first; body != NULL; body = body->next) {
        ss_node *motion = body->kind == SS_NODE_MAP ? ss_node_find(body, "motion") : NULL;
        if (motion == NULL || motion->kind != SS_NODE_MAP || ss_node_find(motion, "file") == NULL) {
            continue;
        }
        recording r = {.d = d, .motion = motion};
        SS_TRY(tables_section(d, &r.tables));
        SS_TRY(write_out(&r));
    }
    return SS_OK;
}

ss_status ss_decode_tables(ss_decoder *d, ss_node *node)
{
    SS_TRY(write_out_recordings(d));
    node = ss_node_find(d->root, "tables");
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "tables", node, SS_NODE_MAP));
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        snprintf(d->what, sizeof d->what, "table '%.60s': ", entry->key);
        SS_TRY(decode_table(d, entry));
    }
    return SS_OK;
}
