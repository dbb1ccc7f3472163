/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerances of solver/: all of them relative, none of them decides what counts as solved. */
#ifndef SS_SOLVER_TOLERANCES_H
#define SS_SOLVER_TOLERANCES_H

/*
 * A mass block with a smaller reciprocal condition number is singular to working precision: its
 * inverse has no right digit. Ten times larger: bodies with inertias 1e14 apart would be refused.
 */
#define SS_SINGULAR_MASS 1e-15

/*
 * The least proximal weight of `ac`, relative to the diagonal of W: what keeps a Newton step
 * regular. In velocities of bodies its inverse is added to masses, which may differ by 1e6; ten
 * times smaller, those factors lose their digits. Larger: the last steps converge more slowly.
 */
#define SS_AC_LEAST_ALPHA        1e-13
#define SS_AC_LEAST_ALPHA_BODIES 1e-9

/* The largest: beyond it a proximal step moves nothing. Ten times larger: more steps for nothing.
 */
#define SS_AC_MOST_ALPHA 100

/*
 * An inner iteration of `ac` has done enough when |F| has fallen by this factor, and is hopeless
 * when it has grown by that one. Ten times smaller: steps are spent on a problem that moves on.
 */
#define SS_AC_ENOUGH   0.1
#define SS_AC_HOPELESS 1e6

/* Residuals below this are near an answer: its last digits are looked for with sums in twice the
   precision (cone_polish.c), with this on the diagonal of scaled steps. Ten times larger: more
   attempts in vain; slower convergence. */
#define SS_POLISH_NEAR  1e-6
#define SS_POLISH_ALPHA 1e-12

/* Penalties of `admm`, relative to the diagonal of W, stay within 1 / this and this: further off
   one of its two errors stands still. Ten times larger: adaptation overshoots more. */
#define SS_ADMM_MOST_PENALTY 1e8

/* Residuals below this that do not fall count as idle steps of interior points: rounding, then. Ten
   times larger: steps that still converge could be counted. */
#define SS_IPM_ROUNDING 1e-7

/* Entries of a game's systems, which are scaled to 1, below this are zeros. Ten times larger:
   pivots of 1e-11 would be passed over. */
#define SS_GAME_ZERO 1e-12

/* The relative slope at which a root between neighbouring numbers is one. Ten times larger: a jump
   of 1e-5 would pass for a root. */
#define SS_BLOCK_ROOT 1e-6

/* What is added to the diagonal of a block of W, relative to its largest, where it is singular. Ten
   times larger: the block's answer is off by 1e-9, which the next sweep corrects. */
#define SS_BLOCK_SHIFT 1e-10

/* What users may choose: the first proximal weight of `ac`, relative to W's diagonal, with its
   bounds. Ten times larger: more steps, each safer. */
#define SS_AC_ALPHA       1e-2
#define SS_AC_ALPHA_LEAST 1e-12
#define SS_AC_ALPHA_MOST  100

/* The same of `admm`: its first penalty. Ten times larger or smaller: it adapts within some steps.
 */
#define SS_ADMM_RHO       0.1
#define SS_ADMM_RHO_LEAST 1e-8
#define SS_ADMM_RHO_MOST  1e8

/* cone_small: an error that is as good as none; what is left is rounding in nearly redundant rows.
   Ten times larger: answers at 5e-12, above the target of the step. */
#define SS_SMALL_CLOSE 5e-13

/* cone_small: a guess is nearly right where the change of r is this part of it, and what its
   rounding leaves smaller. Ten times larger: the short path is tried in vain more often. */
#define SS_SMALL_NEAR 1e-2

/* cone_small: the term on the diagonal of a step, beside a W_bb of 1. Ten times larger: one step
   more; smaller: steps of redundant contacts lose digits. */
#define SS_SMALL_ALPHA 1e-8

/* cone_small: a block at its friction limit that slides slower than this, in units of its reaction,
   does not slide. Ten times larger: true slow slip is made to stick first. */
#define SS_SMALL_STILL 1e-6

