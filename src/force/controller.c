/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A controller: forces as a function of time and state, in Lua or in C, sampled at the start of the
 * step and held over it. On a body it gives force and torque (2D: fx, fy, torque), on a joint one
 * force or torque along its first coordinate; values that are not returned are zero.
 *
 * A controller that is stiff may declare by how much its force falls as the body (or the joint's
 * coordinate) moves, `stiffness`, and speeds up, `damping`: its force is then corrected within the
 * step (rows/give_rows.c), as that of a spring is.
 *
 * A Lua function may keep numbers that the controller declares (`state: {i: 0}`), as the fields of
 * its third argument; they are part of the state, and move on once a step, to those that the call
 * at its start left, in however many parts it is taken. It sees bodies and joints as s.NAME.FIELD:
 *   body   x, y, z, vx, vy, vz; 2D: angle, w; 3D: qw, qx, qy, qz, wx, wy, wz
 *   joint  value, rate (also value2, rate2, value3, rate3)
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "force/force.h"
#include "joint/joint.h"

static ss_status find_joint(ss_compiler *c, const char *name, const char *where, int32_t *out)
{
    *out = ss_model_find_joint(c->model, name);
    if (*out < 0) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: there is no joint '%s'", where, name);
    }
    if (ss_model_joint_coordinates(c->model, *out) == 0) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: joint '%s' has no coordinate to drive", where,
                       name);
    }
    return SS_OK;
}

static ss_status compile(ss_compiler *c, const ss_force_def *def, ss_force *f)
{
    char where[160];
    snprintf(where, sizeof where, "force '%.120s'", def->name != NULL ? def->name : "");
    if ((def->body != NULL) == (def->joint != NULL)) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: a controller acts on a body or on a joint",
                       where);
    }
    if ((def->function != NULL) == (def->control != NULL)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "%s: a controller needs a function: \"function(t, s) return ... end\"",
                       where);
    }
    if (def->memory_count < 0 || def->memory_count > SS_CONTROLLER_MEMORY) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: a controller keeps at most %d numbers", where,
                       SS_CONTROLLER_MEMORY);
    }
    int ok = 1;
    for (int32_t i = 0; i < def->memory_count; i++) {
        f->memory_names[i] = ss_pool_text(&c->model->pool, def->memory_names[i], &ok);
        f->memory[i]       = def->memory[i];
    }
    if (!ok) {
        return ss_fail(c->ctx, SS_ERR_MEMORY, "%s: no memory for its state", where);
    }
    f->memory_count = def->memory_count;
    f->memory_first = c->model->memory_count;
    c->model->memory_count += def->memory_count;
    f->joint        = -1;
    f->function     = -1;
    f->control      = def->control;
    f->control_user = def->control_user;
    SS_TRY(def->joint != NULL ? find_joint(c, def->joint, where, &f->joint)
                              : ss_compile_body_named(c, def->body, where, &f->body[0]));
    f->body[1] = -1;
    if (f->joint >= 0) {
        f->body[0] = c->model->joints[f->joint].body[0];
        f->body[1] = c->model->joints[f->joint].body[1];
    }
    if (!(def->stiffness >= 0) || !(def->damping >= 0) || !isfinite(def->stiffness) ||
        !isfinite(def->damping)) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: stiffness and damping must be >= 0, got %g, %g",
                       where, def->stiffness, def->damping);
    }
    f->stiffness = def->stiffness;
    f->damping   = def->damping;
    f->axial     = f->joint >= 0; /* one row */
    f->follows   = f->stiffness > 0 || f->damping > 0;
    return def->function != NULL ? ss_compile_function(c, def->function, where, &f->function)
                                 : SS_OK;
}

/* The scene's body frame, or a joint, as a controller sees it. */
typedef struct view {
    const ss_model *m;
    const ss_data  *d;
} view;

static ss_expr_found read_body(const view *v, int32_t body, const char *field, double *out)
{
    ss_body_state s;
    ss_body_with(v->m, v->d, body, &v->d->state.twist[body], &s);
    const struct {
        const char *name;
        int         dimension; /* 0: both */
        double      value;
    } fields[] = {
        {"x", 0, s.position.x},          {"y", 0, s.position.y},
        {"z", 3, s.position.z},          {"vx", 0, s.velocity.x},
        {"vy", 0, s.velocity.y},         {"vz", 3, s.velocity.z},
        {"angle", 2, s.angle},           {"w", 2, s.angular_velocity.z},
        {"wx", 3, s.angular_velocity.x}, {"wy", 3, s.angular_velocity.y},
        {"wz", 3, s.angular_velocity.z}, {"qw", 3, s.quat_wxyz.w},
        {"qx", 3, s.quat_wxyz.x},        {"qy", 3, s.quat_wxyz.y},
        {"qz", 3, s.quat_wxyz.z},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strcmp(fields[i].name, field) == 0 &&
            (fields[i].dimension == 0 || fields[i].dimension == v->m->dimension)) {
            *out = fields[i].value;
            return SS_EXPR_FOUND;
        }
    }
    return SS_EXPR_NO_FIELD;
}

