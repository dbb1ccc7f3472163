/* SPDX-License-Identifier: Apache-2.0 */
#include "runfile/run_hdf5.h"

#include <hdf5.h>
#include <string.h>

#include "files/hdf5_trust.h"
#include "runfile/tolerances.h"

enum { CHUNK_BYTES = 1 << 18, CHUNK_LEAST = 16, CHUNK_MOST = 4096, DEFLATE = 4 };

/* HDF5 prints errors by itself: the library must not. */
typedef struct quiet {
    H5E_auto2_t report;
    void       *data;
} quiet;

static quiet hush(void)
{
    quiet q;
    H5Eget_auto2(H5E_DEFAULT, &q.report, &q.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return q;
}

static void unhush(quiet q)
{
    H5Eset_auto2(H5E_DEFAULT, q.report, q.data);
}

hid_t ss_run_native(ss_run_type type)
{
    return type == SS_RUN_F64   ? H5T_NATIVE_DOUBLE
           : type == SS_RUN_I32 ? H5T_NATIVE_INT32
                                : H5T_NATIVE_UINT8;
}

hid_t ss_run_stored(ss_run_type type)
{
    return type == SS_RUN_F64 ? H5T_IEEE_F64LE : type == SS_RUN_I32 ? H5T_STD_I32LE : H5T_STD_U8LE;
}

int ss_run_dimensions(const ss_run_field *f, const ss_run_size *size, hsize_t rows, hsize_t dims[3])
{
    hsize_t each = (hsize_t)(size->dimension == 2 ? f->flat : f->solid);
    int     rank = 0;
    dims[rank++] = rows;
    if (f->per != SS_PER_ROW && f->per != SS_PER_RANGE && f->per != SS_PER_VERDICT) {
        dims[rank++] = (hsize_t)ss_run_width(f, size) / each;
    }
    if (each > 1) {
        dims[rank++] = each;
    }
    return rank;
}

static hsize_t chunk_rows(const ss_run_field *f, const ss_run_size *size)
{
    int32_t row  = ss_run_width(f, size) * ss_run_type_size(f->type);
    int32_t rows = CHUNK_BYTES / row;
    return (hsize_t)(rows < CHUNK_LEAST ? CHUNK_LEAST : rows > CHUNK_MOST ? CHUNK_MOST : rows);
}

static int set_text_attribute(hid_t object, const char *name, const char *text)
{
    hid_t type  = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int   ok        = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

static int create_field(hid_t file, const ss_run_field *f, const ss_run_size *size)
{
    hsize_t dims[3], most[3], chunk[3];
    int     rank = ss_run_dimensions(f, size, 0, dims);
    memcpy(most, dims, sizeof most);
    memcpy(chunk, dims, sizeof chunk);
    most[0]     = H5S_UNLIMITED;
    chunk[0]    = chunk_rows(f, size);
    hid_t space = H5Screate_simple(rank, dims, most);
    hid_t how   = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, rank, chunk);
    H5Pset_shuffle(how);
    H5Pset_deflate(how, DEFLATE);
    hid_t set =
        H5Dcreate2(file, f->path, ss_run_stored(f->type), space, H5P_DEFAULT, how, H5P_DEFAULT);
    int ok = set >= 0 && set_text_attribute(set, "unit", f->unit) &&
             set_text_attribute(set, "meaning", f->doc);
    if (set >= 0) {
        H5Dclose(set);
    }
    H5Pclose(how);
    H5Sclose(space);
    return ok;
}

static size_t longest(const char *const *texts, int32_t count)
{
    size_t most = 1;
    for (int32_t i = 0; i < count; i++) {
        size_t length = strlen(texts[i]);
        most          = length > most ? length : most;
    }
    return most;
}

/*
 * Texts of fixed length, the shorter ones filled up with zeros. (HDF5's texts of variable length
 * live in a heap whose sizes its reader believes: a damaged file can make it write past its end.)
 */
static int put_padded(hid_t file, const char *path, const char *padded, size_t size, int32_t count)
{
    hsize_t n     = (hsize_t)count;
    hid_t   type  = H5Tcopy(H5T_C_S1);
    hid_t   space = count > 0 ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR);
    H5Tset_size(type, size);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int   ok  = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded) >= 0;
    if (set >= 0) {
        H5Dclose(set);
    }
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

