/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the rows of a run travel in a report. Each field of a table becomes columns; every value is
 * exclusive-or'ed with the one before it in its column, so that what hardly changes becomes zeros;
 * the bytes of the field are sorted by significance, so that zeros stand together; all fields of
 * the table are then deflated. viewer/src/payload.ts undoes it.
 */
#include <string.h>
#include <zlib.h>

#include "core/array.h"
#include "report/report_run.h"

enum { LEVEL = 6 }; /* of zlib */

static uint64_t hash_identity(const int32_t *key)
{
    uint64_t h = 1469598103934665603u; /* FNV-1a */
    for (int i = 0; i < 4; i++) {
        h = (h ^ (uint32_t)key[i]) * 1099511628211u;
    }
    return h ^ (h >> 29);
}

static int32_t *find_slot(ss_identity_set *set, const int32_t *key)
{
    size_t mask = (size_t)set->slot_count - 1, at = (size_t)hash_identity(key) & mask;
    while (set->slots[at] != 0 &&
           memcmp(set->items + 4 * (size_t)(set->slots[at] - 1), key, 4 * sizeof *key) != 0) {
        at = (at + 1) & mask;
    }
    return &set->slots[at];
}

/* Keep the table at most half full. */
static ss_status grow_slots(ss_context *ctx, ss_identity_set *set)
{
    if (2 * (set->count + 1) <= set->slot_count) {
        return SS_OK;
    }
    int32_t  wanted = set->slot_count > 0 ? 2 * set->slot_count : 64;
    int32_t *fresh  = ss_alloc(ctx, (size_t)wanted, sizeof *fresh);
    if (fresh == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the identities of contacts");
    }
    ss_free(ctx, set->slots, (size_t)set->slot_count * sizeof *set->slots);
    set->slots      = fresh;
    set->slot_count = wanted;
    for (int32_t i = 0; i < set->count; i++) {
        *find_slot(set, set->items + 4 * (size_t)i) = i + 1;
    }
    return SS_OK;
}

ss_status ss_report_identify(ss_report *r, ss_identity_set *set, const int32_t *identity,
                             int32_t rows, int32_t *ids)
{
    for (int32_t row = 0; row < rows; row++) {
        const int32_t *key = identity + 4 * (size_t)row;
        SS_TRY(grow_slots(r->ctx, set));
        int32_t *slot = find_slot(set, key);
        if (*slot == 0) {
            int ok     = 1;
            set->items = ss_array_reserve(r->ctx, set->items, set->count, &set->capacity,
                                          4 * sizeof *key, &ok);
            if (!ok) {
                return ss_fail(r->ctx, SS_ERR_MEMORY, "no memory for the identities of contacts");
            }
            memcpy(set->items + 4 * (size_t)set->count, key, 4 * sizeof *key);
            *slot = ++set->count;
        }
        ids[row] = *slot - 1;
    }
    return SS_OK;
}

/* Column c of a field into `out`, narrowed to float when asked. */
static void take_column(const unsigned char *rows, int32_t n, int32_t width, int32_t c,
                        ss_run_type type, bool narrow, unsigned char *out)
{
    size_t size = (size_t)ss_run_type_size(type), stride = (size_t)width * size;
    for (int32_t i = 0; i < n; i++) {
        const unsigned char *from = rows + (size_t)i * stride + (size_t)c * size;
        if (narrow) {
            double wide;
            memcpy(&wide, from, sizeof wide);
            float value = (float)wide;
            memcpy(out + (size_t)i * sizeof value, &value, sizeof value);
        } else {
            memcpy(out + (size_t)i * size, from, size);
        }
    }
}

/* value[i] ^= value[i - 1], from the end; bytes do as well as words. */
static void exclusive_or(unsigned char *column, int32_t n, size_t size)
{
    for (size_t i = (size_t)n * size; i-- > size;) {
        column[i] ^= column[i - size];
    }
}

static void shuffle(const unsigned char *from, size_t n, size_t size, unsigned char *to)
{
    for (size_t j = 0; j < size; j++) {
        for (size_t i = 0; i < n; i++) {
            to[j * n + i] = from[i * size + j];
        }
    }
}

static bool narrows(const ss_report_run *run, const ss_run_field *f)
{
    return run->compact && f->type == SS_RUN_F64 && f->table != SS_TABLE_STEPS;
}

