/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes and text that grow: what files and pages are put together in before they are written. */
#ifndef SS_IO_BUFFER_H
#define SS_IO_BUFFER_H

#include <stdbool.h>

#include "stickslip/base.h"

typedef struct ss_buffer {
    ss_context *ctx;
    char       *bytes; /* text is always followed by a zero byte */
    size_t      size, room;
    bool        failed; /* memory ran out: what follows is dropped, ss_buffer_status tells */
} ss_buffer;

void      ss_buffer_start(ss_buffer *b, ss_context *ctx);
void      ss_buffer_release(ss_buffer *b);
ss_status ss_buffer_status(const ss_buffer *b);

/* Room for `size` more bytes at the end; the caller adds what it wrote to b->size. */
char *ss_buffer_reserve(ss_buffer *b, size_t size);
void  ss_buffer_add(ss_buffer *b, const void *bytes, size_t size);
void  ss_buffer_text(ss_buffer *b, const char *text);
void  ss_buffer_format(ss_buffer *b, const char *format, ...) SS_PRINTF(2, 3);

/* JSON: a string in quotes that is also safe inside HTML, in which characters that are not seen
 * (core/unseen.h) are escaped; a number, null when it is not finite. */
void ss_buffer_quote(ss_buffer *b, const char *text);
/* Such a character at the start of `text`, escaped; how many bytes it has, 0: it is none. */
size_t ss_buffer_unseen(ss_buffer *b, const char *text);
void   ss_buffer_number(ss_buffer *b, double x);
void   ss_buffer_numbers(ss_buffer *b, const double *x, int32_t count); /* [1,2,3] */

#endif
