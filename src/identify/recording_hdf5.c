/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings in HDF5 files: arrays of numbers, or columns of tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/input.h"
#include "files/hdf5_trust.h"
#include "identify/identify.h"

typedef struct reader {
    ss_decoder    *d;
    const ss_node *at;
    const char    *file;
    hid_t          id;
    size_t         bytes;
    int64_t        rows; /* -1: not known yet */
    int32_t        count;
    double        *numbers; /* (rows x count) */
} reader;

/* Which number of each row: none, [i] of a table, [i,j] of a table of tables. */
typedef struct place {
    char path[256];
    int  rank; /* of the array that it is for */
    long index[2];
} place;

/* "poses/xy[1]" -> "poses/xy" and 1 */
static bool split(const char *name, place *p)
{
    const char *at  = strchr(name, '[');
    size_t      len = at != NULL ? (size_t)(at - name) : strlen(name);
    char       *end = NULL;
    if (len == 0 || len >= sizeof p->path) {
        return false;
    }
    memcpy(p->path, name, len);
    p->path[len] = '\0';
    p->rank      = 1;
    while (at != NULL && *at != ']' && p->rank < 3) {
        p->index[p->rank - 1] = strtol(at + 1, &end, 10);
        if (end == at + 1 || p->index[p->rank - 1] < 0 || (*end != ',' && *end != ']')) {
            return false;
        }
        p->rank++;
        at = end;
    }
    return at == NULL || strcmp(at, "]") == 0;
}

/* Where in a row the number stands; -1: the array has none there. */
static int64_t offset_of(const place *p, const ss_hdf5_array *a)
{
    int64_t at = 0;
    if (a->rank != p->rank || (a->kind != H5T_INTEGER && a->kind != H5T_FLOAT)) {
        return -1;
    }
    for (int k = 1; k < p->rank; k++) {
        if ((hsize_t)p->index[k - 1] >= a->dims[k]) {
            return -1;
        }
        at = at * (int64_t)a->dims[k] + p->index[k - 1];
    }
    return at;
}

/* The first column says how many rows there are. */
static ss_status check_rows(reader *r, const char *name, int64_t rows)
{
    if (r->rows < 0) {
        r->rows    = rows;
        r->numbers = ss_pool_alloc(r->d->pool, (size_t)rows * (size_t)r->count + 1, sizeof(double));
        return r->numbers != NULL ? SS_OK : ss_decode_no_memory(r->d);
    }
    return rows == r->rows ? SS_OK
                           : ss_decode_fail(r->d, r->at, "%s: '%s' has %lld numbers, others %lld",
                                            r->file, name, (long long)rows, (long long)r->rows);
}

static ss_status copy_column(reader *r, const char *name, const ss_hdf5_array *a, int64_t offset,
                             int32_t to)
{
    size_t  stride = a->dims[0] > 0 ? (size_t)(a->count / a->dims[0]) : 0;
    double *all    = ss_alloc(r->d->ctx, (size_t)a->count + 1, sizeof *all);
    if (all == NULL) {
        return ss_decode_no_memory(r->d);
    }
    ss_status status = check_rows(r, name, (int64_t)a->dims[0]);
    if (status == SS_OK &&
        H5Dread(a->set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) < 0) {
        status = ss_decode_fail(r->d, r->at, "%s: '%s' cannot be read", r->file, name);
    }
    for (int64_t i = 0; status == SS_OK && i < r->rows; i++) {
        double x = all[(size_t)i * stride + (size_t)offset];
        if (isinf(x)) {
            status = ss_decode_fail(r->d, r->at, "%s, sample %lld: '%s' is no number", r->file,
                                    (long long)i + 1, name);
        }
        r->numbers[i * r->count + to] = x;
    }
    ss_free(r->d->ctx, all, ((size_t)a->count + 1) * sizeof *all);
    return status;
}

static ss_status read_column(reader *r, const char *name, int32_t to)
{
    place         p = {.rank = 1};
    ss_hdf5_array a;
    if (!split(name, &p)) {
        return ss_decode_fail(
            r->d, r->at, "'%s': columns of HDF5 files are named path, path[2] or path[1,2]", name);
    }
    const char *wrong = ss_hdf5_open(r->id, p.path, r->bytes, &a);
    if (wrong == ss_hdf5_no_memory) {
        return ss_decode_no_memory(r->d);
    }
    if (wrong != NULL) {
        return ss_decode_fail(r->d, r->at, "%s: '%s': %s", r->file, p.path, wrong);
    }
    int64_t   offset = offset_of(&p, &a);
    ss_status status = offset >= 0
                           ? copy_column(r, name, &a, offset, to)
                           : ss_decode_fail(r->d, r->at,
                                            "%s: '%s' is no column: an array of numbers, path[2] "
                                            "of a table, path[1,2] of a table of tables",
                                            r->file, name);
    ss_hdf5_shut(&a);
    return status;
}

ss_status ss_recording_hdf5(ss_decoder *d, const ss_node *at, const char *file, int32_t count,
                            const char *const *names, int64_t *rows, const double **numbers)
{
    char        path[4096];
    H5E_auto2_t report = NULL;
    void       *user   = NULL;
    reader      r      = {.d = d, .at = at, .file = file, .id = -1, .rows = -1, .count = count};
    *rows              = -1;
    *numbers           = NULL;
    if (ss_hdf5_room(d->ctx, file, 0) != SS_OK) {
        return ss_decode_no_memory(d);
    }
    snprintf(path, sizeof path, "%s%s", file[0] == '/' ? "" : d->directory, file);
    H5Eget_auto2(H5E_DEFAULT, &report, &user); /* HDF5 prints its errors unless told not to */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    ss_status status = ss_input_look(d->ctx, path, SS_INPUT_ANY_SIZE, &r.bytes);
    if (status == SS_OK) {
        r.id   = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        status = r.id >= 0 ? SS_OK : ss_decode_fail(d, at, "%s: is no HDF5 file", file);
    } else {
        status = ss_decode_failed(d, at, status);
    }
    for (int32_t c = 0; status == SS_OK && c < count; c++) {
        status = read_column(&r, names[c], c);
    }
    if (r.id >= 0) {
        H5Fclose(r.id);
    }
    H5Eset_auto2(H5E_DEFAULT, report, user);
    *rows    = r.rows;
    *numbers = r.numbers;
    return status;
}
