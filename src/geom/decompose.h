/* SPDX-License-Identifier: Apache-2.0 */
/* A solid bounded by triangles, as convex pieces. */
#ifndef SS_GEOM_DECOMPOSE_H
#define SS_GEOM_DECOMPOSE_H

#include "geom/mesh_file.h"

typedef struct ss_pieces {
    const ss_polyhedron **items; /* (count) side by side; memory of the set */
    int32_t               count;
    double
        covered; /* no point of the surface is further inside a piece, along its normal, metres */
    double bare; /* and none is further outside all pieces, against its normal, metres        */
} ss_pieces;

/*
 * Take a closed mesh whose triangles look outwards apart into convex pieces whose union is the
 * solid: exactly with error 0, else holds the solid, with `covered` at most `error`. `hull` is the
 * convex hull of its vertices, `what` names the mesh in messages. Fails with SS_ERR_INPUT where
 * that takes more than SS_PIECES_MAX pieces.
 */
ss_status ss_decompose(ss_geom_set *set, const ss_mesh *mesh, const ss_polyhedron *hull,
                       double error, const char *what, ss_pieces *out);

#endif
