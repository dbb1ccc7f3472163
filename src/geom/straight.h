/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices that lie on straight sides of polygons. */
#ifndef SS_GEOM_STRAIGHT_H
#define SS_GEOM_STRAIGHT_H

#include "geom/geom.h"

/*
 * Drops the vertices of a closed polygon (in the plane, either way round) at which its outline goes
 * straight on, to rounding: what is left are its corners, in their order.
 */
ss_status ss_drop_straight(ss_geom_set *set, ss_vec3 *v, int32_t *count);

#endif
