/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gap: velocity. What touches or overlaps is not pushed apart (Anitescu and Potra 1997): u_n = n.v.
 * A solution then exists for surfaces at rest.
 */
#include "model/axes.h"

static double seen(double gap)
{
    return gap < 0 ? 0 : gap;
}

const ss_gap_class ss_gap_velocity = {.name = "velocity", .seen = seen};
