/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scene files. The tables below are the schema: adding a key is adding a row. Sections are decoded
 * in the order of ss_scene_sections, whatever their order in the file, because later ones refer to
 * earlier ones (expressions to params, bodies to materials, forces to bodies).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/schema.h"
#include "model/scene.h"
#include "stickslip/scene_file.h"

/* ---- tables ---- */

static ss_status decode_ellipsoid(ss_decoder *d, const ss_key *key, ss_node *node, void *target);

static const ss_key material_keys[] = {
    SS_KEY_ROW("friction", SS_KEY_REAL, ss_material_def, friction, SS_NOT_NEGATIVE,
               .initial = "0.5", .doc = "Coulomb's coefficient"),
    SS_KEY_ROW("restitution", SS_KEY_REAL, ss_material_def, restitution, .low = 0, .high = 1,
               .initial = "0", .doc = "speed after an impact over speed before it"),
    SS_KEY_ROW("impact", SS_KEY_CHOICE, ss_material_def, impact, .choices = "any|newton|poisson",
               .initial = "any",
               .doc = "restitution of speeds (newton) or of impulses (poisson; wins over newton); "
                      "any: what the other material says, else newton"),
    SS_KEY_ROW("ellipsoid", SS_KEY_CUSTOM, ss_material_def, ellipsoid, .decode = decode_ellipsoid,
               .form = "[e_t, e_o, e_r, e_roll]", .initial = "[1, 1, 0, 0]",
               .doc = "axes of the friction ellipsoid over mu p_n: along t and o, torsion and "
                      "rolling in metres; the last ones may be left out"),
    SS_KEY_END};

static ss_status decode_between(ss_decoder *d, const ss_key *key, ss_node *node, void *target);

static const ss_key pair_keys[] = {
    SS_KEY_ROW("between", SS_KEY_CUSTOM, ss_pair_def, between, .required = true,
               .decode = decode_between, .form = "[material, material]",
               .doc = "the two materials; the same one twice is allowed"),
    SS_KEY_ROW("friction", SS_KEY_REAL, ss_pair_def, friction, SS_NOT_NEGATIVE,
               .initial = "geometric mean", .doc = "Coulomb's coefficient between the two"),
    SS_KEY_ROW("restitution", SS_KEY_REAL, ss_pair_def, restitution, .low = 0, .high = 1,
               .initial = "maximum", .doc = "restitution between the two"),
    SS_KEY_ROW("impact", SS_KEY_CHOICE, ss_pair_def, impact, .choices = "any|newton|poisson",
               .initial = "any", .doc = "law of impact; any: what the two materials say"),
    SS_KEY_ROW("friction_direction", SS_KEY_VECTOR, ss_pair_def, friction_direction,
               .doc = "first friction direction, in the world, projected on the contact plane"),
    SS_KEY_ROW("ellipsoid", SS_KEY_CUSTOM, ss_pair_def, ellipsoid, .decode = decode_ellipsoid,
               .form    = "[e_t, e_o, e_r, e_roll]",
               .initial = "e_t, e_o: geometric mean, e_r, e_roll: maximum",
               .doc     = "axes of the friction ellipsoid between the two"),
    SS_KEY_END};

static const ss_key motion_keys[] = {SS_KEY_ROW("x", SS_KEY_TIMED, ss_motion_def, position[0],
                                                .unit = "m", .doc = "position along x"),
                                     SS_KEY_ROW("y", SS_KEY_TIMED, ss_motion_def, position[1],
                                                .unit = "m", .doc = "position along y"),
                                     SS_KEY_ROW("z", SS_KEY_TIMED, ss_motion_def, position[2],
                                                .unit = "m", .doc = "position along z"),
                                     SS_KEY_ROW("angle", SS_KEY_TIMED, ss_motion_def, angle,
                                                .unit = "rad", .doc = "rotation about z"),
                                     SS_KEY_ROW("quat_wxyz", SS_KEY_TIMED_QUAT, ss_motion_def,
                                                quat_wxyz, .doc = "orientation, made unit"),
                                     SS_KEY_END};

