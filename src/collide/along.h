/* SPDX-License-Identifier: Apache-2.0 */
/* Straight parts of two shapes that lie nearly along each other. */
#ifndef SS_COLLIDE_ALONG_H
#define SS_COLLIDE_ALONG_H

#include "collide/convex_pair.h"

/*
 * The ends of the straight parts that look along the separating direction and are nearly parallel,
 * in reach. tiny: a length that is rounding. True: the place where they are nearest is between two
 * of them.
 */
bool ss_along_ends(const ss_core *a, const ss_core *b, const ss_convex_result *best, double reach,
                   double tiny, ss_contact_list *out);

#endif
