/* SPDX-License-Identifier: Apache-2.0 */
/* Scene -> model: check everything that can be checked before the first step, resolve names. */
#include "compile/compile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compile/tolerances.h"
#include "core/constants.h"
#include "core/elementary.h"
#include "force/force.h"
#include "model/axes.h"
#include "model/tolerances.h"
#include "stickslip/plugin.h"

/* The names of all solvers that take problems of this type. */
static void list_solvers(const ss_context *ctx, ss_problem_type type, char *out, size_t size)
{
    size_t used = 0;
    for (int32_t i = 0; i < ss_solver_count(ctx) && used < size; i++) {
        const ss_solver_class *cls = ss_solver_at(ctx, i);
        if ((cls->accepts & (unsigned)type) != 0) {
            used +=
                (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", cls->name);
        }
    }
}

/* Does it exist, and does it take what this model poses? */
static ss_status check_solver(ss_compiler *c, const char *name)
{
    const ss_cone_class   *cone = ss_cone_axis[c->scene->simulation.axes.cone];
    const ss_solver_class *cls  = ss_solver_find(c->ctx, name);
    char                   others[400];
    if (cls == NULL) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "simulation: there is no solver '%s' (see `stickslip list`)", name);
    }
    if ((cls->accepts & (unsigned)cone->poses) != 0) {
        return SS_OK;
    }
    list_solvers(c->ctx, cone->poses, others, sizeof others);
    return ss_fail(
        c->ctx, SS_ERR_INPUT,
        "simulation: solver '%s' does not take the problems of cone: %s (type %s): these "
        "do: %s%s",
        name, cone->name, ss_problem_type_name(cone->poses), others,
        (cls->accepts & (unsigned)SS_MLCP) != 0 || (cls->accepts & (unsigned)SS_LCP) != 0
            ? "; or use cone=polygon:8"
            : "");
}

/* What the values of some axes have against the others, or against the scene. */
static ss_status check_axes(ss_compiler *c)
{
    const ss_axes             *axes       = &c->scene->simulation.axes;
    const ss_corners_class    *corners    = ss_corners_axis[axes->corners];
    const ss_integrator_class *integrator = ss_integrator_axis[axes->integrator];
    const char                *why        = NULL;
    if (corners->refuses != NULL) {
        why = corners->refuses(c->scene);
    }
    if (why == NULL && ss_cone_axis[axes->cone]->refuses != NULL) {
        why = ss_cone_axis[axes->cone]->refuses(c->scene);
    }
    if (why == NULL && integrator != NULL && integrator->refuses != NULL) {
        why = integrator->refuses(c->scene);
    }
    if (why == NULL && ss_geometry_axis[axes->geometry]->refuses != NULL) {
        why = ss_geometry_axis[axes->geometry]->refuses(c->scene);
    }
    if (why == NULL && ss_contact_axis[axes->contact]->refuses != NULL) {
        why = ss_contact_axis[axes->contact]->refuses(c->scene);
    }
    if (why == NULL && ss_level_axis[axes->level]->refuses != NULL) {
        why = ss_level_axis[axes->level]->refuses(c->scene);
    }
    return why == NULL ? SS_OK : ss_fail(c->ctx, SS_ERR_INPUT, "model: %s", why);
}

