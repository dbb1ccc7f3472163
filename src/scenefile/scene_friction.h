/* SPDX-License-Identifier: Apache-2.0 */
/* `friction` of materials and of pairs, in all its forms. */
#ifndef SS_SCENEFILE_SCENE_FRICTION_H
#define SS_SCENEFILE_SCENE_FRICTION_H

#include "scenefile/schema.h"

/* Where it goes. */
typedef struct ss_friction_target {
    double                *friction;
    ss_sliding_def        *sliding;
    ss_friction_place_def *place;
} ss_friction_target;

#define SS_FRICTION_FORM   "number, formula of x, y, z, {static, kinetic, stribeck}, or {map: {..}}"
#define SS_FRICTION_SCHEMA "\"type\": [\"number\", \"string\", \"object\"]"

/* Does it vary with place: a formula, or a map? Then it needs no `sliding` to go to. */
bool      ss_friction_is_placed(const ss_decoder *d, const ss_node *node);
ss_status ss_decode_friction(ss_decoder *d, ss_node *node, const ss_friction_target *to);

#endif
