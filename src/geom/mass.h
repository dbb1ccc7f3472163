/* SPDX-License-Identifier: Apache-2.0 */
/* Mass properties at unit density: placing, adding, and polyhedra by the divergence theorem. */
#ifndef SS_GEOM_MASS_H
#define SS_GEOM_MASS_H

#include "stickslip/shape.h"

/* The same body seen from the frame that holds it at `at`. */
ss_mass ss_mass_placed(const ss_mass *m, const ss_frame *at);
/* total += part; both in the same coordinates. A negative part is one that is taken out. */
void    ss_mass_accumulate(ss_mass *total, const ss_mass *part);
ss_mass ss_mass_negative(const ss_mass *m);
/* A body symmetric about its origin with the given principal inertia. */
ss_mass ss_mass_centred(double volume, double ixx, double iyy, double izz);

/* Solid bounded by triangles (3 vertex indices each, counter-clockwise from outside). */
ss_mass ss_mass_triangles(const ss_vec3 *vertices, const int32_t *triangles, int32_t count);
/* What is inside all of these convex geoms, in their body's frame; volume 0: nothing. */
ss_status ss_mass_common(ss_context *ctx, int dimension, const ss_geom *const *geoms, int32_t count,
                         ss_mass *out);
/* Convex polyhedron (dimension 3) or polygon (dimension 2). */
ss_mass ss_mass_polyhedron(const ss_polyhedron *p, int dimension);

#endif
