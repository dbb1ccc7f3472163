/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convex pieces of large meshes, kept from one run to the next: in $STICKSLIP_CACHE, else in
 * $XDG_CACHE_HOME/stickslip, else in $HOME/.cache/stickslip. A file is named by the hash of the
 * triangles and of the error, and carries a hash of itself; one that is damaged, or a folder that
 * cannot be written, is as good as none. With or without it, pieces are the same to the bit.
 */
#ifndef SS_GEOM_PIECE_CACHE_H
#define SS_GEOM_PIECE_CACHE_H

#include "geom/mesh_file.h"

/* Corners of pieces, one after the other. */
typedef struct ss_piece_list {
    const ss_vec3 *corners;
    const int32_t *counts; /* (count) corners of each */
    int32_t        count;
    double         covered;
} ss_piece_list;

/* False: there is none. Memory is that of the set. */
bool ss_piece_cache_find(ss_geom_set *set, const ss_mesh *mesh, double error, ss_piece_list *out);
void ss_piece_cache_keep(ss_geom_set *set, const ss_mesh *mesh, double error,
                         const ss_piece_list *pieces);

#endif
