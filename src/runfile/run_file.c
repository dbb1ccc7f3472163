/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading run files. Nothing in a file is believed: an array has the type and the dimensions that
 * the layout says or the file is refused, counts and offsets of contacts add up, texts are checked
 * before they reach a page (files/hdf5_trust.c, files/json_copy.c).
 */
#include "stickslip/run_file.h"

#include <math.h>
#include <string.h>

#include "core/input.h"
#include "core/pool.h"
#include "files/hdf5_trust.h"
#include "files/json_copy.h"
#include "runfile/run_describe.h"
#include "runfile/run_file_rows.h"
#include "runfile/run_hdf5.h"
#include "runfile/run_values.h"
#include "runfile/tolerances.h"

struct ss_run_file {
    ss_context  *ctx;
    ss_pool      pool;
    const char  *path;
    hid_t        file;
    size_t       bytes; /* of the file */
    ss_run_size  size;
    int64_t      states, contacts;
    ss_run_names names;       /* that the description lists */
    ss_buffer    description; /* as it may stand in a page */
    char         generator[32];
    const char  *scene_name, *scene_path, *scene_text, *resolved;
    const char **body_names, **body_types;
    H5E_auto2_t  report; /* HDF5's own error printer, put back at the end */
    void        *report_data;
};

static ss_status bad(const ss_run_file *f, const char *what, const char *why)
{
    return ss_fail(f->ctx, SS_ERR_INPUT, "%s: damaged, or not a run file of stickslip: %s: %s",
                   f->path, what, why);
}

static ss_status no_memory(const ss_run_file *f)
{
    return ss_fail(f->ctx, SS_ERR_MEMORY, "%s: %s", f->path, ss_hdf5_no_memory);
}

static const ss_run_field *field_named(const char *path)
{
    for (int id = 0; id < SS_RUN_FIELD_COUNT; id++) {
        if (strcmp(ss_run_fields[id].path, path) == 0) {
            return &ss_run_fields[id];
        }
    }
    return NULL;
}

static ss_status open_array(const ss_run_file *f, const char *path, ss_hdf5_array *out)
{
    const char *why = ss_hdf5_open(f->file, path, f->bytes, out);
    if (why == ss_hdf5_no_memory) {
        return no_memory(f);
    }
    return why == NULL ? SS_OK : bad(f, path, why);
}

/* ---- texts ---- */

/* Texts of fixed length, `count` of them (0: one that is no list), copied into the pool. */
static ss_status read_texts(ss_run_file *f, const char *path, int32_t count, const char **out)
{
    ss_hdf5_array a;
    SS_TRY(open_array(f, path, &a));
    size_t n     = count > 0 ? (size_t)count : 1;
    bool   right = a.kind == H5T_STRING && a.rank == (count > 0 ? 1 : 0) && a.count == n;
    char  *raw = NULL, *texts = NULL;
    if (right) {
        raw   = ss_pool_alloc(&f->pool, n, a.item);
        texts = ss_pool_alloc(&f->pool, n, a.item + 1);
    }
    bool room = raw != NULL && texts != NULL;
    if (room) {
        hid_t type = H5Dget_type(a.set);
        right      = H5Dread(a.set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) >= 0;
        H5Tclose(type);
    }
    for (size_t i = 0; room && right && i < n; i++) {
        out[i] = memcpy(texts + i * (a.item + 1), raw + i * a.item, a.item);
    }
    ss_hdf5_shut(&a);
    if (!right) {
        return bad(f, path, "expected one text for each");
    }
    return room ? SS_OK : ss_fail(f->ctx, SS_ERR_MEMORY, "%s: no memory for its texts", f->path);
}

/* The description, fit to stand in a page, with as many bodies and joints as the tables. */
static ss_status read_description(ss_run_file *f)
{
    const char  *raw     = NULL;
    ss_json_list lists[] = {{"bodies", 0},   {"joints", 0},  {"geoms", 0},
                            {"outcomes", 0}, {"solvers", 0}, {"stages", 0}};
    SS_TRY(read_texts(f, "description", 0, &raw));
    if (!ss_json_copy(raw, &f->description, lists, 6)) {
        SS_TRY(ss_buffer_status(&f->description));
        return bad(f, "description", "it is not an object in JSON");
    }
    SS_TRY(ss_buffer_status(&f->description));
    if (lists[0].count != f->size.bodies || lists[1].count != f->size.joints ||
        lists[2].count < 0) {
        return bad(f, "description", "it has other bodies or joints than the tables");
    }
    f->names = (ss_run_names){lists[3].count, lists[4].count};
    if (f->names.outcomes < 0 || f->names.solvers < 0 || lists[5].count != SS_STAGE_COUNT) {
        return bad(f, "description", "expected lists of outcomes, solvers and stages");
    }
    return SS_OK;
}

