/* SPDX-License-Identifier: Apache-2.0 */
/* A set of contact points: each becomes a point of its own. */
#include "geom/field_table.h"
#include "geom/geom.h"

static const ss_field fields[] = {
    SS_POINTS_FIELD(true, "contact points in the shape's coordinates"), SS_FIELD_END};

static ss_status build(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at)
{
    ss_shape_params none = {.sphere = {0}};
    for (int32_t i = 0; i < def->point_count; i++) {
        ss_vec3  x      = def->points[i];
        ss_frame placed = {ss_to_world(at, ss_v3(x.x, x.y, set->dimension == 2 ? 0 : x.z)), at->R};
        SS_TRY(ss_geom_add(set, &ss_shape_point, &none, &placed, NULL));
    }
    return SS_OK;
}

const ss_shape_class ss_shape_points = {
    .name = "points", .dimensions = 5, .fields = fields, .build = build};
