/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as nothing at an instant. All are parts of a scale of the scene. */
#ifndef SS_INSTANT_TOLERANCES_H
#define SS_INSTANT_TOLERANCES_H

/*
 * A relative velocity at a contact that is none, as part of the velocities it was computed from and
 * of what gravity (or whatever pushes) gives a body within its own size. Steps leave 1e-9 of that
 * behind. Ten times larger: contacts that creep at 1e-7 of those speeds count as sticking.
 */
#define SS_INSTANT_STILL 1e-8

/*
 * Times the above below which a slip is faint: its direction is where it goes to. A slip that
 * begins grows as u = j t^2/2, its direction settles within u over what friction does, and an
 * integrator that follows that takes 1/sqrt(u) steps from u on; what is missed of the velocity is u
 * t w/3, where the direction turns with w: 1e-11 of the velocities. Ten times larger: 5e-10 of
 * them, and a third of the steps.
 */
#define SS_INSTANT_FAINT 10

/*
 * Part of the above at which a slip that begins has a direction of its own; below it, the one it
 * began with. Ten times larger: slips that turn at once do so a little later.
 */
#define SS_INSTANT_BEGUN 1e-3

/*
 * How far bodies are moved on and back to differentiate the velocities at their contacts, as part
 * of the smallest body. With four places the error is of the fourth power of it, 1e-12, and the
 * rounding of velocities 1e-16 over it. Ten times larger: contacts lose each other at edges; ten
 * times smaller: more rounding.
 */
#define SS_INSTANT_MOVED 1e-3

/*
 * Roundings of the velocities at a contact, over the time between two places, below which the rate
 * of a row is none: 1e-12 of v^2 over the smallest body. Ten times larger: curvatures a tenth as
 * large are taken for flat.
 */
#define SS_INSTANT_ROUNDINGS 8

/* How near contacts are looked for while bodies are moved so, as part of the smallest body. */
#define SS_INSTANT_REACH 1e-2

/*
 * The part of a step that is no time: forces and rows are asked for over so short a step. It must
 * be below the rounding of every time constant, and its square a number. Any value will do.
 */
#define SS_INSTANT_NO_TIME 1e-60

/* Steps of time, as part of the simulation's, by which prescribed motions are differentiated. */
#define SS_INSTANT_MOTION 0.125

/* Pivots of the joints' equations, scaled, below which a row depends on others. */
#define SS_INSTANT_RANK 1e-12

/*
 * Part of the size of its terms below which a diagonal entry, a normal acceleration or a border of
 * stability is none: on the border, where no verdict is given.
 */
#define SS_INSTANT_BORDER 1e-10

/* Part of the forces by which two solutions must differ to be two. */
#define SS_INSTANT_SAME 1e-7

/* Residual up to which a solution of an instant counts, as that of a step. */
#define SS_INSTANT_CERTIFIED 1e-9

#endif
