/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prismatic: no turning, and p_b stays on a line of a: its z axis (2D: its x axis).
 *
 *   a_x.x = a_y.x = 0,  a_x.b_z = a_y.b_z = a_x.b_y = 0      (2D: a_y.x = 0, a_x.b_y = 0)
 *
 * with x = p_b - p_a; the coordinate is the displacement along the line.
 */
#include "joint/joint.h"

static const ss_joint_form planar = {
    .held        = 2,
    .hold        = {{.kind = SS_SCALAR_POINT, .i = 1}, {.kind = SS_SCALAR_DOT, .i = 0, .j = 1}},
    .groups      = 1,
    .group_dim   = {1},
    .slip        = {{.kind = SS_SCALAR_POINT, .i = 0}},
    .coordinates = 1,
    .coordinate  = {{.kind = SS_SCALAR_POINT, .i = 0}},
};

static const ss_joint_form spatial = {
    .held        = 5,
    .hold        = {{.kind = SS_SCALAR_POINT, .i = 0},
                    {.kind = SS_SCALAR_POINT, .i = 1},
                    {.kind = SS_SCALAR_DOT, .i = 0, .j = 2},
                    {.kind = SS_SCALAR_DOT, .i = 1, .j = 2},
                    {.kind = SS_SCALAR_DOT, .i = 0, .j = 1}},
    .groups      = 1,
    .group_dim   = {1},
    .slip        = {{.kind = SS_SCALAR_POINT, .i = 2}},
    .coordinates = 1,
    .coordinate  = {{.kind = SS_SCALAR_POINT, .i = 2}},
};

const ss_joint_class ss_joint_prismatic = {"prismatic", "slides along one axis", &planar, &spatial};
