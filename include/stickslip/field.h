/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields: the parameters of a shape described once, for scene files, checks and docs.
 *
 * A field says where in ss_shape_def its value goes and what may stand there. A table ends with an
 * entry whose name is NULL. Readers go through a shape's own table (ss_shape_class.fields) and then
 * through the table that every shape has (ss_shape_common_fields: position, orientation,
 * material).
 */
#ifndef STICKSLIP_FIELD_H
#define STICKSLIP_FIELD_H

#include <stdbool.h>

#include "stickslip/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a file holds                           -> what is stored at the offset               */
typedef enum ss_field_type {
    SS_FIELD_REAL,   /* a number               -> double                                     */
    SS_FIELD_VECTOR, /* 3 numbers (2D: 2)      -> ss_vec3 (2D: z = 0)                        */
    SS_FIELD_QUAT,   /* 4 numbers, w first     -> ss_quat, not all zero (made unit later)    */
    SS_FIELD_ANGLE,  /* a number               -> ss_quat: the rotation about z by it        */
    SS_FIELD_POINTS, /* a list of 3 (2) numbers-> const ss_vec3 *, the number at count_offset */
    SS_FIELD_SHAPES, /* a list of shapes       -> const ss_shape_def *, number at count_offset */
    SS_FIELD_TEXT,   /* text                   -> const char *                               */
    SS_FIELD_FILE,   /* text: a path, relative to the scene file  -> const char *            */
    SS_FIELD_EULER,  /* 3 numbers: roll, pitch, yaw about the fixed axes x, y, z -> ss_quat   */
    SS_FIELD_AXIS_ANGLE, /* 4 numbers: an axis of any length, an angle -> ss_quat            */
    SS_FIELD_DIRECTION,  /* 3 numbers, any length: where the z axis points -> ss_quat        */
    SS_FIELD_FORMULA /* text: a formula of x, y, z, params of the scene as numbers -> const char *
                      */
} ss_field_type;

typedef struct ss_field {
    const char   *name; /* key in a scene file                                          */
    ss_field_type type;
    int           dimensions; /* 2, 3, or 5 (= 2 + 3): where the field exists                  */
    bool          required;
    bool          main;         /* `union: [..]` is short for `union: {parts: [..]}`            */
    size_t        offset;       /* of the value in ss_shape_def                                 */
    size_t        count_offset; /* of the int32_t count; POINTS and SHAPES only                 */
    double        initial;      /* default of a REAL; other types default to zero, empty, NULL  */
    double        low, high;    /* REAL, and each entry of VECTOR: low < value <= high          */
    const char   *doc;          /* one sentence                                                 */
} ss_field;

/* Ends a field table. */
#define SS_FIELD_END                                                                               \
    {                                                                                              \
        NULL, SS_FIELD_REAL, 0, false, false, 0, 0, 0, 0, 0, NULL                                  \
    }

#ifdef __cplusplus
}
#endif
#endif
