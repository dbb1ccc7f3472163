/* SPDX-License-Identifier: Apache-2.0 */
/*
 * geometry: implicit (thesis 3.5.1). With q' = q + h v' the end of the step, the step solves
 *
 *   M (v' - v) = h F + W(q') p,    0 <= p_n  _|_  psi(q') >= 0,    p_f in mu p_n times the
 * ellipsoid,
 *
 * with gaps psi, normals and wrenches W of the end, where the explicit step has W(q) and
 * psi(q) + h W'v'. Inertia and forces are those of the start, as in (3.82).
 *
 * Rounds to convergence: a round takes contacts and rows at the trial state q_k = q + h v_k that
 * the round before led to, and linearises there,
 *
 *   psi(q_k) + h J_n(q_k) (v' - v_k) >= 0:    the bias of a normal row is psi(q_k)/h - J_n v_k;
 *
 * likewise the rows of joints and of their limits. This is Newton's method for the gaps; the turn
 * of W within a round is left out, so the rounds converge linearly, by a factor of order h times
 * speed over radius. Where they end, v' = v_k, the linearised problem is the one above. The first
 * round is the explicit step.
 */
#ifndef SS_IMPLICIT_IMPLICIT_H
#define SS_IMPLICIT_IMPLICIT_H

#include "model/axes.h"
#include "stickslip/analysis.h"

/* How many rows of the block are those of a configuration: contacts, joints, limits, motors that go
   to a position. */
int32_t ss_placed_rows(const ss_model *m, const ss_row_block *b);

/*
 * The same step as one mixed complementarity problem, with the nearest points among the unknowns
 * (mcp_step.c): contacts of the start of the step, then the problem and its solution by Newton's
 * method. The state stays as it is.
 */
ss_status ss_mcp_look(const ss_model *m, ss_data *d, double h);
ss_status ss_mcp_solve(const ss_model *m, ss_data *d, double h, ss_body_motion *motion,
                       ss_mcp_step *out);

#endif