static ss_status decode_motion(ss_decoder *d, const ss_key *key, ss_node *node, void *target);
static ss_status decode_inertia(ss_decoder *d, const ss_key *key, ss_node *node, void *target);

static const ss_key body_keys[] = {
    SS_KEY_ROW("name", SS_KEY_NAME, ss_body_def, name, .required = true,
               .doc = "what results, joints and forces call it; unique"),
    SS_KEY_ROW("type", SS_KEY_CHOICE, ss_body_def, type, .required = true,
               .choices = "static|kinematic|dynamic|particle",
               .doc = "fixed, moved by `motion`, moved by forces, or a point mass moved by forces"),
    SS_KEY_ROW("shape", SS_KEY_CUSTOM, ss_body_def, shape, .decode = ss_decode_shape,
               .form = "{type: {..}}", .initial = "none: touches nothing",
               .doc = "one of the shapes below"),
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
               .keys = motion_keys, .form = "{x: .., y: .., ..}",
               .doc = "of a kinematic body; entries that are not given keep their start"),
    SS_KEY_ROW("support", SS_KEY_CUSTOM, ss_body_def, support, .decode = ss_decode_support,
               .dimensions = 2, .keys = ss_support_keys, .form = "{points: .., friction: ..}",
               .doc = "of a body that lies on the plane (2.5D)"),
    SS_KEY_ROW("damping", SS_KEY_CUSTOM, ss_body_def, damping_linear, .decode = ss_decode_damping,
               .form = "[linear, angular], a diagonal or a matrix", .unit = "N s/m, N m s",
               .initial = "0",
               .doc     = "resists motion through the medium; a matrix (2D: 3 x 3, 3D: 6 x 6, "
                          "particles: 2 x 2 or 3 x 3) is in body axes at the centre of mass"),
    SS_KEY_ROW("group", SS_KEY_INT, ss_body_def, group, SS_NOT_NEGATIVE, .initial = "0: none",
               .doc = "bodies of the same group do not collide"),
    SS_KEY_ROW("collide", SS_KEY_NOT, ss_body_def, no_collide, .initial = "true",
               .doc = "false: touches nothing"),
    SS_KEY_END};

static const ss_key simulation_keys[] = {
    SS_KEY_ROW("step", SS_KEY_REAL, ss_simulation_def, step, SS_POSITIVE, .unit = "s",
               .initial = "0.001", .doc = "time step h"),
    SS_KEY_ROW("duration", SS_KEY_REAL, ss_simulation_def, duration, SS_NOT_NEGATIVE, .unit = "s",
               .initial = "1", .doc = "time from the start to the end"),
    SS_KEY_ROW("model", SS_KEY_CUSTOM, ss_simulation_def, axes, .decode = ss_decode_axes,
               .form = "{axis: value, ..}",
               .doc  = "one word for each axis of the model, see below"),
    SS_KEY_ROW("solver", SS_KEY_TEXT, ss_simulation_def, solver, .initial = "auto",
               .doc = "`stickslip list` names them"),
    SS_KEY_ROW("tolerance", SS_KEY_REAL, ss_simulation_def, tolerance, SS_POSITIVE,
               .initial = "1e-9", .doc = "largest residual that a step's certificate may have"),
    SS_KEY_ROW("target", SS_KEY_REAL, ss_simulation_def, target, SS_POSITIVE,
               .initial = "tolerance/1000", .doc = "residual that the solver aims at"),
    SS_KEY_ROW("on_failure", SS_KEY_CHOICE, ss_simulation_def, on_failure,
               .choices = "stop|retry|mark", .initial = "stop",
               .doc =
                   "when a certificate fails: stop, retry with smaller steps, or mark and go on"),
    SS_KEY_ROW("settle", SS_KEY_REAL, ss_simulation_def, settle, SS_NOT_NEGATIVE, .unit = "s",
               .initial = "0: no",
               .doc     = "let everything come to rest before the start, in at most this time; "
                          "positions are those of the equilibrium, velocities those of the scene"),
    SS_KEY_ROW("allow_overlap", SS_KEY_BOOL, ss_simulation_def, allow_overlap, .initial = "false",
               .doc = "start although bodies overlap by more than 1 % of the smaller one"),
    SS_KEY_END};

