/* SPDX-License-Identifier: Apache-2.0 */
/* Short ways to write the rows of a shape's field table. */
#ifndef SS_GEOM_FIELD_TABLE_H
#define SS_GEOM_FIELD_TABLE_H

#include <math.h>

#include "stickslip/shape.h"

#define SS_PARAM(member) offsetof(ss_shape_def, params.member)

/* a length that must be given and be positive */
#define SS_LENGTH_FIELD(name, member, doc)                                                         \
    {                                                                                              \
        name, SS_FIELD_REAL, 5, true, false, SS_PARAM(member), 0, 0, 0, INFINITY, doc              \
    }
/* lengths along the axes, all positive */
#define SS_LENGTHS_FIELD(name, member, doc)                                                        \
    {                                                                                              \
        name, SS_FIELD_VECTOR, 5, true, false, SS_PARAM(member), 0, 0, 0, INFINITY, doc            \
    }
/* a number with a default */
#define SS_REAL_FIELD(name, member, initial, low, high, doc)                                       \
    {                                                                                              \
        name, SS_FIELD_REAL, 5, false, false, SS_PARAM(member), 0, initial, low, high, doc         \
    }
/* a direction that must be given */
#define SS_DIRECTION_FIELD(name, member, doc)                                                      \
    {                                                                                              \
        name, SS_FIELD_VECTOR, 5, true, false, SS_PARAM(member), 0, 0, -INFINITY, INFINITY, doc    \
    }
/* vertices */
#define SS_POINTS_FIELD(required, doc)                                                             \
    {                                                                                              \
        "points", SS_FIELD_POINTS, 5, required, true, offsetof(ss_shape_def, points),              \
            offsetof(ss_shape_def, point_count), 0, -INFINITY, INFINITY, doc                       \
    }
/* file and scale of a mesh */
#define SS_MESH_FIELDS(required)                                                                   \
    {"file",                                                                                       \
     SS_FIELD_FILE,                                                                                \
     5,                                                                                            \
     required,                                                                                     \
     false,                                                                                        \
     offsetof(ss_shape_def, file),                                                                 \
     0,                                                                                            \
     0,                                                                                            \
     0,                                                                                            \
     0,                                                                                            \
     "mesh file: STL, OBJ, DAE"},                                                                  \
    {                                                                                              \
        "scale", SS_FIELD_REAL, 5, false, false, offsetof(ss_shape_def, scale), 0, 1, 0, INFINITY, \
            "of the lengths in the file, > 0: 0.001 for millimetres"                               \
    }
#define SS_PARTS_FIELD(doc)                                                                        \
    {                                                                                              \
        "parts", SS_FIELD_SHAPES, 5, true, true, offsetof(ss_shape_def, parts),                    \
            offsetof(ss_shape_def, part_count), 0, 0, 0, doc                                       \
    }

#endif
