/* SPDX-License-Identifier: Apache-2.0 */
/* joints: stabilised. A step closes what it finds open: J v + phi/h = 0 (thesis 2.6). */
#include "model/axes.h"

static double bias(double phi, double rate, double h)
{
    (void)rate;
    return phi / h;
}

const ss_joints_class ss_joints_stabilised = {.name = "stabilised", .bias = bias};
