/* SPDX-License-Identifier: Apache-2.0 */
/*
 * integrator: midpoint. Second order where nothing happens.
 *
 * With v, v' the velocities at the start and the end of the step and q -> q1 the motion by their
 * mean, the step solves (docs/theory/integrator.md has the derivation)
 *
 *   M (v' - v) = h F + J~'p,        x1 = x + h (v + v')/2,    R1 = exp(h (w + w')/2) R
 *
 * with forces F and directions J~ of the middle. What joints hold at zero obeys
 *
 *   phi(q1) - phi(q) = 0            where  phi(q1) - phi(q) = h J~ (v + v')/2  holds exactly,
 *
 * so that their impulses do no work: (v + v')'J~'p = 0 at every step size. Limits obey the same in
 * one direction, 0 <= p _|_ phi(q1) >= 0 (limits.c). Contacts and dry friction obey their laws at
 * the end of the step, with what turns between its start and its middle taken to second order,
 *
 *   u = J~ v' + (J~ - J) v,         0 <= p _|_ u + psi/h >= 0 ..
 *
 * and where a contact slides all the time, friction opposes its mean slip J~ (v + v')/2. What is
 * driven counts like a body with known velocities at both ends (driven.c).
 *
 * Bodies in whose island something happens (an impact, a driven body whose velocity jumps, a
 * corner, sliding that ends: a mean slip of zero holds for v' = -v too, in every further step) take
 * the first-order step instead: J at the start, x1 = x + h v'.
 *
 * A step begins with a round at its start, which tells the two kinds apart. Where nothing that
 * matters turns, that round is the step. Otherwise rounds in the middle follow; with joints or
 * springs until the velocities agree: Newton's method with the matrix
 *
 *   A = M + (h/4) K,   K = sum over joints of max(0, r.p) (1 - e e'),  e = r/|r|,
 *
 * the stiffness that a loaded joint has because its arm r turns with the body (of joints that pull;
 * those that push would make A smaller, and the rounds converge without them).
 */
#ifndef SS_MIDPOINT_MIDPOINT_H
#define SS_MIDPOINT_MIDPOINT_H

#include "joint/joint.h"
#include "model/data.h"

/* Rows as they were at the start of the step (pass 0), for the passes in the middle. */
ss_status ss_note_starts(const ss_model *m, ss_data *d, double h);
/* Rows of a pass in the middle: laws as above. Contacts keep the gap of the start of the step. */
ss_status ss_middle_rows(const ss_model *m, ss_data *d, double h);
/* A and v_free of a pass in the middle, from the velocities of the pass before. */
void ss_middle_velocities(const ss_model *m, ss_data *d, double h);
/*
 * The angular velocities that the impulses of a pass make of bodies whose inertia turns with them,
 * exactly: A is symmetric and therefore not quite the derivative of their momentum. Laws are then
 * off by what this changes, d->midpoint.unbalanced; passes go on until that is small.
 */
ss_status ss_balance_turns(const ss_model *m, ss_data *d, double h);
/* The block as it was at the start of the step; NULL: it was not there. The cursor helps where
   blocks keep their order. */
ss_row_start *ss_block_start(const ss_data *d, const ss_row_block *b, int32_t *cursor);
ss_row_start *ss_start_of(const ss_data *d, uint64_t key, int32_t *cursor);
/* What driven surfaces make of a row when the step begins, where that is known. */
static inline double ss_drift_at_start(const ss_data *d, const ss_row_block *b,
                                       const ss_row_start *start, int32_t k)
{
    bool known = start->placed || b->source == SS_ROWS_CONTACT;
    return known ? start->drift[k] : d->rows.drift[b->row + k];
}
/* When a contact ends because what bears a load slides past an edge, from the start of the step;
   0: none does (late_ends.c). */
double ss_find_end(const ss_model *m, ss_data *d, double h);
/* More bodies than are asked for what happens to them within a step. */
bool ss_is_crowd(const ss_model *m);
/* Contacts of this pass that go on under another name have the start of those that they succeed. */
void ss_find_successors(const ss_model *m, ss_data *d);
/* A row of a limit. */
bool             ss_is_limit(const ss_row_block *b);
const ss_scalar *ss_limited_scalar(const ss_model *m, const ss_row_block *b);
/* The row of its gap, from that of its scalar; the same with bodies somewhere; value: the gap. */
ss_scalar_row ss_limit_row(const ss_model *m, const ss_row_block *b, const ss_scalar_row *s);
ss_scalar_row ss_limit_at(const ss_model *m, const ss_data *d, const ss_row_block *b,
                          const ss_pose *poses);
