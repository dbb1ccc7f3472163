/* SPDX-License-Identifier: Apache-2.0 */
/* geometry: implicit. Gaps, normals and wrenches at the end of the step (implicit.h). */
#include "model/axes.h"

static const char *refuses(const ss_scene *scene)
{
    const ss_axes             *a      = &scene->simulation.axes;
    const ss_joints_class     *joints = ss_joints_axis[a->joints];
    const ss_integrator_class *named  = ss_integrator_named(a);
    if (named != NULL && named->second) {
        return "geometry: implicit takes gaps at the end of a step x' = x + h v': it wants "
               "integrator: euler (geometry: explicit works with both)";
    }
    if (!ss_gap_axis[a->gap]->kept) {
        return "geometry: implicit is about the gap at the end of the step, which gap: velocity "
               "drops; expected gap: position";
    }
    if (ss_corners_axis[a->corners]->posed) {
        return "geometry: implicit wants convex functions, corners: complementarity poses corners "
               "at the start of the step; expected corners: exact or convex";
    }
    if (joints->by_rate || joints->close != NULL) {
        return "geometry: implicit closes joints at the end of the step by itself; expected "
               "joints: stabilised";
    }
    return NULL;
}

const ss_geometry_class ss_geometry_implicit = {
    .name = "implicit", .at_end = true, .refuses = refuses};