/* One text (count 0) or a list of texts. */
static int put_texts(ss_context *ctx, hid_t file, const char *path, const char *const *texts,
                     int32_t count)
{
    size_t n = count > 0 ? (size_t)count : 1, size = longest(texts, (int32_t)n);
    char  *padded = ss_alloc(ctx, n, size);
    for (size_t i = 0; padded != NULL && i < n; i++) {
        memcpy(padded + i * size, texts[i], strlen(texts[i]));
    }
    int ok = padded != NULL && put_padded(file, path, padded, size, count);
    ss_free(ctx, padded, padded != NULL ? n * size : 0);
    return ok;
}

static int put_reals(hid_t file, const char *path, const double *x, int32_t count)
{
    hsize_t n     = (hsize_t)count;
    hid_t   space = H5Screate_simple(1, &n, NULL);
    hid_t   set =
        H5Dcreate2(file, path, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int ok = set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0;
    if (set >= 0) {
        H5Dclose(set);
    }
    H5Sclose(space);
    return ok;
}

static int create_groups(hid_t file)
{
    static const char *const names[] = {"steps",  "bodies",  "contacts", "joints",
                                        "forces", "support", "scene",    "result"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        hid_t group = H5Gcreate2(file, names[i], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (group < 0) {
            return 0;
        }
        H5Gclose(group);
    }
    return 1;
}

static int create_contents(ss_context *ctx, hid_t file, const ss_run_size *size,
                           const ss_run_text *texts, int32_t text_count,
                           const ss_run_bodies *bodies)
{
    int ok = create_groups(file) && set_text_attribute(file, "format", SS_RUN_FORMAT) &&
             set_text_attribute(file, "version", SS_RUN_VERSION) &&
             set_text_attribute(file, "generator", ss_version());
    for (int32_t i = 0; ok && i < text_count; i++) {
        ok = put_texts(ctx, file, texts[i].path, &texts[i].text, 0);
    }
    if (ok && bodies->count > 0) {
        ok = put_texts(ctx, file, "bodies/name", bodies->names, bodies->count) &&
             put_texts(ctx, file, "bodies/type", bodies->types, bodies->count) &&
             put_reals(file, "bodies/mass", bodies->masses, bodies->count);
    }
    for (int id = 0; ok && id < SS_RUN_FIELD_COUNT; id++) {
        if (ss_run_width(&ss_run_fields[id], size) > 0) {
            ok = create_field(file, &ss_run_fields[id], size);
        }
    }
    return ok;
}

/* The bytes that the file would have. */
static int take_image(hid_t file, ss_buffer *out)
{
    ssize_t size = H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0 ? H5Fget_file_image(file, NULL, 0) : -1;
    char   *room = size > 0 ? ss_buffer_reserve(out, (size_t)size) : NULL;
    if (room == NULL || H5Fget_file_image(file, room, (size_t)size) != size) {
        return 0;
    }
    out->size += (size_t)size;
    return 1;
}

ss_status ss_run_hdf5_image(ss_context *ctx, const ss_run_size *size, const ss_run_text *texts,
                            int32_t text_count, const ss_run_bodies *bodies, ss_buffer *out)
{
    enum { GROW = 1 << 18 };
    SS_TRY(ss_hdf5_room(ctx, "the start of a run file", 0));
    quiet q      = hush();
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, GROW, 0);
    hid_t file = H5Fcreate("run", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    int   ok   = file >= 0 && create_contents(ctx, file, size, texts, text_count, bodies) &&
             take_image(file, out);
    if (file >= 0 && H5Fclose(file) < 0) {
        ok = 0;
    }
    H5Pclose(access);
    unhush(q);
    return ok ? SS_OK : ss_fail(ctx, SS_ERR_MEMORY, "no memory for the start of a run file");
}

/* Rows [from, from + count) of the buffer to the end of the dataset, which has `have` rows. */
static int append_field(hid_t file, const ss_run_rows *rows, int id, hsize_t have, int32_t from,
                        int32_t count)
{
    const ss_run_field *f = &ss_run_fields[id];
    hsize_t             dims[3], start[3] = {have, 0, 0}, block[3];
    int                 rank = ss_run_dimensions(f, &rows->size, have + (hsize_t)count, dims);
    size_t bytes = (size_t)ss_run_width(f, &rows->size) * (size_t)ss_run_type_size(f->type);
    memcpy(block, dims, sizeof block);
    block[0]  = (hsize_t)count;
    hid_t set = H5Dopen2(file, f->path, H5P_DEFAULT);
    if (set < 0 || H5Dset_extent(set, dims) < 0) {
        return 0;
    }
    hid_t to     = H5Dget_space(set);
    hid_t memory = H5Screate_simple(rank, block, NULL);
    int   ok     = H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, block, NULL) >= 0 &&
             H5Dwrite(set, ss_run_native(f->type), memory, to, H5P_DEFAULT,
                      rows->column[id] + (size_t)from * bytes) >= 0;
    H5Sclose(memory);
    H5Sclose(to);
    H5Dclose(set);
    return ok;
}

static int append_fields(hid_t file, const ss_run_rows *rows, int64_t have_steps)
{
    int32_t skip     = (int32_t)(have_steps - rows->first_step);
    int32_t contacts = ss_run_rows_contacts_of(rows, skip);
    for (int id = 0; id < SS_RUN_FIELD_COUNT; id++) {
        bool    flat  = ss_run_fields[id].table == SS_TABLE_CONTACTS;
        int32_t from  = flat ? contacts : skip;
        int32_t count = (flat ? rows->contacts : rows->steps) - from;
        int64_t have  = flat ? rows->first_contact + contacts : have_steps;
        if (count > 0 && ss_run_width(&ss_run_fields[id], &rows->size) > 0 &&
            !append_field(file, rows, id, (hsize_t)have, from, count)) {
            return 0;
        }
    }
    return 1;
}

static int put_figures(hid_t file, const ss_run_figure *figures, int32_t count)
{
    int   ok    = 1;
    hid_t space = H5Screate(H5S_SCALAR);
    for (int32_t i = 0; ok && i < count; i++) {
        hid_t attribute =
            H5Acreate_by_name(file, "result", ss_run_figure_name(&figures[i]), H5T_IEEE_F64LE,
                              space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        ok = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &figures[i].value) >= 0;
        if (attribute >= 0) {
            H5Aclose(attribute);
        }
    }
    H5Sclose(space);
    return ok;
}

double ss_run_hdf5_room(const ss_run_rows *rows, int64_t have_steps)
{
    int32_t skip     = (int32_t)(have_steps - rows->first_step);
    int32_t contacts = ss_run_rows_contacts_of(rows, skip);
    double  bytes    = SS_RUN_RESULT_ROOM;
    for (int id = 0; id < SS_RUN_FIELD_COUNT; id++) {
        const ss_run_field *f     = &ss_run_fields[id];
        bool                flat  = f->table == SS_TABLE_CONTACTS;
        int64_t             have  = flat ? rows->first_contact + contacts : have_steps;
        int32_t             fresh = flat ? rows->contacts - contacts : rows->steps - skip;
        int32_t             row   = ss_run_width(f, &rows->size) * ss_run_type_size(f->type);
        if (row > 0 && fresh > 0) { /* the last chunk is written anew, then the others follow */
            double again = (double)(have % (int64_t)chunk_rows(f, &rows->size));
            bytes += SS_RUN_FIELD_ROOM + (again + fresh) * row * (1 + SS_RUN_DEFLATE_LOSS);
        }
    }
    return bytes;
}

ss_status ss_run_hdf5_append(ss_context *ctx, const char *path, const ss_run_rows *rows,
                             int64_t have_steps, const ss_run_figure *figures, int32_t figure_count)
{
    SS_TRY(ss_hdf5_room(ctx, path, 0));
    quiet q    = hush();
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    int   ok   = file >= 0 && append_fields(file, rows, have_steps) &&
             put_figures(file, figures, figure_count);
    if (file >= 0 && H5Fclose(file) < 0) {
        ok = 0;
    }
    unhush(q);
    return ok ? SS_OK : ss_fail(ctx, SS_ERR_IO, "%s: the run file cannot be extended", path);
}
