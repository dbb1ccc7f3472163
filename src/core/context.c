/* SPDX-License-Identifier: Apache-2.0 */
#include "core/context.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/unseen.h"

#define SS_STRINGIFY_(x) #x
#define SS_STRINGIFY(x)  SS_STRINGIFY_(x)

const char *ss_version(void)
{
    return SS_STRINGIFY(SS_VERSION_MAJOR) "." SS_STRINGIFY(SS_VERSION_MINOR) "." SS_STRINGIFY(
        SS_VERSION_PATCH);
}

const char *ss_build_options(void)
{
    return SS_BUILD_OPTIONS;
}

const char *ss_status_text(ss_status status)
{
    switch (status) {
#define SS_STATUS_CASE(code, text)                                                                 \
    case code:                                                                                     \
        return text;
        SS_STATUS_LIST(SS_STATUS_CASE)
#undef SS_STATUS_CASE
    }
    return "unknown status";
}

static void *heap_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

ss_context *ss_context_create(const ss_allocator *allocator)
{
    static const ss_allocator heap = {heap_resize, NULL};
    if (allocator == NULL) {
        allocator = &heap;
    }
    ss_context *ctx = allocator->resize(allocator->user, NULL, 0, sizeof *ctx);
    if (ctx != NULL) {
        memset(ctx, 0, sizeof *ctx);
        ctx->allocator = *allocator;
    }
    return ctx;
}

ss_context *ss_context_clone(const ss_context *ctx)
{
    ss_context *clone = ss_context_create(&ctx->allocator);
    if (clone != NULL) {
        *clone               = *ctx;
        clone->message[0]    = '\0';
        clone->log_fn        = NULL; /* one thread speaks */
        clone->spare         = NULL;
        clone->library_count = 0; /* what it opened itself it lets go */
        clone->owns_inputs   = false;
    }
    return clone;
}

void ss_context_destroy(ss_context *ctx)
{
    if (ctx != NULL) {
        if (ctx->spare != NULL) {
            ctx->free_spare(ctx->spare);
        }
        ss_inputs_free(ctx);
        ss_allocator allocator = ctx->allocator;
        for (int32_t i = 0; i < ctx->library_count; i++) {
            ctx->close_library(ctx->libraries[i]);
        }
        allocator.resize(allocator.user, ctx, sizeof *ctx, 0);
    }
}

ss_status ss_registry_room(ss_context *ctx, int32_t count, const char *what)
{
    return count < SS_REGISTERED_MAX
               ? SS_OK
               : ss_fail(ctx, SS_ERR_ARGUMENT, "no more than %d %s can be registered",
                         SS_REGISTERED_MAX, what);
}

void ss_context_set_log(ss_context *ctx, ss_log_fn fn, void *user)
{
    if (ctx != NULL) {
        ctx->log_fn   = fn;
        ctx->log_user = user;
    }
}

const char *ss_context_message(const ss_context *ctx)
{
    return ctx != NULL ? ctx->message : "there is no context";
}

#undef ss_fail
/* How a control character at c is written; 0: it is none. *bytes: how many it has. */
static size_t write_escape(const unsigned char *c, char out[8], size_t *bytes)
{
    *bytes = 1;
    if (*c < 0x20 || *c == 0x7f) {
        return (size_t)sprintf(out, "\\x%02x", *c);
    }
    unsigned x = ss_utf8(c, bytes);
    if (x >= 0x80 && x < 0xa0) {
        return (size_t)sprintf(out, "\\x%02x", x);
    }
    return ss_is_unseen(x) ? (size_t)sprintf(out, "\\u%04x", x & 0xffff) : 0;
}

void ss_escape_controls(char *text, size_t size)
{
    char   out[SS_MESSAGE_SIZE];
    size_t n = 0, bytes = 1;
    bool   found = false;
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c += bytes) {
        char   escape[8];
        size_t length = write_escape(c, escape, &bytes);
        found         = found || length > 0;
        if (length == 0) {
            bytes = length = 1;
            escape[0]      = (char)*c;
        }
        if (n + length >= sizeof out || n + length >= size) {
            break;
        }
        memcpy(out + n, escape, length);
        n += length;
    }
    if (found) {
        memcpy(text, out, n);
        text[n] = '\0';
    }
}

ss_status ss_fail(ss_context *ctx, ss_status status, const char *format, ...)
{
    if (ctx != NULL) {
        va_list args;
        va_start(args, format);
        vsnprintf(ctx->message, sizeof ctx->message, format, args);
        va_end(args);
        ss_escape_controls(ctx->message, sizeof ctx->message);
    }
    return status;
}

void ss_log(ss_context *ctx, ss_log_level level, const char *format, ...)
{
    if (ctx == NULL || ctx->log_fn == NULL) {
        return;
    }
    char    text[SS_MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ss_escape_controls(text, sizeof text);
    ctx->log_fn(ctx->log_user, level, text);
}

void *ss_alloc(ss_context *ctx, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL;
    }
    size_t bytes = count * size > 0 ? count * size : 1;
    void  *p     = ctx->allocator.resize(ctx->allocator.user, NULL, 0, bytes);
    if (p != NULL) {
        memset(p, 0, bytes);
    }
    return p;
}

void *ss_resize(ss_context *ctx, void *block, size_t old_size, size_t new_size)
{
    return ctx->allocator.resize(ctx->allocator.user, block, old_size, new_size);
}

void ss_free(ss_context *ctx, void *block, size_t size)
{
    if (block != NULL) {
        ctx->allocator.resize(ctx->allocator.user, block, size > 0 ? size : 1, 0);
    }
}
