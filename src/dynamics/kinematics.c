/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A configuration -> frames. Moving bodies are placed where the configuration has them (the start
 * of the step, its middle, or a trial), kinematic ones where they will be at its end
 * (thesis 5.1.2): the gap psi(q, t + h) then needs no drift term and is exact for any prescribed
 * motion; the friction drift is the displacement of the touching point over the step divided by h
 * (contact_rows.c). What goes evenly is collided where it starts (coordinates.h). Bodies that move
 * smoothly meet them in the middle of the step instead (ss_met_frame()).
 */
#include <float.h>
#include <math.h>

#include "core/compare.h"
#include "core/euler_angles.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "dynamics/tolerances.h"
#include "force/force.h"
#include "model/axes.h"

static ss_status motion_by_function(const ss_data *d, const ss_body *b, double t, ss_pose *out)
{
    double        values[7] = {0};
    const int32_t count     = d->model->dimension == 3 ? 7 : 4;
    if (b->motion.fn(b->motion.fn_user, t, values, count) != 0) {
        return ss_fail(d->ctx, SS_ERR_INPUT, "body '%s': its motion function failed at t = %g",
                       b->name, t);
    }
    out->p = ss_v3(values[0], values[1], values[2]);
    if (d->model->dimension == 3) {
        ss_quat q  = {values[3], values[4], values[5], values[6]};
        out->q     = ss_quat_unit(q);
        out->angle = 0;
    } else {
        out->angle = values[3];
    }
    return SS_OK;
}

static ss_status track_ended(const ss_data *d, const ss_body *b, double t)
{
    return ss_fail(d->ctx, SS_ERR_INPUT,
                   "body '%s': its motion is integrated as far as the duration of the simulation; "
                   "t = %g is after that (a period would make it go on)",
                   b->name, t);
}

static ss_status place_at(const ss_data *d, const ss_body *b, double t, ss_vec3 *out)
{
    double p[3];
    if (b->motion.place != NULL) {
        return ss_place_track_at(b->motion.place, t, out) ? SS_OK : track_ended(d, b, t);
    }
    for (int i = 0; i < 3; i++) {
        SS_TRY(ss_timed_value(d, &b->motion.position[i], t, &p[i]));
    }
    *out = ss_v3(p[0], p[1], p[2]);
    return SS_OK;
}

static ss_status by_euler(const ss_data *d, const ss_body *b, double t, ss_pose *out)
{
    double a[3];
    for (int i = 0; i < 3; i++) {
        SS_TRY(ss_timed_value(d, &b->motion.euler[i], t, &a[i]));
    }
    out->q = ss_quat_from_euler(a[0], a[1], a[2]);
    return SS_OK;
}

static ss_status turn_at(const ss_data *d, const ss_body *b, double t, ss_pose *out)
{
    double q[4];
    if (b->motion.turn != NULL) {
        return ss_turn_track_at(b->motion.turn, t, &out->q, &out->angle) ? SS_OK
                                                                         : track_ended(d, b, t);
    }
    if (b->motion.by_euler) {
        return by_euler(d, b, t, out);
    }
    if (b->motion.by_quat) {
        for (int i = 0; i < 4; i++) {
            SS_TRY(ss_timed_value(d, &b->motion.quat[i], t, &q[i]));
        }
        ss_quat raw = {q[0], q[1], q[2], q[3]};
        out->q      = ss_quat_unit(raw);
        return SS_OK;
    }
    SS_TRY(ss_timed_value(d, &b->motion.angle, t, &out->angle));
    out->q = ss_quat_from_rotation(ss_v3(0, 0, out->angle));
    return SS_OK;
}

static ss_status motion_by_expressions(const ss_data *d, const ss_body *b, double t, ss_pose *out)
{
    SS_TRY(place_at(d, b, t, &out->p));
    return turn_at(d, b, t, out);
}

/* No motion given: the starting velocities stay as they are. */
static void uniform_motion(const ss_body *b, double t, ss_pose *out)
{
    ss_vec3 turn = ss_scale(t, b->start_twist.w);
    out->p       = ss_axpy(b->start_pose.p, t, b->start_twist.v);
    out->q       = ss_quat_mul(ss_quat_from_rotation(turn), b->start_pose.q);
    out->angle   = b->start_pose.angle + turn.z;
}

