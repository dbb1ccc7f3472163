/* SPDX-License-Identifier: Apache-2.0 */
/* Joints: from a point and an axis in the world to a frame in each body, and what acts in them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "compile/tolerances.h"
#include "core/doubles.h"
#include "core/elementary.h"
#include "joint/joint.h"
#include "model/axes.h"

/* Centre-of-mass frame at the start; a kinematic body's is where its motion puts it at t = 0. */
static ss_status start_frame(ss_compiler *c, int32_t body, ss_frame *out)
{
    const ss_body *b      = &c->model->bodies[body];
    bool           planar = c->model->dimension == 2;
    ss_pose        pose   = b->start_pose;
    if (b->motion.fn != NULL) {
        double values[7] = {0};
        if (b->motion.fn(b->motion.fn_user, 0, values, planar ? 4 : 7) != 0) {
            return ss_fail(c->ctx, SS_ERR_INPUT, "body '%s': its motion function failed at t = 0",
                           b->name);
        }
        ss_quat q  = {values[3], values[4], values[5], values[6]};
        pose.p     = ss_v3(values[0], values[1], values[2]);
        pose.q     = ss_quat_unit(q);
        pose.angle = planar ? values[3] : 0;
    } else if (b->type == SS_BODY_KINEMATIC && !b->motion.uniform) {
        const ss_motion *m = &b->motion;
        ss_quat q  = {m->quat[0].number, m->quat[1].number, m->quat[2].number, m->quat[3].number};
        pose.p     = ss_v3(m->position[0].number, m->position[1].number, m->position[2].number);
        pose.angle = m->angle.number;
        pose.q     = m->by_quat ? ss_quat_unit(q) : ss_quat_from_rotation(ss_v3(0, 0, pose.angle));
    }
    out->p = pose.p;
    out->R = planar ? ss_mat3_from_angle(pose.angle) : ss_mat3_from_quat(pose.q);
    return SS_OK;
}

/* Axes as columns: z along `axis`, x along `second` as far as it is perpendicular to z. */
static ss_mat3 axes_3d(ss_vec3 axis, ss_vec3 second)
{
    ss_vec3 z    = ss_dot(axis, axis) > 0 ? ss_unit(axis) : ss_v3(0, 0, 1);
    ss_vec3 wish = ss_axpy(second, -ss_dot(second, z), z);
    if (!(ss_dot(wish, wish) > SS_AXES_PARALLEL)) {
        ss_vec3 any = fabs(z.x) < 0.9 ? ss_v3(1, 0, 0) : ss_v3(0, 1, 0);
        wish        = ss_axpy(any, -ss_dot(any, z), z);
    }
    ss_vec3 x = ss_unit(wish), y = ss_cross(z, x);
    ss_mat3 R = {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
    return R;
}

static ss_mat3 axes_2d(ss_vec3 axis)
{
    return ss_mat3_from_angle(axis.x != 0 || axis.y != 0 ? ss_atan2(axis.y, axis.x) : 0);
}

/* A frame of the world in the centre-of-mass frame of a body. */
static ss_status into_body(ss_compiler *c, int32_t body, const ss_frame *world, ss_frame *out)
{
    if (body < 0) {
        *out = *world;
        return SS_OK;
    }
    ss_frame f;
    SS_TRY(start_frame(c, body, &f));
    ss_mat3 back = ss_mat3_transpose(&f.R);
    out->p       = ss_to_body(&f, world->p);
    out->R       = ss_mat3_mul(&back, &world->R);
    return SS_OK;
}

static ss_status find_body(ss_compiler *c, const ss_joint_def *def, int side, const char *where,
                           int32_t *out)
{
    if (def->bodies[side] != NULL && strcmp(def->bodies[side], "world") == 0) {
        *out = -1;
        return SS_OK;
    }
    return ss_compile_body_named(c, def->bodies[side], where, out);
}

static bool moves(const ss_model *m, int32_t body)
{
    return body >= 0 && ss_body_moves(&m->bodies[body]);
}

/* Particles have no axes: only what holds points can hold them. */
static bool needs_axes(const ss_joint_form *form)
{
    for (int32_t i = 0; i < form->held; i++) {
        if (form->hold[i].kind == SS_SCALAR_DOT) {
            return true;
        }
    }
    return false;
}

/* Does the scalar grow evenly from 0, so that two of them can keep a ratio? */
static bool countable(ss_scalar_kind kind)
{
    return kind == SS_SCALAR_POINT || kind == SS_SCALAR_ANGLE;
}

/* One of the two joints that a coupling is of; it is above it in the scene, so it is compiled. */
static ss_status find_coupled(ss_compiler *c, const ss_joint_def *def, const char *where, int k,
                              ss_joint *j)
{
    const ss_model *m    = c->model;
    const char     *name = def->joints[k];
    if (name == NULL) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "%s: a coupling needs `joints`: the one that leads "
                       "and the one that follows",
                       where);
    }
    for (const ss_joint *x = m->joints; x < j; x++) {
        if (strcmp(x->name, name) != 0) {
            continue;
        }
        const ss_joint_form *form = ss_joint_form_of(m, x);
        if (form->coordinates != 1 || !countable(form->coordinate[0].kind)) {
            return ss_fail(c->ctx, SS_ERR_INPUT,
                           "%s: '%s' is a %s joint; revolute and prismatic ones can be coupled",
                           where, name, x->cls->name);
        }
        j->coupled[k] = (ss_coupled){x, form, (int32_t)(x - m->joints)};
        return SS_OK;
    }
    return ss_fail(c->ctx, SS_ERR_INPUT, "%s: there is no joint '%s' above it", where, name);
}

