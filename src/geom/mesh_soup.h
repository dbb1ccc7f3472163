/* SPDX-License-Identifier: Apache-2.0 */
/* Triangles one after the other while a mesh file is read, and the text of such files. */
#ifndef SS_GEOM_MESH_SOUP_H
#define SS_GEOM_MESH_SOUP_H

#include "geom/geom.h"

typedef struct ss_soup {
    ss_context *ctx;
    const char *name;    /* of the file, for messages */
    ss_vec3    *corners; /* (count) three for each triangle */
    size_t      count, room;
} ss_soup;

ss_status ss_soup_add(ss_soup *s, ss_vec3 a, ss_vec3 b, ss_vec3 c);
void      ss_soup_release(ss_soup *s);

/* The file in memory; it need not end in a zero byte. */
typedef struct ss_mesh_text {
    const char *at, *end;
    int32_t     line;
} ss_mesh_text;

/* The next word (of this line only, when `in_line`); its length, 0: there is none. */
size_t ss_mesh_word(ss_mesh_text *t, bool in_line, const char **word);
/* Goes to the start of the next line; false at the end. */
bool ss_mesh_next_line(ss_mesh_text *t);
/* Three finite numbers. */
bool ss_mesh_point(ss_mesh_text *t, bool in_line, ss_vec3 *out);

/* The formats: `size` bytes into triangles. */
bool      ss_mesh_is_binary_stl(const unsigned char *bytes, size_t size);
ss_status ss_mesh_binary_stl(ss_soup *s, const unsigned char *bytes, size_t size);
ss_status ss_mesh_text_stl(ss_soup *s, const char *bytes, size_t size);
ss_status ss_mesh_obj(ss_soup *s, const char *bytes, size_t size);
/* By assimp, in a child process. */
ss_status ss_mesh_dae(ss_soup *s, const char *path);

#endif
