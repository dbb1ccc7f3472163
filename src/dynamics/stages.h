/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of a step up to the rows; sim/step.c calls them in this order. */
#ifndef SS_DYNAMICS_STAGES_H
#define SS_DYNAMICS_STAGES_H

#include "joint/joint.h"
#include "model/data.h"

/*
 * Geometry is that of a configuration: `at` (nb) has the poses of moving bodies. Collision and rows
 * work on the frames that this leaves, and know of no other place.
 */
ss_status ss_kinematics(const ss_model *m, ss_data *d, const ss_pose *at, double h);

ss_status ss_forces(const ss_model *m, ss_data *d, double h); /* frames -> applied wrenches   */
/* Who sleeps at the start of a step; what is pushed wakes. And waking a body, with all that sleep
   with it (wake.c). */
void      ss_begin_sleep(const ss_model *m, ss_data *d);
void      ss_wake(const ss_model *m, ss_data *d, int32_t body);
ss_status ss_broad(const ss_model *m, ss_data *d, double h);     /* frames -> pairs that may meet */
ss_status ss_collide(const ss_model *m, ss_data *d, double h);   /* pairs -> contacts            */
ss_status ss_make_rows(const ss_model *m, ss_data *d, double h); /* contacts -> J, bias, laws    */

/* Contacts that nearly touch, and whose rows others make, get the gap that these make (faces.c). */
ss_status ss_level_faces(const ss_model *m, ss_data *d, double h);

/*
 * How fast two bodies may approach each other in the step: how far they are looked at from. Beside
 * a body that goes evenly what counts is how fast the other one is against it.
 */
double ss_approach_bound(const ss_model *m, const ss_data *d, int32_t a, int32_t b);
double ss_speed_beside(const ss_model *m, const ss_data *d, int32_t body, int32_t even);

/* Bodies that turned out faster than their bounds (speed_floor): do they close contacts that were
   out of reach? If not, rows of those would have changed nothing. */
ss_status ss_meets_unseen(const ss_model *m, ss_data *d, double h, bool *meets);

/* The impulses of all blocks under their keys into a list with room for them. */
void ss_keep_impulses(const ss_data *d, ss_warm_entry *list, int32_t *count);

/* How fast any point of a body may become in the step by its velocity and the forces on it. */
double ss_speed_by_forces(const ss_model *m, const ss_data *d, int32_t body, double h);

/* Do two shapes collide if they meet? For ss_broadphase_pairs: user is the model. */
int ss_geoms_may_collide(const void *user, int32_t a, int32_t b);
/* The boxes of a body's geoms, grown by `reach`. */
void ss_place_boxes(const ss_model *m, ss_data *d, int32_t body, double reach);

/* All pairs whose boxes, grown by how far the bodies can move, overlap: d->pairs. */
ss_status ss_find_pairs(const ss_model *m, ss_data *d);

/* Pose of a kinematic (or static) body at time t. */
ss_status ss_motion_pose(const ss_model *m, const ss_data *d, int32_t body, double t, ss_pose *out);
/* .. and how fast it is at the time of the state, as its motion has it. */
ss_status ss_driven_velocity(const ss_model *m, const ss_data *d, int32_t body, ss_twist *out);

/* Kinetic energy of a body that moves like this where it is. */
double ss_kinetic_energy(const ss_body *b, const ss_pose *pose, const ss_twist *t);
/* .. and its angular momentum about its centre, in world axes; spin may be NULL. */
double ss_kinetic_energy_and_spin(const ss_body *b, const ss_pose *pose, const ss_twist *t,
                                  ss_vec3 *spin);

/* Its angular momentum about its own centre, in world axes; of what does not turn, none. */
ss_vec3 ss_own_momentum(const ss_model *m, const ss_body *b, const ss_pose *p, ss_vec3 w);

/*
 * Turns a body in space by a correction, which is no motion. In its own axes it goes on turning as
 * before, with the kinetic energy that it had. What has the inertia of a ball has that however it
 * lies: it keeps w, and with it its angular momentum.
 */
void ss_turn_in_place(const ss_body *b, ss_vec3 by, ss_pose *p, ss_twist *t);

/* What forces that do not depend on contacts give a body that is in the plane, has the inertia of a
   ball, or does not turn. */
ss_twist ss_free_acceleration(const ss_model *m, const ss_data *d, int32_t body);

/* The velocity that takes a body from one pose to another in the time h. */
ss_twist ss_mean_twist(const ss_model *m, const ss_pose *from, const ss_pose *to, double h);

static inline ss_twist ss_twist_mixed(double x, const ss_twist *a, double y, const ss_twist *b)
{
    return (ss_twist){ss_add(ss_scale(x, a->v), ss_scale(y, b->v)),
                      ss_add(ss_scale(x, a->w), ss_scale(y, b->w))};
}

