/* SPDX-License-Identifier: Apache-2.0 */
/* The editable scene: definitions are copied in, nothing is checked against anything else yet. */
#include "model/scene.h"
#include "model/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/context.h"
#include "stickslip/plugin.h"
#include "stickslip/scene_file.h"

ss_body_def ss_body_def_default(void)
{
    ss_body_def def = {0};
    def.type        = SS_BODY_DYNAMIC;
    def.orientation = ss_quat_identity();
    return def;
}

ss_simulation_def ss_simulation_def_default(void)
{
    ss_simulation_def def    = {0};
    def.step                 = 0.001;
    def.duration             = 1;
    def.axes.cone            = SS_CONE_QUADRATIC;
    def.axes.cone_directions = 8;
    def.tolerance            = SS_STEP_TOLERANCE;
    def.motion               = SS_MOTION_ENOUGH;
    def.max_splits           = 10;
    def.step_limit           = SS_STEP_LIMIT;
    return def;
}

static ss_status no_memory(ss_scene *s, const char *what)
{
    return ss_fail(s->ctx, SS_ERR_MEMORY, "no memory for %s of scene '%s'", what, s->name);
}

/* For public calls: the scene and what is to go into it are there. */
static ss_status given(const ss_scene *s, const void *what)
{
    if (s == NULL || what == NULL) {
        return ss_fail(s != NULL ? s->ctx : NULL, SS_ERR_ARGUMENT, "there is no %s here (NULL)",
                       s == NULL ? "scene" : "definition");
    }
    return SS_OK;
}

ss_status ss_scene_create(ss_context *ctx, int dimension, ss_scene **out)
{
    if (ctx == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "no scene without a context and a place for it");
    }
    *out = NULL;
    if (dimension != 2 && dimension != 3) {
        return ss_fail(ctx, SS_ERR_INPUT, "dimension must be 2 or 3, got %d", dimension);
    }
    ss_scene *s = ss_alloc(ctx, 1, sizeof *s);
    if (s == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for a scene");
    }
    s->ctx                   = ctx;
    s->pool.ctx              = ctx;
    s->dimension             = dimension;
    s->name                  = "unnamed";
    s->simulation            = ss_simulation_def_default();
    s->gravity               = dimension == 3 ? ss_v3(0, 0, -9.81) : ss_v3(0, -9.81, 0);
    ss_material_def material = {.name = "default", .friction = 0.5, .restitution = 0};
    ss_status       status   = ss_scene_add_material(s, &material);
    if (status != SS_OK) {
        ss_scene_destroy(s);
        return status;
    }
    *out = s;
    return SS_OK;
}

void ss_scene_destroy(ss_scene *s)
{
    if (s == NULL) {
        return;
    }
    ss_context *ctx = s->ctx;
    ss_free(ctx, s->bodies, (size_t)s->body_capacity * sizeof *s->bodies);
    ss_free(ctx, s->materials, (size_t)s->material_capacity * sizeof *s->materials);
    ss_free(ctx, s->pairs, (size_t)s->pair_capacity * sizeof *s->pairs);
    ss_free(ctx, s->forces, (size_t)s->force_capacity * sizeof *s->forces);
    ss_free(ctx, s->joints, (size_t)s->joint_capacity * sizeof *s->joints);
    ss_free(ctx, s->params, (size_t)s->param_capacity * sizeof *s->params);
    ss_free(ctx, s->tables, (size_t)s->table_capacity * sizeof *s->tables);
    ss_pool_free(&s->pool);
    ss_free(ctx, s, sizeof *s);
}

ss_status ss_scene_set_name(ss_scene *s, const char *name)
{
    SS_TRY(given(s, name));
    char title[SS_MESSAGE_SIZE]; /* is printed on terminals */
    snprintf(title, sizeof title, "%s", name);
    ss_escape_controls(title, sizeof title);
    int         ok   = 1;
    const char *copy = ss_pool_text(&s->pool, title, &ok);
    if (!ok) {
        return no_memory(s, "the name");
    }
    s->name = copy;
    return SS_OK;
}

void ss_scene_set_gravity(ss_scene *s, ss_vec3 gravity)
{
    if (s != NULL) {
        s->gravity = gravity;
    }
}

ss_status ss_scene_set_simulation(ss_scene *s, const ss_simulation_def *def)
{
    SS_TRY(given(s, def));
    int               ok   = 1;
    ss_simulation_def copy = *def;
    copy.solver            = ss_pool_text(&s->pool, def->solver, &ok);
    copy.where             = ss_pool_text(&s->pool, def->where, &ok);
    if (!ok) {
        return no_memory(s, "the simulation");
    }
    s->simulation = copy;
    return SS_OK;
}