/* ---- pieces of a body ---- */

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
        if (node->count != 3 || I[1] != I[3] || I[2] != I[6] || I[5] != I[7]) {
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
    SS_TRY(ss_decode_map(d, motion_keys, node, motion));
    for (int i = 0; i < 3; i++) {
        motion->position_set[i] = ss_node_find(node, axes[i]) != NULL;
    }
    motion->angle_set = ss_node_find(node, "angle") != NULL;
    motion->quat_set  = ss_node_find(node, "quat_wxyz") != NULL;
    if (d->dimension == 2 && (motion->position_set[2] || motion->quat_set)) {
        return ss_decode_fail(d, node, "motion has x, y and angle in 2D scenes");
    }
    if (motion->angle_set && motion->quat_set) {
        return ss_decode_fail(d, node, "motion must have angle or quat_wxyz, not both");
    }
    return SS_OK;
}

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
    return SS_OK;
}

/* ---- names ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static ss_status sort_names(ss_decoder *d, ss_name_list *list, int32_t room)
{
    list->names = ss_pool_alloc(d->pool, (size_t)room + 1, sizeof *list->names);
    list->count = 0;
    return list->names != NULL ? SS_OK : ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
}

/* The names in a list of maps; a name that is there twice is an error. */
static ss_status collect_names(ss_decoder *d, const char *noun, const ss_node *section,
                               ss_name_list *list)
{
    SS_TRY(sort_names(d, list, section->count));
    for (const ss_node *entry = section->first; entry != NULL; entry = entry->next) {
        const ss_node *name = entry->kind == SS_NODE_MAP ? ss_node_find(entry, "name") : NULL;
        if (name != NULL && name->kind == SS_NODE_SCALAR) {
            list->names[list->count++] = name->text;
        }
    }
    qsort((void *)list->names, (size_t)list->count, sizeof *list->names, compare_names);
    for (int32_t i = 1; i < list->count; i++) {
        if (strcmp(list->names[i - 1], list->names[i]) != 0) {
            continue;
        }
        const ss_node *second = NULL;
        for (const ss_node *entry = section->first; entry != NULL; entry = entry->next) {
            const ss_node *name = ss_node_find(entry, "name");
            if (name != NULL && name->text != NULL && strcmp(name->text, list->names[i]) == 0) {
                second = name;
            }
        }
        return ss_decode_fail(d, second, "there are two %s with the name '%.60s'", noun,
                              list->names[i]);
    }
    return SS_OK;
}

/* ---- sections ---- */

static ss_status decode_name(ss_decoder *d, ss_node *node)
{
    const char *name = "";
    if (node != NULL) {
        SS_TRY(ss_decode_text(d, "name", node, &name));
    }
    return ss_scene_set_name(d->scene, name);
}

static ss_status decode_gravity(ss_decoder *d, ss_node *node)
{
    double g[3] = {0, 0, 0};
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_numbers(d, "gravity", node, d->dimension, g));
    ss_scene_set_gravity(d->scene, ss_v3(g[0], g[1], g[2]));
    return SS_OK;
}

static ss_status decode_params(ss_decoder *d, ss_node *node)
{
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "params", node, SS_NODE_MAP));
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        double value;
        snprintf(d->what, sizeof d->what, "param '%.60s': ", entry->key);
        SS_TRY(ss_decode_number(d, "its value", entry, &value));
        ss_status status = ss_decode_param(d, entry->key, value);
        if (status != SS_OK) {
            return ss_node_place(d->ctx, entry, status);
        }
    }
    return SS_OK;
}

