/* SPDX-License-Identifier: Apache-2.0 */
/* Run files as HDF5: the layout, writing rows at the end, reading them back. */
#ifndef SS_IO_RUN_HDF5_H
#define SS_IO_RUN_HDF5_H

#include <hdf5.h>

#include "files/buffer.h"
#include "runfile/run_figures.h"
#include "runfile/run_rows.h"

/* Of the layout. 2: texts have a fixed length. */
#define SS_RUN_FORMAT  "stickslip-run"
#define SS_RUN_VERSION "2"

/* The type of a field's numbers in memory. */
hid_t ss_run_native(ss_run_type type);
/* .. and in a file. */
hid_t ss_run_stored(ss_run_type type);
/* rows, or rows x columns, or rows x bodies x columns. Returns the rank. */
int ss_run_dimensions(const ss_run_field *f, const ss_run_size *size, hsize_t rows,
                      hsize_t dims[3]);

typedef struct ss_run_text {
    const char *path, *text;
} ss_run_text;

typedef struct ss_run_bodies {
    const char *const *names, *const *types; /* (count) */
    const double *masses;
    int32_t       count;
} ss_run_bodies;

/* The bytes of a file with the texts, the bodies and empty tables. */
ss_status ss_run_hdf5_image(ss_context *ctx, const ss_run_size *size, const ss_run_text *texts,
                            int32_t text_count, const ss_run_bodies *bodies, ss_buffer *out);
/* Bytes that ss_run_hdf5_append() can need on the disk beyond the present size of the file. */
double ss_run_hdf5_room(const ss_run_rows *rows, int64_t have_steps);
/*
 * Open the file, append the rows that it does not have (`have_steps` of the run are in it), write
 * the figures as attributes of `result`, close it. SS_ERR_IO also when a reader holds the file.
 */
ss_status ss_run_hdf5_append(ss_context *ctx, const char *path, const ss_run_rows *rows,
                             int64_t have_steps, const ss_run_figure *figures,
                             int32_t figure_count);

#endif
