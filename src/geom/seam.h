/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seams: where faces of two convex pieces of one body lie on each other.
 *
 * Between a face f of a piece P and the face g of a piece Q that lies on it there is a slot of no
 * width. To P its points are outside, because they are above f, and to Q, because they are above g;
 * of the body they are inside. Nothing that has a size gets there. A point does, along the plane of
 * f, unless the plane of f is told apart from what separates it from P in truth.
 */
#ifndef SS_GEOM_SEAM_H
#define SS_GEOM_SEAM_H

#include "geom/geom.h"

/* Boxes around all pieces, in the coordinates of the body; they live as long as the set. */
ss_status ss_boxes_of(ss_geom_set *set, ss_aabb **out);
bool      ss_boxes_meet(const ss_aabb *a, const ss_aabb *b, double rounding);

/* Find the seams of all pieces of a body with flat faces, once they are all there. */
ss_status ss_find_seams(ss_geom_set *set, const ss_aabb *boxes);

/*
 * Is face f shut for x (both in coordinates of the piece)? It is where a seam is where x would get
 * in past the border of f, or where it is, and x lies in the seam's plane or in another piece: up
 * to that length, which is INFINITY in a valley of the body. 0: it is a way out.
 */
double ss_shut_for(const ss_polyhedron *p, int32_t f, ss_vec3 x);

/*
 * The gap between x and a piece with seams, of which f is the face furthest below x: the height
 * over f, but where x is inside the body, though it be in a slot, how far it is from surface,
 * negative.
 */
double ss_gap_of_joined(const ss_polyhedron *p, int32_t f, ss_vec3 x);

#endif
