/* SPDX-License-Identifier: Apache-2.0 */
/* What the second certificate lets pass. */
#ifndef SS_CERTIFY_TOLERANCES_H
#define SS_CERTIFY_TOLERANCES_H

/*
 * Part of the step's turnover (the sum of all energies that change hands in it) by which a law that
 * can only take energy may seem to give some. The impulses solve their problem to 1e-9 (scene:
 * tolerance), so the works of their laws are right to that. Ten times larger: still harmless;
 * ten times smaller: below what the first certificate promises.
 */
#define SS_ENERGY_SLACK 1e-9

/*
 * Energy that the scheme may make over a run, as a part of what changed hands in it. Ten times
 * larger: a pendulum may swing visibly higher; ten times smaller: parts that tumble over each other
 * at coarse steps are cut at every turn.
 */
#define SS_GAIN_MOST 1e-3

/*
 * Energy that smooth steps may put into velocities that joints do not have, and closing them takes
 * out, over a run, as a part of what changed hands between islands and forces. Ten times larger: a
 * load on a chain of light links loses percents of its swing when the chain is pulled straight; ten
 * times smaller: such a chain is cut to the smallest parts each time.
 */
#define SS_STRAYED_MOST 1e-3

/*
 * The same where overlaps and joints are corrected by momentum, as the papers print it: psi/h and
 * phi/h make energy of first order in h. Such steps are not cut: shorter ones push harder.
 */
#define SS_GAIN_PRINTED 1e-2

/*
 * Part of what a medium takes that the scheme may make in a step: h k/(2 E) beside a stiffness k,
 * so that no step goes past a balance. Twice as large: steps may swing from one side to the other
 * for ever; a tenth: motions beside springs are cut down to a tenth of E/k.
 */
#define SS_DESCENT_MOST 0.5

/*
 * The same with what moving apart overlaps that steps made raises bodies by. What rolls sinks in a
 * step, which takes as much, so that only the difference counts; where flat sides meet surfaces
 * that is of first order in h. Ten times larger: bodies that nothing holds could be carried for
 * long; ten times smaller: parts that tumble over each other at coarse steps are cut at every turn.
 */
#define SS_RAISED_MOST 1e-2

/*
 * Parts of their sizes by which bodies may be lifted so in a run, whatever changes hands: what
 * starts a micrometre above a floor has hardly any energy in play. Ten times larger: what is lifted
 * can be seen; ten times smaller: boxes that start a hair above a floor end runs.
 */
#define SS_RAISED_LEAST 1e-4

/*
 * Part of the bound of a step's error by which it may be missed: closing joints turns bodies, and
 * with them their inertia, by that much within a step. Ten times larger: still far below what a
 * wrong velocity does; ten times smaller: ragdolls are cut for nothing.
 */
#define SS_SCHEME_SLACK 1e-3

/*
 * Velocities of joints, over the largest terms that cancel in them: held when a step began, and not
 * held when it ended. Between the two a linkage is only near a change point. The first ten times
 * larger: what contradicts the joints a little at the start of a run counts as a fault of its
 * steps; the second: another branch may be taken.
 */
#define SS_JOINTS_HELD 1e-3
#define SS_JOINTS_LEFT 1e-2

/*
 * The least pivot of held rows in the middle of a step over that at its start, below which a change
 * point may be within it: there the pivot is the square of the distance from it, and what has come
 * to that point in a step has half of the distance left in its middle (1/4). Smaller: ends on the
 * other branch are not looked for; larger: steps that end well before it are judged too.
 */
#define SS_PIVOT_FALLS 0.36

/*
 * What velocities of such a step may change by along the rows that lose rank, and what closing
 * joints may take out of those of any smooth step, over their size in the metric of the masses.
 * Along a branch both fall with the step, the second with its square; between two branches they are
 * their angle. Larger: branches that cross at less are mistaken for each other; ten times smaller:
 * steps in which links turn by a tenth of a radian are cut.
 */
#define SS_BRANCH_TURN  0.2
#define SS_BRANCH_TAKEN 0.05

/*
 * Steps pass a change point from one side to the other in parts that are no longer than this, in
 * angles: lengths that are off by more than its square keep the branches apart, and a linkage that
 * comes along one leaves along the other. Ten times larger: lengths off by 1e-6 count as ideal; ten
 * times smaller: parts come to where rows are known to 1e-6 only. The second: a point is passed by
 * more than this; rounding is less. The third: least pivots above, squares of the distance from the
 * point, are out of reach of any step.
 */
#define SS_POINT_NEAR     1e-4
#define SS_POINT_ROUNDING 1e-7
#define SS_POINT_REACH    0.25

/*
 * A linkage that is at a change point at less than this part of the speed that it has after the
 * step begins to move there, and may be led off its branch by the second
 * part of it. Ten times larger:
 * what passes slowly, or by forces that a scene tells with two digits, ends a run; ten times
 * smaller: rounding of forces does.
 */
#define SS_FORK_SLOW   1e-3
#define SS_FORK_ACROSS 1e-2

/* Rounding of the terms that energies are added up from, as a part of SS_ENERGY_SLACK of them:
   hundreds of DBL_EPSILON. Ten times larger or smaller would do no harm. */
#define SS_TERMS_ROUNDING 1e-4

