/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Triangle meshes from files. A file is taken for what is in it, not for its name: STL (text or
 * binary), OBJ or COLLADA; everything else is refused. None of them is trusted: STL and OBJ are
 * read by code of our own, which checks every count and index; COLLADA is read by assimp in a child
 * process with little memory and time.
 */
#ifndef SS_GEOM_MESH_FILE_H
#define SS_GEOM_MESH_FILE_H

#include "geom/geom.h"

typedef struct ss_mesh {
    ss_vec3 *vertices;  /* no two are equal */
    int32_t *triangles; /* (3 triangle_count) counter-clockwise from outside */
    int32_t  vertex_count, triangle_count;
} ss_mesh;

/* Read every triangle of a file, with equal vertices made one. Memory belongs to the set. */
ss_status ss_mesh_read(ss_geom_set *set, const char *path, double scale, ss_mesh *out);

/* The same from memory; `name` is for messages. COLLADA is read from files only. */
ss_status ss_mesh_parse(ss_geom_set *set, const char *name, const void *bytes, size_t size,
                        double scale, ss_mesh *out);

/* Is the scale of a mesh (0 stands for 1) a positive number? */
static inline ss_status ss_mesh_scale_check(ss_context *ctx, const ss_shape_def *def)
{
    if (def->scale < 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape '%s': scale must be > 0, got %g", def->type,
                       def->scale);
    }
    return SS_OK;
}

#endif
