/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Box (3D) and rectangle (2D) about their centre. Vertex i lies on the positive side of x, y, z
 * where bits 0, 1, 2 of i are set (2D: counter-clockwise from the lower left); faces are
 * -x, +x, -y, +y, -z, +z (2D: bottom, right, top, left).
 */
#include "geom/field_table.h"
#include "geom/mass.h"
#include "geom/polyhedron.h"

static const ss_field fields[] = {
    SS_LENGTHS_FIELD("size", box.size, "full edge lengths along x, y (and z)"), SS_FIELD_END};

static ss_status build_3d(ss_geom_set *set, ss_vec3 half, const ss_polyhedron **out)
{
    static const int32_t start[7]  = {0, 4, 8, 12, 16, 20, 24};
    static const int32_t faces[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                      2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    ss_vec3              v[8];
    for (int i = 0; i < 8; i++) {
        v[i] = ss_v3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    }
    return ss_polyhedron_make(set, v, 8, start, faces, 6, out);
}

static ss_status build_2d(ss_geom_set *set, ss_vec3 half, const ss_polyhedron **out)
{
    const ss_vec3 v[4] = {
        {-half.x, -half.y, 0}, {half.x, -half.y, 0}, {half.x, half.y, 0}, {-half.x, half.y, 0}};
    return ss_polygon_make(set, v, 4, out);
}

static ss_status build(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at)
{
    ss_shape_params      params = def->params;
    const ss_polyhedron *poly   = NULL;
    if (set->dimension == 2) {
        params.box.size.z = 0;
    }
    ss_vec3 half = ss_scale(0.5, params.box.size);
    SS_TRY(set->dimension == 2 ? build_2d(set, half, &poly) : build_3d(set, half, &poly));
    return ss_geom_add(set, &ss_shape_box, &params, at, poly);
}

static void bounds(const ss_geom *g, const ss_frame *f, ss_aabb *out)
{
    ss_vec3       h = ss_scale(0.5, g->params.box.size);
    const double *m = f->R.m;
    ss_vec3       e = ss_v3(fabs(m[0]) * h.x + fabs(m[1]) * h.y + fabs(m[2]) * h.z,
                            fabs(m[3]) * h.x + fabs(m[4]) * h.y + fabs(m[5]) * h.z,
                            fabs(m[6]) * h.x + fabs(m[7]) * h.y + fabs(m[8]) * h.z);
    out->low        = ss_sub(f->p, e);
    out->high       = ss_add(f->p, e);
}

static ss_vec3 support(const ss_geom *g, ss_vec3 d)
{
    ss_vec3 h = ss_scale(0.5, g->params.box.size);
    return ss_v3(copysign(h.x, d.x), copysign(h.y, d.y), copysign(h.z, d.z));
}

static void mass(const ss_geom *g, int dimension, ss_mass *out)
{
    ss_vec3 s = g->params.box.size;
    double  v = s.x * s.y * (dimension == 2 ? 1 : s.z), k = v / 12;
    *out = ss_mass_centred(v, k * (s.y * s.y + s.z * s.z), k * (s.z * s.z + s.x * s.x),
                           k * (s.x * s.x + s.y * s.y));
}

const ss_shape_class ss_shape_box = {.name       = "box",
                                     .dimensions = 5,
                                     .fields     = fields,
                                     .build      = build,
                                     .bounds     = bounds,
                                     .support    = support,
                                     .mass       = mass};