/* ---- tables ---- */

static bool has_type(const ss_hdf5_array *a, hid_t wanted)
{
    hid_t type = H5Dget_type(a->set);
    bool  same = H5Tequal(type, wanted) > 0;
    H5Tclose(type);
    return same;
}

/* Has the table of a field the dimensions that the layout says? */
static ss_status check_field(const ss_run_file *f, const ss_run_field *field)
{
    ss_hdf5_array a;
    hsize_t       dims[SS_HDF5_RANK_MAX];
    int64_t       rows = field->table == SS_TABLE_CONTACTS ? f->contacts : f->states;
    SS_TRY(open_array(f, field->path, &a));
    bool typed = has_type(&a, ss_run_stored(field->type));
    ss_hdf5_shut(&a);
    int rank = ss_run_dimensions(field, &f->size, (hsize_t)rows, dims);
    if (!typed) {
        return bad(f, field->path, "its numbers are of another type");
    }
    if (a.rank != rank || memcmp(a.dims, dims, (size_t)rank * sizeof dims[0]) != 0) {
        return bad(f, field->path, "its dimensions are not those of the other tables");
    }
    return SS_OK;
}

/* A count that the layout takes from a dimension. */
static ss_status count_from(const ss_run_file *f, const char *path, int rank, int dimension,
                            int64_t most, int64_t *count)
{
    ss_hdf5_array a;
    SS_TRY(open_array(f, path, &a));
    ss_hdf5_shut(&a);
    if (a.rank != rank || a.dims[dimension] > (hsize_t)most) {
        return bad(f, path, "its dimensions cannot be right");
    }
    *count = (int64_t)a.dims[dimension];
    return SS_OK;
}

/* The same of what not every run has. */
static ss_status count_if_there(const ss_run_file *f, const char *path, int rank, int dimension,
                                int64_t most, int64_t *count)
{
    *count = 0;
    return ss_hdf5_absent(f->file, path) ? SS_OK
                                         : count_from(f, path, rank, dimension, most, count);
}

/* Everything that the widths of the tables depend on, then every table against it. */
static ss_status measure(ss_run_file *f)
{
    int64_t bodies, dimension, joints, forces, supports;
    SS_TRY(count_from(f, "bodies/position", 3, 0, SS_RUN_STATES_MAX, &f->states));
    SS_TRY(count_from(f, "bodies/position", 3, 1, SS_RUN_BODIES_MAX, &bodies));
    SS_TRY(count_from(f, "bodies/position", 3, 2, 3, &dimension));
    SS_TRY(count_from(f, "contacts/identity", 2, 0, INT32_MAX, &f->contacts));
    SS_TRY(count_if_there(f, "joints/force", 3, 1, SS_RUN_BODIES_MAX, &joints));
    SS_TRY(count_if_there(f, "forces/force", 3, 1, SS_RUN_BODIES_MAX, &forces));
    SS_TRY(count_if_there(f, "support/force", 3, 1, SS_RUN_BODIES_MAX, &supports));
    f->size = (ss_run_size){.dimension = (int)dimension,
                            .bodies    = (int32_t)bodies,
                            .joints    = (int32_t)joints,
                            .forces    = (int32_t)forces,
                            .supports  = (int32_t)supports,
                            .ranges    = ss_hdf5_absent(f->file, "contacts/range") ? 0 : 1,
                            .verdicts  = ss_hdf5_absent(f->file, "steps/unique") ? 0 : 1};
    if (dimension < 2 || bodies < 1) {
        return bad(f, "bodies/position", "expected bodies with 2 or 3 coordinates");
    }
    for (int id = 0; id < SS_RUN_FIELD_COUNT; id++) {
        if (ss_run_width(&ss_run_fields[id], &f->size) > 0) {
            SS_TRY(check_field(f, &ss_run_fields[id]));
        }
    }
    return SS_OK;
}

static ss_status check_marks(const ss_run_file *f)
{
    char format[32], version[32];
    if (!ss_hdf5_mark(f->file, "format", format, sizeof format) ||
        strcmp(format, SS_RUN_FORMAT) != 0 ||
        !ss_hdf5_mark(f->file, "version", version, sizeof version)) {
        return bad(f, "format", "expected the attribute '" SS_RUN_FORMAT "'");
    }
    if (strcmp(version, SS_RUN_VERSION) != 0) {
        return ss_fail(
            f->ctx, SS_ERR_INPUT,
            "%s: its layout is version %.8s, this stickslip reads version " SS_RUN_VERSION
            " (run the scene again)",
            f->path, version);
    }
    return SS_OK;
}

