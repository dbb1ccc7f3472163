/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every small number of the narrow phase: what it means, its unit, why it has this value, and what
 * ten times as much would do.
 */
#ifndef SS_COLLIDE_TOLERANCES_H
#define SS_COLLIDE_TOLERANCES_H

/*
 * A flat end or facet faces a direction when the cosine of the angle between its normal and that
 * direction is above this: about half a right angle, so that of a cylinder either an end or a line
 * of its side comes to lie on something, never both. A choice of kind, not a tolerance.
 */
#define SS_FACING 0.7

#endif
