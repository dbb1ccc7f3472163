/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joints -> rows. With phi the scalars a joint holds, s its coordinates and b the joint's friction:
 *
 *   held      u = J v + phi/h = 0                             joints: stabilised, projected
 *                                                             (thesis (2.78))
 *             u = J v + (h phi/T^2 - u-)/(1 + 2h/T) = 0       joints: baumgarte, T = 5 h
 *   friction  u = J v + drift,  |p| <= h b                    maximum dissipation
 *                                                             (Trinkle 2003, (38))
 *   limits    0 <= p _|_ J v + (s - lower)/h >= 0,  and  -J v + (upper - s)/h
 *   motor     u = J v + drift - velocity,  |p| <= h max       = 0 when unlimited
 *             u = J v + (s - position - e)/h                  e: what it leaves for later steps,
 *                                                             because it has to brake (motor.c)
 *
 * phi and s are taken with kinematic bodies at the end of the step, so they need no drift
 * (integrator: euler; otherwise begins_apart() says where); the drift of the others is the velocity
 * of the kinematic body. Baumgarte's equation phi'' + 2/T phi' + phi/T^2 = 0 is discretised by
 * backward Euler; it is there for comparison.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "dynamics/tolerances.h"
#include "force/force.h"
#include "joint/joint.h"
#include "model/axes.h"
#include "rows/contact_state.h"
#include "rows/tolerances.h"

/* Where the next block goes. */
typedef struct writer {
    const ss_model *m;
    ss_data        *d;
    const ss_joint *joint;
    int32_t         index; /* of the joint */
    ss_joint_place  place;
    bool    apart; /* .. that is of the start of the step, and what driven bodies do is a drift */
    int32_t block, row;
    double  h;
    double  energy; /* twice the kinetic energy of an impact, or more */
} writer;

static void frames_of(const ss_model *m, const ss_joint *j, const ss_pose *poses, ss_frame *at)
{
    for (int side = 0; side < 2; side++) {
        if (j->body[side] >= 0) {
            at[side] = ss_pose_frame(m, &poses[j->body[side]]);
        }
    }
}

ss_joint_place ss_joint_place_of(const ss_model *m, const ss_data *d, const ss_joint *j,
                                 const ss_pose *poses)
{
    ss_frame at[2] = {0};
    frames_of(m, j, poses, at);
    ss_joint_place p = ss_joint_place_at(j, &at[0], &at[1]);
    for (int k = 0; k < 2 && j->coupled[k].joint != NULL; k++) {
        p.last[k] = d->state.joint_value[ss_joint_first(j->coupled[k].index)];
        frames_of(m, j->coupled[k].joint, poses, p.body[k]);
    }
    return p;
}

static void put_body(double *J, int dimension, int32_t dof, double sign, ss_vec3 e, ss_vec3 turn)
{
    J[0] = sign * e.x;
    J[1] = sign * e.y;
    if (dimension == 2) {
        J[2] = dof == 3 ? sign * turn.z : 0;
        return;
    }
    J[2] = sign * e.z;
    if (dof == 6) {
        J[3] = sign * turn.x;
        J[4] = sign * turn.y;
        J[5] = sign * turn.z;
    }
}

static ss_twist twist_of(const ss_model *m, const ss_data *d, int32_t body, bool kinematic_only)
{
    ss_twist none = {{0, 0, 0}, {0, 0, 0}};
    if (body < 0) {
        return none;
    }
    if (m->bodies[body].type == SS_BODY_KINEMATIC) {
        return d->twist_next[body];
    }
    return kinematic_only ? none : d->going[body];
}

static double rate_of(const writer *w, const ss_scalar_row *s, bool kinematic_only)
{
    if (w->joint->coupled[0].joint != NULL) {
        ss_twist twist[2][2];
        for (int k = 0; k < 4; k++) {
            int32_t body        = w->joint->coupled[k / 2].joint->body[k % 2];
            twist[k / 2][k % 2] = twist_of(w->m, w->d, body, kinematic_only);
        }
        return ss_coupled_rate(&w->place, (const ss_twist(*)[2])twist);
    }
    ss_twist a = twist_of(w->m, w->d, w->joint->body[0], kinematic_only);
    ss_twist b = twist_of(w->m, w->d, w->joint->body[1], kinematic_only);
    return ss_scalar_rate(s, &a, &b);
}