/* auto: reactions with less effect than a part of the largest may be rounding of a linear solve:
   from its last digits to those that a badly conditioned one loses. They are left out only where
   the certificate holds without them, so that more would be tried in vain, not wrong. */
#define SS_SHAKEN_PARTS                                                                            \
    {                                                                                              \
        1e-13, 1e-11, 1e-9                                                                         \
    }

/*
 * cone_set, in parts of the largest reaction or free velocity of the problem. A contact whose
 * velocity is below TOUCHES is closed, whether or not it bears, and friction that slides slower
 * sticks. Ten times larger: gaps of 1e-10 of what closes count as none; smaller: rounding of gaps
 * decides which corners bear. NONE: reactions and velocities that are none. EQUAL: blocks that miss
 * their law as much as the worst one.
 */
#define SS_SHARE_TOUCHES 1e-11
#define SS_SHARE_NONE    1e-13
#define SS_SHARE_EQUAL   (1 - 1e-6)

/* .. friction of a guess at this part of its limit slid. Nearer to 1: what slid through rounding is
   left to others first; less: what stuck is tried. */
#define SS_SHARE_SLIDES (1 - 1e-9)

/* .. pivots of W_EE, whose diagonal is 1: rows with smaller ones depend on others. Ten times
   larger: rows that are nearly dependent lose their own equation; smaller: they are none but
   rounding. */
#define SS_SHARE_RANK 1e-12

/* .. Newton steps end below STEP: the next would be rounding, as are those that do not shrink
   where equations are missed by less; beyond AWAY they lead elsewhere. */
#define SS_SHARE_STEP 1e-14
#define SS_SHARE_AWAY 1e3

/* .. what creeps more than this times what it would give slides, or nothing tells how far. */
#define SS_SHARE_CREEP 1e6

/* .. steps of a descent end below this: the next would be its square, or its rounding beside e. */
#define SS_SHARE_PATH 1e-9

/* cone_path: the first and the last e, and its parts. What slips by less than CREEPS of what it
   did in the part before goes with e. */
#define SS_PATH_BEGIN  1.0
#define SS_PATH_END    0.9e-6
#define SS_PATH_LAST   0.9e-12
#define SS_PATH_OWN    1e-11
#define SS_PATH_PART   0.1
#define SS_PATH_CREEPS 0.3

/* .. l'W of rows that others make, beside a diagonal of 1, that is more than rounding; and steps
   that are as long as another one. */
#define SS_PATH_CROSS 1e-13
#define SS_PATH_SAME  1e-6

/* .. past where it ends: a goes by EASES after each answer, does nothing below FREE of e, and is
   too much above STIFF, where loads hardly move. Below NEAR modes are those of the end. */
#define SS_PATH_EASES 0.25
#define SS_PATH_FREE  0.1
#define SS_PATH_STIFF 1e3
#define SS_PATH_NEAR  1e-9

/* auto: below this error a small path needs no second opinion. Ten times larger: fewer second
 * looks. */
#define SS_NO_SECOND_LOOK 1e-14

/* auto: first proximal weights of Newton's method after Lemke's (near the answer) and in its quick
   attempt (nearer). Ten times larger: a few steps more. */
#define SS_AC_ALPHA_NEAR  1e-4
#define SS_AC_ALPHA_QUICK 1e-6

/* Below this, relative to its row and column, an entry of a dictionary is a zero spoilt by
   rounding. Ten times larger: pivots of 1e-10 are passed over, and rays reported that are none. */
#define SS_PIVOT_ZERO 1e-11

/* pivot: elimination in order, of few unknowns, goes on while this is left of a diagonal entry. A
   hundred times smaller: more sets are solved for that rounding spoils, and pivoted all the same;
   larger: contacts that nearly share a load are pivoted. */
#define SS_FIRST_SET_PIVOT 1e-6

/* enumerate: entries of b and of the tableau below the first, relative, are zeros; b below minus
   the second is certainly negative. Between them both cases are followed. Ten times larger: more
   branches, or solutions that are none (which their residual tells). */
