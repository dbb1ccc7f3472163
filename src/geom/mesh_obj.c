/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OBJ: lines "v x y z" and "f a b c ..", where a corner is the number of a vertex, counted from 1
 * or, when negative, from the last one back, and may be followed by /texture/normal. A face with
 * more than three corners is cut into triangles around one from which all of it is seen. Curved
 * surfaces are refused; lines, points, groups and materials are skipped.
 */
#include <stdlib.h>
#include <string.h>

#include "geom/mesh_soup.h"
#include "geom/tolerances.h"

typedef struct reader {
    ss_soup     *soup;
    ss_mesh_text text;
    ss_vec3     *vertices; /* (count) */
    size_t       count, room;
    ss_vec3      face[SS_MESH_CORNERS_MAX];
} reader;

static ss_status bad(const reader *r, const char *what)
{
    return ss_fail(r->soup->ctx, SS_ERR_INPUT, "%s:%d: OBJ: %s", r->soup->name, (int)r->text.line,
                   what);
}

static ss_status take_vertex(reader *r)
{
    ss_vec3 v;
    if (!ss_mesh_point(&r->text, true, &v)) {
        return bad(r, "expected three numbers after v");
    }
    if (r->count == r->room) {
        size_t   room  = 2 * r->room + 64;
        ss_vec3 *grown = ss_resize(r->soup->ctx, r->vertices, r->room * sizeof v, room * sizeof v);
        if (grown == NULL) {
            return ss_fail(r->soup->ctx, SS_ERR_MEMORY, "%s: no memory for the mesh",
                           r->soup->name);
        }
        r->vertices = grown;
        r->room     = room;
    }
    r->vertices[r->count++] = v;
    return SS_OK;
}

/* The vertex that "7", "-1" or "7/1/2" names. */
static ss_status take_corner(const reader *r, const char *word, size_t length, ss_vec3 *out)
{
    char        digits[24], *end;
    const char *slash = memchr(word, '/', length);
    size_t      used  = slash != NULL ? (size_t)(slash - word) : length;
    if (used == 0 || used >= sizeof digits) {
        return bad(r, "expected the number of a vertex");
    }
    memcpy(digits, word, used);
    digits[used]    = '\0';
    long long index = strtoll(digits, &end, 10), n = (long long)r->count;
    if (*end != '\0') {
        return bad(r, "expected the number of a vertex");
    }
    if (index == 0 || index > n || index < -n) {
        return ss_fail(r->soup->ctx, SS_ERR_INPUT, "%s:%d: OBJ: there is no vertex %lld (of %lld)",
                       r->soup->name, (int)r->text.line, index, n);
    }
    *out = r->vertices[index > 0 ? index - 1 : n + index];
    return SS_OK;
}

/* Twice the area of the face as a vector (Newell). */
static ss_vec3 area_of(const ss_vec3 *face, int count)
{
    ss_vec3 sum = ss_v3(0, 0, 0);
    for (int i = 1; i + 1 < count; i++) {
        sum = ss_add(sum, ss_cross(ss_sub(face[i], face[0]), ss_sub(face[i + 1], face[0])));
    }
    return sum;
}

/* Is every triangle around corner k turned as the whole face is? */
static bool seen_from(const ss_vec3 *face, int count, int k, ss_vec3 area)
{
    for (int i = 1; i + 1 < count; i++) {
        ss_vec3 a = ss_sub(face[(k + i) % count], face[k]);
        ss_vec3 b = ss_sub(face[(k + i + 1) % count], face[k]);
        if (ss_dot(ss_cross(a, b), area) < 0) {
            return false;
        }
    }
    return true;
}

static ss_status add_face(reader *r, int count)
{
    ss_vec3 area = area_of(r->face, count);
    int     k    = 0;
    while (k < count && !seen_from(r->face, count, k, area)) {
        k++;
    }
    if (k == count) {
        return bad(r, "a face that cannot be cut into triangles around one of its corners");
    }
    for (int i = 1; i + 1 < count; i++) {
        SS_TRY(ss_soup_add(r->soup, r->face[k], r->face[(k + i) % count],
                           r->face[(k + i + 1) % count]));
    }
    return SS_OK;
}

static ss_status take_face(reader *r)
{
    const char *word;
    size_t      length;
    int         count = 0;
    while ((length = ss_mesh_word(&r->text, true, &word)) > 0) {
        if (count == SS_MESH_CORNERS_MAX) {
            return bad(r, "a face with too many corners");
        }
        SS_TRY(take_corner(r, word, length, &r->face[count++]));
    }
    return count < 3 ? bad(r, "a face needs three corners") : add_face(r, count);
}

static bool is_skipped(const char *word, size_t length)
{
    static const char *const words[] = {"vn",     "vt",         "vp",       "o",        "g",
                                        "s",      "l",          "p",        "usemtl",   "mtllib",
                                        "usemap", "maplib",     "bevel",    "c_interp", "d_interp",
                                        "lod",    "shadow_obj", "trace_obj"};
    if (word[0] == '#') {
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == length && memcmp(word, words[i], length) == 0) {
            return true;
        }
    }
    return false;
}

static ss_status take_line(reader *r)
{
    const char *word;
    size_t      length = ss_mesh_word(&r->text, true, &word);
    if (length == 1 && word[0] == 'v') {
        return take_vertex(r);
    }
    if (length == 1 && word[0] == 'f') {
        return take_face(r);
    }
    return length == 0 || is_skipped(word, length)
               ? SS_OK
               : bad(r, "expected v, f or another word of OBJ files");
}

ss_status ss_mesh_obj(ss_soup *s, const char *bytes, size_t size)
{
    reader    r      = {.soup = s, .text = {bytes, bytes + size, 1}};
    ss_status status = take_line(&r);
    while (status == SS_OK && ss_mesh_next_line(&r.text)) {
        status = take_line(&r);
    }
    ss_free(s->ctx, r.vertices, r.room * sizeof *r.vertices);
    return status;
}
