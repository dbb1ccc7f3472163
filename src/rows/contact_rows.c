/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contacts -> rows (joints: joint_rows.c). At a contact with unit normal n (from a to b) and
 * tangents t, o:
 *
 *   u_n = n.(v_b + w_b x r_b - v_a - w_a x r_a) + psi/h      0 <= p_n  _|_  u_n >= 0
 *   u_t = t.(same)  + t.(drift of b - drift of a)            |p_f| <= mu p_n, maximum dissipation
 *
 * (Trinkle 2003, (32), (33), (37); thesis 2.6); at the rim of something round u_n is without the
 * turn about the rim's axis, which does not change the gap: - roll.(w_b - w_a) (collide/contact.h).
 * With `gap: velocity` psi/h is dropped for contacts
 * that touch (Anitescu-Potra). The drift is that of moving surfaces: belts, and kinematic bodies
 * through the displacement of their touching point over the step, divided by h.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "dynamics/tolerances.h"
#include "geom/geom.h"
#include "rows/contact_state.h"

/* ss_contact.axis: what is told from outside; none: by the normal. */
enum { BY_NORMAL, ALONG_X, ALONG_Y };

/* Friction frame (design: t is world x in the contact plane, world y where x is nearly normal). */
static int32_t axis_by_normal(ss_vec3 n)
{
    return fabs(n.x) > SS_X_NEARLY_NORMAL ? ALONG_Y : ALONG_X;
}

static void friction_frame(ss_vec3 n, int32_t axis, ss_vec3 wish, ss_vec3 *t, ss_vec3 *o)
{
    ss_vec3 flat = ss_axpy(wish, -ss_dot(wish, n), n);
    if (ss_dot(wish, wish) > 0 && ss_dot(flat, flat) > SS_DIRECTION_PART * ss_dot(wish, wish)) {
        *t = ss_unit(flat);
    } else {
        bool    y     = (axis == BY_NORMAL ? axis_by_normal(n) : axis) == ALONG_Y;
        ss_vec3 start = y ? ss_v3(0, 1, 0) : ss_v3(1, 0, 0);
        *t            = ss_unit(ss_axpy(start, -ss_dot(start, n), n));
    }
    *o = ss_cross(n, *t);
}

static ss_vec3 wished_direction(const ss_model *m, const ss_contact *c, const ss_pair_law *law)
{
    if (ss_dot(law->friction_direction, law->friction_direction) > 0) {
        return law->friction_direction;
    }
    const ss_body *a    = &m->bodies[m->geoms[c->geom_a].body];
    const ss_body *b    = &m->bodies[m->geoms[c->geom_b].body];
    bool           of_a = ss_dot(a->friction_direction, a->friction_direction) > 0;
    return of_a ? a->friction_direction : b->friction_direction;
}

void ss_contact_frame(const ss_model *m, const ss_contact *c, ss_vec3 *t, ss_vec3 *o)
{
    ss_vec3 none = {0, 0, 0};
    friction_frame(c->normal, c->axis,
                   m->directed ? wished_direction(m, c, ss_model_law(m, c)) : none, t, o);
}

int32_t ss_friction_axis(const ss_contact *c)
{
    return c->axis == BY_NORMAL ? axis_by_normal(c->normal) : c->axis;
}

/*
 * Slip at the start of a step, in its middle and at its end is compared direction by direction, so
 * t must not change from one world axis to the other on the way, which may turn it round. The axis
 * of the start is good for normals that are not nearly along it; one that turns as far as that
 * within a step is another contact.
 */
void ss_keep_friction_axis(ss_contact *c, int32_t axis)
{
    double along = axis == ALONG_Y ? c->normal.y : c->normal.x;
    c->axis = axis != axis_by_normal(c->normal) && fabs(along) < SS_AXIS_LOST ? axis : BY_NORMAL;
}

static bool same_direction(ss_vec3 x, ss_vec3 y)
{
    return x.x == y.x && x.y == y.y && x.z == y.z;
}

/*
 * The directions of a contact's rows: normal, t, o. Contacts of a face share their normal, from
 * step to step as well, and with it the frame, unless materials wish otherwise.
 */
