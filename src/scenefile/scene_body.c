/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies in scene files. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "model/settings.h"
#include "scenefile/schema.h"
#include "stickslip/plugin.h"

/* Keys of a recording are gone by now (scene_table.c), unless the file is missing. */
static ss_status without_file(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    (void)target;
    return ss_decode_fail(d, node, "%s belongs to a motion with a file", key->name);
}

const ss_key ss_motion_keys[] = {
    SS_KEY_ROW("x", SS_KEY_TIMED, ss_motion_def, position[0], .unit = "m",
               .doc = "position along x"),
    SS_KEY_ROW("y", SS_KEY_TIMED, ss_motion_def, position[1], .unit = "m",
               .doc = "position along y"),
    SS_KEY_ROW("z", SS_KEY_TIMED, ss_motion_def, position[2], .unit = "m",
               .doc = "position along z"),
    SS_KEY_ROW("angle", SS_KEY_TIMED, ss_motion_def, angle, .unit = "rad",
               .doc = "rotation about z"),
    SS_KEY_ROW("quat_wxyz", SS_KEY_TIMED_QUAT, ss_motion_def, quat_wxyz,
               .flag = offsetof(ss_motion_def, quat_set), .dimensions = 3,
               .doc = "orientation, made unit"),
    SS_KEY_ROW("euler", SS_KEY_TIMED_VECTOR, ss_motion_def, euler,
               .flag = offsetof(ss_motion_def, euler_set), .dimensions = 3, .unit = "rad",
               .doc = "orientation: rotations about the fixed axes x, y, z, in this order"),
    SS_KEY_ROW("velocity", SS_KEY_TIMED_VECTOR, ss_motion_def, velocity,
               .flag = offsetof(ss_motion_def, velocity_set), .unit = "m/s",
               .doc = "instead of a position: integrated from the start"),
    SS_KEY_ROW("acceleration", SS_KEY_TIMED_VECTOR, ss_motion_def, acceleration,
               .flag = offsetof(ss_motion_def, acceleration_set), .unit = "m/s^2",
               .doc = "instead of a position: integrated from the start; with a `period` to "
                      "velocity and position of zero mean, about `position` of the body"),
    SS_KEY_ROW("angular_velocity", SS_KEY_TIMED_SPIN, ss_motion_def, angular_velocity,
               .flag = offsetof(ss_motion_def, angular_velocity_set), .unit = "rad/s",
               .doc = "instead of an orientation: integrated from the start"),
    SS_KEY_ROW("angular_acceleration", SS_KEY_TIMED_SPIN, ss_motion_def, angular_acceleration,
               .flag = offsetof(ss_motion_def, angular_acceleration_set), .unit = "rad/s^2",
               .doc = "instead of an orientation: integrated from the start; with a `period` to an "
                      "orientation that swings evenly about that of the body"),
    SS_KEY_ROW("axes", SS_KEY_CHOICE, ss_motion_def, axes, .choices = "world|body",
               .initial = "world", .dimensions = 3,
               .doc = "of angular velocities and accelerations"),
    SS_KEY_ROW("period", SS_KEY_REAL, ss_motion_def, period, SS_POSITIVE, .unit = "s",
               .initial = "none", .doc = "after which the motion repeats"),
    SS_KEY_ROW("coning", SS_KEY_CHOICE, ss_motion_def, coning, .choices = "keep|remove",
               .initial = "keep", .dimensions = 3,
               .doc = "rotations about two axes in turn add up to a slow one about the third, "
                      "which the angular acceleration has; or the orientation is periodic and its "
                      "angles are the integrals"),
    SS_KEY_ROW("file", SS_KEY_CUSTOM, ss_motion_def, fn, .decode = without_file,
               .form = "path, relative to the scene file",
               .doc  = "a recording: commas between columns, whose first line names them"),
    SS_KEY_ROW("columns", SS_KEY_CUSTOM, ss_motion_def, fn, .decode = without_file,
               .form = "{t: NAME, x: NAME, quat_wxyz: [NAME, ..], ..}",
               .doc  = "which columns of the file hold the time and the quantities above"),
    SS_KEY_ROW("scale", SS_KEY_CUSTOM, ss_motion_def, fn, .decode = without_file, .form = "number",
               .initial = "1", .doc = "factor of lengths in the file: 0.001 for millimetres"),
    SS_KEY_ROW("delay", SS_KEY_CUSTOM, ss_motion_def, fn, .decode = without_file, .form = "number",
               .unit = "s", .initial = "0", .doc = "is added to the times in the file"),
    SS_KEY_ROW("interpolation", SS_KEY_CUSTOM, ss_motion_def, fn, .decode = without_file,
               .form = "cubic, linear, step", .initial = "cubic",
               .doc = "between rows of the file; outside the first and last row hold"),
    SS_KEY_END};

