/* SPDX-License-Identifier: Apache-2.0 */
/* Capsule: all points within `radius` of a segment of `length` along z, about its middle. */
#include "core/constants.h"
#include "geom/field_table.h"
#include "geom/geom.h"
#include "geom/mass.h"

static const ss_field fields[] = {
    SS_LENGTH_FIELD("radius", capsule.radius, "of the cylindrical part and of the ends"),
    SS_LENGTH_FIELD("length", capsule.length, "of the cylindrical part, along z"), SS_FIELD_END};

static void bounds(const ss_geom *g, const ss_frame *f, ss_aabb *out)
{
    double  r = g->params.capsule.radius, half = 0.5 * g->params.capsule.length;
    ss_vec3 u = ss_v3(f->R.m[2], f->R.m[5], f->R.m[8]);
    ss_vec3 e = ss_v3(r + half * fabs(u.x), r + half * fabs(u.y), r + half * fabs(u.z));
    out->low  = ss_sub(f->p, e);
    out->high = ss_add(f->p, e);
}

static ss_vec3 support(const ss_geom *g, ss_vec3 d)
{
    ss_vec3 x = ss_scale(g->params.capsule.radius, ss_unit(d));
    x.z += copysign(0.5 * g->params.capsule.length, d.z);
    return x;
}

static double radius(const ss_geom *g)
{
    return g->params.capsule.radius + 0.5 * g->params.capsule.length;
}

/* A cylinder and two half balls, whose centres of mass lie 3/8 r from their flat sides. */
static void mass(const ss_geom *g, int dimension, ss_mass *out)
{
    double r = g->params.capsule.radius, l = g->params.capsule.length;
    double tube = SS_PI * r * r * l, ball = 4.0 / 3.0 * SS_PI * r * r * r;
    double across =
        tube * (r * r / 4 + l * l / 12) + ball * (0.4 * r * r + l * l / 4 + 3.0 / 8.0 * l * r);
    (void)dimension;
    *out = ss_mass_centred(tube + ball, across, across, r * r * (tube / 2 + 0.4 * ball));
}

const ss_shape_class ss_shape_capsule = {.name       = "capsule",
                                         .dimensions = 3,
                                         .fields     = fields,
                                         .bounds     = bounds,
                                         .support    = support,
                                         .radius     = radius,
                                         .mass       = mass};
