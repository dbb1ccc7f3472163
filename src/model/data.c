/* SPDX-License-Identifier: Apache-2.0 */
/* Data: made once, asked often. */
#include "model/data.h"

#include <stdio.h>
#include <string.h>

#include "core/constants.h"
#include "core/context.h"
#include "model/axes.h"
#include "solver/velocity.h"
#include "stickslip/instant.h"

enum { LOCAL_ROWS_JOINED = 1000 };

/* The array `where` of `count` items. */
#define ARRAY(where, count)                                                                        \
    do {                                                                                           \
        (where) = ss_pool_alloc(&d->pool, count, sizeof *(where));                                 \
        ok      = ok && (where) != NULL;                                                           \
    } while (0)

/* What the simulation is at an instant (model/state.h). */
static int allocate_state(const ss_model *m, ss_data *d)
{
    size_t nb = (size_t)m->nb, nj = (size_t)m->joint_count;
    int    ok = 1;
    ARRAY(d->state.pose, nb);
    ARRAY(d->state.twist, nb);
    ARRAY(d->state.push, nb);
    ARRAY(d->state.joint_value, nj * SS_JOINT_COORDINATES);
    ARRAY(d->state.joint_load, nj);
    ARRAY(d->state.joint_late, m->joint_loads ? nj : 0);
    ARRAY(d->state.memory, (size_t)m->memory_count);
    ARRAY(d->state.quiet, m->simulation.sleep ? nb : 0);
    ARRAY(d->state.asleep, m->simulation.sleep ? nb : 0);
    d->going = d->state.twist;
    return ok;
}

/* What the stages of a round hand on to each other. */
static int allocate_stages(const ss_model *m, ss_data *d)
{
    size_t nb = (size_t)m->nb, nv = (size_t)m->nv, ng = (size_t)m->ng, dof = (size_t)m->dof;
    size_t full = m->full_matrices ? nb * 2 * dof * dof : 0;
    int    ok   = 1;
    ARRAY(d->applied, nb);
    ARRAY(d->active, nb);
    ARRAY(d->acting, 2 * (size_t)m->force_count);
    ARRAY(d->boxes, ng);
    ARRAY(d->speed, nb);
    ARRAY(d->speed_floor, nb);
    ARRAY(d->speed_found, nb);
    ARRAY(d->speed_beside, nb);
    ARRAY(d->moved, ss_inertia_of(m)->momentum ? 0 : nb);
    ARRAY(d->frame, nb);
    ARRAY(d->frame_was, nb);
    ARRAY(d->even, nb);
    ARRAY(d->inertia, nb);
    ARRAY(d->inv_inertia, nb);
    ARRAY(d->turned, nb);
    ARRAY(d->geom_frame, ng);
    ARRAY(d->matrix, nb);
    ARRAY(d->full, full);
    ARRAY(d->v_free, nv);
    ARRAY(d->v_now, nv);
    ARRAY(d->local, nb);
    ARRAY(d->v_next, nv);
    ARRAY(d->pose_next, nb);
    ARRAY(d->twist_next, nb);
    ARRAY(d->support_force, (size_t)m->support_count);
    ARRAY(d->support_mu, (size_t)m->support_count);
    return ok;
}