static uint64_t block_key(int32_t joint, ss_row_source source, int32_t part)
{
    uint64_t x = ((uint64_t)(uint32_t)joint << 16) | ((uint64_t)source << 8) | (uint64_t)part;
    return ~(x * 0x9E3779B97F4A7C15u);
}

static ss_row_block *open_block(writer *w, ss_block_kind kind, ss_row_source source, int32_t part,
                                int32_t dim)
{
    ss_row_block *b = &w->d->rows.blocks[w->block++];
    *b              = (ss_row_block){.kind   = kind,
                                     .row    = w->row,
                                     .dim    = dim,
                                     .sides  = w->joint->sides,
                                     .source = source,
                                     .index  = w->index,
                                     .part   = part,
                                     .key    = block_key(w->index, source, part)};
    for (int side = 0; side < b->sides; side++) {
        int32_t body  = w->joint->body[side];
        bool    moves = body >= 0 && ss_body_moves(&w->m->bodies[body]);
        b->body[side] = moves ? body : -1;
    }
    return b;
}

/* The next row of the open block: J times sign, and what is added to J v. */
static void put_row(writer *w, const ss_row_block *b, const ss_scalar_row *s, double sign,
                    double correction, bool drifts)
{
    const ss_model *m     = w->m;
    double         *J     = ss_row_side(m, &w->d->rows, w->row, 0);
    double          drift = sign * rate_of(w, s, true);
    memset(J, 0, (size_t)(b->sides * m->dof) * sizeof *J);
    for (int side = 0; side < b->sides; side++, J += m->dof) {
        if (b->body[side] >= 0) {
            ss_wrench of = ss_scalar_side(s, side);
            put_body(J, m->dimension, m->bodies[b->body[side]].dof, sign, of.force, of.torque);
        }
    }
    w->d->rows.drift[w->row] = drift;
    w->d->rows.bias[w->row]  = correction + (drifts ? drift : 0);
    for (w->row++; w->row < b->row + ss_block_places(b) && b->sides > 2; w->row++) {
        w->d->rows.drift[w->row] = w->d->rows.bias[w->row] = 0;
    }
}

static double sum_of(ss_vec3 x)
{
    return fabs(x.x) + fabs(x.y) + fabs(x.z);
}

/* An opening that is all rounding of the coordinates it was computed from is none. */
static double certain_opening(const writer *w, const ss_scalar_row *s)
{
    const ss_joint_place *p    = &w->place;
    double                size = 1; /* rotations: of unit vectors */
    if (sum_of(s->linear_a) + sum_of(s->linear_b) > 0) {
        size = sum_of(p->a.p) + sum_of(p->b.p) + sum_of(p->centre_a) + sum_of(p->centre_b);
    }
    return fabs(s->value) > SS_ROUNDING_FEW * DBL_EPSILON * size ? s->value : 0;
}

/* A rate that is within what a solver leaves of the velocities it was computed from is none. */
static double certain_rate(const writer *w, const ss_scalar_row *s)
{
    double rate = rate_of(w, s, false), size = 0;
    for (int side = 0; side < w->joint->sides; side++) {
        ss_twist  t  = twist_of(w->m, w->d, w->joint->body[side], false);
        ss_wrench of = ss_scalar_side(s, side);
        size += ss_norm(of.force) * ss_norm(t.v) + ss_norm(of.torque) * ss_norm(t.w);
    }
    return fabs(rate) > SS_RATE_SURE * size ? rate : 0;
}

/* Without momentum velocities do not last, and nothing opens by itself. */
static double correction_of(const writer *w, const ss_scalar_row *s)
{
    const ss_joints_class *joints = ss_joints_of(w->m);
    bool                   lasts  = joints->by_rate && ss_inertia_of(w->m)->momentum;
    return joints->bias(certain_opening(w, s), lasts ? certain_rate(w, s) : 0, w->h);
}