/* One field of `rows` rows at `data`, appended to `raw`. */
static ss_status encode_field(const ss_report_run *run, const ss_run_field *f, int32_t width,
                              const unsigned char *data, int32_t rows, ss_buffer *raw)
{
    bool   narrow = narrows(run, f);
    size_t size   = narrow ? 4 : (size_t)ss_run_type_size(f->type);
    size_t n      = (size_t)rows * (size_t)width;
    char  *room   = ss_buffer_reserve(raw, 2 * n * size); /* columns behind, shuffled in front */
    SS_TRY(ss_buffer_status(raw));
    unsigned char *to = (unsigned char *)room, *columns = to + n * size;
    for (int32_t c = 0; c < width; c++) {
        unsigned char *column = columns + (size_t)c * (size_t)rows * size;
        take_column(data, rows, width, c, f->type, narrow, column);
        exclusive_or(column, rows, size);
    }
    shuffle(columns, n, size, to);
    raw->size += n * size;
    return SS_OK;
}

static ss_status encode_identity(ss_report *r, ss_report_run *run, int32_t first, int32_t rows,
                                 ss_buffer *raw)
{
    static const ss_run_field one = {
        "identity", SS_TABLE_CONTACTS, SS_RUN_I32, SS_PER_ROW, 1, 1, "", ""};
    int32_t *ids = ss_alloc(r->ctx, (size_t)rows + 1, sizeof *ids);
    if (ids == NULL) {
        return ss_fail(r->ctx, SS_ERR_MEMORY, "no memory for %d contacts", (int)rows);
    }
    const int32_t *identity = ss_run_ints(&run->pending, SS_RUN_IDENTITY);
    ss_status      status   = rows == 0 ? SS_OK
                                        : ss_report_identify(r, &run->identities,
                                                             identity + 4 * (size_t)first, rows, ids);
    if (status == SS_OK) {
        status = encode_field(run, &one, 1, (const unsigned char *)ids, rows, raw);
    }
    ss_free(r->ctx, ids, ((size_t)rows + 1) * sizeof *ids);
    return status;
}

static ss_status encode_table(ss_report *r, ss_report_run *run, ss_run_table table, int32_t first,
                              int32_t rows, ss_buffer *raw)
{
    for (int id = 0; id < SS_RUN_FIELD_COUNT; id++) {
        const ss_run_field *f     = &ss_run_fields[id];
        int32_t             width = ss_run_width(f, &run->pending.size);
        if (f->table != table || width == 0) {
            continue;
        }
        if (id == SS_RUN_IDENTITY) {
            SS_TRY(encode_identity(r, run, first, rows, raw));
            continue;
        }
        size_t row = (size_t)width * (size_t)ss_run_type_size(f->type);
        SS_TRY(
            encode_field(run, f, width, run->pending.column[id] + (size_t)first * row, rows, raw));
    }
    return SS_OK;
}

static ss_status add_blob(ss_report *r, const ss_buffer *raw, int32_t *index)
{
    uLongf         size  = compressBound((uLong)raw->size);
    unsigned char *bytes = ss_alloc(r->ctx, size, 1);
    int            ok    = bytes != NULL;
    r->blobs =
        ss_array_reserve(r->ctx, r->blobs, r->blob_count, &r->blob_capacity, sizeof *r->blobs, &ok);
    if (!ok) {
        ss_free(r->ctx, bytes, bytes != NULL ? size : 0);
        return ss_fail(r->ctx, SS_ERR_MEMORY, "no memory for a block of the report");
    }
    size_t room = size;
    if (compress2(bytes, &size, (const Bytef *)raw->bytes, (uLong)raw->size, LEVEL) != Z_OK) {
        ss_free(r->ctx, bytes, room);
        return ss_fail(r->ctx, SS_ERR_INTERNAL, "a block of the report could not be compressed");
    }
    unsigned char *fit      = ss_resize(r->ctx, bytes, room, size);
    r->blobs[r->blob_count] = (ss_blob){fit != NULL ? fit : bytes, size, fit != NULL ? size : room};
    *index                  = r->blob_count++;
    return SS_OK;
}

ss_status ss_report_deflate(ss_report *r, ss_report_run *run, ss_run_table table, int32_t first,
                            int32_t rows, int32_t *blob)
{
    ss_buffer raw;
    ss_buffer_start(&raw, r->ctx);
    ss_buffer_add(&raw, "", 0); /* an empty table is a block of nothing, not no block */
    ss_status status = encode_table(r, run, table, first, rows, &raw);
    if (status == SS_OK) {
        status = add_blob(r, &raw, blob);
    }
    ss_buffer_release(&raw);
    return status;
}