static ss_status decode_ellipsoid(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    double *axes = (double *)(void *)((char *)target + key->offset);
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_LIST));
    if (node->count < 1 || node->count > 4) {
        return ss_decode_fail(d, node, "ellipsoid must have 1 to 4 axes, got %d", (int)node->count);
    }
    axes[1] = 1; /* where it is left out, as in 2D */
    SS_TRY(ss_decode_numbers(d, key->name, node, node->count, axes));
    for (int i = 0; i < 4; i++) {
        if (i < 2 ? !(axes[i] > 0) : !(axes[i] >= 0)) {
            return ss_decode_fail(d, node, "ellipsoid[%d] must be %s 0, got %g", i,
                                  i < 2 ? ">" : ">=", axes[i]);
        }
    }
    return SS_OK;
}

static ss_status decode_between(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_pair_def *pair = target;
    int          i    = 0;
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_LIST));
    if (node->count != 2) {
        return ss_decode_fail(d, node, "between must name two materials, got %d", (int)node->count);
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next, i++) {
        SS_TRY(ss_decode_text(d, key->name, entry, &pair->between[i]));
        if (!ss_name_list_has(&d->materials, pair->between[i])) {
            return ss_decode_unknown_name(d, entry, "material", pair->between[i], &d->materials);
        }
    }
    return SS_OK;
}

static ss_status decode_pairs(ss_decoder *d, ss_node *list)
{
    snprintf(d->what, sizeof d->what, "materials: ");
    SS_TRY(ss_decode_expect(d, "pairs", list, SS_NODE_LIST));
    for (ss_node *entry = list->first; entry != NULL; entry = entry->next) {
        ss_pair_def pair = {.friction = -1, .restitution = -1};
        snprintf(d->what, sizeof d->what, "material pair: ");
        SS_TRY(ss_decode_expect(d, "an entry of pairs", entry, SS_NODE_MAP));
        SS_TRY(ss_decode_map(d, pair_keys, entry, &pair));
        SS_TRY(ss_scene_add_pair(d->scene, &pair));
    }
    return SS_OK;
}

static ss_status decode_material(ss_decoder *d, ss_node *entry)
{
    ss_material_def def = {.name = entry->key, .friction = 0.5};
    snprintf(d->what, sizeof d->what, "material '%.60s': ", entry->key);
    SS_TRY(ss_decode_expect(d, "a material", entry, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, material_keys, entry, &def));
    return ss_scene_add_material(d->scene, &def);
}

static ss_status decode_materials(ss_decoder *d, ss_node *node)
{
    int32_t room = node != NULL && node->kind == SS_NODE_MAP ? node->count : 0;
    SS_TRY(sort_names(d, &d->materials, room + 1));
    d->materials.names[d->materials.count++] = "default";
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "materials", node, SS_NODE_MAP));
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        if (strcmp(entry->key, "pairs") == 0) {
            continue;
        }
        SS_TRY(decode_material(d, entry));
        if (strcmp(entry->key, "default") != 0) {
            d->materials.names[d->materials.count++] = entry->key;
        }
    }
    qsort((void *)d->materials.names, (size_t)d->materials.count, sizeof *d->materials.names,
          compare_names);
    ss_node *pairs = ss_node_find(node, "pairs");
    return pairs != NULL ? decode_pairs(d, pairs) : SS_OK;
}

/* "body 'cube': " in front of the messages about an entry. */
static void name_entry(ss_decoder *d, const char *noun, const ss_node *entry)
{
    const ss_node *name = entry->kind == SS_NODE_MAP ? ss_node_find(entry, "name") : NULL;
    if (name != NULL && name->kind == SS_NODE_SCALAR) {
        snprintf(d->what, sizeof d->what, "%s '%.60s': ", noun, name->text);
    } else {
        snprintf(d->what, sizeof d->what, "%s: ", noun);
    }
}

