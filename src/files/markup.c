/* SPDX-License-Identifier: Apache-2.0 */
#include "files/markup.h"

#include <stdio.h>
#include <string.h>

#include "stickslip/output.h"

/* The character of UTF-8 at `c`, which ends in a zero: how many bytes it has; 0: it is none. */
static size_t length_of(const unsigned char *c)
{
    static const struct {
        unsigned mask, head, least;
        size_t   bytes;
    } forms[] = {{0x80, 0x00, 0, 1},
                 {0xe0, 0xc0, 0x80, 2},
                 {0xf0, 0xe0, 0x800, 3},
                 {0xf8, 0xf0, 0x10000, 4}};
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        if ((c[0] & forms[k].mask) != forms[k].head) {
            continue;
        }
        unsigned x = c[0] & ~forms[k].mask & 0xff;
        for (size_t i = 1; i < forms[k].bytes; i++) {
            if ((c[i] & 0xc0) != 0x80) {
                return 0;
            }
            x = x << 6 | (c[i] & 0x3f);
        }
        bool surrogate = x >= 0xd800 && x <= 0xdfff, none = x == 0xfffe || x == 0xffff;
        return x < forms[k].least || x > 0x10ffff || surrogate || none ? 0 : forms[k].bytes;
    }
    return 0;
}

/* What stands for the character at `c`; its length in *bytes. NULL: itself. */
static const char *entity_of(const unsigned char *c, size_t *bytes)
{
    static const char unknown[] = "\xef\xbf\xbd";
    *bytes                      = length_of(c);
    if (*bytes == 0) {
        *bytes = 1;
        return unknown;
    }
    switch (*c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    default:
        return *c < 0x20 && strchr("\t\n\r", *c) == NULL ? unknown : NULL;
    }
}

void ss_buffer_markup(ss_buffer *b, const char *text)
{
    size_t bytes;
    for (const char *c = text; c != NULL && *c != '\0'; c += bytes) {
        const char *entity = entity_of((const unsigned char *)c, &bytes);
        ss_buffer_add(b, entity != NULL ? entity : c, entity != NULL ? strlen(entity) : bytes);
    }
}

void ss_output_markup(FILE *out, const char *text)
{
    size_t bytes;
    for (const char *c = text; c != NULL && *c != '\0'; c += bytes) {
        const char *entity = entity_of((const unsigned char *)c, &bytes);
        fwrite(entity != NULL ? entity : c, 1, entity != NULL ? strlen(entity) : bytes, out);
    }
}
