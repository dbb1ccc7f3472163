/* SPDX-License-Identifier: Apache-2.0 */
/* Sphere (3D), disc (2D), and the point: a sphere of radius zero that has no mass. */
#include "core/constants.h"
#include "geom/field_table.h"
#include "geom/geom.h"
#include "geom/mass.h"

static const ss_field fields[] = {SS_LENGTH_FIELD("radius", sphere.radius, "of the surface"),
                                  SS_FIELD_END};

static void bounds(const ss_geom *g, const ss_frame *f, ss_aabb *out)
{
    double r  = g->params.sphere.radius;
    out->low  = ss_v3(f->p.x - r, f->p.y - r, f->p.z - r);
    out->high = ss_v3(f->p.x + r, f->p.y + r, f->p.z + r);
}

static ss_vec3 support(const ss_geom *g, ss_vec3 d)
{
    return ss_scale(g->params.sphere.radius, ss_unit(d));
}

static double radius(const ss_geom *g)
{
    return g->params.sphere.radius;
}

static void mass(const ss_geom *g, int dimension, ss_mass *out)
{
    double r = g->params.sphere.radius;
    if (dimension == 2) {
        double area = SS_PI * r * r, I = 0.25 * area * r * r;
        *out = ss_mass_centred(area, I, I, 2 * I);
    } else {
        double volume = 4.0 / 3.0 * SS_PI * r * r * r, I = 0.4 * volume * r * r;
        *out = ss_mass_centred(volume, I, I, I);
    }
}

static ss_status build_point(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at)
{
    (void)def;
    ss_shape_params none = {.sphere = {0}};
    return ss_geom_add(set, &ss_shape_point, &none, at, NULL);
}

const ss_shape_class ss_shape_sphere = {.name       = "sphere",
                                        .dimensions = 3,
                                        .fields     = fields,
                                        .bounds     = bounds,
                                        .support    = support,
                                        .radius     = radius,
                                        .mass       = mass};
const ss_shape_class ss_shape_disc   = {.name       = "disc",
                                        .dimensions = 2,
                                        .fields     = fields,
                                        .bounds     = bounds,
                                        .support    = support,
                                        .radius     = radius,
                                        .mass       = mass};
const ss_shape_class ss_shape_point  = {.name       = "point",
                                        .dimensions = 5,
                                        .build      = build_point,
                                        .bounds     = bounds,
                                        .support    = support,
                                        .radius     = radius};
