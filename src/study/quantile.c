/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inverse of the normal distribution, algorithm AS 241 (PPND16) of Wichura, Applied Statistics
 * 37 (1988): rational functions in q = p - 1/2 near the middle and in r = sqrt(-log(min(p, 1-p)))
 * in the tails; relative accuracy about 1e-16. One uniform number gives one normal number, which is
 * what stratified samples need.
 */
#include "study/quantile.h"

#include <math.h>
#include <stdbool.h>

#include "core/constants.h"
#include "core/elementary.h"

/* c[0] + c[1] x + .. + c[7] x^7 */
static double polynomial(const double c[8], double x)
{
    double y = c[7];
    for (int i = 6; i >= 0; i--) {
        y = y * x + c[i];
    }
    return y;
}

static double middle(double q)
{
    static const double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double b[8] = {1.0,
                                4.2313330701600911252e+1,
                                6.8718700749205790830e+2,
                                5.3941960214247511077e+3,
                                2.1213794301586595867e+4,
                                3.9307895800092710610e+4,
                                2.8729085735721942674e+4,
                                5.2264952788528545610e+3};
    double              r    = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
}

static double tail(double r)
{
    static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                5.76949722146069140550e0,  3.64784832476320460504e0,
                                1.27045825245236838258e0,  2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[8] = {1.0,
                                2.05319162663775882187e0,
                                1.67638483018380384940e0,
                                6.89767334985100004550e-1,
                                1.48103976427480074590e-1,
                                1.51986665636164571966e-2,
                                5.47593808499534494600e-4,
                                1.05075007164441684324e-9};
    static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[8] = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};
    if (r <= 5) {
        return polynomial(c, r - 1.6) / polynomial(d, r - 1.6);
    }
    return polynomial(e, r - 5) / polynomial(f, r - 5);
}

double ss_normal_quantile(double p)
{
    double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        return middle(q);
    }
    double x = tail(sqrt(-ss_ln(q < 0 ? p : 1 - p)));
    return q < 0 ? -x : x;
}

/* The probability of |x| < t (Abramowitz and Stegun 26.7.3, 26.7.4): a sum of n / 2 terms. */
static double student_within(double t, int n)
{
    double angle = ss_atan2(t, sqrt(n)), c = sqrt(n / (n + t * t)), s = t / sqrt(n + t * t);
    bool   odd = n % 2 != 0;
    double sum = 0, term = odd ? c : 1;
    for (int k = odd ? 3 : 2; k <= n; k += 2) {
        sum += term;
        term *= c * c * (k - 1) / k;
    }
    return odd ? 2 * (angle + s * sum) / SS_PI : s * sum;
}

static double student_few(double p, int n)
{
    double low = 0, high = 1;
    while (student_within(high, n) < 2 * p - 1) {
        high *= 2;
    }
    for (int i = 0; i < 100; i++) {
        double at                                           = (low + high) / 2;
        *(student_within(at, n) < 2 * p - 1 ? &low : &high) = at;
    }
    return (low + high) / 2;
}

/* Abramowitz and Stegun 26.7.5. */
static double student_many(double p, double n)
{
    double z = ss_normal_quantile(p), z2 = z * z;
    double g1 = z * (z2 + 1) / 4, g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
    double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
    double g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
    return z + (g1 + (g2 + (g3 + g4 / n) / n) / n) / n;
}

double ss_student_quantile(double p, double degrees)
{
    enum { MANY = 30 };
    if (p < 0.5) {
        return -ss_student_quantile(1 - p, degrees);
    }
    return degrees < 1      ? INFINITY
           : degrees < MANY ? student_few(p, (int)degrees)
                            : student_many(p, degrees);
}
