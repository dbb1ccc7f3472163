/* SPDX-License-Identifier: Apache-2.0 */
/* The union of shapes: each part becomes its own geoms. Nonconvex bodies are made of these. */
#include "geom/field_table.h"
#include "geom/geom.h"

static const ss_field fields[] = {
    SS_PARTS_FIELD("shapes, each with its own position and orientation; they may overlap"),
    SS_FIELD_END};

static ss_status build(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at)
{
    for (int32_t i = 0; i < def->part_count; i++) {
        SS_TRY(ss_geom_add_shape(set, &def->parts[i], at));
    }
    return SS_OK;
}

const ss_shape_class ss_shape_union = {
    .name = "union", .dimensions = 5, .fields = fields, .build = build};
