/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_CORE_HERMITE_H
#define SS_CORE_HERMITE_H

/* At the part u of a piece of the width h: the cubic with values y and slopes s at its two ends. */
static inline double ss_hermite(double u, double h, double y0, double y1, double s0, double s1)
{
    double v = 1 - u;
    return y0 * v * v * (1 + 2 * u) + y1 * u * u * (1 + 2 * v) + h * u * v * (s0 * v - s1 * u);
}

#endif
