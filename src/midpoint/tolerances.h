/* SPDX-License-Identifier: Apache-2.0 */
/* Tolerances of the second-order step. All are ratios, so they mean the same at every scale. */
#ifndef SS_MIDPOINT_TOLERANCES_H
#define SS_MIDPOINT_TOLERANCES_H

/*
 * Change of the velocities from pass to pass, over their size, at which passes in the middle of a
 * step agree. What is left is energy that joints make or take: 1e-12 of the kinetic energy a step.
 * Ten times larger: ten times that, and a round in five less.
 */
#define SS_MIDPOINT_SETTLED 1e-12

/* A change that no longer falls is rounding if it is below this; large mass ratios leave 1e-9.
   Ten times larger: passes that converge slowly may end early. */
#define SS_MIDPOINT_STALLED 1e-8

/* The same where joints are closed to rounding: passes that end next to a change point go on along
   the other branch, which no joint sees there. What they miss is far below the error of the step.
   Ten times larger: so it is still; ten times smaller: steps that end there are cut for nothing. */
#define SS_MIDPOINT_UNSEEN 1e-5

/*
 * Velocity by which the laws of contacts are off because A is not quite the derivative of momentum,
 * over the largest velocity. Far below what a second-order step leaves; ten times larger: a pass
 * less for bodies that tumble on something.
 */
#define SS_MIDPOINT_BALANCED 1e-8

/* Change of a pass over that of the one before, above which the next is led by the last two.
   Newton's method is faster; ten times smaller: it is disturbed where it works. */
#define SS_MIDPOINT_SLOW 0.3

/* What of the square of a change is across that of the change itself where passes go along a line.
   Ten times larger: they may be led far off where they turn. */
#define SS_MIDPOINT_LINE 1e-2

/* Turn of a body in a step, up to which axes of its guides have a mean over it: at half a turn that
   is zero. Ten times smaller: guides that turn fast are exact to third order only. */
#define SS_GUIDE_TURN 2

/* Passes after which a step has failed, and is cut. Stiff chains take 16. */
#define SS_MIDPOINT_PASSES 40

/* Passes after which the middle of a step without joints or springs stands, since those that settle
   take 3. Fewer: steps that do are off by what the third changes; more: work for nothing. */
#define SS_MIDPOINT_STANDS 4

/* Part of the speed of a body by which the last two may differ then. On flat places it is 2e-4;
   grains under heavy balls, for which it is 0.1 to 1, end inside them. */
#define SS_MIDPOINT_NEARLY 1e-2

/* Passes after which islands that driven bodies push take the step of first order instead: which
   corners of a body on a moving table bear a load may depend on where the middle is. Those that
   settle take 3. */
#define SS_MIDPOINT_DRIVEN 4

/* .. and so many more where slip ends within the step: its time is found in three. */
#define SS_MIDPOINT_REVERSES 4

/* Change of the load of a contact whose slip ends within the step, from pass to pass, above which
   its friction until then is taken again. Ten times larger: friction before the turn is off by a
   percent of itself there; ten times smaller: a pass more. */
#define SS_REVERSAL_LOAD 1e-3

/* Slip at the start over what forces change of it in the step, below which it ends at once. Ten
   times larger: one turn in ten has a tenth of the error of a step of first order; ten times
   smaller: rolling is taken for slip that ends in every step. */
#define SS_REVERSAL_LEAST 1e-2

/* Passes after which a step without joints or springs is cut, since those that settle take 3, and
   after which all that touches takes the smallest part of a step as one of first order. */
#define SS_MIDPOINT_LAST 12

/* Passes from one look at the change to the next: where it has not halved since, the passes that
   are left are not enough. Twice as many: such steps take twice as long before they are cut. */
#define SS_MIDPOINT_LOOK 6

/*
 * Closing speed of a loaded contact, over what the forces of the step make of it, above which it is
 * an impact. A smooth step leaves less than h times that; ten times larger: impacts of half a step
 * of free fall would be taken for smooth motion and overlap by h/4 of it.
 */
#define SS_IMPACT_SHARE 0.05

/*
 * The same of contacts of bodies with joints that held in the last step, over the most that forces
 * make of a velocity of what hangs together: joints hand forces on along rows that none acts along,
 * and steps leave gaps that the next ones close. Ten times larger: overlaps of a step's fall; ten
 * times smaller: what leans on something while its links swing takes steps of first order.
 */