static const ss_vec3 *find_axes(const ss_model *m, ss_data *d, const ss_contact *c)
{
    ss_vec3 *e = d->contact_axes;
    if (m->directed || c->axis != d->contact_axis || !same_direction(c->normal, e[0])) {
        e[0]            = c->normal;
        d->contact_axis = c->axis;
        ss_contact_frame(m, c, &e[1], &e[2]);
    }
    return e;
}

/*
 * From the start of the step to its end, of a point that is there in the middle: of the body and of
 * its turn apart, so that what goes without turning takes all its points along by the same way, and
 * a way that is short beside their places keeps its digits.
 */
static ss_vec3 displacement(const ss_model *m, const ss_data *d, int32_t body, int32_t touches,
                            ss_vec3 point)
{
    const ss_frame *was = &d->frame_was[body], *is = &d->frame[body];
    ss_vec3         local = ss_to_body(ss_met_frame(m, d, body, touches), point);
    ss_mat3         turn;
    for (int k = 0; k < 9; k++) {
        turn.m[k] = is->R.m[k] - was->R.m[k];
    }
    return ss_add(ss_sub(is->p, was->p), ss_mul(&turn, local));
}

/* Of a point of a driven body; of others none. */
static ss_vec3 driven_velocity(const ss_model *m, const ss_data *d, int32_t body, int32_t touches,
                               ss_vec3 point, double h)
{
    if (m->bodies[body].type != SS_BODY_KINEMATIC) {
        return ss_v3(0, 0, 0);
    }
    if (d->at_instant || d->at_impact != NULL) {
        const ss_twist *w = &(d->at_instant ? d->twist_next : d->at_impact)[body];
        return ss_add(w->v, ss_cross(w->w, ss_sub(point, d->frame[body].p)));
    }
    if (ss_goes_evenly(d, body)) {
        return d->twist_next[body].v;
    }
    return ss_scale(1 / h, displacement(m, d, body, touches, point));
}

ss_vec3 ss_surface_drift(const ss_model *m, const ss_data *d, int32_t body, int32_t touches,
                         ss_vec3 point, double h)
{
    return ss_add(m->bodies[body].surface_velocity, driven_velocity(m, d, body, touches, point, h));
}

/* A belt goes along its surface, whatever part of its velocity is told across. */
double ss_driven_approach(const ss_model *m, const ss_data *d, const ss_contact *c, double h)
{
    int32_t a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    return ss_dot(c->normal, driven_velocity(m, d, b, a, c->point_b, h)) -
           ss_dot(c->normal, driven_velocity(m, d, a, b, c->point_a, h));
}

double ss_opening_rate(const ss_model *m, const ss_data *d, const ss_contact *c,
                       const ss_twist *twist)
{
    const int32_t body[2]  = {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body};
    const ss_vec3 point[2] = {c->point_a, c->point_b};
    double        rate     = 0;
    for (int side = 0; side < 2; side++) {
        int32_t i = body[side];
        if (ss_body_moves(&m->bodies[i])) {
            ss_vec3 arm = ss_sub(point[side], d->frame[i].p);
            ss_vec3 v   = ss_add(twist[i].v, ss_cross(twist[i].w, arm));
            rate += (side == 0 ? -1 : 1) * (ss_dot(c->normal, v) - ss_dot(c->roll, twist[i].w));
        }
    }
    return rate;
}

/* Rows of J, 2 x 6 apart, for the velocity of `arm` on a body along each e, times sign. */
static inline void put_directions(double *restrict J, double sign, const ss_vec3 *e, int32_t rows,
                                  ss_vec3 arm)
{
    for (int32_t k = 0; k < rows; k++, J += 12) {
        ss_vec3 r = ss_cross(arm, e[k]);
        J[0]      = sign * e[k].x;
        J[1]      = sign * e[k].y;
        J[2]      = sign * e[k].z;
        J[3]      = sign * r.x;
        J[4]      = sign * r.y;
        J[5]      = sign * r.z;
    }
}

