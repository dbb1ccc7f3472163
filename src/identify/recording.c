/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings: columns of tables as coordinates of bodies over time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/name_index.h"
#include "identify/identify.h"
#include "identify/tolerances.h"
#include "model/scene.h"
#include "scenefile/table_csv.h"

const char *const ss_quantity_names[SS_Q_COUNT] = {
    "x", "y", "z", "angle", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "w", "wx", "wy", "wz"};

ss_unit_kind ss_quantity_unit(ss_quantity q)
{
    static const ss_unit_kind units[SS_Q_COUNT] = {
        SS_UNIT_LENGTH, SS_UNIT_LENGTH, SS_UNIT_LENGTH, SS_UNIT_ANGLE, SS_UNIT_NONE,
        SS_UNIT_NONE,   SS_UNIT_NONE,   SS_UNIT_NONE,   SS_UNIT_SPEED, SS_UNIT_SPEED,
        SS_UNIT_SPEED,  SS_UNIT_SPIN,   SS_UNIT_SPIN,   SS_UNIT_SPIN,  SS_UNIT_SPIN};
    return units[q];
}

/* What `data` says about all files; what a file says of itself counts. */
typedef struct data_def {
    ss_node    *columns, *units, *files, *set;
    ss_node    *each; /* values of the scene that stand in columns */
    ss_node    *file; /* of an entry */
    const char *name;
    ss_node    *by; /* the column that tells recordings of one file apart, or NULL */
    double      from, to;
} data_def;

typedef struct units_def {
    double   time, length;
    ss_node *angle;
    double   radians;
} units_def;

static ss_status keep_node(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    (void)d;
    *(ss_node **)((char *)target + key->offset) = node;
    return SS_OK;
}

static const ss_key data_keys[] = {
    SS_KEY_ROW("columns", SS_KEY_CUSTOM, data_def, columns, .decode = keep_node, .required = true),
    SS_KEY_ROW("files", SS_KEY_CUSTOM, data_def, files, .decode = keep_node),
    SS_KEY_ROW("by", SS_KEY_CUSTOM, data_def, by, .decode = keep_node),
    SS_KEY_ROW("set", SS_KEY_CUSTOM, data_def, each, .decode = keep_node),
    SS_KEY_ROW("units", SS_KEY_CUSTOM, data_def, units, .decode = keep_node),
    SS_KEY_ROW("from", SS_KEY_REAL, data_def, from, .doc = "seconds"),
    SS_KEY_ROW("to", SS_KEY_REAL, data_def, to, .doc = "seconds"),
    SS_KEY_END};

static const ss_key file_keys[] = {
    SS_KEY_ROW("file", SS_KEY_CUSTOM, data_def, file, .decode = keep_node, .required = true),
    SS_KEY_ROW("name", SS_KEY_TEXT, data_def, name, .doc = "of the recording"),
    SS_KEY_ROW("set", SS_KEY_CUSTOM, data_def, set, .decode = keep_node),
    SS_KEY_ROW("from", SS_KEY_REAL, data_def, from, .doc = "seconds"),
    SS_KEY_ROW("to", SS_KEY_REAL, data_def, to, .doc = "seconds"),
    SS_KEY_END};

static const ss_key unit_keys[] = {
    SS_KEY_ROW("time", SS_KEY_REAL, units_def, time, SS_POSITIVE),
    SS_KEY_ROW("length", SS_KEY_REAL, units_def, length, SS_POSITIVE),
    SS_KEY_ROW("angle", SS_KEY_CUSTOM, units_def, angle, .decode = keep_node), SS_KEY_END};

/* ---- columns ---- */