static ss_status motion_as_given(const ss_model *m, const ss_data *d, int32_t body, double t,
                                 ss_pose *out)
{
    const ss_body *b = &m->bodies[body];
    *out             = b->start_pose;
    if (b->type == SS_BODY_STATIC) {
        return SS_OK;
    }
    if (b->motion.uniform) {
        uniform_motion(b, t - m->simulation.start, out);
        return SS_OK;
    }
    SS_TRY(b->motion.fn != NULL ? motion_by_function(d, b, t, out)
                                : motion_by_expressions(d, b, t, out));
    /* Motions are given for the scene's body frame; poses are of the centre of mass. */
    ss_mat3 R = ss_pose_matrix(m, out);
    out->p    = ss_add(out->p, ss_mul(&R, b->com));
    return SS_OK;
}

/* Beyond an edge of the window a motion is the polynomial through places on this side of it. */
static ss_status motion_continued(const ss_model *m, const ss_data *d, int32_t body, double t,
                                  ss_pose *out)
{
    enum { NODES = 6 };
    const ss_motion_window *w    = &d->window;
    bool                    past = t > w->high;
    double edge = past ? w->high : w->low, apart = fmin(m->simulation.step, w->high - w->low);
    double s = (past ? -1 : 1) * apart / (NODES + 2), at = (t - edge) / s;
    *out = (ss_pose){.q = {0, 0, 0, 0}};
    for (int j = 0; j < NODES; j++) {
        double  weight = 1;
        ss_pose x;
        for (int k = 0; k < NODES; k++) {
            weight *= k != j ? (at - k) / (j - k) : 1;
        }
        SS_TRY(motion_as_given(m, d, body, edge + s * j, &x));
        out->p = ss_axpy(out->p, weight, x.p);
        out->angle += weight * x.angle;
        out->q.w += weight * x.q.w;
        out->q.x += weight * x.q.x;
        out->q.y += weight * x.q.y;
        out->q.z += weight * x.q.z;
    }
    out->q = ss_quat_unit(out->q);
    return SS_OK;
}

ss_status ss_motion_pose(const ss_model *m, const ss_data *d, int32_t body, double t, ss_pose *out)
{
    bool beyond = d->window.on && (t < d->window.low || t > d->window.high);
    bool given  = m->bodies[body].type == SS_BODY_KINEMATIC && !m->bodies[body].motion.uniform;
    return beyond && given ? motion_continued(m, d, body, t, out)
                           : motion_as_given(m, d, body, t, out);
}

/* R I R'. */
static ss_mat3 turned(const ss_mat3 *R, const ss_mat3 *inertia)
{
    ss_mat3 RI = ss_mat3_mul(R, inertia);
    ss_mat3 Rt = ss_mat3_transpose(R);
    return ss_mat3_mul(&RI, &Rt);
}

/* What follows from the orientation of a body: the frame's matrix, inertia in world axes. */
static void turn_body(const ss_model *m, ss_data *d, const ss_pose *at, int32_t i)
{
    const ss_body *b    = &m->bodies[i];
    const ss_quat *made = &d->turned[i];
    const ss_quat  flat = {at->angle, 0, 0, 0};
    const ss_quat  q    = m->dimension == 3 ? at->q : flat;
    if (q.w == made->w && q.x == made->x && q.y == made->y && q.z == made->z) {
        return; /* it did not turn in the last step */
    }
    d->turned[i]     = q;
    d->frame[i].R    = ss_pose_matrix(m, at);
    const ss_mat3 *R = &d->frame[i].R;
    if (!b->round) {
        d->inertia[i]     = turned(R, &b->inertia);
        d->inv_inertia[i] = turned(R, &b->inv_inertia);
    }
}

ss_twist ss_mean_twist(const ss_model *m, const ss_pose *from, const ss_pose *to, double h)
{
    ss_twist mean;
    mean.v = ss_scale(1 / h, ss_sub(to->p, from->p));
    if (m->dimension == 2) {
        mean.w = ss_v3(0, 0, (to->angle - from->angle) / h);
        return mean;
    }
    ss_quat back = {from->q.w, -from->q.x, -from->q.y, -from->q.z};
    mean.w       = ss_scale(1 / h, ss_quat_to_rotation(ss_quat_mul(to->q, back)));
    return mean;
}

