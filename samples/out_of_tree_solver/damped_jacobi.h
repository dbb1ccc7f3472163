/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DAMPED_JACOBI_H
#define DAMPED_JACOBI_H

#include <stickslip/solver.h>

extern const ss_solver_class damped_jacobi;

#endif
