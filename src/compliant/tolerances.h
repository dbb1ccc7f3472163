/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_COMPLIANT_TOLERANCES_H
#define SS_COMPLIANT_TOLERANCES_H

/*
 * Least slope of a law that is linear about a point where it has none (a touch, a power at zero),
 * as part of the stiffness at the deflections of the step. Rounds go on from what it leads to. Ten
 * times larger or smaller: a round more or less at a touch.
 */
#define SS_SLOPE_LEAST 1e-3

/*
 * The point that a law is linear about has settled when it moves by this part of the step's motion
 * along the normal. Energy is then right to this part of the normal work. Ten times larger: an
 * undamped drop drifts by 1e-11 of its energy at every touch.
 */
#define SS_POINT_SETTLED 1e-12

/*
 * .. and by this part of the way that points of the bodies go in the step, which is how well rows
 * know their rates: bodies that pass each other at a metre a second while a touch gives by 1e-8 m.
 * Ten times larger: nothing changes; ten times smaller: rounds go on until the step is cut, as
 * their rounding takes turns.
 */
#define SS_POINT_NOISE 1e-14

/*
 * Depths that differ by less than this part: the mean force between them by Gauss' rule (exact to
 * the sixth power of it), not by a difference of energies (which loses that many digits). Ten times
 * larger: 1e-12 becomes 1e-10 in energies of power laws.
 */
#define SS_DEPTHS_CLOSE 1e-3

/* Deflections this close to the core, as a part, are at it. */
#define SS_CORE_NEAR 1e-12

/*
 * Part of the core's spring force below which the impulse of a contact that is taken for down to
 * its core shows that it is not. As the certificate of impulses (1e-9). Ten times larger: cores let
 * go a little late.
 */
#define SS_CORE_LEAVES 1e-9

/*
 * 1 - cos of the angle between normals of contacts of one patch. Ten times larger: faces that meet
 * at 1e-5 rad are one patch.
 */
#define SS_PATCH_FLAT 1e-12

/* Corners of one face: how far they may be off its plane, as part of its size. Rounding of vertices
   is less; ten times larger: facets that meet at 1e-6 rad are one patch. */
#define SS_PATCH_LEVEL 1e-7

/* Sine of the angle at a corner below which three of them are on a line, and cosine of the tilt
   beyond which a face stands on its edge: then the patch is that edge. */
#define SS_PATCH_THIN  1e-6
#define SS_PATCH_STEEP 1e-3

/* Rounds in which all contacts that are wrong about their cores change at once, before they do so
   one by one. Most steps need one or two; ten times more: rounds run out before the others begin.
 */
#define SS_CORES_TOGETHER 6

/*
 * h c / m of the normal damper above which a step cannot see the motion that it stops: the law of
 * the end stops it, the law over the step would let it ring. 2: where the trapezoidal rule
 * overshoots.
 */
#define SS_DAMPED_OUT 2

#endif