static ss_status check_bodies(ss_run_file *f)
{
    int32_t n      = f->size.bodies;
    double *masses = ss_pool_alloc(&f->pool, (size_t)n, sizeof *masses);
    if (masses == NULL) {
        return ss_fail(f->ctx, SS_ERR_MEMORY, "%s: no memory for %d bodies", f->path, (int)n);
    }
    for (int32_t b = 0; b < n; b++) {
        if (!ss_run_is_body_type(f->body_types[b])) {
            return bad(f, "bodies/type", "expected static, kinematic, dynamic or particle");
        }
    }
    SS_TRY(ss_run_file_masses(f, masses));
    for (int32_t b = 0; b < n; b++) {
        if (!(masses[b] >= 0)) {
            return bad(f, "bodies/mass", "a mass is negative or no number");
        }
    }
    return SS_OK;
}

static ss_status load(ss_run_file *f)
{
    size_t bodies = 0;
    SS_TRY(check_marks(f));
    if (!ss_hdf5_mark(f->file, "generator", f->generator, sizeof f->generator)) {
        f->generator[0] = '\0';
    }
    SS_TRY(measure(f));
    bodies        = (size_t)f->size.bodies;
    f->body_names = ss_pool_alloc(&f->pool, bodies, sizeof *f->body_names);
    f->body_types = ss_pool_alloc(&f->pool, bodies, sizeof *f->body_types);
    if (f->body_names == NULL || f->body_types == NULL) {
        return ss_fail(f->ctx, SS_ERR_MEMORY, "%s: no memory for %zu bodies", f->path, bodies);
    }
    SS_TRY(read_texts(f, "bodies/name", f->size.bodies, f->body_names));
    SS_TRY(read_texts(f, "bodies/type", f->size.bodies, f->body_types));
    SS_TRY(read_texts(f, "scene/name", 0, &f->scene_name));
    SS_TRY(read_texts(f, "scene/path", 0, &f->scene_path));
    SS_TRY(read_texts(f, "scene/text", 0, &f->scene_text));
    SS_TRY(read_texts(f, "scene/resolved", 0, &f->resolved));
    SS_TRY(check_bodies(f));
    return read_description(f);
}

static ss_status open_file(ss_run_file *f)
{
    SS_TRY(ss_input_look(f->ctx, f->path, SS_INPUT_ANY_SIZE, &f->bytes));
    f->file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (f->file < 0) {
        return ss_fail(f->ctx, SS_ERR_INPUT,
                       "%s: damaged, or not a run file of stickslip: it "
                       "cannot be read as HDF5",
                       f->path);
    }
    return SS_OK;
}

/* Times that are numbers and do not go back, nor do steps: whoever reads the file may rely on it.
 */
static ss_status check_times(ss_run_file *f)
{
    enum { BLOCK = 1024 };
    double t[BLOCK], h[BLOCK], last = -INFINITY;
    for (int64_t k = 0; k < f->states; k += BLOCK) {
        int64_t count = f->states - k < BLOCK ? f->states - k : BLOCK;
        SS_TRY(ss_run_file_read(f, "steps/t", k, count, t));
        SS_TRY(ss_run_file_read(f, "steps/h", k, count, h));
        for (int64_t i = 0; i < count; i++) {
            if (!isfinite(t[i]) || t[i] < last) {
                return bad(f, "steps/t", "its times are not numbers that grow");
            }
            last = t[i];
        }
    }
    return SS_OK;
}

