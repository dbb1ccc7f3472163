/* SPDX-License-Identifier: Apache-2.0 */
/* What a file format of problems is made of: one file with static functions and one class. */
#ifndef SS_IO_PROBLEM_FORMAT_H
#define SS_IO_PROBLEM_FORMAT_H

#include <stdbool.h>
#include <stdio.h>

#include "files/pool_numbers.h"
#include "stickslip/problem_file.h"

/* A file, whole, in memory. */
typedef struct ss_source {
    ss_context          *ctx;
    const char          *name;
    const unsigned char *bytes;
    size_t               size;
    size_t               reached; /* out: how far reading came, to find the likeliest format */
} ss_source;

typedef struct ss_problem_class {
    ss_problem_format format;
    /* Whether the first few words or bytes are those of this format. */
    bool (*sniff)(const ss_source *source);
    /* Read into memory of the pool. Sizes are checked against the file before they are used. */
    ss_status (*read)(ss_source *source, ss_pool *pool, ss_stored_problem *out);
    /* NULL: this format is only read. The pool is scratch. */
    ss_status (*write)(ss_pool *pool, const ss_stored_problem *content, const char *path);
} ss_problem_class;

/* The blocks of `contacts` cones of `dim` rows each, followed by `equalities` single rows. */
ss_status ss_cone_blocks(ss_pool *pool, int32_t contacts, int32_t dim, const double *mu,
                         int32_t equalities, const ss_block **blocks);

/*
 * The shape that friction file formats know: cones of one dimension, isotropic, then equality
 * rows. SS_ERR_UNSUPPORTED, with the reason, when a problem has another.
 */
typedef struct ss_contact_shape {
    int32_t dim, contacts, equalities;
} ss_contact_shape;
ss_status ss_cone_shape(ss_context *ctx, const ss_cone *cone, const char *format,
                        ss_contact_shape *shape);

#endif
