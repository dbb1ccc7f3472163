/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening the arrays of an HDF5 file that nobody vouches for. HDF5 follows links into other files,
 * reads data that are stored in other files, loads filters from shared libraries and believes every
 * size; an array that is opened here lies in the file itself, uses the filters that we write, and
 * claims no more than the bytes of the file can hold. What the sizes must be is the caller's to
 * check.
 *
 * When HDF5 gets no memory it fails as it does on damaged files, or crashes while it is put in
 * order. Afterwards nothing tells the two apart, so memory is looked for beforehand: then what
 * fails is the file.
 */
#ifndef SS_FILES_HDF5_TRUST_H
#define SS_FILES_HDF5_TRUST_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

#include "stickslip/base.h"

enum { SS_HDF5_RANK_MAX = 3 };

typedef struct ss_hdf5_array {
    hid_t       set;
    H5T_class_t kind; /* H5T_INTEGER, H5T_FLOAT or H5T_STRING (of fixed length); H5T_COMPOUND */
    size_t      item; /* bytes of one element in the file */
    int         rank;
    hsize_t     dims[SS_HDF5_RANK_MAX];
    hsize_t     count; /* elements, all dimensions together */
} ss_hdf5_array;

/* Is every step of the way to `path` a hard link, that is a part of this file? */
bool ss_hdf5_inside(hid_t file, const char *path);

/* Is there nothing at `path`, neither a part of this file nor a link to something? */
bool ss_hdf5_absent(hid_t file, const char *path);

/* Is there memory for what HDF5 takes by itself, and for `bytes` more? To be asked before the first
   call of HDF5, which does not survive that its tables find no memory. `name`: of the file. */
ss_status ss_hdf5_room(ss_context *ctx, const char *name, double bytes);

/* The reason of a refusal that is not the file's fault: to be told by its address. */
extern const char ss_hdf5_no_memory[];

/* NULL and an open array, or why it was refused; `file_bytes`: size of the whole file. */
const char *ss_hdf5_open(hid_t file, const char *path, size_t file_bytes, ss_hdf5_array *out);
/* The same for a table: a list of items that are of this compound type. */
const char *ss_hdf5_open_table(hid_t file, const char *path, hid_t type, size_t file_bytes,
                               ss_hdf5_array *out);
void        ss_hdf5_shut(ss_hdf5_array *a);

/* A number that is an attribute of a group; false when there is none. */
bool ss_hdf5_figure(hid_t file, const char *group, const char *name, double *value);
/* A short text that is an attribute of what lies at `path`; false when there is none or it is
   longer. */
bool ss_hdf5_label(hid_t file, const char *path, const char *name, char *text, size_t size);
/* A short text that is an attribute of the root; false when there is none or it is longer. */
bool ss_hdf5_mark(hid_t file, const char *name, char *text, size_t size);

#endif
