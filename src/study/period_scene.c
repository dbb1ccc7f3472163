/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units: with T the period and a the acceleration by gravity, lengths are told in a T^2, speeds in
 * a T and forces in the particle's weight, so that all unknowns of the program are near 1.
 */
#include "study/period_scene.h"

#include <math.h>
#include <string.h>

#include "dynamics/stages.h"
#include "model/axes.h"
#include "study/tolerances.h"
#include "study/variant.h"

static ss_status refuse(const ss_period_scene *s, const char *what)
{
    return ss_fail(s->ctx, SS_ERR_INPUT,
                   "%s: algorithm mpec poses a particle on one face of a driven body in 3D, under "
                   "gravity, with model {integrator: euler}: %s",
                   s->study->path, what);
}

/* ---- is it a scene that can be posed? ---- */

static ss_status check_model(const ss_period_scene *s, const ss_model *m, const ss_cycle *c)
{
    const bool *held = s->study->cycle->held;
    if (m->dimension != 3 || c->in < 0 || m->bodies[c->body].type != SS_BODY_PARTICLE ||
        m->bodies[c->in].type != SS_BODY_KINEMATIC) {
        return refuse(s, "`cycle` must name a particle, `in` a kinematic body");
    }
    if (!held[SS_HELD_X] || !held[SS_HELD_Y] || held[SS_HELD_Z]) {
        return refuse(s, "`cycle` must hold [x, y]");
    }
    if (m->force_count > 0 || m->joint_count > 0 || m->support_count > 0 || m->compliant ||
        m->bodies[c->body].damping_linear > 0) {
        return refuse(s, "the scene has forces, joints, supports, damping or compliance");
    }
    if (m->two_frictions || m->placed || m->tilts || m->bounces || m->directed) {
        return refuse(s, "friction must be one number, without restitution");
    }
    if (!m->as_printed || !ss_inertia_of(m)->momentum || m->simulation.axes.cone != 0) {
        return refuse(s, "the cone must be quadratic, inertia dynamic, integrator euler");
    }
    return SS_OK;
}

static double friction_of(const ss_model *m, const ss_cycle *c)
{
    const ss_geom *a = &m->geoms[m->bodies[c->in].geom_first];
    const ss_geom *b = &m->geoms[m->bodies[c->body].geom_first];
    return m->pair_law[a->material * m->material_count + b->material].mu;
}

/* ---- the scene of a candidate ---- */

static ss_status build(const ss_period_scene *s, const double *candidate, ss_variant *v,
                       ss_cycle *c)
{
    ss_study view   = *s->study;
    double   period = 0;
    double  *inputs = ss_alloc(s->ctx, (size_t)view.input_count + 1, sizeof *inputs);
    if (inputs == NULL) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "out of memory");
    }
    view.candidate = candidate;
    ss_study_draw(&view, s->trial, inputs);
    ss_status status = ss_study_make_scene(s->ctx, &view, s->trial, inputs, false, &v->scene);
    ss_free(s->ctx, inputs, ((size_t)view.input_count + 1) * sizeof *inputs);
    SS_TRY(status);
    SS_TRY(ss_variant_complete(s->ctx, v));
    SS_TRY(ss_watch_begin(s->watch, v->scene, v->model, v->data));
    SS_TRY(ss_watch_period(s->watch, &period));
    return ss_cycle_open(s->ctx, view.cycle, v->model, v->data, period, c);
}

/* Origin and axes of the driven body at a time, the origin as the scene has it. */
static ss_status frame_at(const ss_variant *v, const ss_cycle *c, double t, ss_frame *out)
{
    ss_pose pose;
    SS_TRY(ss_motion_pose(v->model, v->data, c->in, t, &pose));
    *out   = (ss_frame){pose.p, ss_pose_matrix(v->model, &pose)};
    out->p = ss_sub(out->p, ss_mul(&out->R, v->model->bodies[c->in].com));
    return SS_OK;
}

