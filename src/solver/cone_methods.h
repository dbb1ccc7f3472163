/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The methods for cone problems without axes, as functions that solvers and chains of them share.
 * Each starts from x->z (and x->v), leaves there the best point it has seen, and sets outcome,
 * residual and iterations. Tolerance and time limit are those of s. false: the arena is too small.
 */
#ifndef SS_SOLVER_CONE_METHODS_H
#define SS_SOLVER_CONE_METHODS_H

#include "core/arena.h"
#include "linalg/sparse.h"
#include "stickslip/solver.h"

/* nsgs.c */
typedef struct ss_nsgs_settings {
    double  patience;  /* give up when more sweeps than this seem to be needed; 0: never */
    bool    symmetric; /* every second sweep runs backwards                              */
    bool    plain;     /* nothing is extrapolated                                        */
    int32_t sweeps;    /* largest number of sweeps; 0: as many as it takes               */
} ss_nsgs_settings;

bool ss_nsgs_run(ss_solver *s, const ss_nsgs_settings *set, const ss_cone *p, ss_arena *a,
                 ss_solution *x);

/* ipm.c: contacts in global form with a sparse M; not applicable elsewhere */
bool ss_ipm_takes(const ss_cone *p);
bool ss_ipm_run(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x);

/*
 * ipm_dense.c: small dense problems in local form, all laws; not applicable elsewhere. `inside`:
 * how far inside the cones it starts, in parts of a typical reaction.
 */
bool ss_ipm_dense_takes(const ss_cone *p);
bool ss_ipm_dense_run(ss_solver *s, double inside, const ss_cone *p, ss_arena *a, ss_solution *x);

/* Either, alone. Not in the list of solvers: it takes what these take and nothing else. */
extern const ss_solver_class ss_solver_ipm;

/* pile.c: global forms of bodies; ends with the motion error x->enough, if that is > 0 */
bool ss_pile_run(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x);

/* The method alone, likewise not in the list. */
extern const ss_solver_class ss_solver_pile;

/* ac.c */
typedef struct ss_ac_settings {
    double  alpha;  /* first proximal weight, relative to the diagonal of W */
    int32_t sweeps; /* Gauss-Seidel sweeps before the first Newton step     */
    int32_t steps;  /* Newton steps it may take; 0: as many as it needs     */
    double  most;   /* products that its steps may take, of contacts on bodies, whose steps have a
                       known cost; 0: as many as they need                  */
} ss_ac_settings;

/* `status`: whether factorisations had the memory they needed. */
bool ss_ac_run(ss_solver *s, const ss_ac_settings *set, ss_sparse_lu *lu, const ss_cone *p,
               ss_arena *a, ss_solution *x, ss_status *status);

/* cone_polish.c: the last digits of small problems, from x->z of known residual. */
bool ss_cone_polish_takes(const ss_cone *p);
bool ss_cone_polish_run(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x);

/* cone_polygon_start.c: dense local problems, by `lemke` with polygons in the place of balls. The
   residual is not measured. */
bool ss_polygon_start_takes(const ss_cone *p);
/* Unknowns of that, where polygons are the balls and the answer is exact; otherwise INT32_MAX. */
int32_t ss_polygon_start_exact(const ss_cone *p);
bool    ss_polygon_start_run(ss_solver *s, ss_solver *lemke, const ss_cone *p, ss_arena *a,
                             ss_solution *x, ss_status *status);

/* admm.c */
typedef struct ss_admm_settings {
    double  rho;        /* first penalty, relative to the diagonal of W; adapted on the way */
    double  relaxation; /* over-relaxation, 1 to 1.9                                        */
    int32_t patience;   /* give up when so many steps do not halve the residual; 0: never   */
} ss_admm_settings;

bool ss_admm_run(ss_solver *s, const ss_admm_settings *set, ss_sparse_lu *lu, const ss_cone *p,
                 ss_arena *a, ss_solution *x, ss_status *status);

#endif