/* The bodies that move freely in the joints of a coupling: it is between them. */
static ss_status find_coupled_bodies(ss_compiler *c, const char *where, ss_joint *j)
{
    const ss_model *m     = c->model;
    int             count = 0;
    for (int k = 0; k < 4; k++) {
        int32_t body  = j->coupled[k / 2].joint->body[k % 2];
        bool    known = !moves(m, body);
        for (int i = 0; i < count; i++) {
            known = known || j->body[i] == body;
        }
        if (!known) {
            j->body[count++] = body;
        }
    }
    j->sides = count > 2 ? SS_ROW_SIDES : 2;
    return count >= 2
               ? SS_OK
               : ss_fail(c->ctx, SS_ERR_INPUT,
                         "%s: one body moves in both joints: nothing is left to couple", where);
}

static ss_status couple(ss_compiler *c, const ss_joint_def *def, const char *where, ss_joint *j)
{
    SS_TRY(find_coupled(c, def, where, 0, j));
    SS_TRY(find_coupled(c, def, where, 1, j));
    if (j->coupled[0].joint == j->coupled[1].joint) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: it needs two different joints", where);
    }
    if (!isfinite(def->ratio) || def->ratio == 0) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: ratio must be a number other than 0, got %g",
                       where, def->ratio);
    }
    if (def->anchor_set || ss_norm(def->axis) > 0) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "%s: a coupling has no anchor or axis: its joints have theirs", where);
    }
    j->ratio = def->ratio;
    return find_coupled_bodies(c, where, j);
}

static ss_status find_bodies(ss_compiler *c, const ss_joint_def *def, const char *where,
                             const ss_joint_form *form, ss_joint *j)
{
    if (form->couples) {
        return couple(c, def, where, j);
    }
    if (def->joints[0] != NULL || def->ratio != 0) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: joints and ratio are for type coupling", where);
    }
    const ss_model *m = c->model;
    for (int side = 0; side < 2; side++) {
        SS_TRY(find_body(c, def, side, where, &j->body[side]));
        if (moves(m, j->body[side]) && m->bodies[j->body[side]].dof < m->dof && needs_axes(form)) {
            return ss_fail(c->ctx, SS_ERR_INPUT,
                           "%s: body '%s' is a particle and has no orientation; a %s joint needs "
                           "one (distance%s would work)",
                           where, m->bodies[j->body[side]].name, j->cls->name,
                           m->dimension == 3 ? " or spherical" : " or revolute");
        }
    }
    if (j->body[0] == j->body[1]) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: it needs two different bodies", where);
    }
    if (!moves(m, j->body[0]) && !moves(m, j->body[1])) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "%s: neither of its bodies is dynamic, so it cannot act", where);
    }
    return SS_OK;
}

/* The origin of the scene's body frame; the world's own for the world. */
static ss_status origin_of(ss_compiler *c, int32_t body, ss_vec3 *out)
{
    *out = ss_v3(0, 0, 0);
    if (body >= 0) {
        ss_frame f;
        SS_TRY(start_frame(c, body, &f));
        *out = ss_sub(f.p, ss_mul(&f.R, c->model->bodies[body].com));
    }
    return SS_OK;
}

