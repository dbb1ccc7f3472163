/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Characters that are not seen, but turn the direction of writing, or end lines: in a text from a
 * file that nobody vouches for they could make it look like another.
 */
#ifndef SS_CORE_UNSEEN_H
#define SS_CORE_UNSEEN_H

#include <stdbool.h>
#include <stddef.h>

/* A character of UTF-8 with two or three bytes; 0: it is none of those. `c` ends in a zero. */
static inline unsigned ss_utf8(const unsigned char *c, size_t *bytes)
{
    bool second = (c[0] & 0xe0) == 0xc0 || (c[0] & 0xf0) == 0xe0;
    if (!second || (c[1] & 0xc0) != 0x80) {
        return 0;
    }
    if ((c[0] & 0xe0) == 0xc0) {
        *bytes = 2;
        return (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu);
    }
    *bytes = 3;
    return (c[2] & 0xc0) != 0x80 ? 0 : (c[0] & 0x0fu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
}

static inline bool ss_is_unseen(unsigned x)
{
    return x == 0x061c || x == 0x200e || x == 0x200f || (x >= 0x2028 && x <= 0x202e) ||
           (x >= 0x2066 && x <= 0x2069) || x == 0xfeff;
}

#endif
