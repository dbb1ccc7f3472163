/* SPDX-License-Identifier: Apache-2.0 */
/* corners: complementarity. Small pairs go into the problem whole, which decides (corner_groups.c).
 */
#include "model/axes.h"

static const char *refuses(const ss_scene *scene)
{
    const ss_axes *axes = &scene->simulation.axes;
    bool fits = ss_cone_axis[axes->cone]->flat && !ss_inertia_axis[axes->inertia]->balanced &&
                scene->joint_count == 0;
    return fits ? NULL
                : "corners: complementarity is a linear problem of contacts alone: it wants cone: "
                  "{polygon: n}, inertia: dynamic or damped, and no joints (corners: exact has the "
                  "same solutions and works with everything)";
}

const ss_corners_class ss_corners_complementarity = {
    .name = "complementarity", .posed = true, .refuses = refuses};
