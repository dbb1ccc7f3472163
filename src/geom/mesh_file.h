/* SPDX-License-Identifier: Apache-2.0 */
/* Triangle meshes from files. */
#ifndef SS_GEOM_MESH_FILE_H
#define SS_GEOM_MESH_FILE_H

#include "geom/geom.h"

typedef struct ss_mesh {
    ss_vec3 *vertices;  /* no two are equal */
    int32_t *triangles; /* (3 triangle_count) counter-clockwise from outside */
    int32_t  vertex_count, triangle_count;
} ss_mesh;

/*
 * Read every triangle of a file (STL, OBJ, DAE and what else assimp knows), with equal vertices
 * made one. Memory belongs to the set. Needs a build with assimp.
 */
ss_status ss_mesh_read(ss_geom_set *set, const char *path, double scale, ss_mesh *out);

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