/*
 * Rows at the trial state (implicit/joints_at_end.h) go to the opening phi that rows of the start,
 * with phi0 and the correction c0, are to end with, phi0 - h c0: the correction is phi/h + c0 -
 * phi0/h. (It is 0 unless joints are closed over several steps.)
 */
static double held_correction(const writer *w, const ss_scalar *scalar, const ss_scalar_row *s)
{
    if (w->d->ending.pass == 0 || !ss_joints_of(w->m)->by_rate) {
        return correction_of(w, s);
    }
    writer start        = *w;
    start.place         = ss_joint_place_of(w->m, w->d, w->joint, w->d->state.pose);
    ss_scalar_row first = ss_scalar_eval(scalar, &start.place);
    double        moved = certain_opening(w, s) - certain_opening(&start, &first);
    return moved / w->h + correction_of(&start, &first);
}

static void held_rows(writer *w, const ss_joint_form *form)
{
    const ss_row_block *b = open_block(w, SS_BLOCK_EQUALITY, SS_ROWS_JOINT, 0, form->held);
    for (int32_t i = 0; i < form->held; i++) {
        ss_scalar_row s = ss_scalar_eval(&form->hold[i], &w->place);
        put_row(w, b, &s, 1, held_correction(w, &form->hold[i], &s), w->apart);
    }
}

double ss_joint_friction(const ss_model *m, const ss_data *d, int32_t joint, int32_t group)
{
    const ss_joint *j      = &m->joints[joint];
    double          radius = ss_joint_form_of(m, j)->turns[group] ? j->friction_radius : 1;
    return j->coordinate[group].friction + j->friction_coefficient * radius * d->trial_load[joint];
}

static void friction_rows(writer *w, const ss_joint_form *form)
{
    int32_t at = 0;
    for (int32_t g = 0; g < form->groups; at += form->group_dim[g++]) {
        if (!(w->joint->coordinate[g].friction > 0) && !(w->joint->friction_coefficient > 0)) {
            continue;
        }
        ss_row_block *b = open_block(w, SS_BLOCK_DISK, SS_ROWS_FRICTION, g, form->group_dim[g]);
        b->bound        = w->h * ss_joint_friction(w->m, w->d, w->index, g);
        for (int32_t k = 0; k < form->group_dim[g]; k++) {
            ss_scalar_row s = ss_scalar_eval(&form->slip[at + k], &w->place);
            put_row(w, b, &s, 1, 0, true);
        }
    }
}

/*
 * When a step or part of one ends, for a motor: a speed that jumps there is still what it was.
 * Places do not jump, runs from event to event have their own window, and impacts take no time.
 */
static double end_of_step(const writer *w, const ss_joint_coordinate *x)
{
    const ss_data *d    = w->d;
    bool           asks = x->motor == SS_MOTOR_VELOCITY && x->target.expr >= 0 && !d->window.on &&
                ss_integrator_of(w->m)->second && d->at_impact == NULL && !d->at_instant &&
                ss_expr_has_sides(d->env, x->target.expr);
    return d->state.t + w->h - (asks ? fmin(ss_switch_margin(w->m, d), 0.5 * w->h) : 0);
}

/*
 * A motor that goes to a position: what is added to J v. What it leaves for later steps is a matter
 * of where it was when the step began, `start`, wherever the rows are taken: with `geometry:
 * implicit`, which takes them at the end, it would otherwise be a part of what is left there, all
 * of which is to be closed, and the motor would not brake.
 */
static ss_status position_bias(const writer *w, const ss_joint_coordinate *x,
                               const ss_scalar_row *s, double start, double target, double *bias)
{
    double before;
    SS_TRY(ss_motor_target(w->m, w->d, x, w->d->state.t, &before));
    double error = start - before;
    double later = ss_motor_remainder(w->m, w->d, w->joint, s, error, x->motor_max, w->h);
    *bias        = (s->value - target - later) / w->h;
    return SS_OK;
}