ss_status ss_run_file_open(ss_context *ctx, const char *path, ss_run_file **out)
{
    *out = NULL;
    SS_TRY(ss_hdf5_room(ctx, path, 0));
    ss_run_file *f  = ss_alloc(ctx, 1, sizeof *f);
    int          ok = 1;
    if (f == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
    }
    *f      = (ss_run_file){.ctx = ctx, .pool = {.ctx = ctx}, .file = -1};
    f->path = ss_pool_text(&f->pool, path, &ok);
    ss_buffer_start(&f->description, ctx);
    H5Eget_auto2(H5E_DEFAULT, &f->report, &f->report_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    ss_status status = ok ? open_file(f) : ss_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
    if (status == SS_OK) {
        status = load(f);
    }
    if (status == SS_OK) {
        status = check_times(f);
    }
    if (status != SS_OK) {
        ss_run_file_close(f);
        return status;
    }
    *out = f;
    return SS_OK;
}

void ss_run_file_close(ss_run_file *f)
{
    if (f == NULL) {
        return;
    }
    if (f->file >= 0) {
        H5Fclose(f->file);
    }
    H5Eset_auto2(H5E_DEFAULT, f->report, f->report_data);
    ss_buffer_release(&f->description);
    ss_pool_free(&f->pool);
    ss_free(f->ctx, f, sizeof *f);
}

int64_t ss_run_file_states(const ss_run_file *f)
{
    return f != NULL ? f->states : 0;
}

int64_t ss_run_file_contacts(const ss_run_file *f)
{
    return f != NULL ? f->contacts : 0;
}

int ss_run_file_dimension(const ss_run_file *f)
{
    return f != NULL ? f->size.dimension : 0;
}

int32_t ss_run_file_body_count(const ss_run_file *f)
{
    return f != NULL ? f->size.bodies : 0;
}

const char *ss_run_file_description(const ss_run_file *f)
{
    return f != NULL ? f->description.bytes : NULL;
}

const char *ss_run_file_body_name(const ss_run_file *f, int32_t body)
{
    return body >= 0 && body < ss_run_file_body_count(f) ? f->body_names[body] : NULL;
}

const char *ss_run_file_body_type(const ss_run_file *f, int32_t body)
{
    return f->body_types[body];
}

const char *ss_run_file_generator(const ss_run_file *f)
{
    return f->generator;
}

const char *ss_run_file_scene_name(const ss_run_file *f)
{
    return f->scene_name;
}

const char *ss_run_file_scene_text(const ss_run_file *f)
{
    return f != NULL ? f->scene_text : NULL;
}

const char *ss_run_file_scene_path(const ss_run_file *f)
{
    return f != NULL ? f->scene_path : NULL;
}

const char *ss_run_file_resolved(const ss_run_file *f)
{
    return f != NULL ? f->resolved : NULL;
}

const ss_run_size *ss_run_file_size(const ss_run_file *f)
{
    return &f->size;
}

ss_status ss_run_file_masses(const ss_run_file *f, double *out)
{
    ss_hdf5_array a;
    SS_TRY(open_array(f, "bodies/mass", &a));
    bool right = has_type(&a, ss_run_stored(SS_RUN_F64)) && a.rank == 1 &&
                 a.count == (hsize_t)f->size.bodies &&
                 H5Dread(a.set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0;
    ss_hdf5_shut(&a);
    return right ? SS_OK : bad(f, "bodies/mass", "expected one number for each body");
}

double ss_run_file_result(const ss_run_file *f, const char *name)
{
    double value = NAN;
    bool   found = f != NULL && name != NULL && ss_hdf5_figure(f->file, "result", name, &value);
    return found ? value : NAN;
}

bool ss_run_file_complete(const ss_run_file *f)
{
    return ss_run_file_result(f, "status") == (double)SS_OK;
}

int32_t ss_run_file_width(const ss_run_file *f, const char *field)
{
    const ss_run_field *found = field_named(field);
    return found != NULL && f != NULL ? ss_run_width(found, &f->size) : 0;
}

static ss_status check_values(const ss_run_file *f, const ss_run_field *field, int64_t first,
                              int64_t rows, bool native, const void *numbers)
{
    double  value = 0;
    int64_t width = ss_run_width(field, &f->size);
    int64_t at    = ss_run_first_wrong(field, &f->names, numbers, native, rows * width, &value);
    if (at < 0) {
        return SS_OK;
    }
    char why[96];
    snprintf(why, sizeof why, "row %lld: %g is not a value that it can have",
             (long long)first + (long long)(at / width), value);
    return bad(f, field->path, why);
}

/* The dimensions were checked when the file was opened; the file may have changed since. As the
   numbers of the field's type (`native`), or as doubles. */
static ss_status read_rows(ss_run_file *f, const ss_run_field *field, int64_t first, int64_t count,
                           bool native, void *out)
{
    ss_hdf5_array a;
    hid_t         type                    = native ? ss_run_native(field->type) : H5T_NATIVE_DOUBLE;
    hsize_t       start[SS_HDF5_RANK_MAX] = {(hsize_t)first, 0, 0};
    SS_TRY(check_field(f, field));
    SS_TRY(open_array(f, field->path, &a));
    a.dims[0]    = (hsize_t)count;
    hid_t from   = H5Dget_space(a.set);
    hid_t memory = H5Screate_simple(a.rank, a.dims, NULL);
    bool  ok     = H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, a.dims, NULL) >= 0 &&
              H5Dread(a.set, type, memory, from, H5P_DEFAULT, out) >= 0;
    H5Sclose(memory);
    H5Sclose(from);
    ss_hdf5_shut(&a);
    return ok ? check_values(f, field, first, count, native, out)
              : bad(f, field->path, "its numbers cannot be read");
}

ss_status ss_run_file_read(ss_run_file *f, const char *field, int64_t first, int64_t count,
                           double *out)
{
    if (f == NULL || field == NULL || out == NULL) {
        return ss_fail(f != NULL ? f->ctx : NULL, SS_ERR_ARGUMENT,
                       "reading needs a file, a field and a place for the rows");
    }
    const ss_run_field *found = field_named(field);
    if (found == NULL || ss_run_width(found, &f->size) == 0) {
        return ss_fail(f->ctx, SS_ERR_ARGUMENT, "%s: there is no field '%s'", f->path, field);
    }
    int64_t rows = found->table == SS_TABLE_CONTACTS ? f->contacts : f->states;
    if (first < 0 || count < 0 || first > rows || count > rows - first) {
        return ss_fail(f->ctx, SS_ERR_ARGUMENT, "%s: %s has %lld rows", f->path, field,
                       (long long)rows);
    }
    return count == 0 ? SS_OK : read_rows(f, found, first, count, false, out);
}

static ss_status append_table(ss_run_file *f, ss_run_rows *rows, bool contacts, int64_t first,
                              int32_t count, int32_t at)
{
    for (int id = 0; count > 0 && id < SS_RUN_FIELD_COUNT; id++) {
        const ss_run_field *field = &ss_run_fields[id];
        size_t row = (size_t)ss_run_width(field, &f->size) * (size_t)ss_run_type_size(field->type);
        if ((field->table == SS_TABLE_CONTACTS) == contacts && row > 0) {
            SS_TRY(read_rows(f, field, first, count, true, rows->column[id] + (size_t)at * row));
        }
    }
    return SS_OK;
}

/* The contacts of the states that were just read: counts and offsets must add up. */
static ss_status count_contacts(const ss_run_file *f, const ss_run_rows *rows, int32_t count,
                                int64_t first_contact, int64_t *contacts)
{
    const int32_t *counts = ss_run_ints(rows, SS_RUN_CONTACTS) + rows->steps;
    const int32_t *first  = ss_run_ints(rows, SS_RUN_FIRST) + rows->steps;
    int64_t        sum    = first_contact;
    for (int32_t k = 0; k < count; k++) {
        if (counts[k] < 0 || first[k] != sum || counts[k] > f->contacts - sum) {
            return bad(f, "steps/contacts", "its counts do not add up with the tables of contacts");
        }
        sum += counts[k];
    }
    *contacts = sum - first_contact;
    return SS_OK;
}

ss_status ss_run_file_rows(ss_run_file *f, int64_t first, int32_t count, int64_t first_contact,
                           ss_run_rows *rows)
{
    int64_t contacts = 0;
    if (first_contact < 0 || first_contact > f->contacts) {
        return bad(f, "steps/first_contact", "it lies outside the tables of contacts");
    }
    SS_TRY(ss_run_rows_reserve(rows, count, 0));
    SS_TRY(append_table(f, rows, false, first, count, rows->steps));
    SS_TRY(count_contacts(f, rows, count, first_contact, &contacts));
    SS_TRY(ss_run_rows_reserve(rows, count, (int32_t)contacts));
    SS_TRY(append_table(f, rows, true, first_contact, (int32_t)contacts, rows->contacts));
    rows->steps += count;
    rows->contacts += (int32_t)contacts;
    return SS_OK;
}

/* ---- labels ---- */

static bool says(const ss_run_file *f, const char *path, const char *name, const char *expected)
{
    char text[256];
    return ss_hdf5_label(f->file, path, name, text, sizeof text) && strcmp(text, expected) == 0;
}

ss_status ss_run_file_labels(const ss_run_file *f)
{
    bool same_version = strcmp(f->generator, ss_version()) == 0;
    for (int id = 0; id < SS_RUN_FIELD_COUNT; id++) {
        const ss_run_field *x = &ss_run_fields[id];
        if (ss_run_width(x, &f->size) == 0) {
            continue;
        }
        if (!says(f, x->path, "unit", x->unit)) {
            return bad(f, x->path, "its unit is another");
        }
        if (same_version && !says(f, x->path, "meaning", x->doc)) {
            return bad(f, x->path, "its meaning is another");
        }
    }
    return SS_OK;
}