#define SS_ENUMERATE_ZERO 1e-11
#define SS_ENUMERATE_SURE 1e-8

/* enumerate: an entry that changes of M in its last digits alter by less than this part, and of
   which refinement leaves nothing, is zero by the problem's structure. Ten times larger: zeros that
   hang on such changes are taken for certain. */
#define SS_ENUMERATE_REFINED 1e-6

/* enumerate: a point is in a piece that it misses by less, relative. Ten times larger: two pieces
   that nearly meet are taken for one. */
#define SS_ENUMERATE_INSIDE 1e-9

/* ipm: how far inside the cones the first point lies, in parts of a typical reaction, and how much
   further the next ones, where that path did not come to an end. Ten times larger: more steps;
   smaller: short steps along the boundary. */
#define SS_IPM_INSIDE  0.1
#define SS_IPM_FURTHER 5

/* ipm: the least share of the barrier that a step keeps. Ten times larger: linear convergence at
 * the end. */
#define SS_IPM_LEAST_CENTRING 1e-3

/* lemke: what is added to the diagonal (scaled) in turn, while rounding spoils the result. */
#define SS_LEMKE_PROXIMAL                                                                          \
    {                                                                                              \
        0, 1e-10, 1e-8, 1e-6, 1e-4                                                                 \
    }

/* lemke, pivot: relative violations above this are not rounding: the basis is not the one it was
   taken for. Ten times larger: answers at 1e-12; smaller: bases are computed anew for nothing. */
#define SS_BASIS_LOST 1e-13

/* lemke: entries of the inverse that differ by less, relative, are equal for the lexicographic
   order. Ten times larger: ties that are none, broken by the index. */
#define SS_LEXICOGRAPHIC_NOISE 1e-12

/* lemke: columns with entries above 1 lose digits: their pivots have to be larger by this part of
   the largest. Ten times larger: true pivots of long columns are passed over. */
#define SS_LONG_COLUMN 1e-3

/* lemke: y proves that there is no solution where q'y is below minus the first and M'y below the
   second, both relative to their terms. Ten times larger: fewer proofs, or proofs off by rounding.
 */
#define SS_PROOF_NEGATIVE 1e-9
#define SS_PROOF_ROUNDING 1e-13

/* farkas: numbers this near to whole ones are taken for them: the exact check says whether rightly.
   Ten times larger: more candidates in vain. */
#define SS_WHOLE_NUMBER 1e-6

/* farkas: by how much columns are tilted, in balanced rows, so that inequalities hold with
   something to spare. Ten times larger: problems that are infeasible by less are left open. */
#define SS_PROOF_TILT 1e-6

/* farkas: products beyond these cannot be split into two doubles without loss. */
#define SS_EXACT_MOST  1e290
#define SS_EXACT_LEAST 1e-270

/*
 * auto: terms that are this many times the data of their row are doubted (doubt.c). Ten times
 * larger: contradictions of 1e-6 of other data are hidden; ten times smaller: piles of bodies with
 * mass ratios of 1e5 are looked at twice. And the part of the data of its own rows, and of all
 * where they are rounded, that a contradiction must be: velocities are known to 1e-15 of each
 * other. Ten times larger: contradictions of 1e-11 are left; smaller: those of contacts that depend
 * on each other begin to count.
 */
#define SS_DOUBTFUL     1e6
#define SS_PROOF_WEIGHS 1e-12

/* A row that is missed by less than so many units in the last place of its terms is right: doubles
   have nothing better. Ten times larger: contradictions of 1e-14 of the terms of their own rows go
   unseen; smaller: right answers are called inaccurate. */
#define SS_ROW_RIGHT 16

/* Rows of lcps and mlcps with rounded data below this part of others are not asked about: what is
   left of contacts that cancel is 1e-16 of velocities, and more where several do. Ten times larger:
   contradictions of 1e-11 go unseen in steps; smaller: rounding begins to count. */
#define SS_ROW_SEEN 1e-12

