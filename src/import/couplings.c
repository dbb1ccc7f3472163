/* SPDX-License-Identifier: Apache-2.0 */
/* Joints that go together: which of them scenes can couple (docs/theory/joints.md). */
#include <math.h>
#include <string.h>

#include "import/robot.h"

static bool has_one_coordinate(const ss_part_joint *j)
{
    return strcmp(j->type, "revolute") == 0 || strcmp(j->type, "prismatic") == 0;
}

static const ss_part_joint *joint_named(const ss_robot *r, const char *name)
{
    int32_t i = ss_name_find(&r->joint_names, name);
    return i >= 0 ? &r->joints[i] : NULL;
}

const ss_part_joint *ss_robot_leader(const ss_robot *r, const ss_part_joint *j, const char **why)
{
    const ss_part_joint *lead = joint_named(r, j->leads);
    *why                      = lead == NULL ? "that one does not move"
                                : !has_one_coordinate(j) || !has_one_coordinate(lead)
                                    ? "revolute and prismatic joints can be coupled"
                                : lead == j                            ? "that is itself"
                                : j->ratio == 0 || !isfinite(j->ratio) ? "its ratio is none"
                                                                       : NULL;
    return *why == NULL ? lead : NULL;
}
