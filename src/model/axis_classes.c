/* SPDX-License-Identifier: Apache-2.0 */
#include "model/axes.h"

#define SS_INERTIA(name, value, ...) [value] = &ss_inertia_##name,
const ss_inertia_class *const ss_inertia_axis[] = {
#include "model/axis_list.h"
};

#define SS_CONE_AXIS(name, value, ...) [value] = &ss_cone_##name,
const ss_cone_class *const ss_cone_axis[] = {
#include "model/axis_list.h"
};

#define SS_GAP(name, value, ...) [value] = &ss_gap_##name,
const ss_gap_class *const ss_gap_axis[] = {
#include "model/axis_list.h"
};

#define SS_CORNERS(name, value, ...) [value] = &ss_corners_##name,
const ss_corners_class *const ss_corners_axis[] = {
#include "model/axis_list.h"
};

#define SS_JOINTS(name, value, ...) [value] = &ss_joints_##name,
const ss_joints_class *const ss_joints_axis[] = {
#include "model/axis_list.h"
};

#define SS_INTEGRATOR(name, value, ...) [value] = &ss_integrator_##name,
const ss_integrator_class *const ss_integrator_axis[] = {
#include "model/axis_list.h"
};

#define SS_GEOMETRY(name, value, ...) [value] = &ss_geometry_##name,
const ss_geometry_class *const ss_geometry_axis[] = {
#include "model/axis_list.h"
};

#define SS_LEVEL_AXIS(name, value, ...) [value] = &ss_level_##name,
const ss_level_class *const ss_level_axis[] = {
#include "model/axis_list.h"
};

#define SS_CONTACT_AXIS(name, value, ...) [value] = &ss_contact_##name,
const ss_contact_class *const ss_contact_axis[] = {
#include "model/axis_list.h"
};

ss_integrator_kind ss_integrator_chosen(const ss_scene *scene)
{
    const ss_axes *axes = &scene->simulation.axes;
    if (ss_level_axis[axes->level]->step != NULL) { /* it integrates by itself */
        return SS_INTEGRATOR_MIDPOINT;
    }
    if (ss_integrator_named(axes) != NULL) {
        return axes->integrator;
    }
    bool second =
        ss_integrator_midpoint.refuses(scene) == NULL && !ss_geometry_axis[axes->geometry]->at_end;
    return second ? SS_INTEGRATOR_MIDPOINT : SS_INTEGRATOR_EULER;
}
