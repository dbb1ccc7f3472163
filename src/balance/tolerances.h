/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as nothing where rest is looked for (rest.c). No units. */
#ifndef SS_BALANCE_TOLERANCES_H
#define SS_BALANCE_TOLERANCES_H

/*
 * Bodies slower than this part of what the load alone would make them in the step are at rest: the
 * certificate leaves about as much. Ten times larger: what creeps for 1e8 steps is stopped.
 */
static const double ss_rest_speed = 1e-8;

/*
 * A solution that moves by less than this part is rest itself. Ten times larger: creeping that
 * rounding makes is looked at less often.
 */
static const double ss_rest_moves = 1e-7;

/*
 * .. and by less than this is rounding of impulses, and bodies that rest is taken for stand: what
 * is left would grow, as everything does in a pile that balances upright. Ten times larger:
 * momentum is missed by more.
 */
static const double ss_rest_rounding = 1e-12;

/*
 * Forces balance, and a contact bears nothing, to this part of the load. The certificate (1e-9) has
 * the last word: ten times larger costs a residual more.
 */
static const double ss_rest_balance = 1e-10;

/*
 * Weight of the sum of impulses beside the balance, where the least is looked for: what it chooses
 * is then balanced without it. Ten times larger: it may choose too little, and all is taken.
 */
static const double ss_rest_frugal = 1e-3;

/*
 * Distance of the convex hull from the origin, its vectors being of length 1, above which the load
 * presses the contacts. Ten times larger: wedges of less than 1e-5 rad count as parallel walls.
 */
static const double ss_rest_pressed = 1e-6;

/*
 * The motion that rest is weighed against (rival.c): what contacts give, as a part of what their
 * impulses do to themselves; below which part of the fall a velocity is none, and of the largest an
 * impulse; and how heavy bounds of friction are beside what friction does. Ten times larger: what
 * bears moves as if it did not; wedges of less than 1e-5 rad count as parallel walls; rounding of
 * bounds hides what contacts give.
 */
#define SS_RIVAL_GIVES 1e-9
#define SS_RIVAL_STILL 1e-6
#define SS_RIVAL_BOUND 30

/*
 * Rows that hold a joint, of which less than this part of their length, measured by the masses, is
 * outside the span of those before them, depend on them. Ten times larger: mechanisms within 1e-9
 * of a dead centre count as in it.
 */
#define SS_ALLOWED_DEPENDENT 1e-10

/* Forces of balances: rounds leave rounding of their own terms, and know forces to a part of the
   largest of all rounds. Impulses below are zero. Ten times larger: true small forces are dropped
   (the certificate then refuses). */
#define SS_ROUND_ROUNDING 1e-13
#define SS_ROUND_KNOWS    1e-12

/* Velocities that are rounding of rounding of the fastest (polish.c): the square of what doubles
   resolve. Ten times larger or smaller would do no harm. */
#define SS_POLISH_REMAINS (1e-9 * DBL_EPSILON)

/* Stress without effect is dropped at the first of these parts of the load where the balance then
   holds, if need be at the second: a solver leaves about 1e-9. */
#define SS_STRESS_LEAST 1e-13
#define SS_STRESS_MOST  1e-8

/* Margins within which a motion counts as one that the contacts allow (motion.h names the members):
   wide, so that no motion is overlooked, and narrow, so that none is invented. Ten times larger:
   fewer verdicts `unknown` that are right, or more that are wrong. */
#define SS_MOTION_WIDE                                                                             \
    {                                                                                              \
        1e-6, 1e-6, 1e-10, 1e-6                                                                    \
    }
#define SS_MOTION_NARROW                                                                           \
    {                                                                                              \
        1e-10, 1e-10, 1e-7, 1e-10                                                                  \
    }

/*
 * What a contact that moves by rolling changes of a force, over the force and the angle, that is
 * rounding: what rolls is round about its centre. Ten times larger: an oval of axes that differ by
 * 1e-5 may roll by a step; ten times smaller: places of contact are not known to more.
 */
#define SS_ROLLS_ROUND 1e-5

/* What of a least-squares problem is left where there is no direction, by the wide and the narrow
 * margin. */
#define SS_MOTION_LEFT_WIDE   1e-12
#define SS_MOTION_LEFT_NARROW 1e-8

/* Rows that have less than this along the free motions do not bound them; rows whose parts cancel
   below the second have no effect. */
#define SS_MOTION_ALONG  1e-10
#define SS_MOTION_EFFECT 1e-12

/* rebalance.c: rows of unit length that lie nearer to those before them say nothing new. Ten times
   larger: a change that is not the least. */
#define SS_REBALANCE_DEPENDENT 1e-10

#endif
