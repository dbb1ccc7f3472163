/* SPDX-License-Identifier: Apache-2.0 */
/* How exactly motions are integrated between events, and what counts as one. */
#ifndef SS_HYBRID_TOLERANCES_H
#define SS_HYBRID_TOLERANCES_H

/*
 * Error of one step of the integrator, as part of the scene's length (positions) and of the speeds
 * that forces make within it (velocities). Rates of rows are known to 1e-12. Ten times larger:
 * steps are 1.6 times as long, and events off by ten times as much (1e-10 of a time constant).
 */
#define SS_HYBRID_ERROR 1e-12

/*
 * A force beyond its bound, a normal force below zero, as part of the forces of the island; a slip
 * against its sense, as part of what counts as none; a gap below zero, as part of the length: by so
 * much an event shows. It is then located where the quantity is zero. Ten times larger: grazing
 * touches of 1e-12 of the length go unseen.
 */
#define SS_HYBRID_SHOWS 1e-13

/* A gap below zero, as part of the length, that was so before it was seen to close: located events
   show by a tenth of it. Ten times larger: gaps that geometry leaves below zero are events again
   and again. */
#define SS_HYBRID_DEEP 2e-12

/* Time, as part of the time constant, to which events are located. */
#define SS_HYBRID_LOCATED 1e-13

/* Part of the way to an event, beyond it, over which the slope of a quantity is taken. */
#define SS_HYBRID_SLOPE 1e-3

/*
 * Part of the way to the end of a slip, before it, at which the slip still has a direction: it is
 * followed by the slip until there, and kept over the rest. Ten times larger: what the direction
 * turns in a thousandth of a step is missed.
 */
#define SS_HYBRID_BEFORE 1e-4

/* By how much directions of slips are turned to differentiate by them: errors are its square, and
   rounding over it. Ten times larger or smaller: more of the one or the other. */
#define SS_HYBRID_TURN 1e-5

/* .. at most, by Newton's method towards the direction that a slip begins with: what is further
   away may not be where it goes. Ten times smaller: more is followed turn by turn. */
#define SS_HYBRID_TURN_MOST 0.25

/* How far a direction is followed at a time, and within which of its end Newton's method is left to
   find it; radians. Twice as large: places that are closer together are jumped over. */
#define SS_HYBRID_TURNS  0.2
#define SS_HYBRID_BESIDE 0.04

/* Part of what counts as no slip that a faint one may have across the direction it goes to, to have
   that direction: so much is missed. Ten times smaller: rounding of slips that begin is followed.
 */
#define SS_HYBRID_ASIDE 1e-2

/* A step of Newton's method that turns them by no more is the last: what is left is its square. */
#define SS_HYBRID_TURNED 1e-7

/* Shortest step of the integrator, as part of the time constant: shorter, and forces grow without
   bound, or what touches is lost at once. */
#define SS_HYBRID_SHORTEST 1e-12

/*
 * Accelerations, as part of those of the island, at which what stuck moves where its forces are not
 * unique, so that no force tells. Ten times larger: such events are found ten times later.
 */
#define SS_HYBRID_MOVES 1e-9

/* Change of velocities, as part of them, below which an impact changed none. */
#define SS_HYBRID_STRUCK 1e-9

/*
 * Change of velocities, as part of them, that joints ask for at the start of a step: above it they
 * were given so, or a drive jumps, and an impact comes first. Integration leaves 1e-12. Ten times
 * larger: such a jump is smoothed away, unaccounted.
 */
#define SS_HYBRID_TORN 1e-6

/* Part of the change of a driven velocity over an interval that must be left when the interval is
   an eighth as long, for a kink: smooth motions leave an eighth. Twice as large: kinks near the
   ends of an interval are overlooked. */
#define SS_HYBRID_KINK 0.3

/* Jump of a driven velocity, as part of the length over the step, that counts as a kink. Ten times
   larger: smaller jumps are smoothed, and their energy is missed. */
#define SS_HYBRID_JUMP 1e-8

/* Third differences of a motion, as part of it, that are rounding. Ten times larger: jumps of the
   acceleration of bodies that are far from the origin are overlooked where they are small; smaller:
   rounding is taken for such jumps. */
#define SS_HYBRID_CURVE_NOISE 1e-14

/* Time before a jump of a velocity, as part of the step, in which no jump of an acceleration is
   looked for: places on its other side would be. Ten times larger would do no harm. */
#define SS_HYBRID_CURVE_BEFORE 0.1

/* How much faster than in intervals that are 1000 times as long a motor's speed must change for a
   jump: 1000 times where it jumps, at most twice where only its acceleration does. Anything between
   will do. */
#define SS_HYBRID_LEAP 16

/* Time between two kinks, as part of the step, below which they are one. */
#define SS_HYBRID_SAME_KINK 1e-6

/*
 * Least pivot of the joints' equations, as part of their rows, below which they are next to a
 * singular position: forces are known to 1e-12 over it. Ten times larger: mechanisms that are
 * merely flat are called singular where a run ends for another reason.
 */
#define SS_HYBRID_WEAK 1e-4

/*
 * What friction leaves of the acceleration by which a normal force opens its own contact, below
 * which steps that become too short are Painleve's paradox, to which there is no answer. Ten times
 * larger: rods far from the border end runs where something else is at fault.
 */
#define SS_HYBRID_PARADOX 1e-2

/* Time between two states that are kept to come back to, as part of the time constant. Ten times
   larger would do no harm. */
#define SS_HYBRID_KEPT 1e-10

/*
 * Products that the forces at a state take for each body besides searches of its shape (formulas,
 * intersections). Ten times larger: where forces do not lead on, steps of such bodies take a minute
 * before they go by impulses; ten times smaller: they do so where forces would lead on.
 */
#define SS_HYBRID_STATE 1e4

/*
 * Part of the simulation's step that the impulse level goes first where forces do not lead on, in
 * 16 steps. Ten times larger: more of the motion is of its order; smaller: more tries.
 */
#define SS_HYBRID_BRIDGE 0x1p-8

/* Time that an impact takes, as part of the time constant: forces do so much within it. */
#define SS_HYBRID_IMPACT 1e-11

/*
 * Height of a bounce, as part of the length, below which the ball rests: positions are known to
 * 1e-16 of it. Ten times larger: it rests earlier, by three times as much.
 */
#define SS_HYBRID_BOUNCE 1e-12

/* Gap, as part of the length, at which a contact that parts has just touched. */
#define SS_HYBRID_TOUCHES 1e-9

/* Error of the works of one step of the integrator, as part of the energy in play. */
#define SS_HYBRID_WORKS 1e-11

/* Balance of energy over a step, as part of what changed hands: larger, and the step fails. */
#define SS_HYBRID_ENERGY 1e-8

#endif