static ss_status motor_row(writer *w, const ss_joint_coordinate *x, int32_t part,
                           const ss_scalar_row *s, double start)
{
    double target, bias;
    SS_TRY(ss_motor_target(w->m, w->d, x, end_of_step(w, x), &target));
    bool          limited = isfinite(x->motor_max);
    ss_row_block *b =
        open_block(w, limited ? SS_BLOCK_DISK : SS_BLOCK_EQUALITY, SS_ROWS_MOTOR, part, 1);
    b->bound = limited ? w->h * x->motor_max : 0;
    if (x->motor == SS_MOTOR_VELOCITY) {
        put_row(w, b, s, 1, -target, true);
    } else {
        SS_TRY(position_bias(w, x, s, start, target, &bias));
        put_row(w, b, s, 1, bias, w->apart);
    }
    return SS_OK;
}

static double trace_of(const ss_mat3 *A)
{
    return A->m[0] + A->m[4] + A->m[8];
}

/*
 * 2T, or more: the kinetic energy that an impact begins with, bodies having the speeds of what is
 * driven besides their own. Motors may add any.
 */
static double energy_of_impact(const ss_model *m, const ss_data *d)
{
    double driven = 0, sum = 0;
    for (int32_t i = 0; i < m->joint_count; i++) {
        for (int32_t k = 0; k < SS_JOINT_COORDINATES; k++) {
            if (m->joints[i].coordinate[k].motor != SS_MOTOR_NONE) {
                return INFINITY;
            }
        }
    }
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        driven += ss_norm(b->surface_velocity);
        if (b->type == SS_BODY_KINEMATIC) {
            driven += ss_norm(d->at_impact[i].v) + ss_body_arm(m, i) * ss_norm(d->at_impact[i].w);
        }
    }
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (ss_body_moves(b)) {
            double v = ss_norm(d->state.twist[i].v) + driven, w = ss_norm(d->state.twist[i].w);
            sum += b->mass * v * v + trace_of(&b->inertia) * w * w;
        }
    }
    return sum;
}

/* No impact makes a row faster, by far: (J v)^2 <= (J M^-1 J') (v'M v). */
static double out_of_reach(const writer *w, const ss_scalar_row *s)
{
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        int32_t body = w->joint->body[side];
        if (body >= 0 && ss_body_moves(&w->m->bodies[body])) {
            const ss_body *b    = &w->m->bodies[body];
            ss_vec3        turn = side == 0 ? s->angular_a : s->angular_b;
            ss_vec3        move = side == 0 ? s->linear_a : s->linear_b;
            sum += b->inv_mass * ss_dot(move, move);
            sum += trace_of(&b->inv_inertia) * ss_dot(turn, turn);
        }
    }
    return SS_IMPACT_FASTER * sqrt(sum * w->energy) + fabs(rate_of(w, s, true));
}

/*
 * A limit, `gap` away. An impact takes no time: what is reached is reached exactly, or rounding of
 * the gap over that time were a velocity, with which the limit is struck again at once; what is
 * not reached stays out of reach, by a speed of the size of the others, since the largest of
 * them says how exactly all are solved.
 */
static void limit_row(writer *w, ss_row_source source, int32_t part, const ss_scalar_row *s,
                      double gap)
{
    bool   impact = w->d->at_impact != NULL, struck = impact && ss_gap_closed(w->m, gap);
    bool   lower = source == SS_ROWS_LOWER;
    double sign  = lower ? 1 : -1;
    double away  = ss_stop_gap(w->m, w->d, w->index, part, lower, gap, w->h) / w->h;
    if (impact) {
        away = struck ? 0 : fmin(away, out_of_reach(w, s));
    }
    put_row(w, open_block(w, SS_BLOCK_UNILATERAL, source, part, 1), s, sign, away,
            struck || w->apart);
}

static ss_status coordinate_rows(writer *w, const ss_joint_form *form)
{
    for (int32_t i = 0; i < form->coordinates; i++) {
        const ss_joint_coordinate *x = &w->joint->coordinate[i];
        if (!x->limited && x->motor == SS_MOTOR_NONE) {
            continue;
        }
        ss_scalar_row s = ss_scalar_eval(&form->coordinate[i], &w->place);
        double last     = w->d->state.joint_value[(ptrdiff_t)SS_JOINT_COORDINATES * w->index + i];
        s.value         = ss_scalar_unwrapped(&form->coordinate[i], s.value, last);
        if (x->limited && isfinite(x->lower)) {
            limit_row(w, SS_ROWS_LOWER, i, &s, s.value - x->lower);
        }
        if (x->limited && isfinite(x->upper)) {
            limit_row(w, SS_ROWS_UPPER, i, &s, x->upper - s.value);
        }
        if (x->motor != SS_MOTOR_NONE) {
            SS_TRY(motor_row(w, x, i, &s, last));
        }
    }
    return SS_OK;
}

