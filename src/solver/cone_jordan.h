/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The algebra of the cone {x_0 >= |x_f|} that interior points need, with the product
 * a o b = (a.b, a_0 b_f + b_0 a_f). Matrices are m x m, column by column.
 */
#ifndef SS_SOLVER_CONE_JORDAN_H
#define SS_SOLVER_CONE_JORDAN_H

#include <stdint.h>

#include "solver/cone_block.h"

enum { SS_JORDAN_WIDEST = SS_BLOCK_EXACT };

double ss_jordan_dot(int32_t n, const double *x, const double *y);

/* x_0^2 - |x_f|^2, without cancelling near the boundary. */
double ss_jordan_depth2(int32_t m, const double *x);

/* The largest t with x + t d in the cone; x lies inside. */
double ss_jordan_reach(int32_t m, const double *x, const double *d);

/* W with W^-1 s = W z, and its inverse (Nesterov and Todd); both are symmetric. */
void ss_jordan_scaling(int32_t m, const double *s, const double *z, double *W, double *Wi);

/* y := A x */
void ss_jordan_times(int32_t m, const double *A, const double *x, double *y);

/* x := the solution of lambda o x = d. */
void ss_jordan_divide(int32_t m, const double *lambda, const double *d, double *x);

/*
 * g := lambda \ (target e - lambda o lambda - second), the right side of W dz + W^-1 ds = g, with
 * second = (W^-1 ds) o (W dz) for the step dz, ds that the predictor took (none: dz is NULL).
 */
void ss_jordan_aim(int32_t m, const double *lambda, double target, const double *W,
                   const double *Wi, const double *dz, const double *ds, double *g);

#endif