static ss_status check_simulation(ss_compiler *c)
{
    const ss_simulation_def *s = &c->scene->simulation;
    if (!(s->step > 0) || !isfinite(s->step)) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "simulation: step must be > 0, got %g", s->step);
    }
    if (s->step < SS_LEAST_STEP || s->step > SS_LARGEST_STEP) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "simulation: step must lie between %g and %g s, got %g", SS_LEAST_STEP,
                       SS_LARGEST_STEP, s->step);
    }
    if (!(s->duration >= 0) || !isfinite(s->duration)) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "simulation: duration must be >= 0, got %g",
                       s->duration);
    }
    if (!isfinite(s->start)) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "simulation: start must be a time, got %g", s->start);
    }
    if (s->step < SS_STEP_OF_TIME * (fabs(s->start) + s->duration)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "simulation: steps of %g s are lost in the rounding of times up to %g s: at "
                       "least %g of them",
                       s->step, fabs(s->start) + s->duration, SS_STEP_OF_TIME);
    }
    const ss_cone_class *cone = ss_cone_axis[s->axes.cone];
    const int32_t least = cone->around ? 2 : 3, most = SS_POLYGON_MAX / (cone->around ? 2 : 1);
    if (s->axes.cone_directions < least || s->axes.cone_directions > most) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "model: a %s cone has %d to %d directions, got %d",
                       cone->around ? cone->name : "polygon", least, most, s->axes.cone_directions);
    }
    SS_TRY(check_axes(c));
    if (!(s->error >= 0) || !isfinite(s->error)) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "simulation: error must be > 0, got %g", s->error);
    }
    if (!(s->tolerance >= 0) || s->tolerance > 1) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "simulation: tolerance must lie between 0 and 1, got %g", s->tolerance);
    }
    if (!(s->target >= 0) || s->target > 1) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "simulation: target must lie between 0 and 1, got %g",
                       s->target);
    }
    if (!(s->motion >= 0) || s->motion > 1) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "simulation: accuracy: motion must lie between 0 and 1, got %g", s->motion);
    }
    return check_solver(c, s->solver != NULL ? s->solver : "auto");
}

static ss_status check_gravity(ss_compiler *c)
{
    double g = ss_norm(c->scene->gravity);
    return g <= SS_LARGEST_GRAVITY
               ? SS_OK
               : ss_fail(c->ctx, SS_ERR_INPUT, "gravity must be at most %g m/s^2, got %g",
                         SS_LARGEST_GRAVITY, g);
}

static ss_status copy_header(ss_compiler *c)
{
    const ss_scene *s  = c->scene;
    ss_model       *m  = c->model;
    int             ok = 1;
    m->name            = ss_pool_text(&m->pool, s->name, &ok);
    m->dimension       = s->dimension;
    m->dof             = s->dimension == 3 ? 6 : 3;
    m->gravity         = s->gravity;
    m->simulation      = s->simulation;
    m->simulation.solver =
        ss_pool_text(&m->pool, s->simulation.solver != NULL ? s->simulation.solver : "auto", &ok);
    SS_TRY(ss_take_axes(m));
    m->simulation.axes.integrator = ss_integrator_chosen(s);
    bool printed                  = !ss_integrator_of(m)->second || !ss_inertia_of(m)->momentum ||
                   !ss_gap_of(m)->kept || ss_corners_of(m)->posed || ss_geometry_of(m)->at_end;
    m->as_printed = printed && ss_level_of(m)->step == NULL; /* a level's own impacts are exact */
    if (m->simulation.tolerance == 0) {
        m->simulation.tolerance = SS_STEP_TOLERANCE;
    }
    if (m->simulation.target == 0) {
        m->simulation.target = SS_STEP_TARGET * m->simulation.tolerance;
    }
    if (m->simulation.motion == 0) {
        m->simulation.motion = SS_MOTION_ENOUGH;
    }
    m->params = ss_pool_copy(&m->pool, s->params, (size_t)s->param_count, sizeof *s->params, &ok);
    m->param_count = s->param_count;
    for (int32_t i = 0; i < m->param_count && m->params != NULL; i++) {
        m->params[i].name = ss_pool_text(&m->pool, s->params[i].name, &ok);
    }
    ok             = ok && ss_tables_copy(&m->pool, s->tables, s->table_count, &m->tables);
    m->table_count = s->table_count;
    return ok ? SS_OK : ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for the model");
}

static ss_status draw_polygon(ss_compiler *c)
{
    ss_polygon *polygon      = &c->model->polygon;
    int32_t     n            = c->scene->simulation.axes.cone_directions;
    bool        around       = ss_cone_axis[c->scene->simulation.axes.cone]->around;
    polygon->count           = around ? 2 * n : n;
    c->model->polygon_inside = around ? 1 : ss_cos(SS_PI / n);
    polygon->corner =
        ss_pool_alloc(&c->model->pool, (size_t)polygon->count, sizeof *polygon->corner);
    if (polygon->corner == NULL) {
        return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for the model");
    }
    (around ? ss_polygon_around : ss_polygon_corners)(n, polygon->corner);
    return SS_OK;
}

