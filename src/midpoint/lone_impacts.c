/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Impacts of bodies that fly freely before and after them, at their time within the step.
 *
 * A step of first order with restitution turns u- into -e u- where the step begins and moves bodies
 * by h v+: a ball that is dropped turns round a gap above the floor, goes up from there for the
 * whole step, and feels no gravity meanwhile. It gains m g h e |u-|, less what the gap was, and
 * rises too high by h e |u-| at every bounce. Where all that happens to a body in the step is one
 * impact, its time is known: with u the velocity along the normal, a the acceleration by forces,
 *
 *   psi + u t + a t^2/2 = 0                            the impact at t
 *   u(h) = -e (u + a t) + a (h - t)                    Newton's law there, and flight
 *   q(h) = q + t v + (h - t) v+ + (t^2 - (h - t)^2) a/2
 *
 * The second is the same row with another bias, so that its impulse is that of the impact alone,
 * m (1 + e)|u + a t|, and friction is Coulomb's on it: against the slip right after the impact,
 * which is that of the end less what forces make of it in h - t. Works are those with the mean of
 * the velocities right before and right after the impact (certify/rates.c); flight keeps its energy
 * exactly, and what the impact takes is (1 - e^2) of what was there.
 *
 * Driven bodies go along a parabola: with c, c' what they bring of the rate when the step begins
 * and when it ends (driven.c), u = J v + c and a = J a_F + (c' - c)/h, a_F by forces. The row wants
 * J v' = u(h) - c', friction speaks of the slip at t, with c + (c' - c) t/h, and so do works: what
 * the drive does at an impact is the impulse times its velocity then.
 *
 * That is so for islands in which contacts that strike at one time are all that is loaded, of
 * bodies whose inertia is that of a ball, or in the plane, where rows at the impact are those of
 * the start: of balls, and of what does not turn, that meet a plane, or each other along the
 * normal. Others are asked for their time in another way (late_impacts.c).
 */
#include <math.h>

#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "geom/geom.h"
#include "midpoint/midpoint.h"
#include "midpoint/tolerances.h"

/* J a of a row, a: the accelerations of its bodies by forces. */
static double acceleration_along(const ss_model *m, const ss_data *d, const ss_row_block *b,
                                 int32_t row)
{
    double sum = 0, a[6];
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] >= 0) {
            ss_twist  t = ss_free_acceleration(m, d, b->body[side]);
            ss_wrench w = {t.v, t.w};
            ss_wrench_to_vector(m, &w, 1, a);
            sum += ss_dot_dof(ss_row_side(m, &d->rows, row, side), a, m->dof);
        }
    }
    return sum;
}

/* By how much the velocities of a driven body change over the step; where it cannot be asked it
   goes evenly. */
static ss_twist driven_change(const ss_data *d, int32_t body)
{
    const ss_midpoint *x = &d->midpoint;
    return x->known[body] ? ss_twist_mixed(1, &x->to[body], -1, &x->from[body]) : (ss_twist){0};
}

/* c' - c of a row: what driven bodies, which do not turn, change of its rate over the step. The row
   has no columns of theirs: they are those of the other body, the other way. */
static double driven_along(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row)
{
    const ss_contact *c       = &d->contacts.items[b->index];
    const int32_t     body[2] = {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body};
    double            sum     = 0, by[6];
    for (int side = 0; side < 2; side++) {
        int other = 1 - side;
        if (m->bodies[body[side]].type == SS_BODY_KINEMATIC && b->body[other] >= 0) {
            ss_wrench w = {.force = driven_change(d, body[side]).v};
            ss_wrench_to_vector(m, &w, 1, by);
            sum -= ss_dot_dof(ss_row_side(m, &d->rows, row, other), by, m->dof);
        }
    }
    return sum;
}

static bool may_fly(const ss_model *m, const ss_data *d, int32_t i)
{
    const ss_body *b = &m->bodies[i];
    return !d->midpoint.smooth[i] && !ss_body_drags(b) && !b->jointed && !ss_sleeps(d, i) &&
           (m->dimension == 2 || b->round || b->dof < m->dof);
}