/*
 * One-sided differences of sixth order, from the side on which the body has been: a velocity that
 * jumps now is told before it does. Where something switched within the last step, they reach back
 * to there.
 */
ss_status ss_driven_velocity(const ss_model *m, const ss_data *d, int32_t body, ss_twist *out)
{
    static const double c[] = {-360. / 60, 450. / 60, -400. / 60, 225. / 60, -72. / 60, 10. / 60};
    const double        h = m->simulation.step, t = d->state.t, margin = ss_switch_margin(m, d);
    const bool          begins = t <= m->simulation.start;
    double              low = begins ? t : t - h, high = begins ? t + h : t, at;
    while ((at = ss_first_switch(m, d, low + margin, high - margin)) < high - margin) {
        low  = begins ? low : at;
        high = begins ? at : high;
    }
    const double e = (begins ? -1 : 1) * SS_DRIVEN_APART * (high - low);
    ss_pose      now;
    SS_TRY(ss_motion_pose(m, d, body, t, &now));
    *out = (ss_twist){{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 6; i++) {
        ss_pose was;
        SS_TRY(ss_motion_pose(m, d, body, t - (i + 1) * e, &was));
        ss_twist by = ss_mean_twist(m, &now, &was, 1);
        out->v      = ss_axpy(out->v, c[i] / e, by.v);
        out->w      = ss_axpy(out->w, c[i] / e, by.w);
    }
    return SS_OK;
}

ss_status ss_driven_twists(const ss_model *m, ss_data *d, int32_t body, double h, ss_twist *from,
                           ss_twist *to)
{
    ss_pose half;
    SS_TRY(ss_motion_pose(m, d, body, d->state.t + 0.5 * h, &half));
    ss_twist a = ss_mean_twist(m, &d->state.pose[body], &half, 0.5 * h);
    ss_twist b = ss_mean_twist(m, &half, &d->pose_next[body], 0.5 * h);
    *from      = ss_twist_mixed(1.5, &a, -0.5, &b);
    *to        = ss_twist_mixed(1.5, &b, -0.5, &a);
    return SS_OK;
}

static bool same_orientation(const ss_pose *x, const ss_pose *y)
{
    return x->angle == y->angle && x->q.w == y->q.w && x->q.x == y->q.x && x->q.y == y->q.y &&
           x->q.z == y->q.z;
}

static double sum_of_sizes(ss_vec3 x)
{
    return fabs(x.x) + fabs(x.y) + fabs(x.z);
}

/* Does a body go straight on, without turning, in a time from now on? */
static bool goes_evenly_in(const ss_model *m, const ss_data *d, int32_t i, double time,
                           ss_vec3 *velocity)
{
    const ss_pose *now = &d->state.pose[i];
    ss_pose        half, end;
    if (ss_motion_pose(m, d, i, d->state.t + 0.5 * time, &half) != SS_OK ||
        ss_motion_pose(m, d, i, d->state.t + time, &end) != SS_OK) {
        return false;
    }
    ss_vec3 way = ss_sub(end.p, now->p), bend = ss_axpy(ss_sub(half.p, now->p), -0.5, way);
    double  rounding = SS_ROUNDING_FEW * DBL_EPSILON * (sum_of_sizes(now->p) + sum_of_sizes(end.p));
    rounding         = ss_max(rounding, SS_EVEN_PART * sum_of_sizes(way));
    *velocity        = ss_scale(1 / time, way);
    return same_orientation(now, &half) && same_orientation(now, &end) &&
           sum_of_sizes(bend) <= rounding;
}

/* What gives has springs where its contacts are, and level: acceleration no displacements. */
static bool may_go_evenly(const ss_model *m, const ss_data *d)
{
    return ss_integrator_of(m)->second && !ss_geometry_of(m)->at_end && !m->compliant &&
           !d->at_instant && d->at_impact == NULL;
}

/* How a body that goes evenly does so is known from all of the step: over a part of it, rounding of
   places would be a velocity. */
static void find_even(const ss_model *m, ss_data *d, int32_t i, double h)
{
    ss_vec3 v  = {0, 0, 0};
    d->even[i] = may_go_evenly(m, d) && same_orientation(&d->state.pose[i], &d->pose_next[i]) &&
                 goes_evenly_in(m, d, i, fmax(h, d->cut.whole), &v);
    if (d->even[i]) {
        d->twist_next[i] = (ss_twist){v, {0, 0, 0}};
    }
}

static ss_status place_kinematic(const ss_model *m, ss_data *d, int32_t i, double h)
{
    SS_TRY(ss_motion_pose(m, d, i, d->state.t + h, &d->pose_next[i]));
    d->frame_was[i] = ss_pose_frame(m, &d->state.pose[i]);
    d->frame[i]     = ss_pose_frame(m, &d->pose_next[i]);
    if (d->at_impact != NULL) {
        d->twist_next[i] = d->at_impact[i]; /* over no time there is no displacement */
    } else {
        d->twist_next[i] = ss_mean_twist(m, &d->state.pose[i], &d->pose_next[i], h);
    }
    find_even(m, d, i, h);
    return SS_OK;
}

ss_status ss_kinematics(const ss_model *m, ss_data *d, const ss_pose *at, double h)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (b->type == SS_BODY_STATIC) {
            continue; /* placed once, when the data was made */
        }
        if (b->type == SS_BODY_KINEMATIC) {
            SS_TRY(place_kinematic(m, d, i, h));
        } else {
            d->frame[i].p = at[i].p;
            turn_body(m, d, &at[i], i);
        }
        for (int32_t g = b->geom_first; g < b->geom_first + b->geom_count; g++) {
            const ss_geom  *geom = &m->geoms[g];
            const ss_frame *body = ss_goes_evenly(d, i) ? &d->frame_was[i] : &d->frame[i];
            d->geom_frame[g]     = geom->centred ? *body : ss_frame_mul(body, &geom->local);
        }
    }
    return SS_OK;
}

