/* SPDX-License-Identifier: Apache-2.0 */
#include "solver/cone_jordan.h"

#include <math.h>

double ss_jordan_dot(int32_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

double ss_jordan_depth2(int32_t m, const double *x)
{
    double length = sqrt(ss_jordan_dot(m - 1, x + 1, x + 1));
    return (x[0] - length) * (x[0] + length);
}

double ss_jordan_reach(int32_t m, const double *x, const double *d)
{
    double a = ss_jordan_depth2(m, d), b = x[0] * d[0] - ss_jordan_dot(m - 1, x + 1, d + 1),
           c = ss_jordan_depth2(m, x);
    double t = d[0] < 0 ? -x[0] / d[0] : INFINITY, D = b * b - a * c;
    if (m == 1 || D < 0) {
        return t;
    }
    double k = b <= 0 ? sqrt(D) - b : -sqrt(D) - b;
    if (k != 0 && c / k > 0) {
        t = fmin(t, c / k);
    }
    if (a != 0 && k / a > 0) {
        t = fmin(t, k / a);
    }
    return t;
}

void ss_jordan_scaling(int32_t m, const double *s, const double *z, double *W, double *Wi)
{
    double js = ss_jordan_depth2(m, s), jz = ss_jordan_depth2(m, z), is = 1 / sqrt(js),
           iz    = 1 / sqrt(jz);
    double gamma = sqrt((1 + ss_jordan_dot(m, s, z) * is * iz) / 2), size = sqrt(sqrt(js / jz));
    double w[SS_JORDAN_WIDEST] = {0};
    for (int32_t i = 0; i < m; i++) {
        w[i] = (s[i] * is + (i == 0 ? z[i] : -z[i]) * iz) / (2 * gamma);
    }
    double part = 1 / sqrt(2 * (w[0] + 1));
    w[0] += 1;
    for (int32_t j = 0; j < m; j++) {
        for (int32_t i = 0; i < m; i++) {
            double flip = i == j ? (i == 0 ? 1 : -1) : 0, sign = (i == 0) == (j == 0) ? 1 : -1;
            double product = 2 * (w[i] * part) * (w[j] * part);
            W[j * m + i]   = size * (product - flip);
            Wi[j * m + i]  = (sign * product - flip) / size;
        }
    }
}

void ss_jordan_times(int32_t m, const double *A, const double *x, double *y)
{
    for (int32_t i = 0; i < m; i++) {
        y[i] = 0;
        for (int32_t j = 0; j < m; j++) {
            y[i] += A[j * m + i] * x[j];
        }
    }
}

void ss_jordan_divide(int32_t m, const double *lambda, const double *d, double *x)
{
    double first =
        (lambda[0] * d[0] - ss_jordan_dot(m - 1, lambda + 1, d + 1)) / ss_jordan_depth2(m, lambda);
    for (int32_t i = 1; i < m; i++) {
        x[i] = (d[i] - first * lambda[i]) / lambda[0];
    }
    x[0] = first;
}

void ss_jordan_aim(int32_t m, const double *lambda, double target, const double *W,
                   const double *Wi, const double *dz, const double *ds, double *g)
{
    double d[SS_JORDAN_WIDEST] = {0}, x[SS_JORDAN_WIDEST], y[SS_JORDAN_WIDEST];
    d[0]                       = target - ss_jordan_dot(m, lambda, lambda);
    for (int32_t c = 1; c < m; c++) {
        d[c] = -2 * lambda[0] * lambda[c];
    }
    if (dz != NULL) {
        ss_jordan_times(m, Wi, ds, x);
        ss_jordan_times(m, W, dz, y);
        d[0] -= ss_jordan_dot(m, x, y);
        for (int32_t c = 1; c < m; c++) {
            d[c] -= x[0] * y[c] + y[0] * x[c];
        }
    }
    ss_jordan_divide(m, lambda, d, g);
}
