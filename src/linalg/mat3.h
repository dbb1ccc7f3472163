/* SPDX-License-Identifier: Apache-2.0 */
/* Small closed-form algebra of 3 x 3 matrices. */
#ifndef SS_LINALG_MAT3_H
#define SS_LINALG_MAT3_H

#include "stickslip/math3.h"

static inline double ss_mat3_det(const ss_mat3 *A)
{
    const double *m = A->m;
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* A^-1 by cofactors: for well-conditioned matrices (inertia tensors). */
static inline ss_mat3 ss_mat3_inverse(const ss_mat3 *A)
{
    const double *m = A->m;
    double        s = 1 / ss_mat3_det(A);
    ss_mat3       B = {{s * (m[4] * m[8] - m[5] * m[7]), s * (m[2] * m[7] - m[1] * m[8]),
                        s * (m[1] * m[5] - m[2] * m[4]), s * (m[5] * m[6] - m[3] * m[8]),
                        s * (m[0] * m[8] - m[2] * m[6]), s * (m[2] * m[3] - m[0] * m[5]),
                        s * (m[3] * m[7] - m[4] * m[6]), s * (m[1] * m[6] - m[0] * m[7]),
                        s * (m[0] * m[4] - m[1] * m[3])}};
    return B;
}

/* A^-1 b */
static inline ss_vec3 ss_mat3_solve(const ss_mat3 *A, ss_vec3 b)
{
    ss_mat3 B = ss_mat3_inverse(A);
    return ss_mul(&B, b);
}

#endif