/* The same in the plane, 2 x 3 apart. */
static inline void put_directions_flat(double *restrict J, double sign, const ss_vec3 *e,
                                       int32_t rows, ss_vec3 arm)
{
    for (int32_t k = 0; k < rows; k++, J += 6) {
        J[0] = sign * e[k].x;
        J[1] = sign * e[k].y;
        J[2] = sign * (arm.x * e[k].y - arm.y * e[k].x);
    }
}

/* The columns of one moving body in the rows of a contact; particles do not turn. */
static void put_side(const ss_model *m, double *J, const ss_body *b, double sign, const ss_vec3 *e,
                     int32_t rows, ss_vec3 arm)
{
    if (b->dof < m->dof) {
        arm = ss_v3(0, 0, 0);
    }
    if (m->dof == 6 && rows == 3) { /* the usual sizes, so that the compiler can unroll */
        put_directions(J, sign, e, 3, arm);
    } else if (m->dof == 3 && rows == 2) {
        put_directions_flat(J, sign, e, 2, arm);
    } else if (m->dof == 6) {
        put_directions(J, sign, e, rows, arm);
    } else {
        put_directions_flat(J, sign, e, rows, arm);
    }
}

static double ball_radius(const ss_geom *g)
{
    return ss_is_ball(g) ? g->radius : INFINITY;
}

/*
 * Friction between two bodies that move acts at one point: over an open gap (an impact within the
 * step) or an overlap (surfaces that give), equal and opposite forces at two points would be a
 * couple, gap times friction, that turns both. With a part s of the gap for the arm of a and 1 - s
 * for that of b angular momentum is kept, whatever s. Until they touch, the normal of two balls
 * turns by (gap/|u_n|) u_t/(R_a + R_b), and slip changes by that times u_n: with s = R_a/(R_a +
 * R_b) their spins are right to second order; of a ball and something flat the ball keeps its arm.
 */
static double arm_share(const ss_model *m, const ss_contact *c)
{
    double a = ball_radius(&m->geoms[c->geom_a]), b = ball_radius(&m->geoms[c->geom_b]);
    if (isfinite(a) && isfinite(b)) {
        return a / (a + b);
    }
    return isfinite(a) ? 0 : isfinite(b) ? 1 : 0.5;
}

/* Friction rows of a body with the arm of a point `by` further away. */
static void move_arm(const ss_model *m, double *J, const ss_body *b, double sign, const ss_vec3 *e,
                     int32_t rows, ss_vec3 by)
{
    for (int32_t k = 1; b->dof == m->dof && k < rows; k++) {
        double *w = J + (ptrdiff_t)2 * k * m->dof + m->dimension;
        ss_vec3 r = ss_scale(sign, ss_cross(by, e[k]));
        w[0] += m->dof == 6 ? r.x : r.z;
        if (m->dof == 6) {
            w[1] += r.y;
            w[2] += r.z;
        }
    }
}

/* Over gaps as large as the smaller body the step is too long to tell where they will touch. */
static bool is_near(const ss_model *m, const ss_contact *c, int32_t a, int32_t b)
{
    return fabs(c->gap) < ss_min(m->shapes[a].size, m->shapes[b].size);
}

static void share_point(const ss_model *m, double *J, const ss_row_block *blk, const ss_contact *c,
                        const ss_vec3 *e, int32_t rows)
{
    ss_vec3 apart = ss_sub(c->point_b, c->point_a);
    double  s     = arm_share(m, c);
    move_arm(m, J, &m->bodies[blk->body[0]], -1, e, rows, ss_scale(s, apart));
    move_arm(m, J + m->dof, &m->bodies[blk->body[1]], 1, e, rows, ss_scale(s - 1, apart));
}

/* The normal row does not see turns of the two against each other about the axis of a rim. */
static void drop_roll(const ss_model *m, double *J, const ss_row_block *blk, ss_vec3 roll)
{
    for (int side = 0; side < 2; side++) {
        if (blk->body[side] >= 0 && m->bodies[blk->body[side]].dof == 6) {
            double *w = J + side * m->dof + 3, sign = side == 0 ? 1 : -1;
            w[0] += sign * roll.x;
            w[1] += sign * roll.y;
            w[2] += sign * roll.z;
        }
    }
}

/*
 * The gap term of a contact that overlaps, where overlaps are corrected in position (recover/
 * shift.c): what driven bodies do in this step, and of several branches what separates the pair.
 */
