/* SPDX-License-Identifier: Apache-2.0 */
#include "force/between.h"

#include <math.h>
#include <string.h>

#include "joint/joint.h"
#include "linalg/mean_arm.h"

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

/* An anchor when its body is at `pose`. */
static ss_vec3 anchor_at(const ss_model *m, const ss_force *f, int side, const ss_pose *poses)
{
    if (f->body[side] < 0) {
        return f->point[side];
    }
    const ss_pose *p = &poses[f->body[side]];
    ss_mat3        R = m->dimension == 3 ? ss_mat3_from_quat(p->q) : ss_mat3_from_angle(p->angle);
    return ss_add(p->p, ss_mul(&R, f->point[side]));
}

static bool in_the_middle(const ss_model *m, const ss_data *d, const ss_force *f)
{
    bool middle = d->midpoint.pass > 0;
    for (int side = 0; side < 2; side++) {
        bool moves = f->body[side] >= 0 && ss_body_moves(&m->bodies[f->body[side]]);
        middle     = middle && !(moves && !d->midpoint.smooth[f->body[side]]);
    }
    return middle;
}

/*
 * Over a step from D to D1 the energy of a spring grows by k (l - l0) e.(D1 - D) with
 * l = (|D| + |D1|)/2, e = (D + D1)/(|D| + |D1|): as a force of the middle it keeps energy exactly.
 */
static void take_means(const ss_model *m, const ss_data *d, const ss_force *f, ss_between *b)
{
    ss_vec3 was = ss_sub(anchor_at(m, f, 1, d->state.pose), anchor_at(m, f, 0, d->state.pose));
    ss_vec3 is  = ss_sub(anchor_at(m, f, 1, d->pose_next), anchor_at(m, f, 0, d->pose_next));
    ss_vec3 sum = ss_add(was, is);
    if (ss_dot(sum, sum) > 0) {
        b->apart = ss_scale(0.5 * (ss_norm(was) + ss_norm(is)) / ss_norm(sum), sum);
        b->share = ss_norm(sum) / (ss_norm(was) + ss_norm(is));
    }
    for (int side = 0; side < 2; side++) {
        if (f->body[side] >= 0) {
            ss_vec3 turn = ss_scale(d->midpoint.h, d->midpoint.mean[f->body[side]].w);
            b->arm[side] = ss_mean_arm(b->arm[side], turn);
        }
    }
}

ss_between ss_between_now(const ss_model *m, const ss_data *d, const ss_force *f)
{
    ss_between      b;
    ss_vec3         place[2], velocity[2];
    const ss_frame *at = ss_joint_frames(d);
    b.share            = 1;
    for (int side = 0; side < 2; side++) {
        int32_t  body  = f->body[side];
        ss_twist twist = twist_of(m, d, body);
        b.arm[side]    = body >= 0 ? ss_mul(&at[body].R, f->point[side]) : f->point[side];
        place[side]    = body >= 0 ? ss_add(at[body].p, b.arm[side]) : f->point[side];
        velocity[side] = ss_add(twist.v, ss_cross(twist.w, b.arm[side]));
    }
    b.apart    = ss_sub(place[1], place[0]);
    b.velocity = ss_sub(velocity[1], velocity[0]);
    if (in_the_middle(m, d, f)) {
        take_means(m, d, f, &b);
    }
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
    if (f->give_rows > 0) {
        return ss_v3(0, 0, 0); /* all of it is in the rows that give */
    }
    if (!f->axial) {
        return ss_scale(-f->damping, b->velocity);
    }
    ss_vec3 e = ss_unit(b->apart);
    return ss_scale(-f->damping * ss_dot(e, b->velocity), e);
}