/*
 * A step of first order has rows where it begins. Driven bodies at its end beside others at its
 * start would be V h off: a rope of length L on a hook would pull in a direction V h/L off, which
 * no hook at rest makes it do. So they stand at the start as well, and go from there. Instants
 * (level: acceleration) have all bodies where they are then.
 */
static bool begins_apart(const ss_model *m, const ss_data *d, const ss_joint *j)
{
    bool first = d->midpoint.pass == 0 || ss_joint_waits(m, d, j);
    return m->driven && ss_integrator_of(m)->second && !ss_level_of(m)->instants &&
           d->at_impact == NULL && first && ss_joint_driven(m, j);
}

ss_status ss_joint_rows(const ss_model *m, ss_data *d, double h, int32_t block, int32_t row)
{
    writer w = {.m = m, .d = d, .block = block, .row = row, .h = h};
    w.energy = d->at_impact != NULL ? energy_of_impact(m, d) : 0;
    for (int32_t i = 0; i < m->joint_count; i++) {
        const ss_joint_form *form = ss_joint_form_of(m, &m->joints[i]);
        w.joint                   = &m->joints[i];
        w.index                   = i;
        w.apart                   = begins_apart(m, d, w.joint);
        w.place                   = w.apart ? ss_joint_place_of(m, d, w.joint, d->state.pose)
                                            : ss_joint_place_now(m, d, w.joint);
        if (w.joint->held > 0) {
            held_rows(&w, form);
        }
        friction_rows(&w, form);
        SS_TRY(coordinate_rows(&w, form));
    }
    return SS_OK;
}

/* A spring and damper along a coordinate: -k (s - rest) - c ds/dt, on b; the opposite on a. */
static void spring(writer *w, const ss_joint_form *form, int32_t i)
{
    const ss_joint_coordinate *x = &w->joint->coordinate[i];
    ss_scalar_row              s = ss_scalar_eval(&form->coordinate[i], &w->place);
    double last = w->d->state.joint_value[(ptrdiff_t)SS_JOINT_COORDINATES * w->index + i];
    s.value     = ss_scalar_unwrapped(&form->coordinate[i], s.value, last);
    double f    = -x->stiffness * (s.value - x->rest);
    if (!w->joint->gives) { /* otherwise it is in the rows that give */
        f -= x->damping * rate_of(w, &s, false);
    }
    ss_joint_push(w->joint, &s, f, w->d->applied);
}

void ss_joint_springs(const ss_model *m, ss_data *d)
{
    writer w = {.m = m, .d = d};
    for (int32_t i = 0; i < m->joint_count; i++) {
        const ss_joint_form *form = ss_joint_form_of(m, &m->joints[i]);
        w.joint                   = &m->joints[i];
        w.index                   = i;
        w.place                   = ss_joint_place_now(m, d, w.joint);
        for (int32_t k = 0; k < form->coordinates; k++) {
            if (w.joint->coordinate[k].stiffness > 0 || w.joint->coordinate[k].damping > 0) {
                spring(&w, form, k);
            }
        }
    }
}

void ss_joint_values_now(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < m->joint_count; i++) {
        const ss_joint      *j     = &m->joints[i];
        const ss_joint_form *form  = ss_joint_form_of(m, j);
        ss_joint_place       place = ss_joint_place_in(j, d->frame, d->state.joint_value);
        double              *value = d->state.joint_value + ss_joint_first(i);
        for (int32_t k = 0; k < form->coordinates; k++) {
            double now = ss_scalar_eval(&form->coordinate[k], &place).value;
            value[k]   = ss_scalar_unwrapped(&form->coordinate[k], now, value[k]);
        }
    }
}
