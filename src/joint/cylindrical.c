/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cylindrical: p_b stays on the z axis of a and the z axes are parallel; slides along z and turns
 * about it.
 *
 *   a_x.x = a_y.x = 0,   a_x.b_z = a_y.b_z = 0,   x = p_b - p_a
 */
#include "joint/joint.h"

static const ss_joint_form spatial = {
    .held        = 4,
    .hold        = {{.kind = SS_SCALAR_POINT, .i = 0},
                    {.kind = SS_SCALAR_POINT, .i = 1},
                    {.kind = SS_SCALAR_DOT, .i = 0, .j = 2},
                    {.kind = SS_SCALAR_DOT, .i = 1, .j = 2}},
    .groups      = 2,
    .group_dim   = {1, 1},
    .slip        = {{.kind = SS_SCALAR_POINT, .i = 2}, {SS_SCALAR_ANGLE, 1, 0, 0, 0}},
    .turns       = {false, true},
    .coordinates = 2,
    .coordinate  = {{.kind = SS_SCALAR_POINT, .i = 2}, {SS_SCALAR_ANGLE, 1, 0, 0, 0}},
};

const ss_joint_class ss_joint_cylindrical = {
    "cylindrical", "slides along an axis and turns about it", NULL, &spatial};
