/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a study: one table `trials` with a row for each trial, and texts that say what the
 * study is.
 *
 * It is safe against kill -9 because nothing of HDF5's own structure changes after it was made: the
 * table is contiguous, its space is set aside at once (a sparse file: rows that were never written
 * take no room and read as zero, which is `pending`), and writing a row is writing its bytes at
 * their place, past HDF5's buffer. The file is made under another name, closed, and renamed
 * (files/part_file.h).
 * docs/decisions/0010 tells why run files are different.
 */
#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "files/buffer.h"
#include "files/hdf5_trust.h"
#include "files/part_file.h"
#include "study/trials.h"

/* Where things lie in a row, in bytes; inputs and measures follow, then the message. */
enum {
    AT_STATUS   = 0,
    AT_STEPS    = 8,
    AT_TIME     = 16,
    AT_RESIDUAL = 24,
    AT_SECONDS  = 32,
    AT_VALUES   = 40
};

struct ss_store {
    ss_context     *ctx;
    const ss_study *study;
    char            path[1024];
    ss_part         part; /* holds the name while trials are added */
    hid_t           file, row_type;
    ss_hdf5_array   table;
    size_t          row_size, bytes; /* of a row, of the whole file */
    unsigned char  *row;
};

typedef struct quiet {
    H5E_auto2_t report;
    void       *data;
} quiet;

