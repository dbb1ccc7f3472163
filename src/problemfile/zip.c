/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zip archives, read through their central directory (APPNOTE.TXT of PKWARE): the record at the
 * end says where the directory lies, each of its entries says where a member lies. Every offset is
 * checked against the archive before it is followed, and every member against its checksum.
 */
#include "problemfile/zip.h"

#include "files/tolerances.h"
#include "problemfile/tolerances.h"

#include <string.h>

#ifdef SS_HAVE_ZLIB
#include <zlib.h>
#endif

enum {
    END_SIZE        = 22,
    END_SIGNATURE   = 0x06054b50,
    ENTRY_SIZE      = 46,
    ENTRY_SIGNATURE = 0x02014b50,
    LOCAL_SIZE      = 30,
    LOCAL_SIGNATURE = 0x04034b50,
    STORED          = 0,
    DEFLATED        = 8,
    LONGEST_COMMENT = 65535
};

static uint32_t get16(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t get32(const unsigned char *p)
{
    return get16(p) | get16(p + 2) << 16;
}

static uint32_t checksum(const unsigned char *p, size_t size)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

static ss_status broken(const ss_source *a, const char *what)
{
    return ss_fail(a->ctx, SS_ERR_INPUT, "%s: damaged archive: %s", a->name, what);
}

/* Where the central directory begins and ends. */
static ss_status find_directory(const ss_source *a, size_t *begin, size_t *end)
{
    size_t lowest = a->size > END_SIZE + LONGEST_COMMENT ? a->size - END_SIZE - LONGEST_COMMENT : 0;
    for (size_t at = a->size >= END_SIZE ? a->size - END_SIZE + 1 : 0; at-- > lowest;) {
        if (get32(a->bytes + at) != END_SIGNATURE) {
            continue;
        }
        size_t size = get32(a->bytes + at + 12);
        *begin      = get32(a->bytes + at + 16);
        if (*begin > at || size > at - *begin) {
            return broken(a, "its directory lies outside the file");
        }
        *end = *begin + size;
        return SS_OK;
    }
    return broken(a, "it has no directory at its end");
}

/* What the directory says of one member. */
typedef struct entry {
    uint32_t method, crc;
    size_t   packed, size, offset;
} entry;

static ss_status find_entry(const ss_source *a, const char *name, entry *e, bool *found)
{
    size_t at = 0, end = 0;
    SS_TRY(find_directory(a, &at, &end));
    *found = false;
    while (!*found && at + ENTRY_SIZE <= end) {
        const unsigned char *p      = a->bytes + at;
        size_t               length = get16(p + 28);
        size_t               total  = ENTRY_SIZE + length + get16(p + 30) + get16(p + 32);
        if (get32(p) != ENTRY_SIGNATURE || total > end - at) {
            return broken(a, "an entry of its directory makes no sense");
        }
        if (length == strlen(name) && memcmp(p + ENTRY_SIZE, name, length) == 0) {
            *e = (entry){get16(p + 10), get32(p + 16), get32(p + 20), get32(p + 24), get32(p + 42)};
            *found = true;
        }
        at += total;
    }
    return SS_OK;
}

/* The first `count` bytes; `whole`: there must be no more. */
static ss_status inflate_member(const ss_source *a, const ss_zip_member *m, size_t count,
                                bool whole, unsigned char *out)
{
#ifdef SS_HAVE_ZLIB
    z_stream z = {.next_in   = (unsigned char *)(uintptr_t)m->packed,
                  .avail_in  = (uInt)m->packed_size,
                  .next_out  = out,
                  .avail_out = (uInt)count};
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) {
        return ss_fail(a->ctx, SS_ERR_MEMORY, "no memory to unpack %s", a->name);
    }
    int result = inflate(&z, whole ? Z_FINISH : Z_SYNC_FLUSH);
    inflateEnd(&z);
    bool ended = result == Z_STREAM_END || (!whole && result == Z_OK);
    return ended && z.total_out == count ? SS_OK : broken(a, "a member cannot be unpacked");
#else
    (void)m;
    (void)count;
    (void)whole;
    (void)out;
    return ss_fail(a->ctx, SS_ERR_UNSUPPORTED,
                   "%s: compressed archives need zlib, which this build lacks; save it "
                   "uncompressed",
                   a->name);
#endif
}

static ss_status check_sizes(const ss_source *a, const ss_zip_member *m)
{
    if (m->method == STORED && m->packed_size == m->size) {
        return SS_OK;
    }
    if (m->method != DEFLATED) {
        return broken(a, "a member is packed in a way other than stored or deflated");
    }
    if (m->size / SS_LARGEST_EXPANSION > m->packed_size) {
        return broken(a, "a member claims an impossible size");
    }
    if (m->size > SS_PROBLEM_ARRAY_MAX) {
        return ss_fail(a->ctx, SS_ERR_INPUT, "%s: a member unpacks to %zu MB; at most %d MB",
                       a->name, m->size >> 20, SS_PROBLEM_ARRAY_MAX >> 20);
    }
    return SS_OK;
}

static ss_status locate(const ss_source *a, const entry *e, ss_zip_member *out)
{
    const unsigned char *local = a->bytes + e->offset;
    if (e->offset > a->size || a->size - e->offset < LOCAL_SIZE ||
        get32(local) != LOCAL_SIGNATURE) {
        return broken(a, "a member is not where the directory says");
    }
    size_t header = LOCAL_SIZE + (size_t)get16(local + 26) + get16(local + 28);
    if (header > a->size - e->offset || e->packed > a->size - e->offset - header) {
        return broken(a, "a member reaches past the end of the file");
    }
    *out = (ss_zip_member){local + header, e->packed, e->size, e->method, e->crc};
    return check_sizes(a, out);
}

ss_status ss_zip_find(const ss_source *archive, const char *name, ss_zip_member *out)
{
    entry e;
    bool  found;
    *out = (ss_zip_member){.packed = NULL};
    SS_TRY(find_entry(archive, name, &e, &found));
    return found ? locate(archive, &e, out) : SS_OK;
}

ss_status ss_zip_start(const ss_source *archive, const ss_zip_member *member, size_t count,
                       unsigned char *out)
{
    if (member->method == DEFLATED) {
        return inflate_member(archive, member, count, false, out);
    }
    memcpy(out, member->packed, count);
    return SS_OK;
}

ss_status ss_zip_unpack(const ss_source *archive, ss_pool *pool, const ss_zip_member *member,
                        const unsigned char **out)
{
    unsigned char *unpacked = NULL;
    *out                    = member->packed;
    if (member->method == DEFLATED) {
        SS_TRY(ss_pool_bytes(pool, member->size, &unpacked));
        SS_TRY(inflate_member(archive, member, member->size, true, unpacked));
        *out = unpacked;
    }
    return checksum(*out, member->size) == member->crc
               ? SS_OK
               : broken(archive, "the checksum of a member is wrong");
}
