/* SPDX-License-Identifier: Apache-2.0 */
/* Is a sum of friction cones pointed? */
#ifndef SS_ANALYSIS_POINTED_H
#define SS_ANALYSIS_POINTED_H

#include "problem/reduce.h"
#include "stickslip/analysis.h"

/*
 * One cone: { p_n W_0 + sum_k p_k W_k : p_n >= 0, |p_f| <= mu p_n }, or the polygon with the given
 * corners instead of the ball. Rows of friction that stand alone have the corners + and -.
 */
typedef struct ss_cone_piece {
    const double     *W;   /* (dim x n) row-major: what unit forces do; the normal first   */
    int32_t           dim; /* 1 without friction; at most 6                                 */
    double            mu;
    const ss_polygon *polygon; /* NULL: the ball                                                */
} ss_cone_piece;

/*
 * An optional convex set that counts as one more piece: { L + sum_k q_k D_k }, each q of `bounds`
 * rows inside a ball (a load, and friction of known bounds that helps to bear it).
 */
typedef struct ss_cone_load {
    const double  *L;     /* (n)                                   */
    const double  *D;     /* rows of n                             */
    const int32_t *dim;   /* (count) rows of each bounded force    */
    const double  *bound; /* (count)                               */
    int32_t        count;
} ss_cone_load;

typedef struct ss_cone_sum {
    int32_t              n; /* dimension of the space */
    int32_t              count;
    const ss_cone_piece *pieces;
    const ss_cone_load  *load; /* NULL: none */
} ss_cone_sum;

/* Doubles that ss_cone_pointed needs. */
size_t ss_cone_pointed_work(int32_t n);

/*
 * Yes: only zero forces add up to zero. No: `forces` (count x 6, and 1 for the load) has nonzero
 * ones that do, normal forces and load adding up to 1. `direction` (n): yes: a direction x with
 * x.w > 0 for every w != 0 of the cones. Both may be NULL.
 */
ss_answer ss_cone_pointed(const ss_cone_sum *K, double *work, double *forces, double *direction);

/* The lowest x.w of a piece with a unit normal force, and its friction b (dim - 1); of the load,
   and its point w. */
double ss_cone_lowest(const ss_cone_piece *p, int32_t n, const double *x, double *b);
double ss_load_lowest(const ss_cone_load *load, int32_t n, const double *x, double *point);

#endif
