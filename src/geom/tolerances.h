/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of mesh files: name, meaning, unit, why this value. */
#ifndef SS_GEOM_TOLERANCES_H
#define SS_GEOM_TOLERANCES_H

enum {
    /* Triangles of a mesh. More is a mistake, not a part. Ten times larger: corners are counted by
     * 32 bits no more. */
    SS_MESH_TRIANGLES_MAX = 20000000,
    /* Bytes of a mesh file: 20 million triangles of binary STL. Ten times larger: read into memory,
     * a wrong file name costs 10 GB. */
    SS_MESH_BYTES_MAX = 1 << 30,
    /* Corners of a face in an OBJ file. */
    SS_MESH_CORNERS_MAX = 256,
    /* What the process that reads COLLADA may use: bytes of memory, seconds. Ten times larger: a
     * hostile file holds the scene up for five minutes. */
    SS_MESH_CHILD_SECONDS = 30
};
#define SS_MESH_CHILD_BYTES (4ull << 30)

#endif
