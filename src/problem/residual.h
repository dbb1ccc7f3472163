/* SPDX-License-Identifier: Apache-2.0 */
/* The residual of each problem type; ss_residual() picks one. docs/theory/residuals.md defines
 * them. */
#ifndef SS_PROBLEM_RESIDUAL_H
#define SS_PROBLEM_RESIDUAL_H

#include "stickslip/problem.h"

/* residual_cone.c */
double ss_residual_cone(const ss_cone *p, const double *r, const double *v, double *work);
size_t ss_residual_cone_work(const ss_cone *p);

#endif
