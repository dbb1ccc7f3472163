/* SPDX-License-Identifier: Apache-2.0 */
/* Convex polyhedra and polygons: making them from faces, and what every shape made of them shares.
 */
#ifndef SS_GEOM_POLYHEDRON_H
#define SS_GEOM_POLYHEDRON_H

#include "geom/geom.h"

/*
 * A polyhedron from vertices and faces (face_start, face_vertices: counter-clockwise from outside),
 * copied into the set. Normals, offsets and edges are computed. Fails when the faces do not close.
 */
ss_status ss_polyhedron_make(ss_geom_set *set, const ss_vec3 *vertices, int32_t vertex_count,
                             const int32_t *face_start, const int32_t *face_vertices,
                             int32_t face_count, const ss_polyhedron **out);
/* A convex polygon from its vertices in counter-clockwise order; face i runs from i to i + 1. */
ss_status ss_polygon_make(ss_geom_set *set, const ss_vec3 *vertices, int32_t count,
                          const ss_polyhedron **out);

void    ss_polyhedron_bounds(const ss_geom *g, const ss_frame *f, ss_aabb *out);
ss_vec3 ss_polyhedron_support(const ss_geom *g, ss_vec3 d);
/* Is the foot of x on face f inside the outline of the face? */
bool ss_polyhedron_over_face(const ss_polyhedron *p, int32_t f, ss_vec3 x);
void ss_polyhedron_mass(const ss_geom *g, int dimension, ss_mass *out);

#endif
