/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The normal spring: f(x) = k x^p; of two surfaces in series, from x = turn on, where one is down
 * to its core, k2 (x - s)^p, which goes on without a jump. V is its integral.
 *
 * The mean force over the step, from the depth x = -psi at its start to y = -psi' at its end (where
 * a depth below zero is a gap, in which the spring does nothing):
 *
 *   f~(y) = (V(y) - V(x)) / (y - x),      f~'(y) = (f(y) - f~(y)) / (y - x)
 *
 * For depths close to each other both are integrals of f, f' over the way, by Gauss' rule.
 */
#include <math.h>

#include "compliant/compliant.h"
#include "compliant/tolerances.h"
#include "core/compare.h"
#include "core/elementary.h"

static double power(double x, double p)
{
    return p == 1 ? x : p == 2 ? x * x : ss_pow(x, p);
}

double ss_spring_force(const ss_compliance *c, double x)
{
    if (!(x > 0)) {
        return 0;
    }
    return x < c->turn ? c->K[0] * power(x, c->exponent)
                       : c->stiff2 * power(x - c->shift, c->exponent);
}

double ss_spring_slope(const ss_compliance *c, double x)
{
    if (x < 0) {
        return 0;
    }
    if (c->exponent == 1) {
        return x < c->turn ? c->K[0] : c->stiff2;
    }
    return x < c->turn ? c->exponent * c->K[0] * power(x, c->exponent - 1)
                       : c->exponent * c->stiff2 * power(x - c->shift, c->exponent - 1);
}

double ss_spring_energy(const ss_compliance *c, double x)
{
    double q = c->exponent + 1;
    if (!(x > 0)) {
        return 0;
    }
    if (x < c->turn) {
        return c->K[0] * power(x, q) / q;
    }
    double before = c->K[0] * power(c->turn, q) / q;
    return before + c->stiff2 * (power(x - c->shift, q) - power(c->turn - c->shift, q)) / q;
}

double ss_deflection_energy(const ss_compliance *c, const double *x, int32_t dim)
{
    double e = ss_spring_energy(c, x[0]);
    for (int32_t i = 0; i < dim; i++) {
        for (int32_t j = 0; j < dim; j++) {
            e += i + j > 0 ? 0.5 * c->K[3 * i + j] * x[i] * x[j] : 0;
        }
    }
    return e;
}

/* Integrals over s of f(x + s (y - x)) and of s times its slope: f~ and f~' without cancellation.
 */
static double mean_by_rule(const ss_compliance *c, double x, double y, double *slope)
{
    static const double at[3]     = {0.11270166537925831, 0.5, 0.88729833462074169};
    static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    double              sum       = 0;
    *slope                        = 0;
    for (int i = 0; i < 3; i++) {
        double z = x + at[i] * (y - x);
        sum += weight[i] * ss_spring_force(c, z);
        *slope += weight[i] * at[i] * ss_spring_slope(c, z);
    }
    return sum;
}

double ss_spring_mean(const ss_compliance *c, double x, double y, double *slope)
{
    bool linear = c->exponent == 1 && x >= 0 && y >= 0 && ss_max(x, y) < c->turn;
    if (linear) {
        *slope = 0.5 * c->K[0];
        return 0.5 * c->K[0] * (x + y);
    }
    bool close =
        fabs(y - x) <= SS_DEPTHS_CLOSE * ss_max(fabs(x), fabs(y)); /* both on one side of zero */
    bool kinks = (x < c->turn) != (y < c->turn);
    if ((x <= 0 && y <= 0) || (close && !kinks)) {
        return mean_by_rule(c, x, y, slope);
    }
    double mean = (ss_spring_energy(c, y) - ss_spring_energy(c, x)) / (y - x);
    *slope      = (ss_spring_force(c, y) - mean) / (y - x);
    return mean;
}
