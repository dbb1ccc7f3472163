/* SPDX-License-Identifier: Apache-2.0 */
#include "pushing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FINGER, PART };

static int finger_at(void *user, double t, double *values, int32_t count)
{
    const pusher     *p    = user;
    const push_trial *tr   = p->trial;
    const waypoint   *path = tr->path;
    int               k    = 0;
    memset(values, 0, (size_t)count * sizeof *values);
    t += path[0].t;
    while (k + 2 < tr->path_count && t > path[k + 1].t) {
        k++;
    }
    const waypoint *a = &path[k], *b = &path[k + 1];
    double          s = fmin(fmax((t - a->t) / (b->t - a->t), 0), 1);
    values[0]         = a->x + s * (b->x - a->x);
    values[1]         = a->y + s * (b->y - a->y);
    return 0;
}

static ss_status add_finger(pusher *p)
{
    ss_shape_def disc = {.type = "disc"};
    ss_body_def  def  = ss_body_def_default();

    disc.params.sphere.radius = p->setup->tip_radius;
    def.name                  = "finger";
    def.type                  = SS_BODY_KINEMATIC;
    def.shape                 = &disc;
    def.motion.fn             = finger_at;
    def.motion.fn_user        = p;
    return ss_scene_add_body(p->scene, &def, NULL);
}

static ss_status add_part(pusher *p)
{
    const push_setup *s       = p->setup;
    ss_shape_def      polygon = {
             .type = "polygon", .points = s->outline, .point_count = s->outline_count};
    ss_body_def def = ss_body_def_default();
    def.name        = "part";
    def.mass        = s->mass;
    def.com_set     = true;
    def.com         = s->com;
    def.shape       = &polygon;
    def.support     = &s->support;
    return ss_scene_add_body(p->scene, &def, NULL);
}

static ss_status describe(pusher *p)
{
    SS_TRY(ss_scene_create(p->ctx, 2, &p->scene));
    ss_simulation_def sim    = ss_simulation_def_default();
    sim.axes.inertia         = SS_INERTIA_QUASISTATIC;
    sim.axes.cone            = p->setup->cone;
    sim.axes.cone_directions = 8;
    sim.allow_overlap        = true; /* poses are measured to a millimetre */
    sim.tolerance            = 1e-7; /* and no step need be solved to its last digit */
    sim.target               = 1e-9;
    SS_TRY(ss_scene_set_simulation(p->scene, &sim));
    ss_scene_set_gravity(p->scene, ss_v3(0, 0, 0));
    ss_material_def material = {.name = "default", .friction = p->setup->tip_friction};
    SS_TRY(ss_scene_add_material(p->scene, &material));
    SS_TRY(add_finger(p));
    SS_TRY(add_part(p));
    SS_TRY(ss_model_compile(p->ctx, p->scene, &p->model));
    return ss_data_create(p->ctx, p->model, &p->data);
}

bool pusher_open(pusher *p, const push_setup *setup)
{
    static const waypoint   far_away[2] = {{0, 1e3, 0}, {1, 1e3, 0}};
    static const push_trial nothing     = {.path = far_away, .path_count = 2};
    *p = (pusher){.ctx = ss_context_create(NULL), .setup = setup, .trial = &nothing};
    if (p->ctx == NULL || describe(p) != SS_OK) {
        fprintf(stderr, "validate: %s\n", p->ctx ? ss_context_message(p->ctx) : "no memory");
        pusher_close(p);
        return false;
    }
    return true;
}

void pusher_close(pusher *p)
{
    ss_data_destroy(p->data);
    ss_model_destroy(p->model);
    ss_scene_destroy(p->scene);
    ss_context_destroy(p->ctx);
    *p = (pusher){0};
}

static ss_status place(pusher *p)
{
    const pose   *start = &p->trial->start;
    ss_body_state at;
    SS_TRY(ss_data_reset(p->model, p->data));
    ss_data_body(p->model, p->data, PART, &at);
    at.position = ss_v3(start->x, start->y, 0);
    at.angle    = start->angle;
    return ss_data_set_body(p->model, p->data, PART, &at);
}

static pose pose_of(const pusher *p)
{
    ss_body_state at;
    ss_data_body(p->model, p->data, PART, &at);
    pose out = {at.position.x, at.position.y, at.angle};
    return out;
}

/* Impulses of the step as a wrench in the part's frame, times the step. */
static bool add_push(const pusher *p, pose before, double h, wrench *sum)
{
    bool   touches = false;
    double c = cos(before.angle), s = sin(before.angle);
    for (int32_t i = 0; i < ss_data_contact_count(p->data); i++) {
        ss_contact_info at;
        ss_data_contact(p->model, p->data, i, &at);
        if (!(at.impulse[0] > 0)) {
            continue;
        }
        double  sign = (at.body_b == PART ? 1 : -1) / h;
        ss_vec3 f =
            ss_scale(sign, ss_axpy(ss_scale(at.impulse[0], at.normal), at.impulse[1], at.t));
        double fx = c * f.x + s * f.y, fy = -s * f.x + c * f.y;
        double dx = at.point.x - before.x, dy = at.point.y - before.y;
        double rx = c * dx + s * dy - p->setup->com.x, ry = -s * dx + c * dy - p->setup->com.y;
        sum->fx += fx;
        sum->fy += fy;
        sum->mz += rx * fy - ry * fx;
        touches = true;
    }
    return touches;
}

static ss_status follow(pusher *p, push_result *out)
{
    const push_trial *tr = p->trial;
    SS_TRY(place(p));
    for (int k = 0; k + 1 < tr->path_count; k++) {
        double h = (tr->path[k + 1].t - tr->path[k].t) / p->setup->substeps;
        for (int i = 0; i < p->setup->substeps; i++) {
            pose before = pose_of(p);
            SS_TRY(ss_step(p->model, p->data, h));
            out->residual = fmax(out->residual, ss_data_report(p->data)->residual);
            out->contact_steps += add_push(p, before, h, &out->push);
        }
    }
    return SS_OK;
}

void pusher_run(pusher *p, const push_trial *trial, push_result *out)
{
    *out     = (push_result){0};
    p->trial = trial;
    out->ok  = follow(p, out) == SS_OK;
    if (!out->ok) {
        fprintf(stderr, "validate: %s\n", ss_context_message(p->ctx));
    }
    out->end = pose_of(p);
    if (out->contact_steps > 0) {
        out->push.fx /= out->contact_steps;
        out->push.fy /= out->contact_steps;
        out->push.mz /= out->contact_steps;
    }
}

push_error push_error_of(const push_trial *trial, pose predicted, double rho)
{
    const double full = 6.28318530717958647692, degree = full / 360;
    const pose  *a = &trial->start, *b = &trial->end;
    double       turn = remainder(predicted.angle - b->angle, full);
    push_error   e    = {.mm     = 1e3 * hypot(predicted.x - b->x, predicted.y - b->y),
                         .deg    = fabs(turn) / degree,
                         .motion = 1e3 * (hypot(b->x - a->x, b->y - a->y) +
                                     rho * fabs(remainder(b->angle - a->angle, full)))};
    e.combined        = e.mm + 1e3 * rho * fabs(turn);
    return e;
}
