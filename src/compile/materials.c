/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Materials -> the law of every pair. Friction combines by the geometric mean (static, kinetic and
 * Stribeck's velocity each by their own), restitution by the maximum, the law of impact is
 * Poisson's if one of the two wants it, unless a pair says otherwise.
 */
#include <math.h>
#include <string.h>

#include "compile/compile.h"
#include "model/axes.h"

/* Geometric mean; the square root of a square, without its rounding. */
static double mean_of(double a, double b)
{
    return a == b ? a : sqrt(a * b);
}

static int find(const ss_scene *s, const char *name)
{
    for (int32_t i = 0; i < s->material_count; i++) {
        if (strcmp(s->materials[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

ss_status ss_compile_material_named(ss_compiler *c, const char *name, const char *where,
                                    int32_t *out)
{
    int i = find(c->scene, name != NULL ? name : "default");
    if (i < 0) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: there is no material '%s'", where, name);
    }
    *out = i;
    return SS_OK;
}

static ss_status check_ellipsoid(ss_compiler *c, const char *name, const double *e)
{
    for (int i = 0; i < 4; i++) {
        if (!(e[i] >= 0) || !isfinite(e[i])) {
            return ss_fail(c->ctx, SS_ERR_INPUT,
                           "material '%s': the axes of its friction ellipsoid must be >= 0, got %g",
                           name, e[i]);
        }
    }
    if (!(e[0] > 0 && e[1] > 0) && (e[0] != 0 || e[1] != 0 || e[2] != 0 || e[3] != 0)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "material '%s': the tangential axes of its friction ellipsoid must be > 0",
                       name);
    }
    if (c->model->dimension == 2 && (e[2] > 0 || e[3] > 0)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "material '%s': there is no torsional or rolling friction in 2D", name);
    }
    return SS_OK;
}

static ss_status check_sliding(ss_compiler *c, const char *what, const char *name, double friction,
                               const ss_sliding_def *s)
{
    if (s->set && (!(s->kinetic >= 0 && s->kinetic <= friction) || !(s->stribeck >= 0) ||
                   !isfinite(s->stribeck))) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "%s '%s': kinetic friction must lie between 0 and the static one, %g, and "
                       "stribeck be >= 0, got %g and %g",
                       what, name, friction, s->kinetic, s->stribeck);
    }
    return SS_OK;
}

static ss_status check_material(ss_compiler *c, const ss_material_def *def)
{
    if (!(def->friction >= 0) || !isfinite(def->friction)) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "material '%s': friction must be >= 0, got %g",
                       def->name, def->friction);
    }
    if (!(def->restitution >= 0 && def->restitution <= 1)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "material '%s': restitution must lie between 0 and 1, got %g", def->name,
                       def->restitution);
    }
    SS_TRY(check_sliding(c, "material", def->name, def->friction, &def->sliding));
    return check_ellipsoid(c, def->name, def->ellipsoid);
}

/* Is what slides rubbed less than what sticks? */
static bool differs(double friction, const ss_sliding_def *s)
{
    return s->set && s->kinetic < friction;
}

/* A material with one coefficient has no wish for how fast the two become one another. */
static void combine_sliding(const ss_material_def *a, const ss_material_def *b, ss_pair_law *law)
{
    const ss_sliding_def *x = &a->sliding, *y = &b->sliding;
    bool                  first = differs(a->friction, x), second = differs(b->friction, y);
    law->kinetic  = 1;
    law->stribeck = 0;
    if ((first || second) && law->mu > 0) {
        law->kinetic = mean_of(first ? x->kinetic : a->friction, second ? y->kinetic : b->friction);
        law->kinetic = law->kinetic / law->mu;
        law->stribeck =
            mean_of(first ? x->stribeck : y->stribeck, second ? y->stribeck : x->stribeck);
    }
}

static bool given(const double *ellipsoid)
{
    return ellipsoid[0] != 0 || ellipsoid[1] != 0 || ellipsoid[2] != 0 || ellipsoid[3] != 0;
}

/* Tangential axes combine by the geometric mean, as friction does; the others by the maximum. */
static void combine_ellipsoids(const double *a, const double *b, double *out)
{
    static const double plain[4] = {1, 1, 0, 0};
    a                            = given(a) ? a : plain;
    b                            = given(b) ? b : plain;
    for (int i = 0; i < 4; i++) {
        double mean = mean_of(a[i], b[i]);
        out[i]      = i < 2 ? mean : fmax(a[i], b[i]);
    }
}

/* From t, o, torsion, rolling to the rows of a contact. */
static void set_axes(const ss_model *m, const double *ellipsoid, ss_pair_law *law)
{
    double roll = ellipsoid[3], torsion = ellipsoid[2] > 0 ? ellipsoid[2] : roll;
    law->axes[0] = ellipsoid[0];
    law->axes[1] = ellipsoid[1];
    law->axes[2] = torsion;
    law->axes[3] = law->axes[4] = roll;
    law->round                  = ellipsoid[0] == 1 && ellipsoid[1] == 1;
    law->dim                    = m->dimension;
    if (m->dimension == 3 && torsion > 0) {
        law->dim = roll > 0 ? 6 : 4;
    }
    if (!(law->mu > 0)) {
        law->dim = 1;
    }
}

