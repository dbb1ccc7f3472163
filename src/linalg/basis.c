/* SPDX-License-Identifier: Apache-2.0 */
/* Gram and Schmidt's method, each vector twice: then the angles are right to rounding. */
#include "linalg/basis.h"

#include <stddef.h>
#include <string.h>

#include "linalg/tolerances.h"
#include "linalg/vector.h"

void ss_basis_leave(int32_t n, const double *Q, int32_t rank, double *x)
{
    for (int32_t j = 0; j < rank; j++, Q += n) {
        ss_vector_add(n, x, -ss_vector_dot(n, Q, x), Q);
    }
}

bool ss_basis_add(int32_t n, double *Q, int32_t *rank, double *x, double tol)
{
    ss_basis_leave(n, Q, *rank, x);
    ss_basis_leave(n, Q, *rank, x); /* what rounding left */
    double norm = ss_vector_norm(n, x);
    if (*rank >= n || !(norm > tol)) {
        return false;
    }
    double *q = Q + (ptrdiff_t)*rank * n;
    for (int32_t i = 0; i < n; i++) {
        q[i] = x[i] / norm;
    }
    *rank += 1;
    return true;
}

/* The coordinate axis that lies furthest outside the basis. */
static int32_t furthest_axis(int32_t n, const double *Q, int32_t rank)
{
    int32_t best = 0;
    double  most = -1;
    for (int32_t i = 0; i < n; i++) {
        double outside = 1;
        for (int32_t j = 0; j < rank; j++) {
            outside -= Q[i + (ptrdiff_t)j * n] * Q[i + (ptrdiff_t)j * n];
        }
        if (outside >
            most + SS_EQUALLY_FAR) { /* of equals the first: the same basis on every machine */
            most = outside;
            best = i;
        }
    }
    return best;
}

void ss_basis_complete(int32_t n, double *Q, int32_t rank)
{
    while (rank < n) {
        double *fresh = Q + (ptrdiff_t)rank * n;
        memset(fresh, 0, (size_t)n * sizeof *fresh);
        fresh[furthest_axis(n, Q, rank)] = 1;
        ss_basis_add(n, Q, &rank, fresh, 0);
    }
}