ss_vec3 ss_own_momentum(const ss_model *m, const ss_body *b, const ss_pose *p, ss_vec3 w)
{
    if (b->dof < m->dof) {
        return ss_v3(0, 0, 0);
    }
    if (m->dimension == 2) {
        return ss_v3(0, 0, b->inertia.m[8] * w.z);
    }
    ss_mat3 R = ss_mat3_from_quat(p->q);
    return ss_mul(&R, ss_mul(&b->inertia, ss_tmul(&R, w)));
}

ss_twist ss_free_acceleration(const ss_model *m, const ss_data *d, int32_t body)
{
    const ss_body *b     = &m->bodies[body];
    bool           turns = b->dof == m->dof;
    return (ss_twist){ss_scale(b->inv_mass, d->applied[body].force),
                      ss_scale(turns ? b->inv_inertia.m[8] : 0, d->applied[body].torque)};
}

void ss_turn_in_place(const ss_body *b, ss_vec3 by, ss_pose *p, ss_twist *t)
{
    ss_quat turn = ss_quat_from_rotation(by);
    p->q         = ss_quat_unit(ss_quat_mul(turn, p->q));
    if (!b->round) {
        ss_mat3 R = ss_mat3_from_quat(ss_quat_unit(turn));
        t->w      = ss_mul(&R, t->w);
    }
}

double ss_kinetic_energy(const ss_body *b, const ss_pose *pose, const ss_twist *t)
{
    return ss_kinetic_energy_and_spin(b, pose, t, NULL);
}

double ss_kinetic_energy_and_spin(const ss_body *b, const ss_pose *pose, const ss_twist *t,
                                  ss_vec3 *spin)
{
    double twice = b->mass * ss_dot(t->v, t->v);
    if (b->round) { /* 0 of particles */
        ss_vec3 L = ss_scale(b->inertia.m[8], t->w);
        twice += ss_dot(t->w, L);
        if (spin != NULL) {
            *spin = L;
        }
    } else {
        ss_mat3 R = ss_mat3_from_quat(pose->q);
        ss_vec3 w = ss_tmul(&R, t->w), L = ss_mul(&b->inertia, w);
        twice += ss_dot(w, L);
        if (spin != NULL) {
            *spin = ss_mul(&R, L);
        }
    }
    return 0.5 * twice;
}
