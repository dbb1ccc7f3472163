/* SPDX-License-Identifier: Apache-2.0 */
/* Checking the description of a shape against its class. */
#ifndef SS_GEOM_SHAPE_H
#define SS_GEOM_SHAPE_H

#include "stickslip/shape.h"

/* Ranges and presence from the field tables, then the class's own check. Parts are not entered. */
ss_status ss_shape_check(ss_context *ctx, const ss_shape_class *cls, const ss_shape_def *def,
                         int dimension);

#endif
