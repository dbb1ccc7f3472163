/* SPDX-License-Identifier: Apache-2.0 */
#include "stickslip/run_file.h"

#include <hdf5.h>
#include <math.h>
#include <string.h>

#include "core/pool.h"
#include "runfile/run_file_rows.h"

struct ss_run_file {
    ss_context  *ctx;
    ss_pool      pool;
    const char  *path;
    hid_t        file;
    ss_run_size  size;
    int64_t      states, contacts;
    const char  *description;
    const char **body_names, **body_types;
    H5E_auto2_t  report; /* HDF5's own error printer, put back at the end */
    void        *report_data;
};

static ss_status bad(const ss_run_file *f, const char *what)
{
    return ss_fail(f->ctx, SS_ERR_INPUT, "%s: not a run file of stickslip (%s)", f->path, what);
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

/* Dimensions of a dataset; returns the rank, -1 when it is not there. */
static int dimensions(hid_t file, const char *path, hsize_t dims[3])
{
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0) {
        return -1;
    }
    hid_t space = H5Dget_space(set);
    int   rank  = H5Sget_simple_extent_ndims(space);
    if (rank > 3 || H5Sget_simple_extent_dims(space, dims, NULL) < 0) {
        rank = -1;
    }
    H5Sclose(space);
    H5Dclose(set);
    return rank;
}

/* `count` texts (1 for a scalar), copied into the pool. */
static const char **read_texts(ss_run_file *f, const char *path, size_t count)
{
    const char **out  = ss_pool_alloc(&f->pool, count, sizeof *out);
    char       **raw  = ss_pool_alloc(&f->pool, count, sizeof *raw);
    hid_t        set  = H5Dopen2(f->file, path, H5P_DEFAULT);
    hid_t        type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    int ok = out != NULL && raw != NULL && set >= 0 &&
             H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) >= 0;
    for (size_t i = 0; ok && i < count; i++) {
        out[i] = ss_pool_text(&f->pool, raw[i] != NULL ? raw[i] : "", &ok);
        H5free_memory(raw[i]);
    }
    if (set >= 0) {
        H5Dclose(set);
    }
    H5Tclose(type);
    return ok ? out : NULL;
}

/* States and contacts that every table has: the tables of a file are of one length or it is torn.
 */
static ss_status measure(ss_run_file *f)
{
    hsize_t dims[3] = {0, 0, 0};
    if (dimensions(f->file, "bodies/position", dims) != 3) {
        return bad(f, "it has no bodies/position");
    }
    f->size.bodies    = (int32_t)dims[1];
    f->size.dimension = (int)dims[2];
    f->states         = (int64_t)dims[0];
    if (dimensions(f->file, "contacts/identity", dims) != 2) {
        return bad(f, "it has no contacts/identity");
    }
    f->contacts = (int64_t)dims[0];
    if (dimensions(f->file, "joints/force", dims) == 3) {
        f->size.joints = (int32_t)dims[1];
    }
    for (int id = 0; id < SS_RUN_FIELD_COUNT; id++) {
        const ss_run_field *field = &ss_run_fields[id];
        int64_t             rows  = field->table == SS_TABLE_CONTACTS ? f->contacts : f->states;
        if (ss_run_width(field, &f->size) > 0 &&
            (dimensions(f->file, field->path, dims) < 1 || (int64_t)dims[0] != rows)) {
            return bad(f, field->path);
        }
    }
    return SS_OK;
}

static ss_status load(ss_run_file *f)
{
    if (f->file < 0) {
        return ss_fail(f->ctx, SS_ERR_IO, "%s: cannot be read as HDF5", f->path);
    }
    SS_TRY(measure(f));
    if (f->size.dimension != 2 && f->size.dimension != 3) {
        return bad(f, "its bodies have neither 2 nor 3 coordinates");
    }
    const char **description = read_texts(f, "description", 1);
    f->body_names            = read_texts(f, "bodies/name", (size_t)f->size.bodies);
    f->body_types            = read_texts(f, "bodies/type", (size_t)f->size.bodies);
    if (description == NULL || f->body_names == NULL || f->body_types == NULL ||
        description[0][0] != '{') {
        return bad(f, "its description cannot be read");
    }
    f->description = description[0];
    return SS_OK;
}

