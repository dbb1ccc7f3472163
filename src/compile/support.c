/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Supports: a planar body that lies on a surface, touching it at known points with known normal
 * forces (2.5D; thesis 3.3, after Mason). Three points carry, by equilibrium out of the plane,
 *
 *   [ 1  1  1; y1 y2 y3; x1 x2 x3 ] N = [ mg + L; L yL; L xL ]                         (3.24)
 *
 * with the points seen from the centre of mass and a further load L that presses down at (xL, yL).
 * More points (a sampled pressure distribution) come with their forces. One point can carry a body
 * where it is a patch that resists turning (torsion): N = mg + L.
 */
#include <math.h>
#include <stdio.h>

#include "compile/compile.h"
#include "compile/tolerances.h"
#include "core/elementary.h"
#include "linalg/mat3.h"
#include "model/axes.h"

static ss_status tripod(ss_compiler *c, const ss_body_def *def, const ss_body *b,
                        ss_support_point *points)
{
    const ss_support_def *s    = def->support;
    ss_vec3               L    = ss_sub(s->load_point, b->com);
    ss_mat3               A    = {{1, 1, 1, points[0].point.y, points[1].point.y, points[2].point.y,
                                   points[0].point.x, points[1].point.x, points[2].point.x}};
    ss_vec3               e1   = ss_sub(points[1].point, points[0].point);
    ss_vec3               e2   = ss_sub(points[2].point, points[0].point);
    double                area = fabs(ss_mat3_det(&A));
    if (!(area > SS_SUPPORT_ON_LINE * ss_norm(e1) * ss_norm(e2))) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': support: its three points lie on a line; they must span a "
                       "triangle",
                       def->name);
    }
    double  weight   = b->mass * s->gravity + s->load;
    ss_vec3 N        = ss_mat3_solve(&A, ss_v3(weight, s->load * L.y, s->load * L.x));
    double  force[3] = {N.x, N.y, N.z};
    for (int i = 0; i < 3; i++) {
        if (fabs(force[i]) <= SS_SUPPORT_UNLOADED * weight) {
            force[i] = 0; /* the load stands on the edge between the other two */
        }
        if (!(force[i] >= 0)) {
            return ss_fail(c->ctx, SS_ERR_INPUT,
                           "body '%s': support: point %d would have to pull (%.3g N): the triangle "
                           "must have the centre of mass (with its load) inside",
                           def->name, i + 1, force[i]);
        }
        points[i].normal_force = force[i];
    }
    return SS_OK;
}

static ss_status given_forces(ss_compiler *c, const ss_body_def *def, ss_support_point *points)
{
    const ss_support_def *s = def->support;
    for (int32_t i = 0; i < s->point_count; i++) {
        points[i].normal_force = s->normal_forces[i];
        if (!(s->normal_forces[i] >= 0) || !isfinite(s->normal_forces[i])) {
            return ss_fail(c->ctx, SS_ERR_INPUT,
                           "body '%s': support: normal_forces must be >= 0, got %g", def->name,
                           s->normal_forces[i]);
        }
    }
    return SS_OK;
}

static ss_status check(ss_compiler *c, const ss_body_def *def)
{
    const ss_support_def *s = def->support;
    if (c->model->dimension != 2) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': a support is for 2D scenes; in 3D let the body lie on a shape",
                       def->name);
    }
    if (def->type != SS_BODY_DYNAMIC) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "body '%s': only a dynamic body has a support",
                       def->name);
    }
    if (s->point_count < 1 || (s->point_count < 3 && s->torsion_count == 0)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': support: needs 3 points or more, or points that resist turning "
                       "(torsion), got %d",
                       def->name, s->point_count);
    }
    if (s->point_count != 3 && s->point_count != 1 && s->normal_forces == NULL) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': support: %d points do not determine their normal forces: give "
                       "normal_forces, or 3 points (or one, with torsion)",
                       def->name, s->point_count);
    }
    if ((s->point_count == 3 || s->point_count == 1) && s->normal_forces != NULL) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': support: %s equilibrium: leave normal_forces out", def->name,
                       s->point_count == 3 ? "the normal forces of 3 points follow from"
                                           : "the normal force of one point follows from");
    }
    if (s->normal_forces != NULL && s->load != 0) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': support: a load changes the normal forces of 3 points only; "
                       "with normal_forces, add it to them",
                       def->name);
    }
    return SS_OK;
}

