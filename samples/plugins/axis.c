/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of model axes: `gap: eased` closes a fifth of an overlap in each step (like position,
 * which closes all of it), `joints: eased` a fifth of a joint's opening.
 */
#include <stickslip/plugin.h>

static const double share = 0.2;

static double seen(double gap)
{
    return gap < 0 ? share * gap : gap;
}

static double bias(double phi, double rate, double h)
{
    (void)rate;
    return share * phi / h;
}

static const ss_axis_kind gap = {.axis    = "gap",
                                 .name    = "eased",
                                 .summary = "a fifth of an overlap is closed in each step",
                                 .like    = "position",
                                 .seen    = seen};

static const ss_axis_kind joints = {.axis    = "joints",
                                    .name    = "eased",
                                    .summary = "a fifth of an opening is closed in each step",
                                    .like    = "stabilised",
                                    .bias    = bias};

static const ss_axis_kind *const axes[] = {&gap, &joints, NULL};

SS_PLUGIN_TABLE = {SS_PLUGIN_HEADER, "eased", "overlaps and joints close gently", .axes = axes};
