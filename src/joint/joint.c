/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scalars that joints are made of, and their rates. With e = a_i turning with body a and
 * x = p_b - p_a:
 *
 *   d(e.x)/dt     = e.(v_pb - v_pa) + (w_a x e).x = e.(v_b - v_a) + (r_b x e).w_b
 *                                                   - ((p_b - c_a) x e).w_a
 *   d(a_i.b_j)/dt = (b_j x a_i).(w_b - w_a)
 *   d atan2(s, c) = (c ds - s dc) / (s^2 + c^2)
 *
 * all exact, whether the joint is closed or not (thesis 2.7.1 for the revolute joint; Haug 1989 for
 * the dot products).
 */
#include "joint/joint.h"

#include <string.h>

#include "core/elementary.h"
#include "joint/joint_list.h"

#define SS_JOINT(name) extern const ss_joint_class ss_joint_##name;
SS_JOINT_LIST
#undef SS_JOINT

static const ss_joint_class *const classes[] = {
#define SS_JOINT(name) &ss_joint_##name,
    SS_JOINT_LIST
#undef SS_JOINT
};

int32_t ss_joint_class_count(void)
{
    return (int32_t)(sizeof classes / sizeof classes[0]);
}

const ss_joint_class *ss_joint_class_at(int32_t index)
{
    return index >= 0 && index < ss_joint_class_count() ? classes[index] : NULL;
}

const ss_joint_class *ss_joint_find(const char *name)
{
    for (int32_t i = 0; i < ss_joint_class_count(); i++) {
        if (strcmp(classes[i]->name, name) == 0) {
            return classes[i];
        }
    }
    return NULL;
}

int32_t ss_joint_type_count(void)
{
    return ss_joint_class_count();
}

const char *ss_joint_type_name(int32_t index)
{
    const ss_joint_class *cls = ss_joint_class_at(index);
    return cls != NULL ? cls->name : NULL;
}

const char *ss_joint_type_summary(int32_t index)
{
    const ss_joint_class *cls = ss_joint_class_at(index);
    return cls != NULL ? cls->summary : NULL;
}

int32_t ss_model_joint_coordinates(const ss_model *m, int32_t joint)
{
    bool known = joint >= 0 && joint < ss_model_joint_count(m);
    return known ? ss_joint_form_of(m, &m->joints[joint])->coordinates : 0;
}

bool ss_joint_driven(const ss_model *m, const ss_joint *j)
{
    for (int side = 0; side < 2; side++) {
        int32_t         body = j->body[side];
        const ss_joint *of   = j->coupled[side].joint;
        if ((body >= 0 && m->bodies[body].type == SS_BODY_KINEMATIC) ||
            (of != NULL && ss_joint_driven(m, of))) {
            return true;
        }
    }
    return false;
}

static void place_side(const ss_joint *j, int side, const ss_frame *body, ss_frame *frame,
                       ss_vec3 *centre)
{
    bool world = j->body[side] < 0;
    *frame     = world ? j->at[side] : ss_frame_mul(body, &j->at[side]);
    *centre    = world ? ss_v3(0, 0, 0) : body->p;
}

ss_joint_place ss_joint_place_at(const ss_joint *j, const ss_frame *a, const ss_frame *b)
{
    ss_joint_place p;
    p.joint = j;
    place_side(j, 0, a, &p.a, &p.centre_a);
    place_side(j, 1, b, &p.b, &p.centre_b);
    p.length = j->length;
    return p;
}

/* Frames of all bodies; driven ones, where the model says which those are, stand in `other`. */
typedef struct standing {
    const ss_frame *frames, *other;
    const ss_model *driven;
} standing;

static const ss_frame *frame_of(const standing *at, int32_t body)
{
    if (body < 0) {
        return NULL;
    }
    bool other = at->driven != NULL && at->driven->bodies[body].type == SS_BODY_KINEMATIC;
    return other ? &at->other[body] : &at->frames[body];
}

static ss_joint_place place_in(const ss_joint *j, const standing *at, const double *values)
{
    ss_joint_place p = ss_joint_place_at(j, frame_of(at, j->body[0]), frame_of(at, j->body[1]));
    for (int k = 0; k < 2 && j->coupled[k].joint != NULL; k++) {
        p.last[k] = values[ss_joint_first(j->coupled[k].index)];
        for (int side = 0; side < 2; side++) {
            const ss_frame *f = frame_of(at, j->coupled[k].joint->body[side]);
            if (f != NULL) {
                p.body[k][side] = *f;
            }
        }
    }
    return p;
}

ss_joint_place ss_joint_place_in(const ss_joint *j, const ss_frame *frames, const double *values)
{
    return place_in(j, &(standing){.frames = frames}, values);
}

bool ss_joint_waits(const ss_model *m, const ss_data *d, const ss_joint *j)
{
    bool waits = false;
    for (int side = 0; side < 2; side++) {
        int32_t         body = j->body[side];
        const ss_joint *of   = j->coupled[side].joint;
        waits                = waits || (of != NULL && ss_joint_waits(m, d, of)) ||
                (body >= 0 && ss_body_moves(&m->bodies[body]) && !d->midpoint.smooth[body]);
    }
    return waits;
}

