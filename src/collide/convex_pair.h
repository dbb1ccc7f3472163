/* SPDX-License-Identifier: Apache-2.0 */
/* The direction in which two convex shapes are separated most. */
#ifndef SS_COLLIDE_CONVEX_H
#define SS_COLLIDE_CONVEX_H

#include "collide/core.h"

typedef enum ss_convex_verdict {
    SS_CONVEX_HIT,      /* gap <= reach, normal and points exact to rounding               */
    SS_CONVEX_MISS,     /* gap > reach: `gap` is a lower bound along `normal`, no points   */
    SS_CONVEX_UNDECIDED /* the search stopped early: `gap` is a lower bound along `normal` */
} ss_convex_verdict;

typedef struct ss_convex_result {
    ss_vec3  normal; /* unit, from a to b */
    double   gap;
    ss_vec3  point_a, point_b; /* on the surfaces   */
    uint32_t feature_a, feature_b;
} ss_convex_result;

/* planar: 2D, the direction stays in the plane z = 0. */
ss_convex_verdict ss_convex_separation(const ss_core *a, const ss_core *b, bool planar,
                                       double reach, ss_convex_result *out);

#endif
