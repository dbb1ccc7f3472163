/* SPDX-License-Identifier: Apache-2.0 */
/* integrator: midpoint. Second order where nothing happens (midpoint.h). */
#include "midpoint/midpoint.h"
#include "model/axes.h"

static const char *refuses(const ss_scene *scene)
{
    const ss_axes *axes = &scene->simulation.axes;
    bool fits = ss_inertia_axis[axes->inertia]->momentum && !ss_joints_axis[axes->joints]->by_rate;
    return fits ? NULL
                : "integrator: midpoint wants inertia: dynamic (without momentum there is nothing "
                  "to integrate) and joints: stabilised or projected; integrator: euler works with "
                  "everything";
}

const ss_integrator_class ss_integrator_midpoint = {.name        = "midpoint",
                                                    .second      = true,
                                                    .close       = ss_close_joints,
                                                    .close_again = ss_close_joints_again,
                                                    .refuses     = refuses};
