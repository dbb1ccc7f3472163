/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gap: position. The whole gap counts (Stewart and Trinkle 1996): u_n = n.v + psi/h >= 0 lets two
 * bodies come as near as they are and pushes apart what overlaps.
 */
#include "model/axes.h"

static double seen(double gap)
{
    return gap;
}

const ss_gap_class ss_gap_position = {
    .name = "position", .seen = seen, .without = &ss_gap_velocity, .kept = true};
