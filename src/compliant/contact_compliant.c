/* SPDX-License-Identifier: Apache-2.0 */
/* contact: compliant. Surfaces give by the compliance of their materials (compliant.h). */
#include "model/axes.h"

static const char *refuses(const ss_scene *scene)
{
    const ss_axes *a = &scene->simulation.axes;
    if (ss_inertia_axis[a->inertia]->balanced && ss_cone_axis[a->cone]->flat &&
        scene->dimension == 3) {
        return "contact: compliant with inertia: quasistatic in space wants cone: quadratic: the "
               "balance over a polygon is judged direction by direction, more closely than "
               "springs that share a load determine them";
    }
    if (ss_corners_axis[a->corners]->posed) {
        return "contact: compliant does not go with corners: complementarity, which poses gaps of "
               "rigid bodies; corners: exact works";
    }
    if (a->gap == SS_GAP_VELOCITY) {
        return "contact: compliant follows from the overlap, which gap: velocity drops; expected "
               "gap: position";
    }
    return NULL;
}

const ss_contact_class ss_contact_compliant = {
    .name = "compliant", .gives = true, .refuses = refuses};
