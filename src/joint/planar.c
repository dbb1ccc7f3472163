/* SPDX-License-Identifier: Apache-2.0 */
/*
 * planar: p_b stays in the xy plane of a and the z axes are parallel; slides along x and y (one
 * friction disk for both) and turns about z.
 *
 *   a_z.x = 0,   a_x.b_z = a_y.b_z = 0,   x = p_b - p_a
 */
#include "joint/joint.h"

static const ss_joint_form spatial = {
    .held        = 3,
    .hold        = {{.kind = SS_SCALAR_POINT, .i = 2},
                    {.kind = SS_SCALAR_DOT, .i = 0, .j = 2},
                    {.kind = SS_SCALAR_DOT, .i = 1, .j = 2}},
    .groups      = 2,
    .group_dim   = {2, 1},
    .slip        = {{.kind = SS_SCALAR_POINT, .i = 0},
                    {.kind = SS_SCALAR_POINT, .i = 1},
                    {SS_SCALAR_ANGLE, 1, 0, 0, 0}},
    .turns       = {false, true},
    .coordinates = 3,
    .coordinate  = {{.kind = SS_SCALAR_POINT, .i = 0},
                    {.kind = SS_SCALAR_POINT, .i = 1},
                    {SS_SCALAR_ANGLE, 1, 0, 0, 0}},
};

const ss_joint_class ss_joint_planar = {"planar", "slides in a plane and turns about its normal",
                                        NULL, &spatial};
