/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a table as what was measured of bodies. */
#include "runfile/measured.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/pool.h"
#include "scenefile/table_csv.h"

enum { COLUMNS_MAX = 256, NAME_MAX_LENGTH = 200 };

typedef struct column {
    const char *body, *coordinate;
    double     *y; /* (samples) NAN: a gap */
} column;

struct ss_measured {
    ss_context *ctx;
    ss_pool     pool;
    double     *t; /* (samples) */
    int32_t     samples, count;
    column      columns[COLUMNS_MAX];
};

static ss_status no_memory(ss_context *ctx)
{
    return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
}

static ss_status check_times(ss_context *ctx, int32_t samples, const double *t)
{
    for (int32_t i = 0; i < samples; i++) {
        if (!isfinite(t[i]) || (i > 0 && t[i] <= t[i - 1])) {
            return ss_fail(ctx, SS_ERR_ARGUMENT, "times of what was measured must rise: sample %d",
                           (int)i);
        }
    }
    return SS_OK;
}

ss_status ss_measured_create(ss_context *ctx, int32_t samples, const double *t, ss_measured **out)
{
    *out = NULL;
    if (samples < 1 || t == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "nothing was measured");
    }
    SS_TRY(check_times(ctx, samples, t));
    ss_measured *s = ss_alloc(ctx, 1, sizeof *s);
    if (s == NULL) {
        return no_memory(ctx);
    }
    s->ctx     = ctx;
    s->pool    = (ss_pool){.ctx = ctx};
    s->samples = samples;
    int ok     = 1;
    s->t       = ss_pool_copy(&s->pool, t, (size_t)samples, sizeof *t, &ok);
    if (!ok) {
        ss_measured_destroy(s);
        return no_memory(ctx);
    }
    *out = s;
    return SS_OK;
}

ss_status ss_measured_add(ss_measured *s, const char *body, const char *coordinate,
                          const double *values)
{
    int    ok = 1;
    column c  = {ss_pool_text(&s->pool, body, &ok), ss_pool_text(&s->pool, coordinate, &ok),
                 ss_pool_copy(&s->pool, values, (size_t)s->samples, sizeof *values, &ok)};
    if (!ok) {
        return no_memory(s->ctx);
    }
    if (s->count == COLUMNS_MAX) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "more than %d columns were measured", COLUMNS_MAX);
    }
    s->columns[s->count++] = c;
    return SS_OK;
}

void ss_measured_destroy(ss_measured *s)
{
    if (s != NULL) {
        ss_pool_free(&s->pool);
        ss_free(s->ctx, s, sizeof *s);
    }
}

int32_t ss_measured_samples(const ss_measured *s)
{
    return s != NULL ? s->samples : 0;
}

int32_t ss_measured_columns(const ss_measured *s)
{
    return s != NULL ? s->count : 0;
}

void ss_measured_json(const ss_measured *s, ss_buffer *out)
{
    ss_buffer_text(out, "{\"t\":");
    ss_buffer_numbers(out, s->t, s->samples);
    ss_buffer_text(out, ",\"columns\":[");
    for (int32_t c = 0; c < s->count; c++) {
        ss_buffer_text(out, c > 0 ? ",{\"body\":" : "{\"body\":");
        ss_buffer_quote(out, s->columns[c].body);
        ss_buffer_text(out, ",\"coordinate\":");
        ss_buffer_quote(out, s->columns[c].coordinate);
        ss_buffer_text(out, ",\"y\":");
        ss_buffer_numbers(out, s->columns[c].y, s->samples);
        ss_buffer_text(out, "}");
    }
    ss_buffer_text(out, "]}");
}

/* ---- from a file ---- */

typedef struct reading {
    ss_context     *ctx;
    const ss_model *model;
    ss_decoder      d;
    const char     *path;
    ss_csv          csv;
    int32_t         time;                                   /* its column                     */
    int32_t         place[COLUMNS_MAX];                     /* of what is measured            */
    char            name[COLUMNS_MAX][NAME_MAX_LENGTH + 1]; /* BODY.COORDINATE */
    int32_t         count;
} reading;

static const char *coordinates(const ss_model *m)
{
    return ss_model_dimension(m) == 2 ? "x, y, angle, vx, vy, w"
                                      : "x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz";
}

/* Is `word` one of a list "a, b, c"? */
static bool listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; n > 0 && (at = strstr(at, word)) != NULL; at++) {
        if ((at == list || at[-1] == ' ') && (at[n] == ',' || at[n] == '\0')) {
            return true;
        }
    }
    return false;
}

/* "box.x" -> body and coordinate; false: the model has none such. */
static bool split_name(const reading *r, const char *name, char *body, const char **coordinate)
{
    const char *dot = strrchr(name, '.');
    if (dot == NULL || dot - name > NAME_MAX_LENGTH || !listed(coordinates(r->model), dot + 1)) {
        return false;
    }
    snprintf(body, NAME_MAX_LENGTH + 1, "%.*s", (int)(dot - name), name);
    *coordinate = dot + 1;
    return ss_model_find_body(r->model, body).index1 > 0;
}

static int32_t find_column(const reading *r, const char *name)
{
    for (int32_t c = 0; c < r->csv.columns; c++) {
        if (strcmp(r->csv.names[c], name) == 0) {
            return c;
        }
    }
    return -1;
}

