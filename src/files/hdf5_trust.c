/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */
#include "files/hdf5_trust.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "files/tolerances.h"

enum { PATH_MAX_LENGTH = 128 };

const char ss_hdf5_no_memory[] = "no memory to read it";

/* Addresses are asked for and given back untouched. (Not by malloc, which would take its next
   blocks from elsewhere after one of this size.) */
static bool has_room(double bytes)
{
    double all = bytes + SS_HDF5_OWN_BYTES;
    if (!(all < (double)(SIZE_MAX / 2))) {
        return false;
    }
    void *room =
        mmap(NULL, (size_t)all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, (size_t)all) == 0;
}

ss_status ss_hdf5_room(ss_context *ctx, const char *name, double bytes)
{
    return has_room(bytes) ? SS_OK : ss_fail(ctx, SS_ERR_MEMORY, "%s: %s", name, ss_hdf5_no_memory);
}

typedef enum place { INSIDE, LINKED, ABSENT } place;

/* No link is followed but those of which the whole way so far is a part of the file. */
static place look(hid_t file, const char *path)
{
    char   part[PATH_MAX_LENGTH];
    size_t length = strlen(path);
    for (size_t n = 1; n <= length; n++) {
        if (n >= sizeof part) {
            return ABSENT;
        }
        if (path[n] != '/' && path[n] != '\0') {
            continue;
        }
        H5L_info_t link;
        memcpy(part, path, n);
        part[n] = '\0';
        if (H5Lget_info(file, part, &link, H5P_DEFAULT) < 0) {
            return ABSENT;
        }
        if (link.type != H5L_TYPE_HARD) {
            return LINKED;
        }
    }
    return INSIDE;
}

bool ss_hdf5_inside(hid_t file, const char *path)
{
    return look(file, path) == INSIDE;
}

bool ss_hdf5_absent(hid_t file, const char *path)
{
    return look(file, path) == ABSENT;
}

static bool known_filters(hid_t plan)
{
    int count = H5Pget_nfilters(plan);
    for (int i = 0; i < count; i++) {
        unsigned     flags;
        size_t       numbers = 0;
        H5Z_filter_t filter =
            H5Pget_filter2(plan, (unsigned)i, &flags, &numbers, NULL, 0, NULL, NULL);
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
            filter != H5Z_FILTER_FLETCHER32) {
            return false;
        }
    }
    return count >= 0;
}

/* Bytes of a chunk before compression: HDF5 asks for that much memory whatever is stored. */
static double chunk_bytes(hid_t plan, size_t item)
{
    hsize_t chunk[SS_HDF5_RANK_MAX];
    int     rank  = H5Pget_chunk(plan, SS_HDF5_RANK_MAX, chunk);
    double  bytes = (double)item;
    for (int i = 0; i < rank && i < SS_HDF5_RANK_MAX; i++) {
        bytes *= (double)chunk[i];
    }
    return bytes;
}

static const char *check_storage(const ss_hdf5_array *a, hid_t plan, size_t file_bytes)
{
    H5D_layout_t layout  = H5Pget_layout(plan);
    double       claimed = (double)a->count * (double)a->item;
    double       stored  = (double)H5Dget_storage_size(a->set);
    double       most    = SS_LARGEST_EXPANSION;
    if (layout == H5D_VIRTUAL || H5Pget_external_count(plan) != 0) {
        return "its numbers are stored in another file";
    }
    if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) {
        return "its layout is not known";
    }
    if (!known_filters(plan)) {
        return "it was packed by a filter that is not known";
    }
    /* An array of which nothing was written is legal, and all zeros: it is held against the file.
     */
    if (stored > (double)file_bytes || claimed > most * (double)file_bytes ||
        (layout == H5D_CHUNKED && chunk_bytes(plan, a->item) > most * (double)file_bytes)) {
        return "it claims more than the file can hold";
    }
    /* As it is stored, and twice unpacked: the buffer doubles until it holds the chunk. */
    if (layout == H5D_CHUNKED && !has_room(3 * chunk_bytes(plan, a->item))) {
        return ss_hdf5_no_memory;
    }
    return NULL;
}

/* `table` < 0: numbers or texts. */
static const char *check_type(ss_hdf5_array *a, hid_t table)
{
    hid_t type = H5Dget_type(a->set);
    a->kind    = H5Tget_class(type);
    a->item    = H5Tget_size(type);
    bool known = a->kind == H5T_INTEGER || a->kind == H5T_FLOAT ||
                 (a->kind == H5T_STRING && H5Tis_variable_str(type) == 0);
    bool same = table >= 0 && H5Tequal(type, table) > 0;
    H5Tclose(type);
    if (table >= 0) {
        return same ? NULL : "its columns are others";
    }
    return known && a->item > 0 ? NULL : "it holds neither numbers nor texts of fixed length";
}