static ss_status find_body(ss_decoder *d, ss_identify *p, const ss_node *at, const char *name,
                           int32_t *out)
{
    for (int32_t i = 0; i < p->body_count; i++) {
        if (strcmp(p->bodies[i], name) == 0) {
            *out = i;
            return SS_OK;
        }
    }
    const ss_scene *scene = p->study->first_scene;
    for (int32_t i = 0; i < scene->body_count; i++) {
        const char *has = scene->bodies[i].name;
        if (strcmp(has, name) == 0) {
            *out                       = p->body_count;
            p->bodies[p->body_count++] = has;
            return SS_OK;
        }
    }
    return ss_decode_fail(d, at, "the scene has no body '%s'", name);
}

static bool has_quantity(int dimension, ss_quantity q)
{
    bool flat = q == SS_Q_ANGLE || q == SS_Q_W;
    bool deep = q == SS_Q_Z || (q >= SS_Q_QW && q <= SS_Q_QZ) || q == SS_Q_VZ || q > SS_Q_W;
    return dimension == 2 ? !deep : !flat;
}

ss_status ss_quantity_find(ss_decoder *d, const ss_node *at, const char *word, ss_quantity *out)
{
    for (int q = 0; q < SS_Q_COUNT; q++) {
        if (strcmp(ss_quantity_names[q], word) == 0 && has_quantity(d->dimension, (ss_quantity)q)) {
            *out = (ss_quantity)q;
            return SS_OK;
        }
    }
    return ss_decode_fail(d, at, "'%s' is no coordinate of a body in %dD: %s", word, d->dimension,
                          d->dimension == 2 ? "x, y, angle, vx, vy, w"
                                            : "x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz");
}

/* "box.x": a body and a coordinate. */
static ss_status read_column(ss_decoder *d, ss_identify *p, ss_node *entry, ss_column *c)
{
    char        name[128];
    const char *dot = strrchr(entry->key, '.');
    if (dot == NULL || (size_t)(dot - entry->key) >= sizeof name) {
        return ss_decode_fail(d, entry, "columns are named BODY.COORDINATE, or t: not '%s'",
                              entry->key);
    }
    snprintf(name, sizeof name, "%.*s", (int)(dot - entry->key), entry->key);
    c->name = entry->key;
    SS_TRY(find_body(d, p, entry, name, &c->body));
    SS_TRY(ss_quantity_find(d, entry, dot + 1, &c->quantity));
    return ss_decode_text(d, entry->key, entry, &c->source);
}

/* All four numbers of a rotation or none. */
static ss_status check_rotations(ss_decoder *d, const ss_identify *p, const ss_node *columns)
{
    for (int32_t b = 0; b < p->body_count; b++) {
        int found = 0;
        for (int32_t i = 0; i < p->column_count; i++) {
            ss_quantity q = p->columns[i].quantity;
            found += p->columns[i].body == b && q >= SS_Q_QW && q <= SS_Q_QZ;
        }
        if (found != 0 && found != 4) {
            return ss_decode_fail(d, columns, "body '%s': a rotation needs qw, qx, qy and qz",
                                  p->bodies[b]);
        }
    }
    return SS_OK;
}

/* A column of a file is one thing. */
static ss_status check_sources(ss_decoder *d, const ss_identify *p, const ss_node *columns,
                               const char *time)
{
    for (int32_t c = 0; c < p->column_count; c++) {
        const ss_column *a = &p->columns[c];
        for (int32_t k = 0; k < c; k++) {
            if (strcmp(a->source, p->columns[k].source) == 0) {
                return ss_decode_fail(d, columns, "columns: '%s' cannot be %s and %s", a->source,
                                      p->columns[k].name, a->name);
            }
        }
        if (strcmp(a->source, time) == 0) {
            return ss_decode_fail(d, columns, "columns: '%s' cannot be the time and %s", time,
                                  a->name);
        }
    }
    return SS_OK;
}