#define SS_HELD_SHARE 0.2

/*
 * Square of the angle by which slip turns in a step, above which friction has to follow it: a
 * millionth of a radian, well above what solvers leave. Ten times larger: friction is off by 3e-6
 * of itself across the slip; ten times smaller: nearer to rounding.
 */
#define SS_STRAIGHT 1e-12

/*
 * Second difference of the velocities of a driven body from step to step, over the first ones,
 * above which the velocity jumps. A motion of period T has 2 pi h/T; ten times smaller: motions of
 * fewer than 60 steps a period are first order.
 */
#define SS_JUMP_SHARE 0.5

/*
 * Closing speed of a contact over what a driven body changes of it in the step, above which it is
 * an impact. A step of first order ends with the mean velocity of the driven body and with its
 * normal of the start: it leaves 1. Ten times larger: impacts of ten steps of the acceleration
 * would be smooth motion.
 */
#define SS_DRIVEN_SHARE 2.0

/*
 * The same over what its row turns by in the step: a step of first order leaves the turn of the
 * last one, 1. Ten times larger: bodies that tumble would land softly at a few percent of their
 * speed; at 1 a path that bends less and less keeps to steps of first order.
 */
#define SS_TURN_SHARE 2.0

/* Gap over the way that its bodies go in the step, below which a contact touches: whether its row
   turns against it is asked for. Smooth steps leave a share of h^2; ten times larger: bodies that
   fly past each other are asked too, which takes time alone. */
#define SS_TOUCHES 0.01

/* Part of a step within which the end of a contact is there (late_ends.c). What is left of the load
   is off by it; ten times smaller: a part or two more for each end. */
#define SS_ENDS_LEAST 1e-3

/*
 * Angle between the normals of a contact at the start of a step and of one in its middle, in rad,
 * up to which that may be the same under another name (successors.c): steps in which points of
 * contact run further are cut. Ten times larger: what leaves a face for the next one would be
 * held by the first; ten times smaller: balls that roll over an edge take a step of first order.
 */
#define SS_SUCCEEDS_TURNED 0.125

/*
 * Way of the arm of a contact in a step, over its size, above which the step is cut
 * (contact_runs.c). What a coin that runs round on its rim loses in a radian is about a hundredth
 * of the square of this. Ten times larger: coins fall flat within a turn; ten times smaller: ten
 * times the steps.
 */
#define SS_RUNS_MOST 0.125

/* The same of steps of first order, which leave an error of the order of the way itself and not of
   its square. Ten times larger: an event takes percents of a coin's energy. */
#define SS_RUNS_FIRST 0.03

/*
 * Way of a contact on what touches a driven body, by how that moves, over its arm, above which a
 * step of first order is cut: it has the one at its end, the other at its start. Ten times larger:
 * bars land on blocks that have gone on under them; ten times smaller: ten times the parts, in
 * which impacts on conveyors are taken.
 */
#define SS_PASSES_MOST 0.03

/*
 * Angle by which a rope that pulls may turn in a step, in rad: a jerk is along the rope of the
 * start, and what swings is off by the cube of it. Twice as large: 2 % of a swing are lost in a
 * jerk; ten times smaller: a stone on a sling is swung in ten times the parts.
 */
#define SS_ROPE_TURNS 0.125

/*
 * What the velocity of a driven body at the start of a run may be off, as a part of what it changes
 * by in the first step: it is that of a parabola. Ten times larger: what is thrown half a step's
 * change too fast is not jerked; ten times smaller: swings of fewer than a thousand steps jerk what
 * hangs on them when they begin.
 */
#define SS_START_OFF 0.05

/* Speed at which a body rocks, over what forces change of its velocity in the step, below which
   that is no motion that the step could resolve. Ten times larger: coins fall flat at steps in
   which they run round; ten times smaller: what comes to rest on its face is cut to the smallest
   parts. */
#define SS_RUNS_SLOW 0.25

/* The same over the speed of the bodies, where no force acts: above what a solver leaves. */
#define SS_IMPACT_NOISE 1e-9

/* Velocity that a joint does not hold when bodies are given theirs, over the terms that cancel in
   it, above which it jerks them. Velocities are typed with a few digits; ten times larger: joints
   ring by accelerations of 1e-4 of their speeds a step. */
