/* SPDX-License-Identifier: Apache-2.0 */
/* Convex hulls. */
#ifndef SS_GEOM_HULL_H
#define SS_GEOM_HULL_H

#include "geom/polyhedron.h"

/*
 * The convex hull of points in space, with coplanar facets merged into one face. Vertices keep the
 * order of the points. `what` names the shape in messages. Needs a build with qhull.
 */
ss_status ss_hull_build(ss_geom_set *set, const ss_vec3 *points, int32_t count, const char *what,
                        const ss_polyhedron **out);

/* The convex hull of points in the plane; corners only. */
ss_status ss_hull_build_2d(ss_geom_set *set, const ss_vec3 *points, int32_t count, const char *what,
                           const ss_polyhedron **out);

#endif
