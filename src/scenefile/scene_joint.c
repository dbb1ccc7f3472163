/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joints in scene files. What acts along a coordinate (friction, limits, motor, spring) is written
 * plainly for joints with one coordinate, and as a list with an entry for each where there are
 * more.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenefile/schema.h"

/* Calls `one` for the coordinate that each entry belongs to. */
typedef ss_status (*decode_one)(ss_decoder *d, const ss_key *key, ss_node *node,
                                ss_joint_coordinate_def *to);

static ss_status each(ss_decoder *d, const ss_key *key, ss_node *list, ss_joint_def *def,
                      decode_one one)
{
    int32_t i = 0;
    if (list->count > SS_JOINT_COORDINATES) {
        return ss_decode_fail(d, list, "%s: no joint has more than %d coordinates, got %d",
                              key->name, SS_JOINT_COORDINATES, (int)list->count);
    }
    for (ss_node *entry = list->first; entry != NULL; entry = entry->next, i++) {
        SS_TRY(one(d, key, entry, &def->coordinate[i]));
    }
    return SS_OK;
}

/* The number at the row's place in the first coordinate, in this one. */
static ss_status number(ss_decoder *d, const ss_key *key, ss_node *node,
                        ss_joint_coordinate_def *to)
{
    size_t  place = key->offset - offsetof(ss_joint_def, coordinate);
    double *value = (double *)(void *)((char *)to + place);
    SS_TRY(ss_decode_number(d, key->name, node, value));
    return ss_decode_range(d, key, key->name, node, *value);
}

static ss_status decode_numbers(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_joint_def *def = target;
    return node->kind == SS_NODE_LIST ? each(d, key, node, def, number)
                                      : number(d, key, node, &def->coordinate[0]);
}

static ss_status rest(ss_decoder *d, const ss_key *key, ss_node *node, ss_joint_coordinate_def *to)
{
    to->rest_set = true;
    return number(d, key, node, to);
}

static ss_status decode_rest(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_joint_def *def = target;
    return node->kind == SS_NODE_LIST ? each(d, key, node, def, rest)
                                      : rest(d, key, node, &def->coordinate[0]);
}

static bool is_none(const ss_node *node)
{
    return node != NULL && node->kind == SS_NODE_SCALAR && strcmp(node->text, "none") == 0;
}

static ss_status bound(ss_decoder *d, ss_node *node, double none, double *out)
{
    *out = none;
    return is_none(node) ? SS_OK : ss_decode_number(d, "limits", node, out);
}

static ss_status limits(ss_decoder *d, const ss_key *key, ss_node *node,
                        ss_joint_coordinate_def *to)
{
    if (is_none(node)) {
        return SS_OK;
    }
    if (node->kind != SS_NODE_LIST || node->count != 2) {
        return ss_decode_fail(d, node, "%s must be [lower, upper], where either may be none",
                              key->name);
    }
    to->limited = true;
    SS_TRY(bound(d, node->first, -INFINITY, &to->lower));
    return bound(d, node->last, INFINITY, &to->upper);
}

static ss_status decode_limits(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_joint_def *def    = target;
    bool          nested = node->kind == SS_NODE_LIST && node->first != NULL &&
                  (node->first->kind == SS_NODE_LIST || node->last->kind == SS_NODE_LIST);
    return nested ? each(d, key, node, def, limits) : limits(d, key, node, &def->coordinate[0]);
}

typedef struct motor_def {
    ss_value velocity, position;
    double   max;
} motor_def;

const ss_key ss_motor_keys[] = {
    SS_KEY_ROW("velocity", SS_KEY_TIMED, motor_def, velocity, .unit = "m/s or rad/s",
               .doc = "that it tries to keep"),
    SS_KEY_ROW("position", SS_KEY_TIMED, motor_def, position, .unit = "m or rad",
               .doc = "that it tries to be at, at the end of the step"),
    SS_KEY_ROW("max", SS_KEY_REAL, motor_def, max, SS_POSITIVE, .unit = "N or N m",
               .initial = "unlimited", .doc = "its largest force or torque"),
    SS_KEY_END};