static ss_status place(ss_compiler *c, const ss_joint_def *def, ss_joint *j)
{
    bool     distance = j->cls == ss_joint_find("distance");
    int32_t  owner    = j->body[1] >= 0 && !distance ? j->body[1] : j->body[0];
    ss_frame a;
    SS_TRY(origin_of(c, owner, &a.p));
    a.R        = c->model->dimension == 3 ? axes_3d(def->axis, def->axis2) : axes_2d(def->axis);
    a.p        = def->anchor_set ? def->anchor : a.p;
    ss_frame b = a;
    if (distance) {
        SS_TRY(origin_of(c, j->body[1], &b.p));
        b.p = def->anchor_b_set ? def->anchor_b : b.p;
    }
    j->length = ss_norm(ss_sub(b.p, a.p));
    SS_TRY(into_body(c, j->body[0], &a, &j->at[0]));
    return into_body(c, j->body[1], &b, &j->at[1]);
}

/* Keys of one type of joint that another would silently do without. */
static ss_status check_keys(ss_compiler *c, const ss_joint_def *def, const char *where,
                            const ss_joint_form *form, const ss_joint *j)
{
    double      z = ss_norm(def->axis), x = ss_norm(def->axis2);
    const char *type = j->cls->name;
    if (def->anchor_b_set && j->cls != ss_joint_find("distance")) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "%s: anchor_b is for distance joints; a %s joint has one anchor", where,
                       type);
    }
    if (x > 0 && j->cls != ss_joint_find("universal")) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: axis2 is for universal joints, not for %s ones",
                       where, type);
    }
    double cosine = x > 0 ? ss_dot(z > 0 ? def->axis : ss_v3(0, 0, 1), def->axis2) : 0;
    if (fabs(cosine) > SS_AXES_PERPENDICULAR * x * (z > 0 ? z : 1)) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: axis2 must be perpendicular to axis", where);
    }
    if (def->friction_coefficient > 0 && form->groups == 0) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: nothing slides in a %s joint: no friction", where,
                       type);
    }
    return SS_OK;
}

/* A rod of no length has no direction; along one that is held nothing slides. */
static ss_status check_rod(ss_compiler *c, const ss_joint_def *def, const char *where,
                           const ss_joint_form *form, const ss_joint *j)
{
    if (!form->loosened || j->held == 0) {
        return SS_OK;
    }
    if (!(j->length > 0)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "%s: its two ends are at the same point: it has no direction (a %s joint "
                       "holds two points together)",
                       where, c->model->dimension == 3 ? "spherical" : "revolute");
    }
    if (def->coordinate[0].friction > 0 || def->friction_coefficient > 0) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "%s: friction acts along the distance, which is held; give it limits, a "
                       "motor or a stiffness",
                       where);
    }
    return SS_OK;
}

static ss_status check_coordinate(ss_compiler *c, const ss_joint_coordinate_def *def,
                                  const char *where)
{
    const double at_least_zero[] = {def->friction, def->motor_max, def->stiffness, def->damping};
    const char  *names[]         = {"friction", "motor: max", "stiffness", "damping"};
    for (int i = 0; i < 4; i++) {
        if (!(at_least_zero[i] >= 0) || !isfinite(at_least_zero[i])) {
            return ss_fail(c->ctx, SS_ERR_INPUT, "%s: %s must be >= 0, got %g", where, names[i],
                           at_least_zero[i]);
        }
    }
    if (def->rest_set && !(def->stiffness > 0)) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: rest is that of a spring: give it a stiffness",
                       where);
    }
    if (def->limited && !(def->lower <= def->upper)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "%s: the lower limit must not be above the upper one, got %g and %g", where,
                       def->lower, def->upper);
    }
    return SS_OK;
}

static bool acts(const ss_joint_coordinate_def *def)
{
    return def->limited || def->motor != SS_MOTOR_NONE || def->stiffness > 0 || def->damping > 0;
}

