/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faces of neighbours: where the surface of a body goes on past the edges of one of its pieces.
 *
 * A piece P is told what is round and near one of its edges by the plane that touches both there.
 * Of the body that need not be an edge. Of the faces of other pieces that touch P,
 *
 *   onward   faces go on over a ridge: P is below their planes, which can separate anything from P
 *            like the planes of P's own faces. What is over such a face meets it before P;
 *   flush    ones go on in the plane of a face of P. What is over them meets them before P;
 *   rising   ones, of which P is on both sides, make a valley with P. What is over them does not
 *            meet the bottom of the valley but, beside them, a face of P.
 */
#ifndef SS_GEOM_NEIGHBOUR_H
#define SS_GEOM_NEIGHBOUR_H

#include "geom/geom.h"

/* Find the faces of neighbours of all pieces with flat faces; boxes: around them, in the body. */
ss_status ss_find_neighbours(ss_geom_set *set, const ss_aabb *boxes);

#endif