ss_status ss_run_file_open(ss_context *ctx, const char *path, ss_run_file **out)
{
    ss_run_file *f  = ss_alloc(ctx, 1, sizeof *f);
    int          ok = 1;
    *out            = NULL;
    if (f == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
    }
    *f      = (ss_run_file){.ctx = ctx, .pool = {.ctx = ctx}};
    f->path = ss_pool_text(&f->pool, path, &ok);
    H5Eget_auto2(H5E_DEFAULT, &f->report, &f->report_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    f->file          = ok ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    ss_status status = ok ? load(f) : SS_ERR_MEMORY;
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
    return f != NULL ? f->description : NULL;
}

const char *ss_run_file_body_name(const ss_run_file *f, int32_t body)
{
    return body >= 0 && body < ss_run_file_body_count(f) ? f->body_names[body] : NULL;
}

bool ss_run_file_body_fixed(const ss_run_file *f, int32_t body)
{
    return strcmp(f->body_types[body], "static") == 0;
}

const ss_run_size *ss_run_file_size(const ss_run_file *f)
{
    return &f->size;
}

double ss_run_file_result(const ss_run_file *f, const char *name)
{
    double value = NAN;
    if (f == NULL || name == NULL) {
        return value;
    }
    hid_t attribute = H5Aopen_by_name(f->file, "result", name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0) {
        H5Aread(attribute, H5T_NATIVE_DOUBLE, &value);
        H5Aclose(attribute);
    }
    return value;
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

static ss_status read_rows(ss_run_file *f, const ss_run_field *field, int64_t first, int64_t count,
                           hid_t type, void *out)
{
    hsize_t dims[3] = {0, 0, 0}, start[3] = {(hsize_t)first, 0, 0};
    int     rank = dimensions(f->file, field->path, dims);
    dims[0]      = (hsize_t)count;
    hid_t set    = H5Dopen2(f->file, field->path, H5P_DEFAULT);
    hid_t from = H5Dget_space(set), memory = H5Screate_simple(rank, dims, NULL);
    int   ok = H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, dims, NULL) >= 0 &&
             H5Dread(set, type, memory, from, H5P_DEFAULT, out) >= 0;
    H5Sclose(memory);
    H5Sclose(from);
    H5Dclose(set);
    return ok ? SS_OK : ss_fail(f->ctx, SS_ERR_IO, "%s: %s cannot be read", f->path, field->path);
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
    if (first < 0 || count < 0 || first + count > rows) {
        return ss_fail(f->ctx, SS_ERR_ARGUMENT, "%s: %s has %lld rows", f->path, field,
                       (long long)rows);
    }
    return count == 0 ? SS_OK : read_rows(f, found, first, count, H5T_NATIVE_DOUBLE, out);
}

static hid_t native(ss_run_type type)
{
    return type == SS_RUN_F64   ? H5T_NATIVE_DOUBLE
           : type == SS_RUN_I32 ? H5T_NATIVE_INT32
                                : H5T_NATIVE_UINT8;
}

static ss_status append_table(ss_run_file *f, ss_run_rows *rows, bool contacts, int64_t first,
                              int32_t count, int32_t at)
{
    for (int id = 0; count > 0 && id < SS_RUN_FIELD_COUNT; id++) {
        const ss_run_field *field = &ss_run_fields[id];
        size_t row = (size_t)ss_run_width(field, &f->size) * (size_t)ss_run_type_size(field->type);
        if ((field->table == SS_TABLE_CONTACTS) == contacts && row > 0) {
            SS_TRY(read_rows(f, field, first, count, native(field->type),
                             rows->column[id] + (size_t)at * row));
        }
    }
    return SS_OK;
}

ss_status ss_run_file_rows(ss_run_file *f, int64_t first, int32_t count, int64_t first_contact,
                           ss_run_rows *rows)
{
    SS_TRY(ss_run_rows_reserve(rows, count, 0));
    SS_TRY(append_table(f, rows, false, first, count, rows->steps));
    int64_t contacts = 0;
    for (int32_t k = 0; k < count; k++) {
        contacts += ss_run_ints(rows, SS_RUN_CONTACTS)[rows->steps + k];
    }
    if (first_contact + contacts > f->contacts) {
        return bad(f, "its steps have more contacts than its tables");
    }
    SS_TRY(ss_run_rows_reserve(rows, count, (int32_t)contacts));
    SS_TRY(append_table(f, rows, true, first_contact, (int32_t)contacts, rows->contacts));
    rows->steps += count;
    rows->contacts += (int32_t)contacts;
    return SS_OK;
}