static ss_status set_coordinate(ss_compiler *c, const ss_joint_coordinate_def *def,
                                const char *where, ss_joint *j, ss_joint_coordinate *to)
{
    SS_TRY(check_coordinate(c, def, where));
    to->friction  = def->friction;
    to->limited   = def->limited;
    to->lower     = def->lower;
    to->upper     = def->upper;
    to->motor     = def->motor;
    to->motor_max = def->motor_max > 0 ? def->motor_max : INFINITY;
    if (to->motor == SS_MOTOR_POSITION && isfinite(to->motor_max) &&
        ss_level_axis[c->scene->simulation.axes.level]->instants) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "%s: a motor that goes to a position with a limited force brakes step by "
                       "step and has no law at an instant: level: acceleration wants it without "
                       "`max`, or with a velocity; level: impulse has it as it is",
                       where);
    }
    to->stiffness = def->stiffness;
    to->damping   = def->damping;
    to->rest      = def->rest_set ? def->rest : j->length;
    c->model->joint_springs |= def->stiffness > 0 || def->damping > 0;
    return ss_compile_timed(c, &def->target, where, &to->target);
}

/*
 * What is never negative needs no lower limit of 0 or less. A row for it would do harm: at zero its
 * rate has no direction of its own.
 */
static void drop_idle_limit(const ss_scalar *s, ss_joint_coordinate *x)
{
    if ((s->kind == SS_SCALAR_SWING || s->kind == SS_SCALAR_DISTANCE) && x->lower <= 0) {
        x->lower = -INFINITY;
    }
}

static void warn_of_start(ss_compiler *c, const char *where, const ss_joint_coordinate *x,
                          double start)
{
    double past = fmax(x->lower - start, start - x->upper); /* infinite limits are never passed */
    if (x->limited && past > SS_AT_LIMIT_ROUNDING * fabs(start)) {
        ss_log(c->ctx, SS_LOG_WARNING,
               "%s: it starts at %g, %.3g %s its limit of %g: the first step moves it there", where,
               start, past, start > x->upper ? "above" : "below",
               start > x->upper ? x->upper : x->lower);
    }
}

static ss_status no_such_coordinate(ss_compiler *c, const char *where, const ss_joint_form *form,
                                    const ss_joint *j)
{
    if (form->coordinates == 0) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "%s: a %s joint leaves nothing free for friction, limits, motors or springs "
                       "to act on",
                       where, j->cls->name);
    }
    return ss_fail(c->ctx, SS_ERR_INPUT, "%s: a %s joint has %d coordinate%s to act on, not more",
                   where, j->cls->name, form->coordinates, form->coordinates == 1 ? "" : "s");
}

static ss_status set_coordinates(ss_compiler *c, const ss_joint_def *def, const char *where,
                                 const ss_joint_form *form, ss_joint *j)
{
    j->held = form->held;
    for (int32_t i = 0; i < SS_JOINT_COORDINATES; i++) {
        const ss_joint_coordinate_def *from = &def->coordinate[i];
        if ((i >= form->coordinates && acts(from)) || (i >= form->groups && from->friction > 0)) {
            return no_such_coordinate(c, where, form, j);
        }
        SS_TRY(set_coordinate(c, from, where, j, &j->coordinate[i]));
        drop_idle_limit(&form->coordinate[i], &j->coordinate[i]);
        warn_of_start(c, where, &j->coordinate[i], j->length);
        if (form->loosened && (from->limited || from->stiffness > 0 || from->motor)) {
            j->held = 0;
        }
    }
    if (form->loosened && ss_inertia_of(c->model)->medium) { /* rods turn ends that are pulled */
        c->model->full_matrices = true;
    }
    if (!(def->friction_coefficient >= 0) || !(def->friction_radius >= 0)) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: friction_coefficient and its radius must be >= 0",
                       where);
    }
    j->friction_coefficient = def->friction_coefficient;
    j->friction_radius      = def->friction_radius > 0 ? def->friction_radius : 1;
    c->model->joint_loads |= def->friction_coefficient > 0;
    return SS_OK;
}

/* How many blocks and rows it makes in every step (joint_rows.c makes them in this order). */
static void count_rows(ss_model *m, const ss_joint_form *form, const ss_joint *j)
{
    m->joint_blocks += j->held > 0;
    m->joint_rows += j->sides > 2 ? 2 * j->held : j->held; /* wide rows take two places */
    for (int32_t g = 0; g < form->groups; g++) {
        if (j->coordinate[g].friction > 0 || j->friction_coefficient > 0) {
            m->joint_blocks++;
            m->joint_rows += form->group_dim[g];
        }
    }
    for (int32_t i = 0; i < form->coordinates; i++) {
        const ss_joint_coordinate *x = &j->coordinate[i];
        int32_t n = (x->limited && isfinite(x->lower)) + (x->limited && isfinite(x->upper)) +
                    (x->motor != SS_MOTOR_NONE);
        m->joint_blocks += n;
        m->joint_rows += n;
    }
}

