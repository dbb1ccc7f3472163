/* SPDX-License-Identifier: Apache-2.0 */
#include "identify/mpec_track.h"

#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "force/force.h"
#include "identify/tolerances.h"
#include "model/axes.h"
#include "stickslip/scene_file.h"

static ss_status refuse(const ss_fitter *f, const char *what)
{
    return ss_fail(f->ctx, SS_ERR_INPUT,
                   "%s: method mpec poses particles in the plane before fixed half-planes, under "
                   "constant forces, by integrator euler: %s (method simulate takes any scene)",
                   f->p->study->path, what);
}

int32_t ss_track_state(const ss_track *k, int32_t step, int32_t particle, int32_t i, double *value)
{
    const ss_particle *a = &k->particles[particle];
    *value               = a->start[i];
    if (step == 0) {
        return a->free[i];
    }
    int32_t block = SS_TRACK_STATE * k->particle_count + SS_TRACK_TOUCH * k->touch_count;
    return k->first + (step - 1) * block + SS_TRACK_STATE * particle + i;
}

int32_t ss_track_touch(const ss_track *k, int32_t step, int32_t touch, int32_t i)
{
    int32_t block = SS_TRACK_STATE * k->particle_count + SS_TRACK_TOUCH * k->touch_count;
    return k->first + (step - 1) * block + SS_TRACK_STATE * k->particle_count +
           SS_TRACK_TOUCH * touch + i;
}

/* ---- what acts ---- */

static ss_status check_model(const ss_fitter *f, const ss_model *m)
{
    if (m->dimension != 2 || m->joint_count > 0 || m->support_count > 0 || m->compliant) {
        return refuse(f, "the scene has joints, supports, compliance or three dimensions");
    }
    if (m->two_frictions || m->placed || m->tilts) {
        return refuse(f, "friction is static or kinetic, or varies with place");
    }
    if (!m->as_printed || !ss_inertia_of(m)->momentum || m->bounces) {
        return refuse(f, "set model: {integrator: euler}, without restitution");
    }
    return SS_OK;
}

/* Forces that are the same all the time. */
static ss_status add_forces(const ss_fitter *f, const ss_model *m, ss_particle *a)
{
    a->force[0] = a->mass * m->gravity.x;
    a->force[1] = a->mass * m->gravity.y;
    for (int32_t i = 0; i < m->force_count; i++) {
        const ss_force *one = &m->forces[i];
        if (strcmp(one->cls->name, "constant") != 0 || one->force[0].expr >= 0 ||
            one->force[1].expr >= 0) {
            return refuse(f, "a force depends on time or on the state");
        }
        for (int k = 0; k < 2 && one->body[0] == a->body; k++) {
            a->force[k] += one->force[k].number;
        }
    }
    return m->bodies[a->body].damping_linear > 0 ? refuse(f, "a body is damped") : SS_OK;
}

static int32_t recorded_as(const ss_identify *p, const char *name)
{
    for (int32_t b = 0; b < p->body_count; b++) {
        if (strcmp(p->bodies[b], name) == 0) {
            return b;
        }
    }
    return -1;
}

/* Where it starts: as the scene or the recording says, or free. */
static void find_start(const ss_identify *p, const ss_model *m, int32_t trial, ss_particle *a)
{
    static const ss_quantity what[SS_TRACK_STATE] = {SS_Q_X, SS_Q_Y, SS_Q_VX, SS_Q_VY};
    const ss_body           *b                    = &m->bodies[a->body];
    const double             scene[] = {b->start_pose.p.x, b->start_pose.p.y, b->start_twist.v.x,
                                        b->start_twist.v.y};
    for (int i = 0; i < SS_TRACK_STATE; i++) {
        a->start[i] = scene[i];
        a->free[i]  = -1;
        for (int32_t s = 0; s < p->start_count; s++) {
            if (p->starts[s].body == a->recorded && (p->starts[s].measured & (1u << what[i]))) {
                const ss_body_state *at    = &p->trials[trial].start[a->recorded];
                const double         saw[] = {at->position.x, at->position.y, at->velocity.x,
                                              at->velocity.y};
                a->start[i]                = saw[i];
            }
        }
        for (int32_t k = 0; k < p->parameter_count; k++) {
            const ss_parameter *x = &p->parameters[k];
            if (x->kind == SS_PARAMETER_START && x->trial == trial && x->body == a->recorded &&
                x->quantity == what[i]) {
                a->free[i] = k;
            }
        }
    }
}

