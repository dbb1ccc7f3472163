/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/tripod.h"

#include <math.h>

static double twice_area(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

void ss_tripod_weights(const ss_tripod *t, double N[3])
{
    static const double origin[2] = {0, 0};
    double              whole     = twice_area(t->corner[0], t->corner[1], t->corner[2]);
    for (int i = 0; i < 3; i++) {
        double part = twice_area(origin, t->corner[(i + 1) % 3], t->corner[(i + 2) % 3]);
        N[i]        = t->mass * t->gravity * part / whole;
    }
}

static void rates(const ss_tripod *t, const double N[3], const double y[6], double dy[6])
{
    double c = cos(y[2]), s = sin(y[2]);
    double f[3] = {t->pull, 0, -t->pull * (s * t->hook[0] + c * t->hook[1])};
    for (int i = 0; i < 3; i++) {
        const double *at = t->corner[i];
        double        rx = c * at[0] - s * at[1], ry = s * at[0] + c * at[1];
        double        ux = y[3] - y[5] * ry, uy = y[4] + y[5] * rx;
        double        back = t->mu * N[i] / hypot(ux, uy);
        f[0] -= back * ux;
        f[1] -= back * uy;
        f[2] -= back * (rx * uy - ry * ux);
    }
    for (int k = 0; k < 3; k++) {
        dy[k]     = y[3 + k];
        dy[3 + k] = f[k] / (k < 2 ? t->mass : t->inertia);
    }
}

static void runge_kutta(const ss_tripod *t, const double N[3], double h, double y[6])
{
    static const double at[4] = {0, 0.5, 0.5, 1}, share[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double              sum[6] = {0}, slope[6] = {0}, x[6];
    for (int stage = 0; stage < 4; stage++) {
        for (int k = 0; k < 6; k++) {
            x[k] = y[k] + at[stage] * h * slope[k];
        }
        rates(t, N, x, slope);
        for (int k = 0; k < 6; k++) {
            sum[k] += share[stage] * slope[k];
        }
    }
    for (int k = 0; k < 6; k++) {
        y[k] += h * sum[k];
    }
}

void ss_tripod_run(const ss_tripod *t, double duration, int steps, double y[6])
{
    double N[3];
    ss_tripod_weights(t, N);
    for (int i = 0; i < steps; i++) {
        runge_kutta(t, N, duration / steps, y);
    }
}