static quiet silence(void)
{
    quiet q;
    H5Eget_auto2(H5E_DEFAULT, &q.report, &q.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return q;
}

static void speak_again(quiet q)
{
    H5Eset_auto2(H5E_DEFAULT, q.report, q.data);
}

static ss_status io_error(const ss_store *f, const char *what)
{
    return ss_fail(f->ctx, SS_ERR_IO, "%s: %s%s%s", f->path, what, errno != 0 ? ": " : "",
                   errno != 0 ? strerror(errno) : "");
}

static size_t message_at(const ss_study *s)
{
    return AT_VALUES + 8 * ((size_t)s->input_count + (size_t)s->measure_count);
}

/* ---- the row ---- */

static bool add_columns(const ss_study *s, hid_t type)
{
    bool   ok = true;
    size_t at = AT_VALUES;
    ok        = H5Tinsert(type, "status", AT_STATUS, H5T_STD_U8LE) >= 0 && ok;
    ok        = H5Tinsert(type, "steps", AT_STEPS, H5T_STD_I64LE) >= 0 && ok;
    ok        = H5Tinsert(type, "time", AT_TIME, H5T_IEEE_F64LE) >= 0 && ok;
    ok        = H5Tinsert(type, "residual", AT_RESIDUAL, H5T_IEEE_F64LE) >= 0 && ok;
    ok        = H5Tinsert(type, "seconds", AT_SECONDS, H5T_IEEE_F64LE) >= 0 && ok;
    for (int32_t i = 0; i < s->input_count; i++, at += 8) {
        ok = H5Tinsert(type, s->inputs[i].path, at, H5T_IEEE_F64LE) >= 0 && ok;
    }
    for (int32_t i = 0; i < s->measure_count; i++, at += 8) {
        ok = H5Tinsert(type, s->measures[i].name, at, H5T_IEEE_F64LE) >= 0 && ok;
    }
    hid_t text = H5Tcopy(H5T_C_S1);
    ok         = H5Tset_size(text, SS_TRIAL_MESSAGE) >= 0 && ok;
    ok         = H5Tinsert(type, "message", at, text) >= 0 && ok;
    H5Tclose(text);
    return ok;
}

static ss_status start(ss_context *ctx, const ss_study *s, const char *path, ss_store **out)
{
    ss_store *f = ss_alloc(ctx, 1, sizeof *f);
    *out        = NULL;
    if (f == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    f->ctx      = ctx;
    f->study    = s;
    f->part     = (ss_part){.lock = -1};
    f->file     = -1;
    f->table    = (ss_hdf5_array){.set = -1};
    f->row_size = message_at(s) + SS_TRIAL_MESSAGE;
    f->row      = ss_alloc(ctx, f->row_size, 1);
    f->row_type = H5Tcreate(H5T_COMPOUND, f->row_size);
    snprintf(f->path, sizeof f->path, "%s", path);
    *out = f;
    if (f->row == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    if (strlen(path) > sizeof f->path - 8) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: this path is too long", path);
    }
    return f->row_type >= 0 && add_columns(s, f->row_type)
               ? SS_OK
               : ss_fail(ctx, SS_ERR_INPUT,
                         "%s: two columns of the study have the same name, or one that HDF5 "
                         "refuses",
                         path);
}

/* ---- texts ---- */

static bool put_text(hid_t file, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool  ok  = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

/* Is the text in the file this one? */
static bool has_text(const ss_store *f, const char *name, const char *text)
{
    ss_hdf5_array a;
    size_t        size = strlen(text) + 1;
    if (ss_hdf5_open(f->file, name, f->bytes, &a) != NULL) {
        return false;
    }
    bool  fits = a.kind == H5T_STRING && a.count == 1 && a.item == size;
    char *read = fits ? ss_alloc(f->ctx, size, 1) : NULL;
    hid_t type = H5Dget_type(a.set);
    bool  same = read != NULL && H5Dread(a.set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) >= 0 &&
                memcmp(read, text, size) == 0;
    ss_free(f->ctx, read, read != NULL ? size : 0);
    H5Tclose(type);
    ss_hdf5_shut(&a);
    return same;
}

/* What the columns are, as JSON: inputs with the texts that numbers stand for, measures. */
static ss_status describe(const ss_study *s, ss_buffer *b)
{
    ss_buffer_text(b, "{");
    ss_study_put_inputs(b, s);
    ss_buffer_text(b, ",\"measures\":[");
    for (int32_t i = 0; i < s->measure_count; i++) {
        ss_buffer_text(b, i > 0 ? "," : "");
        ss_buffer_quote(b, s->measures[i].name);
    }
    ss_buffer_text(b, "],\"status\":[\"pending\",\"done\",\"stopped\",\"failed\"]}");
    return ss_buffer_status(b);
}

static const char *scene_text(const ss_study *s)
{
    const char *text = ss_scene_text(s->first_scene);
    return text != NULL ? text : "";
}

static ss_status write_texts(ss_store *f)
{
    ss_buffer b;
    ss_buffer_start(&b, f->ctx);
    ss_status status = describe(f->study, &b);
    if (status == SS_OK) {
        bool ok = put_text(f->file, "format", "stickslip study 1") &&
                  put_text(f->file, "version", ss_version()) &&
                  put_text(f->file, "study", f->study->resolved) &&
                  put_text(f->file, "scene", scene_text(f->study)) &&
                  put_text(f->file, "columns", b.bytes);
        status = ok ? SS_OK : io_error(f, "could not be written");
    }
    ss_buffer_release(&b);
    return status;
}

/* ---- making and opening ---- */

static ss_status create_table(ss_store *f)
{
    hsize_t rows  = (hsize_t)ss_study_trials(f->study);
    hid_t   space = H5Screate_simple(1, &rows, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    bool    ok = H5Pset_layout(list, H5D_CONTIGUOUS) >= 0 &&
              H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0 &&
              H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0 &&
              H5Pset_obj_track_times(list, false) >= 0;
    hid_t table =
        ok ? H5Dcreate2(f->file, "trials", f->row_type, space, H5P_DEFAULT, list, H5P_DEFAULT) : -1;
    H5Pclose(list);
    H5Sclose(space);
    if (table < 0) {
        return io_error(f, "no room for the table of trials");
    }
    H5Dclose(table);
    return SS_OK;
}

/* Without rows, which are written later: texts, and what HDF5 puts around them. */
static size_t empty_size(const ss_study *s)
{
    enum { AROUND = 1 << 15 };
    return strlen(s->resolved) + strlen(scene_text(s)) + AROUND;
}

static ss_status make_file(ss_store *f, const char *path)
{
    SS_TRY(ss_part_room(&f->part, empty_size(f->study)));
    f->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (f->file < 0) {
        return io_error(f, "cannot be written");
    }
    ss_status status = write_texts(f);
    if (status == SS_OK) {
        status = create_table(f);
    }
    bool closed = H5Fclose(f->file) >= 0;
    f->file     = -1;
    return status == SS_OK && !closed ? io_error(f, "could not be written") : status;
}

/* A file that nobody vouches for (files/hdf5_trust.h): rows are written to its table later on. */
static ss_status open_file(ss_store *f, ss_store_use use)
{
    struct stat info;
    hid_t       list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_sieve_buf_size(list, 0); /* rows go to the file, not into a buffer */
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(list, false, true); /* others may look while trials are added */
#endif
    f->file = H5Fopen(f->path, use == SS_STORE_ADD ? H5F_ACC_RDWR : H5F_ACC_RDONLY, list);
    H5Pclose(list);
    if (f->file < 0 || stat(f->path, &info) != 0) {
        return ss_fail(f->ctx, SS_ERR_INPUT, "%s: this is no HDF5 file that can be %s", f->path,
                       use == SS_STORE_ADD ? "written to" : "read");
    }
    f->bytes = (size_t)info.st_size;
    return SS_OK;
}

static ss_status same_study(const ss_store *f)
{
    SS_TRY(ss_hdf5_room(f->ctx, f->path, (double)f->bytes)); /* its texts are compared with ours */
    if (!has_text(f, "format", "stickslip study 1")) {
        return ss_fail(f->ctx, SS_ERR_INPUT, "%s: this is no file of a study", f->path);
    }
    if (!has_text(f, "study", f->study->resolved) || !has_text(f, "scene", scene_text(f->study))) {
        return ss_fail(f->ctx, SS_ERR_INPUT,
                       "%s: it holds another study (or this one before it was changed)", f->path);
    }
    return has_text(f, "version", ss_version())
               ? SS_OK
               : ss_fail(f->ctx, SS_ERR_INPUT,
                         "%s: it was computed by another version of stickslip", f->path);
}

static ss_status open_table(ss_store *f)
{
    const char *wrong = ss_hdf5_open_table(f->file, "trials", f->row_type, f->bytes, &f->table);
    if (wrong == NULL &&
        (f->table.rank != 1 || f->table.count != (hsize_t)ss_study_trials(f->study))) {
        wrong = "it has another number of trials";
    }
    return wrong == NULL
               ? SS_OK
               : ss_fail(f->ctx, wrong == ss_hdf5_no_memory ? SS_ERR_MEMORY : SS_ERR_INPUT,
                         "%s: its table of trials: %s", f->path, wrong);
}

static void release(ss_store *f)
{
    ss_hdf5_shut(&f->table);
    if (f->file >= 0) {
        H5Fclose(f->file);
    }
    if (f->row_type >= 0) {
        H5Tclose(f->row_type);
    }
    ss_part_release(&f->part, true);
    ss_free(f->ctx, f->row, f->row != NULL ? f->row_size : 0);
    ss_free(f->ctx, f, sizeof *f);
}

static ss_status finish(ss_store *f, ss_status status, quiet q, ss_store **out)
{
    if (status != SS_OK && f != NULL) {
        release(f);
        f = NULL;
    }
    speak_again(q);
    *out = f;
    return status;
}

ss_status ss_store_create(ss_context *ctx, const ss_study *s, const char *path, ss_store **out)
{
    ss_store *f = NULL;
    *out        = NULL;
    SS_TRY(ss_hdf5_room(ctx, path, 0));
    quiet     q      = silence();
    ss_status status = start(ctx, s, path, &f);
    if (status == SS_OK) {
        status = ss_part_open(&f->part, ctx, path);
    }
    errno = 0;
    if (status == SS_OK) {
        status = make_file(f, f->part.part);
    }
    if (status == SS_OK) {
        status = ss_part_finish(&f->part);
    }
    if (status == SS_OK) {
        status = open_file(f, SS_STORE_ADD);
    }
    if (status == SS_OK) {
        status = open_table(f);
    }
    return finish(f, status, q, out);
}

ss_status ss_store_open(ss_context *ctx, const ss_study *s, const char *path, ss_store_use use,
                        ss_store **out)
{
    struct stat there;
    ss_store   *f = NULL;
    *out          = NULL;
    if (stat(path, &there) != 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    }
    if (use == SS_STORE_READ && !S_ISREG(there.st_mode)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: is not a file", path);
    }
    SS_TRY(ss_hdf5_room(ctx, path, 0));
    quiet     q      = silence();
    ss_status status = start(ctx, s, path, &f);
    if (status == SS_OK && use == SS_STORE_ADD) {
        status = ss_part_lock(&f->part, ctx, path);
    }
    if (status == SS_OK) {
        status = open_file(f, use);
    }
    if (status == SS_OK) {
        status = same_study(f);
    }
    if (status == SS_OK) {
        status = open_table(f);
    }
    return finish(f, status, q, out);
}

ss_status ss_store_close(ss_store *f)
{
    if (f == NULL) {
        return SS_OK;
    }
    quiet     q      = silence();
    bool      ok     = H5Fflush(f->file, H5F_SCOPE_LOCAL) >= 0;
    ss_status status = ok ? SS_OK : io_error(f, "could not be written to its end");
    release(f);
    speak_again(q);
    return status;
}

/* ---- rows ---- */

static bool select_row(const ss_store *f, int64_t trial, bool write)
{
    hsize_t at = (hsize_t)trial, one = 1;
    hid_t   here = H5Dget_space(f->table.set), memory = H5Screate_simple(1, &one, NULL);
    bool    ok = H5Sselect_hyperslab(here, H5S_SELECT_SET, &at, NULL, &one, NULL) >= 0;
    if (ok && write) {
        ok = H5Dwrite(f->table.set, f->row_type, memory, here, H5P_DEFAULT, f->row) >= 0;
    } else if (ok) {
        ok = H5Dread(f->table.set, f->row_type, memory, here, H5P_DEFAULT, f->row) >= 0;
    }
    H5Sclose(memory);
    H5Sclose(here);
    return ok;
}

ss_status ss_store_put(ss_store *f, const ss_trial *trial)
{
    const ss_study *s  = f->study;
    unsigned char  *r  = f->row;
    size_t          ni = (size_t)s->input_count, nm = (size_t)s->measure_count;
    memset(r, 0, f->row_size);
    r[AT_STATUS] = (unsigned char)trial->status;
    memcpy(r + AT_STEPS, &trial->steps, 8);
    memcpy(r + AT_TIME, &trial->time, 8);
    memcpy(r + AT_RESIDUAL, &trial->residual, 8);
    memcpy(r + AT_SECONDS, &trial->seconds, 8);
    memcpy(r + AT_VALUES, trial->inputs, 8 * ni);
    memcpy(r + AT_VALUES + 8 * ni, trial->measures, 8 * nm);
    memcpy(r + message_at(s), trial->message, SS_TRIAL_MESSAGE);
    errno    = 0;
    quiet q  = silence();
    bool  ok = select_row(f, trial->trial, true);
    speak_again(q);
    return ok ? SS_OK : io_error(f, "a trial could not be written");
}

/* A row that was written for other inputs (a table that was changed since) is no row of ours. */
static ss_status take_row(ss_store *f, int64_t i, double *expected, ss_trials *t)
{
    const ss_study *s     = f->study;
    unsigned char  *r     = f->row;
    size_t          ni    = (size_t)s->input_count;
    ss_trial        trial = {.trial = i, .status = (ss_trial_status)r[AT_STATUS]};
    memcpy(&trial.steps, r + AT_STEPS, 8);
    memcpy(&trial.time, r + AT_TIME, 8);
    memcpy(&trial.residual, r + AT_RESIDUAL, 8);
    memcpy(&trial.seconds, r + AT_SECONDS, 8);
    memcpy(trial.message, r + message_at(s), SS_TRIAL_MESSAGE - 1);
    trial.inputs   = (double *)(void *)(r + AT_VALUES);
    trial.measures = (double *)(void *)(r + AT_VALUES + 8 * ni);
    ss_study_draw(s, i, expected);
    if (trial.status > SS_TRIAL_FAILED || memcmp(expected, trial.inputs, 8 * ni) != 0) {
        return ss_fail(f->ctx, SS_ERR_INPUT,
                       "%s: trial %lld was computed for other values than the study gives it now "
                       "(has a table changed?)",
                       f->path, (long long)i);
    }
    return ss_trials_put(t, &trial);
}

ss_status ss_store_read(ss_store *f, ss_trials *t)
{
    double   *expected = ss_alloc(f->ctx, (size_t)f->study->input_count + 1, sizeof *expected);
    ss_status status   = expected != NULL ? SS_OK : ss_fail(f->ctx, SS_ERR_MEMORY, "out of memory");
    quiet     q        = silence();
    for (int64_t i = 0; status == SS_OK && i < t->count; i++) {
        if (!select_row(f, i, false)) {
            status = ss_fail(f->ctx, SS_ERR_INPUT, "%s: trial %lld cannot be read", f->path,
                             (long long)i);
        } else if (f->row[AT_STATUS] != SS_TRIAL_PENDING) {
            status = take_row(f, i, expected, t);
        }
    }
    speak_again(q);
    ss_free(f->ctx, expected, ((size_t)f->study->input_count + 1) * sizeof *expected);
    return status;
}
