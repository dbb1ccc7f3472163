/* SPDX-License-Identifier: Apache-2.0 */
/* Nelder and Mead's method for a few unknowns and a rough function. */
#ifndef SS_VALIDATE_SIMPLEX_H
#define SS_VALIDATE_SIMPLEX_H

enum { SIMPLEX_MOST = 8 };

/* May return HUGE_VAL where x is not allowed. */
typedef double (*simplex_fn)(void *user, const double *x);

/* From x, with first steps `step` along the axes; x becomes the best point. Returns its value. */
double simplex_minimise(simplex_fn f, void *user, double *x, const double *step, int n, int rounds);

#endif
