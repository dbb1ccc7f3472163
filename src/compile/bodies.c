/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies: shapes, mass and inertia, starting state, motion; and which shapes can meet. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compile/compile.h"
#include "compile/tolerances.h"
#include "core/doubles.h"
#include "linalg/mat3.h"
#include "model/axes.h"
#include "model/settings.h"
#include "stickslip/plugin.h"

enum { DEFAULT_DENSITY = 1000 };

/* twice: the first body whose name one before it has. */
static ss_status check_name(ss_compiler *c, int32_t i, int32_t twice)
{
    const char *name = c->scene->bodies[i].name;
    if (name == NULL || name[0] == '\0') {
        return ss_fail(c->ctx, SS_ERR_INPUT, "body number %d has no name", i + 1);
    }
    return i != twice ? SS_OK : ss_fail(c->ctx, SS_ERR_INPUT, "two bodies are named '%s'", name);
}

static bool finite3(ss_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static ss_status check_numbers(ss_compiler *c, const ss_body_def *def)
{
    if (!finite3(def->position) || !finite3(def->velocity) || !finite3(def->angular_velocity) ||
        !finite3(def->surface_velocity) || !isfinite(def->angle)) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "body '%s': position and velocities must be finite",
                       def->name);
    }
    if (!(ss_norm(def->position) <= SS_LARGEST_LENGTH) ||
        !(ss_norm(def->velocity) <= SS_LARGEST_SPEED) ||
        !(ss_norm(def->surface_velocity) <= SS_LARGEST_SPEED) ||
        !(ss_norm(def->angular_velocity) <= SS_LARGEST_SPEED)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': positions reach to %g m and velocities to %g m/s or rad/s",
                       def->name, SS_LARGEST_LENGTH, SS_LARGEST_SPEED);
    }
    if (!(def->mass >= 0)) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "body '%s': mass must be > 0, got %g", def->name,
                       def->mass);
    }
    if (!(def->density >= 0) || !isfinite(def->density)) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "body '%s': density must be > 0, got %g", def->name,
                       def->density);
    }
    if (def->type == SS_BODY_STATIC &&
        (ss_norm(def->velocity) > 0 || ss_norm(def->angular_velocity) > 0)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': a static body has no velocity; make it kinematic, or give it a "
                       "surface_velocity",
                       def->name);
    }
    return SS_OK;
}

static bool is_dynamic(const ss_body_def *def)
{
    return def->type == SS_BODY_DYNAMIC || def->type == SS_BODY_PARTICLE;
}

/* Does the mass, or where it is, come from the shape? */
static bool needs_mass(const ss_body_def *def)
{
    return is_dynamic(def) && !(def->mass > 0 && def->com_set && def->inertia_set);
}

/* "body 'NAME': " in front of what is wrong with its shape. */
static ss_status name_body(ss_compiler *c, const ss_body_def *def, ss_status status)
{
    char why[512];
    if (status == SS_OK) {
        return SS_OK;
    }
    snprintf(why, sizeof why, "%s", ss_context_message(c->ctx));
    return ss_fail(c->ctx, status, "body '%s': %s", def->name, why);
}

/* Geoms of the body, in its body frame still; appended to the model. */
static ss_status build_shape(ss_compiler *c, int32_t i)
{
    const ss_body_def *def = &c->scene->bodies[i];
    ss_geom_set       *set = &c->model->shapes[i];
    if (def->shape == NULL) {
        return SS_OK;
    }
    SS_TRY(name_body(c, def, ss_geom_build(c->ctx, def->shape, c->model->dimension, set)));
    if (set->size > SS_LARGEST_LENGTH) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "body '%s': its shape is %g m long; at most %g m",
                       def->name, set->size, SS_LARGEST_LENGTH);
    }
    if (set->size > 0 && set->size < SS_LEAST_LENGTH) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "body '%s': its shape is %g m long; at least %g m",
                       def->name, set->size, SS_LEAST_LENGTH);
    }
    return needs_mass(def) ? name_body(c, def, ss_geom_overlaps_once(set)) : SS_OK;
}

/* Mass, and the factor that takes unit density to it. */
static ss_status find_mass(ss_compiler *c, const ss_body_def *def, const ss_mass *shape,
                           double *mass, double *density)
{
    double volume = shape->volume;
    if (def->mass > 0) {
        *mass    = def->mass;
        *density = volume > 0 ? def->mass / volume : 0;
        return SS_OK;
    }
    if (!(volume > 0)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': mass must be given, because its shape has no volume to compute "
                       "it from",
                       def->name);
    }
    *density = def->density > 0 ? def->density : DEFAULT_DENSITY;
    *mass    = *density * volume;
    return SS_OK;
}