/* "file:line:column" of a node, kept in the pool, for what is found out after reading. */
static const char *place_of(ss_decoder *d, const ss_node *node)
{
    char place[384];
    int  ok = 1;
    if (node->line > 0) {
        snprintf(place, sizeof place, "%s:%d:%d", node->origin, (int)node->line, (int)node->column);
    } else {
        snprintf(place, sizeof place, "%s", node->origin);
    }
    return ss_pool_text(d->pool, place, &ok);
}

static ss_status decode_bodies(ss_decoder *d, ss_node *node)
{
    if (node == NULL) {
        return ss_decode_fail(d, d->root, "the section 'bodies' is missing");
    }
    SS_TRY(ss_decode_expect(d, "bodies", node, SS_NODE_LIST));
    SS_TRY(collect_names(d, "bodies", node, &d->bodies));
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        ss_body_def def = ss_body_def_default();
        name_entry(d, "body", entry);
        SS_TRY(ss_decode_expect(d, "an entry of bodies", entry, SS_NODE_MAP));
        SS_TRY(ss_decode_map(d, body_keys, entry, &def));
        SS_TRY(check_body(d, entry, &def));
        if (strcmp(def.name, "world") == 0) {
            return ss_decode_fail(d, entry, "'world' is the name of the world itself");
        }
        def.where        = place_of(d, entry);
        ss_status status = ss_scene_add_body(d->scene, &def, NULL);
        if (status != SS_OK) {
            return ss_node_place(d->ctx, entry, status);
        }
    }
    return SS_OK;
}

static ss_status decode_forces(ss_decoder *d, ss_node *node)
{
    ss_name_list names;
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "forces", node, SS_NODE_LIST));
    SS_TRY(collect_names(d, "forces", node, &names));
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        ss_force_def def = {0};
        name_entry(d, "force", entry);
        SS_TRY(ss_decode_expect(d, "an entry of forces", entry, SS_NODE_MAP));
        SS_TRY(ss_decode_force(d, entry, &def));
        def.where        = place_of(d, entry);
        ss_status status = ss_scene_add_force(d->scene, &def);
        if (status != SS_OK) {
            return ss_node_place(d->ctx, entry, status);
        }
    }
    return SS_OK;
}

static ss_status decode_joints(ss_decoder *d, ss_node *node)
{
    ss_name_list names;
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "joints", node, SS_NODE_LIST));
    SS_TRY(collect_names(d, "joints", node, &names));
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        ss_joint_def def = {0};
        name_entry(d, "joint", entry);
        SS_TRY(ss_decode_expect(d, "an entry of joints", entry, SS_NODE_MAP));
        SS_TRY(ss_decode_map(d, ss_joint_keys, entry, &def));
        def.where        = place_of(d, entry);
        ss_status status = ss_scene_add_joint(d->scene, &def);
        if (status != SS_OK) {
            return ss_node_place(d->ctx, entry, status);
        }
    }
    return SS_OK;
}

static ss_status decode_simulation(ss_decoder *d, ss_node *node)
{
    static const double steps_max = 1e9;
    ss_simulation_def   def       = ss_simulation_def_default();
    if (node != NULL) {
        SS_TRY(ss_decode_expect(d, "simulation", node, SS_NODE_MAP));
        SS_TRY(ss_decode_map(d, simulation_keys, node, &def));
        if (def.duration / def.step > steps_max) {
            const ss_node *at = ss_node_find(node, "duration");
            return ss_decode_fail(d, at != NULL ? at : node,
                                  "%.15g s in steps of %.15g s would take %.3g steps; at most %g "
                                  "are allowed",
                                  def.duration, def.step, def.duration / def.step, steps_max);
        }
        def.where = place_of(d, node);
    }
    return ss_scene_set_simulation(d->scene, &def);
}