static ss_twist twist_now(const ss_data *d, int32_t body)
{
    ss_twist none = {{0, 0, 0}, {0, 0, 0}};
    return body >= 0 ? d->state.twist[body] : none;
}

static ss_expr_found read_joint(const view *v, int32_t joint, const char *field, double *out)
{
    static const char *const names[2][SS_JOINT_COORDINATES] = {{"value", "value2", "value3"},
                                                               {"rate", "rate2", "rate3"}};
    const ss_joint          *j                              = &v->m->joints[joint];
    const ss_joint_form     *form                           = ss_joint_form_of(v->m, j);
    for (int32_t i = 0; i < form->coordinates && i < SS_JOINT_COORDINATES; i++) {
        if (strcmp(field, names[0][i]) == 0) {
            *out = v->d->state.joint_value[(ptrdiff_t)SS_JOINT_COORDINATES * joint + i];
            return SS_EXPR_FOUND;
        }
        if (strcmp(field, names[1][i]) == 0) {
            ss_joint_place place = ss_joint_place_now(v->m, v->d, j);
            ss_scalar_row  row   = ss_scalar_eval(&form->coordinate[i], &place);
            ss_twist       a = twist_now(v->d, j->body[0]), b = twist_now(v->d, j->body[1]);
            *out = ss_scalar_rate(&row, &a, &b);
            return SS_EXPR_FOUND;
        }
    }
    return SS_EXPR_NO_FIELD;
}

static ss_expr_found read_state(void *user, const char *name, const char *field, double *out)
{
    const view *v     = user;
    int32_t     body  = ss_model_find_body(v->m, name).index1 - 1;
    int32_t     joint = body < 0 ? ss_model_find_joint(v->m, name) : -1;
    if (body >= 0) {
        return read_body(v, body, field, out);
    }
    return joint >= 0 ? read_joint(v, joint, field, out) : SS_EXPR_NO_NAME;
}

static ss_status ask(const ss_model *m, ss_data *d, const ss_force *f, double *values,
                     int32_t count)
{
    view v = {m, d};
    if (f->control == NULL) {
        /* A step may ask several times, at its start and in its parts: each time it starts from
           what the last step left. */
        size_t         kept   = (size_t)f->memory_count * sizeof *d->memory_asked;
        ss_expr_memory memory = {f->memory_names, d->memory_asked + f->memory_first,
                                 f->memory_count};
        if (kept > 0) {
            memcpy(memory.values, d->state.memory + f->memory_first, kept);
        }
        ss_status status =
            ss_expr_call(d->env, f->function, d->state.t, read_state, &v, &memory, values, count);
        return status == SS_OK ? SS_OK : ss_expression_failed(d, f->function, d->state.t, status);
    }
    if (f->control(f->control_user, m, d, d->state.t, values, count) != 0) {
        return ss_fail(d->ctx, SS_ERR_INPUT, "force '%s': its control function failed at t = %g",
                       f->name, d->state.t);
    }
    return SS_OK;
}

static ss_status apply(const ss_model *m, ss_data *d, const ss_force *f, double t)
{
    (void)t; /* sampled where the state is */
    double v[6] = {0};
    if (f->joint >= 0) {
        const ss_joint      *j     = &m->joints[f->joint];
        const ss_joint_form *form  = ss_joint_form_of(m, j);
        ss_joint_place       place = ss_joint_place_now(m, d, j);
        ss_scalar_row        row   = ss_scalar_eval(&form->coordinate[0], &place);
        SS_TRY(ask(m, d, f, v, 1));
        ss_joint_push(j, &row, v[0], d->applied);
        return SS_OK;
    }
    SS_TRY(ask(m, d, f, v, m->dof));
    ss_wrench *w      = &d->applied[f->body[0]];
    bool       planar = m->dimension == 2;
    w->force          = ss_add(w->force, ss_v3(v[0], v[1], planar ? 0 : v[2]));
    w->torque         = ss_add(w->torque, planar ? ss_v3(0, 0, v[2]) : ss_v3(v[3], v[4], v[5]));
    return SS_OK;
}

const ss_force_class ss_force_controller = {
    .name = "controller", .compile = compile, .apply = apply, .is_control = true};