/* Points of a driven body that turns go along arcs, also where it is a ball. */
static bool goes_straight(const ss_data *d, int32_t body)
{
    return ss_norm(d->twist_next[body].w) == 0 && ss_norm(driven_change(d, body).w) == 0;
}

/* Has the shape the same arm however its body has turned until the impact? */
static bool keeps_arm(const ss_model *m, const ss_data *d, int32_t geom)
{
    int32_t i = m->geoms[geom].body;
    if (m->bodies[i].type == SS_BODY_KINEMATIC) {
        return goes_straight(d, i);
    }
    bool     ball = ss_is_ball(&m->geoms[geom]) && m->geoms[geom].centred;
    ss_twist a = {0}, t = d->state.twist[i];
    if (ss_body_moves(&m->bodies[i])) {
        a = ss_free_acceleration(m, d, i);
    }
    return ball || (ss_norm(t.w) == 0 && ss_norm(a.w) == 0);
}

static ss_vec3 velocity_of(const ss_model *m, const ss_data *d, int32_t geom)
{
    int32_t i = m->geoms[geom].body;
    return (m->bodies[i].type == SS_BODY_KINEMATIC ? d->twist_next : d->state.twist)[i].v;
}

/* Are its rows at the impact those of the start of the step? */
static bool keeps_rows(const ss_model *m, const ss_data *d, const ss_contact *c)
{
    if (!keeps_arm(m, d, c->geom_a) || !keeps_arm(m, d, c->geom_b)) {
        return false;
    }
    ss_vec3 u      = ss_sub(velocity_of(m, d, c->geom_b), velocity_of(m, d, c->geom_a));
    ss_vec3 across = ss_axpy(u, -ss_dot(u, c->normal), c->normal);
    return ss_is_plane(&m->geoms[c->geom_a]) || ss_is_plane(&m->geoms[c->geom_b]) ||
           ss_norm(across) <= SS_IMPACT_NOISE * ss_norm(u);
}

/* Of bodies that may, by Newton's law. */
static bool is_plain(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    for (int side = 0; side < 2; side++) {
        if (b->body[side] >= 0 && !may_fly(m, d, b->body[side])) {
            return false;
        }
    }
    const ss_contact *c      = &d->contacts.items[b->index];
    bool              leaves = b->strikes || b->bounces;
    return leaves && !ss_model_law(m, c)->poisson && b->spring == 0 && keeps_rows(m, d, c);
}

bool ss_may_bounce(const ss_model *m, const ss_data *d, const ss_contact *c)
{
    const int32_t body[2] = {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body};
    for (int side = 0; side < 2; side++) {
        if (ss_body_moves(&m->bodies[body[side]]) && !may_fly(m, d, body[side])) {
            return false;
        }
    }
    return keeps_rows(m, d, c);
}

bool ss_flies_till_impact(const ss_data *d, const ss_row_block *b)
{
    return d->midpoint.flight[ss_block_mover(b)].is;
}

/* One impact, along its normal. */
typedef struct course {
    double mean; /* rate of the start against driven bodies as they go in the step: laws see it */
    double gap, u, a;
    double t;        /* the impact */
    double returned; /* e |u + a t|, less than 0 */
    double later;    /* (c' - c)/2 */
} course;

/* When the contact closes; what still rises comes back. */
static double time_of(double gap, double u, double a, double h)
{
    double root = sqrt(fmax(u * u - 2 * a * gap, 0));
    return fmin(u < 0 ? 2 * fmax(gap, 0) / (root - u) : (u + root) / -a, h);
}

