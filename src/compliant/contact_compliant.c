/* SPDX-License-Identifier: Apache-2.0 */
/* contact: compliant. Surfaces give by the compliance of their materials (compliant.h). */
#include <math.h>

#include "model/axes.h"

/* The least stiffness on the diagonal of a surface that gives, divided by how many are in series.
 */
static double softest(const ss_compliance_def *c, int dimension, double in_series)
{
    double least = INFINITY;
    for (int i = 0; i < dimension && c->stiffness[0] > 0; i++) {
        least = fmin(least, c->stiffness[4 * i] / in_series);
    }
    return least;
}

/*
 * Springs act with the force of the start of the step, contacts that give with that of its end:
 * without momentum a step moves a body by (change of force)/(contact's stiffness), and the spring's
 * force by its own stiffness times that. A spring as stiff as the contact never comes to an end.
 */
static bool springs_outdo_contacts(const ss_scene *scene)
{
    double springs = 0, contact = INFINITY;
    for (int32_t i = 0; i < scene->force_count; i++) {
        springs = fmax(springs, scene->forces[i].stiffness);
    }
    for (int32_t i = 0; i < scene->material_count; i++) {
        contact = fmin(contact, softest(&scene->materials[i].compliance, scene->dimension, 2));
    }
    for (int32_t i = 0; i < scene->pair_count; i++) {
        contact = fmin(contact, softest(&scene->pairs[i].compliance, scene->dimension, 1));
    }
    return springs >= contact;
}

static const char *refuses(const ss_scene *scene)
{
    const ss_axes *a = &scene->simulation.axes;
    if (ss_inertia_axis[a->inertia]->balanced && ss_cone_axis[a->cone]->flat &&
        scene->dimension == 3) {
        return "contact: compliant with inertia: quasistatic in space wants cone: quadratic: the "
               "balance over a polygon is judged direction by direction, more closely than "
               "springs that share a load determine them";
    }
    if (ss_inertia_axis[a->inertia]->balanced && springs_outdo_contacts(scene)) {
        return "contact: compliant with inertia: quasistatic wants springs that are softer than "
               "the "
               "contacts (of two surfaces that give: half the softer one's stiffness): they act "
               "with their force at the start of the step";
    }
    if (ss_inertia_axis[a->inertia]->momentum && ss_joints_axis[a->joints]->close != NULL &&
        !ss_integrator_axis[ss_integrator_chosen(scene)]->second) {
        return "contact: compliant does not go with joints: projected and integrator: euler: what "
               "moves bodies onto their joints presses them into the contacts, which makes energy; "
               "joints: stabilised or integrator: midpoint works";
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
