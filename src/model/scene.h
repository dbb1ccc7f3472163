/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_MODEL_SCENE_H
#define SS_MODEL_SCENE_H

#include "core/pool.h"
#include "model/tables.h"
#include "stickslip/scene.h"

typedef struct ss_param {
    const char *name;
    double      value;
} ss_param;

struct ss_scene {
    ss_context       *ctx;
    ss_pool           pool; /* strings, shapes and points of the definitions */
    const char       *name;
    const char       *path, *text, *resolved; /* where it came from, or NULL */
    int               dimension;
    ss_vec3           gravity;
    ss_simulation_def simulation;
    ss_body_def      *bodies;
    int32_t           body_count, body_capacity;
    ss_material_def  *materials; /* [0] is "default" */
    int32_t           material_count, material_capacity;
    ss_pair_def      *pairs;
    int32_t           pair_count, pair_capacity;
    ss_force_def     *forces;
    int32_t           force_count, force_capacity;
    ss_joint_def     *joints;
    int32_t           joint_count, joint_capacity;
    ss_param         *params;
    int32_t           param_count, param_capacity;
    const ss_table  **tables;
    int32_t           table_count, table_capacity;
};

#endif