/* A refined answer is right where its rows miss by less than this part of their own data, a
   hundredth of a thousandth of what is doubted. Ten times larger: nothing changes for refinement
   that converges. */
#define SS_CONFIRMED 1e-11

/* The same of contacts whose data are not rounded: what twice the precision makes of answers with
   terms of 1e16 of their data. Ten times larger: contradictions of 1e-13 go unseen; a thousand
   times smaller: reactions of 1e18 are confirmed by rounding only. */
#define SS_CONFIRMED_GIVEN 1e-14

/* confirm_cone: what is on the diagonal of scaled steps, in turn. Ten times larger: slower
   convergence; ten times smaller: rows that are nearly dependent move reactions by their rounding.
   */
#define SS_CONFIRM_ALPHA                                                                           \
    {                                                                                              \
        1e-12, 1e-8                                                                                \
    }

/* Products that it may take to refine an answer, if it did not take more to find it: a thousand
   unknowns without zeros ten times. Ten times larger: seconds where nothing converges; smaller:
   contradictions in large problems go unseen. */
#define SS_REFINED_MOST 3e9

/* Products that it may take at least to bring such an answer nearer, before it is refined again: a
   millisecond. Ten times larger: that for each small problem without a solution; smaller: Newton's
   method of small problems that are hard is cut. */
#define SS_NEARER_LEAST 1e6

/* An answer that could miss its data by this times what it may is looked at again: residuals are
   bounds. Ten times larger: contradictions of 1e-8 of other data are hidden. */
#define SS_LOST 10

/* Terms of contacts that outgrow the data of all that hang together more often than this explain no
   more of what is missed. Ten times larger: contradictions of 1e-11 of other data are hidden;
   smaller: right answers with small data beside large are refined for nothing. */
#define SS_EXPLAINED 1e3

/* What rounding of W may leave of contacts that depend on each other, as a part of their data. Ten
   times larger: contradictions of 1e-6 are hidden by reactions of 1e10; ten times smaller: stacks
   with mass ratios of 1e8 are called inaccurate in their local form. */
#define SS_DEPENDS 1e-7

/* Rounded data of contacts below this part of others are not asked about. Ten times larger:
   contradictions of 1e-9 go unseen; smaller: velocities that are rounding count. */
#define SS_DATA_SEEN 1e-10

/* lemke: products after which no further covering vector is tried: thirty paths of 30 unknowns,
   one of 200. Ten times larger: problems without a solution take ten times as long, for one in
   a hundred of those that have one. */
#define SS_COVERS_WORK 3e6

/* lemke: violations up to this are worth handing on: the certificate says how good they are. */
#define SS_LEMKE_WORTH 1e-6

/* working: contacts that close at this part of the fastest speed are taken in together. 1: one a
   round, more rounds; 0: all of them, larger problems. */
#define SS_WORKING_SHARE 0.1

/* working: directions of friction that are missed by this part of the worst of their contact are
   taken in together. 1: one a round, more rounds; smaller: larger problems. */
#define SS_WORKING_DIRECTIONS 0.9

/* newton: the plans that are tried in turn have these first terms, relative to the scaled matrix.
 */
#define SS_NEWTON_SMALL 1e-4
#define SS_NEWTON_LARGE 1e-2

/* Answers this part of the tolerance off need no further step, and a guess that is as good is the
   answer. Ten times larger: answers nearer to the tolerance. */
#define SS_WELL_BELOW 1e-3

/* newton: residuals below the first are rounding; the first term that is added where the matrix is
   singular; the shortest step of a search; the share of the slope that a step has to win (Armijo);
   the cosine below which a direction does not go down. */
#define SS_NEWTON_ROUNDING 1e-15
#define SS_NEWTON_SHIFT    1e-12
#define SS_NEWTON_SHORTEST 1e-11
#define SS_ARMIJO          1e-4
#define SS_NEWTON_DESCENT  1e-12

/* The default tolerance of every solver: a hundredth of what a step's certificate asks for, and
   well above rounding. Ten times larger: the certificate still holds, with less to spare. */