/* A deep copy of a shape: points, file name, parts, all the way down. */
static ss_shape_def *copy_shapes(ss_pool *pool, const ss_shape_def *from, int32_t count, int *ok)
{
    ss_shape_def *to = ss_pool_copy(pool, from, (size_t)count, sizeof *from, ok);
    for (int32_t i = 0; to != NULL && i < count; i++) {
        to[i].type     = ss_pool_text(pool, from[i].type, ok);
        to[i].file     = ss_pool_text(pool, from[i].file, ok);
        to[i].material = ss_pool_text(pool, from[i].material, ok);
        to[i].points   = ss_pool_copy(pool, from[i].points, (size_t)from[i].point_count,
                                      sizeof *from[i].points, ok);
        if (from[i].type != NULL && strcmp(from[i].type, "implicit") == 0) {
            to[i].params.formula = ss_pool_text(pool, from[i].params.formula, ok);
        }
        to[i].parts = copy_shapes(pool, from[i].parts, from[i].part_count, ok);
    }
    return to;
}

static void copy_values(ss_pool *pool, ss_value *values, int count, int *ok)
{
    for (int i = 0; i < count; i++) {
        values[i].expression = ss_pool_text(pool, values[i].expression, ok);
    }
}

static void copy_place(ss_pool *pool, ss_friction_place_def *p, int *ok)
{
    size_t nx = (size_t)p->nx, ny = p->ny > 0 ? (size_t)p->ny : 1;
    p->formula = p->formula != NULL ? ss_pool_text(pool, p->formula, ok) : NULL;
    if (p->values != NULL) {
        p->values = ss_pool_copy(pool, p->values, nx * ny, sizeof *p->values, ok);
        p->x      = ss_pool_copy(pool, p->x, nx, sizeof *p->x, ok);
        p->y      = p->ny > 0 ? ss_pool_copy(pool, p->y, ny, sizeof *p->y, ok) : NULL;
    }
}

static const ss_setting *copy_settings(ss_pool *pool, const ss_setting *from, int32_t count,
                                       int *ok)
{
    ss_setting *to = ss_pool_copy(pool, from, (size_t)count, sizeof *from, ok);
    for (int32_t i = 0; to != NULL && i < count; i++) {
        to[i].name  = ss_pool_text(pool, from[i].name, ok);
        to[i].value = ss_pool_text(pool, from[i].value, ok);
    }
    return to;
}

static const ss_support_def *copy_support(ss_pool *pool, const ss_support_def *from, int *ok)
{
    ss_support_def *to = ss_pool_copy(pool, from, 1, sizeof *from, ok);
    if (to != NULL) {
        size_t n          = (size_t)from->point_count;
        to->points        = ss_pool_copy(pool, from->points, n, sizeof *from->points, ok);
        to->normal_forces = ss_pool_copy(pool, from->normal_forces, n, sizeof(double), ok);
        to->torsion =
            ss_pool_copy(pool, from->torsion, (size_t)from->torsion_count, sizeof(double), ok);
        to->friction =
            ss_pool_copy(pool, from->friction, (size_t)from->friction_count, sizeof(double), ok);
        to->on = ss_pool_text(pool, from->on, ok);
        copy_values(pool, to->lift, 3, ok);
        copy_place(pool, &to->place, ok);
    }
    return to;
}

ss_status ss_scene_add_body(ss_scene *s, const ss_body_def *def, ss_body_id *id)
{
    SS_TRY(given(s, def));
    int ok                   = 1;
    s->bodies                = ss_array_reserve(s->ctx, s->bodies, s->body_count, &s->body_capacity,
                                                sizeof *s->bodies, &ok);
    ss_body_def copy         = *def;
    copy.name                = ss_pool_text(&s->pool, def->name, &ok);
    copy.material            = ss_pool_text(&s->pool, def->material, &ok);
    copy.where               = ss_pool_text(&s->pool, def->where, &ok);
    copy.shape               = copy_shapes(&s->pool, def->shape, 1, &ok);
    copy.support             = copy_support(&s->pool, def->support, &ok);
    copy.kind                = ss_pool_text(&s->pool, def->kind, &ok);
    copy.settings            = copy_settings(&s->pool, def->settings, def->setting_count, &ok);
    const ss_body_kind *kind = ss_body_kind_find(s->ctx, def->kind);
    copy.type                = kind != NULL ? kind->type : def->type;
    copy.damping_matrix =
        ss_pool_copy(&s->pool, def->damping_matrix,
                     (size_t)def->damping_size * (size_t)def->damping_size, sizeof(double), &ok);
    copy_values(&s->pool, copy.motion.position, 3, &ok);
    copy_values(&s->pool, &copy.motion.angle, 1, &ok);
    copy_values(&s->pool, copy.motion.quat_wxyz, 4, &ok);
    copy_values(&s->pool, copy.motion.euler, 3, &ok);
    copy_values(&s->pool, copy.motion.velocity, 3, &ok);
    copy_values(&s->pool, copy.motion.acceleration, 3, &ok);
    copy_values(&s->pool, copy.motion.angular_velocity, 3, &ok);
    copy_values(&s->pool, copy.motion.angular_acceleration, 3, &ok);
    if (!ok) {
        return no_memory(s, "a body");
    }
    s->bodies[s->body_count++] = copy;
    if (id != NULL) {
        id->index1 = s->body_count;
    }
    return SS_OK;
}