static ss_status motor(ss_decoder *d, const ss_key *key, ss_node *node, ss_joint_coordinate_def *to)
{
    motor_def def = {0};
    if (is_none(node)) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, ss_motor_keys, node, &def));
    bool velocity = ss_node_find(node, "velocity") != NULL;
    if (velocity == (ss_node_find(node, "position") != NULL)) {
        return ss_decode_fail(d, node, "motor must have velocity or position, and not both");
    }
    to->motor     = velocity ? SS_MOTOR_VELOCITY : SS_MOTOR_POSITION;
    to->target    = velocity ? def.velocity : def.position;
    to->motor_max = def.max;
    return SS_OK;
}

static ss_status decode_motor(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_joint_def *def = target;
    return node->kind == SS_NODE_LIST ? each(d, key, node, def, motor)
                                      : motor(d, key, node, &def->coordinate[0]);
}

static ss_status decode_axis(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_vec3 *axis = (ss_vec3 *)(void *)((char *)target + key->offset);
    double   x[3] = {0, 0, 0};
    SS_TRY(ss_decode_numbers(d, key->name, node, d->dimension, x));
    *axis = ss_v3(x[0], x[1], x[2]);
    return ss_norm(*axis) > 0 ? SS_OK
                              : ss_decode_fail(d, node, "%s must not be all zero", key->name);
}

static ss_status decode_type(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    const char   *names[32];
    ss_joint_def *def  = target;
    ss_name_list  list = {names, 0};
    SS_TRY(ss_decode_text(d, key->name, node, &def->type));
    for (; list.count < ss_joint_type_count() && list.count < 32; list.count++) {
        names[list.count] = ss_joint_type_name(list.count);
        if (strcmp(names[list.count], def->type) == 0) {
            return SS_OK;
        }
    }
    return ss_decode_unknown_name(d, node, "joint type", def->type, &list);
}

static ss_status decode_joints(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    const char **joints = (const char **)(void *)((char *)target + key->offset);
    int          i      = 0;
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_LIST));
    if (node->count != 2) {
        return ss_decode_fail(d, node, "joints must name two joints, got %d", (int)node->count);
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next, i++) {
        SS_TRY(ss_decode_text(d, key->name, entry, &joints[i]));
    }
    return SS_OK;
}

/* A joint is of two bodies, or a coupling of two joints. */
static ss_status check_ends(ss_decoder *d, ss_node *entry, ss_joint_def *def)
{
    bool couples = strcmp(def->type, "coupling") == 0;
    if (couples && ss_node_find(entry, "bodies") != NULL) {
        return ss_decode_fail(d, ss_node_find(entry, "bodies"),
                              "a coupling is of two `joints`, not of two bodies");
    }
    if (!couples && def->bodies[0] == NULL) {
        return ss_decode_fail(d, entry, "the key 'bodies' is missing");
    }
    if (couples && ss_node_find(entry, "ratio") == NULL) {
        def->ratio = 1;
    }
    return SS_OK;
}

