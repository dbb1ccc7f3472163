/* SPDX-License-Identifier: Apache-2.0 */
/* The norm of which superellipses are the discs. */
#ifndef SS_GEOM_P_NORM_H
#define SS_GEOM_P_NORM_H

#include <math.h>

#include "core/elementary.h"
#include "stickslip/math3.h"

/*
 * n = (a^p + b^p)^(1/p) for a, b >= 0 and p >= 1, and its derivatives (a/n)^(p-1), (b/n)^(p-1).
 * With r = least / largest and s = 1 + r^p: n = largest s^(1/p), and the derivatives are
 * s^(1/p) / s for the largest and r^(p-1) times that for the least: two powers instead of four,
 * which are most of the time of contacts with such shapes.
 */
static inline double ss_p_norm(double a, double b, double p, double *da, double *db)
{
    double top = fmax(a, b), least = fmin(a, b);
    *da = *db = 0;
    if (top == 0) {
        return 0;
    }
    double r = least / top, u = r > 0 ? ss_pow(r, p - 1) : p == 1;
    double s = 1 + u * r, root = ss_pow(s, 1 / p), large = root / s;
    *da = a >= b ? large : u * large;
    *db = a >= b ? u * large : large;
    return top * root;
}

/* The norm of which superellipsoids are the balls, ||(||(x, y)||_p2, z)||_p1, and its gradient. */
static inline double ss_nested_norm(ss_vec3 x, double p1, double p2, ss_vec3 *gradient)
{
    double around, gx, gy, gz;
    double flat = ss_p_norm(fabs(x.x), fabs(x.y), p2, &gx, &gy);
    double norm = ss_p_norm(flat, fabs(x.z), p1, &around, &gz);
    *gradient   = ss_v3(copysign(around * gx, x.x), copysign(around * gy, x.y), copysign(gz, x.z));
    return norm;
}

#endif
