/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sparse nonlinear programs, some of whose variables are complementary (MPECs):
 *
 *   min f(x)   x_low <= x <= x_high,   g_low <= g(x) <= g_high,   0 <= x_a _|_ x_b >= 0 for pairs
 *
 * Complementarity of other expressions is brought into this form by a variable for each, tied to it
 * by a constraint. Only nlp_ipopt.c knows Ipopt; mpec.c drives the relaxation of the pairs to zero.
 */
#ifndef SS_NLP_NLP_H
#define SS_NLP_NLP_H

#include <signal.h>
#include <stdbool.h>

#include "stickslip/solver.h"

/* Everything is borrowed. Functions return nonzero where x lies outside their domain. */
typedef struct ss_nlp {
    int32_t       n, m;
    const double *x_low, *x_high; /* (n) infinite: none                                  */
    const double *g_low, *g_high; /* (m) equal: an equation                              */
    int32_t       jacobian_count; /* entries dg_row/dx_col; those of one place add up             */
    const int32_t *jacobian_row, *jacobian_col;
    int32_t        hessian_count; /* of factor f + lambda g: lower triangle, likewise         */
    const int32_t *hessian_row, *hessian_col;
    int (*objective)(void *user, const double *x, double *f);
    int (*gradient)(void *user, const double *x, double *df); /* (n) */
    int (*constraints)(void *user, const double *x, double *g);
    int (*jacobian)(void *user, const double *x, double *values);
    /* NULL: it is approximated from gradients. */
    int (*hessian)(void *user, const double *x, double factor, const double *lambda,
                   double *values);
    void   *user;
    int32_t pair_count;
    const int32_t (*pairs)[2]; /* (pair_count) variables with x_low 0                         */
    const double *pair_scale;  /* (pair_count) size of the product x_a x_b; NULL: 1           */
} ss_nlp;

/* Start from {0}. */
typedef struct ss_nlp_options {
    double  tolerance;     /* of constraints and optimality, scaled; 0: SS_NLP_TOLERANCE   */
    int32_t iterations;    /* of each solve at most; 0: 500                                */
    bool    near;          /* x is near the solution                                       */
    double  first_relaxed; /* products start below this, times their scale; 0: 1           */
    const volatile sig_atomic_t *interrupt;
} ss_nlp_options;

typedef struct ss_nlp_result {
    ss_outcome outcome; /* SS_SOLVED: a feasible local optimum, pairs complementary to rounding  */
    double     objective;
    double     infeasibility;   /* the largest violation of a constraint or bound               */
    double     complementarity; /* the largest product over its scale                           */
    int32_t    iterations, solves;
} ss_nlp_result;

/* Does this build have a solver, and can it be loaded? */
bool ss_nlp_available(void);

/* From x (n), which becomes the solution. SS_ERR_UNSUPPORTED: there is no solver. */
ss_status ss_nlp_solve(ss_context *ctx, const ss_nlp *p, const ss_nlp_options *options, double *x,
                       ss_nlp_result *out);

/* The same for a program without pairs; lambda (m): multipliers of the constraints, or NULL. */
ss_status ss_nlp_solve_smooth(ss_context *ctx, const ss_nlp *p, const ss_nlp_options *options,
                              double *x, double *lambda, ss_nlp_result *out);

#endif