static ss_status decode_inertia(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_body_def *body = target;
    double       I[9] = {0};
    if (d->dimension == 2) {
        SS_TRY(ss_decode_number(d, key->name, node, &I[8]));
    } else if (node->kind == SS_NODE_LIST && node->count > 0 && node->first->kind == SS_NODE_LIST) {
        int row = 0;
        for (ss_node *entry = node->first; entry != NULL && row < 3; entry = entry->next, row++) {
            SS_TRY(ss_decode_numbers(d, key->name, entry, 3, &I[3 * row]));
        }
        if (node->count != 3) { /* whether it is symmetric, to rounding, is asked by the compiler */
            return ss_decode_fail(d, node, "inertia must be a symmetric 3 x 3 matrix");
        }
    } else {
        double diagonal[3];
        SS_TRY(ss_decode_numbers(d, key->name, node, 3, diagonal));
        I[0] = diagonal[0], I[4] = diagonal[1], I[8] = diagonal[2];
    }
    for (int i = d->dimension == 2 ? 2 : 0; i < 3; i++) {
        if (!(I[4 * i] > 0)) {
            return ss_decode_fail(d, node, "inertia must be > 0, got %.15g", I[4 * i]);
        }
    }
    memcpy(body->inertia.m, I, sizeof I);
    body->inertia_set = true;
    return SS_OK;
}

static ss_status decode_motion(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    static const char *const axes[] = {"x", "y", "z"};
    ss_body_def             *body   = target;
    ss_motion_def           *motion = &body->motion;
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, ss_motion_keys, node, motion));
    for (int i = 0; i < 3; i++) {
        motion->position_set[i] = ss_node_find(node, axes[i]) != NULL;
    }
    motion->angle_set = ss_node_find(node, "angle") != NULL;
    if (d->dimension == 2 && motion->position_set[2]) {
        return ss_decode_fail(d, node, "motion has x, y and angle in 2D scenes");
    }
    if (motion->angle_set && motion->quat_set) {
        return ss_decode_fail(d, node, "motion must have angle or quat_wxyz, not both");
    }
    return SS_OK;
}

/* One of the library's types, or a kind that a plug-in brings. */
static ss_status decode_type(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    enum { MOST = 64 };
    static const char *const types[] = {"static", "kinematic", "dynamic", "particle"};
    enum { TYPES = (int)(sizeof types / sizeof types[0]) };
    ss_body_def        *def  = target;
    const char         *word = NULL, *names[MOST];
    ss_name_list        list = {names, 0};
    const ss_body_kind *kind = NULL;
    SS_TRY(ss_decode_text(d, key->name, node, &word));
    for (int i = 0; i < TYPES; i++) {
        names[list.count++] = types[i];
        if (strcmp(types[i], word) == 0) {
            def->type = (ss_body_type)i;
            return SS_OK;
        }
    }
    kind = ss_body_kind_find(d->ctx, word);
    if (kind != NULL) {
        def->kind = kind->name;
        def->type = kind->type;
        return SS_OK;
    }
    for (int32_t i = 0; i < d->ctx->registry.body_count && list.count < MOST; i++) {
        names[list.count++] = d->ctx->registry.bodies[i]->name;
    }
    return ss_decode_unknown_name(d, node, "type of bodies", word, &list);
}

/* Which settings there are is known from the type. */
static ss_status keep_for_later(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    (void)d, (void)key, (void)node, (void)target;
    return SS_OK;
}

