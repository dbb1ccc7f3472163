/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Velocities -> trial poses: x+ = x + h v+, and the orientation turned by the rotation h w+; bodies
 * that move smoothly (integrator: midpoint), by the means (v + v+)/2, (w + w')/2. There w' is the
 * angular velocity of the end in the axes of the start, and w+ = exp(h (w + w')/2) w'. Bodies on
 * which impulses act before they turn do so freely, from w+ on; those that fly but for one impact
 * move by the velocities before and after it.
 */
#include "dynamics/stages.h"
#include "formulate/formulate.h"

static void move_3d(const ss_body *b, const ss_data *d, int32_t i, double h)
{
    ss_pose        *p = &d->pose_next[i];
    const ss_twist *w = &d->twist_next[i];
    p->p              = ss_axpy(d->state.pose[i].p, h, w->v);
    p->q              = d->state.pose[i].q;
    if (b->dof == 6 && (w->w.x != 0 || w->w.y != 0 || w->w.z != 0)) {
        ss_quat turn = ss_quat_from_rotation(ss_scale(h, w->w));
        p->q         = ss_quat_unit(ss_quat_mul(turn, d->state.pose[i].q));
    }
}

/* Impulses act first, then it turns freely (midpoint/first_turns.c). */
static void turn_after(const ss_body *b, ss_data *d, int32_t i, double h)
{
    const ss_quat from = d->state.pose[i].q;
    ss_twist     *t    = &d->twist_next[i];
    ss_mat3       R    = ss_mat3_from_quat(from);
    ss_vec3       none = {0, 0, 0};
    ss_vec3       end  = ss_mul(&R, ss_turn_under(&b->inertia, ss_tmul(&R, t->w), none, h));
    ss_quat       turn = ss_quat_from_rotation(ss_scale(0.5 * h, ss_add(t->w, end)));
    ss_mat3       S    = ss_mat3_from_quat(ss_quat_unit(turn));
    d->pose_next[i].q  = ss_quat_unit(ss_quat_mul(turn, from));
    t->w               = ss_mul(&S, end);
}

static void move_2d(const ss_data *d, int32_t i, double h)
{
    ss_pose        *p = &d->pose_next[i];
    const ss_twist *w = &d->twist_next[i];
    p->p              = ss_axpy(d->state.pose[i].p, h, w->v);
    p->angle          = d->state.pose[i].angle + h * w->w.z;
}

/* Of a coordinate with these velocities at the ends of the step. */
static ss_vec3 flown(double h, double until, ss_vec3 was, ss_vec3 is, ss_vec3 acceleration)
{
    double  after = h - until, bend = 0.5 * (until * until - after * after);
    ss_vec3 way = ss_axpy(ss_scale(until, was), after, is);
    return ss_axpy(way, bend, acceleration);
}

/* Freely up to its impact, and freely from there on (midpoint/lone_impacts.c). */
static void fly(const ss_model *m, ss_data *d, int32_t i, double h)
{
    const ss_pose  *from = &d->state.pose[i];
    const ss_twist *was = &d->state.twist[i], *is = &d->twist_next[i];
    ss_twist        a     = ss_free_acceleration(m, d, i);
    double          until = d->midpoint.flight[i].until;
    ss_pose        *p     = &d->pose_next[i];
    ss_vec3         turn  = flown(h, until, was->w, is->w, a.w);
    p->p                  = ss_add(from->p, flown(h, until, was->v, is->v, a.v));
    p->angle              = m->dimension == 2 ? from->angle + turn.z : 0; /* in space q has it */
    p->q                  = from->q;
    if (m->dimension == 3 && m->bodies[i].dof == m->dof) {
        p->q = ss_quat_unit(ss_quat_mul(ss_quat_from_rotation(turn), from->q));
    }
}

static ss_vec3 mean(ss_vec3 x, ss_vec3 y)
{
    return ss_scale(0.5, ss_add(x, y));
}

static void move_smoothly(const ss_model *m, ss_data *d, int32_t i, double h)
{
    const ss_body  *b    = &m->bodies[i];
    const ss_pose  *from = &d->state.pose[i];
    const ss_twist *was  = &d->state.twist[i];
    ss_pose        *p    = &d->pose_next[i];
    ss_twist       *w    = &d->twist_next[i];
    bool            flat = m->dimension == 2, rolls = b->dof == m->dof;
    p->p         = ss_axpy(from->p, h, mean(was->v, w->v));
    ss_vec3 turn = ss_scale(h, mean(was->w, w->w));
    p->angle     = flat ? from->angle + turn.z : 0; /* in space q has it */
    p->q         = from->q;
    if (!flat && rolls && (turn.x != 0 || turn.y != 0 || turn.z != 0)) {
        ss_quat q = ss_quat_from_rotation(turn);
        p->q      = ss_quat_unit(ss_quat_mul(q, from->q));
        if (!b->round) {
            ss_mat3 R = ss_mat3_from_quat(ss_quat_unit(q));
            w->w      = ss_mul(&R, w->w);
        }
    }
}

void ss_move_body(const ss_model *m, ss_data *d, int32_t body, double h)
{
    const ss_body *b    = &m->bodies[body];
    d->twist_next[body] = ss_twist_from_vector(m, b->dof, d->v_next + b->v_start);
    if (d->midpoint.smooth[body]) {
        move_smoothly(m, d, body, h);
    } else if (d->midpoint.flight[body].is) {
        fly(m, d, body, h);
    } else if (m->dimension == 3) {
        move_3d(b, d, body, h);
        if (d->midpoint.turns_after[body]) {
            turn_after(b, d, body, h);
        }
    } else {
        move_2d(d, body, h);
    }
}