static bool symmetric_positive(const ss_mat3 *I)
{
    const double *m     = I->m;
    double        scale = fabs(m[0]) + fabs(m[4]) + fabs(m[8]);
    bool          symmetric =
        fabs(m[1] - m[3]) + fabs(m[2] - m[6]) + fabs(m[5] - m[7]) <= SS_INERTIA_ROUNDING * scale;
    return symmetric && m[0] > 0 && m[0] * m[4] - m[1] * m[3] > 0 && ss_mat3_det(I) > 0;
}

/* Matrices that were turned have halves that differ by rounding; symmetric ones stay as they are.
 */
static void make_symmetric(ss_mat3 *I)
{
    I->m[1] = I->m[3] = 0.5 * (I->m[1] + I->m[3]);
    I->m[2] = I->m[6] = 0.5 * (I->m[2] + I->m[6]);
    I->m[5] = I->m[7] = 0.5 * (I->m[5] + I->m[7]);
}

/* The second moments of the mass, tr(I)/2 - I, are those of no body when one of them is negative.
 */
static bool is_of_a_body(const ss_mat3 *I)
{
    double  half = 0.5 * (I->m[0] + I->m[4] + I->m[8]), tiny = SS_INERTIA_ROUNDING * half;
    ss_mat3 S = ss_mat3_diagonal(half + tiny, half + tiny, half + tiny);
    for (int i = 0; i < 9; i++) {
        S.m[i] -= I->m[i];
    }
    return symmetric_positive(&S);
}

static bool has_size_of_a_body(const ss_mat3 *I)
{
    for (int i = 0; i < 9; i += 4) {
        if (!(I->m[i] >= SS_LEAST_INERTIA && I->m[i] <= SS_LARGEST_INERTIA)) {
            return false;
        }
    }
    return true;
}

static ss_status find_inertia(ss_compiler *c, const ss_body_def *def, const ss_mass *shape,
                              double density, ss_mat3 *out)
{
    bool planar = c->model->dimension == 2;
    if (def->inertia_set) {
        *out = def->inertia;
    } else if (shape->volume > 0) {
        for (int k = 0; k < 9; k++) {
            out->m[k] = density * shape->inertia.m[k];
        }
    } else {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': inertia must be given, because its shape has no volume to "
                       "compute it from (or make it a particle)",
                       def->name);
    }
    if (planar) {
        *out = ss_mat3_diagonal(out->m[8], out->m[8], out->m[8]);
    }
    if (!symmetric_positive(out)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': inertia must be symmetric and positive definite", def->name);
    }
    make_symmetric(out);
    if (!has_size_of_a_body(out)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': moments of inertia must lie between %g and %g kg m^2", def->name,
                       SS_LEAST_INERTIA, SS_LARGEST_INERTIA);
    }
    if (!planar && def->inertia_set && !is_of_a_body(out)) {
        ss_log(
            c->ctx, SS_LOG_WARNING,
            "body '%s': no body has this inertia: one moment is larger than the sum of the others",
            def->name);
    }
    return SS_OK;
}

static bool is_round(const ss_mat3 *I)
{
    return I->m[0] == I->m[4] && I->m[4] == I->m[8] && I->m[1] == 0 && I->m[2] == 0 && I->m[5] == 0;
}

static ss_status set_mass(ss_compiler *c, const ss_body_def *def, const ss_mass *shape, ss_body *b)
{
    b->com = def->com_set ? def->com : shape->volume > 0 ? shape->centre : ss_v3(0, 0, 0);
    if (!is_dynamic(def)) {
        b->com = ss_v3(0, 0, 0); /* nothing pulls at it: the scene's frame will do */
        return SS_OK;
    }
    double density = 0;
    SS_TRY(find_mass(c, def, shape, &b->mass, &density));
    if (!(b->mass >= SS_LEAST_MASS && b->mass <= SS_LARGEST_MASS)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': mass must lie between %g and %g kg, got %g", def->name,
                       SS_LEAST_MASS, SS_LARGEST_MASS, b->mass);
    }
    b->inv_mass = 1 / b->mass;
    if (def->type == SS_BODY_PARTICLE) {
        b->round = true;
        return SS_OK;
    }
    SS_TRY(find_inertia(c, def, shape, density, &b->inertia));
    b->inv_inertia = ss_mat3_inverse(&b->inertia);
    b->round       = is_round(&b->inertia);
    return SS_OK;
}

