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
#include <stddef.h>
#include <stdint.h>

#include "stickslip/problem.h"

/*
 * The size of a diagonal block of W: the largest entry of its diagonal, where rows of friction
 * count together, with the square root of the sum of the squares of their entries. That is the
 * same however the axes along the surface are turned, and must be: where
 * impulses are not unique (four corners of a box that slides and spins), a method ends at another
 * of the answers if its steps are scaled otherwise, and the motion is another one.
 */
static inline double ss_block_size(const ss_block *b, const double *W, size_t ld)
{
    double  most = 0, square = 0;
    int32_t first = b->kind == SS_BLOCK_CONE ? 1 : b->kind == SS_BLOCK_DISK ? 0 : b->dim;
    for (int32_t i = 0; i < first; i++) {
        double x = W[(size_t)i * (ld + 1)];
        most     = x > most ? x : most;
    }
    for (int32_t j = first; j < b->dim; j++) {
        for (int32_t i = first; i < b->dim; i++) {
            double x = W[(size_t)i + (size_t)j * ld];
            square += x * x;
        }
    }
    double friction = sqrt(square);
    return friction > most ? friction : most;
}

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