/* By how much its rate changes over the step because its direction turns. */
double ss_limit_turns(const ss_model *m, const ss_data *d, const ss_row_block *b);
/* Its rate when the step begins, driven bodies with the velocities that they have then; and what
   these change of it from the last step to this one. */
double ss_limit_opens(const ss_model *m, const ss_data *d, const ss_row_block *b, double *changed);
/* Is it loaded in the middle of a step at whose start it closed too fast for a smooth one? */
bool ss_struck_in_middle(const ss_data *d, const ss_row_block *b, int32_t *cursor);
/*
 * Driven bodies (driven.c). Asks a motion for the velocities at the two ends of the step and after
 * it; false: it cannot be asked. All are forgotten when a step begins.
 */
bool ss_ask_driven(const ss_model *m, ss_data *d, int32_t body, double h);
void ss_forget_driven(const ss_model *m, ss_data *d);
/* Does the velocity of a driven body jump? */
bool ss_driven_jumps(const ss_model *m, ss_data *d, int32_t body, double h);
/* Contacts that driven bodies load, as they were when the step began. */
void ss_driven_starts(const ss_model *m, ss_data *d, double h);
enum { SS_CONTACT_ROWS = 6 };
/* J v and K V of all rows of a contact, with the velocities of the start of the step and the bodies
   where they are then, or where they are at its end, also with what the turn of their inertia
   changes of the velocities (contact_turns.c). */
typedef enum ss_moment { SS_AT_START, SS_AT_END, SS_AT_END_FREE } ss_moment;
void ss_contact_rates(const ss_model *m, const ss_data *d, const ss_contact *c, ss_moment when,
                      ss_row_start *out);
/* What was counted along the axes of the contact with the normal `from`, along those with `to`: the
   least turn that takes the one to the other carries directions along. x: SS_CONTACT_ROWS. */
void ss_carry_axes(const ss_model *m, const ss_contact *c, ss_vec3 from, ss_vec3 to, double *x);
/* By how much the second and the third differ from the first, of a contact that is at most `reach`
   open at the end; 0: it is gone. */
void ss_contact_turns(const ss_model *m, const ss_data *d, const ss_contact *c,
                      const ss_row_start *start, double reach, double *turn, double *free);
/* The arms of a contact at the start of the step; does the point of one run too far from there for
   a step of this length (contact_runs.c)? */
void ss_note_arms(const ss_model *m, const ss_data *d, const ss_contact *c, ss_row_start *start);
bool ss_point_runs(const ss_model *m, int32_t geom);
bool ss_find_runs(const ss_model *m, const ss_data *d, double h);
/* Does a driven body that a step of first order is about go by what it touches too far, in a step
   of this length? */
bool ss_driven_passes(const ss_model *m, const ss_data *d, double h);
/*
 * Joints whose bodies were given velocities that they do not let them have (jerks.c): how fast what
 * one holds would move (m/s) and turn (rad/s); 0: it does not. Are velocities of this time given,
 * and does any joint jerk them? Did the joint of this block take such velocities, or those of a
 * driven body that jumped, out of its bodies in this step?
 */
typedef struct ss_jerk {
    double move, turn;
} ss_jerk;
ss_jerk ss_joint_jerk(const ss_model *m, const ss_data *d, int32_t joint);
bool    ss_velocities_given(const ss_model *m, const ss_data *d);
bool    ss_joints_jerk(const ss_model *m, const ss_data *d);
bool    ss_block_jerked(const ss_data *d, const ss_row_block *b);
/* Does a rope that pulls turn too far for a step of this length (limits.c)? */
bool ss_ropes_turn(const ss_model *m, const ss_data *d, double h);
/* Support points on driven bodies, likewise. */
void ss_driven_supports(const ss_model *m, ss_data *d, double h);
/* Dry friction in joints to driven bodies, likewise. */
void ss_driven_frictions(const ss_model *m, ss_data *d, double h);
/* Its frames in the middle of the step, from its pose there. */
void ss_place_driven_in_middle(const ss_model *m, ss_data *d, int32_t body);