static ss_status decode_kind(ss_decoder *d, ss_node *entry, ss_body_def *def)
{
    ss_node            *node = ss_node_find(entry, "settings"), *motion;
    const ss_body_kind *kind = ss_body_kind_find(d->ctx, def->kind);
    if (kind == NULL) {
        return node == NULL ? SS_OK
                            : ss_decode_fail(d, node, "only kinds of plug-ins have settings");
    }
    motion = ss_node_find(entry, "motion");
    if (motion != NULL) {
        return ss_decode_fail(d, motion, "a body of type %s has a motion of its own", kind->name);
    }
    const ss_setting_list list = {.options = kind->options, .size = kind->settings_size};
    return ss_decode_settings(d, node, &list, &def->settings, &def->setting_count);
}

const ss_key ss_body_keys[] = {
    SS_KEY_ROW("name", SS_KEY_NAME, ss_body_def, name, .required = true,
               .doc = "what results, joints and forces call it; unique"),
    SS_KEY_ROW("type", SS_KEY_CUSTOM, ss_body_def, type, .required = true, .decode = decode_type,
               .form   = "static, kinematic, dynamic, particle or a kind of a plug-in",
               .schema = "\"enum\": [\"static\", \"kinematic\", \"dynamic\", \"particle\"]",
               .doc = "fixed, moved by `motion`, moved by forces, or a point mass moved by forces"),
    SS_KEY_ROW("shape", SS_KEY_CUSTOM, ss_body_def, shape, .decode = ss_decode_shape,
               .schema = "\"$ref\": \"#/definitions/shape\"", .form = "{type: {..}}",
               .initial = "none: touches nothing", .doc = "one of the shapes below"),
    SS_KEY_ROW("material", SS_KEY_MATERIAL, ss_body_def, material, .initial = "default",
               .doc = "a name from `materials`"),
    SS_KEY_ROW("mass", SS_KEY_REAL, ss_body_def, mass, SS_POSITIVE, .unit = "kg",
               .initial = "from shape and density", .doc = "mass"),
    SS_KEY_ROW("density", SS_KEY_REAL, ss_body_def, density, SS_POSITIVE,
               .unit = "kg/m^3 (2D: kg/m^2)", .initial = "1000", .doc = "instead of the mass"),
    SS_KEY_ROW("inertia", SS_KEY_CUSTOM, ss_body_def, inertia, .decode = decode_inertia,
               .form = "2D: number; 3D: [xx, yy, zz] or [[..], [..], [..]]", .unit = "kg m^2",
               .initial = "from the shape", .doc = "about the centre of mass, in the body's axes"),
    SS_KEY_ROW("com", SS_KEY_VECTOR, ss_body_def, com, .flag = offsetof(ss_body_def, com_set),
               .unit = "m", .initial = "from the shape",
               .doc = "centre of mass in the body's frame"),
    SS_KEY_ROW("position", SS_KEY_VECTOR, ss_body_def, position, .unit = "m", .initial = "0",
               .doc = "of the origin of the body's frame"),
    SS_KEY_ROW("quat_wxyz", SS_KEY_QUAT, ss_body_def, orientation, .dimensions = 3,
               .initial = "[1, 0, 0, 0]", .doc = "orientation, made unit"),
    SS_KEY_ROW("euler", SS_KEY_EULER, ss_body_def, orientation, .dimensions = 3, .unit = "rad",
               .doc = "orientation instead: turned about x by roll, then y by pitch, then z by yaw "
                      "(fixed axes)"),
    SS_KEY_ROW("axis_angle", SS_KEY_AXIS_ANGLE, ss_body_def, orientation, .dimensions = 3,
               .doc = "orientation instead: turned about an axis"),
    SS_KEY_ROW("direction", SS_KEY_DIRECTION, ss_body_def, orientation, .dimensions = 3,
               .doc = "orientation instead: turned the shortest way until its z axis points there"),
    SS_KEY_ROW("angle", SS_KEY_REAL, ss_body_def, angle, .dimensions = 2, .unit = "rad",
               .initial = "0", .doc = "orientation"),
    SS_KEY_ROW("velocity", SS_KEY_VECTOR, ss_body_def, velocity, .unit = "m/s", .initial = "0",
               .doc = "of the origin of the body's frame"),
    SS_KEY_ROW("angular_velocity", SS_KEY_SPIN, ss_body_def, angular_velocity, .unit = "rad/s",
               .initial = "0", .doc = "in world axes"),
    SS_KEY_ROW("surface_velocity", SS_KEY_VECTOR, ss_body_def, surface_velocity, .unit = "m/s",
               .initial = "0", .doc = "of a belt: its surface moves, the body does not"),
    SS_KEY_ROW("friction_direction", SS_KEY_VECTOR, ss_body_def, friction_direction,
               .doc = "first friction direction at its contacts, in the world"),
    SS_KEY_ROW("motion", SS_KEY_CUSTOM, ss_body_def, motion, .decode = decode_motion,
               .keys = ss_motion_keys, .form = "{x: .., y: .., ..}",
               .doc = "of a kinematic body; entries that are not given keep their start"),
    SS_KEY_ROW("support", SS_KEY_CUSTOM, ss_body_def, support, .decode = ss_decode_support,
               .dimensions = 2, .keys = ss_support_keys, .form = "{points: .., friction: ..}",
               .doc = "of a body that lies on the plane (2.5D)"),
    SS_KEY_ROW("damping", SS_KEY_CUSTOM, ss_body_def, damping_linear, .decode = ss_decode_damping,
               .form = "[linear, angular], a diagonal or a matrix", .unit = "N s/m, N m s",
               .initial = "0",
               .doc     = "resists motion through the medium; a matrix (2D: 3 x 3, 3D: 6 x 6, "
                          "particles: 2 x 2 or 3 x 3) is in body axes at the centre of mass"),
    SS_KEY_ROW("settings", SS_KEY_CUSTOM, ss_body_def, settings, .decode = keep_for_later,
               .form = "{name: value, ..}", .doc = "of a kind of a plug-in, as it describes them"),
    SS_KEY_ROW("group", SS_KEY_INT, ss_body_def, group, SS_NOT_NEGATIVE, .initial = "0: none",
               .doc = "bodies of the same group do not collide"),
    SS_KEY_ROW("collide", SS_KEY_NOT, ss_body_def, no_collide, .initial = "true",
               .doc = "false: touches nothing"),
    SS_KEY_END};