/*
 * The velocities of a driven body at the start of the step and at its end: those of the parabola
 * through its poses at t, t + h/2 and t + h. With the means Va, Vb of the two halves
 *
 *   V = (3 Va - Vb)/2,   V' = (3 Vb - Va)/2,    (V + V')/2 = (Va + Vb)/2,
 *
 * off by h^2/12 of the third derivative.
 */
ss_status ss_driven_twists(const ss_model *m, ss_data *d, int32_t body, double h, ss_twist *from,
                           ss_twist *to);

/* Orientation matrix of a pose. */
static inline ss_mat3 ss_pose_matrix(const ss_model *m, const ss_pose *pose)
{
    return m->dimension == 3 ? ss_mat3_from_quat(pose->q) : ss_mat3_from_angle(pose->angle);
}

static inline ss_frame ss_pose_frame(const ss_model *m, const ss_pose *pose)
{
    return (ss_frame){.p = pose->p, .R = ss_pose_matrix(m, pose)};
}

/* Where a joint is when the bodies have these poses. */
ss_joint_place ss_joint_place_of(const ss_model *m, const ss_data *d, const ss_joint *j,
                                 const ss_pose *poses);

/* The rows of all joints, from the given block and row on; and the forces of their springs. */
ss_status ss_joint_rows(const ss_model *m, ss_data *d, double h, int32_t block, int32_t row);
void      ss_joint_springs(const ss_model *m, ss_data *d);

/*
 * How far from its position, now off by `error`, a motor of at most `max` along a coordinate of a
 * joint should be at the end of the step. Zero where it can stop there.
 */
double ss_motor_remainder(const ss_model *m, const ss_data *d, const ss_joint *j,
                          const ss_scalar_row *coordinate, double error, double max, double h);

/*
 * The first time before `until` at which an expression of t may jump or bend, to rounding;
 * infinite: none does. What is as near to the time now as the margin has happened, and what is as
 * near to `until` has not. Does the velocity of a driven body, or what a motor is told, jump so
 * near to now?
 */
double ss_switch_margin(const ss_model *m, const ss_data *d);
double ss_next_switch(const ss_model *m, ss_data *d, double until);
double ss_first_switch(const ss_model *m, const ss_data *d, double from, double to);
bool   ss_speed_jumps(const ss_model *m, ss_data *d);

/* What a motor goes to or at which speed it goes at a time; beyond the window of d, as it would
   have gone on (ss_motion_window). */
ss_status ss_motor_target(const ss_model *m, ss_data *d, const ss_joint_coordinate *x, double t,
                          double *out);

/* The coordinates of all joints where the frames are, into the state. */
void ss_joint_values_now(const ss_model *m, ss_data *d);

/* Largest dry friction of a group of coordinates, under the load that is assumed. */
double ss_joint_friction(const ss_model *m, const ss_data *d, int32_t joint, int32_t group);

/* Impulse that the held rows of a joint exert on body b, at the joint's point on b. */
ss_wrench ss_joint_reaction(const ss_model *m, const ss_data *d, const ss_row_block *b);

/*
 * integrator: midpoint. Of the force of a joint over the step, closing its velocities at the end
 * has a part (midpoint/close_joints.c) that is of first order and not known before: the rounds of
 * the next step take it from this one, so that friction by load is of second order.
 */
void ss_joint_keep_late(const ss_model *m, ss_data *d, double h);

/* Have the friction bounds been made with the reactions that came out? Takes over the latter, or
   where the rounds since ss_joint_loads_begin lead to. */
void ss_joint_loads_begin(const ss_model *m, ss_data *d);
bool ss_joint_loads_settled(const ss_model *m, ss_data *d, double h);

/* The friction rows of all support points, from the given block and row on. */
ss_status ss_support_rows(const ss_model *m, ss_data *d, double h, int32_t block, int32_t row);

/* The axes of a support point's friction in the world: along the first it is mu, along the second
   mu times the point's `across`. */
void ss_support_axes(const ss_model *m, const ss_data *d, int32_t support, ss_vec3 e[2]);

/* The coefficient of a contact's block where friction varies with place (friction_rows.c). */
ss_status ss_place_friction(const ss_model *m, const ss_data *d, const ss_contact *c,
                            const ss_pair_law *law, ss_row_block *b);

/* Velocity of a body's surface at `point` that no velocity coordinate stands for, for what
   touches it there. */
ss_vec3 ss_surface_drift(const ss_model *m, const ss_data *d, int32_t body, int32_t touches,
                         ss_vec3 point, double h);

/*
 * Where a driven body stands for a body that may touch it: at the end of the step (but see above);
 * in the passes of integrator: midpoint, for bodies that move smoothly, in its middle.
 */
static inline bool ss_meets_in_middle(const ss_model *m, const ss_data *d, int32_t driven,
                                      int32_t touches)
{
    return d->midpoint.pass > 0 && m->bodies[driven].type == SS_BODY_KINEMATIC &&
           ss_body_moves(&m->bodies[touches]) && d->midpoint.smooth[touches];
}