/* What the turn of its inertia changes of the angular velocity of a body in the step; 0: joints or
   drag act on it (first_turns.c). */
ss_vec3 ss_turned_by_inertia(const ss_model *m, const ss_data *d, int32_t i, double h);
/* In a step of first order impulses act before bodies turn: which of them are new; moves them.
   True: the round had what their inertia does. */
bool ss_find_turns_after(const ss_model *m, ss_data *d, double h);
/* Which bodies fly freely but for one impact, by the round at the start (lone_impacts.c)? True:
   there are some. Then their rows, with the impact at its time. */
bool ss_find_lone_impacts(const ss_model *m, ss_data *d, double h);
void ss_lone_impact_rows(const ss_model *m, ss_data *d, double h);
/* What forces make of the rate of a row from such an impact to the end of the step; 0: it is none.
 */
double ss_after_impact(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row,
                       double h);
/* The relative normal velocity that driven bodies bring to a contact: by their way in the step, or
   as they go at such an impact. */
double ss_carried_at_impact(const ss_model *m, const ss_data *d, const ss_row_block *b, double h);
/* Does anything strike, by this pass, at a time that a step of first order would not have it
   (late_impacts.c)? What does is in d->cut.event.late. */
bool ss_find_late_impacts(const ss_model *m, ss_data *d);
/* The same of two bodies that were apart and end the step inside each other, or beyond, because no
   row of theirs saw it: corners turn into each other's way. */
bool ss_ask_pairs_of(const ss_model *m, ss_data *d, int32_t a, int32_t b);
/* Two bodies, and what they touch, take the step by themselves (sim/groups.c), if they may. */
bool ss_set_two_apart(const ss_model *m, ss_data *d, int32_t a, int32_t b);
/*
 * Slip that ends within the step at its time (reversals.c). How fast is it at the start; 0: it does
 * not, by the last pass, or is placed already. `beside`: it ends elsewhere, and contacts without a
 * load, which they may have in the next pass, come along. Then passes that place it, block by
 * block: true, where another is wanted. Then what friction did until that time: its impulses, what
 * they make of the free velocities, and back in the rows.
 */
double    ss_slip_ends(const ss_model *m, const ss_data *d, const ss_row_block *b,
                       const ss_row_start *start, bool beside);
void      ss_ask_reversal(const ss_data *d, const ss_row_block *b, ss_row_start *start);
bool      ss_place_reversal(const ss_model *m, const ss_data *d, const ss_row_block *b,
                            ss_row_start *start);
ss_status ss_reversal_rows(const ss_model *m, ss_data *d);
void      ss_reversal_velocities(const ss_model *m, ss_data *d);
void      ss_reversal_impulses(ss_data *d);
/* Free velocities without that. */
void ss_first_velocities(const ss_model *m, ss_data *d, double h);

/* K of all bodies, from the impulses of their joints. */
void ss_middle_stiffness(const ss_model *m, ss_data *d);

/* The next round is in the middle of the step, as this one's velocities have it. */
void ss_go_to_middle(const ss_model *m, ss_data *d, double h);

/* Who moves smoothly, by the round at the start. Does anything turn that matters for them? */
bool ss_find_smooth(const ss_model *m, ss_data *d, double h);
/* Of a pass in the middle: did something happen after all? Marks the bodies that it happens to. */
bool ss_find_events(const ss_model *m, ss_data *d);
/* Passes do not settle: what driven bodies touch, or all that touches, takes the step of first
   order. */
void ss_push_from_start(const ss_model *m, ss_data *d, bool all);

/*
 * The end of the step: joints are closed in position, bodies moving along M^-1 J', and the
 * velocities that would open them are taken out, likewise. The first does not touch velocities, the
 * second takes kinetic energy and never adds any.
 */
ss_status ss_close_joints(const ss_model *m, ss_data *d);
/* The first alone: moving overlaps apart keeps joints closed in its rows, which are linear. */
ss_status ss_close_joints_again(const ss_model *m, ss_data *d);

#endif