static double overlap_bias(const ss_contact *c, double gap, double driven, bool middle, double h)
{
    double start  = middle ? gap : gap - h * driven;
    double before = c->branch == 0 ? start : ss_min(c->apart, 0);
    double ends   = middle ? gap / h + driven : gap / h;
    return start < 0 ? ss_min(start - before, 0) / h + driven : ends;
}

/*
 * gap: velocity drops what overlapped, not what driven bodies do: gaps are those with driven bodies
 * at the end of the step, so that each of them would seem to overlap what it pushes.
 */
static double undriven_bias(const ss_model *m, const ss_data *d, const ss_contact *c, double h)
{
    double driven = ss_driven_approach(m, d, c, h);
    return d->gap->seen(ss_certain_gap(m, d, c) - h * driven) / h + driven;
}

/*
 * In the part of an impact: is what is left of the way to it none? Parts end with a small gap, and
 * what is near enough has no part before its impact. That gap over the time of the impact, which is
 * short, would be a velocity, and the impact would lack it.
 */
static bool is_there(const ss_model *m, const ss_data *d, const ss_contact *c, double gap,
                     double driven, double h)
{
    double rate = ss_opening_rate(m, d, c, d->state.twist) + driven;
    return d->cut.event.strikes && gap >= 0 && gap < SS_STRUCK_NEAR * h * -rate;
}

static double gap_bias(const ss_model *m, const ss_data *d, const ss_contact *c, double h)
{
    if (d->at_impact != NULL) { /* all that is in reach touches */
        return ss_driven_approach(m, d, c, h);
    }
    if (m->driven && !d->gap->kept) {
        return undriven_bias(m, d, c, h);
    }
    double gap    = d->gap->seen(ss_certain_gap(m, d, c));
    double driven = m->driven ? ss_driven_approach(m, d, c, h) : 0;
    bool   middle = m->driven && ss_in_middle(m, d, c); /* others: at the end of the step */
    if (is_there(m, d, c, middle ? gap : gap - h * driven, driven, h)) {
        return driven;
    }
    return m->as_printed ? gap / h : overlap_bias(c, gap, driven, middle, h);
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 31;
    x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    return x;
}

uint64_t ss_contact_key(const ss_contact *c)
{
    uint64_t geoms    = ((uint64_t)(uint32_t)c->geom_a << 32) | (uint32_t)c->geom_b;
    uint64_t features = ((uint64_t)c->feature_a << 32) | c->feature_b;
    return mix(geoms) ^ (mix(features ^ 0x5851F42D4C957F2Du) * 3);
}

/* Row of J for the relative angular velocity about e. */
static void put_turn(const ss_model *m, double *J, const ss_row_block *blk, ss_vec3 e)
{
    memset(J, 0, 2 * (size_t)m->dof * sizeof *J);
    for (int side = 0; side < 2; side++) {
        if (blk->body[side] >= 0 && m->bodies[blk->body[side]].dof == 6) {
            double *to = J + side * m->dof, sign = side == 0 ? -1 : 1;
            to[3] = sign * e.x;
            to[4] = sign * e.y;
            to[5] = sign * e.z;
        }
    }
}

/* Angular velocity of a body that no velocity coordinate stands for. */
static ss_vec3 angular_drift(const ss_model *m, const ss_data *d, int32_t body)
{
    return m->bodies[body].type == SS_BODY_KINEMATIC ? d->twist_next[body].w : ss_v3(0, 0, 0);
}

/* Torsional and rolling friction: rows 3 and up of a contact. */
static void turn_rows(const ss_model *m, ss_data *d, const ss_contact *c, const ss_row_block *blk,
                      const ss_vec3 *dir)
{
    const ss_vec3 about[3] = {c->normal, dir[0], dir[1]};
    int32_t       a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    ss_vec3       drift = ss_sub(angular_drift(m, d, b), angular_drift(m, d, a));
    for (int32_t i = 3; i < blk->dim; i++) {
        int32_t row = blk->row + i;
        put_turn(m, ss_row_side(m, &d->rows, row, 0), blk, about[i - 3]);
        d->rows.drift[row] = d->rows.bias[row] = ss_dot(about[i - 3], drift);
    }
}

