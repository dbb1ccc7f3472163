/* SPDX-License-Identifier: Apache-2.0 */
/* Broad phase: which boxes overlap. Scales to tens of thousands of boxes; deterministic order. */
#ifndef SS_COLLIDE_BROADPHASE_H
#define SS_COLLIDE_BROADPHASE_H

#include "stickslip/base.h"
#include "stickslip/math3.h"

typedef struct ss_pair {
    int32_t a, b; /* indices of boxes, a < b */
} ss_pair;

typedef struct ss_broadphase ss_broadphase; /* keeps its order between steps */

ss_status ss_broadphase_create(ss_context *ctx, int32_t box_count, ss_broadphase **out);
void      ss_broadphase_destroy(ss_broadphase *bp);

/* May these two collide? Of few boxes each pair is asked once for all, of many before reports. */
typedef int (*ss_pair_filter)(const void *user, int32_t a, int32_t b);

/*
 * Every overlapping pair (boxes touch or intersect) that the filter lets through, sorted by (a, b).
 * Boxes with infinite sides are allowed. Writes at most `capacity` pairs and returns in *count how
 * many there are. Allocates nothing once the number of pairs has been seen.
 */
ss_status ss_broadphase_pairs(ss_broadphase *bp, const ss_aabb *boxes, ss_pair_filter filter,
                              const void *user, ss_pair *pairs, int32_t capacity, int32_t *count);

#endif