/* Friction whose bound is an ellipse with axes of the surface. */
static ss_status set_ellipse(ss_compiler *c, const ss_body_def *def, ss_support_point *p)
{
    const ss_support_def *s = def->support;
    double                x = s->friction[0], y = s->friction_across;
    if (s->friction_count != 1 || !(x > 0 && y > 0) || !isfinite(y / x) || !(y / x > 0) ||
        !isfinite(s->friction_angle)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': support: friction with a direction has two numbers > 0 and an "
                       "angle, the same for all points, got x: %g, y: %g, angle: %g",
                       def->name, x, y, s->friction_angle);
    }
    p->axis   = ss_v3(ss_cos(s->friction_angle), ss_sin(s->friction_angle), 0);
    p->across = y / x;
    p->turns  = s->friction_turns;
    return SS_OK;
}

/* Moments about the point: one point may resist none, a body on one or two points must. */
static ss_status set_torsion(ss_compiler *c, const ss_body_def *def, int32_t i, ss_support_point *p)
{
    const ss_support_def *s     = def->support;
    bool                  least = s->point_count < 3;
    p->torsion                  = 0;
    if (s->torsion_count > 0) {
        p->torsion = s->torsion[s->torsion_count > 1 ? i : 0];
    }
    if (!(p->torsion >= 0) || !isfinite(p->torsion) || (least && !(p->torsion > 0))) {
        return ss_fail(
            c->ctx, SS_ERR_INPUT, "body '%s': support: torsion must be %s, got %g", def->name,
            least ? "> 0 on fewer than 3 points, which else do not resist turning" : ">= 0",
            p->torsion);
    }
    c->model->support_rows += p->torsion > 0 ? 3 : 2;
    return SS_OK;
}

static ss_status set_forces(ss_compiler *c, const ss_body_def *def, const ss_body *b,
                            ss_support_point *points)
{
    const ss_support_def *s = def->support;
    if (s->point_count == 1) {
        points[0].normal_force = b->mass * s->gravity + s->load;
        return SS_OK;
    }
    return s->normal_forces != NULL ? given_forces(c, def, points) : tripod(c, def, b, points);
}

static ss_status fill_points(ss_compiler *c, const ss_body_def *def, int32_t body,
                             ss_support_point *points)
{
    const ss_support_def    *s     = def->support;
    const ss_body           *b     = &c->model->bodies[body];
    const ss_friction_place *place = NULL;
    if (ss_has_place(&s->place)) {
        SS_TRY(ss_compile_place(c, def->name, &s->place, &place));
    }
    for (int32_t i = 0; i < s->point_count; i++) {
        double mu        = s->friction[s->friction_count > 1 ? i : 0];
        points[i].body   = body;
        points[i].point  = ss_sub(ss_v3(s->points[i].x, s->points[i].y, 0), b->com);
        points[i].mu     = mu;
        points[i].axis   = ss_v3(1, 0, 0);
        points[i].across = 1;
        if (!(mu >= 0) || !isfinite(mu)) {
            return ss_fail(c->ctx, SS_ERR_INPUT,
                           "body '%s': support: friction must be >= 0, got %g", def->name, mu);
        }
        points[i].place = place;
        if (s->friction_across != 0) {
            SS_TRY(set_ellipse(c, def, &points[i]));
        }
        SS_TRY(set_torsion(c, def, i, &points[i]));
    }
    return set_forces(c, def, b, points);
}

/* The body whose surface carries another one: it may move, but nothing pushes it. */
static ss_status find_ground(ss_compiler *c, const ss_body_def *def, int32_t *out)
{
    char where[160];
    *out = -1;
    if (def->support->on == NULL) {
        return SS_OK;
    }
    snprintf(where, sizeof where, "body '%s': support: on", def->name);
    SS_TRY(ss_compile_body_named(c, def->support->on, where, out));
    ss_body_type type = *out >= 0 ? c->scene->bodies[*out].type : SS_BODY_DYNAMIC;
    if (type != SS_BODY_STATIC && type != SS_BODY_KINEMATIC) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "%s must name a static or kinematic body, '%s' is neither", where,
                       def->support->on);
    }
    return SS_OK;
}

static bool may_turn(const ss_value *lift)
{
    return lift[1].expression != NULL || lift[2].expression != NULL || lift[1].number != 0 ||
           lift[2].number != 0;
}

static bool has_heights(const ss_support_def *s)
{
    return s->push_height != 0 || s->mass_height != 0;
}