/*
 * The friction ellipsoid |p_i / e_i| <= mu p_n becomes a ball: row i is multiplied by e_i, so that
 * its impulse is p_i / e_i and its velocity e_i u_i (thesis 3.5.1.2). query.c goes back.
 */
static void scale_rows(const ss_model *m, ss_data *d, const ss_row_block *blk,
                       const ss_pair_law *law)
{
    for (int32_t i = 1; i < blk->dim; i++) {
        int32_t row = blk->row + i;
        double *J = ss_row_side(m, &d->rows, row, 0), e = law->axes[i - 1];
        for (int side = 0; side < 2; side++, J += m->dof) {
            for (int32_t k = 0; blk->body[side] >= 0 && k < m->dof; k++) {
                J[k] *= e;
            }
        }
        d->rows.bias[row] *= e;
        d->rows.drift[row] *= e;
    }
}

/* Acceleration of a body by forces that do not depend on contacts, times h; at `arm`. */
static ss_vec3 pushed(const ss_model *m, const ss_data *d, int32_t body, ss_vec3 arm, double h)
{
    const ss_body *b = &m->bodies[body];
    if (!ss_body_moves(b)) {
        return ss_v3(0, 0, 0);
    }
    ss_vec3 linear = ss_scale(h * b->inv_mass, d->applied[body].force);
    if (b->dof < m->dof) {
        return linear;
    }
    const ss_mat3 *R    = &d->frame[body].R;
    ss_vec3        turn = ss_mul(R, ss_mul(&b->inv_inertia, ss_tmul(R, d->applied[body].torque)));
    return ss_axpy(linear, h, ss_cross(turn, arm));
}

static ss_vec3 velocity_at(const ss_model *m, const ss_data *d, int32_t body, ss_vec3 arm)
{
    const ss_twist *w =
        m->bodies[body].type == SS_BODY_KINEMATIC ? &d->twist_next[body] : &d->state.twist[body];
    return ss_add(w->v, ss_cross(w->w, arm));
}

static ss_vec3 spin_of(const ss_model *m, const ss_data *d, int32_t body)
{
    return m->bodies[body].type == SS_BODY_KINEMATIC ? d->twist_next[body].w
                                                     : d->state.twist[body].w;
}

/*
 * A contact that bore a load in the last step: joints and other contacts hand forces on, in
 * whatever direction, and what falls together is pushed alike, so that their difference along the
 * normal says nothing. What steps leave of its rate is no impact. by: what forces make of the two
 * velocities.
 */
static double held_by(const ss_data *d, const ss_contact *c, double by, double h)
{
    double steps = d->cut.part.depth == 0 ? fmax(d->cut.whole / h, 1) : 1;
    return ss_contact_bore(d, c) ? SS_RESTS_BELOW * steps * by : 0;
}

/* The rate at which a contact is reached: what falls from rest has a speed of k times a h after k
   steps, and whether that is more than so many times a h would be up to rounding. */
static double rate_when_met(double before, double pushed, double apart, double h)
{
    double square = before * before - 2 * pushed * apart / h;
    bool   comes  = before < 0 || pushed < 0;
    return apart > 0 && comes && square > 0 ? -sqrt(square) : before;
}

/* Is it known to fly freely until it is reached? What bore a load has left, then. */
static bool flies(const ss_model *m, const ss_data *d, const ss_contact *c, double before,
                  double pushed, double apart, double h)
{
    double little = -SS_LEFT_ABOVE * pushed;
    bool   left   = before > little || apart > h * little || !ss_contact_bore(d, c);
    return !m->poisson && ss_integrator_of(m)->second && !ss_in_middle(m, d, c) && pushed < 0 &&
           left && ss_may_bounce(m, d, c);
}

/* Does what it returns keep it away beyond the end of the step? */
static bool outlasts(const ss_data *d, double returned, double pushed, double h)
{
    double steps = d->cut.part.depth == 0 ? fmax(d->cut.whole / h, 1) : 1;
    return 2 * returned > -SS_BOUNCE_STEPS * steps * pushed;
}

