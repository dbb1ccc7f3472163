/* SPDX-License-Identifier: Apache-2.0 */
/* The convex hull of points, given or read from a mesh file. */
#include "geom/field_table.h"
#include "geom/hull.h"
#include "geom/mesh_file.h"

static const ss_field fields[] = {SS_POINTS_FIELD(false, "points whose convex hull is the shape"),
                                  SS_MESH_FIELDS(false), SS_FIELD_END};

static ss_status check(ss_context *ctx, const ss_shape_def *def, int dimension)
{
    (void)dimension;
    if ((def->point_count > 0) == (def->file != NULL)) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape '%s': give either points or file", def->type);
    }
    return ss_mesh_scale_check(ctx, def);
}

static ss_status build(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at)
{
    const ss_polyhedron *poly;
    ss_mesh              mesh = {0};
    if (def->file == NULL) {
        SS_TRY(ss_hull_build(set, def->points, def->point_count, "shape 'convex'", &poly));
    } else {
        SS_TRY(ss_mesh_read(set, def->file, def->scale == 0 ? 1 : def->scale, &mesh));
        SS_TRY(ss_hull_build(set, mesh.vertices, mesh.vertex_count, def->file, &poly));
        ss_log(set->ctx, SS_LOG_INFO,
               "%s: the hull of its %d vertices is used, with %d vertices and %d faces", def->file,
               mesh.vertex_count, poly->vertex_count, poly->face_count);
    }
    return ss_geom_add(set, &ss_shape_convex, &def->params, at, poly);
}

const ss_shape_class ss_shape_convex = {.name       = "convex",
                                        .dimensions = 3,
                                        .fields     = fields,
                                        .check      = check,
                                        .build      = build,
                                        .bounds     = ss_polyhedron_bounds,
                                        .support    = ss_polyhedron_support,
                                        .mass       = ss_polyhedron_mass};
