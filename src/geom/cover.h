/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Covers: flat faces of other pieces of the body that touch a piece and have it below their planes,
 * where one of the two is a cylinder. (Of two pieces with flat faces only: geom/neighbour.h.) What
 * is over a cover, and not over a face of the piece itself, meets the cover before the piece: rims
 * and edges in a flush surface are none.
 */
#ifndef SS_GEOM_COVER_H
#define SS_GEOM_COVER_H

#include "geom/geom.h"

/* Find the covers of all pieces; boxes: around them, in the body. */
ss_status ss_find_covers(ss_geom_set *set, const ss_aabb *boxes);

/* How far x lies outside the outline of the cover, seen along its normal; coordinates of the piece.
 */
double ss_cover_outside(const ss_cover *c, ss_vec3 x);

/* Is x over a flat face of the piece itself that lies in the plane of the cover? */
bool ss_over_own_face(const ss_geom *g, const ss_cover *c, ss_vec3 x);

#endif