/* Is a gap closed when the step ends? */
static bool meets(double apart, double before, double bend, double h)
{
    double unsure = SS_MET_NEARLY * h * (fabs(before) + fabs(bend));
    return ss_gap_at_end(apart, before + bend, h) <= unsure || apart <= 0;
}

/*
 * Laws of impact, in the place of the gap term. Newton: u+ >= -e u-. Poisson: u >= 0 in both phases
 * (impact/impact_poisson.c). They hold for contacts that are reached within the step faster than
 * the forces of two steps can make them: slower ones rest, but for what bounces by itself. That
 * compares velocities with velocities, so it means the same at every scale. Along normals that no
 * force acts on, what rests approaches by the rounding of the last step, which is no impact either.
 */
static double impact_bias(const ss_model *m, const ss_data *d, const ss_contact *c,
                          ss_row_block *blk, ss_vec3 arm_a, ss_vec3 arm_b, double h)
{
    int32_t            a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    const ss_pair_law *law = ss_model_law(m, c);
    ss_vec3            u   = ss_sub(velocity_at(m, d, b, arm_b), velocity_at(m, d, a, arm_a));
    ss_vec3            f_a = pushed(m, d, a, arm_a, h), f_b = pushed(m, d, b, arm_b, h);
    ss_vec3            f      = ss_sub(f_b, f_a);
    ss_vec3            turn   = ss_sub(spin_of(m, d, b), spin_of(m, d, a));
    double             before = ss_dot(c->normal, u) - ss_dot(c->roll, turn);
    blk->carried              = ss_driven_approach(m, d, c, h);
    double apart              = ss_contact_apart(m, d, c, h); /* when the step began */
    double pushed             = ss_dot(c->normal, f);
    bool   second             = ss_integrator_of(m)->second;
    double bend               = second ? 0.5 * pushed : 0; /* of the flight */
    bool   begins             = second && !ss_in_middle(m, d, c);
    double met                = begins ? rate_when_met(before, pushed, apart, h) : before;
    bool   there              = meets(apart, before, bend, h);
    double least              = ss_no_push * ss_norm(f) + ss_no_approach * ss_norm(u);
    blk->rest                 = fmax(SS_RESTS_BELOW * fabs(pushed), least);
    if (law->restitution > 0 && (law->poisson || met < -blk->rest)) {
        blk->rest = fmax(blk->rest, held_by(d, c, ss_norm(f_a) + ss_norm(f_b), h));
    }
    bool fast    = law->restitution > 0 && met < -blk->rest;
    blk->returns = ss_restitution_now(m, d, c, law);
    blk->flies   = law->restitution > 0 && !fast && flies(m, d, c, before, pushed, apart, h);
    blk->bounces =
        blk->flies && there && met < -least && outlasts(d, -law->restitution * met, pushed, h);
    blk->strikes = there && (fast || (blk->bounces && ss_flies_till_impact(d, blk)));
    if (!blk->strikes) { /* what flies is not stopped before it is there */
        blk->bends = (fast || blk->flies) && !there ? fmax(-bend, 0) : 0;
        return gap_bias(m, d, c, h) + blk->bends;
    }
    return blk->carried + (law->poisson ? 0 : blk->returns * before);
}

/* Friction rows: the drift of the surfaces along them, unless it is rounding of the whole. */
static void drift_rows(const ss_model *m, ss_data *d, const ss_contact *c, const ss_row_block *blk,
                       const ss_vec3 *e, double h)
{
    int32_t a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    int32_t rows = blk->dim < 3 ? blk->dim : 3;
    double *bias = d->rows.bias + blk->row, *drift = d->rows.drift + blk->row;
    if (!m->bodies[a].drifts && !m->bodies[b].drifts) {
        for (int32_t i = 1; i < rows; i++) {
            drift[i] = bias[i] = 0;
        }
        return;
    }
    ss_vec3 surface = ss_sub(ss_surface_drift(m, d, b, a, c->point_b, h),
                             ss_surface_drift(m, d, a, b, c->point_a, h));
    for (int32_t i = 1; i < rows; i++) {
        double along = ss_dot(e[i], surface);
        bool   sure  = fabs(along) > SS_DRIFT_ROUNDING * ss_norm(surface);
        drift[i] = bias[i] = sure ? along : 0;
    }
}