static ss_status read_columns(ss_decoder *d, ss_identify *p, ss_node *node, const char **time)
{
    SS_TRY(ss_decode_expect(d, "columns", node, SS_NODE_MAP));
    p->columns = ss_pool_alloc(d->pool, (size_t)node->count + 1, sizeof *p->columns);
    if (p->columns == NULL) {
        return ss_decode_no_memory(d);
    }
    bool timed = false;
    *time      = "";
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        if (strcmp(entry->key, "t") == 0) {
            timed = true;
            SS_TRY(ss_decode_text(d, "t", entry, time));
        } else {
            SS_TRY(read_column(d, p, entry, &p->columns[p->column_count++]));
        }
    }
    if (!timed) {
        return ss_decode_fail(d, node, "columns: t is missing: which column is the time?");
    }
    if (p->column_count == 0) {
        return ss_decode_fail(d, node, "columns: nothing is recorded but the time");
    }
    SS_TRY(check_sources(d, p, node, *time));
    return check_rotations(d, p, node);
}

static ss_status read_units(ss_decoder *d, ss_node *node, units_def *u)
{
    *u = (units_def){.time = 1, .length = 1, .radians = 1};
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "units", node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, unit_keys, node, u));
    if (u->angle == NULL || (u->angle->text != NULL && strcmp(u->angle->text, "rad") == 0)) {
        return SS_OK;
    }
    if (u->angle->text != NULL && strcmp(u->angle->text, "deg") == 0) {
        u->radians = 3.14159265358979323846 / 180;
        return SS_OK;
    }
    SS_TRY(ss_decode_number(d, "units: angle", u->angle, &u->radians));
    return u->radians > 0 ? SS_OK : ss_decode_fail(d, u->angle, "units: angle must be > 0");
}

/* ---- files ---- */

static double unit_of(const units_def *u, ss_quantity q)
{
    switch (ss_quantity_unit(q)) {
    case SS_UNIT_LENGTH:
        return u->length;
    case SS_UNIT_ANGLE:
        return u->radians;
    case SS_UNIT_SPEED:
        return u->length / u->time;
    case SS_UNIT_SPIN:
        return u->radians / u->time;
    case SS_UNIT_NONE:
        break;
    }
    return 1;
}

static ss_status find_source(ss_decoder *d, const ss_node *at, const ss_csv *csv, const char *name,
                             int32_t *out)
{
    int32_t found = 0;
    for (int32_t c = 0; c < csv->columns; c++) {
        if (strcmp(csv->names[c], name) == 0) {
            *out = c;
            found++;
        }
    }
    if (found > 1) {
        return ss_decode_fail(d, at, "%s has %d columns '%s': which?", at->text, (int)found, name);
    }
    if (found == 1) {
        return SS_OK;
    }
    bool other = csv->columns == 1 && strpbrk(csv->names[0], ";\t |") != NULL;
    return ss_decode_fail(d, at, "%s has no column '%s'%s%.60s%s", at->text, name,
                          other ? ", only one '" : "", other ? csv->names[0] : "",
                          other ? "': commas must separate its columns" : "");
}

/* Where the columns of the study stand in a file. */
static ss_status find_sources(ss_decoder *d, const ss_identify *p, const ss_node *at,
                              const ss_csv *csv, const char *time, int32_t *place)
{
    SS_TRY(find_source(d, at, csv, time, &place[p->column_count]));
    for (int32_t c = 0; c < p->column_count; c++) {
        SS_TRY(find_source(d, at, csv, p->columns[c].source, &place[c]));
    }
    return SS_OK;
}

/* A file as a table: cells of text, or numbers. */
typedef struct table {
    const char   *file;
    const ss_csv *csv;     /* NULL: numbers (rows x (columns + 1)), the time last */
    const double *numbers; /* NAN: not measured                                   */
    int64_t       rows;
} table;

static ss_status table_cell(ss_decoder *d, const table *t, int64_t row, int32_t at, int32_t n,
                            double *out)
{
    if (t->csv != NULL) {
        return ss_csv_gap(d, t->csv->cells[row * t->csv->columns + at], out);
    }
    *out = t->numbers[row * (n + 1) + at];
    return SS_OK;
}

