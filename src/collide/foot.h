/* SPDX-License-Identifier: Apache-2.0 */
/* Where a shape that is flat in places is nearest to another. */
#ifndef SS_COLLIDE_FOOT_H
#define SS_COLLIDE_FOOT_H

#include "collide/core.h"

/*
 * c: a core with a surface of its own (ss_shape_class.surface); o and its feature: the other; x: a
 * point of c near the one that is wanted. size: lengths are compared with it. True: x is the point
 * and *outward the normal of c there, to rounding; otherwise both are left as they are.
 */
bool ss_foot_on_flat(const ss_core *c, const ss_core *o, const ss_mode *feature, bool planar,
                     double size, ss_vec3 *x, ss_vec3 *outward);

#endif