static void contact_rows(const ss_model *m, ss_data *d, const ss_contact *c, ss_row_block *blk,
                         const ss_pair_law *law, double h)
{
    int32_t        a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    const ss_vec3 *e = find_axes(m, d, c);
    blk->kind        = blk->dim > 1 ? SS_BLOCK_CONE : SS_BLOCK_UNILATERAL;
    blk->mu          = law->mu;
    blk->bound       = 0;
    blk->sides       = 2;
    blk->body[0]     = ss_body_moves(&m->bodies[a]) ? a : -1;
    blk->body[1]     = ss_body_moves(&m->bodies[b]) ? b : -1;
    blk->key         = ss_contact_key(c);
    blk->strikes     = false;
    blk->flies       = false;
    blk->bounces     = false;
    blk->returns     = 0;
    blk->bends       = 0;
    blk->closes      = false;
    blk->left        = false;
    blk->spring      = 0;
    ss_vec3 arm_a    = ss_sub(c->point_a, ss_met_frame(m, d, a, b)->p);
    ss_vec3 arm_b    = ss_sub(c->point_b, ss_met_frame(m, d, b, a)->p);
    double *J        = ss_row_side(m, &d->rows, blk->row, 0);
    int32_t rows     = blk->dim < 3 ? blk->dim : 3;
    if (blk->body[0] >= 0) {
        put_side(m, J, &m->bodies[a], -1, e, rows, arm_a);
    }
    if (blk->body[1] >= 0) {
        put_side(m, J + m->dof, &m->bodies[b], 1, e, rows, arm_b);
    }
    if (blk->body[0] >= 0 && blk->body[1] >= 0 && c->gap != 0 && is_near(m, c, a, b)) {
        share_point(m, J, blk, c, e, rows);
    }
    if (c->roll.x != 0 || c->roll.y != 0 || c->roll.z != 0) {
        drop_roll(m, J, blk, c->roll);
    }
    bool may_strike = law->restitution > 0 || m->poisson;
    d->rows.bias[blk->row] =
        may_strike ? impact_bias(m, d, c, blk, arm_a, arm_b, h) : gap_bias(m, d, c, h);
    d->rows.drift[blk->row] = 0;
    drift_rows(m, d, c, blk, e, h);
    if (blk->dim > 3) {
        turn_rows(m, d, c, blk, e + 1);
    }
    if (blk->dim > 3 || !law->round) {
        scale_rows(m, d, blk, law);
    }
}

static ss_status allocate(const ss_model *m, ss_data *d, int32_t nblocks, int32_t nrows)
{
    ss_rows *r = &d->rows;
    size_t   n = (size_t)nrows, columns = 2 * (size_t)m->dof;
    double  *numbers = ss_arena_alloc(&d->scratch, n * (2 * columns + 4), sizeof *numbers);
    r->nblocks       = nblocks;
    r->nrows         = nrows;
    r->blocks        = ss_arena_alloc(&d->scratch, (size_t)nblocks, sizeof *r->blocks);
    r->loose         = NULL;
    r->closing       = NULL;
    r->give          = NULL;
    if (!numbers || !r->blocks || nblocks > d->state.warm_capacity || nblocks > d->tried.capacity) {
        return SS_ERR_SCRATCH;
    }
    r->J        = numbers;
    d->Y        = r->J + n * columns;
    r->bias     = d->Y + n * columns;
    r->drift    = r->bias + n;
    r->impulse  = r->drift + n;
    r->velocity = r->impulse + n;
    if (m->give_rows > 0 || m->compliant) {
        r->give = ss_arena_alloc(&d->scratch, n, sizeof *r->give);
        if (r->give == NULL) {
            return SS_ERR_SCRATCH;
        }
        memset(r->give, 0, n * sizeof *r->give);
    }
    if (m->joint_rows + m->give_rows > 0) {
        r->loose   = ss_arena_alloc(&d->scratch, n, sizeof *r->loose);
        r->closing = ss_arena_alloc(&d->scratch, n, sizeof *r->closing);
        if (r->loose == NULL || r->closing == NULL) {
            return SS_ERR_SCRATCH;
        }
        memset(r->J, 0,
               n * columns * sizeof *r->J); /* rows of joints need not fill all of theirs */
        memset(r->loose, 0, n * sizeof *r->loose);
        memset(r->closing, 0, n * sizeof *r->closing);
    }
    return SS_OK;
}

