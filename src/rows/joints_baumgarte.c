/* SPDX-License-Identifier: Apache-2.0 */
/*
 * joints: baumgarte. The opening decays like that of a critically damped spring (Baumgarte 1972),
 * phi'' + 2/T phi' + phi/T^2 = 0, over T of some steps. For comparison.
 */
#include "model/axes.h"

static double bias(double phi, double rate, double h)
{
    const double steps = 5; /* T in steps */
    return (phi / (h * steps * steps) - rate) / (1 + 2 / steps);
}

const ss_joints_class ss_joints_baumgarte = {.name = "baumgarte", .bias = bias, .by_rate = true};