static const char *check_space(ss_hdf5_array *a)
{
    hid_t    space  = H5Dget_space(a->set);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    bool     simple = H5Sis_simple(space) > 0 && H5Sget_simple_extent_type(space) != H5S_NULL;
    a->rank         = simple ? H5Sget_simple_extent_ndims(space) : -1;
    bool ok         = points >= 0 && a->rank >= 0 && a->rank <= SS_HDF5_RANK_MAX &&
              H5Sget_simple_extent_dims(space, a->dims, NULL) >= 0;
    a->count = ok ? (hsize_t)points : 0;
    H5Sclose(space);
    return ok ? NULL : "its dimensions cannot be those of an array of numbers";
}

static const char *check(ss_hdf5_array *a, hid_t table, size_t file_bytes)
{
    const char *why = check_type(a, table);
    if (why == NULL) {
        why = check_space(a);
    }
    if (why == NULL) {
        hid_t plan = H5Dget_create_plist(a->set);
        why        = plan >= 0 ? check_storage(a, plan, file_bytes) : "it is damaged";
        H5Pclose(plan);
    }
    return why;
}

static const char *open_array(hid_t file, const char *path, hid_t table, size_t file_bytes,
                              ss_hdf5_array *out)
{
    *out = (ss_hdf5_array){.set = -1};
    if (!has_room(0)) {
        return ss_hdf5_no_memory;
    }
    if (!ss_hdf5_inside(file, path)) {
        return "it is not there, or is a link";
    }
    out->set = H5Dopen2(file, path, H5P_DEFAULT);
    if (out->set < 0) {
        return "it is not an array, or is damaged";
    }
    const char *why = check(out, table, file_bytes);
    if (why != NULL) {
        ss_hdf5_shut(out);
    }
    return why;
}

const char *ss_hdf5_open(hid_t file, const char *path, size_t file_bytes, ss_hdf5_array *out)
{
    return open_array(file, path, -1, file_bytes, out);
}

const char *ss_hdf5_open_table(hid_t file, const char *path, hid_t type, size_t file_bytes,
                               ss_hdf5_array *out)
{
    return open_array(file, path, type, file_bytes, out);
}

void ss_hdf5_shut(ss_hdf5_array *a)
{
    if (a->set >= 0) {
        H5Dclose(a->set);
    }
    a->set = -1;
}

/* An attribute that is one item of a class; its type, or -1. */
static hid_t single(hid_t attribute, H5T_class_t kind, H5T_class_t other)
{
    hid_t type  = H5Aget_type(attribute);
    hid_t space = H5Aget_space(attribute);
    bool  ok    = type >= 0 && (H5Tget_class(type) == kind || H5Tget_class(type) == other) &&
              H5Sget_simple_extent_npoints(space) == 1;
    H5Sclose(space);
    if (!ok && type >= 0) {
        H5Tclose(type);
    }
    return ok ? type : -1;
}

bool ss_hdf5_figure(hid_t file, const char *group, const char *name, double *value)
{
    hid_t attribute = ss_hdf5_inside(file, group)
                          ? H5Aopen_by_name(file, group, name, H5P_DEFAULT, H5P_DEFAULT)
                          : -1;
    if (attribute < 0) {
        return false;
    }
    hid_t type = single(attribute, H5T_FLOAT, H5T_INTEGER);
    bool  ok   = type >= 0 && H5Aread(attribute, H5T_NATIVE_DOUBLE, value) >= 0;
    if (type >= 0) {
        H5Tclose(type);
    }
    H5Aclose(attribute);
    return ok;
}

bool ss_hdf5_mark(hid_t file, const char *name, char *text, size_t size)
{
    return ss_hdf5_label(file, "/", name, text, size);
}

bool ss_hdf5_label(hid_t file, const char *path, const char *name, char *text, size_t size)
{
    bool  root      = strcmp(path, "/") == 0;
    hid_t attribute = root || ss_hdf5_inside(file, path)
                          ? H5Aopen_by_name(file, path, name, H5P_DEFAULT, H5P_DEFAULT)
                          : -1;
    if (attribute < 0) {
        return false;
    }
    hid_t type = single(attribute, H5T_STRING, H5T_STRING);
    bool  ok   = type >= 0 && H5Tis_variable_str(type) == 0 && H5Tget_size(type) < size;
    if (ok) {
        memset(text, 0, size);
        ok = H5Aread(attribute, type, text) >= 0;
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    H5Aclose(attribute);
    return ok;
}