/* Was the contact with a driven body found in the middle of the step? Its rows are about the gap of
   the start then (midpoint/middle_rows.c); other contacts have the driven body at the end. */
static inline bool ss_in_middle(const ss_model *m, const ss_data *d, const ss_contact *c)
{
    int32_t a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    return ss_meets_in_middle(m, d, a, b) || ss_meets_in_middle(m, d, b, a);
}

static inline const ss_frame *ss_met_frame(const ss_model *m, const ss_data *d, int32_t body,
                                           int32_t touches)
{
    return ss_meets_in_middle(m, d, body, touches) ? &d->midpoint.frame[body] : &d->frame[body];
}

/* Where a shape stands for one that it may meet. */
const ss_frame *ss_met_geom_frame(const ss_model *m, const ss_data *d, int32_t geom, int32_t other);

/* What springs and dampers add by moving within the step, from the given block and row on. */
void ss_give_rows(const ss_model *m, ss_data *d, double h, int32_t block, int32_t row);

/* Poisson's law: the friction rows of impulses that are returned, one block for each of them. */
int32_t ss_count_rebounds(const ss_data *d, int32_t *rows);
void    ss_rebound_rows(const ss_model *m, ss_data *d, int32_t block, int32_t row);

/* Tangents of a contact: the frame in which its friction is written. */
void ss_contact_frame(const ss_model *m, const ss_contact *c, ss_vec3 *t, ss_vec3 *o);
/* The axis of the world that t lies along; another place of the contact in the same step keeps it.
 */
int32_t ss_friction_axis(const ss_contact *c);
void    ss_keep_friction_axis(ss_contact *c, int32_t axis);
/* midpoint/middle_rows.c: contacts in the middle of a step have the axes that they began it with.
 */
void ss_middle_friction_axes(const ss_model *m, ss_data *d);

/* Identity of a contact, as its block of rows and the state have it. */
uint64_t ss_contact_key(const ss_contact *c);

/* Rate at which kinematic bodies alone open a contact along its normal (they may close it). */
double ss_driven_approach(const ss_model *m, const ss_data *d, const ss_contact *c, double h);
/* Velocity along the normal at which the moving bodies open the contact. */
double ss_opening_rate(const ss_model *m, const ss_data *d, const ss_contact *c,
                       const ss_twist *twist);

/*
 * Pairs with several branches (corner/branches.c): of all contacts that were found, those of the
 * branches taken in this round stay.
 */
ss_status ss_take_branches(const ss_model *m, ss_data *d, double h);
/* no step being taken; d->corners.ties counts pairs that another direction separates as far */
void ss_take_widest_branches(const ss_model *m, ss_data *d);
/* The contacts that were taken have been merged, or are patches by now: where they are. */
void ss_find_taken(ss_data *d);

/* Contacts of a pair with several branches: how far it is apart at the start of the step. */
void ss_note_apart(const ss_model *m, const ss_data *d, ss_contact *c, int32_t count, double h);

/* Restitution of a contact, by the factor of its island (sim/rebound.c). */
static inline double ss_restitution_now(const ss_model *m, const ss_data *d, const ss_contact *c,
                                        const ss_pair_law *law)
{
    int32_t a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    double  x = ss_body_moves(&m->bodies[a]) ? d->rebound[a].factor : 1;
    double  y = ss_body_moves(&m->bodies[b]) ? d->rebound[b].factor : 1;
    return law->restitution * (x < y ? x : y);
}

/* May a contact be struck by bodies that fly freely up to then and from then on, and do those of a
   block do so in the step at hand (midpoint/lone_impacts.c)? */
bool ss_may_bounce(const ss_model *m, const ss_data *d, const ss_contact *c);
bool ss_flies_till_impact(const ss_data *d, const ss_row_block *b);

/* Corrections after the rounds: none yet; and the poses before the first of them, once (shift.c).
 */
void ss_begin_corrections(ss_data *d);
void ss_keep_bare_poses(const ss_model *m, ss_data *d);

/* After the rounds: overlaps are moved apart, velocities stay as they are (recover/shift.c). */
ss_status ss_shift_overlaps(const ss_model *m, ss_data *d, double h);

/* And after that: those that the step made although its rows did not see them (shift_made.c). */
ss_status ss_shift_made(const ss_model *m, ss_data *d, double h, bool *moved);

/* Does everything that acts between the bodies of an island act on two of them, the opposite way?
   Then only known forces act on it from outside (recover/whole_turn.c). */
bool ss_island_loose(const ss_data *d, const ss_island *isl);
/* Their angular momentum before corrections, and given back after them. */
void ss_note_turns(const ss_model *m, ss_data *d, double h);
void ss_keep_turns(const ss_model *m, ss_data *d);

/* Contacts of the present state with a gap below `reach`, no step being taken. */
ss_status ss_collide_now(const ss_model *m, ss_data *d, double reach);

#endif
