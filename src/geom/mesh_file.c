/* SPDX-License-Identifier: Apache-2.0 */
/* Mesh files: which format it is, and equal corners made one. */
#include "geom/mesh_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/input.h"
#include "geom/mesh_soup.h"
#include "geom/tolerances.h"

/* ---- what is in it ---- */

typedef enum format { BINARY_STL, TEXT_STL, OBJ, COLLADA, UNKNOWN } format;

static bool begins(const char *bytes, size_t size, const char *text)
{
    return size >= strlen(text) && memcmp(bytes, text, strlen(text)) == 0;
}

static bool contains(const char *bytes, size_t size, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= size; i++) {
        if (memcmp(bytes + i, text, length) == 0) {
            return true;
        }
    }
    return false;
}

/* The first word of the first line that is no comment is one that OBJ files begin with. */
static bool looks_like_obj(const char *bytes, size_t size)
{
    static const char *const words[] = {"v", "vn", "vt", "o", "g", "s", "f", "mtllib", "usemtl"};
    ss_mesh_text             t       = {bytes, bytes + size, 1};
    const char              *word;
    size_t                   length;
    while ((length = ss_mesh_word(&t, false, &word)) > 0 && word[0] == '#') {
        ss_mesh_next_line(&t);
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == length && memcmp(word, words[i], length) == 0) {
            return true;
        }
    }
    return false;
}

static format format_of(const char *bytes, size_t size)
{
    enum { LOOK = 4096 };
    if (ss_mesh_is_binary_stl((const unsigned char *)bytes, size)) {
        return BINARY_STL;
    }
    const char *at = bytes, *end = bytes + size;
    if (begins(at, size, "\xef\xbb\xbf")) { /* the mark that some editors put at the start */
        at += 3;
    }
    while (at < end && strchr(" \t\r\n", *at) != NULL && *at != '\0') {
        at++;
    }
    size_t left = (size_t)(end - at);
    if (begins(at, left, "solid")) {
        return TEXT_STL;
    }
    if (begins(at, left, "<")) {
        return contains(at, left < LOOK ? left : LOOK, "<COLLADA") ? COLLADA : UNKNOWN;
    }
    return looks_like_obj(at, left) ? OBJ : UNKNOWN;
}

/* ---- corners and vertices ---- */

typedef struct corner {
    ss_vec3 x;
    int32_t index;
} corner;

static bool same_place(ss_vec3 a, ss_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static int by_place(const void *a, const void *b)
{
    const corner *p = a, *q = b;
    if (p->x.x != q->x.x) {
        return p->x.x < q->x.x ? -1 : 1;
    }
    if (p->x.y != q->x.y) {
        return p->x.y < q->x.y ? -1 : 1;
    }
    if (p->x.z != q->x.z) {
        return p->x.z < q->x.z ? -1 : 1;
    }
    return (p->index > q->index) - (p->index < q->index);
}

/* Equal corners become one vertex; triangles that have lost a side by it are left out. */
static ss_status weld(ss_geom_set *set, const ss_vec3 *corners, size_t count, ss_mesh *out)
{
    corner  *sorted = ss_alloc(set->ctx, count, sizeof *sorted);
    ss_vec3 *v      = ss_geom_memory(set, count, sizeof *v);
    int32_t *t      = ss_geom_memory(set, count, sizeof *t);
    if (sorted == NULL || v == NULL || t == NULL) {
        ss_free(set->ctx, sorted, count * sizeof *sorted);
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for a mesh");
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (corner){corners[i], (int32_t)i};
    }
    qsort(sorted, count, sizeof *sorted, by_place);
    int32_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !same_place(sorted[i].x, sorted[i - 1].x)) {
            v[n++] = sorted[i].x;
        }
        t[sorted[i].index] = n - 1;
    }
    ss_free(set->ctx, sorted, count * sizeof *sorted);
    int32_t kept = 0;
    for (size_t i = 0; i < count; i += 3) {
        if (t[i] != t[i + 1] && t[i + 1] != t[i + 2] && t[i + 2] != t[i]) {
            memmove(t + 3 * (size_t)kept++, t + i, 3 * sizeof *t);
        }
    }
    *out = (ss_mesh){v, t, n, kept};
    return SS_OK;
}

static ss_status finish(ss_geom_set *set, ss_soup *soup, double scale, ss_mesh *out)
{
    if (soup->count == 0) {
        return ss_fail(set->ctx, SS_ERR_INPUT, "%s: the file holds no triangles", soup->name);
    }
    for (size_t i = 0; i < soup->count; i++) {
        soup->corners[i] = ss_scale(scale, soup->corners[i]);
    }
    return weld(set, soup->corners, soup->count, out);
}

static ss_status parse(ss_soup *soup, const char *path, const char *bytes, size_t size)
{
    switch (format_of(bytes, size)) {
    case BINARY_STL:
        return ss_mesh_binary_stl(soup, (const unsigned char *)bytes, size);
    case TEXT_STL:
        return ss_mesh_text_stl(soup, bytes, size);
    case OBJ:
        return ss_mesh_obj(soup, bytes, size);
    case COLLADA:
        if (path != NULL) {
            return ss_mesh_dae(soup, path);
        }
        break;
    case UNKNOWN:
        break;
    }
    return ss_fail(soup->ctx, SS_ERR_INPUT, "%s: is neither STL nor OBJ nor COLLADA (DAE)",
                   soup->name);
}

static ss_status parse_all(ss_geom_set *set, const char *name, const char *path, const char *bytes,
                           size_t size, double scale, ss_mesh *out)
{
    ss_soup   soup   = {.ctx = set->ctx, .name = name};
    ss_status status = parse(&soup, path, bytes, size);
    if (status == SS_OK) {
        status = finish(set, &soup, scale, out);
    }
    ss_soup_release(&soup);
    return status;
}

ss_status ss_mesh_parse(ss_geom_set *set, const char *name, const void *bytes, size_t size,
                        double scale, ss_mesh *out)
{
    return parse_all(set, name, NULL, bytes, size, scale, out);
}

/* ---- the file ---- */

ss_status ss_mesh_read(ss_geom_set *set, const char *path, double scale, ss_mesh *out)
{
    int    file = -1;
    size_t size = 0;
    SS_TRY(ss_input_open(set->ctx, path, SS_MESH_BYTES_MAX, &file, &size));
    char     *bytes  = ss_alloc(set->ctx, size + 1, 1);
    ss_status status = SS_OK;
    if (bytes == NULL) {
        status = ss_fail(set->ctx, SS_ERR_MEMORY, "%s: no memory for %zu bytes", path, size);
    } else if (!ss_input_whole(file, bytes, size)) {
        status = ss_fail(set->ctx, SS_ERR_IO, "%s: cannot be read", path);
    } else {
        status = parse_all(set, path, path, bytes, size, scale, out);
    }
    close(file);
    ss_free(set->ctx, bytes, bytes != NULL ? size + 1 : 0);
    return status;
}
