/* SPDX-License-Identifier: Apache-2.0 */
/*
 * universal (Cardan): the origins coincide and the z axis of a stays perpendicular to the x axis
 * of b; a's cross turns about a_z, and b turns about the cross.
 *
 *   p_b - p_a = 0,   a_z.b_x = 0
 *
 * Coordinates: the angle of b_x about a_z, and the angle of b about b_x.
 */
#include "joint/joint.h"

static const ss_joint_form spatial = {
    .held        = 4,
    .hold        = {{.kind = SS_SCALAR_POINT, .i = 0},
                    {.kind = SS_SCALAR_POINT, .i = 1},
                    {.kind = SS_SCALAR_POINT, .i = 2},
                    {.kind = SS_SCALAR_DOT, .i = 2, .j = 0}},
    .groups      = 2,
    .group_dim   = {1, 1},
    .slip        = {{SS_SCALAR_ANGLE, 1, 0, 0, 0}, {SS_SCALAR_ANGLE, 2, 1, 2, 2}},
    .turns       = {true, true},
    .coordinates = 2,
    .coordinate  = {{SS_SCALAR_ANGLE, 1, 0, 0, 0}, {SS_SCALAR_ANGLE, 2, 1, 2, 2}},
};

const ss_joint_class ss_joint_universal = {
    "universal", "turns about two perpendicular axes, one of each body", NULL, &spatial};
