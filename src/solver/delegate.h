/* SPDX-License-Identifier: Apache-2.0 */
/* For solvers that use other solvers, or doubt themselves. */
#ifndef SS_SOLVER_DELEGATE_H
#define SS_SOLVER_DELEGATE_H

#include "linalg/patience.h"
#include "stickslip/solver.h"

/* Is x, whose residual and motion error are known, what was asked for? */
static inline bool ss_good_enough(const ss_solution *x, double tol)
{
    return x->residual <= tol || (x->enough > 0 && x->motion <= x->enough);
}

/*
 * Let `child` solve for `s`: with the tolerance and within the time of s, certified as by
 * ss_solve(). If x is what s returns, unchanged, its residual need not be computed again.
 */
ss_status ss_solver_delegate(ss_solver *s, ss_solver *child, const ss_problem *p, ss_solution *x);

/*
 * The same for a problem on the way to that of s (a part of it, or one like it): its answer is
 * certified, but not doubted (doubt.c), which takes longer than solving it. What s makes of it is
 * another answer, to another problem, and gets the certificate and the doubts of that.
 */
ss_status ss_solver_delegate_part(ss_solver *s, ss_solver *child, const ss_problem *p,
                                  ss_solution *x);

/* The certificate of x, before ss_solve() asks for it: it will not be computed again. */
ss_status ss_solver_certify(ss_solver *s, const ss_problem *p, ss_solution *x);

/* What was counted so far (ss_solver_worked), and a count to go back to: work that is done again
   for want of room is counted once, or where it ends would depend on what was solved before. */
double ss_solver_work(const ss_solver *s);
void   ss_solver_unwork(ss_solver *s, double work);

/* Whether the last delegate's x was changed afterwards: it will be certified again. */
void ss_solver_changed(ss_solver *s);

/* What a solve leaves to factorisations that can take long: the time that is left. */
ss_patience ss_solver_patience(ss_solver *s);

/*
 * The clock is looked at where a method does so regularly, and sooner where much was counted since
 * the last look: what takes a microsecond of a small problem takes a second of a large one.
 */
bool ss_solver_out_of_time_now(ss_solver *s, bool regularly);

#endif
