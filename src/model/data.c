/* SPDX-License-Identifier: Apache-2.0 */
/* Data: made once, asked often. */
#include "model/data.h"

#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "model/axes.h"
#include "solver/velocity.h"

enum { LOCAL_ROWS = 120, LOCAL_ROWS_JOINED = 1000 };

static ss_status allocate(const ss_model *m, ss_data *d)
{
    size_t nb = (size_t)m->nb, nv = (size_t)m->nv, ng = (size_t)m->ng;
    size_t nj = (size_t)m->joint_count, dof = (size_t)m->dof;
    size_t mid  = ss_integrator_of(m)->second;
    size_t end  = ss_geometry_of(m)->at_end;
    size_t full = m->full_matrices ? nb * 2 * dof * dof : 0;
    struct {
        void **where;
        size_t count, size;
    } parts[] = {
        {(void **)&d->state.pose, nb, sizeof *d->state.pose},
        {(void **)&d->state.twist, nb, sizeof *d->state.twist},
        {(void **)&d->state.push, nb, sizeof *d->state.push},
        {(void **)&d->applied, nb, sizeof *d->applied},
        {(void **)&d->active, nb, sizeof *d->active},
        {(void **)&d->state.joint_value, nj * SS_JOINT_COORDINATES, sizeof *d->state.joint_value},
        {(void **)&d->state.joint_load, nj, sizeof *d->state.joint_load},
        {(void **)&d->state.memory, (size_t)m->memory_count, sizeof *d->state.memory},
        {(void **)&d->memory_next, (size_t)m->memory_count, sizeof *d->memory_next},
        {(void **)&d->trial_load, nj, sizeof *d->trial_load},
        {(void **)&d->boxes, ng, sizeof *d->boxes},
        {(void **)&d->speed, nb, sizeof *d->speed},
        {(void **)&d->speed_floor, nb, sizeof *d->speed_floor},
        {(void **)&d->frame, nb, sizeof *d->frame},
        {(void **)&d->frame_was, nb, sizeof *d->frame_was},
        {(void **)&d->inertia, nb, sizeof *d->inertia},
        {(void **)&d->inv_inertia, nb, sizeof *d->inv_inertia},
        {(void **)&d->turned, nb, sizeof *d->turned},
        {(void **)&d->geom_frame, ng, sizeof *d->geom_frame},
        {(void **)&d->matrix, nb, sizeof *d->matrix},
        {(void **)&d->full, full, sizeof *d->full},
        {(void **)&d->v_free, nv, sizeof *d->v_free},
        {(void **)&d->v_now, nv, sizeof *d->v_now},
        {(void **)&d->local, nb, sizeof *d->local},
        {(void **)&d->v_next, nv, sizeof *d->v_next},
        {(void **)&d->prox.v, nv, sizeof *d->prox.v},
        {(void **)&d->prox.load, nb, sizeof *d->prox.load},
        {(void **)&d->direction, nv, sizeof *d->direction},
        {(void **)&d->impact.v_known, nv, sizeof *d->impact.v_known},
        {(void **)&d->pose_next, nb, sizeof *d->pose_next},
        {(void **)&d->twist_next, nb, sizeof *d->twist_next},
        {(void **)&d->midpoint.smooth, nb, sizeof *d->midpoint.smooth},
        {(void **)&d->midpoint.middle, mid * nb, sizeof *d->midpoint.middle},
        {(void **)&d->midpoint.mean, mid * nb, sizeof *d->midpoint.mean},
        {(void **)&d->midpoint.v, mid * nv, sizeof *d->midpoint.v},
        {(void **)&d->midpoint.stiffness, mid * nb, sizeof *d->midpoint.stiffness},
        {(void **)&d->implicit.at, end * nb, sizeof *d->implicit.at},
        {(void **)&d->implicit.v, end * nv, sizeof *d->implicit.v},
        {(void **)&d->implicit.v_free, end * nv, sizeof *d->implicit.v_free},
        {(void **)&d->implicit.matrix, end * nb, sizeof *d->implicit.matrix},
        {(void **)&d->implicit.full, end * full, sizeof *d->implicit.full},
        {(void **)&d->implicit.inertia, end * nb, sizeof *d->implicit.inertia},
        {(void **)&d->implicit.inv_inertia, end * nb, sizeof *d->implicit.inv_inertia},
        {(void **)&d->pose_bare, nb, sizeof *d->pose_bare},
        {(void **)&d->shift, nv, sizeof *d->shift},
        {(void **)&d->rebound, nb, sizeof *d->rebound},
        {(void **)&d->before_push, nb, sizeof *d->before_push},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        *parts[i].where = ss_pool_alloc(&d->pool, parts[i].count, parts[i].size);
        if (*parts[i].where == NULL) {
            return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for the simulation's data");
        }
    }
    d->going = d->state.twist;
    return SS_OK;
}