/* "one.csv:7", "one.h5, sample 6": where a row stands. */
static void table_place(const table *t, int64_t row, char place[300])
{
    const ss_node *cell = t->csv != NULL ? t->csv->cells[row * t->csv->columns] : NULL;
    if (cell != NULL) {
        snprintf(place, 300, "%.250s:%d", cell->origin, (int)cell->line);
    } else {
        snprintf(place, 300, "%.250s, sample %lld", t->file, (long long)row + 1);
    }
}

static ss_status read_samples(ss_decoder *d, const ss_identify *p, const table *from,
                              const int32_t *place, const units_def *u, const data_def *def,
                              const int64_t rows[2], ss_recorded *r)
{
    int32_t n     = p->column_count;
    double  first = 0, last = -INFINITY;
    char    where[300];
    for (int64_t row = rows[0]; row < rows[1]; row++) {
        double t = 0;
        SS_TRY(table_cell(d, from, row, place[n], n, &t));
        t *= u->time;
        table_place(from, row, where);
        if (isnan(t)) {
            return ss_fail(d->ctx, SS_ERR_INPUT, "%s: a sample needs a time", where);
        }
        if (t < def->from || t > def->to) {
            continue;
        }
        if (t <= last) {
            return ss_fail(d->ctx, SS_ERR_INPUT, "%s: times must rise: %g s after %g s", where, t,
                           last);
        }
        first          = r->count == 0 ? t : first;
        last           = t;
        r->t[r->count] = t - first;
        for (int32_t c = 0; c < n; c++) {
            double *y = &r->y[(ptrdiff_t)r->count * n + c];
            SS_TRY(table_cell(d, from, row, place[c], n, y));
            *y *= unit_of(u, p->columns[c].quantity);
        }
        r->count++;
    }
    return SS_OK;
}

/* How far positions range, and from where to where they go. */
void ss_recording_measure(const ss_identify *p, ss_recorded *r)
{
    double square = 0;
    r->extent     = 0;
    for (int32_t c = 0; c < p->column_count; c++) {
        double low = INFINITY, high = -INFINITY, first = NAN, last = NAN;
        for (int32_t i = 0; i < r->count; i++) {
            double y = r->y[(ptrdiff_t)i * p->column_count + c];
            if (!isnan(y)) {
                low   = fmin(low, y);
                high  = fmax(high, y);
                first = isnan(first) ? y : first;
                last  = y;
            }
        }
        if (ss_quantity_unit(p->columns[c].quantity) == SS_UNIT_LENGTH && high >= low) {
            r->extent = fmax(r->extent, high - low);
            square += (last - first) * (last - first);
        }
    }
    r->travel = sqrt(square);
    r->extent = r->extent > 0 ? r->extent : 1;
}

/* Values of the scene that belong to a recording: of its entry, and of columns in its first row. */
static ss_status read_values(ss_decoder *d, const data_def *def, const ss_csv *csv, int64_t row,
                             ss_recorded *r)
{
    ss_node *set = def->set, *each = def->each;
    int32_t  room = (set != NULL ? set->count : 0) + (each != NULL ? each->count : 0);
    r->values     = ss_pool_alloc(d->pool, (size_t)room + 1, sizeof *r->values);
    if (r->values == NULL) {
        return ss_decode_no_memory(d);
    }
    for (ss_node *entry = set != NULL ? set->first : NULL; entry != NULL; entry = entry->next) {
        const char *place           = ss_decode_place(d, entry);
        r->values[r->value_count++] = (ss_scene_value){entry->key, entry, place};
    }
    for (ss_node *entry = each != NULL ? each->first : NULL; entry != NULL; entry = entry->next) {
        const char *column = "";
        int32_t     place  = 0;
        SS_TRY(ss_decode_text(d, entry->key, entry, &column));
        SS_TRY(find_source(d, def->file, csv, column, &place));
        const ss_node *cell = csv->cells[row * csv->columns + place];
        if (cell->text[0] == '\0') {
            return ss_fail(d->ctx, SS_ERR_INPUT,
                           "%s:%d: '%s' sets %s: it must stand in the first row of a recording",
                           cell->origin, (int)cell->line, column, entry->key);
        }
        r->values[r->value_count++] = (ss_scene_value){entry->key, cell, ss_decode_place(d, cell)};
    }
    for (int32_t i = 0; i < r->value_count; i++) {
        if (r->values[i].origin == NULL) {
            return ss_decode_no_memory(d);
        }
    }
    return SS_OK;
}

