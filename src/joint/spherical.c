/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spherical: the origins coincide, p_b - p_a = 0. Friction is one ball of three torques; the one
 * coordinate is the swing, the angle between the z axes, for limits (a cone of motion) and springs.
 */
#include "joint/joint.h"

static const ss_joint_form spatial = {
    .held        = 3,
    .hold        = {{.kind = SS_SCALAR_POINT, .i = 0},
                    {.kind = SS_SCALAR_POINT, .i = 1},
                    {.kind = SS_SCALAR_POINT, .i = 2}},
    .groups      = 1,
    .group_dim   = {3},
    .slip        = {{.kind = SS_SCALAR_TURN, .i = 0},
                    {.kind = SS_SCALAR_TURN, .i = 1},
                    {.kind = SS_SCALAR_TURN, .i = 2}},
    .turns       = {true},
    .coordinates = 1,
    .coordinate  = {{.kind = SS_SCALAR_SWING, .i = 2}},
};

const ss_joint_class ss_joint_spherical = {"spherical", "turns about a point", NULL, &spatial};
