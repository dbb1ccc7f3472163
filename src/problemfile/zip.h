/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a zip archive in memory: stored or deflated, looked up by name. */
#ifndef SS_IO_ZIP_H
#define SS_IO_ZIP_H

#include "problemfile/problem_format.h"

typedef struct ss_zip_member {
    const unsigned char *bytes; /* unpacked; NULL: there is no such member */
    size_t               size;
} ss_zip_member;

ss_status ss_zip_find(const ss_source *archive, ss_pool *pool, const char *name,
                      ss_zip_member *out);

#endif
