/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The law of dry friction at a point, as an equation F(r, u) = 0 between m reactions and m slips
 * that any Newton method can use (Alart and Curnier, CMAME 92 (1991) 353). With y = r - s u and the
 * limit L,
 *
 *   stick  |y| <= L     F = s u
 *   slip                F = r - L z,   z = y / |y|
 *
 * s > 0 turns slips into units of reaction: one over the diagonal of W, or 1 where both have been
 * scaled before. The certificate has code of its own (problem/residual_cone.c).
 */
#ifndef SS_SOLVER_FRICTION_LAW_H
#define SS_SOLVER_FRICTION_LAW_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct ss_friction_point {
    bool   sticks;
    double length; /* |y|; sticks: 1           */
    double g;      /* L / |y|; sticks: 1       */
    double error;  /* |F|^2                    */
} ss_friction_point;

/* z (m): the direction of slip; sticks: 0. Inline, so that the compiler may know m. */
static inline ss_friction_point ss_friction_law(int32_t m, double s, double L, const double *r,
                                                const double *u, double *z, double *F)
{
    double length = 0, error = 0;
    for (int32_t i = 0; i < m; i++) {
        z[i] = r[i] - u[i] * s;
        length += z[i] * z[i];
    }
    if (length <= L * L) {
        for (int32_t i = 0; i < m; i++) {
            F[i] = u[i] * s;
            z[i] = 0;
            error += F[i] * F[i];
        }
        return (ss_friction_point){true, 1, 1, error};
    }
    length   = sqrt(length);
    double g = L / length;
    for (int32_t i = 0; i < m; i++) {
        F[i] = r[i] - g * z[i];
        z[i] = z[i] / length;
        error += F[i] * F[i];
    }
    return (ss_friction_point){false, length, g, error};
}

#endif
