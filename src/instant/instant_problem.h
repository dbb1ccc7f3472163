/* SPDX-License-Identifier: Apache-2.0 */
/* The problem of an island of bodies at an instant. */
#ifndef SS_INSTANT_INSTANT_PROBLEM_H
#define SS_INSTANT_INSTANT_PROBLEM_H

#include "instant/instant_rows.h"
#include "problem/reduce.h"

typedef struct ss_instant_problem {
    int32_t  nblocks;
    int32_t *which;   /* (nblocks) blocks of the rows that take part                              */
    int32_t  rows;    /* of them all                                                             */
    int32_t *first;   /* (nblocks) first row of each block among them                            */
    double  *W;       /* (rows x rows) J M^-1 J'                                                  */
    double  *q;       /* (rows) accelerations of the rows without contact and joint forces        */
    double  *known;   /* (rows) forces that are known: of friction with a bound, where it slips   */
    int32_t  held;    /* equality rows                                                            */
    int32_t *hold;    /* (held) which                                                             */
    double  *K;       /* (held x held) pseudo-inverse of W among them                             */
    double   grip;    /* the least pivot of these, scaled, that counts; none is held: 1           */
    double  *opening; /* (held) scratch of ss_instant_forces                                    */
    int32_t  n;       /* unknowns: one where a contact slides, the rows where it sticks           */
    int32_t *row;     /* (n) the row that an unknown is complementary to                          */
    int32_t *block;   /* (n) of `which`                                                           */
    double  *smooth;  /* (n) diagonal of its matrix if friction were none                         */
    ss_cone  cone;    /* the problem in them; its matrix is not symmetric where contacts slide    */
} ss_instant_problem;

/* Islands: out[i] is that of block i (joined through moving bodies), -1: it moves none. */
ss_status ss_instant_islands(const ss_model *m, ss_data *d, const ss_instant_rows *r, int32_t *out,
                             int32_t *count);

/* The problem of one island; memory from the scratch of d. */
ss_status ss_instant_pose(const ss_model *m, ss_data *d, const ss_instant_rows *r,
                          const int32_t *island_of, int32_t island, ss_instant_problem *out);

/* Forces of all rows (rows) that belong to unknowns z (n), joints with them. */
void ss_instant_forces(const ss_instant_rows *r, const ss_instant_problem *p, const double *z,
                       double *force);

/* Accelerations of all rows (rows) under these forces. */
void ss_instant_accelerations(const ss_instant_problem *p, const double *force, double *a);

/* Adds what the forces make of the bodies to `a` (nv). */
void ss_instant_push(const ss_model *m, const ss_data *d, const ss_instant_rows *r,
                     const ss_instant_problem *p, const double *force, double *a);

/*
 * phantom.c: the problem over a box of k directions of acceleration with the phantom inertia rho
 * (< 0: chosen), as an LCP (Peiret et al. (8)). False in *regular: the friction rows that stick
 * depend on each other and cannot be eliminated.
 */
typedef struct ss_phantom {
    ss_lcp  lcp;
    int32_t k;
    double  rho;
    double *P, *p0; /* unknowns of the cone problem: P z + p0 */
} ss_phantom;
ss_status ss_instant_phantom(ss_data *d, const ss_instant_problem *p, int32_t k, double rho,
                             ss_phantom *out, bool *regular);
void ss_instant_phantom_back(const ss_instant_problem *p, const ss_phantom *ph, const double *z,
                             double *forces);

#endif
