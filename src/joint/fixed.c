/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixed: the frames stay where they are to each other.
 *
 *   p_b - p_a = 0,   a_x.b_z = a_y.b_z = a_x.b_y = 0      (2D: p_b - p_a = 0, a_x.b_y = 0)
 */
#include "joint/joint.h"

static const ss_joint_form planar = {
    .held = 3,
    .hold = {{.kind = SS_SCALAR_POINT, .i = 0},
             {.kind = SS_SCALAR_POINT, .i = 1},
             {.kind = SS_SCALAR_DOT, .i = 0, .j = 1}},
};

static const ss_joint_form spatial = {
    .held = 6,
    .hold = {{.kind = SS_SCALAR_POINT, .i = 0},
             {.kind = SS_SCALAR_POINT, .i = 1},
             {.kind = SS_SCALAR_POINT, .i = 2},
             {.kind = SS_SCALAR_DOT, .i = 0, .j = 2},
             {.kind = SS_SCALAR_DOT, .i = 1, .j = 2},
             {.kind = SS_SCALAR_DOT, .i = 0, .j = 1}},
};

const ss_joint_class ss_joint_fixed = {"fixed", "does not move", &planar, &spatial};