/* Lua states are not shared between threads, so each data compiles the expressions anew. */
static ss_status compile_expressions(const ss_model *m, ss_data *d)
{
    if (m->expression_count == 0) {
        return SS_OK;
    }
    SS_TRY(ss_expr_env_create(d->ctx, &d->env));
    for (int32_t i = 0; i < m->param_count; i++) {
        SS_TRY(ss_expr_set_param(d->env, m->params[i].name, m->params[i].value));
    }
    for (int32_t i = 0; i < m->expression_count; i++) {
        int32_t handle = -1;
        SS_TRY(ss_expr_compile(d->env, m->expressions[i].text, &handle));
        if (handle != i) {
            return ss_fail(d->ctx, SS_ERR_INTERNAL, "expressions are numbered out of order");
        }
    }
    return SS_OK;
}

ss_status ss_expression_failed(const ss_data *d, int32_t index, double t, ss_status status)
{
    char why[512];
    snprintf(why, sizeof why, "%s", ss_context_message(d->ctx));
    return ss_fail(d->ctx, status, "%s: at t = %g: %s", d->model->expressions[index].owner, t, why);
}

static ss_status make_solver(const ss_model *m, ss_data *d)
{
    SS_TRY(ss_solver_create_named(d->ctx, m->simulation.solver, &d->solver));
    ss_solver_common(d->solver)->tol = m->simulation.target;
    const ss_axes *axes              = &m->simulation.axes;
    bool           own               = strcmp(m->simulation.solver, "auto") == 0;
    if (own && axes->inertia == SS_INERTIA_QUASISTATIC && axes->cone == SS_CONE_QUADRATIC &&
        m->joint_rows == 0) {
        SS_TRY(ss_solver_create(d->ctx, &ss_solver_velocity, &d->balancer));
        ss_solver_common(d->balancer)->tol = m->simulation.target;
    }
    return SS_OK;
}

static void free_workers(ss_data *d)
{
    for (int32_t i = 0; i + 1 < d->threads; i++) {
        ss_solver_destroy(d->workers[i].solver);
        ss_context_destroy(d->workers[i].ctx);
    }
    if (d->threads > 1) {
        ss_free(d->ctx, d->workers, (size_t)(d->threads - 1) * sizeof *d->workers);
    }
    d->workers = NULL;
    d->threads = 1;
}

/* A context and a solver for one more thread, like the data's own. */
static ss_status make_worker(ss_data *d, struct ss_worker *w)
{
    w->ctx = ss_context_clone(d->ctx);
    if (w->ctx == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for a thread");
    }
    ss_status status = ss_solver_create(w->ctx, ss_solver_class_of(d->solver), &w->solver);
    if (status != SS_OK) {
        return ss_fail(d->ctx, status, "%s", ss_context_message(w->ctx));
    }
    *ss_solver_common(w->solver) = *ss_solver_common(d->solver);
    return SS_OK;
}

ss_status ss_data_set_threads(ss_data *d, int32_t threads)
{
    if (d == NULL) {
        return ss_fail(NULL, SS_ERR_ARGUMENT, "there is no data here (NULL)");
    }
    if (threads < 1) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "threads must be >= 1, got %d", threads);
    }
