/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a zip archive in memory: stored or deflated, looked up by name. */
#ifndef SS_IO_ZIP_H
#define SS_IO_ZIP_H

#include <stdint.h>

#include "problemfile/problem_format.h"

/* Where a member lies, and what the directory says of it. */
typedef struct ss_zip_member {
    const unsigned char *packed; /* NULL: there is no such member */
    size_t               packed_size, size;
    uint32_t             method, crc;
} ss_zip_member;

ss_status ss_zip_find(const ss_source *archive, const char *name, ss_zip_member *out);

/* The first `count` bytes of a member that has as many: what it is can be told before it is
   unpacked. The checksum is not looked at. */
ss_status ss_zip_start(const ss_source *archive, const ss_zip_member *member, size_t count,
                       unsigned char *out);

/* All member->size bytes, held against the checksum. They are the archive's or the pool's. */
ss_status ss_zip_unpack(const ss_source *archive, ss_pool *pool, const ss_zip_member *member,
                        const unsigned char **out);

#endif