static ss_status prepare_expressions(ss_compiler *c)
{
    if (c->env != NULL) {
        return SS_OK;
    }
    SS_TRY(ss_expr_env_create(c->ctx, &c->env));
    for (int32_t i = 0; i < c->scene->param_count; i++) {
        SS_TRY(ss_expr_set_param(c->env, c->scene->params[i].name, c->scene->params[i].value));
    }
    return ss_tables_into(c->env, c->model->tables, c->model->table_count);
}

static ss_status keep_expression(ss_compiler *c, const char *text, const char *where, bool timed,
                                 int32_t *index)
{
    ss_model *m = c->model;
    if (m->expression_count == m->expression_capacity) {
        int32_t        wanted = m->expression_capacity > 0 ? 2 * m->expression_capacity : 16;
        ss_expression *fresh  = ss_pool_alloc(&m->pool, (size_t)wanted, sizeof *fresh);
        if (fresh == NULL) {
            return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for expressions");
        }
        if (m->expression_count > 0) {
            memcpy(fresh, m->expressions, (size_t)m->expression_count * sizeof *fresh);
        }
        m->expressions         = fresh;
        m->expression_capacity = wanted;
    }
    char owner[512];
    int  ok = 1;
    snprintf(owner, sizeof owner, "%s%s%s", c->where != NULL ? c->where : "",
             c->where != NULL ? ": " : "", where);
    m->expressions[m->expression_count].text  = ss_pool_text(&m->pool, text, &ok);
    m->expressions[m->expression_count].owner = ss_pool_text(&m->pool, owner, &ok);
    m->expressions[m->expression_count].timed = timed;
    if (!ok) {
        return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for expressions");
    }
    *index = m->expression_count++;
    return SS_OK;
}

/* Puts `where` in front of what went wrong. */
static ss_status fail_at(ss_compiler *c, ss_status status, const char *where)
{
    char why[512];
    snprintf(why, sizeof why, "%s", ss_context_message(c->ctx));
    return ss_fail(c->ctx, status, "%s: %s", where, why);
}

ss_status ss_compile_timed(ss_compiler *c, const ss_value *value, const char *where, ss_timed *out)
{
    out->number = value->number;
    out->expr   = -1;
    if (value->expression == NULL) {
        if (!isfinite(value->number)) {
            return ss_fail(c->ctx, SS_ERR_INPUT, "%s: a number is not finite", where);
        }
        return SS_OK;
    }
    SS_TRY(prepare_expressions(c));
    int32_t   handle = -1;
    double    now    = 0;
    ss_status status = ss_expr_compile(c->env, value->expression, &handle);
    if (status == SS_OK) {
        status = ss_expr_eval(c->env, handle, 0, &now);
    }
    if (status != SS_OK) {
        return fail_at(c, status, where);
    }
    out->number = now; /* the value at the start, for those who place things there */
    return keep_expression(c, value->expression, where, true, &out->expr);
}

ss_status ss_compile_function(ss_compiler *c, const char *text, const char *where, int32_t *out)
{
    SS_TRY(prepare_expressions(c));
    int32_t   handle = -1;
    ss_status status = ss_expr_compile(c->env, text, &handle);
    if (status == SS_OK) {
        status = ss_expr_check_function(c->env, handle);
    }
    return status == SS_OK ? keep_expression(c, text, where, false, out)
                           : fail_at(c, status, where);
}

static ss_status list_bodies(ss_compiler *c)
{
    for (int32_t i = 0; i < c->scene->body_count; i++) {
        if (!ss_name_add(&c->bodies, &c->model->pool, c->scene->bodies[i].name, i)) {
            return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for the names of bodies");
        }
    }
    return SS_OK;
}