/* One entry of `columns`: "box.x=px". */
static ss_status take_entry(reading *r, const char *entry, int length)
{
    char        name[NAME_MAX_LENGTH + 1], body[NAME_MAX_LENGTH + 1];
    const char *equals = memchr(entry, '=', (size_t)length), *coordinate;
    int         before = equals != NULL ? (int)(equals - entry) : 0;
    if (before < 1 || before == length - 1 || length > NAME_MAX_LENGTH) {
        return ss_fail(r->ctx, SS_ERR_INPUT,
                       "columns are written t=NAME,BODY.COORDINATE=NAME,..: not '%.*s'", length,
                       entry);
    }
    snprintf(name, sizeof name, "%.*s", length - before - 1, equals + 1);
    int32_t place = find_column(r, name);
    if (place < 0) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "%s has no column '%s'", r->path, name);
    }
    snprintf(name, sizeof name, "%.*s", before, entry);
    if (strcmp(name, "t") == 0) {
        r->time = place;
        return SS_OK;
    }
    if (!split_name(r, name, body, &coordinate)) {
        return ss_fail(r->ctx, SS_ERR_INPUT,
                       "'%s' is no coordinate of a body of the scene: BODY and one of %s", name,
                       coordinates(r->model));
    }
    if (r->count == COLUMNS_MAX) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "more than %d columns", COLUMNS_MAX);
    }
    memcpy(r->name[r->count], name, sizeof name);
    r->place[r->count++] = place;
    return SS_OK;
}

static ss_status take_map(reading *r, const char *columns)
{
    for (const char *at = columns; *at != '\0';) {
        int length = (int)strcspn(at, ",");
        SS_TRY(take_entry(r, at, length));
        at += length + (at[length] == ',');
    }
    return SS_OK;
}

/* Columns that are called what they are. */
static void take_names(reading *r)
{
    char        body[NAME_MAX_LENGTH + 1];
    const char *coordinate;
    r->time = find_column(r, "t");
    for (int32_t c = 0; c < r->csv.columns; c++) {
        if (split_name(r, r->csv.names[c], body, &coordinate)) {
            snprintf(r->name[r->count], sizeof r->name[0], "%s", r->csv.names[c]);
            r->place[r->count++] = c;
        }
    }
}

static ss_status find_columns(reading *r, const char *columns)
{
    r->time = -1;
    if (columns == NULL) {
        take_names(r);
    } else {
        SS_TRY(take_map(r, columns));
    }
    if (r->time < 0) {
        return ss_fail(r->ctx, SS_ERR_INPUT,
                       "%s: which column is the time? One must be called t, or named: t=NAME",
                       r->path);
    }
    if (r->count == 0) {
        return ss_fail(
            r->ctx, SS_ERR_INPUT,
            "%s: no column is called BODY.COORDINATE with a body of the scene and one of "
            "%s; name them: BODY.x=NAME",
            r->path, coordinates(r->model));
    }
    return SS_OK;
}

static ss_status read_column(reading *r, int32_t place, double *out)
{
    for (int64_t row = 0; row < r->csv.rows; row++) {
        SS_TRY(ss_csv_gap(&r->d, r->csv.cells[row * r->csv.columns + place], &out[row]));
    }
    return SS_OK;
}

static ss_status read_times(reading *r, double *t)
{
    SS_TRY(read_column(r, r->time, t));
    for (int64_t row = 0; row < r->csv.rows; row++) {
        const ss_node *cell = r->csv.cells[row * r->csv.columns + r->time];
        if (isnan(t[row]) || (row > 0 && t[row] <= t[row - 1])) {
            return ss_fail(r->ctx, SS_ERR_INPUT, "%s:%d: %s", cell->origin, (int)cell->line,
                           isnan(t[row]) ? "a sample needs a time" : "times must rise");
        }
    }
    return SS_OK;
}

static ss_status fill(reading *r, ss_measured **out)
{
    double *y = ss_pool_alloc(r->d.pool, (size_t)r->csv.rows + 1, sizeof *y);
    if (y == NULL) {
        return no_memory(r->ctx);
    }
    SS_TRY(read_times(r, y));
    SS_TRY(ss_measured_create(r->ctx, (int32_t)r->csv.rows, y, out));
    for (int32_t c = 0; c < r->count; c++) {
        char        body[NAME_MAX_LENGTH + 1];
        const char *coordinate = "";
        SS_TRY(read_column(r, r->place[c], y));
        split_name(r, r->name[c], body, &coordinate);
        SS_TRY(ss_measured_add(*out, body, coordinate, y));
    }
    return SS_OK;
}

ss_status ss_measured_read(ss_context *ctx, const ss_model *m, const char *path,
                           const char *columns, ss_measured **out)
{
    ss_pool  pool  = {.ctx = ctx};
    ss_node  named = {.kind = SS_NODE_SCALAR, .text = path, .origin = path};
    reading *r     = ss_pool_alloc(&pool, 1, sizeof *r);
    *out           = NULL;
    if (r == NULL) {
        return no_memory(ctx);
    }
    *r               = (reading){.ctx = ctx, .model = m, .path = path};
    r->d             = (ss_decoder){.ctx = ctx, .pool = &pool, .directory = "", .dimension = 3};
    ss_status status = ss_csv_read_gaps(&r->d, &named, path, &r->csv);
    if (status == SS_OK) {
        status = find_columns(r, columns);
    }
    if (status == SS_OK) {
        status = fill(r, out);
    }
    if (status != SS_OK) {
        ss_measured_destroy(*out);
        *out = NULL;
    }
    ss_pool_free(&pool);
    return status;
}