static course course_of(const ss_model *m, const ss_data *d, const ss_row_block *b, double h)
{
    course x   = {.mean = ss_row_rate(m, d, b, b->row, d->v_now) + b->carried};
    x.later    = 0.5 * driven_along(m, d, b, b->row);
    x.gap      = d->contacts.items[b->index].gap - h * b->carried; /* when the step began */
    x.u        = x.mean - x.later;
    x.a        = acceleration_along(m, d, b, b->row) + 2 * x.later / h;
    x.t        = time_of(x.gap, x.u, x.a, h);
    x.returned = b->returns * (x.u + x.a * x.t);
    return x;
}

/* Does it leave, and is still apart when the step ends? */
static bool leaves(const course *x, double h)
{
    double after = -x->returned, rest = h - x->t;
    return after > 0 && after + 0.5 * x->a * rest >= 0;
}

/* Asks the driven bodies of a contact how they go. */
static void ask_driven(const ss_model *m, ss_data *d, const ss_row_block *b, double h)
{
    const ss_contact *c = &d->contacts.items[b->index];
    ss_ask_driven(m, d, m->geoms[c->geom_a].body, h);
    ss_ask_driven(m, d, m->geoms[c->geom_b].body, h);
}

/* The time of the one impact of an island; negative: it is not so. */
static double lone_impact(const ss_model *m, ss_data *d, const ss_island *isl, double h)
{
    double at = -1;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (b->source != SS_ROWS_CONTACT) {
            return -1;
        }
        if (b->strikes || b->bounces) {
            ask_driven(m, d, b, h);
        }
        if (!(d->rows.impulse[b->row] > 0)) {
            continue;
        }
        if (!is_plain(m, d, b)) {
            return -1;
        }
        course x = course_of(m, d, b, h);
        if (!(x.u < 0 || x.a < 0) || !leaves(&x, h) ||
            (at >= 0 && fabs(x.t - at) > SS_ONE_IMPACT * h)) {
            return -1;
        }
        at = x.t;
    }
    return at;
}

bool ss_find_lone_impacts(const ss_model *m, ss_data *d, double h)
{
    bool any = false, whole = d->at_impact == NULL && !d->cut.event.strikes && !d->cut.event.flight;
    for (int32_t i = 0; whole && !m->poisson && i < d->island_count; i++) {
        const ss_island *isl = &d->islands[i];
        double           at  = lone_impact(m, d, isl, h);
        for (int32_t k = 0; at >= 0 && k < isl->body_count; k++) {
            d->midpoint.flight[isl->bodies[k]] = (ss_flight){true, at};
            any                                = true;
        }
    }
    return any;
}

static bool flies(const ss_data *d, const ss_row_block *b, double *until)
{
    *until = d->midpoint.flight[ss_block_mover(b)].until;
    return ss_flies_till_impact(d, b) && b->strikes && b->source == SS_ROWS_CONTACT;
}

double ss_after_impact(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row,
                       double h)
{
    double t;
    return flies(d, b, &t) ? (h - t) * acceleration_along(m, d, b, row) : 0;
}

double ss_carried_at_impact(const ss_model *m, const ss_data *d, const ss_row_block *b, double h)
{
    double t, mean = m->driven ? ss_driven_approach(m, d, &d->contacts.items[b->index], h) : 0;
    return m->driven && flies(d, b, &t) ? mean + (t / h - 0.5) * driven_along(m, d, b, b->row)
                                        : mean;
}

/* The slip of a friction row at the impact, by its rate when the step ends. */
static void place_slip(const ss_model *m, ss_data *d, const ss_row_block *b, int32_t row, double t,
                       double h)
{
    double later = (t / h - 0.5) * driven_along(m, d, b, row);
    d->rows.drift[row] += later;
    d->rows.bias[row] += later - ss_after_impact(m, d, b, row, h);
}

void ss_lone_impact_rows(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < d->contacts.count && i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        double              t;
        if (!flies(d, b, &t)) {
            continue;
        }
        course x             = course_of(m, d, b, h);
        d->rows.bias[b->row] = b->carried + x.later + x.returned - x.a * (h - x.t);
        for (int32_t row = b->row + 1; row < b->row + b->dim; row++) {
            place_slip(m, d, b, row, t, h);
        }
    }
}