#ifndef SS_HAVE_OPENMP
    if (threads > 1) {
        return ss_fail(d->ctx, SS_ERR_UNSUPPORTED, "this build has no threads (OpenMP)");
    }
#endif
    free_workers(d);
    if (threads == 1) {
        return SS_OK;
    }
    d->workers = ss_alloc(d->ctx, (size_t)threads - 1, sizeof *d->workers);
    if (d->workers == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for %d threads", threads);
    }
    d->threads       = threads;
    ss_status status = SS_OK;
    for (int32_t i = 0; status == SS_OK && i + 1 < threads; i++) {
        status = make_worker(d, &d->workers[i]);
    }
    if (status != SS_OK) {
        free_workers(d);
    }
    return status;
}

ss_status ss_data_build(ss_context *ctx, const ss_model *m, ss_data **out)
{
    *out       = NULL;
    ss_data *d = ss_alloc(ctx, 1, sizeof *d);
    if (d == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the simulation's data");
    }
    d->ctx               = ctx;
    d->model             = m;
    d->threads           = 1;
    d->local_rows        = LOCAL_ROWS;
    d->local_rows_joined = LOCAL_ROWS_JOINED;
    d->pool.ctx          = ctx;
    ss_status status     = allocate(m, d);
    if (status == SS_OK) {
        status = compile_expressions(m, d);
    }
    if (status == SS_OK) {
        status = make_solver(m, d);
    }
    if (status == SS_OK) {
        status = ss_broadphase_create(ctx, m->ng, &d->broad);
    }
    if (status == SS_OK) {
        status = ss_arena_grow(ctx, &d->scratch);
    }
    if (status != SS_OK) {
        ss_data_destroy(d);
        return status;
    }
    *out = d;
    return SS_OK;
}

void ss_data_destroy(ss_data *d)
{
    if (d == NULL) {
        return;
    }
    ss_context *ctx = d->ctx;
    free_workers(d);
    if (d->env != NULL) {
        ss_expr_env_destroy(d->env);
    }
    ss_solver_destroy(d->solver);
    ss_solver_destroy(d->balancer);
    ss_broadphase_destroy(d->broad);
    ss_arena_free(ctx, &d->scratch);
    ss_free(ctx, d->pairs, (size_t)d->pair_capacity * sizeof *d->pairs);
    ss_free(ctx, d->contacts.items, (size_t)d->contacts.capacity * sizeof *d->contacts.items);
    ss_free(ctx, d->corners.items, (size_t)d->corners.capacity * sizeof *d->corners.items);
    ss_free(ctx, d->state.warm, (size_t)d->state.warm_capacity * sizeof *d->state.warm);
    ss_free(ctx, d->midpoint.starts,
            (size_t)d->midpoint.start_capacity * sizeof *d->midpoint.starts);
    ss_free(ctx, d->tried, (size_t)d->tried_capacity * sizeof *d->tried);
    ss_free(ctx, d->before, d->before_room);
    ss_pool_free(&d->pool);
    ss_free(ctx, d, sizeof *d);
}

double ss_data_time(const ss_data *d)
{
    return d != NULL ? d->state.t : NAN;
}

const ss_step_report *ss_data_report(const ss_data *d)
{
    return d != NULL ? &d->report : NULL;
}

ss_status ss_data_given(const ss_model *m, const ss_data *d, const void *out)
{
    if (m == NULL || d == NULL || out == NULL) {
        return ss_fail(d != NULL ? d->ctx : NULL, SS_ERR_ARGUMENT, "there is no %s here (NULL)",
                       m == NULL   ? "model"
                       : d == NULL ? "data"
                                   : "place for the answer");
    }
    if (m != d->model) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "the data was made for another model");
    }
    return SS_OK;
}

ss_status ss_data_in_range(const ss_data *d, const char *noun, int32_t index, int32_t count)
{
    if (index >= 0 && index < count) {
        return SS_OK;
    }
    return count == 0 ? ss_fail(d->ctx, SS_ERR_ARGUMENT, "there is no %s %d, nor any other", noun,
                                (int)index)
                      : ss_fail(d->ctx, SS_ERR_ARGUMENT, "there is no %s %d, only 0 to %d", noun,
                                (int)index, (int)count - 1);
}

