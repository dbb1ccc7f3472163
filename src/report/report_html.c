/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a report, and the page with everything in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_run.h"
#include "report/viewer_page.h"
#include "stickslip/output.h"

static const char *const table_names[SS_TABLE_COUNT] = {"steps",  "pose",   "velocity", "contacts",
                                                        "joints", "forces", "support"};

static const char *type_name(const ss_report_run *run, const ss_run_field *f)
{
    if (f->type == SS_RUN_F64) {
        return run->compact && f->table != SS_TABLE_STEPS ? "f32" : "f64";
    }
    return f->type == SS_RUN_I32 ? "i32" : "u8";
}

static void put_fields(ss_buffer *out, const ss_report_run *run, ss_run_table table)
{
    const char *separator = "";
    for (int id = 0; id < SS_RUN_FIELD_COUNT; id++) {
        const ss_run_field *f     = &ss_run_fields[id];
        int32_t             width = ss_run_width(f, &run->pending.size);
        if (f->table == table && width > 0) {
            ss_buffer_format(out, "%s{\"name\":\"%s\",\"type\":\"%s\",\"width\":%d}", separator,
                             strchr(f->path, '/') + 1, type_name(run, f),
                             id == SS_RUN_IDENTITY ? 1 : width);
            separator = ",";
        }
    }
}

static void put_chunk(ss_buffer *out, const ss_report_chunk *c, ss_run_table table, bool first)
{
    ss_buffer_format(out, "%s{\"first\":%lld,\"count\":%d,\"rows\":%d,\"blob\":%d}",
                     first ? "" : ",", (long long)c->first, c->count,
                     table == SS_TABLE_CONTACTS ? c->contacts : c->count, c->blob[table]);
}

static void put_table(ss_buffer *out, const ss_report_run *run, ss_run_table table)
{
    ss_buffer_format(out, "%s\"%s\":{\"fields\":[", table > 0 ? "," : "", table_names[table]);
    put_fields(out, run, table);
    ss_buffer_text(out, "],\"chunks\":[");
    for (int32_t i = 0; i < run->chunk_count; i++) {
        put_chunk(out, &run->chunks[i], table, i == 0);
    }
    if (run->has_tail) {
        put_chunk(out, &run->tail, table, run->chunk_count == 0);
    }
    ss_buffer_text(out, "]}");
}

static void put_fact(ss_buffer *out, const char *name, double value)
{
    ss_buffer_format(out, "%s\"%s\":", name[0] == 'f' ? "" : ",", name);
    ss_buffer_number(out, value);
}

static void put_facts(ss_buffer *out, const ss_report_run *run)
{
    ss_buffer_text(out, ",\"facts\":{");
    put_fact(out, "force_max", run->force_max);
    put_fact(out, "residual_max", run->residual_max);
    put_fact(out, "motion_error_max", run->motion_error_max);
    put_fact(out, "islands_by_motion", (double)run->islands_by_motion);
    put_fact(out, "penetration_max", run->penetration_max);
    put_fact(out, "contacts_max", run->contacts_max);
    ss_buffer_add(out, run->facts.bytes, run->facts.size);
    ss_buffer_text(out, "}");
}

static void put_identities(ss_buffer *out, const ss_identity_set *set)
{
    ss_buffer_text(out, ",\"identities\":[");
    for (int32_t i = 0; i < 4 * set->count; i++) {
        ss_buffer_format(out, "%s%d", i > 0 ? "," : "", set->items[i]);
    }
    ss_buffer_text(out, "]");
}

static void put_extent(ss_buffer *out, const ss_report_run *run)
{
    bool    none = run->low.x > run->high.x; /* nothing moves */
    ss_vec3 low = none ? ss_v3(0, 0, 0) : run->low, high = none ? low : run->high;
    ss_buffer_text(out, ",\"extent\":{\"low\":");
    ss_buffer_numbers(out, &low.x, 3);
    ss_buffer_text(out, ",\"high\":");
    ss_buffer_numbers(out, &high.x, 3);
    ss_buffer_text(out, "}");
}

/* A table without columns is left out. */
static bool has_table(const ss_report_run *run, ss_run_table table)
{
    const ss_run_size *size = &run->pending.size;
    return (table != SS_TABLE_JOINTS || size->joints > 0) &&
           (table != SS_TABLE_FORCES || size->forces > 0) &&
           (table != SS_TABLE_SUPPORT || size->supports > 0);
}

/* The description is an object of its own: its members come first, the run's state follows. */
static void put_run(ss_buffer *out, const ss_report_run *run)
{
    ss_buffer_add(out, run->description, strlen(run->description) - 1);
    ss_buffer_text(out, ",\"label\":");
    ss_buffer_quote(out, run->label);
    ss_buffer_format(out, ",\"steps\":%lld,\"complete\":%s,\"every\":%d", (long long)run->states,
                     run->complete ? "true" : "false", run->every);
    put_extent(out, run);
    ss_buffer_text(out, ",\"warnings\":[]");
    put_facts(out, run);
    if (run->measured.size > 0) {
        ss_buffer_text(out, ",\"measured\":");
        ss_buffer_add(out, run->measured.bytes, run->measured.size);
    }
    put_identities(out, &run->identities);
    ss_buffer_text(out, ",\"tables\":{");
    for (int table = 0; table < SS_TABLE_COUNT; table++) {
        if (has_table(run, (ss_run_table)table)) {
            put_table(out, run, (ss_run_table)table);
        }
    }
    ss_buffer_text(out, "}}");
}