#define SS_JERKED 1e-5

/* Velocity over what the forces of a step change in one, below which a body stands still: what it
   moves by turns no row. Ten times larger: still far below what a solver leaves of rest. */
#define SS_STILL 1e-8

/* Slip over the speed of the bodies, above which a contact slides. */
#define SS_SLIDES 1e-7

/* Slip at the end over that at the start, by the round at the start, below which a contact has come
   to rest: what a solver leaves of rest is less. Ten times larger: still, since what brakes that
   much stops in the next step. */
#define SS_STOPS 1e-4

/* Slip that forces take within a step, over that at its start, above which they, and not friction,
   bring a contact to rest or turn it round. Larger: springs that friction helps to stop lose
   energy; smaller: what friction stops is solved in the middle of the step, at twice the work. */
#define SS_BRAKED 0.5

/*
 * Of velocities that open a joint, what the end of a smooth step takes out. At 1 the loss of energy
 * is three times as large (share/(2 - share)); at a tenth of this, impacts would be heard for fifty
 * steps as forces that change their sign.
 */
#define SS_PROJECTED_SHARE 0.5

/* Openings of joints over the size of the scene's smallest part that are rounding. */
#define SS_OPENING_ROUNDING 1e-13

/* Openings of joints at the start of a step, over the same size, above which it was not a step that
   left them: bodies were put there. Ten times larger: 1e-11 of a part's size is lifted unasked. */
#define SS_STARTS_OPEN 1e-12

/* Growth of what a joint holds in a pass, over the coordinates it is computed from, that is
   rounding. Ten times larger: joints open by 1e-14 of their distance from the origin a step. */
#define SS_GROWTH_ROUNDING 1e-15

/* Residual, over its start, at which the projection of velocities or positions has converged. */
#define SS_CLOSED 1e-13

/*
 * What a combination n of rows of unit size may have of n'W n and still be none where joints are
 * closed. Openings are rounding at d = SS_OPENING_ROUNDING, so that next to a change point, where
 * |n'J| = e, bodies are known to d/e, and the direction of n'J to d/e^2: 1e-3 with this e^2. Ten
 * times smaller: a velocity along rounding is taken out there; ten times larger: linkages that are
 * stretched to 1e-5 are not closed.
 */
#define SS_CLOSED_DEPENDENT 1e-10

/* Of a step of Newton's method towards closed joints, the least part that is tried, and how much of
   what it promises the squares of the openings must fall by, together. Ten times smaller: joints
   that cannot be closed are tried longer; the same steps. */
#define SS_CLOSED_LEAST 0.02
#define SS_CLOSED_FALL  0.2

/* What rows give when joints are closed, over the sizes of all that they give and take, that is
   rounding. Ten times larger: still invisible; ten times smaller: what SS_CLOSED leaves. */
#define SS_GIVEN_ROUNDING 1e-9

/* Rows that give more than this part of what the worst gives are let go together. At 1 they go one
   by one; at 0 what rests goes too, by its rounding. */
#define SS_GIVES_MOST 0.1

/* By how much contacts give when limits are closed, over what moves their bodies. Ten times larger:
   still nothing one sees; ten times smaller: conjugate gradients feel rounding. */
#define SS_CONTACT_GIVES 1e-6

/*
 * Part of a step within which contacts of one island strike at one time. Ten times larger: a box
 * that lands on one corner and then on the next is taken for one that lands flat; ten times
 * smaller: rounding of the tilt of boxes that do.
 */
#define SS_ONE_IMPACT 1e-6

/*
 * Closing speed of what strikes within a step when it is reached, over what forces make of it in
 * the step, above which it is asked for its time (late_impacts.c). What is left is off by this
 * times h^2 a. Ten times larger: ten times that; ten times smaller: what comes to rest is taken
 * bounce by bounce. No whole number, as what is dropped is that fast where steps end.
 */
#define SS_LATE_SHARE 2.2

/*
 * The same of bodies with joints, over the most that forces make of a velocity of bodies that they
 * hang together with. Chains that are nearly straight hand on impulses of hundreds of what such an
 * approach has, and swing clear of what their links are about to touch. Ten times larger: they are
 * struck by what they miss; ten times smaller: what joints leave of rest is asked for its time.
 */
#define SS_LATE_JOINTED 0.1

#endif