const ss_key ss_joint_keys[] = {
    SS_KEY_ROW("name", SS_KEY_NAME, ss_joint_def, name, .required = true,
               .doc = "what results call it; unique among joints"),
    SS_KEY_ROW("type", SS_KEY_CUSTOM, ss_joint_def, type, .required = true, .decode = decode_type,
               .form = "revolute, prismatic, cylindrical, universal, spherical, planar, fixed, "
                       "distance, coupling",
               .doc  = "what it leaves free"),
    SS_KEY_ROW("bodies", SS_KEY_CUSTOM, ss_joint_def, bodies, .decode = ss_decode_two_bodies,
               .form = "[body, body]", .initial = "required, but for couplings",
               .doc = "the two that it joins; `world` for something fixed"),
    SS_KEY_ROW("joints", SS_KEY_CUSTOM, ss_joint_def, joints, .decode = decode_joints,
               .form = "[joint, joint]", .initial = "none",
               .doc = "coupling: the joint that leads and the one that follows, both above it"),
    SS_KEY_ROW("ratio", SS_KEY_REAL, ss_joint_def, ratio, .unit = "of the coordinates",
               .initial = "1", .doc = "coupling: the second joint moves by this times the first"),
    SS_KEY_ROW("anchor", SS_KEY_VECTOR, ss_joint_def, anchor,
               .flag = offsetof(ss_joint_def, anchor_set), .unit = "m",
               .initial = "origin of the second body",
               .doc = "its point, in the world, at the start; distance: the end on the first body"),
    SS_KEY_ROW("anchor_b", SS_KEY_VECTOR, ss_joint_def, anchor_b,
               .flag = offsetof(ss_joint_def, anchor_b_set), .unit = "m",
               .initial = "origin of the second body",
               .doc     = "distance: the end on the second body"),
    SS_KEY_ROW("axis", SS_KEY_CUSTOM, ss_joint_def, axis, .decode = decode_axis,
               .form = "[x, y, z]; 2D: [x, y]", .initial = "z (2D: x)",
               .doc = "it turns about or slides along, in the world, at the start; planar: the "
                      "normal of the plane"),
    SS_KEY_ROW("axis2", SS_KEY_CUSTOM, ss_joint_def, axis2, .dimensions = 3, .decode = decode_axis,
               .form = "[x, y, z]; 2D: [x, y]", .initial = "any",
               .doc = "universal: the axis in the second body, perpendicular to the first"),
    SS_KEY_ROW("friction", SS_KEY_CUSTOM, ss_joint_def, coordinate[0].friction, SS_NOT_NEGATIVE,
               .decode = decode_numbers, .form = "number or list", .unit = "N or N m",
               .initial = "0", .doc = "largest dry friction"),
    SS_KEY_ROW("friction_coefficient", SS_KEY_REAL, ss_joint_def, friction_coefficient,
               SS_NOT_NEGATIVE, .initial = "0",
               .doc = "friction grows by this times the force that the joint carries"),
    SS_KEY_ROW("friction_radius", SS_KEY_REAL, ss_joint_def, friction_radius, SS_POSITIVE,
               .unit = "m", .initial = "1", .doc = "of the bearing, for friction that is a torque"),
    SS_KEY_ROW("limits", SS_KEY_CUSTOM, ss_joint_def, coordinate[0].lower, .decode = decode_limits,
               .form = "[lower, upper] or list of those", .unit = "m or rad", .initial = "none",
               .doc = "of the coordinate, which is 0 at the start; distance: of the length"),
    SS_KEY_ROW("motor", SS_KEY_CUSTOM, ss_joint_def, coordinate[0].motor, .decode = decode_motor,
               .keys = ss_motor_keys,
               .form = "{velocity or position: .., max: ..} or list of those", .initial = "none",
               .doc = "drives the coordinate"),
    SS_KEY_ROW("stiffness", SS_KEY_CUSTOM, ss_joint_def, coordinate[0].stiffness, SS_NOT_NEGATIVE,
               .decode = decode_numbers, .form = "number or list", .unit = "N/m or N m/rad",
               .initial = "0", .doc = "of a spring along the coordinate"),
    SS_KEY_ROW("damping", SS_KEY_CUSTOM, ss_joint_def, coordinate[0].damping, SS_NOT_NEGATIVE,
               .decode = decode_numbers, .form = "number or list", .unit = "N s/m or N m s/rad",
               .initial = "0", .doc = "of a damper along the coordinate"),
    SS_KEY_ROW("rest", SS_KEY_CUSTOM, ss_joint_def, coordinate[0].rest, .decode = decode_rest,
               .form = "number or list", .unit = "m or rad", .initial = "the start",
               .doc = "where the spring is at rest"),
    SS_KEY_ROW("collide", SS_KEY_BOOL, ss_joint_def, collide, .initial = "false",
               .doc = "the two bodies may touch each other"),
    SS_KEY_END};

ss_status ss_decode_joint(ss_decoder *d, ss_node *entry)
{
    ss_joint_def def = {0};
    SS_TRY(ss_decode_map(d, ss_joint_keys, entry, &def));
    SS_TRY(check_ends(d, entry, &def));
    def.where = ss_decode_place(d, entry);
    return ss_node_place(d->ctx, entry, ss_scene_add_joint(d->scene, &def));
}
