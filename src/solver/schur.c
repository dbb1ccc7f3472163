/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schur: mixed problems by Lemke's method. Free unknowns (reactions of joints) are eliminated
 * (problem/reduce_schur.c),
 *
 *   0 = A x + C y + a,   w = D x + B y + b   ->   w = (B - D A^-1 C) y + (b - D A^-1 a),
 *
 * the LCP in y that is left is solved by `lemke`, and x follows from y. Contacts with polygon cones
 * on jointed bodies are copositive without their joints: a path of some dozen pivots, where
 * Newton's method, which takes the mixed problem as it is, goes from set to set for long. Where the
 * free block is singular (joints that hold twice) it is not applicable. The certificate is that of
 * the mixed problem; what is left in y of a proof is none, since the LCP is rounded.
 */
#include <string.h>

#include "core/arena.h"
#include "problem/reduce.h"
#include "solver/delegate.h"

/* Unknowns beyond which the dense LCP costs more than Newton's steps on sparse factors. */
enum { MOST = 600 };

typedef struct state {
    ss_arena   arena;
    ss_solver *lemke; /* made when first needed */
} state;

static void gather(const ss_schur *m, const double *z, double *y)
{
    for (int32_t i = 0; i < m->ny; i++) {
        y[i] = z[m->y[i]];
    }
}

/* Solve the LCP from the guess, if there is one, and give back the mixed answer. */
static ss_status run(ss_solver *s, const ss_schur *m, const ss_lcp *lcp, double *y, ss_solution *x)
{
    state      *st = ss_solver_state(s);
    ss_problem  p  = {.type = SS_LCP, .as.lcp = *lcp};
    ss_solution in = {.z = y, .warm = x->warm};
    if (st->lemke == NULL) {
        SS_TRY(ss_solver_create_named(ss_solver_context(s), "lemke", &st->lemke));
    }
    gather(m, x->z, y);
    SS_TRY(ss_solver_delegate_part(s, st->lemke, &p, &in));
    x->iterations = in.iterations;
    x->outcome    = in.outcome == SS_INFEASIBLE ? SS_RAY : in.outcome;
    if (x->outcome != SS_RAY) {
        ss_reduce_schur_back(m, y, x->z);
    }
    return SS_OK;
}

static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    state         *st = ss_solver_state(s);
    const ss_mlcp *m  = &p->as.mlcp;
    ss_schur       reduced;
    ss_lcp         lcp;
    x->outcome = SS_NOT_APPLICABLE;
    if (m->n > MOST || m->n == 0) {
        return SS_OK;
    }
    for (;;) {
        ss_arena_reset(&st->arena);
        double    *y    = ss_arena_alloc(&st->arena, (size_t)m->n, sizeof *y);
        ss_reduced made = ss_reduce_schur(m, &st->arena, &reduced, &lcp);
        if (made == SS_REDUCED_SINGULAR) {
            return SS_OK;
        }
        if (made == SS_REDUCED && y != NULL) {
            ss_solver_worked(s, (double)m->n * m->n * (1 + reduced.nx));
            return run(s, &reduced, &lcp, y, x);
        }
        SS_TRY(ss_arena_grow(ss_solver_context(s), &st->arena));
    }
}

static void release(ss_solver *s)
{
    state *st = ss_solver_state(s);
    ss_solver_destroy(st->lemke);
    ss_arena_free(ss_solver_context(s), &st->arena);
}

const ss_solver_class ss_solver_schur = {
    .name       = "schur",
    .summary    = "mixed problems by Lemke's method, their free unknowns eliminated",
    .accepts    = SS_MLCP,
    .traits     = SS_TRAIT_WARM_STARTS | SS_TRAIT_SPECIAL,
    .state_size = sizeof(state),
    .solve      = solve,
    .release    = release,
};