static bool is_hdf5(const char *file)
{
    const char *dot = strrchr(file, '.');
    return dot != NULL && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0);
}

/* Where the columns of the study stand in a file. */
static ss_status open_table(ss_decoder *d, const ss_identify *p, const ss_node *at,
                            const char *time, ss_csv *csv, int32_t *place, table *t)
{
    int32_t n = p->column_count;
    if (!is_hdf5(t->file)) {
        SS_TRY(ss_csv_read_gaps(d, at, t->file, csv));
        t->csv  = csv;
        t->rows = csv->rows;
        return find_sources(d, p, at, csv, time, place);
    }
    const char **names = ss_pool_alloc(d->pool, (size_t)n + 1, sizeof *names);
    if (names == NULL) {
        return ss_decode_no_memory(d);
    }
    for (int32_t c = 0; c <= n; c++) {
        names[c] = c < n ? p->columns[c].source : time;
        place[c] = c;
    }
    return ss_recording_hdf5(d, at, t->file, n + 1, names, &t->rows, &t->numbers);
}

/* A clock in other units makes runs of days: the scene says how long its things last. */
static ss_status check_duration(ss_decoder *d, const ss_identify *p, const ss_node *at,
                                const ss_recorded *r)
{
    enum { LONGER = 100 };
    double scene = p->study->first_scene->simulation.duration, lasts = r->t[r->count - 1];
    if (scene > 0 && lasts > LONGER * scene) {
        return ss_decode_fail(d, at,
                              "%s lasts %g s and the scene %g s: is the time in seconds "
                              "(`units: {time: 0.001}`)? Otherwise raise the scene's duration",
                              r->name, lasts, scene);
    }
    return SS_OK;
}

/* What comes out is told apart by the names that the study gives (those of column `by`:
 * read_parts).
 */
static ss_status check_name(ss_decoder *d, const ss_identify *p, const data_def *def)
{
    const ss_recorded *last = &p->trials[p->trial_count - 1];
    for (int32_t k = 0; def->by == NULL && def->name != NULL && k + 1 < p->trial_count; k++) {
        if (strcmp(p->trials[k].name, last->name) == 0) {
            return ss_decode_fail(d, def->file,
                                  "there is another '%s': each recording needs a name of its own",
                                  last->name);
        }
    }
    return SS_OK;
}

/* Something must have been measured, and its square must be a number. */
static ss_status check_numbers(ss_decoder *d, const ss_identify *p, const ss_node *at,
                               const ss_recorded *r)
{
    bool any = false;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)r->count * p->column_count; i++) {
        if (fabs(r->y[i]) > SS_RECORDED_MOST) {
            return ss_decode_fail(d, at, "%s: %s is %g at %g s: beyond all that can be compared",
                                  r->name, p->columns[i % p->column_count].name, r->y[i],
                                  r->t[i / p->column_count]);
        }
        any = any || !isnan(r->y[i]);
    }
    return any ? SS_OK : ss_decode_fail(d, at, "%s: nothing was measured", r->name);
}