#define SS_DEFAULT_TOLERANCE 1e-10

/* Products after which the clock is looked at, whatever the method: some hundredths of a second.
   Ten times larger: limits are overrun by that; smaller: more looks for nothing. */
#define SS_LOOK_AFTER 2e7

/* velocity: errors that are all rounding, and that another start would not make better. Ten times
   larger: answers that much worse; smaller: steps in vain. */
#define SS_VELOCITY_EXACT 1e-14
#define SS_VELOCITY_NEAR  1e-11

/* velocity: the term of rows that stick, in units of velocity over reaction. Ten times larger: more
   steps; smaller: redundant rows lose digits. */
#define SS_VELOCITY_TINY 1e-8

/* velocity: pivots below this are zeros: nothing determines that velocity. */
#define SS_VELOCITY_PIVOT 1e-12

/* velocity: errors above this are far off: steps that win little still count. And how far the
   smoothed problem is solved before the next. */
#define SS_VELOCITY_FAR 1e-6

/* A contact whose friction part has a smaller determinant than this part of the product of its
   diagonal is not put into a pack: the inverse would have no digit in float. */
#define SS_PACK_ROUND 1e-4

/*
 * A sweep that changes no contact's velocity by more than this times the motion error that is asked
 * for is worth a certificate. Ten times larger: several certificates a solve, each as long as some
 * sweeps; ten times smaller: sweeps that were not needed.
 */
#define SS_PILE_PROMISING 2

/*
 * What sweeps find to be missed, as a part of what may be, for which the certificate is computed.
 * They know it to a tenth of that (SS_PILE_FLOAT_SHARE), mostly far better. Larger: certificates
 * that fail, each as long as some sweeps; half of it: sweeps that were not needed.
 */
#define SS_PILE_MISSED 0.95

/*
 * Long solves are looked at every few sweeps while none changes a contact's velocity by more than
 * this times what is asked for: changes and what is missed go apart by about so much. Ten times
 * larger: looks, each half a sweep, that find nothing.
 */
#define SS_PILE_HOPEFUL 8

/*
 * Packs of a pile compute in float. What rounding may hide of a velocity, as a part of its terms:
 * eight times 2^-24. Ten times smaller: sweeps that do not end, and begin again in double; larger:
 * more piles are swept in double, at three times the cost.
 */
#define SS_PILE_FLOAT_ROUNDING 5e-7

/* What rounding hides may be this part of what may be missed. */
#define SS_PILE_FLOAT_SHARE 0.1

/* Friction of a lane that slips is on its limit to this part; float has no better. */
#define SS_PACK_ON_LIMIT 1e-6F

/* Friction beyond this part of the square of its limit slides: rounding of the limit aside. It only
   decides whether momentum goes on. */
#define SS_PILE_AT_LIMIT (1 - 1e-12)

/* Momentum of a contact: at most this part of its last change is added. Larger: contacts overshoot
   and start again; 0: plain sweeps, which take two to three times as many. */
#define SS_PILE_MOMENTUM 0.8

/*
 * Residual of a guess that an exact answer to nearly the same problem left; what sweeps leave is
 * 1e-5 and more. Ten times larger: Newton's method is tried after sweeps, mostly in vain.
 */
#define SS_PILE_NEAR 1e-6

/*
 * .. and what of the tolerance is asked for where bodies stand, so that rounding of the next step
 * does not exceed it. Ten times larger: that step is solved anew; ten times smaller: below what
 * doubles resolve in towers.
 */
#define SS_PILE_HELD 0.01

/*
 * Products that a step of a method is as long as besides those of its matrix, and that a block of a
 * sweep is: calls, copies, roots and comparisons. In problems of a few rows they are nearly all
 * there is. Ten times smaller: a hundred thousand sweeps over three rows, which take some 30 ms,
 * count as one; ten times larger: steps of piles reach the work that they may take.
 */
#define SS_WORK_CALL  100
#define SS_WORK_BLOCK 30

#endif
