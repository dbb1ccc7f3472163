/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every solver of cone problems does around its own method: scratch memory that grows between
 * attempts, friction ellipsoids scaled to balls and back, the guess or zero as a start.
 */
#ifndef SS_SOLVER_CONE_FRAME_H
#define SS_SOLVER_CONE_FRAME_H

#include "core/arena.h"
#include "linalg/sparse.h"
#include "stickslip/solver.h"

/* State of a solver of cone problems. Not every method factors something. */
typedef struct ss_cone_state {
    ss_arena     arena;
    ss_sparse_lu lu;
    ss_status    status; /* what a factorisation had to say */
    double      *start;  /* (room) z, then v, that attempts start from */
    size_t       room;
} ss_cone_state;

/* What became of a preparation. */
typedef enum ss_fit {
    SS_FIT_READY,
    SS_FIT_SCRATCH, /* the arena is too small; it knows how much was wanted           */
    SS_FIT_REFUSED  /* the problem does not suit the method, whatever the room        */
} ss_fit;

/* One attempt at a problem without axes, r = x->z being the start. false: the arena is too small,
   r may have changed. The outcome and the iterations go into x. */
typedef bool (*ss_cone_attempt)(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x);

/*
 * Run `attempt` with an arena that is large enough; the state of s is an ss_cone_state. Ends by
 * name when time runs out, or when an attempt fails without asking for room.
 */
ss_status ss_cone_frame(ss_solver *s, const ss_problem *p, ss_solution *x, ss_cone_attempt attempt);

/*
 * A method for local forms, applied to `p` in either form. A global form becomes a local one on
 * (v, r) with equality rows (problem/reduce_border.c), where M may be singular, zero, or of any
 * shape; `given` is the problem that answers are measured by. x->z (and x->v) are the start.
 */
typedef ss_fit (*ss_cone_local)(void *method, const ss_cone *p, const ss_cone *given, ss_arena *a,
                                ss_solution *x);
ss_fit ss_cone_either_form(ss_cone_local run, void *method, const ss_cone *p, ss_arena *a,
                           ss_solution *x);

/*
 * The best point that a method has seen, measured by the problem that was given and not by the form
 * p that the method works on: what it gives back whatever stops it.
 */
typedef struct ss_cone_best {
    const ss_cone *p, *given;
    double        *z; /* (p->n) */
    double         residual;
    double        *work; /* of residuals; a method may use it between measurements */
} ss_cone_best;

/* With the start z (p->n) in it, not measured. False: no room. */
bool ss_cone_best_make(ss_cone_best *b, const ss_cone *p, const ss_cone *given, const double *z,
                       ss_arena *a);
/* The residual of z (p->n); v: velocities of the given problem, NULL: they are the first of z. */
double ss_cone_best_measure(ss_cone_best *b, const double *z, const double *v);
void   ss_cone_best_give(const ss_cone_best *b, ss_solution *x);

/* `release` of such solvers. */
void ss_cone_release(ss_solver *s);

#endif
