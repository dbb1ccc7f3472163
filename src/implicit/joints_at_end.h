/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joints and springs of what moves slowly in a medium (inertia: damped), at the end of the step.
 * With E v = F + J'f and J v = 0 a loaded joint is a spring: the arm r of a body on which it pulls
 * with f turns back with the stiffness r.f, a rod under the tension f with f/L across itself. With
 * J of the start of the step that spring is explicit, and unstable where h r.f > 2 e, e what E has
 * of that turn. So the step is that of implicit Euler, with q' = q + h v':
 *
 *   h E v' = h F + J(q')'p,        phi(q') = 0        (limits: 0 <= p _|_ s(q') >= 0)
 *
 * which for forces of a potential V is where h E/2 [v', v'] + V(q') is least among the q' that the
 * joints allow: V falls, at any h, by what the medium takes and no joint gives any. Springs and
 * dampers are those of q' too: F of a round is that of q_k, and what v' - v_k adds to it is in rows
 * that give (rows/give_rows.c). Contacts stay where the step begins.
 *
 * Newton's method, in rounds. A round at q_k = q + h v_k, with the impulses p_k, solves
 *
 *   (h E + h K) v' = h F + h K v_k + J(q_k)'p,      phi(q_k)/h + J(q_k) (v' - v_k) = 0,
 *
 * K = -sum p_k H of the second derivatives H of what joints hold, where it makes the matrix no
 * smaller (geometric_stiffness.c); K changes the rounds, not where they end. The first round is the
 * explicit step, which tells p; what it says of v' may be anything, and the second begins at q
 * again. Where rounds do not end the step is cut: what loaded joints push apart, faster than a step
 * can tell, needs shorter ones.
 */
#ifndef SS_IMPLICIT_JOINTS_AT_END_H
#define SS_IMPLICIT_JOINTS_AT_END_H

#include "model/axes.h"

/* What loaded joints add to the matrices of bodies, with the rows and impulses of the last round,
   and to v_free: K v_k (geometric_stiffness.c). */
ss_status ss_stiffen_bodies(const ss_model *m, ss_data *d, double h);
/* K of the impulses that the last round found, body by body: d->ending.stiffness. */
void ss_find_stiffness(const ss_model *m, ss_data *d, double h);

#endif
