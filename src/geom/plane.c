/* SPDX-License-Identifier: Apache-2.0 */
/* The half space  normal.x <= offset  (2D: half plane), bounded by a plane (2D: line). */
#include "geom/field_table.h"
#include "geom/geom.h"

static const ss_field fields[] = {
    SS_DIRECTION_FIELD("normal", plane.normal, "out of the solid; any length > 0"),
    SS_REAL_FIELD("offset", plane.offset, 0, -INFINITY, INFINITY,
                  "distance of the surface from the origin along the normal"),
    SS_FIELD_END};

static ss_status check(ss_context *ctx, const ss_shape_def *def, int dimension)
{
    ss_vec3 n = def->params.plane.normal;
    if (n.x == 0 && n.y == 0 && (n.z == 0 || dimension == 2)) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape '%s': normal must not be zero", def->type);
    }
    return SS_OK;
}

/* Unit normal without overflow or underflow for tiny and huge ones. */
static ss_vec3 unit_normal(ss_vec3 n, int dimension)
{
    if (dimension == 2) {
        n.z = 0;
    }
    double largest = fmax(fabs(n.x), fmax(fabs(n.y), fabs(n.z)));
    return ss_unit(ss_v3(n.x / largest, n.y / largest, n.z / largest));
}

static ss_status build(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at)
{
    const ss_shape_class *cls    = ss_shape_find(set->ctx, def->type, set->dimension);
    ss_shape_params       params = def->params;
    params.plane.normal          = unit_normal(params.plane.normal, set->dimension);
    return ss_geom_add(set, cls, &params, at, NULL);
}

/* Unbounded, except above a surface that is perpendicular to an axis of the world. */
static void bounds(const ss_geom *g, const ss_frame *f, ss_aabb *out)
{
    ss_vec3 n      = ss_mul(&f->R, g->params.plane.normal);
    double  offset = g->params.plane.offset + ss_dot(n, f->p);
    out->low       = ss_v3(-INFINITY, -INFINITY, -INFINITY);
    out->high      = ss_v3(INFINITY, INFINITY, INFINITY);
    if (n.y == 0 && n.z == 0) {
        *(n.x > 0 ? &out->high.x : &out->low.x) = n.x > 0 ? offset : -offset;
    } else if (n.z == 0 && n.x == 0) {
        *(n.y > 0 ? &out->high.y : &out->low.y) = n.y > 0 ? offset : -offset;
    } else if (n.x == 0 && n.y == 0) {
        *(n.z > 0 ? &out->high.z : &out->low.z) = n.z > 0 ? offset : -offset;
    }
}

const ss_shape_class ss_shape_plane     = {.name       = "plane",
                                           .dimensions = 3,
                                           .fields     = fields,
                                           .check      = check,
                                           .build      = build,
                                           .bounds     = bounds};
const ss_shape_class ss_shape_halfplane = {.name       = "halfplane",
                                           .dimensions = 2,
                                           .fields     = fields,
                                           .check      = check,
                                           .build      = build,
                                           .bounds     = bounds};
