/* SPDX-License-Identifier: Apache-2.0 */
#include "force/between.h"

#include <math.h>
#include <string.h>

static ss_status check_numbers(ss_compiler *c, const ss_force_def *def, const char *where)
{
    const double values[] = {def->stiffness, def->damping, def->rest_length};
    const char  *names[]  = {"stiffness", "damping", "rest_length"};
    for (int i = 0; i < 3; i++) {
        if (!(values[i] >= 0) || !isfinite(values[i])) {
            return ss_fail(c->ctx, SS_ERR_INPUT, "%s: %s must be >= 0, got %g", where, names[i],
                           values[i]);
        }
    }
    return SS_OK;
}

ss_status ss_between_compile(ss_compiler *c, const ss_force_def *def, const char *where,
                             ss_force *f)
{
    SS_TRY(check_numbers(c, def, where));
    for (int side = 0; side < 2; side++) {
        bool world    = def->bodies[side] != NULL && strcmp(def->bodies[side], "world") == 0;
        f->body[side] = -1;
        if (!world) {
            SS_TRY(ss_compile_body_named(c, def->bodies[side], where, &f->body[side]));
        }
        ss_vec3 com    = world ? ss_v3(0, 0, 0) : c->model->bodies[f->body[side]].com;
        f->point[side] = ss_sub(def->anchors[side], com);
    }
    if (f->body[0] == f->body[1]) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: it needs two different bodies", where);
    }
    f->stiffness   = def->stiffness;
    f->damping     = def->damping;
    f->rest_length = def->rest_length;
    f->axial       = def->axial;
    f->follows     = true;
    return SS_OK;
}

/* Velocity of a body; that of a kinematic one over this step. */
static ss_twist twist_of(const ss_model *m, const ss_data *d, int32_t body)
{
    ss_twist none = {{0, 0, 0}, {0, 0, 0}};
    if (body < 0) {
        return none;
    }
    return m->bodies[body].type == SS_BODY_KINEMATIC ? d->twist_next[body] : d->going[body];
}

ss_between ss_between_now(const ss_model *m, const ss_data *d, const ss_force *f)
{
    ss_between b;
    ss_vec3    place[2], velocity[2];
    for (int side = 0; side < 2; side++) {
        int32_t  body  = f->body[side];
        ss_twist twist = twist_of(m, d, body);
        b.arm[side]    = body >= 0 ? ss_mul(&d->frame[body].R, f->point[side]) : f->point[side];
        place[side]    = body >= 0 ? ss_add(d->frame[body].p, b.arm[side]) : f->point[side];
        velocity[side] = ss_add(twist.v, ss_cross(twist.w, b.arm[side]));
    }
    b.apart    = ss_sub(place[1], place[0]);
    b.velocity = ss_sub(velocity[1], velocity[0]);
    return b;
}

void ss_between_pull(ss_data *d, const ss_force *f, const ss_between *b, ss_vec3 force)
{
    for (int side = 0; side < 2; side++) {
        if (f->body[side] >= 0) {
            ss_wrench *w = &d->applied[f->body[side]];
            ss_vec3    F = side == 0 ? ss_neg(force) : force;
            w->force     = ss_add(w->force, F);
            w->torque    = ss_add(w->torque, ss_cross(b->arm[side], F));
        }
    }
}

ss_vec3 ss_between_damping(const ss_force *f, const ss_between *b)
{
    if (!f->axial) {
        return ss_scale(-f->damping, b->velocity);
    }
    ss_vec3 e = ss_unit(b->apart);
    return ss_scale(-f->damping * ss_dot(e, b->velocity), e);
}
