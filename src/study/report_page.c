/* SPDX-License-Identifier: Apache-2.0 */
#include "study/report_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stickslip/output.h"

static void put_base64(ss_buffer *b, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned      left = size - i > 2 ? 3 : (unsigned)(size - i);
        unsigned long word = (unsigned long)bytes[i] << 16;
        char          four[4];
        word |= left > 1 ? (unsigned long)bytes[i + 1] << 8 : 0;
        word |= left > 2 ? bytes[i + 2] : 0;
        four[0] = digits[word >> 18 & 63];
        four[1] = digits[word >> 12 & 63];
        four[2] = left > 1 ? digits[word >> 6 & 63] : '=';
        four[3] = left > 2 ? digits[word & 63] : '=';
        ss_buffer_add(b, four, 4);
    }
}

/* The data of a recorded trial: its header and blocks, as the viewer's page takes them. */
ss_status ss_page_put_replay(ss_buffer *b, ss_report *r, int64_t trial)
{
    const char *json  = NULL;
    size_t      size  = 0;
    char       *text  = NULL;
    const void *bytes = NULL;
    SS_TRY(ss_report_header(r, &json, &size));
    text = ss_alloc(b->ctx, size + 1, 1);
    if (text == NULL) {
        return ss_fail(b->ctx, SS_ERR_MEMORY, "out of memory");
    }
    memcpy(text, json, size);
    ss_buffer_format(b, "{\"trial\":%lld,\"header\":", (long long)trial);
    ss_buffer_quote(b, text);
    ss_free(b->ctx, text, size + 1);
    ss_buffer_text(b, ",\"blobs\":[");
    for (int32_t i = 0; ss_report_blob(r, i, &bytes, &size) == SS_OK; i++) {
        ss_buffer_text(b, i > 0 ? ",\"" : "\"");
        put_base64(b, bytes, size);
        ss_buffer_text(b, "\"");
    }
    ss_buffer_text(b, "]}");
    return SS_OK;
}

void ss_page_put_number(ss_buffer *b, const char *separator, double x)
{
    ss_buffer_text(b, separator);
    if (isfinite(x)) {
        ss_buffer_format(b, "%.9g", x);
    } else {
        ss_buffer_text(b, "null");
    }
}

ss_status ss_page_put_viewer(ss_buffer *b, bool wanted)
{
    const char *page = NULL;
    size_t      size = 0;
    ss_buffer_text(b, ",\"page\":\"");
    if (wanted) {
        SS_TRY(ss_report_page(b->ctx, &page, &size));
        put_base64(b, (const unsigned char *)page, size);
    }
    ss_buffer_text(b, "\"");
    return SS_OK;
}

ss_status ss_page_write(ss_context *ctx, const char *path, const ss_buffer *b)
{
    static const char mark[] = "<!--SS-STUDY-->";
    const char       *page = ss_study_page_built.text, *at = strstr(page, mark);
    ss_output_file   *file;
    SS_TRY(ss_output_open(ctx, path, &file));
    FILE *out = ss_output_stream(file);
    fwrite(page, 1, (size_t)(at - page), out);
    fputs("<script type=\"application/json\" id=\"ss-study\">", out);
    fwrite(b->bytes, 1, b->size, out);
    fputs("</script>", out);
    fputs(at + sizeof mark - 1, out);
    return ss_output_close(file, SS_OK);
}