static ss_status fill_numbers(const ss_period_scene *s, const ss_variant *v, const ss_cycle *c,
                              double *out)
{
    ss_vec3 pull             = ss_scale(1 / s->pull, v->model->gravity);
    double  start            = v->model->simulation.start;
    out[SS_PERIOD_MU]        = friction_of(v->model, c);
    out[SS_PERIOD_PULL]      = pull.x;
    out[SS_PERIOD_PULL + 1]  = pull.y;
    out[SS_PERIOD_PULL + 2]  = pull.z;
    out[SS_PERIOD_PLACE]     = c->place.position.x / s->length;
    out[SS_PERIOD_PLACE + 1] = c->place.position.y / s->length;
    for (int32_t i = 0; i <= s->steps; i++) {
        ss_frame f;
        double  *at = out + SS_PERIOD_FRAMES + (ptrdiff_t)SS_PERIOD_FRAME * i;
        SS_TRY(frame_at(v, c, start + s->step * i, &f));
        at[0] = f.p.x / s->length;
        at[1] = f.p.y / s->length;
        at[2] = f.p.z / s->length;
        for (int k = 0; k < 3; k++) {
            for (int row = 0; row < 3; row++) {
                at[3 + 3 * k + row] = (k == 2 ? s->face : 1) * f.R.m[3 * row + k];
            }
        }
    }
    return SS_OK;
}

ss_status ss_period_numbers(const ss_period_scene *s, const double *candidate, double *out)
{
    ss_variant v = {0};
    ss_cycle   c;
    ss_status  status = build(s, candidate, &v, &c);
    if (status == SS_OK && fabs(c.period - s->period) > SS_TIME_ROUNDING * s->period) {
        status = refuse(s, "the period must not follow from what is chosen");
    }
    if (status == SS_OK) {
        status = fill_numbers(s, &v, &c, out);
    }
    ss_variant_release(&v);
    return status;
}

/* ---- the period that it settles to ---- */

/* The face of the driven body that a contact is with: gaps of a step are those of where the
   particle was at its start from where the face is at its end. */
static ss_status note_face(ss_period_scene *s, const ss_variant *v, const ss_cycle *c, ss_vec3 was)
{
    for (int32_t i = 0; i < ss_data_contact_count(v->data); i++) {
        ss_contact_info at;
        ss_frame        f;
        SS_TRY(ss_data_contact(v->model, v->data, i, &at));
        SS_TRY(frame_at(v, c, ss_data_time(v->data), &f));
        ss_vec3 out  = at.body_a == c->in ? at.normal : ss_neg(at.normal);
        ss_vec3 n    = ss_tmul(&f.R, out);
        double  side = n.z > 0 ? 1 : -1;
        if (fabs(fabs(n.z) - 1) > SS_PERIOD_FACE || (s->face != 0 && s->face != side)) {
            return refuse(s, "the particle must lie on one face, across the z axis of its frame");
        }
        s->face   = side;
        s->offset = (ss_dot(out, ss_sub(was, f.p)) - at.gap) / s->length;
    }
    return SS_OK;
}

/* Places and velocities as seen from the frame now, put where the frame is at the start. */
static ss_status note_state(ss_period_scene *s, const ss_variant *v, const ss_cycle *c, int32_t i)
{
    ss_body_state b;
    ss_frame      now, first;
    double        start = v->model->simulation.start;
    SS_TRY(ss_data_body(v->model, v->data, c->body, &b));
    SS_TRY(frame_at(v, c, ss_data_time(v->data), &now));
    SS_TRY(frame_at(v, c, start + s->step * i, &first));
    ss_vec3 y = ss_tmul(&now.R, ss_sub(b.position, now.p)), u = ss_tmul(&now.R, b.velocity);
    y = ss_scale(1 / s->length, ss_add(first.p, ss_mul(&first.R, y)));
    u = ss_scale(1 / s->speed, ss_mul(&first.R, u));
    memcpy(s->q + (ptrdiff_t)3 * i, &y, sizeof y);
    memcpy(s->v + (ptrdiff_t)3 * i, &u, sizeof u);
    return SS_OK;
}