/* What a step may use up of what is left of that, beyond its own share. At 1 the first bad step
   would leave nothing for the next; ten times smaller: impacts are cut once or twice more. */
#define SS_GAIN_OF_REST 0.25

/*
 * Overlap, as a part of the smaller body, that a step may leave without being cut, however fast
 * the bodies turn. Half of the hundredth that a scene may start with, so that two steps in a row do
 * not exceed it. Ten times larger: parts visibly sink into each other; ten times smaller:
 * small parts that tumble are cut at every step.
 */
#define SS_OVERLAP_MOST 5e-3

/*
 * The same as a part of half the least width of the thinner of two shapes, whichever is less: what
 * is as deep as that is in the middle of a plate, and with the depth of a passage it must stay
 * below. Ten times larger: what is in a plate leaves it on the other side; ten times smaller:
 * parts as thick as a fifth of their length are cut where they tumble.
 */
#define SS_OVERLAP_THIN 0.5

/*
 * Overlap that is never a reason to cut: what distances of curved shapes are known to, and what the
 * next steps corrected unseen. Part of the smaller body.
 */
#define SS_OVERLAP_NONE 1e-4

/* Change of an overlap, as a part of the smaller body, that is none: rounding of distances. */
#define SS_OVERLAP_SAME 1e-7

/*
 * geometry: implicit: gap at the end of the step, as a part of the smaller body, that is none.
 * Problems are solved to 1e-9 and nearest points of curved shapes are found to about that. Ten
 * times larger: still invisible; ten times smaller: superellipsoids fail by rounding.
 */
#define SS_END_GAP 1e-8

/*
 * Angular momentum that nothing explains, as a part of all that changes it. Rounds in the middle of
 * a step end when velocities change by 1e-8 of them. Ten times larger: a body that tumbles may lose
 * a thousandth of its spin in a thousand steps; ten times smaller: what rounds leave.
 */
#define SS_MOMENTUM_OFF 1e-7

/*
 * Angular momentum of bodies that nothing outside acts on that a run may lose or gain, as a part of
 * what changed hands and was there. Ten times larger: what tumbles in space visibly turns slower;
 * ten times smaller: links that turn by a tenth of a radian a step are cut, whose springs and
 * joints keep energy instead.
 */
#define SS_TURN_MOST 1e-3

/*
 * Work by which a contact may miss its law, as a part of the largest impulse of its island times
 * the largest speed in play there; and a velocity, as a part of that speed, that is none. Problems
 * are solved to 1e-9 of their own scales, and rounds in the middle of a step end at 1e-8. Ten
 * times larger: still far below a contact that slides while it is told to stick; ten times
 * smaller: what rounds leave.
 */
#define SS_LAW_OFF 1e-6

/* An impulse, as a part of the momentum of the lighter of two bodies, that is none: what impulses
   are solved to. */
#define SS_LAW_NONE 1e-9

/*
 * Sliding that friction does not see, over the rate at which gaps of loaded contacts close: twice
 * what a step takes for what levers make of it (formulate/tolerances.h). Ten times larger: a
 * contact could slide by a hundred times the gaps of its neighbours.
 */
#define SS_SLIDE_REACH 20

/* The same two for the openings of joints, as parts of the smaller of the two bodies. */
#define SS_OPENING_MOST 5e-3
#define SS_OPENING_NONE 1e-4

/* Arm of a joint, over the size of the scene's smallest part, that is rounding: the joint is at the
   centre of mass. Ten times larger: still nothing that a scene says. */
#define SS_ARM_ROUNDING 1e-9

/*
 * Overlap, as a part of the smaller body, that a step of a model without momentum may leave beyond
 * the one it began with: the next step takes all of it out, as printed, so that it may be what a
 * scene may start with. Damped parts with sides that are nearly flat rock on them by 1.5 % at a
 * coarse step, for ever. Five times larger: they do; ten times smaller: what slides over corners is
 * cut at every step.
 */
#define SS_OVERLAP_PRINTED 1e-2

/*
 * Opening of a joint, as a part of the smaller body, that a step of a model without momentum may
 * leave beyond the one it began with. Such steps correct it in the next one, as printed; what is
 * more has left the reach of rows that are linear in the step: a ladder that slipped lay on the
 * floor after one step, a metre off its hinge. Ten times larger: such steps pass; ten times
 * smaller: steps in which links turn by 0.1 rad are cut.
 */
#define SS_LEFT_REACH 0.05

/*
 * Models without inertia: how far a body may go in a step, over what is driven, over its way in the
 * last step, and of the smallest parts of a step over the root of what is driven times its size,
 * where levers turn over. Larger: bodies that fall by as much pass; smaller: levers are cut at each
 * step, or the motion of one that turns over (sqrt(2) of that root) ends a run.
 */
#define SS_REACH_DRIVEN  3
#define SS_REACH_GOES_ON 3
#define SS_REACH_TURNS   2

/*
 * A gap, as a part of the smaller body, over which a body settles when a run begins, and what a
 * body may go by rounding. Ten times larger: a box that stands on an edge, tilted by a hundredth,
 * lies down in a step; ten times smaller: positions that a scene tells with four digits do not do.
 */
#define SS_REACH_SETTLES  1e-3
#define SS_REACH_ROUNDING 1e-7

#endif
