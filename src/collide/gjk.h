/* SPDX-License-Identifier: Apache-2.0 */
/* The vector between two convex sets given by their support points (Gilbert, Johnson, Keerthi). */
#ifndef SS_COLLIDE_GJK_H
#define SS_COLLIDE_GJK_H

#include "stickslip/math3.h"

/* The point of (b - a) furthest in direction d. */
typedef ss_vec3 (*ss_gjk_support)(const void *user, ss_vec3 d);

/*
 * The point of the set b - a nearest to the origin, to about 1e-6 of its length: the shortest
 * vector from a to b. Zero when they meet. Always returns: the number of iterations is bounded.
 * Once a direction is found that separates them by more than `far`, the search ends there: the
 * vector then points along it, and no more is known of its length.
 */
ss_vec3 ss_gjk(ss_gjk_support support, const void *user, ss_vec3 start, double far);

#endif