static void combine(const ss_model *m, const ss_material_def *a, const ss_material_def *b,
                    ss_pair_law *law)
{
    double ellipsoid[4];
    law->mu          = mean_of(a->friction, b->friction);
    law->restitution = fmax(a->restitution, b->restitution);
    law->poisson     = a->impact == SS_IMPACT_POISSON || b->impact == SS_IMPACT_POISSON;
    combine_sliding(a, b, law);
    combine_ellipsoids(a->ellipsoid, b->ellipsoid, ellipsoid);
    set_axes(m, ellipsoid, law);
}

bool ss_has_place(const ss_friction_place_def *p)
{
    return p->formula != NULL || p->values != NULL;
}

static ss_status check_grid(ss_compiler *c, const char *name, const ss_friction_place_def *p)
{
    int32_t ny = p->ny > 0 ? p->ny : 1;
    bool    ok = true;
    for (int32_t i = 1; i < p->nx; i++) {
        ok = ok && p->x[i] > p->x[i - 1];
    }
    for (int32_t i = 1; i < p->ny; i++) {
        ok = ok && p->y[i] > p->y[i - 1];
    }
    for (int32_t i = 0; i < p->nx * ny; i++) {
        ok = ok && p->values[i] >= 0 && isfinite(p->values[i]);
    }
    return ok ? SS_OK
              : ss_fail(c->ctx, SS_ERR_INPUT,
                        "'%s': a map of friction must have increasing places and values "
                        ">= 0",
                        name);
}

/* The scene's pool outlives the model's compilation only: what the model needs is copied. */
ss_status ss_compile_place(ss_compiler *c, const char *owner, const ss_friction_place_def *p,
                           const ss_friction_place **out)
{
    static const int32_t axes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    ss_model            *m          = c->model;
    ss_friction_place   *to         = ss_pool_alloc(&m->pool, 1, sizeof *to);
    size_t               nx = (size_t)p->nx, ny = p->ny > 0 ? (size_t)p->ny : 1;
    int                  ok = to != NULL;
    *out                    = to;
    if (ok && p->formula != NULL) {
        to->by_formula = true;
        return ss_formula_read(c->ctx, p->formula, m->dimension, &to->formula);
    }
    SS_TRY(check_grid(c, owner, p));
    if (ok) {
        to->nx     = p->nx;
        to->ny     = (int32_t)ny;
        to->values = ss_pool_copy(&m->pool, p->values, nx * ny, sizeof *p->values, &ok);
        to->x      = ss_pool_copy(&m->pool, p->x, nx, sizeof *p->x, &ok);
        to->y      = p->ny > 0 ? ss_pool_copy(&m->pool, p->y, ny, sizeof *p->y, &ok) : NULL;
        memcpy(to->axes, axes[p->axes], sizeof to->axes);
        to->world = p->frame == SS_FRICTION_WORLD;
    }
    return ok ? SS_OK : ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for materials");
}

/* Of all materials, before pairs say otherwise. */
static ss_status place_materials(ss_compiler *c)
{
    const ss_scene *s = c->scene;
    ss_model       *m = c->model;
    for (int32_t i = 0; i < s->material_count; i++) {
        const ss_friction_place *place;
        if (!ss_has_place(&s->materials[i].place)) {
            continue;
        }
        SS_TRY(ss_compile_place(c, s->materials[i].name, &s->materials[i].place, &place));
        for (int32_t j = 0; j < s->material_count; j++) {
            m->pair_law[i * s->material_count + j].place[0] = place;
            m->pair_law[j * s->material_count + i].place[1] = place;
        }
    }
    return SS_OK;
}

/* The law of (j, i) is that of (i, j) seen from the other side. */
static ss_pair_law turned(const ss_pair_law *law)
{
    ss_pair_law out = *law;
    out.place[0]    = law->place[1];
    out.place[1]    = law->place[0];
    return out;
}

static ss_status override_friction(ss_compiler *c, const ss_pair_def *def, ss_pair_law *law)
{
    bool two = differs(def->friction, &def->sliding);
    SS_TRY(check_sliding(c, "pair of material", def->between[0], def->friction, &def->sliding));
    law->mu            = def->friction;
    law->kinetic       = two ? def->sliding.kinetic / law->mu : 1;
    law->stribeck      = two ? def->sliding.stribeck : 0;
    law->place[0]      = NULL;
    law->place[1]      = NULL;
    law->place_is_pair = ss_has_place(&def->place);
    if (law->place_is_pair && strcmp(def->between[0], def->between[1]) == 0 &&
        def->place.frame != SS_FRICTION_WORLD) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "materials: pair of '%s' with itself: friction that varies with place needs "
                       "to know on which of the two; expected two materials, or frame: world",
                       def->between[0]);
    }
    return law->place_is_pair ? ss_compile_place(c, def->between[0], &def->place, &law->place[0])
                              : SS_OK;
}

