/* SPDX-License-Identifier: Apache-2.0 */
#include "files/buffer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/unseen.h"

void ss_buffer_start(ss_buffer *b, ss_context *ctx)
{
    *b = (ss_buffer){.ctx = ctx};
}

void ss_buffer_release(ss_buffer *b)
{
    ss_free(b->ctx, b->bytes, b->room);
    *b = (ss_buffer){.ctx = b->ctx};
}

ss_status ss_buffer_status(const ss_buffer *b)
{
    return b->failed ? ss_fail(b->ctx, SS_ERR_MEMORY, "no memory for %zu bytes", 2 * b->room)
                     : SS_OK;
}

char *ss_buffer_reserve(ss_buffer *b, size_t size)
{
    if (b->failed) {
        return NULL;
    }
    if (b->size + size + 1 > b->room) {
        size_t room  = (b->size + size + 1) + (b->size + size) / 2 + 64;
        char  *fresh = ss_resize(b->ctx, b->bytes, b->room, room);
        if (fresh == NULL) {
            b->failed = true;
            return NULL;
        }
        b->bytes = fresh;
        b->room  = room;
    }
    return b->bytes + b->size;
}

void ss_buffer_add(ss_buffer *b, const void *bytes, size_t size)
{
    char *at = ss_buffer_reserve(b, size);
    if (at == NULL) {
        return;
    }
    if (size > 0) {
        memcpy(at, bytes, size);
    }
    at[size] = '\0';
    b->size += size;
}

void ss_buffer_text(ss_buffer *b, const char *text)
{
    ss_buffer_add(b, text, strlen(text));
}

void ss_buffer_format(ss_buffer *b, const char *format, ...)
{
    char    small[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (length >= 0 && (size_t)length < sizeof small) {
        ss_buffer_add(b, small, (size_t)length);
        return;
    }
    char *at = ss_buffer_reserve(b, (size_t)length);
    if (at == NULL) {
        return;
    }
    va_start(args, format);
    vsnprintf(at, (size_t)length + 1, format, args);
    va_end(args);
    b->size += (size_t)length;
}

size_t ss_buffer_unseen(ss_buffer *b, const char *text)
{
    size_t   bytes = 0;
    unsigned x     = ss_utf8((const unsigned char *)text, &bytes);
    if (!ss_is_unseen(x) && !(x >= 0x80 && x < 0xa0)) {
        return 0;
    }
    ss_buffer_format(b, "\\u%04x", x & 0xffff);
    return bytes;
}

void ss_buffer_quote(ss_buffer *b, const char *text)
{
    size_t unseen;
    ss_buffer_text(b, "\"");
    for (const unsigned char *c = (const unsigned char *)(text != NULL ? text : ""); *c; c++) {
        if (*c == '"' || *c == '\\') {
            ss_buffer_format(b, "\\%c", *c);
        } else if (*c == '\n') {
            ss_buffer_text(b, "\\n");
        } else if (*c < 0x20 || *c == '<' || *c == '>' || *c == '&') {
            ss_buffer_format(b, "\\u%04x", *c);
        } else if ((unseen = ss_buffer_unseen(b, (const char *)c)) > 0) {
            c += unseen - 1;
        } else {
            ss_buffer_add(b, c, 1);
        }
    }
    ss_buffer_text(b, "\"");
}

void ss_buffer_number(ss_buffer *b, double x)
{
    if (isfinite(x)) {
        ss_buffer_format(b, "%.17g", x);
    } else {
        ss_buffer_text(b, "null");
    }
}

void ss_buffer_numbers(ss_buffer *b, const double *x, int32_t count)
{
    ss_buffer_text(b, "[");
    for (int32_t i = 0; i < count; i++) {
        ss_buffer_text(b, i > 0 ? "," : "");
        ss_buffer_number(b, x[i]);
    }
    ss_buffer_text(b, "]");
}
