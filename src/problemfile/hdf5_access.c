/* SPDX-License-Identifier: Apache-2.0 */
#include "problemfile/hdf5_access.h"

#include <hdf5.h>
#include <string.h>

#include "files/hdf5_trust.h"
#include "problemfile/tolerances.h"

bool ss_h5_sniff(const ss_source *source)
{
    static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    return source->size > sizeof signature &&
           memcmp(source->bytes, signature, sizeof signature) == 0;
}

/* HDF5 prints its errors by itself unless told not to; ours are in the context. */
static void silence(ss_h5 *h)
{
    H5E_auto2_t report = NULL;
    H5Eget_auto2(H5E_DEFAULT, &report, &h->report_data);
    h->report = (int (*)(int64_t, void *))report;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void unsilence(const ss_h5 *h)
{
    H5Eset_auto2(H5E_DEFAULT, (H5E_auto2_t)h->report, h->report_data);
}

/* The file's bytes as a file in memory. */
static ss_status open_source(ss_h5 *h, const ss_source *source)
{
    *h = (ss_h5){.ctx = source->ctx, .name = source->name, .file = -1, .bytes = source->size};
    SS_TRY(ss_hdf5_room(h->ctx, h->name, 2 * (double)h->bytes)); /* it makes copies of the image */
    silence(h);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_fapl_core(access, 65536, 0) >= 0 &&
        H5Pset_file_image(access, (void *)(uintptr_t)source->bytes, source->size) >= 0) {
        h->file = H5Fopen("image", H5F_ACC_RDONLY, access);
    }
    H5Pclose(access);
    if (h->file < 0) {
        unsilence(h);
        return ss_fail(h->ctx, SS_ERR_INPUT, "%s: this HDF5 file is damaged or cut short", h->name);
    }
    return SS_OK;
}

ss_status ss_h5_create(ss_h5 *h, ss_context *ctx, const char *path)
{
    *h = (ss_h5){.ctx = ctx, .name = path, .file = -1};
    SS_TRY(ss_hdf5_room(ctx, path, 0));
    SS_TRY(ss_part_open(&h->part, ctx, path));
    ss_status status = ss_part_room(&h->part, SS_PROBLEM_ROOM);
    if (status != SS_OK) {
        ss_part_release(&h->part, true);
        return status;
    }
    silence(h);
    h->file = H5Fcreate(h->part.part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (h->file < 0) {
        unsilence(h);
        ss_part_release(&h->part, true);
        return ss_fail(ctx, SS_ERR_IO, "%s: cannot be written", path);
    }
    return SS_OK;
}

ss_status ss_h5_close(ss_h5 *h)
{
    herr_t closed = H5Fclose(h->file);
    unsilence(h);
    if (closed < 0) {
        return ss_fail(h->ctx, SS_ERR_IO, "%s: could not be completed", h->name);
    }
    return SS_OK;
}

ss_status ss_h5_finish(ss_h5 *h, ss_status so_far)
{
    ss_status closed = ss_h5_close(h);
    so_far           = so_far != SS_OK ? so_far : closed;
    if (so_far == SS_OK) {
        so_far = ss_part_finish(&h->part);
    }
    ss_part_release(&h->part, true);
    return so_far;
}

ss_status ss_h5_read(ss_source *source, ss_pool *pool,
                     ss_status (*read_all)(const ss_h5 *h, ss_pool *pool, ss_stored_problem *out),
                     ss_stored_problem *out)
{
    ss_h5 h;
    SS_TRY(open_source(&h, source));
    ss_status status = read_all(&h, pool, out);
    ss_status closed = ss_h5_close(&h);
    source->reached  = source->size;
    return status != SS_OK ? status : closed;
}

bool ss_h5_has(const ss_h5 *h, const char *path)
{
    return ss_hdf5_inside(h->file, path);
}

bool ss_h5_sniff_path(const ss_source *source, const char *path)
{
    ss_h5 h;
    if (!ss_h5_sniff(source)) {
        return false;
    }
    ss_status status = open_source(&h, source);
    if (status != SS_OK) {
        return status == SS_ERR_MEMORY; /* it may be: reading says what is missing */
    }
    bool yes = ss_h5_has(&h, path);
    return ss_h5_close(&h) == SS_OK && yes;
}

static ss_status bad(const ss_h5 *h, const char *path, const char *what)
{
    return ss_fail(h->ctx, what == ss_hdf5_no_memory ? SS_ERR_MEMORY : SS_ERR_INPUT, "%s: %s: %s",
                   h->name, path, what);
}

/* Open an array of numbers; count its elements and hold them against the size of the file. */
static ss_status open_numbers(const ss_h5 *h, const char *path, hid_t *set, size_t *count)
{
    ss_hdf5_array a;
    *set   = -1;
    *count = 0;
    if (!ss_h5_has(h, path)) {
        return bad(h, path, "expected an array of numbers, but there is none");
    }
    const char *why = ss_hdf5_open(h->file, path, h->bytes, &a);
    if (why != NULL) {
        return bad(h, path, why);
    }
    if (a.kind != H5T_INTEGER && a.kind != H5T_FLOAT) {
        why = "expected an array of numbers, but it holds something else";
    } else if (a.count > SS_PROBLEM_ARRAY_MAX / sizeof(double)) {
        why = "it has more numbers than a problem file may have";
    }
    if (why != NULL) {
        ss_hdf5_shut(&a);
        return bad(h, path, why);
    }
    *set   = a.set;
    *count = (size_t)a.count;
    return SS_OK;
}

ss_status ss_h5_count(const ss_h5 *h, const char *path, size_t *count)
{
    hid_t set;
    SS_TRY(open_numbers(h, path, &set, count));
    H5Dclose(set);
    return SS_OK;
}

/* Read `count` numbers of a native type into `out`. */
static ss_status read_numbers(const ss_h5 *h, const char *path, hid_t type, size_t count, void *out)
{
    hid_t  set;
    size_t have;
    SS_TRY(open_numbers(h, path, &set, &have));
    herr_t done = have == count ? H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) : -1;
    H5Dclose(set);
    if (have != count) {
        return ss_fail(h->ctx, SS_ERR_INPUT, "%s: %s: expected %zu numbers, got %zu", h->name, path,
                       count, have);
    }
    return done >= 0 ? SS_OK : bad(h, path, "its numbers cannot be read");
}

