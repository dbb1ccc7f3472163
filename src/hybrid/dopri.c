/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The method of Dormand and Prince (1980), of order 5 with an error estimate of order 4, and
 * Hairer's continuous extension of order 4 (Hairer, Norsett and Wanner, Solving ODEs I, II.5,
 * II.6). Orientations are integrated as quaternions and made unit length where they are used: the
 * length is off by the error of the step.
 */
#include <math.h>
#include <string.h>

#include "hybrid/hybrid.h"
#include "hybrid/tolerances.h"

static const double c[SS_STAGES]                = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
static const double a[SS_STAGES][SS_STAGES - 1] = {
    {0},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
/* Order 5 minus order 4. */
static const double e[SS_STAGES]  = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                                     -17253. / 339200, 22. / 525, -1. / 40};
static const double d5[SS_STAGES] = {-12715105075. / 11282082432,  0,
                                     87487479700. / 32700410799,   -10690763975. / 1880347072,
                                     701980252875. / 199316789632, -1453857185. / 822651844,
                                     69997945. / 29380423};

static double error_of(const ss_hybrid *h, double step)
{
    double worst = 0;
    for (int32_t i = 0; i < h->ny; i++) {
        double sum = 0;
        for (int s = 0; s < SS_STAGES; s++) {
            sum += e[s] * h->k[s][i];
        }
        worst = fmax(worst, fabs(step * sum) / h->scale[i]);
    }
    return worst;
}

/* worst: the last stage, or the first that could not be evaluated. */
ss_status ss_dopri_step(const ss_model *m, ss_data *d, double t, double step, double *error,
                        ss_flow *worst)
{
    ss_hybrid *h = d->hybrid;
    for (int s = 1; s < SS_STAGES; s++) {
        memcpy(h->y_end, h->y, (size_t)h->ny * sizeof *h->y);
        for (int j = 0; j < s; j++) {
            for (int32_t i = 0; a[s][j] != 0 && i < h->ny; i++) {
                h->y_end[i] += step * a[s][j] * h->k[j][i];
            }
        }
        SS_TRY(ss_hybrid_flow(m, d, t + c[s] * step, h->y_end, h->k[s], worst));
        if (worst->lost || !worst->finite) {
            return SS_OK;
        }
    }
    *error = error_of(h, step);
    return SS_OK;
}

void ss_dopri_dense(ss_hybrid *h, double step)
{
    for (int32_t i = 0; i < h->ny; i++) {
        double sum = 0, diff = h->y_end[i] - h->y[i];
        for (int s = 0; s < SS_STAGES; s++) {
            sum += d5[s] * h->k[s][i];
        }
        h->dense[0][i] = h->y[i];
        h->dense[1][i] = diff;
        h->dense[2][i] = step * h->k[0][i] - diff;
        h->dense[3][i] = diff - step * h->k[SS_STAGES - 1][i] - h->dense[2][i];
        h->dense[4][i] = step * sum;
    }
}

void ss_dopri_at(const ss_hybrid *h, double theta, double *y)
{
    double rest = 1 - theta;
    for (int32_t i = 0; i < h->ny; i++) {
        y[i] = h->dense[0][i] +
               theta * (h->dense[1][i] +
                        rest * (h->dense[2][i] + theta * (h->dense[3][i] + rest * h->dense[4][i])));
    }
}
