/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerances of recover/, without units: relative to what is compared. */
#ifndef SS_RECOVER_TOLERANCES_H
#define SS_RECOVER_TOLERANCES_H

/* Impulses whose effect is this many times the speeds of the problem cancel, and their rounding
   shows. Ten times larger: a heavy body on a light one creeps at its rounding; ten times smaller:
   velocities are refined that have no need of it (refine.c). */
#define SS_IMPULSES_CANCEL 64

/* A contact whose impulse alone would move it this many times as fast as it moves is certainly
   loaded. Ten times larger: fewer rows are held at zero; smaller: a row may be held that opens. */
#define SS_LOAD_SHOWS 1e3

/* Pivots, of a matrix with a unit diagonal, that are rounding. Ten times larger: rows that do not
   depend on others are left to themselves; smaller: rounding is divided by rounding. */
#define SS_REFINE_DEPENDENT 1e-13

/* How much held rows outweigh the masses where the projection is found from the rows. Ten times
   larger: that much more rounding in a correction that is itself rounding; smaller: rows are left
   with more than 1e-12 of what they had. */
#define SS_REFINE_HELD 1e8

/* Openings of projected joints, as parts of the scene's length: closed; and so small that an
   opening which no longer halves is rounding. Ten times larger: joints that much more open. */
#define SS_PROJECTED_CLOSED   1e-14
#define SS_PROJECTED_ROUNDING 1e-12

/* Angular momentum of an island, as a part of what is added up in it, that is the same: rounding.
   Ten times larger would do no harm; ten times smaller, every step is corrected by rounding. */
#define SS_WHOLE_SAME 1e-14

/* Determinant of an island's inertia over that of a ball, below which its bodies are points in a
   line. Ten times larger: likewise, by needles 3 times as thick. */
#define SS_WHOLE_THIN 1e-12

/* Part of a body's size by which an overlap shrinks in the time that a fall of that size takes,
   where this is faster than a size a second: below 1 cm on earth. Ten times larger: small parts
   that overlap are pushed apart as fast as they fall; ten times smaller: parts of a micrometre that
   landed a step late stay in each other until they have come to rest. */
#define SS_SHRINKS_IN_FALL 0.03125

#endif
