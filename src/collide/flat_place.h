/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where curved surfaces touch at a place that is flat to rounding (the middle of a side of
 * x^4 + y^4 = 1), a search finds one point of contact, and its last digits are a hundredth of the
 * side. What stands there stands on all of the place. With support points s(d) of both shapes,
 * n the normal and t a tangent, the point whose normal is inclined by e towards t,
 *
 *   y = s(n + e t),     |y - s(n)| = e R,
 *
 * tells the radius of curvature R. Where R is beyond SS_FLAT_RADIUS sizes of the smaller shape for
 * both shapes, the place is flat, as far as y, and that is where a contact is: in the plane at the
 * two ends of the place, in space at up to four. All are in the tangent plane, from which the
 * surfaces are e |y - s(n)| away at most.
 *
 * For models without inertia: nothing else keeps a body there from turning, and the balance of
 * torques is to be found at the place, not at one of its points.
 */
#ifndef SS_COLLIDE_FLAT_PLACE_H
#define SS_COLLIDE_FLAT_PLACE_H

#include <stdbool.h>

#include "collide/contact.h"

/* Replaces the contact from `first` on, if it is the only one of its pair and its place is flat. */
void ss_spread_flat_place(const ss_geom *a, const ss_frame *fa, const ss_geom *b,
                          const ss_frame *fb, bool planar, int32_t first, ss_contact_list *out);

#endif