void ss_keep_impulses(const ss_data *d, ss_warm_entry *list, int32_t *count)
{
    *count = d->rows.nblocks;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        ss_warm_entry      *w = &list[i];
        w->key                = b->key;
        for (int32_t k = 0; k < 6; k++) {
            w->impulse[k] = k < b->dim ? d->rows.impulse[b->row + k] : 0;
        }
    }
}

/* Earlier impulses of the same block; the lists mostly have the same order. */
static const ss_warm_entry *find_warm(const ss_warm_entry *list, int32_t count, uint64_t key,
                                      int32_t *cursor)
{
    for (int32_t k = 0; k < count; k++) {
        int32_t i = *cursor + k < count ? *cursor + k : *cursor + k - count;
        if (list[i].key == key) {
            *cursor = i + 1 < count ? i + 1 : 0;
            return &list[i];
        }
        if (k == 64 && count > 1024) {
            break; /* a new contact in a large scene: starting it cold is cheaper than the search */
        }
    }
    return NULL;
}

/* Those of this step's last round, if it was given up for want of pairs, or the last step's. */
static void guess_impulses(ss_data *d, double h)
{
    bool                 tried = d->tried.count > 0;
    const ss_warm_entry *list  = tried ? d->tried.items : d->state.warm;
    int32_t              count = tried ? d->tried.count : d->state.warm_count, cursor = 0;
    double               scale = tried ? 1 : d->state.warm_step > 0 ? h / d->state.warm_step : 0;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block  *blk  = &d->rows.blocks[i];
        const ss_warm_entry *warm = find_warm(list, count, blk->key, &cursor);
        double              *p    = d->rows.impulse + blk->row;
        for (int32_t k = 0; k < blk->dim; k++) {
            p[k] = warm != NULL && k < 6 ? scale * warm->impulse[k] : 0;
        }
    }
}

ss_status ss_make_rows(const ss_model *m, ss_data *d, double h)
{
    int32_t nrows = 0;
    for (int32_t i = 0; i < d->contacts.count; i++) {
        nrows += ss_model_law(m, &d->contacts.items[i])->dim;
    }
    int32_t blocks       = d->contacts.count + m->joint_blocks + m->support_count + m->give_blocks;
    int32_t rebound_rows = 0;
    int32_t rebounds     = m->poisson ? ss_count_rebounds(d, &rebound_rows) : 0;
    nrows += m->joint_rows + m->support_rows + m->give_rows;
    SS_TRY(allocate(m, d, blocks + rebounds, nrows + rebound_rows));
    int32_t row = 0;
    if (d->midpoint.pass > 0) {
        ss_middle_friction_axes(m, d);
    }
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_contact  *c   = &d->contacts.items[i];
        const ss_pair_law *law = ss_model_law(m, c);
        ss_row_block      *blk = &d->rows.blocks[i];
        blk->row               = row;
        blk->dim               = law->dim;
        blk->source            = SS_ROWS_CONTACT;
        blk->index             = i;
        contact_rows(m, d, c, blk, law, h);
        if (m->placed) {
            SS_TRY(ss_place_friction(m, d, c, law, blk));
        }
        row += blk->dim;
    }
    if (m->joint_count > 0) {
        SS_TRY(ss_joint_rows(m, d, h, d->contacts.count, row));
    }
    if (m->support_count > 0) {
        SS_TRY(ss_support_rows(m, d, h, d->contacts.count + m->joint_blocks, row + m->joint_rows));
    }
    if (m->give_rows > 0) {
        ss_give_rows(m, d, h, blocks - m->give_blocks, nrows - m->give_rows);
    }
    if (rebounds > 0) {
        ss_rebound_rows(m, d, blocks, nrows);
    }
    guess_impulses(d, h);
    return SS_OK;
}
