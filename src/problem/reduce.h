/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions: functions from problem to problem, each with the map that takes a solution back.
 * What a reduced problem needs is taken from an arena; false means that the arena is too small
 * (it then knows how much was wanted) and nothing else.
 */
#ifndef SS_PROBLEM_REDUCE_H
#define SS_PROBLEM_REDUCE_H

#include <stdbool.h>

#include "core/arena.h"
#include "stickslip/problem.h"

/* reduce_axes.c: friction ellipsoids to balls. `out` has no axes; p's arrays are shared. */
bool ss_reduce_axes(const ss_cone *p, ss_arena *a, ss_cone *out);
/* Reactions of p to those of the reduced problem, and back; in place. */
void ss_reduce_axes_forth(const ss_cone *p, double *r);
void ss_reduce_axes_back(const ss_cone *p, double *r);

/* reduce_border.c: the global form as a local one on (v, r); M may be singular. No axes. */
bool ss_reduce_border(const ss_cone *p, ss_arena *a, ss_cone *out);

/* How a reduction that needs an inverse ended. */
typedef enum ss_reduced { SS_REDUCED, SS_REDUCED_NO_ROOM, SS_REDUCED_SINGULAR } ss_reduced;

/* reduce_delassus.c: the global form as a local one on r, where M is nonsingular. */
typedef struct ss_delassus {
    double  *LU;  /* (nv x nv) factors of M       */
    int32_t *piv; /* (nv)                         */
    double  *X;   /* (nv x n) M^-1 H              */
    double  *x0;  /* (nv) M^-1 f                  */
} ss_delassus;
ss_reduced ss_reduce_delassus(const ss_cone *p, ss_arena *a, ss_delassus *m, ss_cone *out);
/* v of the global form that belongs to the reactions. */
void ss_reduce_delassus_back(const ss_cone *p, const ss_delassus *m, const double *r, double *v);

/* reduce_schur.c: a mixed LCP as an LCP in its complementary variables. */
typedef struct ss_schur {
    int32_t  nx, ny; /* free and complementary variables      */
    int32_t *x, *y;  /* where they stand in z                 */
    double  *AC;     /* (nx x (ny + 1)) A^-1 [C a]            */
    double  *full;   /* (n x n) M, dense                      */
    double  *LU;     /* (nx x nx) factors of the free block   */
    int32_t *piv;    /* (nx)                                  */
} ss_schur;
ss_reduced ss_reduce_schur(const ss_mlcp *p, ss_arena *a, ss_schur *s, ss_lcp *out);
void       ss_reduce_schur_back(const ss_schur *s, const double *y, double *z);

/* The polygon that is drawn into the friction circle, or around it: its corners in (t, o). */
enum { SS_POLYGON_MAX = 256 };
typedef struct ss_polygon {
    int32_t count;
    double (*corner)[2]; /* (count) */
} ss_polygon;

/*
 * In the circle, unit vectors. Even count: opposite pairs next to each other, the first along t;
 * odd count: by angle.
 */
void ss_polygon_corners(int32_t count, double (*corner)[2]);
/* Around the circle: { f : |e_j.f| <= 1 } of k directions e_j spread over half a turn, the first
   along t; 2k corners in opposite pairs. */
void ss_polygon_around(int32_t k, double (*corner)[2]);

/* Directions of so many friction rows: n for the tangential pair, two for each other row. */
int32_t ss_polygon_directions(const ss_polygon *polygon, int32_t rows);

/* A friction force as directions times beta >= 0 of least sum: the force's gauge. */
void ss_polygon_split(const ss_polygon *polygon, int32_t rows, const double *f, double *beta);

/* reduce_polygon.c: friction balls to inscribed polygons. An lcp, or an mlcp where there are
   equality rows. Local form. */
bool ss_reduce_polygon(const ss_cone *p, const ss_polygon *polygon, ss_arena *a, ss_problem *out);
int32_t ss_reduce_polygon_size(const ss_cone *p, const ss_polygon *polygon);
/* Reactions r (and velocities u = W r + q) to variables of the reduced problem, and back. */
void ss_reduce_polygon_forth(const ss_cone *p, const ss_polygon *polygon, const double *r,
                             const double *u, double *z);
void ss_reduce_polygon_back(const ss_cone *p, const ss_polygon *polygon, const double *z,
                            double *r);

/* Where the variables of a block begin in the reduced problem. */
int32_t ss_reduce_polygon_start(const ss_cone *p, const ss_polygon *polygon, int32_t block);

/* reduce_corner.c: of several branches of contacts one has to hold. Its variables follow p's. */
typedef struct ss_corner_group {
    int32_t  branches;
    int32_t *start;  /* (branches + 1) into normal                        */
    int32_t *normal; /* variables of p that are normal impulses            */
    double   speed;  /* larger than all separation velocities of the group */
} ss_corner_group;
bool ss_reduce_corners(const ss_lcp *p, const ss_corner_group *groups, int32_t count, ss_arena *a,
                       ss_lcp *out);
int32_t ss_reduce_corner_size(const ss_corner_group *groups, int32_t count);

/* reduce_equality.c: equality blocks eliminated. Local form. */
typedef struct ss_eliminated {
    int32_t  ne, nc;      /* equality rows, and the others                                    */
    int32_t *held;        /* (ne) rows of p that are equalities                               */
    int32_t *other;       /* (nc) rows of p that are not                                      */
    double  *scale;       /* (ne) 1 / sqrt(W_ii)                                              */
    double  *L;           /* (ne x ne) Cholesky factor of S W_ee S, permuted                  */
    int32_t *perm;        /* (ne)                                                             */
    int32_t  rank;        /* the rows perm[rank ...] depend on those before                   */
    double  *X;           /* (ne x nc) W_ee^+ W_ec                                            */
    double  *null;        /* (ne x (ne - rank)) null vectors of S W_ee S, orthonormal         */
    double  *work, *step; /* (ne) scratch                                                    */
    double  *q, *lo;      /* (ne) scratch                                                    */
    double  *u;           /* (n) scratch                                                     */
} ss_eliminated;

/* Which rows are held, their factor and null vectors, all but X; pivots below `dependent` are none.
 */
bool ss_factor_equalities(const ss_cone *p, double dependent, ss_arena *a, ss_eliminated *e);
/* With these factors: `out` has the blocks of p that are not equalities, in their order; out->n may
   be 0. */
bool ss_reduce_equality(const ss_cone *p, ss_arena *a, ss_eliminated *e, ss_cone *out);
/* b := W_ee^+ b (ne): the solution of smallest (scaled) norm of W_ee x = b. */
void ss_eliminated_solve(const ss_eliminated *e, double *b);
/* Reactions of p from those of the reduced problem. */
void ss_reduce_equality_back(const ss_cone *p, const ss_eliminated *e, const double *rc, double *r);
/*
 * How far rows are from depending on each other: the least pivot, and (n: ne) the combination of
 * rows of unit size, S u, that it belongs to, with n'S W_ee S n = that pivot. 0: there is none.
 */
double ss_eliminated_weakest(const ss_eliminated *e, double *n);
/* Is that so little that rounding shows in what is divided by it? */
bool ss_eliminated_is_weak(const ss_eliminated *e);
/* The part of q_e that no reaction can cancel (ne): zero unless rows depend on each other. */
void ss_eliminated_mismatch(const ss_eliminated *e, const double *q, double *mismatch);

#endif
