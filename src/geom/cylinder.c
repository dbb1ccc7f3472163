/* SPDX-License-Identifier: Apache-2.0 */
/* Cylinder along z, about its middle. */
#include "core/constants.h"
#include "core/elementary.h"
#include "geom/field_table.h"
#include "geom/geom.h"
#include "geom/mass.h"

static const ss_field fields[] = {
    SS_LENGTH_FIELD("radius", capsule.radius, "of the round surface"),
    SS_LENGTH_FIELD("length", capsule.length, "along z, between the flat ends"), SS_FIELD_END};

static void bounds(const ss_geom *g, const ss_frame *f, ss_aabb *out)
{
    double  r = g->params.capsule.radius, half = 0.5 * g->params.capsule.length;
    ss_vec3 u = ss_v3(f->R.m[2], f->R.m[5], f->R.m[8]);
    ss_vec3 e = ss_v3(half * fabs(u.x) + r * sqrt(fmax(0, 1 - u.x * u.x)),
                      half * fabs(u.y) + r * sqrt(fmax(0, 1 - u.y * u.y)),
                      half * fabs(u.z) + r * sqrt(fmax(0, 1 - u.z * u.z)));
    out->low  = ss_sub(f->p, e);
    out->high = ss_add(f->p, e);
}

static ss_vec3 support(const ss_geom *g, ss_vec3 d)
{
    double  around = sqrt(d.x * d.x + d.y * d.y), r = g->params.capsule.radius;
    ss_vec3 x = {0, 0, copysign(0.5 * g->params.capsule.length, d.z)};
    if (around > 0) {
        x.x = r * d.x / around;
        x.y = r * d.y / around;
    }
    return x;
}

static double radius(const ss_geom *g)
{
    return ss_hypot(g->params.capsule.radius, 0.5 * g->params.capsule.length);
}

static void mass(const ss_geom *g, int dimension, ss_mass *out)
{
    double r = g->params.capsule.radius, l = g->params.capsule.length;
    double volume = SS_PI * r * r * l, across = volume * (r * r / 4 + l * l / 12);
    (void)dimension;
    *out = ss_mass_centred(volume, across, across, volume * r * r / 2);
}

const ss_shape_class ss_shape_cylinder = {.name       = "cylinder",
                                          .dimensions = 3,
                                          .fields     = fields,
                                          .bounds     = bounds,
                                          .support    = support,
                                          .radius     = radius,
                                          .mass       = mass};
