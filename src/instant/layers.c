/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boundary layers (Dupont and Yamajako 1997, section IV): contacts of stiffness k/e and damping
 * c/sqrt(e) settle, as e -> 0, like  x'' + c D x' + k D x = 0,  so that each eigenvalue a + ib of D
 * gives two roots of s^2 + (a + ib)(c s + k) = 0. Both are stable exactly if (35)
 *
 *   a > 0   and   a c^2 (a^2 + b^2) - b^2 k > 0,      that is   c^2/k > b^2 / (a (a^2 + b^2)).
 *
 * D must be invertible. Contacts that depend on each other (a box on its four corners) have a
 * singular one: there the rigid limit has no forces of its own, and nothing is said.
 */
#include <math.h>
#include <string.h>

#include "instant/instant_parts.h"
#include "instant/tolerances.h"
#include "linalg/eigen.h"

enum { MOST = 24 };

ss_status ss_layer_stability(ss_context *ctx, const double *D, int32_t n, double *critical,
                             double *eigenvalues)
{
    double work[2 * MOST * MOST], re[MOST], im[MOST], size = 0;
    *critical = 0;
    if (n < 0 || n > MOST) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "layers: 0 to %d contacts, got %d", MOST, (int)n);
    }
    if (n > 0 && !ss_dense_eigenvalues(n, D, work, re, im)) {
        return ss_fail(ctx, SS_ERR_NUMERICAL,
                       "layers: the eigenvalues of the contacts' matrix "
                       "could not be found");
    }
    for (int32_t i = 0; i < n * n; i++) {
        size = fmax(size, fabs(D[i]));
    }
    memcpy(work, D, (size_t)n * (size_t)n * sizeof *work);
    bool none = ss_instant_rank(work, n, n) < n;
    for (int32_t i = 0; i < n; i++) {
        double a = re[i], b = fabs(im[i]) > SS_INSTANT_BORDER * size ? im[i] : 0;
        double need = a > 0 ? b * b / (a * (a * a + b * b)) : INFINITY;
        *critical   = fmax(*critical, need);
        if (eigenvalues != NULL) {
            eigenvalues[2 * i]     = re[i];
            eigenvalues[2 * i + 1] = im[i];
        }
    }
    *critical = none ? NAN : *critical;
    return SS_OK;
}
