/* SPDX-License-Identifier: Apache-2.0 */
/* Registers a solver of our own, finds it by name, and solves with it. */
#include <stdio.h>

#include "damped_jacobi.h"

int main(void)
{
    const double M[9] = {4, -1, 0, -1, 4, -1, 0, -1, 4}, q[3] = {-3, 2, -5};
    double       z[3];
    ss_context  *ctx = ss_context_create(NULL);
    ss_solver   *s   = NULL;
    if (ctx == NULL || ss_solver_register(ctx, &damped_jacobi) != SS_OK ||
        ss_solver_create_named(ctx, "damped-jacobi", &s) != SS_OK ||
        ss_solver_set(s, "damping", "0.9") != SS_OK) {
        fprintf(stderr, "%s\n", ctx != NULL ? ss_context_message(ctx) : "no memory");
        return 2;
    }
    ss_problem p       = {.type = SS_LCP};
    p.as.lcp           = (ss_lcp){.n = 3, .M = {.rows = 3, .cols = 3, .dense = M, .ld = 3}, .q = q};
    ss_solution x      = {.z = z};
    ss_status   status = ss_solve(s, &p, &x);
    printf("%s after %d sweeps, residual %.1e: z = %.6g %.6g %.6g\n", ss_outcome_text(x.outcome),
           (int)x.iterations, x.residual, z[0], z[1], z[2]);
    ss_solver_destroy(s);
    ss_context_destroy(ctx);
    return status == SS_OK && x.outcome == SS_SOLVED ? 0 : 1;
}