ss_joint_place ss_joint_place_now(const ss_model *m, const ss_data *d, const ss_joint *j)
{
    standing at = {.frames = ss_joint_frames(d)};
    if (m->driven && d->midpoint.pass > 0 && ss_joint_driven(m, j) && !ss_joint_waits(m, d, j)) {
        at.driven = m;
        at.other  = d->midpoint.frame;
    }
    return place_in(j, &at, d->state.joint_value);
}

static ss_vec3 axis(const ss_frame *f, int i)
{
    return ss_v3(f->R.m[i], f->R.m[3 + i], f->R.m[6 + i]);
}

/* A scalar that depends on the relative rotation alone. */
static ss_scalar_row turning(double value, ss_vec3 angular)
{
    return (ss_scalar_row){.value = value, .angular_a = angular, .angular_b = angular};
}

static ss_scalar_row point_row(ss_vec3 e, const ss_joint_place *p)
{
    ss_scalar_row row;
    row.value    = ss_dot(e, ss_sub(p->b.p, p->a.p));
    row.linear_a = row.linear_b = e;
    row.angular_a               = ss_cross(ss_sub(p->b.p, p->centre_a), e);
    row.angular_b               = ss_cross(ss_sub(p->b.p, p->centre_b), e);
    return row;
}

/* The direction turns with both ends, so each end has its own arm; any direction will do at zero.
 */
static ss_scalar_row distance_row(const ss_joint_place *p)
{
    ss_vec3       apart  = ss_sub(p->b.p, p->a.p);
    double        length = ss_norm(apart);
    ss_vec3       e      = length > 0 ? ss_scale(1 / length, apart) : axis(&p->a, 0);
    ss_scalar_row row;
    row.value    = length;
    row.linear_a = row.linear_b = e;
    row.angular_a               = ss_cross(ss_sub(p->a.p, p->centre_a), e);
    row.angular_b               = ss_cross(ss_sub(p->b.p, p->centre_b), e);
    return row;
}

static ss_scalar_row angle_row(const ss_scalar *s, const ss_joint_place *p)
{
    ss_vec3 ai = axis(&p->a, s->i), bj = axis(&p->b, s->j);
    ss_vec3 ak = axis(&p->a, s->k), bl = axis(&p->b, s->l);
    double  sine = ss_dot(ai, bj), cosine = ss_dot(ak, bl);
    double  square = sine * sine + cosine * cosine;
    ss_vec3 up     = ss_sub(ss_scale(cosine, ss_cross(bj, ai)), ss_scale(sine, ss_cross(bl, ak)));
    return turning(ss_atan2(sine, cosine), square > 0 ? ss_scale(1 / square, up) : up);
}

static ss_scalar_row swing_row(const ss_scalar *s, const ss_joint_place *p)
{
    ss_vec3 a = axis(&p->a, s->i), b = axis(&p->b, s->i);
    ss_vec3 about = ss_cross(a, b);
    double  sine  = ss_norm(about);
    ss_vec3 unit  = sine > 0 ? ss_scale(1 / sine, about) : axis(&p->a, (s->i + 1) % 3);
    return turning(ss_atan2(sine, ss_dot(a, b)), unit);
}

ss_scalar_row ss_scalar_eval(const ss_scalar *s, const ss_joint_place *p)
{
    ss_vec3       a = axis(&p->a, s->i), b = axis(&p->b, s->j);
    ss_scalar_row row;
    switch (s->kind) {
    case SS_SCALAR_POINT:
        return point_row(a, p);
    case SS_SCALAR_DOT:
        return turning(ss_dot(a, b), ss_cross(b, a));
    case SS_SCALAR_ANGLE:
        return angle_row(s, p);
    case SS_SCALAR_SWING:
        return swing_row(s, p);
    case SS_SCALAR_TURN:
        return turning(0, a);
    case SS_SCALAR_DISTANCE:
        return distance_row(p);
    case SS_SCALAR_COUPLED:
        return ss_coupled_row(p);
    case SS_SCALAR_OFFSET:
        break;
    }
    row = distance_row(p);
    row.value -= p->length;
    return row;
}

double ss_scalar_rate(const ss_scalar_row *row, const ss_twist *a, const ss_twist *b)
{
    ss_vec3 unlike = ss_sub(row->linear_b, row->linear_a);
    return ss_dot(row->linear_b, ss_sub(b->v, a->v)) + ss_dot(unlike, a->v) +
           ss_dot(row->angular_b, b->w) - ss_dot(row->angular_a, a->w);
}

double ss_scalar_unwrapped(const ss_scalar *s, double value, double last)
{
    const double turn = 6.28318530717958647692;
    return s->kind == SS_SCALAR_ANGLE ? value + turn * round((last - value) / turn) : value;
}

void ss_joint_push(const ss_joint *j, const ss_scalar_row *row, double force, ss_wrench *applied)
{
    const ss_vec3 turn[2] = {row->angular_a, row->angular_b};
    const ss_vec3 move[2] = {row->linear_a, row->linear_b};
    for (int side = 0; side < 2; side++) {
        if (j->body[side] >= 0) {
            double     f = side == 0 ? -force : force;
            ss_wrench *w = &applied[j->body[side]];
            w->force     = ss_axpy(w->force, f, move[side]);
            w->torque    = ss_axpy(w->torque, f, turn[side]);
        }
    }
}