static ss_status run_period(ss_period_scene *s, const ss_variant *v, ss_cycle *c)
{
    SS_TRY(ss_cycle_find(s->ctx, v->model, v->data, NULL, c));
    SS_TRY(note_state(s, v, c, 0));
    for (int32_t i = 1; i <= s->steps; i++) {
        ss_body_state b;
        SS_TRY(ss_data_body(v->model, v->data, c->body, &b));
        SS_TRY(ss_step(v->model, v->data, s->step));
        SS_TRY(note_face(s, v, c, b.position));
        SS_TRY(note_state(s, v, c, i));
    }
    return s->face != 0 ? SS_OK
                        : refuse(s, "the particle does not touch the driven body from where the "
                                    "search starts");
}

/* The drift that is asked for: measures of the trial as it starts. */
static ss_status read_ask(ss_period_scene *s, const ss_variant *v, const int32_t ask[2])
{
    bool          stop     = false;
    ss_run_result nothing  = {0};
    size_t        room     = (size_t)s->study->measure_count + 1;
    double       *measures = ss_alloc(s->ctx, room, sizeof *measures);
    if (measures == NULL) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "out of memory");
    }
    ss_status status = ss_watch_step(s->watch, v->model, v->data, &stop);
    status           = status == SS_OK ? ss_watch_end(s->watch, &nothing, measures) : status;
    for (int k = 0; status == SS_OK && k < 2; k++) {
        s->ask[k] = measures[ask[k]] / s->speed;
        if (!isfinite(s->ask[k])) {
            status = refuse(s, "the measures that `drift` names must be numbers at the start");
        }
    }
    ss_free(s->ctx, measures, room * sizeof *measures);
    return status;
}

static ss_status measure_scene(ss_period_scene *s, ss_pool *pool, ss_variant *v,
                               const int32_t ask[2])
{
    ss_cycle c;
    SS_TRY(build(s, s->study->candidate, v, &c));
    SS_TRY(check_model(s, v->model, &c));
    s->period = c.period;
    s->steps  = (int32_t)c.steps;
    s->step   = c.step;
    s->pull   = ss_norm(v->model->gravity);
    s->speed  = s->pull * s->period;
    s->length = s->speed * s->period;
    s->count  = SS_PERIOD_FRAMES + SS_PERIOD_FRAME * (s->steps + 1);
    if (!(s->pull > 0)) {
        return refuse(s, "there is no gravity");
    }
    size_t room = 3 * ((size_t)s->steps + 1);
    s->q        = ss_pool_alloc(pool, room, sizeof *s->q);
    s->v        = ss_pool_alloc(pool, room, sizeof *s->v);
    if (s->q == NULL || s->v == NULL) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "out of memory");
    }
    SS_TRY(read_ask(s, v, ask));
    return run_period(s, v, &c);
}

ss_status ss_period_scene_make(ss_context *ctx, ss_pool *pool, const ss_study *study, ss_watch *w,
                               int64_t trial, const int32_t ask[2], ss_period_scene *out)
{
    ss_variant v     = {0};
    *out             = (ss_period_scene){.ctx = ctx, .study = study, .watch = w, .trial = trial};
    ss_status status = measure_scene(out, pool, &v, ask);
    ss_variant_release(&v);
    return status;
}

/* ---- the engine's word on what was found ---- */

ss_status ss_period_apart(const ss_period_scene *s, const double *candidate, const double *q,
                          const double v[3], double *apart)
{
    ss_variant    own = {0};
    ss_cycle      c;
    ss_body_state b;
    ss_status     status = build(s, candidate, &own, &c);
    *apart               = 0;
    if (status == SS_OK) {
        status     = ss_data_body(own.model, own.data, c.body, &b);
        b.position = ss_v3(s->length * q[0], s->length * q[1], s->length * q[2]);
        b.velocity = ss_v3(s->speed * v[0], s->speed * v[1], s->speed * v[2]);
    }
    status = status == SS_OK ? ss_data_set_body(own.model, own.data, c.body, &b) : status;
    for (int32_t i = 1; status == SS_OK && i <= s->steps; i++) {
        const double *at = q + (ptrdiff_t)3 * i;
        status           = ss_step(own.model, own.data, s->step);
        status           = status == SS_OK ? ss_data_body(own.model, own.data, c.body, &b) : status;
        ss_vec3 wrong    = ss_axpy(b.position, -s->length, ss_v3(at[0], at[1], at[2]));
        *apart           = fmax(*apart, ss_norm(wrong));
    }
    ss_variant_release(&own);
    return status;
}