static ss_status decode_nothing(ss_decoder *d, ss_node *node)
{
    (void)d, (void)node;
    return SS_OK;
}

#define NO_TABLES                                                                                  \
    {                                                                                              \
        NULL, NULL                                                                                 \
    }
static const struct ss_section_table no_tables[]       = {NO_TABLES};
static const struct ss_section_table material_tables[] = {
    {"a material", material_keys}, {"an entry of `pairs`", pair_keys}, NO_TABLES};
static const struct ss_section_table body_tables[] = {
    {"a body", body_keys}, {"`motion`", motion_keys}, NO_TABLES};
static const struct ss_section_table joint_tables[] = {
    {"a joint", ss_joint_keys}, {"`motor`", ss_motor_keys}, NO_TABLES};
static const struct ss_section_table simulation_tables[] = {{"the simulation", simulation_keys},
                                                            NO_TABLES};

const ss_section ss_scene_sections[] = {
    {"dimension", NULL, no_tables, decode_nothing, "2 or 3", "default 3"},
    {"name", NULL, no_tables, decode_name, "text", "what the scene is called; default: its file"},
    {"params", NULL, no_tables, decode_params, "{name: number, ..}",
     "numbers that expressions may name; each may be an expression of earlier ones"},
    {"gravity", NULL, no_tables, decode_gravity, "[x, y, z], 2D: [x, y]",
     "acceleration in m/s^2, default 9.81 downwards (z; 2D: y)"},
    {"materials", "material", material_tables, decode_materials,
     "{default: {..}, name: {..}, pairs: [..]}",
     "what surfaces are like. Two materials combine their friction by the geometric mean and their "
     "restitution by the maximum, unless `pairs` says otherwise"},
    {"bodies", "body", body_tables, decode_bodies, "[{..}, ..]", "what there is; required"},
    {"joints", "joint", joint_tables, decode_joints, "[{..}, ..]",
     "what holds bodies together. Joined bodies do not collide unless the joint says so"},
    {"forces", "force", ss_force_tables, decode_forces, "[{..}, ..]",
     "what acts on bodies besides gravity and contact"},
    {"simulation", NULL, simulation_tables, decode_simulation, "{..}", "how it is simulated"},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};

/* ---- the whole file ---- */

static ss_status unknown_section(ss_decoder *d, const ss_node *node)
{
    const char *names[32];
    int32_t     count = 0;
    for (const ss_section *s = ss_scene_sections; s->name != NULL && count < 32; s++) {
        names[count++] = s->name;
    }
    ss_name_list list = {names, count};
    return ss_decode_unknown_name(d, node, "section", node->key, &list);
}

static ss_status check_sections(ss_decoder *d)
{
    SS_TRY(ss_decode_expect(d, "a scene", d->root, SS_NODE_MAP));
    for (const ss_node *entry = d->root->first; entry != NULL; entry = entry->next) {
        const ss_section *s = ss_scene_sections;
        while (s->name != NULL && strcmp(s->name, entry->key) != 0) {
            s++;
        }
        if (s->name == NULL) {
            return unknown_section(d, entry);
        }
    }
    return SS_OK;
}

/* The dimension comes first: it decides what every vector looks like. */
static ss_status read_dimension(ss_decoder *d)
{
    ss_node *node = ss_node_find(d->root, "dimension");
    double   x    = 3;
    if (node != NULL) {
        SS_TRY(ss_decode_number(d, "dimension", node, &x));
        if (x != 2 && x != 3) {
            return ss_decode_fail(d, node, "dimension must be 2 or 3, got %s", node->text);
        }
    }
    d->dimension = (int)x;
    return SS_OK;
}