static void set_start(const ss_model *m, const ss_body_def *def, ss_body *b)
{
    ss_pose *pose = &b->start_pose;
    pose->angle   = m->dimension == 2 ? def->angle : 0;
    pose->q       = m->dimension == 2 ? ss_quat_from_rotation(ss_v3(0, 0, def->angle))
                                      : ss_quat_unit(def->orientation);
    ss_mat3 R     = m->dimension == 2 ? ss_mat3_from_angle(def->angle) : ss_mat3_from_quat(pose->q);
    ss_vec3 offset = ss_mul(&R, b->com);
    pose->p        = ss_add(def->position, offset);
    b->start_twist.w =
        m->dimension == 2 ? ss_v3(0, 0, def->angular_velocity.z) : def->angular_velocity;
    b->start_twist.v = ss_add(def->velocity, ss_cross(b->start_twist.w, offset));
}

static bool is_identity(const ss_frame *f)
{
    const ss_mat3 one  = ss_mat3_identity();
    bool          same = f->p.x == 0 && f->p.y == 0 && f->p.z == 0;
    for (int i = 0; i < 9; i++) {
        same = same && f->R.m[i] == one.m[i];
    }
    return same;
}

/* Move the geoms from the scene's body frame to the centre-of-mass frame and into the model. */
static ss_status place_geoms(ss_compiler *c, const ss_body_def *def, int32_t i, ss_body *b)
{
    ss_model    *m   = c->model;
    ss_geom_set *set = &m->shapes[i];
    char         where[160];
    snprintf(where, sizeof where, "body '%s'", def->name);
    b->geom_first = m->ng;
    b->geom_count = set->count;
    for (int32_t k = 0; k < set->count; k++) {
        ss_geom *g = &m->geoms[m->ng++];
        *g         = set->geoms[k];
        g->local.p = ss_sub(g->local.p, b->com);
        g->centred = is_identity(&g->local);
        g->body    = i;
        m->bounded += isfinite(g->radius) ? 1 : 0;
        const char *name = set->materials[k] != NULL ? set->materials[k] : def->material;
        SS_TRY(ss_compile_material_named(c, name, where, &g->material));
        b->extent = fmax(b->extent, ss_norm(g->local.p) + g->radius);
    }
    return SS_OK;
}

/* A body of a plug-in's kind is one of the library's types with a motion or a load of its own. */
static ss_status take_kind(ss_compiler *c, ss_body_def *def, ss_body *b)
{
    char where[160];
    if (def->kind == NULL) {
        return SS_OK;
    }
    const ss_body_kind *kind = ss_body_kind_find(c->ctx, def->kind);
    if (kind == NULL) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "body '%s': there is no kind of bodies '%s'",
                       def->name, def->kind);
    }
    snprintf(where, sizeof where, "body '%s'", def->name);
    const ss_setting_list list = {kind->options, kind->settings_size, def->settings,
                                  def->setting_count, kind->check};
    SS_TRY(ss_compile_settings(c, &list, where, &b->settings));
    if (kind->place != NULL) {
        def->motion = (ss_motion_def){.fn = kind->place, .fn_user = b->settings};
    }
    return SS_OK;
}

static ss_status compile_body(ss_compiler *c, int32_t i)
{
    ss_body_def        own = c->scene->bodies[i];
    const ss_body_def *def = &own;
    ss_model          *m   = c->model;
    ss_body           *b   = &m->bodies[i];
    int                ok  = 1;
    b->name                = ss_pool_text(&m->pool, def->name, &ok);
    b->where               = ss_pool_text(&m->pool, def->where, &ok);
    if (!ok) {
        return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for bodies");
    }
    SS_TRY(take_kind(c, &own, b));
    b->type               = def->type;
    b->surface_velocity   = def->surface_velocity;
    b->friction_direction = def->friction_direction;
    b->drifts             = def->type == SS_BODY_KINEMATIC || ss_norm(def->surface_velocity) > 0;
    m->driven             = m->driven || def->type == SS_BODY_KINEMATIC;
    m->drives             = m->drives || b->drifts;
    m->directed           = m->directed || ss_norm(def->friction_direction) > 0;
    b->group              = def->group;
    b->no_collide         = def->no_collide;
    b->v_start            = -1;
    SS_TRY(set_mass(c, def, &m->shapes[i].mass, b));
    set_start(m, def, b);
    SS_TRY(ss_compile_motion(c, def, b));
    if (is_dynamic(def)) {
        b->v_start = m->nv;
        b->dof     = def->type == SS_BODY_PARTICLE ? m->dimension : m->dof;
        m->nv += m->dof; /* a particle's rotations are there too, at rest: one length for all */
    }
    SS_TRY(ss_compile_damping(c, def, b));
    return place_geoms(c, def, i, b);
}

