/* SPDX-License-Identifier: Apache-2.0 */
/*
 * revolute: the origins coincide and the z axes are parallel; what is left is the angle about z.
 *
 *   p_b - p_a = 0,   a_x.b_z = a_y.b_z = 0      (2D: the first alone, thesis (2.84), (2.85))
 */
#include "joint/joint.h"

static const ss_joint_form planar = {
    .held        = 2,
    .hold        = {{.kind = SS_SCALAR_POINT, .i = 0}, {.kind = SS_SCALAR_POINT, .i = 1}},
    .groups      = 1,
    .group_dim   = {1},
    .slip        = {{SS_SCALAR_ANGLE, 1, 0, 0, 0}},
    .turns       = {true},
    .coordinates = 1,
    .coordinate  = {{SS_SCALAR_ANGLE, 1, 0, 0, 0}},
};

static const ss_joint_form spatial = {
    .held        = 5,
    .hold        = {{.kind = SS_SCALAR_POINT, .i = 0},
                    {.kind = SS_SCALAR_POINT, .i = 1},
                    {.kind = SS_SCALAR_POINT, .i = 2},
                    {.kind = SS_SCALAR_DOT, .i = 0, .j = 2},
                    {.kind = SS_SCALAR_DOT, .i = 1, .j = 2}},
    .groups      = 1,
    .group_dim   = {1},
    .slip        = {{SS_SCALAR_ANGLE, 1, 0, 0, 0}},
    .turns       = {true},
    .coordinates = 1,
    .coordinate  = {{SS_SCALAR_ANGLE, 1, 0, 0, 0}},
};

const ss_joint_class ss_joint_revolute = {"revolute", "turns about one axis", &planar, &spatial};