/* A grid without places or values would be read beyond its end. */
static ss_status check_place(const ss_scene *s, const ss_friction_place_def *p)
{
    bool grid = p->values == NULL ||
                (p->x != NULL && p->nx > 0 && p->ny >= 0 && (p->ny == 0 || p->y != NULL));
    return grid ? SS_OK
                : ss_fail(s->ctx, SS_ERR_ARGUMENT,
                          "friction that varies with place: a grid needs x, and y where ny > 0");
}

ss_status ss_scene_add_material(ss_scene *s, const ss_material_def *def)
{
    SS_TRY(given(s, def));
    int             ok   = 1;
    ss_material_def copy = *def;
    SS_TRY(check_place(s, &def->place));
    copy.name = ss_pool_text(&s->pool, def->name, &ok);
    copy_place(&s->pool, &copy.place, &ok);
    for (int32_t i = 0; ok && i < s->material_count; i++) {
        if (strcmp(s->materials[i].name, copy.name) == 0) {
            s->materials[i] = copy;
            return SS_OK;
        }
    }
    s->materials = ss_array_reserve(s->ctx, s->materials, s->material_count, &s->material_capacity,
                                    sizeof *s->materials, &ok);
    if (!ok) {
        return no_memory(s, "a material");
    }
    s->materials[s->material_count++] = copy;
    return SS_OK;
}

ss_status ss_scene_add_pair(ss_scene *s, const ss_pair_def *def)
{
    SS_TRY(given(s, def));
    SS_TRY(check_place(s, &def->place));
    int ok = 1;
    s->pairs =
        ss_array_reserve(s->ctx, s->pairs, s->pair_count, &s->pair_capacity, sizeof *s->pairs, &ok);
    ss_pair_def copy = *def;
    copy.between[0]  = ss_pool_text(&s->pool, def->between[0], &ok);
    copy.between[1]  = ss_pool_text(&s->pool, def->between[1], &ok);
    copy_place(&s->pool, &copy.place, &ok);
    if (!ok) {
        return no_memory(s, "a material pair");
    }
    s->pairs[s->pair_count++] = copy;
    return SS_OK;
}

ss_status ss_scene_add_force(ss_scene *s, const ss_force_def *def)
{
    SS_TRY(given(s, def));
    int ok            = 1;
    s->forces         = ss_array_reserve(s->ctx, s->forces, s->force_count, &s->force_capacity,
                                         sizeof *s->forces, &ok);
    ss_force_def copy = *def;
    copy.name         = ss_pool_text(&s->pool, def->name, &ok);
    copy.type         = ss_pool_text(&s->pool, def->type, &ok);
    copy.body         = ss_pool_text(&s->pool, def->body, &ok);
    copy.where        = ss_pool_text(&s->pool, def->where, &ok);
    copy.bodies[0]    = ss_pool_text(&s->pool, def->bodies[0], &ok);
    copy.bodies[1]    = ss_pool_text(&s->pool, def->bodies[1], &ok);
    copy.joint        = ss_pool_text(&s->pool, def->joint, &ok);
    copy.function     = ss_pool_text(&s->pool, def->function, &ok);
    copy.settings     = copy_settings(&s->pool, def->settings, def->setting_count, &ok);
    for (int32_t i = 0; i < def->memory_count && i < SS_CONTROLLER_MEMORY; i++) {
        copy.memory_names[i] = ss_pool_text(&s->pool, def->memory_names[i], &ok);
    }
    copy_values(&s->pool, copy.force, 3, &ok);
    copy_values(&s->pool, copy.torque, 3, &ok);
    if (!ok) {
        return no_memory(s, "a force");
    }
    s->forces[s->force_count++] = copy;
    return SS_OK;
}