ss_status ss_compile_body_named(ss_compiler *c, const char *name, const char *where, int32_t *out)
{
    if (c->bodies.count == 0) {
        SS_TRY(list_bodies(c));
    }
    *out = ss_name_find(&c->bodies, name);
    if (*out >= 0) {
        return SS_OK;
    }
    return ss_fail(c->ctx, SS_ERR_INPUT, "%s: there is no body '%s'", where,
                   name != NULL ? name : "");
}

static const ss_force_class *class_of(const ss_context *ctx, const char *type)
{
    const ss_force_class *cls = type != NULL ? ss_force_find(type) : NULL;
    return cls == NULL && type != NULL && ss_force_kind_find(ctx, type) != NULL ? &ss_force_plugin
                                                                                : cls;
}

/* What bodies of a plug-in's kind bring with them. */
static ss_status add_body_loads(ss_compiler *c)
{
    for (int32_t i = 0; i < c->model->nb; i++) {
        const ss_body_kind *kind = ss_body_kind_find(c->ctx, c->scene->bodies[i].kind);
        if (kind != NULL && kind->load != NULL) {
            SS_TRY(ss_force_of_body(c, kind, i, &c->model->forces[c->model->force_count++]));
        }
    }
    return SS_OK;
}

ss_status ss_compile_forces(ss_compiler *c)
{
    ss_model *m    = c->model;
    m->force_count = c->scene->force_count;
    m->forces = ss_pool_alloc(&m->pool, (size_t)m->force_count + (size_t)m->nb, sizeof *m->forces);
    if (m->forces == NULL) {
        return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for forces");
    }
    for (int32_t i = 0; i < m->force_count; i++) {
        const ss_force_def *def = &c->scene->forces[i];
        ss_force           *f   = &m->forces[i];
        int                 ok  = 1;
        c->where                = def->where;
        f->name                 = ss_pool_text(&m->pool, def->name, &ok);
        f->cls                  = class_of(c->ctx, def->type);
        if (!ok) {
            return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for forces");
        }
        if (f->cls == NULL) {
            return ss_fail(c->ctx, SS_ERR_INPUT, "force '%s': there is no force type '%s'",
                           def->name != NULL ? def->name : "", def->type != NULL ? def->type : "");
        }
        SS_TRY(f->cls->compile(c, def, f));
    }
    c->where = NULL;
    return add_body_loads(c);
}

/* Bodies on which something acts that changes as they move within a step, and those on which
   nothing acts that the scene names. */
static void tie_bodies(ss_model *m)
{
    for (int32_t i = 0; i < m->nb; i++) {
        m->bodies[i].alone = ss_body_moves(&m->bodies[i]);
    }
    for (int32_t i = 0; i < m->joint_count; i++) {
        for (int side = 0; side < m->joints[i].sides; side++) {
            if (m->joints[i].body[side] >= 0) {
                m->bodies[m->joints[i].body[side]].tied    = true;
                m->bodies[m->joints[i].body[side]].jointed = true;
                m->bodies[m->joints[i].body[side]].alone   = false;
            }
        }
    }
    for (int32_t i = 0; i < m->force_count; i++) {
        const ss_force *f = &m->forces[i];
        m->controlled     = m->controlled || f->cls->is_control || f->plugin.load != NULL;
        for (int side = 0; side < 2; side++) {
            if (f->body[side] >= 0) {
                ss_body *b = &m->bodies[f->body[side]];
                b->alone   = false;
                b->tied    = b->tied || f->follows;
            }
        }
    }
}

static bool some_body_moves(const ss_model *m, const int32_t *bodies)
{
    return (bodies[0] >= 0 && ss_body_moves(&m->bodies[bodies[0]])) ||
           (bodies[1] >= 0 && ss_body_moves(&m->bodies[bodies[1]]));
}