/* The smallest moving part sets the length that distances are compared with. */
static void find_length(ss_model *m)
{
    double moving = INFINITY, any = INFINITY;
    for (int32_t i = 0; i < m->nb; i++) {
        double size = m->shapes[i].count > 0 ? m->shapes[i].size : 0;
        if (size > 0 && isfinite(size)) {
            any = fmin(any, size);
            if (ss_body_moves(&m->bodies[i])) {
                moving = fmin(moving, size);
            }
        }
    }
    m->length = isfinite(moving) ? moving : isfinite(any) ? any : 1;
}

ss_status ss_compile_bodies(ss_compiler *c)
{
    ss_model *m = c->model;
    m->nb       = c->scene->body_count;
    m->bodies   = ss_pool_alloc(&m->pool, (size_t)m->nb, sizeof *m->bodies);
    m->shapes   = ss_pool_alloc(&m->pool, (size_t)m->nb, sizeof *m->shapes);
    if (m->bodies == NULL || m->shapes == NULL) {
        return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for bodies");
    }
    int32_t            geoms = 0, twice = -1;
    const ss_body_def *defs = c->scene->bodies;
    if (m->nb > 0) {
        SS_TRY(ss_first_double(c->ctx, &defs->name, sizeof *defs, m->nb, &twice));
    }
    for (int32_t i = 0; i < m->nb; i++) {
        c->where = defs[i].where;
        SS_TRY(check_name(c, i, twice));
        SS_TRY(check_numbers(c, &c->scene->bodies[i]));
        SS_TRY(build_shape(c, i));
        geoms += m->shapes[i].count;
    }
    m->geoms      = ss_pool_alloc(&m->pool, (size_t)geoms, sizeof *m->geoms);
    m->geom_class = ss_pool_alloc(&m->pool, (size_t)geoms, sizeof *m->geom_class);
    if (m->geoms == NULL || m->geom_class == NULL) {
        return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for shapes");
    }
    for (int32_t i = 0; i < m->nb; i++) {
        c->where = c->scene->bodies[i].where;
        SS_TRY(compile_body(c, i));
    }
    c->where = NULL;
    find_length(m);
    return SS_OK;
}

/* Number the classes that are used. */
static int32_t number_classes(ss_model *m, const ss_shape_class **used, int32_t most)
{
    int32_t count = 0;
    for (int32_t g = 0; g < m->ng; g++) {
        int32_t k = 0;
        while (k < count && used[k] != m->geoms[g].cls) {
            k++;
        }
        if (k == count && count < most) {
            used[count++] = m->geoms[g].cls;
        }
        m->geom_class[g] = k;
    }
    return count;
}

static bool has_corners(const ss_geom *g)
{
    return g->poly != NULL;
}

static bool is_point(const ss_geom *g)
{
    return g->cls == &ss_shape_point;
}

/* geometry: implicit is about nearest points; of two polyhedra, or a point and one, there is no one
   direction that goes over smoothly into the next. */
static ss_status check_nearest_points(ss_compiler *c)
{
    const ss_model *m = c->model;
    for (int32_t i = 0; ss_geometry_of(m)->at_end && i < m->ng; i++) {
        for (int32_t j = i + 1; j < m->ng; j++) {
            const ss_geom *a = &m->geoms[i], *b = &m->geoms[j];
            bool           pointed = (has_corners(a) && (has_corners(b) || is_point(b))) ||
                           (has_corners(b) && is_point(a));
            if (pointed && ss_model_may_collide(m, a->body, b->body)) {
                return ss_fail(
                    c->ctx, SS_ERR_INPUT,
                    "model: geometry: implicit wants convex functions without corners on "
                    "one side: bodies '%s' and '%s' both have corners (planes, balls and "
                    "smooth shapes work, or geometry: explicit)",
                    m->bodies[a->body].name, m->bodies[b->body].name);
            }
        }
    }
    return SS_OK;
}

ss_status ss_compile_pairs(ss_compiler *c)
{
    enum { MOST = 64 };
    ss_model             *m = c->model;
    const ss_shape_class *used[MOST];
    int32_t               n = number_classes(m, used, MOST);
    m->geom_class_count     = n;
    m->pair_fn              = ss_pool_alloc(&m->pool, (size_t)n * (size_t)n, sizeof *m->pair_fn);
    if (m->pair_fn == NULL) {
        return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for the table of shape pairs");
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            int                  swap = 0;
            const ss_pair_class *own =
                ss_pair_registered(c->ctx, used[i], used[j], m->dimension, &swap);
            m->pair_fn[i * n + j].fn =
                own != NULL ? own->contacts : ss_pair_find(used[i], used[j], m->dimension, &swap);
            m->pair_fn[i * n + j].gap =
                own != NULL ? own->gap : ss_gap_find(used[i], used[j], m->dimension, &swap);
            m->pair_fn[i * n + j].swap = swap != 0;
        }
    }
    return check_nearest_points(c);
}
