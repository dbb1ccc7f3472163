/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows -> problems -> velocities. Every combination of model choices goes through the same three
 * steps: the inertia axis says what A and b are in  A v+ = b + J'p;  the rows and A give one cone
 * problem per island; the cone axis reduces it to what the solver is given.
 */
#ifndef SS_FORMULATE_FORMULATE_H
#define SS_FORMULATE_FORMULATE_H

#include "dynamics/coordinates.h"
#include "model/axes.h"

ss_status ss_formulate(const ss_model *m, ss_data *d, double h);
ss_status ss_solve_islands(const ss_model *m, ss_data *d);
ss_status ss_recover(const ss_model *m, ss_data *d, double h);
/* The answer of the problem without equality rows: reactions of all rows, and their certificate. */
ss_status ss_put_equalities_back(const ss_model *m, ss_data *d, ss_island *isl);
/* Does a contact of the island close faster than the forces of two steps make it? */
bool ss_island_struck(const ss_model *m, const ss_data *d, const ss_island *isl);
/*
 * Of a small island that is struck and was solved: of several outcomes the least is taken, and
 * d->motions says that there are others (least_impact.c).
 */
ss_status ss_take_least_impact(const ss_model *m, ss_data *d, ss_island *isl);

/*
 * Of solved islands that were at rest: where rest solves the step too and the load presses the
 * contacts that hold it, rest is taken, and the other motion is left in d->motions.other (rest.c).
 */
ss_status ss_take_rest(const ss_model *m, ss_data *d);
/*
 * Of an island that came to rest without momentum, but to rounding whose certificate does not hold:
 * reactions of rest with few contacts, at their places. *held: they balance; otherwise all is as it
 * was.
 */
ss_status ss_hold_at_rest(const ss_model *m, ss_data *d, ss_island *isl, double h, bool *held);

/* After the last round: of several motions that solve the step, the least; and whether there are
   several (motion.c). */
ss_status ss_choose_motion(const ss_model *m, ss_data *d, double h);

/*
 * What a medium adds to a body's matrix (medium.c): d->matrix[body] becomes A + h E with its
 * inverse, and v_free (A + h E)^-1 b.
 */
void ss_resist_motion(const ss_model *m, ss_data *d, int32_t body, double h, const double *b);

/* The damping matrix E (dof x dof) of a body that has one, in world axes at d->frame; a particle
   has no orientation and no rows for turning. */
void ss_world_damping(const ss_model *m, const ss_data *d, int32_t i, double *E);

/*
 * integrator: midpoint. The angular velocity w' at the end of a body that turns by exp(h m),
 * m = (w + w')/2, under a torque: exp(h m) I w' = I w + h T, all in its axes at the start of the
 * step (inertia_dynamic.c).
 */
ss_vec3 ss_turn_under(const ss_mat3 *I, ss_vec3 w, ss_vec3 torque, double h);

/* corners: complementarity. The pairs of the island of which all branches were taken
 * (corner_groups.c). */
ss_status ss_corner_groups(const ss_model *m, ss_data *d, const ss_island *isl, const ss_cone *cone,
                           ss_corner_group **groups, int32_t *count);

/* Which bodies and blocks depend on each other. */
ss_status ss_find_islands(const ss_model *m, ss_data *d);

/* The island's friction problem in local form: W = J A^-1 J', q = J v_free + bias. */
ss_status ss_local_problem(const ss_model *m, ss_data *d, ss_island *isl);

/*
 * The motion error at which the island's answer counts, 0: only the tolerance does. Small problems
 * are solved exactly at less cost than sweeps have; so are those whose joints are eliminated.
 */
double ss_motion_enough(const ss_model *m, const ss_data *d, const ss_island *isl, bool global);

/* Do nothing but contacts of bodies and surfaces that stand still by themselves act in an island?
 */
bool ss_island_undriven(const ss_model *m, const ss_data *d, const ss_island *isl);
/* h F.w - dT + m g.dx over the bodies of an island, F: forces besides gravity, w = (v + v+)/2: the
   energy that the step takes from it, to the trial state; less than 0: it gives (recover/taken.c).
 */
double ss_island_taken(const ss_model *m, const ss_data *d, const ss_island *isl, double h);

/*
 * Friction does not resist the closing of second-order gaps (closing.c): bias for the friction rows
 * of the island, whose local problem is made, in d->rows and q.
 */
ss_status ss_let_gaps_close(const ss_model *m, ss_data *d, ss_island *isl, double *q);
/* The same from the rows alone, before the problem in global form is made of them (closing_rows.c).
 */
ss_status ss_let_gaps_close_by_rows(const ss_model *m, ss_data *d, const ss_island *isl);