/* What single methods keep from round to round. */
static int allocate_methods(const ss_model *m, ss_data *d)
{
    size_t nb = (size_t)m->nb, nv = (size_t)m->nv, nj = (size_t)m->joint_count;
    size_t dof = (size_t)m->dof, full = m->full_matrices ? nb * 2 * dof * dof : 0;
    size_t mid = ss_integrator_of(m)->second, end = ss_geometry_of(m)->at_end;
    int    ok = 1;
    ARRAY(d->memory_asked, (size_t)m->memory_count);
    ARRAY(d->memory_next, (size_t)m->memory_count);
    ARRAY(d->trial_load, nj);
    ARRAY(d->loads.found, m->joint_loads * nj);
    ARRAY(d->loads.weight, m->joint_loads * nj);
    ARRAY(d->loads.room, m->joint_loads * ss_anderson_room(m->joint_count));
    ARRAY(d->trial_tilt, (size_t)m->lift_count);
    ARRAY(d->asleep, m->simulation.sleep ? nb : 0);
    ARRAY(d->prox.v, nv);
    ARRAY(d->prox.load, nb);
    ARRAY(d->motions.other, nv);
    ARRAY(d->witness.w, ss_inertia_of(m)->balanced ? nv : 0);
    ARRAY(d->impact.v_known, nv);
    ARRAY(d->midpoint.smooth, nb);
    ARRAY(d->midpoint.turns_after, nb);
    ARRAY(d->midpoint.flight, nb);
    ARRAY(d->midpoint.piled, mid * nb);
    ARRAY(d->midpoint.spread, mid * nb);
    ARRAY(d->midpoint.middle, mid * nb);
    ARRAY(d->midpoint.end, mid * nb);
    ARRAY(d->midpoint.mean, mid * nb);
    ARRAY(d->midpoint.next, mid * nb);
    ARRAY(d->midpoint.from, mid * nb);
    ARRAY(d->midpoint.to, mid * nb);
    ARRAY(d->midpoint.known, mid * nb);
    ARRAY(d->midpoint.frame, mid * nb);
    ARRAY(d->midpoint.geom_frame, mid * (size_t)m->ng);
    ARRAY(d->midpoint.v, mid * nv);
    ARRAY(d->midpoint.f, mid * nv);
    ARRAY(d->midpoint.g, mid * nv);
    ARRAY(d->midpoint.stiffness, mid * nb);
    ARRAY(d->ending.frame, ss_joints_at_end(m) * nb);
    ARRAY(d->ending.v, ss_joints_at_end(m) * nv);
    ARRAY(d->ending.stiffness, ss_joints_at_end(m) * nb);
    ARRAY(d->implicit.at, end * nb);
    ARRAY(d->implicit.v, end * nv);
    ARRAY(d->implicit.v_free, end * nv);
    ARRAY(d->implicit.matrix, end * nb);
    ARRAY(d->implicit.full, end * full);
    ARRAY(d->implicit.inertia, end * nb);
    ARRAY(d->implicit.inv_inertia, end * nb);
    ARRAY(d->shift.bare, nb);
    ARRAY(d->shift.by, nv);
    ARRAY(d->rebound, nb);
    ARRAY(d->had, nb);
    ARRAY(d->cut.push, nb);
    ARRAY(d->apart.group, mid * nb);
    ARRAY(d->apart.bodies, mid * nb);
    ARRAY(d->apart.pose, mid * nb);
    ARRAY(d->apart.twist, mid * nb);
    ARRAY(d->apart.push, mid * nb);
    ARRAY(d->apart.reach, mid * nb);
    ARRAY(d->apart.fastest, mid * nb);
    d->apart.taking = SS_APART_ALL;
    return ok;
}