ss_status ss_scene_add_joint(ss_scene *s, const ss_joint_def *def)
{
    SS_TRY(given(s, def));
    int ok            = 1;
    s->joints         = ss_array_reserve(s->ctx, s->joints, s->joint_count, &s->joint_capacity,
                                         sizeof *s->joints, &ok);
    ss_joint_def copy = *def;
    copy.name         = ss_pool_text(&s->pool, def->name, &ok);
    copy.type         = ss_pool_text(&s->pool, def->type, &ok);
    copy.where        = ss_pool_text(&s->pool, def->where, &ok);
    copy.bodies[0]    = ss_pool_text(&s->pool, def->bodies[0], &ok);
    copy.bodies[1]    = ss_pool_text(&s->pool, def->bodies[1], &ok);
    copy.joints[0]    = ss_pool_text(&s->pool, def->joints[0], &ok);
    copy.joints[1]    = ss_pool_text(&s->pool, def->joints[1], &ok);
    for (int i = 0; i < SS_JOINT_COORDINATES; i++) {
        copy_values(&s->pool, &copy.coordinate[i].target, 1, &ok);
    }
    if (!ok) {
        return no_memory(s, "a joint");
    }
    s->joints[s->joint_count++] = copy;
    return SS_OK;
}

ss_status ss_scene_set_param(ss_scene *s, const char *name, double value)
{
    SS_TRY(given(s, name));
    for (int32_t i = 0; i < s->param_count; i++) {
        if (strcmp(s->params[i].name, name) == 0) {
            s->params[i].value = value;
            return SS_OK;
        }
    }
    int ok           = 1;
    s->params        = ss_array_reserve(s->ctx, s->params, s->param_count, &s->param_capacity,
                                        sizeof *s->params, &ok);
    const char *copy = ss_pool_text(&s->pool, name, &ok);
    if (!ok) {
        return no_memory(s, "a parameter");
    }
    s->params[s->param_count].name    = copy;
    s->params[s->param_count++].value = value;
    return SS_OK;
}

ss_status ss_scene_add_table(ss_scene *s, const ss_table_def *def)
{
    SS_TRY(given(s, def));
    SS_TRY(ss_table_def_check(s->ctx, def));
    for (int32_t i = 0; i < s->table_count; i++) {
        if (strcmp(s->tables[i]->name, def->name) == 0) {
            return ss_fail(s->ctx, SS_ERR_INPUT, "there are two tables with the name '%s'",
                           def->name);
        }
    }
    int ok                = 1;
    s->tables             = ss_array_reserve(s->ctx, s->tables, s->table_count, &s->table_capacity,
                                             sizeof *s->tables, &ok);
    const ss_table *table = ok ? ss_table_make(&s->pool, def) : NULL;
    if (table == NULL) {
        return no_memory(s, "a table");
    }
    s->tables[s->table_count++] = table;
    return SS_OK;
}

ss_status ss_scene_set_source(ss_scene *s, const char *path, const char *text, size_t length,
                              const char *resolved)
{
    SS_TRY(given(s, s));
    int   ok         = 1;
    char *terminated = text != NULL ? ss_pool_alloc(&s->pool, length + 1, 1) : NULL;
    s->path          = ss_pool_text(&s->pool, path, &ok);
    s->resolved      = ss_pool_text(&s->pool, resolved, &ok);
    if (!ok || (text != NULL && terminated == NULL)) {
        return no_memory(s, "the text");
    }
    if (text != NULL) {
        memcpy(terminated, text, length);
    }
    s->text = terminated;
    return SS_OK;
}

const char *ss_scene_path(const ss_scene *s)
{
    return s != NULL ? s->path : NULL;
}

const char *ss_scene_text(const ss_scene *s)
{
    return s != NULL ? s->text : NULL;
}

const char *ss_scene_resolved(const ss_scene *s)
{
    return s != NULL ? s->resolved : NULL;
}

int32_t ss_scene_param_count(const ss_scene *s)
{
    return s != NULL ? s->param_count : 0;
}

const char *ss_scene_param_name(const ss_scene *s, int32_t index)
{
    return index >= 0 && index < ss_scene_param_count(s) ? s->params[index].name : NULL;
}

double ss_scene_param_value(const ss_scene *s, int32_t index)
{
    return index >= 0 && index < ss_scene_param_count(s) ? s->params[index].value : NAN;
}

const char *ss_scene_name(const ss_scene *s)
{
    return s != NULL ? s->name : "";
}

const ss_simulation_def *ss_scene_simulation(const ss_scene *s)
{
    return s != NULL ? &s->simulation : NULL;
}