static ss_status decode_scene(ss_decoder *d)
{
    SS_TRY(check_sections(d));
    SS_TRY(read_dimension(d));
    SS_TRY(ss_scene_create(d->ctx, d->dimension, &d->scene));
    for (const ss_section *s = ss_scene_sections; s->name != NULL; s++) {
        d->what[0] = '\0';
        SS_TRY(s->decode(d, ss_node_find(d->root, s->name)));
    }
    return SS_OK;
}

static const char *directory_of(ss_pool *pool, const char *path, int *ok)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return "";
    }
    char *copy = ss_pool_alloc(pool, (size_t)(slash - path) + 2, 1);
    *ok        = *ok && copy != NULL;
    if (copy != NULL) {
        memcpy(copy, path, (size_t)(slash - path) + 1);
    }
    return copy;
}

/* "crate" of "scenes/crate.yaml". */
static ss_status name_after_file(ss_decoder *d, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(file, '.');
    char        name[256];
    size_t      length = dot != NULL && dot > file ? (size_t)(dot - file) : strlen(file);
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
             file);
    return ss_scene_set_name(d->scene, name);
}

static ss_status load(ss_decoder *d, const char *text, size_t length, const char *name,
                      const char *const *overrides, int32_t count)
{
    int ok         = 1;
    d->directory   = directory_of(d->pool, name, &ok);
    const char *at = ss_pool_text(d->pool, name, &ok);
    const char *resolved;
    if (!ok) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    SS_TRY(ss_yaml_parse(d->ctx, d->pool, text, length, at, &d->root));
    for (int32_t i = 0; i < count; i++) {
        SS_TRY(ss_node_override(d->ctx, d->pool, d->root, overrides[i]));
    }
    SS_TRY(decode_scene(d));
    if (ss_scene_name(d->scene)[0] == '\0') {
        SS_TRY(name_after_file(d, name));
    }
    SS_TRY(ss_node_print(d->ctx, d->pool, d->root, &resolved));
    return ss_scene_set_source(d->scene, name, text, length, resolved);
}

ss_status ss_scene_load_text(ss_context *ctx, const char *text, size_t length, const char *name,
                             const char *const *overrides, int32_t count, ss_scene **out)
{
    ss_pool    pool   = {.ctx = ctx};
    ss_decoder d      = {.ctx = ctx, .pool = &pool};
    ss_status  status = load(&d, text, length, name, overrides, count);
    *out              = NULL;
    if (status == SS_OK) {
        *out = d.scene;
    } else {
        ss_scene_destroy(d.scene);
    }
    ss_expr_env_destroy(d.env);
    ss_pool_free(&pool);
    return status;
}

/* ---- files ---- */

/* The whole file, or SS_NODE_FILE_MAX + 1 bytes of a larger one. */
static ss_status read_bytes(ss_context *ctx, const char *path, FILE *file, char **out,
                            size_t *length, size_t *room)
{
    for (*length = 0, *room = 0, *out = NULL;;) {
        if (*length == *room) {
            size_t grown = *room > 0 ? 2 * *room : 65536;
            char  *more  = ss_resize(ctx, *out, *room, grown);
            if (more == NULL) {
                return ss_fail(ctx, SS_ERR_MEMORY, "%s: out of memory", path);
            }
            *out  = more;
            *room = grown;
        }
        size_t n = fread(*out + *length, 1, *room - *length, file);
        *length += n;
        if (n == 0 && ferror(file)) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s: cannot be read: %s", path, strerror(errno));
        }
        if (n == 0 || *length > SS_NODE_FILE_MAX) {
            return SS_OK;
        }
    }
}

ss_status ss_scene_load(ss_context *ctx, const char *path, const char *const *overrides,
                        int32_t count, ss_scene **out)
{
    char  *text = NULL;
    size_t length, room = 0;
    *out       = NULL;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    }
    ss_status status = read_bytes(ctx, path, file, &text, &length, &room);
    fclose(file);
    if (status == SS_OK) {
        status = ss_scene_load_text(ctx, text, length, path, overrides, count, out);
    }
    ss_free(ctx, text, room);
    return status;
}