/* twice: the first joint whose name one before it has. */
static ss_status compile_joint(ss_compiler *c, int32_t i, int32_t twice)
{
    const ss_joint_def *def = &c->scene->joints[i];
    ss_joint           *j   = &c->model->joints[i];
    int                 ok  = 1;
    char                where[160];
    snprintf(where, sizeof where, "joint '%.120s'", def->name != NULL ? def->name : "");
    if (def->name == NULL || def->name[0] == '\0') {
        return ss_fail(c->ctx, SS_ERR_INPUT, "joint number %d has no name", i + 1);
    }
    if (i == twice) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "two joints are named '%s'", def->name);
    }
    char place_in_file[256] = "";
    if (def->where != NULL) {
        snprintf(place_in_file, sizeof place_in_file, "%s: ", def->where);
    }
    j->where = ss_pool_text(&c->model->pool, place_in_file, &ok);
    j->name  = ss_pool_text(&c->model->pool, def->name, &ok);
    j->cls   = def->type != NULL ? ss_joint_find(def->type) : NULL;
    if (!ok) {
        return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for joints");
    }
    if (j->cls == NULL) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: there is no joint type '%s'", where,
                       def->type != NULL ? def->type : "");
    }
    const ss_joint_form *form = ss_joint_form_of(c->model, j);
    j->sides                  = 2;
    for (int side = 0; side < SS_ROW_SIDES; side++) {
        j->body[side] = -1;
    }
    if (form == NULL) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: there is no %s joint in %dD%s", where,
                       j->cls->name, c->model->dimension,
                       c->model->dimension == 2 ? ", only revolute, prismatic, fixed and distance"
                                                : "");
    }
    SS_TRY(find_bodies(c, def, where, form, j));
    SS_TRY(check_keys(c, def, where, form, j));
    SS_TRY(place(c, def, j));
    SS_TRY(set_coordinates(c, def, where, form, j));
    SS_TRY(check_rod(c, def, where, form, j));
    count_rows(c->model, form, j);
    return SS_OK;
}

static int compare_pairs(const void *x, const void *y)
{
    const ss_body_pair *a = x, *b = y;
    if (a->first != b->first) {
        return a->first < b->first ? -1 : 1;
    }
    return (a->second > b->second) - (a->second < b->second);
}

/* Bodies that are joined do not collide, unless the joint says so. */
static ss_status filter_joined(ss_compiler *c)
{
    ss_model *m = c->model;
    m->joined   = ss_pool_alloc(&m->pool, (size_t)m->joint_count, sizeof *m->joined);
    if (m->joined == NULL) {
        return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for joints");
    }
    for (int32_t i = 0; i < m->joint_count; i++) {
        int32_t a = m->joints[i].body[0], b = m->joints[i].body[1];
        if (a >= 0 && b >= 0 && !c->scene->joints[i].collide &&
            !ss_joint_form_of(m, &m->joints[i])->couples) {
            ss_body_pair pair            = {a < b ? a : b, a < b ? b : a};
            m->joined[m->joined_count++] = pair;
        }
    }
    qsort(m->joined, (size_t)m->joined_count, sizeof *m->joined, compare_pairs);
    return SS_OK;
}

ss_status ss_compile_joints(ss_compiler *c)
{
    ss_model *m = c->model;
    if (c->scene->joint_count == 0) {
        return SS_OK;
    }
    m->joint_count = c->scene->joint_count;
    m->joints      = ss_pool_alloc(&m->pool, (size_t)m->joint_count, sizeof *m->joints);
    if (m->joints == NULL) {
        return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for joints");
    }
    const ss_joint_def *defs  = c->scene->joints;
    int32_t             twice = -1;
    SS_TRY(ss_first_double(c->ctx, &defs->name, sizeof *defs, m->joint_count, &twice));
    for (int32_t i = 0; i < m->joint_count; i++) {
        c->where = defs[i].where;
        SS_TRY(compile_joint(c, i, twice));
    }
    c->where = NULL;
    return filter_joined(c);
}