/* The count is checked before memory is asked for. */
static ss_status check_count(const ss_h5 *h, const char *path, size_t count)
{
    size_t have;
    SS_TRY(ss_h5_count(h, path, &have));
    if (have != count) {
        return ss_fail(h->ctx, SS_ERR_INPUT, "%s: %s: expected %zu numbers, got %zu", h->name, path,
                       count, have);
    }
    return SS_OK;
}

ss_status ss_h5_doubles(const ss_h5 *h, ss_pool *pool, const char *path, size_t count, double **out)
{
    SS_TRY(check_count(h, path, count));
    SS_TRY(ss_pool_doubles(pool, count, out));
    return read_numbers(h, path, H5T_NATIVE_DOUBLE, count, *out);
}

ss_status ss_h5_ints(const ss_h5 *h, ss_pool *pool, const char *path, size_t count, int32_t **out)
{
    SS_TRY(check_count(h, path, count));
    SS_TRY(ss_pool_ints(pool, count, out));
    return read_numbers(h, path, H5T_NATIVE_INT32, count, *out);
}

ss_status ss_h5_int(const ss_h5 *h, const char *path, int32_t low, int32_t high, int32_t *out)
{
    SS_TRY(read_numbers(h, path, H5T_NATIVE_INT32, 1, out));
    if (*out < low || *out > high) {
        return ss_fail(h->ctx, SS_ERR_INPUT, "%s: %s: expected a number from %d to %d, got %d",
                       h->name, path, low, high, *out);
    }
    return SS_OK;
}

/* A string of fixed length: what this file and fclib write. */
ss_status ss_h5_string(const ss_h5 *h, ss_pool *pool, const char *path, const char **out)
{
    *out = NULL;
    if (!ss_h5_has(h, path)) {
        return SS_OK;
    }
    ss_hdf5_array a;
    const char   *why = ss_hdf5_open(h->file, path, h->bytes, &a);
    if (why != NULL) {
        return bad(h, path, why);
    }
    bool           fixed = a.kind == H5T_STRING && a.count == 1;
    unsigned char *text; /* one byte more: a string need not end in zero */
    ss_status      status =
        fixed ? ss_pool_bytes(pool, a.item + 1, &text) : bad(h, path, "expected a string");
    if (status == SS_OK) {
        hid_t type = H5Dget_type(a.set);
        if (H5Dread(a.set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0) {
            *out = (const char *)text;
        }
        H5Tclose(type);
    }
    ss_hdf5_shut(&a);
    return status;
}

/* Make an array (and the groups on the way) and fill it; rank 0 is a scalar. */
static ss_status put(const ss_h5 *h, const char *path, hid_t type, int rank, const hsize_t *dims,
                     const void *data)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t  space = rank > 0 ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
    hid_t  set   = H5Dcreate2(h->file, path, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    herr_t done  = -1;
    if (set >= 0) {
        done = H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        H5Dclose(set);
    }
    H5Sclose(space);
    H5Pclose(links);
    if (done < 0) {
        return ss_fail(h->ctx, SS_ERR_IO, "%s: %s could not be written", h->name, path);
    }
    return SS_OK;
}

ss_status ss_h5_put_doubles(const ss_h5 *h, const char *path, size_t count, const double *x)
{
    return put(h, path, H5T_NATIVE_DOUBLE, 1, (hsize_t[]){count}, x);
}

ss_status ss_h5_put_table(const ss_h5 *h, const char *path, size_t rows, size_t cols,
                          const double *x)
{
    return put(h, path, H5T_NATIVE_DOUBLE, 2, (hsize_t[]){rows, cols}, x);
}

ss_status ss_h5_put_ints(const ss_h5 *h, const char *path, size_t count, const int32_t *x)
{
    return put(h, path, H5T_NATIVE_INT32, 1, (hsize_t[]){count}, x);
}

ss_status ss_h5_put_int(const ss_h5 *h, const char *path, int32_t x)
{
    return ss_h5_put_ints(h, path, 1, &x);
}

ss_status ss_h5_put_string(const ss_h5 *h, const char *path, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    ss_status status = put(h, path, type, 0, NULL, text);
    H5Tclose(type);
    return status;
}