/* What the keys of a body must not contradict. */
static ss_status check_body(ss_decoder *d, const ss_node *node, const ss_body_def *def)
{
    const ss_node *at = ss_node_find(node, "motion");
    if (at != NULL && def->type != SS_BODY_KINEMATIC) {
        return ss_decode_fail(d, at, "only kinematic bodies have a motion");
    }
    at = ss_node_find(node, "density");
    if (at != NULL && def->mass > 0) {
        return ss_decode_fail(d, at, "give mass or density, not both");
    }
    at = ss_node_find(node, "inertia");
    if (at != NULL && def->type == SS_BODY_PARTICLE) {
        return ss_decode_fail(d, at, "a particle has no inertia");
    }
    if (def->type == SS_BODY_PARTICLE && def->mass == 0) {
        return ss_decode_fail(d, node, "a particle needs a mass");
    }
    if (def->type == SS_BODY_DYNAMIC && def->shape == NULL &&
        (def->mass == 0 || !def->inertia_set)) {
        return ss_decode_fail(d, node, "a dynamic body without a shape needs mass and inertia");
    }
    if (strcmp(def->name, "world") == 0) {
        return ss_decode_fail(d, node, "'world' is the name of the world itself");
    }
    return SS_OK;
}

ss_status ss_decode_body(ss_decoder *d, ss_node *entry)
{
    ss_body_def def = ss_body_def_default();
    SS_TRY(ss_decode_map(d, ss_body_keys, entry, &def));
    SS_TRY(decode_kind(d, entry, &def));
    SS_TRY(check_body(d, entry, &def));
    def.where = ss_decode_place(d, entry);
    return ss_node_place(d->ctx, entry, ss_scene_add_body(d->scene, &def, NULL));
}
