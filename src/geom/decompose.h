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

/* How a solid is to be cut. */
typedef struct ss_cut_ask {
    double      error;      /* how far pieces may cover its surface; 0: exactly               */
    double      work_limit; /* products that it may take; 0: SS_CUT_WORK                      */
    const char *what;       /* names the mesh in messages                                     */
} ss_cut_ask;

/*
 * Take a closed mesh whose triangles look outwards apart into convex pieces whose union is the
 * solid: exactly with error 0, else holds the solid, with `covered` at most `error`. `hull` is the
 * convex hull of its vertices. Fails with SS_ERR_INPUT where that takes more than SS_PIECES_MAX
 * pieces, and with SS_ERR_INTERRUPTED where it takes more work than it may: counted, so that it
 * ends at the same place on every machine.
 */
ss_status ss_decompose(ss_geom_set *set, const ss_mesh *mesh, const ss_polyhedron *hull,
                       const ss_cut_ask *ask, ss_pieces *out);

#endif