/* Entry (r, c) of a body's matrix A. A particle's rotations are there in name only: they have 1. */
double ss_body_matrix_entry(const ss_model *m, const ss_data *d, int32_t body, int32_t r,
                            int32_t c);

/*
 * The same in global form, sparse: M v = H p + f, u = H'v + bias. For islands so large that W would
 * cost more than it saves.
 */
ss_status ss_global_problem(const ss_model *m, ss_data *d, ss_island *isl);

/* (nb) the largest impulse that acts on each body of the island, in the scratch; NULL: no room. */
double *ss_body_loads(const ss_model *m, ss_data *d, const ss_island *isl, double h);

/* Are all islands of the round solved? */
bool ss_balance_found(const ss_data *d);

/* The balance of forces in global form: 0 = H p + h F, u = H'v + bias. */
ss_status ss_balance_problem(const ss_model *m, ss_data *d, ss_island *isl, double h);
/* In it: does row k of the block give? How many of the island's do, and w += G p of one block. */
bool    ss_row_gives(const ss_data *d, const ss_row_block *b, int32_t k);
int32_t ss_rates_of_deflections(const ss_data *d, const ss_island *isl);
void    ss_deflection_rates(const ss_data *d, const ss_row_block *b, double *w);
/* Of two springs of one layer: what of its own G (G_rows) a spring gives by the other's impulse. */
double ss_spring_coupling(const ss_data *d, const ss_spring *s, const ss_spring *other);

/* J v of one row, without bias; what forces change of it in the step, by its bodies together or by
   each, and of the velocities of an island at most (row_rates.c). */
double ss_row_rate(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row,
                   const double *v);
double ss_row_forced(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row);
double ss_row_forced_each(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row);
double ss_island_forced(const ss_model *m, const ss_data *d, const ss_island *isl);
/* What a unit impulse of row k pushes with: 1 for forces, 1 / size of the body for torques. */
double ss_row_push(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t k);

/* Take out of d->v_next the rounding of impulses r of the island that cancel (refine.c). */
ss_status ss_refine_velocities(const ss_model *m, ss_data *d, const ss_island *isl,
                               const double *r);

/* Judge an island by the problem without a matrix: 0 = h F + J'p, u = J v + bias (balance.c). */
ss_status ss_certify_balance(const ss_model *m, ss_data *d, ss_island *isl, double h);

/*
 * Models without a matrix: are there other motions that balance with these forces
 * (d->motions.verdict, and one of them in d->motions.other)? Then the least of them becomes
 * d->v_next, and *changed is set. A body that nothing touches and a force acts on:
 * d->motions.unheld (motion.c).
 */
ss_status ss_judge_motion(const ss_model *m, ss_data *d, double h, bool *changed);

/*
 * Forces that bodies exert on each other without an effect (friction at two feet, say) are left by
 * a solver at about 1e-9 of the others, and rows of the balance that hold nothing else are not
 * zero to the last digit. They are dropped, as is rounding, where the balance then holds, if need
 * be after a last change of the others.
 */
ss_status ss_drop_stress(const ss_model *m, ss_data *d, ss_island *isl, double h);

/* The least change of reactions r after which p's balance holds to the last digit (rebalance.c). */
ss_status ss_rebalance(const ss_model *m, const ss_cone *p, int32_t bodies, ss_arena *a, double *r);

/* The least change of the island's velocities after which the rows that hold it hold (polish.c). */
ss_status ss_polish_velocities(const ss_model *m, ss_data *d, const ss_island *isl, double h);

/* Y = A^-1 J' of the island's rows: what a unit impulse does to the velocities. */
void ss_unit_responses(const ss_model *m, ss_data *d, const ss_island *isl);

/* The same for one row and one body: J, Y (dof). */
void ss_body_response(const ss_body_matrix *A, const double *J, double *Y, int32_t dof);

/* The island's blocks as the problem sees them, in its own row numbers; NULL: no room. */
const ss_block *ss_island_blocks(ss_data *d, const ss_island *isl);

/*
 * Equality rows (joints, unlimited motors) are eliminated before the solver sees the island
 * (eliminate.c); where they depend on each other, q is made consistent and the rows are marked.
 */
ss_status ss_eliminate_equalities(const ss_model *m, ss_data *d, ss_island *isl);

/* The trial pose and twist of a body from d->v_next. */
void ss_move_body(const ss_model *m, ss_data *d, int32_t body, double h);

/* How far a joint is open at the trial state; phi (held rows) may be NULL. */
double ss_joint_error(const ss_model *m, const ss_data *d, int32_t joint, double *phi);

/* Coordinates of a joint at the trial state; value: in the last ones, to count turns. */
void ss_joint_coordinates(const ss_model *m, const ss_data *d, int32_t joint, double *value);

#endif
