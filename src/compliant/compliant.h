/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contact: compliant (thesis 2.4.4, 3.5.2; docs/theory/compliant.md). A contact gives by the
 * deflection x = (x_n, x_t, x_o) of its surface, which is state. With the force f = K x + C dx/dt
 * (normal: f(x_n), perhaps a power), the gap psi and impulses p over a step h:
 *
 *   p_n = p_s + p_c,      0 <= p_s  _|_  psi' + x_n' >= 0,      0 <= p_c  _|_  d - x_n' >= 0
 *   |p_t| <= mu p_n,      slip = J_t v + dx_t/dt,               d: where the rigid core begins
 *
 * At the end of the step (integrator: euler; thesis (3.92) with p_s as errata have it):
 *
 *   p = h K x' + C (x' - x),       psi' = psi + h J_n v'
 *
 * Over the step (integrator: midpoint, where bodies move by the mean of v and v'):
 *
 *   p_n = h f~ + C_nn (x_n' - x_n),   f~ = (V(x_n') - V(x_n)) / (psi - psi'),   x_n' = max(0,
 * -psi') p_t = h K (x_t + x_t')/2 + C (x_t' - x_t) where it sticks, the law of the end where it
 * slides
 *
 * Driven bodies bring h D of the way: psi' = psi + h D + h J_n v', or with the mean of v and v'.
 *
 * V is the energy of the normal spring, so that p_n does the work -(V' - V) exactly, through touch
 * and release: f~ is a discrete gradient. It is convex and falls with psi', so Newton's method,
 * one step a round, converges from the deep side.
 *
 * Either law, made linear about a point, is p = A y + r with y the deflection at the end, and the
 * rows of the contact are those of a rigid one with a matrix on the diagonal,
 *
 *   u = J v' + bias + G p (1/h or 2/h),   G = A^-1:     h K is in the matrix, whatever its size.
 *
 * Rounds: which of the two laws (by what happens in the island), core or not, sliding or not, and
 * the point that the law is linear about. Where nothing changes and f is linear: one round.
 */
#ifndef SS_COMPLIANT_COMPLIANT_H
#define SS_COMPLIANT_COMPLIANT_H

#include "model/axes.h"

/* Normal force of the spring, its slope and its energy at the deflection x; 0 for x <= 0. */
double ss_spring_force(const ss_compliance *c, double x);
double ss_spring_slope(const ss_compliance *c, double x);
double ss_spring_energy(const ss_compliance *c, double x);
/* Energy of all directions. */
double ss_deflection_energy(const ss_compliance *c, const double *x, int32_t dim);

/* f~ from x = -psi to y = -psi', and its slope by y. */
double ss_spring_mean(const ss_compliance *c, double x, double y, double *slope);

/* body_springs.c: has a body springs all over that meet this plane? Those within reach, as contacts
   like a given one of the two. */
bool      ss_has_body_springs(const ss_model *m, int32_t plane, int32_t body,
                              const ss_compliance *gives);
ss_status ss_body_springs(const ss_model *m, ss_data *d, const ss_contact *like, double reach,
                          int32_t pieces);

/* contact_patch.c: where a corner is, as seen from the surface: over point_a by the gap. */
ss_vec3 ss_patch_point(const ss_contact *c);

/*
 * What driven bodies do: D, how fast they open the gap over the step; psi, the gap when the step
 * begins; psi + h D, the gap at its end if the bodies that move stood still.
 */
double ss_spring_carried(const ss_model *m, const ss_data *d, const ss_row_block *b, double h);
double ss_spring_gap(const ss_model *m, const ss_data *d, const ss_row_block *b, double h);
double ss_gap_unmoved(const ss_model *m, const ss_data *d, const ss_row_block *b, double h);

/* Finds the springs of this round's contacts again, or makes them. */
ss_status ss_find_springs(const ss_model *m, ss_data *d, double h);
/* hand_over.c: springs that are new where surfaces overlap store what those that are gone did. */
void ss_hand_over(const ss_model *m, ss_data *d);
/* The rows of a contact that gives. */
void ss_spring_rows(const ss_model *m, ss_data *d, const ss_row_block *b, ss_spring *s, double h);
/* -psi' by the velocities that came out. */
double ss_depth_at_end(const ss_model *m, const ss_data *d, const ss_row_block *b,
                       const ss_spring *s, double h);
/* s->end and s->energy by the impulses and velocities that came out. */
void ss_spring_end(const ss_model *m, const ss_data *d, const ss_row_block *b, ss_spring *s,
                   double h);

/* What ended beyond its core is down to it. */
void ss_spring_stop(ss_spring *s, double h);

/* Before the first step: the contacts that are there are deflected as much as they overlap. */
ss_status ss_start_deflections(const ss_model *m, ss_data *d, double h);

/* A step is accepted: its deflections become those of the state. */
void ss_keep_deflections(const ss_model *m, ss_data *d);

/* spring_rows.c: J v of a row at the start of the step; of the first row: how fast it opens. */
double ss_spring_rate(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row);

#endif
