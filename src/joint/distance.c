/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distance: two points, one on each body, keep their distance, |p_b - p_a| = length: a massless
 * rod. With limits it holds nothing by itself and becomes a rope or a strut; with a stiffness it
 * becomes a spring. The coordinate is the distance.
 */
#include "joint/joint.h"

static const ss_joint_form both = {
    .held        = 1,
    .hold        = {{.kind = SS_SCALAR_OFFSET}},
    .groups      = 1,
    .group_dim   = {1},
    .slip        = {{.kind = SS_SCALAR_DISTANCE}},
    .coordinates = 1,
    .coordinate  = {{.kind = SS_SCALAR_DISTANCE}},
    .loosened    = true,
};

const ss_joint_class ss_joint_distance = {"distance", "keeps two points at their distance", &both,
                                          &both};