static void find_columns(const ss_identify *p, ss_particle *a)
{
    a->column[0] = a->column[1] = -1;
    for (int32_t c = 0; a->recorded >= 0 && c < p->column_count; c++) {
        if (p->columns[c].body == a->recorded && p->columns[c].quantity <= SS_Q_Y) {
            a->column[p->columns[c].quantity] = c;
        }
    }
}

static ss_status find_particles(ss_fitter *f, ss_pool *pool, const ss_model *m, ss_track *out)
{
    out->particles = ss_pool_alloc(pool, (size_t)m->nb, sizeof *out->particles);
    if (out->particles == NULL) {
        return ss_fail(f->ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (b->type == SS_BODY_STATIC) {
            continue;
        }
        if (b->type != SS_BODY_PARTICLE) {
            return refuse(f, "a body that moves is no particle");
        }
        ss_particle *a = &out->particles[out->particle_count++];
        *a = (ss_particle){.body = i, .mass = b->mass, .recorded = recorded_as(f->p, b->name)};
        SS_TRY(add_forces(f, m, a));
        find_start(f->p, m, out->trial, a);
        find_columns(f->p, a);
    }
    return SS_OK;
}

/* ---- where particles may touch ---- */

static const ss_geom *geom_of(const ss_model *m, int32_t body)
{
    return m->bodies[body].geom_count == 1 ? &m->geoms[m->bodies[body].geom_first] : NULL;
}

static double friction_of(const ss_model *m, const ss_geom *a, const ss_geom *b)
{
    return m->pair_law[a->material * m->material_count + b->material].mu;
}

static ss_status add_touch(ss_fitter *f, ss_pool *pool, const ss_model *m, int32_t particle,
                           int32_t wall, ss_track *out)
{
    const ss_geom *g = geom_of(m, wall), *a = geom_of(m, out->particles[particle].body);
    if (a == NULL || g == NULL) {
        return SS_OK; /* no shape, no contact */
    }
    if (strcmp(g->cls->name, "halfplane") != 0 || strcmp(a->cls->name, "point") != 0 ||
        m->bodies[wall].drifts) {
        return refuse(f, "shapes other than points and half-planes, or a surface that moves");
    }
    ss_touch *touch = &out->touches[out->touch_count++];
    double    turn  = m->bodies[wall].start_pose.angle;
    double    c = ss_cos(turn), s = ss_sin(turn);
    ss_vec3   n = g->params.plane.normal, at = m->bodies[wall].start_pose.p;
    touch->particle = particle;
    touch->n[0]     = c * n.x - s * n.y;
    touch->n[1]     = s * n.x + c * n.y;
    touch->t[0]     = touch->n[1];
    touch->t[1]     = -touch->n[0];
    touch->offset   = g->params.plane.offset + touch->n[0] * at.x + touch->n[1] * at.y;
    touch->base     = friction_of(m, a, g);
    touch->slope    = ss_pool_alloc(pool, (size_t)f->p->parameter_count + 1, sizeof *touch->slope);
    return touch->slope != NULL ? SS_OK : ss_fail(f->ctx, SS_ERR_MEMORY, "out of memory");
}

static ss_status find_touches(ss_fitter *f, ss_pool *pool, const ss_model *m, ss_track *out)
{
    size_t most  = (size_t)out->particle_count * (size_t)m->nb + 1;
    out->touches = ss_pool_alloc(pool, most, sizeof *out->touches);
    if (out->touches == NULL) {
        return ss_fail(f->ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (int32_t a = 0; a < out->particle_count; a++) {
        for (int32_t i = 0; i < m->nb; i++) {
            if (m->bodies[i].type == SS_BODY_STATIC &&
                ss_model_may_collide(m, i, out->particles[a].body)) {
                SS_TRY(add_touch(f, pool, m, a, i, out));
            }
        }
    }
    return SS_OK;
}

/* ---- how friction follows the parameters ---- */

static double friction_at(const ss_model *m, const ss_track *k, int32_t touch)
{
    int32_t seen = 0;
    for (int32_t a = 0; a < k->particle_count; a++) {
        for (int32_t i = 0; i < m->nb; i++) {
            const ss_geom *x = geom_of(m, k->particles[a].body), *g = geom_of(m, i);
            if (m->bodies[i].type == SS_BODY_STATIC && x != NULL && g != NULL &&
                ss_model_may_collide(m, i, k->particles[a].body) && seen++ == touch) {
                return friction_of(m, x, g);
            }
        }
    }
    return NAN;
}

/* Friction at both bounds of a parameter and where it is now must lie on a line. */
static ss_status find_slope(ss_fitter *f, int32_t parameter, double *theta, ss_track *k)
{
    double    at = theta[parameter], ends[2] = {f->low[parameter], f->high[parameter]};
    ss_model *m[2]   = {NULL, NULL};
    ss_status status = SS_OK;
    for (int e = 0; status == SS_OK && e < 2; e++) {
        theta[parameter] = ends[e];
        status           = ss_identify_model(&f->workers[0], k->trial, theta, &m[e]);
    }
    theta[parameter] = at;
    for (int32_t c = 0; status == SS_OK && c < k->touch_count; c++) {
        double low = friction_at(m[0], k, c), high = friction_at(m[1], k, c);
        double slope = (high - low) / (ends[1] - ends[0]);
        if (!(fabs(low + slope * (at - ends[0]) - k->touches[c].base) <= SS_LINEAR)) {
            status = refuse(f, "a coefficient of friction is no linear function of a free value: "
                               "name `pairs` of materials");
        }
        k->touches[c].slope[parameter] = slope;
    }
    ss_model_destroy(m[0]);
    ss_model_destroy(m[1]);
    return status;
}

static ss_status find_slopes(ss_fitter *f, double *theta, ss_track *k)
{
    for (int32_t i = 0; i < f->p->parameter_count; i++) {
        const ss_parameter *a = &f->p->parameters[i];
        if (a->kind == SS_PARAMETER_VALUE && (a->trial < 0 || a->trial == k->trial)) {
            SS_TRY(find_slope(f, i, theta, k));
        } else if (a->kind != SS_PARAMETER_VALUE && a->kind != SS_PARAMETER_START) {
            return refuse(f, "of nuisance only `start` can be searched for");
        }
    }
    for (int32_t c = 0; c < k->touch_count; c++) { /* mu = base + slope theta */
        for (int32_t i = 0; i < f->p->parameter_count; i++) {
            k->touches[c].base -= k->touches[c].slope[i] * theta[i];
        }
    }
    return SS_OK;
}

/* ---- samples ---- */

static ss_status find_samples(ss_fitter *f, ss_pool *pool, const ss_model *m, ss_track *k)
{
    const ss_recorded *r = &f->p->trials[k->trial];
    k->h                 = m->simulation.step;
    k->sample            = ss_pool_alloc(pool, (size_t)r->count, sizeof *k->sample);
    if (k->sample == NULL) {
        return ss_fail(f->ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < r->count; i++) {
        double at    = r->t[i] / k->h;
        k->sample[i] = (int32_t)floor(at + 0.5);
        if (fabs(at - k->sample[i]) > SS_ON_STEP) {
            return refuse(f, "samples must fall on steps: choose simulation.step so");
        }
    }
    k->steps = k->sample[r->count - 1];
    return SS_OK;
}

ss_status ss_track_make(ss_fitter *f, ss_pool *pool, int32_t trial, const double *theta,
                        ss_track *out)
{
    ss_model *m    = NULL;
    size_t    n    = (size_t)f->p->parameter_count + 1;
    double   *mine = ss_pool_alloc(pool, n, sizeof *mine);
    if (mine == NULL) {
        return ss_fail(f->ctx, SS_ERR_MEMORY, "out of memory");
    }
    memcpy(mine, theta, (n - 1) * sizeof *mine);
    *out             = (ss_track){.trial = trial};
    ss_status status = ss_identify_model(&f->workers[0], trial, theta, &m);
    if (status != SS_OK) {
        return ss_fail(f->ctx, status, "%s", ss_context_message(f->workers[0].ctx));
    }
    status = check_model(f, m);
    status = status == SS_OK ? find_particles(f, pool, m, out) : status;
    status = status == SS_OK ? find_touches(f, pool, m, out) : status;
    status = status == SS_OK ? find_samples(f, pool, m, out) : status;
    status = status == SS_OK ? find_slopes(f, mine, out) : status;
    ss_model_destroy(m);
    return status;
}
