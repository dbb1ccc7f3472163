/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STL. Binary: 80 bytes of anything, the number of triangles, and for each of them twelve 32-bit
 * floats (normal and three corners, little-endian) and two bytes. Text: "facet .. vertex x y z"
 * three times ".. endfacet" between "solid" and "endsolid". Many binary files begin with "solid",
 * so their size decides.
 */
#include <string.h>

#include "geom/mesh_soup.h"

enum { HEAD = 84, EACH = 50, COUNT_AT = 80, NORMAL_BYTES = 12 };

static uint32_t word32(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

bool ss_mesh_is_binary_stl(const unsigned char *bytes, size_t size)
{
    return size >= HEAD + EACH && (uint64_t)word32(bytes + COUNT_AT) * EACH + HEAD == size;
}

static ss_vec3 point(const unsigned char *b)
{
    float x[3];
    for (int i = 0; i < 3; i++) {
        uint32_t bits = word32(b + 4 * i);
        memcpy(&x[i], &bits, sizeof bits);
    }
    return ss_v3((double)x[0], (double)x[1], (double)x[2]);
}

ss_status ss_mesh_binary_stl(ss_soup *s, const unsigned char *bytes, size_t size)
{
    for (const unsigned char *b = bytes + HEAD; b + EACH <= bytes + size; b += EACH) {
        const unsigned char *corners = b + NORMAL_BYTES;
        SS_TRY(ss_soup_add(s, point(corners), point(corners + 12), point(corners + 24)));
    }
    return SS_OK;
}

static bool is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

static ss_status bad(const ss_soup *s, const ss_mesh_text *t, const char *expected)
{
    return ss_fail(s->ctx, SS_ERR_INPUT, "%s:%d: STL: expected %s", s->name, (int)t->line,
                   expected);
}

/* Words that have no meaning for us: solid NAME, facet normal x y z. */
static bool rest_is_skipped(const char *word, size_t length)
{
    return is(word, length, "solid") || is(word, length, "endsolid") || is(word, length, "facet");
}

ss_status ss_mesh_text_stl(ss_soup *s, const char *bytes, size_t size)
{
    ss_mesh_text t = {bytes, bytes + size, 1};
    ss_vec3      corner[3];
    int          corners = 0;
    const char  *word;
    size_t       length;
    while ((length = ss_mesh_word(&t, false, &word)) > 0) {
        if (rest_is_skipped(word, length)) {
            ss_mesh_next_line(&t);
        } else if (is(word, length, "vertex")) {
            if (corners == 3 || !ss_mesh_point(&t, false, &corner[corners])) {
                return bad(s, &t, corners == 3 ? "three vertices in a facet" : "three numbers");
            }
            corners++;
        } else if (is(word, length, "endfacet")) {
            if (corners != 3) {
                return bad(s, &t, "three vertices in a facet");
            }
            SS_TRY(ss_soup_add(s, corner[0], corner[1], corner[2]));
            corners = 0;
        } else if (!is(word, length, "outer") && !is(word, length, "loop") &&
                   !is(word, length, "endloop")) {
            return bad(s, &t, "facet, vertex, endfacet or endsolid");
        }
    }
    return corners == 0 ? SS_OK : bad(s, &t, "endfacet");
}