ss_status ss_data_body(const ss_model *m, const ss_data *d, int32_t body, ss_body_state *out)
{
    SS_TRY(ss_data_given(m, d, out));
    SS_TRY(ss_data_in_range(d, "body", body, m->nb));
    const ss_body *b = &m->bodies[body];
    const ss_pose *p = &d->state.pose[body];
    ss_mat3        R = m->dimension == 3 ? ss_mat3_from_quat(p->q) : ss_mat3_from_angle(p->angle);
    ss_vec3        offset = ss_mul(&R, b->com);
    out->position         = ss_sub(p->p, offset);
    out->quat_wxyz        = m->dimension == 3 ? p->q : ss_quat_from_rotation(ss_v3(0, 0, p->angle));
    out->angle            = p->angle;
    out->angular_velocity = d->state.twist[body].w;
    out->velocity = ss_sub(d->state.twist[body].v, ss_cross(d->state.twist[body].w, offset));
    return SS_OK;
}

static bool all_finite(const double *x, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

static bool finite_state(const ss_model *m, const ss_body_state *s)
{
    const ss_quat *q      = &s->quat_wxyz;
    const double   x[]    = {s->position.x,         s->position.y,         s->position.z,
                             s->velocity.x,         s->velocity.y,         s->velocity.z,
                             s->angular_velocity.x, s->angular_velocity.y, s->angular_velocity.z};
    const double   turn[] = {q->w, q->x, q->y, q->z};
    return all_finite(x, 9) && (m->dimension == 3 ? all_finite(turn, 4) : isfinite(s->angle));
}

ss_status ss_data_set_body(const ss_model *m, ss_data *d, int32_t body, const ss_body_state *state)
{
    SS_TRY(ss_data_given(m, d, state));
    SS_TRY(ss_data_in_range(d, "body", body, m->nb));
    const ss_body *b = &m->bodies[body];
    if (!ss_body_moves(b)) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT,
                       "body '%s' does not move by itself: its state cannot be set", b->name);
    }
    if (!finite_state(m, state)) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "body '%s': a number of its state is not finite",
                       b->name);
    }
    ss_pose *p     = &d->state.pose[body];
    p->q           = ss_quat_unit(state->quat_wxyz);
    p->angle       = state->angle;
    ss_mat3 R      = m->dimension == 3 ? ss_mat3_from_quat(p->q) : ss_mat3_from_angle(p->angle);
    ss_vec3 offset = ss_mul(&R, b->com);
    p->p           = ss_add(state->position, offset);
    d->state.twist[body].w = state->angular_velocity;
    d->state.twist[body].v = ss_add(state->velocity, ss_cross(state->angular_velocity, offset));
    return SS_OK;
}

ss_status ss_data_push(const ss_model *m, ss_data *d, int32_t body, ss_vec3 force, ss_vec3 torque)
{
    const double x[] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    SS_TRY(ss_data_given(m, d, d));
    SS_TRY(ss_data_in_range(d, "body", body, m->nb));
    if (!all_finite(x, 6)) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "body '%s': a push on it is not finite",
                       m->bodies[body].name);
    }
    d->state.push[body].force  = ss_add(d->state.push[body].force, force);
    d->state.push[body].torque = ss_add(d->state.push[body].torque, torque);
    return SS_OK;
}

int32_t ss_data_contact_count(const ss_data *d)
{
    return d != NULL ? d->contacts.count : 0;
}

const ss_problem *ss_data_problem(const ss_data *d, int32_t island)
{
    return d != NULL && island >= 0 && island < d->island_count ? &d->islands[island].reduced
                                                                : NULL;
}

const double *ss_data_problem_solution(const ss_data *d, int32_t island)
{
    return d != NULL && island >= 0 && island < d->island_count ? d->islands[island].solution.z
                                                                : NULL;
}

double ss_data_problem_residual(const ss_data *d, int32_t island)
{
    return ss_data_problem(d, island) != NULL ? d->islands[island].solution.residual : NAN;
}