/* Forces above the surface: they ask the points for a moment. */
static ss_status set_heights(ss_compiler *c, const ss_body_def *def, ss_support_lift *l)
{
    const ss_support_def *s = def->support;
    if (!(s->push_height >= 0) || !isfinite(s->push_height) || !(s->mass_height >= 0) ||
        !isfinite(s->mass_height)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': support: push_height and mass_height must be >= 0, got %g and "
                       "%g",
                       def->name, s->push_height, s->mass_height);
    }
    if (s->point_count < 3) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': support: push_height and mass_height shift the weight between "
                       "3 points or more, got %d",
                       def->name, s->point_count);
    }
    if (ss_level_axis[c->scene->simulation.axes.level]->instants) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': support: normal forces that follow the pushes are not known at "
                       "an instant: push_height and mass_height want level: impulse",
                       def->name);
    }
    l->tilts       = true;
    l->push_height = s->push_height;
    l->mass_height = s->mass_height;
    for (int32_t i = l->first; i < l->first + l->count; i++) {
        l->reach = fmax(l->reach, ss_norm(c->model->supports[i].point));
    }
    c->model->tilts = true;
    return SS_OK;
}

/* A surface that accelerates across the plane, or forces above it. */
static ss_status add_lift(ss_compiler *c, const ss_body_def *def, int32_t body, int32_t ground)
{
    const ss_support_def *s    = def->support;
    ss_model             *m    = c->model;
    const ss_body        *b    = &m->bodies[body];
    double                half = 0.5 * b->inertia.m[8];
    ss_support_lift      *l    = &m->lifts[m->lift_count++];
    char                  where[160];
    snprintf(where, sizeof where, "body '%s': support: lift", def->name);
    if (s->lift_set && s->point_count != 3 && (may_turn(s->lift) || !(s->gravity > 0))) {
        return ss_fail(
            c->ctx, SS_ERR_INPUT,
            "%s: given normal_forces, and those of one point, can follow an acceleration "
            "across the plane alone, with gravity > 0; a surface that turns needs 3 "
            "points",
            where);
    }
    *l = (ss_support_lift){.body       = body,
                           .ground     = ground,
                           .first      = m->support_count,
                           .count      = s->point_count,
                           .gravity    = s->gravity,
                           .load       = s->load,
                           .load_point = ss_sub(s->load_point, b->com)};
    for (int k = 0; k < 2; k++) {
        l->inertia[k] = s->inertia_across[k] != 0 ? s->inertia_across[k] : half;
        if (!(l->inertia[k] >= 0) || !isfinite(l->inertia[k])) {
            return ss_fail(c->ctx, SS_ERR_INPUT, "body '%s': support: inertia_across must be > 0",
                           def->name);
        }
    }
    for (int k = 0; k < 3; k++) {
        SS_TRY(ss_compile_timed(c, &s->lift[k], where, &l->lift[k]));
    }
    return has_heights(s) ? set_heights(c, def, l) : SS_OK;
}

static ss_status add_support(ss_compiler *c, const ss_body_def *def, int32_t body)
{
    ss_model *m = c->model;
    int32_t   ground;
    SS_TRY(check(c, def));
    SS_TRY(find_ground(c, def, &ground));
    SS_TRY(fill_points(c, def, body, m->supports + m->support_count));
    for (int32_t i = 0; i < def->support->point_count; i++) {
        m->supports[m->support_count + i].ground = ground;
    }
    if (def->support->lift_set || has_heights(def->support)) {
        SS_TRY(add_lift(c, def, body, ground));
    }
    m->support_count += def->support->point_count;
    return SS_OK;
}

ss_status ss_compile_supports(ss_compiler *c)
{
    ss_model *m     = c->model;
    int32_t   count = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_support_def *s = c->scene->bodies[i].support;
        count += s != NULL ? s->point_count : 0;
    }
    m->supports = ss_pool_alloc(&m->pool, (size_t)count, sizeof *m->supports);
    m->lifts    = ss_pool_alloc(&m->pool, (size_t)m->nb, sizeof *m->lifts);
    if (m->supports == NULL || m->lifts == NULL) {
        return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for supports");
    }
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body_def *def = &c->scene->bodies[i];
        if (def->support != NULL) {
            c->where = def->where;
            SS_TRY(add_support(c, def, i));
        }
    }
    c->where = NULL;
    return SS_OK;
}