/* Rows of what springs and dampers add by moving within a step (rows/give_rows.c). */
static void count_give_rows(ss_model *m)
{
    for (int32_t i = 0; i < m->force_count; i++) {
        ss_force *f = &m->forces[i];
        if ((f->stiffness > 0 || f->damping > 0) && some_body_moves(m, f->body)) {
            bool joint   = f->cls->is_control && f->joint >= 0; /* along its coordinate alone */
            bool across  = !joint && (f->stiffness > 0 || !f->axial);
            f->give_rows = across ? m->dimension : 1;
            m->give_blocks++;
            m->give_rows += f->give_rows;
        }
    }
    for (int32_t i = 0; i < m->joint_count; i++) {
        ss_joint *j     = &m->joints[i];
        int32_t   count = 0;
        for (int32_t k = 0; k < SS_JOINT_COORDINATES; k++) {
            count += j->coordinate[k].stiffness > 0 || j->coordinate[k].damping > 0;
        }
        j->gives = count > 0 && some_body_moves(m, j->body);
        m->give_blocks += j->gives ? count : 0;
        m->give_rows += j->gives ? count : 0;
    }
}

/* FNV-1a (Fowler, Noll and Vo); the end of the text counts. */
static uint64_t add_text(uint64_t sum, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        sum = (sum ^ (unsigned char)*c) * 1099511628211u;
    }
    return (sum ^ 0xff) * 1099511628211u;
}

/* What a snapshot is of: values may change, parts may not. */
static void sum_up_parts(ss_model *m)
{
    uint64_t sum = 14695981039346656037u ^ (uint64_t)m->dimension;
    for (int32_t i = 0; i < m->nb; i++) {
        sum = add_text(sum, m->bodies[i].name) + (uint64_t)m->bodies[i].type;
    }
    for (int32_t i = 0; i < m->joint_count; i++) {
        sum = add_text(sum, m->joints[i].name);
    }
    m->parts = sum;
}

static ss_status compile_all(ss_compiler *c)
{
    SS_TRY(check_simulation(c));
    c->where = NULL;
    SS_TRY(check_gravity(c));
    SS_TRY(copy_header(c));
    SS_TRY(draw_polygon(c));
    SS_TRY(ss_compile_materials(c));
    SS_TRY(ss_compile_bodies(c));
    SS_TRY(ss_compile_supports(c));
    SS_TRY(ss_compile_pairs(c));
    SS_TRY(ss_compile_joints(c));
    SS_TRY(ss_compile_forces(c));
    tie_bodies(c->model);
    if (ss_inertia_of(c->model)->momentum || ss_inertia_of(c->model)->medium) {
        count_give_rows(c->model);
    }
    sum_up_parts(c->model);
    return SS_OK;
}

/* Puts the place in front of the message. */
static void say_where(ss_compiler *c, ss_status status)
{
    char why[768];
    snprintf(why, sizeof why, "%s", ss_context_message(c->ctx));
    ss_fail(c->ctx, status, "%s: %s", c->where, why);
}

ss_status ss_model_compile(ss_context *ctx, const ss_scene *scene, ss_model **out)
{
    if (ctx == NULL || scene == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT,
                       "no model without a context, a scene and a place for it");
    }
    *out        = NULL;
    ss_model *m = ss_alloc(ctx, 1, sizeof *m);
    if (m == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the model");
    }
    m->ctx             = ctx;
    m->pool.ctx        = ctx;
    ss_compiler c      = {.ctx = ctx, .scene = scene, .model = m, .where = scene->simulation.where};
    ss_status   status = compile_all(&c);
    if (status != SS_OK && c.where != NULL) {
        say_where(&c, status);
    }
    if (c.env != NULL) {
        ss_expr_env_destroy(c.env);
    }
    if (status != SS_OK) {
        ss_model_destroy(m);
        return status;
    }
    *out = m;
    return SS_OK;
}

void ss_model_destroy(ss_model *m)
{
    if (m == NULL) {
        return;
    }
    for (int32_t i = 0; m->shapes != NULL && i < m->nb; i++) {
        ss_geom_free(&m->shapes[i]);
    }
    ss_pool_free(&m->pool);
    ss_free(m->ctx, m, sizeof *m);
}
