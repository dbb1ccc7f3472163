/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as nothing where branches of a pair are compared. */
#ifndef SS_CORNER_TOLERANCES_H
#define SS_CORNER_TOLERANCES_H

/*
 * Lengths below this part of the smaller shape are rounding of positions (about 1e-15 of the scene,
 * with scenes up to 1e5 times as large as their parts). Ten times larger: faces that differ by less
 * are told apart by the direction of their normals alone, which changes nothing that can be seen.
 */
static const double ss_corner_rounding = 1e-9;

/*
 * Parts of the way that the two bodies can go in the step that are rounding of a solution: the
 * certificate (1e-9) leaves velocities uncertain by about as much, times the condition of the
 * contacts. Ten times larger: what slides past an edge is held by it for that much longer.
 */
static const double ss_corner_moved = 1e-7;

/*
 * How far normals of flush faces may be turned against each other. What lies on both is turned by
 * rounding, and counts by the face of its own. Ten times larger: tiles that are tilted by a
 * hundredth are flush for what overlaps one of them; ten times smaller: what still comes to lie is
 * caught.
 */
#define SS_FLUSH_TURN 1e-3

/* Impulses below this part of the step's largest are none: see above, for impulses. */
static const double ss_corner_no_impulse = 1e-9;

#endif
