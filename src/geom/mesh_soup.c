/* SPDX-License-Identifier: Apache-2.0 */
#include "geom/mesh_soup.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "geom/tolerances.h"

static bool finite3(ss_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

ss_status ss_soup_add(ss_soup *s, ss_vec3 a, ss_vec3 b, ss_vec3 c)
{
    if (!finite3(a) || !finite3(b) || !finite3(c)) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "%s: a vertex is not finite", s->name);
    }
    if (s->count + 3 > s->room) {
        size_t   room = 2 * s->room + 3 * 64;
        ss_vec3 *grown =
            ss_resize(s->ctx, s->corners, s->room * sizeof *grown, room * sizeof *grown);
        if (grown == NULL) {
            return ss_fail(s->ctx, SS_ERR_MEMORY, "%s: no memory for the mesh", s->name);
        }
        s->corners = grown;
        s->room    = room;
    }
    if (s->count / 3 >= SS_MESH_TRIANGLES_MAX) {
        return ss_fail(s->ctx, SS_ERR_INPUT, "%s: more than %d triangles", s->name,
                       SS_MESH_TRIANGLES_MAX);
    }
    s->corners[s->count++] = a;
    s->corners[s->count++] = b;
    s->corners[s->count++] = c;
    return SS_OK;
}

void ss_soup_release(ss_soup *s)
{
    ss_free(s->ctx, s->corners, s->room * sizeof *s->corners);
    s->corners = NULL;
    s->count = s->room = 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

size_t ss_mesh_word(ss_mesh_text *t, bool in_line, const char **word)
{
    while (t->at < t->end && (is_space(*t->at) || (!in_line && *t->at == '\n'))) {
        t->line += *t->at++ == '\n';
    }
    *word = t->at;
    while (t->at < t->end && !is_space(*t->at) && *t->at != '\n') {
        t->at++;
    }
    return (size_t)(t->at - *word);
}

bool ss_mesh_next_line(ss_mesh_text *t)
{
    const char *end = memchr(t->at, '\n', (size_t)(t->end - t->at));
    t->at           = end != NULL ? end + 1 : t->end;
    t->line++;
    return t->at < t->end;
}

/* A number as everybody writes it, whatever the decimal point of the locale is. */
static bool number(const char *word, size_t length, double *out)
{
    char buffer[64], *end;
    if (length == 0 || length >= sizeof buffer) {
        return false;
    }
    memcpy(buffer, word, length);
    buffer[length] = '\0';
    char *point    = strchr(buffer, '.');
    if (point != NULL) {
        *point = localeconv()->decimal_point[0];
    }
    *out = strtod(buffer, &end);
    return *end == '\0' && isfinite(*out);
}

bool ss_mesh_point(ss_mesh_text *t, bool in_line, ss_vec3 *out)
{
    double x[3];
    for (int i = 0; i < 3; i++) {
        const char *word;
        size_t      length = ss_mesh_word(t, in_line, &word);
        if (!number(word, length, &x[i])) {
            return false;
        }
    }
    *out = ss_v3(x[0], x[1], x[2]);
    return true;
}