static ss_status override(ss_compiler *c, const ss_pair_def *def)
{
    ss_model *m = c->model;
    int       i = find(c->scene, def->between[0]), j = find(c->scene, def->between[1]);
    if (i < 0 || j < 0) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "materials: pair names '%s', which is no material",
                       def->between[i < 0 ? 0 : 1]);
    }
    ss_pair_law *law = &m->pair_law[i * m->material_count + j];
    if (def->friction >= 0) {
        SS_TRY(override_friction(c, def, law));
    }
    if (def->restitution >= 0) {
        law->restitution = def->restitution;
    }
    if (def->impact != SS_IMPACT_ANY) {
        law->poisson = def->impact == SS_IMPACT_POISSON;
    }
    SS_TRY(check_ellipsoid(c, def->between[0], def->ellipsoid));
    double now[4] = {law->axes[0], law->axes[1], law->axes[2], law->axes[3]};
    set_axes(m, given(def->ellipsoid) ? def->ellipsoid : now, law);
    law->friction_direction = def->friction_direction;
    SS_TRY(ss_compile_pair_compliance(c, def, law));
    m->directed = m->directed || ss_norm(def->friction_direction) > 0;
    if (i != j) {
        m->pair_law[j * m->material_count + i] = turned(law);
    }
    return SS_OK;
}

/* Laws of impact compare velocities before and after at one geometry. */
static ss_status check_bounces(ss_compiler *c)
{
    const ss_axes *a = &c->scene->simulation.axes;
    if (c->model->bounces && ss_geometry_axis[a->geometry]->at_end) {
        return ss_fail(
            c->ctx, SS_ERR_INPUT,
            "materials: restitution has no place in geometry: implicit, whose velocities "
            "follow from the gap at the end of the step; expected restitution: 0, or "
            "geometry: explicit");
    }
    return SS_OK;
}

/* Does any pair bounce by Poisson's law? It needs velocities that last from step to step. */
static ss_status look_for_poisson(ss_compiler *c)
{
    ss_model *m = c->model;
    for (int32_t i = 0; i < m->material_count * m->material_count; i++) {
        m->poisson = m->poisson || (m->pair_law[i].poisson && m->pair_law[i].restitution > 0);
        m->bounces = m->bounces || m->pair_law[i].restitution > 0;
    }
    if (m->poisson && !ss_inertia_axis[c->scene->simulation.axes.inertia]->momentum) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "materials: impact: poisson is about momentum, expected inertia: dynamic");
    }
    return SS_OK;
}

/* Without momentum nothing comes with a speed that could be given back: what touches stays. */
static void forget_restitution(ss_compiler *c)
{
    ss_model *m = c->model;
    if (!m->bounces || ss_inertia_axis[c->scene->simulation.axes.inertia]->momentum) {
        return;
    }
    for (int32_t i = 0; i < m->material_count * m->material_count; i++) {
        m->pair_law[i].restitution = 0;
    }
    m->bounces = false;
    ss_log(c->ctx, SS_LOG_WARNING,
           "materials: restitution is about momentum and has no part in inertia: %s",
           ss_inertia_axis[c->scene->simulation.axes.inertia]->name);
}

/* Where forces that are left over move nothing but by their balance, a drop of friction has no
   answer. */
static ss_status look_for_two_frictions(ss_compiler *c)
{
    ss_model      *m = c->model;
    const ss_axes *a = &c->scene->simulation.axes;
    for (int32_t i = 0; i < m->material_count * m->material_count; i++) {
        const ss_pair_law *law = &m->pair_law[i];
        m->two_frictions       = m->two_frictions || law->kinetic < 1;
        m->placed              = m->placed || law->place[0] != NULL || law->place[1] != NULL;
    }
    if (m->two_frictions && ss_inertia_axis[a->inertia]->balanced) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "materials: static and kinetic friction: what breaks loose is no longer in "
                       "balance, and without momentum or a medium nothing tells where it stops; "
                       "expected inertia: dynamic or damped, or one coefficient");
    }
    return SS_OK;
}

ss_status ss_compile_materials(ss_compiler *c)
{
    const ss_scene *s = c->scene;
    ss_model       *m = c->model;
    int32_t         n = s->material_count;
    m->material_count = n;
    m->pair_law       = ss_pool_alloc(&m->pool, (size_t)n * (size_t)n, sizeof *m->pair_law);
    if (m->pair_law == NULL) {
        return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for materials");
    }
    for (int32_t i = 0; i < n; i++) {
        SS_TRY(check_material(c, &s->materials[i]));
        for (int32_t j = 0; j < n; j++) {
            combine(m, &s->materials[i], &s->materials[j], &m->pair_law[i * n + j]);
            SS_TRY(ss_compile_compliance(c, &s->materials[i], &s->materials[j],
                                         &m->pair_law[i * n + j]));
        }
    }
    SS_TRY(place_materials(c));
    for (int32_t i = 0; i < s->pair_count; i++) {
        SS_TRY(override(c, &s->pairs[i]));
    }
    SS_TRY(look_for_poisson(c));
    forget_restitution(c);
    SS_TRY(look_for_two_frictions(c));
    return check_bounces(c);
}
