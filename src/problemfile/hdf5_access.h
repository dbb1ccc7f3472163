/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HDF5 as the problem files use it: arrays of numbers and strings under paths. Only hdf5_access.c
 * knows HDF5's own interface; a build without the library has problem_hdf5_absent.c instead of it
 * and of the formats that stand on it.
 */
#ifndef SS_IO_HDF5_ACCESS_H
#define SS_IO_HDF5_ACCESS_H

#include "files/part_file.h"
#include "problemfile/problem_format.h"

typedef struct ss_h5 {
    ss_context *ctx;
    const char *name;  /* of the file, for messages                                   */
    int64_t     file;  /* handle                                                      */
    size_t      bytes; /* of the file: bounds what its arrays can hold; 0 for writing */
    int (*report)(int64_t, void *); /* HDF5's own error printer, put back at the end  */
    void   *report_data;
    ss_part part; /* of a file that is written */
} ss_h5;

/* The signature at the start of every HDF5 file. */
bool ss_h5_sniff(const ss_source *source);
/* Whether the file has a group or array at `path`; false when it cannot be opened. */
bool ss_h5_sniff_path(const ss_source *source, const char *path);

/* Read a whole problem by `read_all`. */
ss_status ss_h5_read(ss_source *source, ss_pool *pool,
                     ss_status (*read_all)(const ss_h5 *h, ss_pool *pool, ss_stored_problem *out),
                     ss_stored_problem *out);

ss_status ss_h5_close(ss_h5 *h);

/* A file to write; it takes its name when all of it is there (files/part_file.h). */
ss_status ss_h5_create(ss_h5 *h, ss_context *ctx, const char *path);
/* The end of it; `so_far` tells whether all was put. */
ss_status ss_h5_finish(ss_h5 *h, ss_status so_far);

bool ss_h5_has(const ss_h5 *h, const char *path);
/* The number of elements of an array, all dimensions together. */
ss_status ss_h5_count(const ss_h5 *h, const char *path, size_t *count);
/* Read an array that must have exactly `count` elements. */
ss_status ss_h5_doubles(const ss_h5 *h, ss_pool *pool, const char *path, size_t count,
                        double **out);
ss_status ss_h5_ints(const ss_h5 *h, ss_pool *pool, const char *path, size_t count, int32_t **out);
ss_status ss_h5_int(const ss_h5 *h, const char *path, int32_t low, int32_t high, int32_t *out);
/* Read a string; an absent one leaves *out NULL. */
ss_status ss_h5_string(const ss_h5 *h, ss_pool *pool, const char *path, const char **out);

/* Writing. Groups on the way to `path` are made. `rows` x `cols` arrays are row after row. */
ss_status ss_h5_put_doubles(const ss_h5 *h, const char *path, size_t count, const double *x);
ss_status ss_h5_put_table(const ss_h5 *h, const char *path, size_t rows, size_t cols,
                          const double *x);
ss_status ss_h5_put_ints(const ss_h5 *h, const char *path, size_t count, const int32_t *x);
ss_status ss_h5_put_int(const ss_h5 *h, const char *path, int32_t x);
ss_status ss_h5_put_string(const ss_h5 *h, const char *path, const char *text);

#endif