/* Room for one more recording; NULL: no memory. */
static ss_recorded *add_recording(ss_decoder *d, ss_identify *p)
{
    if (p->trial_count == p->trial_room) {
        int32_t      room = p->trial_room > 0 ? 2 * p->trial_room : 16;
        ss_recorded *more = ss_pool_alloc(d->pool, (size_t)room, sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        if (p->trial_count > 0) {
            memcpy(more, p->trials, (size_t)p->trial_count * sizeof *more);
        }
        p->trials     = more;
        p->trial_room = room;
    }
    return &p->trials[p->trial_count++];
}

/* One recording: some rows of a table, one after the other. */
static ss_status read_recording(ss_decoder *d, ss_identify *p, const data_def *def,
                                const units_def *u, const table *from, const int32_t *place,
                                const char *name, const int64_t rows[2])
{
    size_t       count = (size_t)(rows[1] - rows[0]);
    ss_recorded *r     = add_recording(d, p);
    if (r == NULL) {
        return ss_decode_no_memory(d);
    }
    r->t       = ss_pool_alloc(d->pool, count + 1, sizeof *r->t);
    r->y       = ss_pool_alloc(d->pool, count * (size_t)p->column_count + 1, sizeof *r->y);
    r->node    = def->file;
    r->name    = name;
    r->file    = from->file;
    r->span[0] = def->from;
    r->span[1] = def->to;
    if (r->t == NULL || r->y == NULL) {
        return ss_decode_no_memory(d);
    }
    SS_TRY(read_values(d, def, from->csv, rows[0], r));
    SS_TRY(read_samples(d, p, from, place, u, def, rows, r));
    if (r->count < 2) {
        char when[64] = "";
        if (isfinite(def->from) || isfinite(def->to)) {
            snprintf(when, sizeof when, " from %g to %g s", def->from, def->to);
        }
        return ss_decode_fail(d, def->file, "%s: %d sample%s%s: at least 2 are needed", name,
                              (int)r->count, r->count == 1 ? "" : "s", when);
    }
    SS_TRY(check_name(d, p, def));
    SS_TRY(check_numbers(d, p, def->file, r));
    ss_recording_measure(p, r);
    return check_duration(d, p, def->file, r);
}

/* Samples that are taken twice count twice: intervals would be too narrow. */
static ss_status check_once(ss_decoder *d, const ss_identify *p, const data_def *def,
                            const char *file)
{
    for (int32_t k = 0; k < p->trial_count; k++) {
        const ss_recorded *r = &p->trials[k];
        if (strcmp(r->file, file) == 0 && def->from <= r->span[1] && def->to >= r->span[0]) {
            return ss_decode_fail(d, def->file,
                                  "%s is there twice: the same samples would count twice", file);
        }
    }
    return SS_OK;
}

/* Rows with the same word in the column `by` are one recording; they stand together. */
static ss_status read_parts(ss_decoder *d, ss_identify *p, const data_def *def, const units_def *u,
                            const table *from, const int32_t *place)
{
    const ss_csv *csv  = from->csv;
    const char   *by   = "";
    int32_t       at   = 0;
    ss_name_index seen = {0};
    SS_TRY(ss_decode_text(d, "by", def->by, &by));
    SS_TRY(find_source(d, def->file, csv, by, &at));
    for (int64_t row = 0, end; row < csv->rows; row = end) {
        const char *word = csv->cells[row * csv->columns + at]->text;
        char        name[256];
        int         ok = 1;
        for (end = row + 1; end < csv->rows; end++) {
            if (strcmp(csv->cells[end * csv->columns + at]->text, word) != 0) {
                break;
            }
        }
        snprintf(name, sizeof name, "%.120s %.120s", by, word);
        const char *kept = ss_pool_text(d->pool, name, &ok);
        if (ok && ss_name_find(&seen, kept) >= 0) {
            return ss_decode_fail(d, def->file,
                                  "%s: the rows of '%s' do not stand together: they would be two "
                                  "recordings",
                                  from->file, kept);
        }
        if (!ok || !ss_name_add(&seen, d->pool, kept, 0)) {
            return ss_decode_no_memory(d);
        }
        SS_TRY(read_recording(d, p, def, u, from, place, kept, (int64_t[]){row, end}));
    }
    return SS_OK;
}

static ss_status read_file(ss_decoder *d, ss_identify *p, const data_def *all, ss_node *entry,
                           const units_def *u, const char *time)
{
    data_def def = *all;
    table    t   = {0};
    ss_csv   csv;
    def.file = entry;
    if (entry->kind == SS_NODE_MAP) {
        SS_TRY(ss_decode_map(d, file_keys, entry, &def));
    }
    if (def.set != NULL) {
        SS_TRY(ss_decode_expect(d, "set", def.set, SS_NODE_MAP));
    }
    int32_t *place = ss_pool_alloc(d->pool, (size_t)p->column_count + 1, sizeof *place);
    if (place == NULL) {
        return ss_decode_no_memory(d);
    }
    SS_TRY(ss_decode_text(d, "file", def.file, &t.file));
    SS_TRY(check_once(d, p, &def, t.file));
    SS_TRY(open_table(d, p, def.file, time, &csv, place, &t));
    if (t.csv == NULL && (def.by != NULL || def.each != NULL)) {
        return ss_decode_fail(d, def.file, "%s: `by` and `set` by columns are for CSV files",
                              t.file);
    }
    if (def.by != NULL) {
        return read_parts(d, p, &def, u, &t, place);
    }
    return read_recording(d, p, &def, u, &t, place, def.name != NULL ? def.name : t.file,
                          (int64_t[]){0, t.rows});
}

ss_status ss_recordings_read(ss_decoder *d, ss_identify *p, ss_node *data)
{
    data_def    def = {.from = -INFINITY, .to = INFINITY};
    units_def   u;
    const char *time = NULL;
    snprintf(d->what, sizeof d->what, "data: ");
    SS_TRY(ss_decode_expect(d, "data", data, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, data_keys, data, &def));
    SS_TRY(read_columns(d, p, def.columns, &time));
    SS_TRY(read_units(d, def.units, &u));
    if (p->excites) { /* experiments that are still to be made */
        d->what[0] = '\0';
        return SS_OK;
    }
    if (def.files == NULL) {
        return ss_decode_fail(d, data, "files are missing: which recordings?");
    }
    SS_TRY(ss_decode_expect(d, "files", def.files, SS_NODE_LIST));
    if (def.files->count == 0) {
        return ss_decode_fail(d, def.files, "there is no recording");
    }
    if (def.each != NULL) {
        SS_TRY(ss_decode_expect(d, "set", def.each, SS_NODE_MAP));
    }
    for (ss_node *entry = def.files->first; entry != NULL; entry = entry->next) {
        SS_TRY(read_file(d, p, &def, entry, &u, time));
    }
    d->what[0] = '\0';
    return SS_OK;
}

/* ---- the start as it was measured ---- */

/* A line through the first samples of a column: its value and its slope at the first. */
static void fit_line(const ss_identify *p, const ss_recorded *r, int32_t column, int32_t samples,
                     double *value, double *rate)
{
    double  n = 0, st = 0, sy = 0, stt = 0, sty = 0;
    int32_t used = 0;
    for (int32_t i = 0; i < r->count && used < samples; i++) {
        double y = r->y[(ptrdiff_t)i * p->column_count + column];
        if (!isnan(y)) {
            n += 1;
            st += r->t[i];
            sy += y;
            stt += r->t[i] * r->t[i];
            sty += r->t[i] * y;
            used++;
        }
    }
    double det = n * stt - st * st;
    *rate      = det > 0 ? (n * sty - st * sy) / det : 0;
    *value     = n > 0 ? (sy - *rate * st) / n : NAN;
}

static void put_axis(ss_vec3 *v, int axis, double x)
{
    *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = x;
}

static bool read_quat(const ss_identify *p, const ss_recorded *r, int32_t body, int32_t sample,
                      ss_quat *out)
{
    double q[4] = {NAN, NAN, NAN, NAN};
    for (int32_t c = 0; c < p->column_count; c++) {
        ss_quantity what = p->columns[c].quantity;
        if (p->columns[c].body == body && what >= SS_Q_QW && what <= SS_Q_QZ) {
            q[what - SS_Q_QW] = r->y[(ptrdiff_t)sample * p->column_count + c];
        }
    }
    *out = ss_quat_unit((ss_quat){q[0], q[1], q[2], q[3]});
    return !isnan(q[0] + q[1] + q[2] + q[3]);
}

/* Orientation of the first sample that has one, and the mean turning to the last of the first. */
static void start_turning(const ss_identify *p, const ss_recorded *r, int32_t body, int32_t samples,
                          ss_body_state *out)
{
    ss_quat first, q;
    int32_t from = 0, used = 0;
    while (from < r->count && !read_quat(p, r, body, from, &first)) {
        from++;
    }
    if (from == r->count) {
        return;
    }
    out->quat_wxyz = first;
    for (int32_t i = from + 1; i < r->count && used < samples - 1; i++) {
        if (read_quat(p, r, body, i, &q)) {
            ss_quat back          = {first.w, -first.x, -first.y, -first.z};
            ss_vec3 turn          = ss_quat_to_rotation(ss_quat_mul(q, back));
            out->angular_velocity = ss_scale(1 / (r->t[i] - r->t[from]), turn);
            used++;
        }
    }
}

static void start_column(const ss_identify *p, const ss_recorded *r, int32_t c, int32_t samples,
                         ss_body_state *out)
{
    double      value = 0, rate = 0;
    ss_quantity q = p->columns[c].quantity;
    fit_line(p, r, c, samples, &value, &rate);
    if (isnan(value)) {
        return;
    }
    if (q <= SS_Q_Z) {
        put_axis(&out->position, q - SS_Q_X, value);
        put_axis(&out->velocity, q - SS_Q_X, rate);
    } else if (q == SS_Q_ANGLE) {
        out->angle              = value;
        out->angular_velocity.z = rate;
    }
}

/* Velocities that were recorded themselves count more than slopes. */
static void start_rates(const ss_identify *p, const ss_recorded *r, int32_t c, int32_t samples,
                        ss_body_state *out)
{
    double      value = 0, rate = 0;
    ss_quantity q = p->columns[c].quantity;
    fit_line(p, r, c, samples, &value, &rate);
    if (q >= SS_Q_VX && q <= SS_Q_VZ && !isnan(value)) {
        put_axis(&out->velocity, q - SS_Q_VX, value);
    } else if (q >= SS_Q_W && !isnan(value)) {
        put_axis(&out->angular_velocity, q == SS_Q_W ? 2 : q - SS_Q_WX, value);
    }
}

/* What no column tells is as the scene has it: where a search begins. */
static void start_of_scene(const ss_identify *p, int32_t body, ss_body_state *out)
{
    const ss_scene *scene = p->study->first_scene;
    for (int32_t i = 0; i < scene->body_count; i++) {
        const ss_body_def *b = &scene->bodies[i];
        if (strcmp(b->name, p->bodies[body]) == 0) {
            *out = (ss_body_state){.position         = b->position,
                                   .angle            = b->angle,
                                   .velocity         = b->velocity,
                                   .angular_velocity = b->angular_velocity};
        }
    }
}

ss_status ss_recordings_start(ss_identify *p, int32_t samples)
{
    for (int32_t k = 0; k < p->trial_count; k++) {
        ss_recorded *r = &p->trials[k];
        r->start       = ss_pool_alloc(&p->pool, (size_t)p->body_count + 1, sizeof *r->start);
        if (r->start == NULL) {
            return ss_fail(p->ctx, SS_ERR_MEMORY, "out of memory");
        }
        for (int32_t b = 0; b < p->body_count; b++) {
            start_of_scene(p, b, &r->start[b]);
            start_turning(p, r, b, samples, &r->start[b]);
        }
        for (int32_t c = 0; c < p->column_count; c++) {
            start_column(p, r, c, samples, &r->start[p->columns[c].body]);
        }
        for (int32_t c = 0; c < p->column_count; c++) {
            start_rates(p, r, c, samples, &r->start[p->columns[c].body]);
        }
    }
    return SS_OK;
}