static ss_status allocate(const ss_model *m, ss_data *d)
{
    bool ok = allocate_state(m, d) && allocate_stages(m, d) && allocate_methods(m, d);
    return ok ? SS_OK : ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for the simulation's data");
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
    SS_TRY(ss_tables_into(d->env, m->tables, m->table_count));
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

/* A tenth of what the certificate of a step asks for is worth no thousand steps more. */
static const double enough = 0.1;

static void aim(const ss_model *m, ss_solver *s)
{
    ss_solver_common(s)->tol     = m->simulation.target;
    ss_solver_common(s)->enough  = enough * m->simulation.tolerance;
    ss_solver_common(s)->rounded = true; /* velocities are sums of what bodies, gaps, drives do */
}

static ss_status make_solver(const ss_model *m, ss_data *d)
{
    SS_TRY(ss_solver_create_named(d->ctx, m->simulation.solver, &d->solver));
    aim(m, d->solver);
    bool own = strcmp(m->simulation.solver, "auto") == 0;
    if (own && ss_inertia_of(m)->balanced && !ss_cone_of(m)->flat && m->joint_rows == 0 &&
        !m->compliant) {
        SS_TRY(ss_solver_create(d->ctx, &ss_solver_velocity, &d->balancer));
        aim(m, d->balancer);
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
    if (threads < 1 || threads > SS_THREADS_MAX) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "threads must lie between 1 and %d, got %d",
                       SS_THREADS_MAX, threads);
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
    d->local_rows        = SS_LOCAL_ROWS;
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
    if (status == SS_OK && ss_level_of(m)->open != NULL) {
        status = ss_level_of(m)->open(m, d);
    }
    if (status == SS_OK && m->simulation.verdicts) {
        status = ss_instant_create(ctx, m, &d->judge); /* sim/verdict.c */
    }
    if (status != SS_OK) {
        ss_data_destroy(d);
        return status;
    }
    *out = d;
    return SS_OK;
}

static void free_active(ss_context *ctx, ss_data *d)
{
    ss_active *a  = &d->near;
    size_t     ng = (size_t)d->model->ng;
    ss_broadphase_destroy(a->broad);
    ss_free(ctx, a->frame, ng * sizeof *a->frame);
    ss_free(ctx, a->boxes, ng * sizeof *a->boxes);
    ss_free(ctx, a->pairs, (size_t)a->pair_capacity * sizeof *a->pairs);
    ss_free(ctx, a->list.items, (size_t)a->list.capacity * sizeof *a->list.items);
}

static void free_told(ss_context *ctx, ss_told *t)
{
    ss_free(ctx, t->now.items, (size_t)t->now.capacity * sizeof *t->now.items);
    for (int i = 0; i < SS_KEEP_LEVELS; i++) {
        ss_free(ctx, t->kept[i].items, (size_t)t->kept[i].capacity * sizeof *t->kept[i].items);
    }
    ss_free(ctx, t->at, (size_t)t->at_capacity * sizeof *t->at);
    ss_free(ctx, t->gone, (size_t)t->gone_capacity * sizeof *t->gone);
}

static void free_remembered(ss_context *ctx, ss_remembered *r)
{
    ss_free(ctx, r->warm, (size_t)r->warm_capacity * sizeof *r->warm);
    ss_free(ctx, r->sticking, (size_t)r->sticking_capacity * sizeof *r->sticking);
}

void ss_data_destroy(ss_data *d)
{
    if (d == NULL) {
        return;
    }
    ss_context *ctx = d->ctx;
    if (d->hybrid != NULL) {
        ss_level_of(d->model)->close(d);
    }
    ss_instant_destroy(d->judge);
    free_workers(d);
    if (d->env != NULL) {
        ss_expr_env_destroy(d->env);
    }
    ss_solver_destroy(d->solver);
    ss_solver_destroy(d->balancer);
    ss_solver_destroy(d->every);
    ss_broadphase_destroy(d->broad);
    free_active(ctx, d);
    ss_arena_free(ctx, &d->scratch);
    ss_free(ctx, d->pairs, (size_t)d->pair_capacity * sizeof *d->pairs);
    ss_free(ctx, d->contacts.items, (size_t)d->contacts.capacity * sizeof *d->contacts.items);
    for (int i = 0; i < 2; i++) {
        ss_kept_contacts *k = &d->kept[i];
        ss_free(ctx, k->pairs, (size_t)k->capacity * sizeof *k->pairs);
        ss_free(ctx, k->contacts, (size_t)k->contact_capacity * sizeof *k->contacts);
    }
    ss_free(ctx, d->corners.items, (size_t)d->corners.capacity * sizeof *d->corners.items);
    ss_free(ctx, d->state.warm, (size_t)d->state.warm_capacity * sizeof *d->state.warm);
    ss_free(ctx, d->springs.items, (size_t)d->springs.capacity * sizeof *d->springs.items);
    ss_free(ctx, d->springs.layers, (size_t)d->springs.layer_capacity * sizeof *d->springs.layers);
    ss_free(ctx, d->springs.links, (size_t)d->springs.link_capacity * sizeof *d->springs.links);
    ss_free(ctx, d->state.deflection,
            (size_t)d->state.deflection_capacity * sizeof *d->state.deflection);
    ss_free(ctx, d->state.sticking, (size_t)d->state.sticking_capacity * sizeof *d->state.sticking);
    ss_free(ctx, d->sticking.items, (size_t)d->sticking.capacity * sizeof *d->sticking.items);
    ss_free(ctx, d->left_open.keys, (size_t)d->left_open.capacity * sizeof *d->left_open.keys);
    ss_free(ctx, d->state.mode, (size_t)d->state.mode_capacity * sizeof *d->state.mode);
    ss_free(ctx, d->midpoint.starts,
            (size_t)d->midpoint.start_capacity * sizeof *d->midpoint.starts);
    ss_free(ctx, d->tried.items, (size_t)d->tried.capacity * sizeof *d->tried.items);
    ss_free(ctx, d->cut.begin.state, d->cut.begin.room);
    ss_free(ctx, d->cut.struck, (size_t)d->cut.struck_capacity * sizeof *d->cut.struck);
    ss_free(ctx, d->cut.first.state, d->cut.first.room);
    free_told(ctx, &d->told);
    ss_free(ctx, d->apart.begin.state, d->apart.begin.room);
    free_remembered(ctx, &d->apart.was);
    free_remembered(ctx, &d->apart.now);
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

void ss_body_with(const ss_model *m, const ss_data *d, int32_t body, const ss_twist *twist,
                  ss_body_state *out)
{
    const ss_body *b = &m->bodies[body];
    const ss_pose *p = &d->state.pose[body];
    ss_mat3        R = m->dimension == 3 ? ss_mat3_from_quat(p->q) : ss_mat3_from_angle(p->angle);
    ss_vec3        offset = ss_mul(&R, b->com);
    out->position         = ss_sub(p->p, offset);
    out->quat_wxyz        = m->dimension == 3 ? p->q : ss_quat_from_rotation(ss_v3(0, 0, p->angle));
    out->angle            = p->angle;
    out->angular_velocity = twist->w;
    out->velocity         = ss_sub(twist->v, ss_cross(twist->w, offset));
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
    const ss_quat *q = &state->quat_wxyz;
    if (m->dimension == 3 && !(q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z > 0)) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "body '%s': its quaternion must not be zero",
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
    d->placed = d->thrown = true;
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

double ss_data_problem_motion_error(const ss_data *d, int32_t island)
{
    return ss_data_problem(d, island) != NULL ? d->islands[island].solution.motion : NAN;
}

bool ss_data_problem_exact(const ss_data *d, int32_t island)
{
    return ss_data_problem(d, island) != NULL && ss_island_exact(d->model, &d->islands[island]);
}

double ss_data_problem_residual(const ss_data *d, int32_t island)
{
    return ss_data_problem(d, island) != NULL ? d->islands[island].solution.residual : NAN;
}