ss_status ss_report_header(ss_report *r, const char **json, size_t *size)
{
    r->header.size = 0;
    ss_buffer_format(
        &r->header,
        "{\"format\":\"stickslip-report\",\"version\":1,\"generator\":\"stickslip %s\","
        "\"runs\":[",
        ss_version());
    for (int32_t i = 0; i < r->run_count; i++) {
        SS_TRY(ss_report_encode_tail(r, r->runs[i]));
        ss_buffer_text(&r->header, i > 0 ? "," : "");
        put_run(&r->header, r->runs[i]);
    }
    ss_buffer_text(&r->header, "]");
    ss_buffer_add(&r->header, r->attached.bytes, r->attached.size);
    ss_buffer_text(&r->header, "}");
    SS_TRY(ss_buffer_status(&r->header));
    *json = r->header.bytes;
    *size = r->header.size;
    return SS_OK;
}

int32_t ss_report_blob_count(const ss_report *r)
{
    return r != NULL ? r->blob_count : 0;
}

ss_status ss_report_blob(ss_report *r, int32_t index, const void **bytes, size_t *size)
{
    if (index < 0 || index >= r->blob_count || r->blobs[index].bytes == NULL) {
        return ss_fail(r->ctx, SS_ERR_ARGUMENT, "the report has no data block %d", (int)index);
    }
    *bytes = r->blobs[index].bytes;
    *size  = r->blobs[index].size;
    return SS_OK;
}

bool ss_report_has_page(void)
{
    return ss_viewer_page_built.size > 0;
}

ss_status ss_report_page(ss_context *ctx, const char **text, size_t *size)
{
    if (!ss_report_has_page()) {
        return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                       "this build of stickslip has no report page: it was configured with "
                       "-DSS_WITH_VIEWER=OFF; run files, CSV and --svg work");
    }
    *text = ss_viewer_page_built.text;
    *size = ss_viewer_page_built.size;
    return SS_OK;
}

/* Where `marker` starts in a text that need not end in a zero byte; `size` when it is not there. */
static size_t find(const char *text, size_t size, const char *marker)
{
    size_t length = strlen(marker);
    for (size_t i = 0; i + length <= size; i++) {
        if (text[i] == marker[0] && memcmp(text + i, marker, length) == 0) {
            return i;
        }
    }
    return size;
}

static void write_base64(FILE *out, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char              line[4096];
    size_t            used = 0;
    for (size_t i = 0; i < size; i += 3) {
        unsigned      left = size - i > 2 ? 3 : (unsigned)(size - i);
        unsigned long word = (unsigned long)bytes[i] << 16;
        word |= left > 1 ? (unsigned long)bytes[i + 1] << 8 : 0;
        word |= left > 2 ? bytes[i + 2] : 0;
        line[used++] = digits[word >> 18 & 63];
        line[used++] = digits[word >> 12 & 63];
        line[used++] = left > 1 ? digits[word >> 6 & 63] : '=';
        line[used++] = left > 2 ? digits[word & 63] : '=';
        if (used == sizeof line || i + 3 >= size) {
            fwrite(line, 1, used, out);
            used = 0;
        }
    }
}

static void write_blobs(FILE *out, const ss_report *r)
{
    for (int32_t i = 0; i < r->blob_count; i++) {
        if (r->blobs[i].bytes != NULL) {
            fprintf(out, "<script type=\"files/plain\" id=\"ss-blob-%d\">", i);
            write_base64(out, r->blobs[i].bytes, r->blobs[i].size);
            fputs("</script>\n", out);
        }
    }
}

static ss_status write_page(ss_report *r, FILE *out)
{
    static const char header_mark[] = "<!--SS-HEADER-->", blob_mark[] = "<!--SS-BLOBS-->";
    const char       *page, *json;
    size_t            size, json_size;
    SS_TRY(ss_report_page(r->ctx, &page, &size));
    SS_TRY(ss_report_header(r, &json, &json_size));
    size_t head = find(page, size, header_mark), tail = find(page, size, blob_mark);
    if (head == size || tail == size || tail < head) {
        return ss_fail(r->ctx, SS_ERR_INTERNAL, "the page of this build has no place for data");
    }
    fwrite(page, 1, head, out);
    fputs("<script type=\"application/json\" id=\"ss-header\">", out);
    fwrite(json, 1, json_size, out);
    fputs("</script>", out);
    head += sizeof header_mark - 1;
    fwrite(page + head, 1, tail - head, out);
    write_blobs(out, r);
    tail += sizeof blob_mark - 1;
    fwrite(page + tail, 1, size - tail, out);
    return SS_OK;
}

ss_status ss_report_write(ss_report *r, const char *path)
{
    if (!ss_report_has_page()) {
        const char *page;
        size_t      size;
        return ss_report_page(r->ctx, &page, &size);
    }
    ss_output_file *out;
    SS_TRY(ss_output_open(r->ctx, path, &out));
    return ss_output_close(out, write_page(r, ss_output_stream(out)));
}
