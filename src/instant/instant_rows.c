/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A state -> its rows. What a row's velocity u(q, v, t) = J(q, t) v + drift(q, t) does while the
 * accelerations are dv/dt is
 *
 *   du/dt = J dv/dt + k,      k = d/de u(q + e v, v, t + e) at e = 0
 *
 * (Trinkle 2003, (19)-(21) with the total derivative of W; thesis (2.74)). k holds the curvature of
 * the surfaces, the turning of normals and arms, and driven bodies: all that the geometry knows. It
 * is differentiated along the motion from four places, two ahead and two behind, with the bodies
 * where they would be at constant v, to the fourth order; contacts are found again by their
 * identity. Friction rows are needed where nothing slips, so that the turning of their own
 * directions does not count: they are taken in the directions of the state.
 *
 * Which contacts take part (Trinkle (3), (4)): closed ones, with a normal velocity of
 *
 *   > 0  separating, left out        < 0  an impact: no force is an answer
 *   = 0  sliding if there is slip, sticking (rolling) if there is none
 *
 * Contacts that give take part while they are pressed, whatever their normal velocity: nothing
 * strikes there, and they are not left before their deflection is gone.
 */
#include "instant/instant_rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "force/force.h"
#include "formulate/formulate.h"
#include "instant/tolerances.h"
#include "model/axes.h"
#include "rows/contact_state.h"
#include "rows/sliding_law.h"

/* Places at which rows are looked at: the state, and two ahead and behind. */
enum { PLACES = 5 };
static const double ahead[PLACES]  = {0, 1, -1, 2, -2};
static const double weight[PLACES] = {0, 8. / 12, -8. / 12, -1. / 12, 1. / 12};

typedef struct place {
    ss_rows     rows;
    ss_contact *contacts;
    int32_t     count;
    ss_twist   *driven; /* (nb) velocities of kinematic bodies there   */
    ss_vec3    *centre; /* (nb) */
    double      t;
} place;

typedef struct gatherer {
    const ss_model   *m;
    ss_data          *d;
    double            t, h, apart; /* the state's time; no time; seconds between two places */
    double            resolution;  /* seconds */
    bool              moves;       /* something does, or may by itself */
    place             at[PLACES];
    ss_pose          *poses; /* (nb) */
    ss_instant_given *given; /* NULL: by velocities */
    double           *drive; /* (nb) forces that reach a body besides its weight */
} gatherer;

const char *ss_instant_refuses(const ss_model *m)
{
    if (!ss_inertia_of(m)->momentum) {
        return "without momentum (inertia: quasistatic, damped) there are no accelerations";
    }
    if (m->tilts) {
        return "normal forces of a support that follow the pushes are not known at an instant";
    }
    for (int32_t i = 0; i < m->joint_count; i++) {
        if (m->joints[i].friction_coefficient > 0) {
            return "joint friction that follows the load is not known at an instant";
        }
        for (int k = 0; k < SS_JOINT_COORDINATES; k++) {
            if (m->joints[i].coordinate[k].motor == SS_MOTOR_POSITION &&
                isfinite(m->joints[i].coordinate[k].motor_max)) {
                return "a motor that goes to a position with a limited force brakes step by step: "
                       "it has no law at an instant";
            }
        }
    }
    return NULL;
}

/* ---- places ---- */

static ss_pose moved(const ss_model *m, const ss_pose *p, const ss_twist *w, double e)
{
    ss_pose out = *p;
    out.p       = ss_axpy(p->p, e, w->v);
    out.angle   = p->angle + e * w->w.z;
    if (m->dimension == 3 && (w->w.x != 0 || w->w.y != 0 || w->w.z != 0)) {
        out.q = ss_quat_unit(ss_quat_mul(ss_quat_from_rotation(ss_scale(e, w->w)), p->q));
    }
    return out;
}

/* Velocity of a driven body by differences of sixth order. */
static ss_status driven_twist(const gatherer *g, int32_t i, double t, ss_twist *out)
{
    static const double c[3] = {45. / 60, -9. / 60, 1. / 60};
    const ss_body      *b    = &g->m->bodies[i];
    const double        e    = SS_INSTANT_MOTION * g->m->simulation.step;
    *out                     = b->start_twist;
    if (b->motion.uniform) {
        return SS_OK;
    }
    *out = (ss_twist){{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 3; k++) {
        ss_pose x, y;
        SS_TRY(ss_motion_pose(g->m, g->d, i, t + (k + 1) * e, &x));
        SS_TRY(ss_motion_pose(g->m, g->d, i, t - (k + 1) * e, &y));
        ss_vec3 turn = {0, 0, x.angle - y.angle};
        if (g->m->dimension == 3) {
            ss_quat back = {y.q.w, -y.q.x, -y.q.y, -y.q.z};
            turn         = ss_quat_to_rotation(ss_quat_mul(x.q, back));
        }
        out->v = ss_axpy(out->v, c[k] / e, ss_sub(x.p, y.p));
        out->w = ss_axpy(out->w, c[k] / e, turn);
    }
    return SS_OK;
}

/* Bodies where they are `e` seconds on at constant velocities; driven ones where they will be. */
static ss_status go_to(gatherer *g, double e)
{
    const ss_model *m = g->m;
    ss_data        *d = g->d;
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            g->poses[i] = moved(m, &d->state.pose[i], &d->state.twist[i], e);
        }
    }
    d->state.t       = g->t + e;
    ss_status status = ss_kinematics(m, d, g->poses, g->h);
    for (int32_t i = 0; status == SS_OK && i < m->nb; i++) {
        if (m->bodies[i].type == SS_BODY_KINEMATIC) {
            d->frame_was[i] = d->frame[i]; /* their drift is added below, as a velocity */
            status          = driven_twist(g, i, g->t + e, &d->twist_next[i]);
        }
    }
    return status;
}

static ss_status look(gatherer *g, int place_index)
{
    const ss_model *m = g->m;
    ss_data        *d = g->d;
    place          *p = &g->at[place_index];
    SS_TRY(go_to(g, ahead[place_index] * g->apart));
    if (place_index == 0 && d->hybrid != NULL) {
        ss_joint_values_now(m, d); /* controllers look at them */
    }
    if (place_index == 0) {
        SS_TRY(ss_forces(m, d, 0));
    }
    SS_TRY(ss_collide_now(m, d, SS_INSTANT_REACH * m->length));
    SS_TRY(ss_make_rows(m, d, g->h));
    size_t nb   = (size_t)m->nb;
    p->t        = d->state.t;
    p->rows     = d->rows;
    p->count    = d->contacts.count;
    p->contacts = ss_arena_alloc(&d->scratch, (size_t)p->count, sizeof *p->contacts);
    p->driven   = ss_arena_alloc(&d->scratch, nb, sizeof *p->driven);
    p->centre   = ss_arena_alloc(&d->scratch, nb, sizeof *p->centre);
    if (p->contacts == NULL || p->driven == NULL || p->centre == NULL) {
        return SS_ERR_SCRATCH;
    }
    if (p->count > 0) {
        memcpy(p->contacts, d->contacts.items, (size_t)p->count * sizeof *p->contacts);
    }
    for (int32_t i = 0; i < m->nb; i++) {
        p->driven[i] = d->twist_next[i];
        p->centre[i] = d->frame[i].p;
    }
    return SS_OK;
}

/* ---- velocities ---- */

static ss_twist twist_at(const gatherer *g, const place *p, int32_t body)
{
    static const ss_twist none = {{0, 0, 0}, {0, 0, 0}};
    switch (g->m->bodies[body].type) {
    case SS_BODY_STATIC:
        return none;
    case SS_BODY_KINEMATIC:
        return p->driven[body];
    case SS_BODY_DYNAMIC:
    case SS_BODY_PARTICLE:
        break;
    }
    return g->d->state.twist[body];
}

/* How b's surface moves against a's at a contact, and how b turns against a. */
typedef struct relative {
    ss_vec3 move, drift, turn; /* drift: of belts */
    double  speed;             /* of what it was computed from */
} relative;

static relative relative_at(const gatherer *g, const place *p, const ss_contact *c)
{
    const ss_model *m = g->m;
    int32_t         a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    ss_twist        va = twist_at(g, p, a), vb = twist_at(g, p, b);
    ss_vec3         ra = ss_sub(c->point_a, p->centre[a]), rb = ss_sub(c->point_b, p->centre[b]);
    ss_vec3         at_a  = ss_add(va.v, ss_cross(va.w, ra));
    ss_vec3         at_b  = ss_add(vb.v, ss_cross(vb.w, rb));
    ss_vec3         drift = ss_sub(m->bodies[b].surface_velocity, m->bodies[a].surface_velocity);
    return (relative){ss_sub(at_b, at_a), drift, ss_sub(vb.w, va.w),
                      ss_norm(va.v) + ss_norm(vb.v) + ss_norm(va.w) * ss_norm(ra) +
                          ss_norm(vb.w) * ss_norm(rb) + ss_norm(drift)};
}

/*
 * The velocities of a contact's rows, friction in the directions e of the state. A belt goes along
 * its surface as that lies at the place: what is told of its velocity across is none, or a contact
 * that sticks would begin to slip as its normal n turns, by -(e . n') (n . drift).
 */
static void contact_velocity(const gatherer *g, const place *p, const ss_contact *c, int32_t dim,
                             const ss_vec3 *e, double *u)
{
    const ss_pair_law *law = ss_model_law(g->m, c);
    relative           r   = relative_at(g, p, c);
    ss_vec3 slip = ss_axpy(ss_add(r.move, r.drift), -ss_dot(c->normal, r.drift), c->normal);
    u[0]         = ss_dot(c->normal, r.move) - ss_dot(c->roll, r.turn);
    for (int32_t i = 1; i < dim; i++) {
        u[i] = law->axes[i - 1] * (i < 3 ? ss_dot(e[i], slip) : ss_dot(e[i - 3], r.turn));
    }
}

/* How fast the position moves that a motor goes to, by differences of sixth order. */
static double target_rate(const gatherer *g, const ss_joint_coordinate *x, double t)
{
    static const double c[3] = {45. / 60, -9. / 60, 1. / 60};
    const double        e    = SS_INSTANT_MOTION * g->m->simulation.step;
    double              rate = 0;
    for (int k = 0; k < 3; k++) {
        double later = 0, earlier = 0;
        if (ss_motor_target(g->m, g->d, x, t + (k + 1) * e, &later) != SS_OK ||
            ss_motor_target(g->m, g->d, x, t - (k + 1) * e, &earlier) != SS_OK) {
            return NAN;
        }
        rate += c[k] / e * (later - earlier);
    }
    return rate;
}

/* J v + what is added to it, of a row that is no contact's. */
static double row_velocity(const gatherer *g, const place *p, const ss_row_block *b, int32_t row)
{
    const ss_model *m = g->m;
    double          u = p->rows.drift[row];
    if (b->source == SS_ROWS_MOTOR) {
        const ss_joint_coordinate *x = &m->joints[b->index].coordinate[b->part];
        u = x->motor == SS_MOTOR_VELOCITY ? p->rows.bias[row] : u - target_rate(g, x, p->t);
    }
    for (int side = 0; side < b->sides; side++) {
        double v[6] = {0};
        if (b->body[side] >= 0) {
            ss_twist_to_vector(m, &g->d->state.twist[b->body[side]], v);
            u += ss_dot_dof(p->rows.J + ((size_t)row * 2 + (size_t)side) * (size_t)m->dof, v,
                            m->dof);
        }
    }
    return u;
}

/* The same contact at another place; -1: it is not there. */
static int32_t find_contact(const place *p, uint64_t key)
{
    for (int32_t i = 0; i < p->count; i++) {
        if (p->rows.blocks[i].key == key) {
            return i;
        }
    }
    return -1;
}

/*
 * The derivative from the places where the contact was found: all, the nearest two, or one side.
 * u: (PLACES x 6).
 */
static void differentiate(double apart, const bool *found, double (*u)[6], int32_t dim, double *k)
{
    bool two = found[1] && found[2], all = two && found[3] && found[4];
    for (int32_t i = 0; i < dim; i++) {
        double sum = 0;
        for (int s = 1; all && s < PLACES; s++) {
            sum += weight[s] * u[s][i];
        }
        if (!all && two) {
            sum = 0.5 * (u[1][i] - u[2][i]);
        } else if (!all && found[1]) {
            sum = u[1][i] - u[0][i];
        } else if (!all && found[2]) {
            sum = u[0][i] - u[2][i];
        }
        k[i] = sum / apart;
    }
}

/*
 * Rates that are all rounding of the velocities they are differences of are none: where nothing
 * pushes, they would be the only accelerations there are, and contradict each other.
 */
static void drop_rounding(const gatherer *g, double speed, int32_t dim, double *k)
{
    double least = SS_INSTANT_ROUNDINGS * DBL_EPSILON * speed / g->apart;
    for (int32_t i = 0; i < dim; i++) {
        k[i] = fabs(k[i]) > least ? k[i] : 0;
    }
}

static void contact_rates(const gatherer *g, int32_t contact, ss_instant_rows *out)
{
    const place        *now = &g->at[0];
    const ss_row_block *b   = &now->rows.blocks[contact];
    double              u[PLACES][6];
    bool                found[PLACES];
    ss_vec3             e[3] = {now->contacts[contact].normal};
    ss_contact_frame(g->m, &now->contacts[contact], &e[1], &e[2]);
    for (int s = 0; s < PLACES; s++) {
        int32_t i = s == 0 ? contact : find_contact(&g->at[s], b->key);
        found[s]  = i >= 0;
        if (found[s]) {
            contact_velocity(g, &g->at[s], &g->at[s].contacts[i], b->dim, e, u[s]);
        }
    }
    memcpy(out->u + b->row, u[0], (size_t)b->dim * sizeof *out->u);
    differentiate(g->apart, found, u, b->dim, out->k + b->row);
    drop_rounding(g, relative_at(g, now, &now->contacts[contact]).speed, b->dim, out->k + b->row);
}

/* Joints and supports are the same blocks at every place, after the contacts. */
static void other_rates(const gatherer *g, int32_t block, ss_instant_rows *out)
{
    const ss_row_block *b             = &g->at[0].rows.blocks[block];
    const bool          found[PLACES] = {true, true, true, true, true};
    double              u[PLACES][6];
    for (int32_t i = 0; i < b->dim; i++) {
        for (int s = 0; s < PLACES; s++) {
            const place        *p     = &g->at[s];
            const ss_row_block *there = &p->rows.blocks[block - g->at[0].count + p->count];
            u[s][0]                   = row_velocity(g, p, there, there->row + i);
        }
        out->u[b->row + i] = u[0][0];
        differentiate(g->apart, found, u, 1, &out->k[b->row + i]);
    }
}

/* ---- forces ---- */

void ss_instant_by_mass(const ss_model *m, const ss_data *d, int32_t body, const double *x,
                        double *y)
{
    const ss_body *b = &m->bodies[body];
    for (int32_t c = 0; c < m->dof; c++) {
        y[c] = c < m->dimension ? b->inv_mass * x[c] : 0;
    }
    if (b->dof < m->dof) {
        return;
    }
    if (m->dof == 3) {
        y[2] = b->inv_inertia.m[8] * x[2];
        return;
    }
    ss_vec3 turn = ss_mul(&d->inv_inertia[body], ss_v3(x[3], x[4], x[5]));
    y[3]         = turn.x;
    y[4]         = turn.y;
    y[5]         = turn.z;
}

/* f -= E v, of a body with a damping matrix. */
static void resist_by_matrix(const gatherer *g, int32_t body, double *f)
{
    const int32_t n     = g->m->dof == 6 ? 6 : 3;
    double        E[36] = {0}, v[6] = {0};
    ss_world_damping(g->m, g->d, body, E);
    ss_twist_to_vector(g->m, &g->d->state.twist[body], v);
    for (int32_t r = 0; r < n; r++) {
        f[r] -= ss_dot_dof(E + r * n, v, n);
    }
}

/* Applied forces, drag and the gyroscopic torque -w x I w. */
static void free_accelerations(const gatherer *g, ss_instant_rows *out)
{
    const ss_model *m = g->m;
    const ss_data  *d = g->d;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body  *b = &m->bodies[i];
        const ss_twist *w = &d->state.twist[i];
        if (!ss_body_moves(b)) {
            continue;
        }
        ss_wrench F    = d->applied[i];
        double    f[6] = {0};
        F.force        = ss_axpy(F.force, -b->damping_linear, w->v);
        F.torque       = ss_axpy(F.torque, -b->damping_angular, w->w);
        if (m->dimension == 3 && b->dof == 6 && !b->round) {
            F.torque = ss_sub(F.torque, ss_cross(w->w, ss_mul(&d->inertia[i], w->w)));
        }
        ss_wrench_to_vector(m, &F, 1, f);
        if (b->damping != NULL) {
            resist_by_matrix(g, i, f);
        }
        ss_instant_by_mass(m, d, i, f, out->a_free + b->v_start);
    }
}

/* What dampers do: rows that give, p = -(J v + bias)/give, over no time. */
static void add_dampers(const gatherer *g, ss_instant_rows *out)
{
    const ss_model *m = g->m;
    const ss_rows  *r = &g->at[0].rows;
    for (int32_t i = g->at[0].count; i < r->nblocks; i++) {
        const ss_row_block *b = &r->blocks[i];
        for (int32_t k = 0; b->source == SS_ROWS_GIVE && k < b->dim; k++) {
            int32_t row   = b->row + k;
            double  force = -(out->u[row] - r->drift[row] + r->bias[row]) / r->give[row] / g->h;
            out->damped_by_drives += force * r->drift[row];
            for (int side = 0; side < 2; side++) {
                double f[6] = {0}, a[6] = {0};
                if (b->body[side] < 0) {
                    continue;
                }
                const double *J = ss_row_side(m, r, row, side);
                for (int32_t c = 0; c < m->dof; c++) {
                    f[c] = force * J[c];
                }
                ss_instant_by_mass(m, g->d, b->body[side], f, a);
                ss_add_dof(out->a_free + m->bodies[b->body[side]].v_start, 1, a, m->dof);
            }
        }
    }
}

/* ---- who takes part ---- */

/* How forces change the velocity of a body's surface. */
static double push_of(const gatherer *g, const ss_instant_rows *out, int32_t body)
{
    return ss_speed_of(g->m, body, out->a_free + g->m->bodies[body].v_start);
}

/* Is a gap none, or what such a step leaves? */
static bool closed(const gatherer *g, double gap, double k)
{
    return ss_gap_closed(g->m, gap - g->resolution * g->resolution * fabs(k));
}

/*
 * What presses on bodies that nothing pushes by itself (parts between fingers whose motors have a
 * largest force, without gravity) comes to them through contacts and joints. Without it the speed
 * that counts as none would vanish with the velocities, and what comes to rest never would.
 */
static void spread_drive(const gatherer *g, const ss_instant_rows *out)
{
    const ss_rows *r = &g->at[0].rows;
    for (bool grows = true; grows;) {
        grows = false;
        for (int32_t i = 0; i < r->nblocks; i++) {
            const ss_row_block *b = &r->blocks[i];
            bool apart = i < g->at[0].count && !closed(g, g->at[0].contacts[i].gap, out->k[b->row]);
            for (int side = 1; !apart && side < b->sides; side++) {
                if (b->body[0] < 0 || b->body[side] < 0) {
                    continue;
                }
                double *a = &g->drive[b->body[0]], *c = &g->drive[b->body[side]];
                grows = grows || *a != *c;
                *a = *c = fmax(*a, *c);
            }
        }
    }
}

static void find_drive(const gatherer *g, const ss_instant_rows *out)
{
    const ss_model *m   = g->m;
    const ss_rows  *r   = &g->at[0].rows;
    double          any = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b    = &m->bodies[i];
        double         a[6] = {0};
        g->drive[i]         = 0;
        if (ss_body_moves(b) && b->inv_mass > 0) {
            memcpy(a, out->a_free + b->v_start, (size_t)b->dof * sizeof *a);
            a[0] -= m->gravity.x;
            a[1] -= m->gravity.y;
            a[2] -= m->dimension == 3 ? m->gravity.z : 0;
            g->drive[i] = ss_speed_of(m, i, a) / b->inv_mass;
        }
    }
    for (int32_t i = g->at[0].count; i < r->nblocks; i++) {
        const ss_row_block *b       = &r->blocks[i];
        bool                limited = b->kind == SS_BLOCK_DISK && b->source != SS_ROWS_SUPPORT;
        for (int side = 0; side < 2 && limited; side++) {
            if (b->body[side] >= 0) {
                g->drive[b->body[side]] += b->bound / g->h;
            }
        }
    }
    for (int32_t i = 0; i < m->nb; i++) {
        any = fmax(any, g->drive[i]);
    }
    if (any > 0) {
        spread_drive(g, out);
    }
}

/* .. of the bodies of a block, by forces and by what friction with a bound can do. */
static double push_on(const gatherer *g, const ss_instant_rows *out, const ss_row_block *b)
{
    double push = 0;
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] >= 0) {
            double rubs    = b->kind == SS_BLOCK_DISK && b->source == SS_ROWS_SUPPORT
                                 ? b->bound / g->h * g->m->bodies[b->body[side]].inv_mass
                                 : 0;
            double through = g->drive[b->body[side]] * g->m->bodies[b->body[side]].inv_mass;
            push           = fmax(push, fmax(push_of(g, out, b->body[side]) + rubs, through));
        }
    }
    return push;
}

/*
 * Rates of what rubs with a bound that are rounding of what its friction could do are none: where
 * nothing else pushes they would be all there is to solve for, and the rounding of one row would
 * contradict that of the next.
 */
static void drop_beside_friction(const gatherer *g, const ss_instant_rows *out)
{
    const ss_rows *r = &g->at[0].rows;
    for (int32_t i = g->at[0].count; i < r->nblocks; i++) {
        const ss_row_block *b = &r->blocks[i];
        double              least =
            b->kind == SS_BLOCK_DISK ? SS_INSTANT_ROUNDINGS * DBL_EPSILON * push_on(g, out, b) : 0;
        for (int32_t k = b->row; k < b->row + b->dim; k++) {
            out->k[k] = fabs(out->k[k]) > least ? out->k[k] : 0;
        }
    }
}

/*
 * A relative velocity below this is none. What a step has left behind at a contact that it kept
 * closed is what the rows have turned within it: its length times their k.
 */
static double still(const gatherer *g, double push, double speed, double k)
{
    return SS_INSTANT_STILL * (speed + sqrt(push * g->m->length)) + g->resolution * fabs(k);
}

/* Size of the friction rows' part of a block's k. */
static double turning(const ss_row_block *b, const double *k)
{
    double sum = 0;
    for (int32_t i = b->kind == SS_BLOCK_CONE ? 1 : 0; i < b->dim; i++) {
        sum += k[i] * k[i];
    }
    return sqrt(sum);
}

static void set_slip(const double *u, double none, ss_instant_block *out)
{
    int32_t first = out->kind == SS_BLOCK_CONE ? 1 : 0;
    double  speed = 0;
    for (int32_t i = first; i < out->dim; i++) {
        speed += u[i] * u[i];
    }
    speed     = sqrt(speed);
    out->mode = speed > none ? SS_INSTANT_SLIDES : SS_INSTANT_STICKS;
    for (int32_t i = first; i < out->dim && speed > none; i++) {
        out->slip[i - first] = u[i] / speed;
    }
}

/* True: the block takes part. */
static bool take_contact(const gatherer *g, int32_t i, ss_instant_rows *out, ss_instant_block *to)
{
    const ss_contact   *c = &g->at[0].contacts[i];
    const ss_row_block *b = &g->at[0].rows.blocks[i];
    const double       *u = out->u + b->row, *k = out->k + b->row;
    if (!closed(g, c->gap, k[0]) || c->beside || c->inner) {
        return false;
    }
    double push = push_on(g, out, b), speed = relative_at(g, &g->at[0], c).speed;
    double none = still(g, push, speed, k[0]);
    to->none    = none;
    bool gives  = ss_model_law(g->m, c)->gives != NULL;
    if (u[0] > none && !(gives && c->gap < 0)) {
        out->separating++;
        return false;
    }
    to->mode = SS_INSTANT_SMOOTH;
    if (b->kind == SS_BLOCK_CONE) {
        set_slip(u, still(g, push, speed, turning(b, k)), to);
    }
    to->mode = u[0] < -none && !gives ? SS_INSTANT_STRIKES : to->mode;
    return true;
}

/* A limit that is reached and not being left; friction, motors and supports always take part. */
static bool take_other(const gatherer *g, const ss_row_block *b, ss_instant_rows *out,
                       ss_instant_block *to)
{
    const double *u     = out->u + b->row;
    double        speed = 0;
    for (int side = 0; side < b->sides; side++) {
        double v[6] = {0};
        if (b->body[side] >= 0) {
            ss_twist_to_vector(g->m, &g->d->state.twist[b->body[side]], v);
            speed += ss_speed_of(g->m, b->body[side], v);
        }
    }
    double push = push_on(g, out, b), none = still(g, push, speed, out->k[b->row]);
    to->mode = SS_INSTANT_STICKS;
    to->none = none;
    if (b->kind == SS_BLOCK_DISK) {
        set_slip(u, still(g, push, speed, turning(b, out->k + b->row)), to);
    }
    if (b->kind != SS_BLOCK_UNILATERAL) {
        return b->source != SS_ROWS_GIVE;
    }
    /* The row's bias is how far it is from the limit, over no time. */
    bool reached = closed(g, g->at[0].rows.bias[b->row] * g->h, out->k[b->row]);
    to->mode     = u[0] < -none ? SS_INSTANT_STRIKES : SS_INSTANT_SMOOTH;
    return reached && !(u[0] > none);
}

/* A pair of numbers along the tangents t, n x t, along those that t is (c, s) of. */
static void turn_pair(double c, double s, double *pair)
{
    double x = c * pair[0] - s * pair[1], y = s * pair[0] + c * pair[1];
    pair[0] = x;
    pair[1] = y;
}

void ss_instant_slip_of(const ss_mode_entry *as, const ss_instant_block *b, double slip[5])
{
    enum { ALONG = 0, ROLLS = 3 };
    double c = ss_dot(as->t, b->t), s = ss_dot(as->t, b->o), size = ss_hypot(c, s);
    memcpy(slip, as->slip, sizeof as->slip);
    if (!(size > 0)) { /* no contact */
        return;
    }
    if (b->dim == 2) { /* in the plane */
        slip[ALONG] *= c < 0 ? -1 : 1;
    } else {
        turn_pair(c / size, s / size, slip + ALONG);
        turn_pair(c / size, s / size, slip + ROLLS);
    }
}

/* The slip of a block that is known to slide, in the sense that is given. */
static void set_slip_as(const double *u, const ss_mode_entry *as, double none, ss_instant_block *to)
{
    int32_t first = to->kind == SS_BLOCK_CONE ? 1 : 0;
    double  speed = 0, along = 0, sense[5];
    ss_instant_slip_of(as, to, sense);
    for (int32_t i = first; i < to->dim; i++) {
        speed += u[i] * u[i];
        along += u[i] * sense[i - first];
    }
    speed     = sqrt(speed);
    to->faint = to->dim - first > 1 && !(speed > SS_INSTANT_FAINT * none);
    bool flat = to->dim - first == 1 || !(speed > SS_INSTANT_BEGUN * none);
    for (int32_t i = first; i < to->dim; i++) {
        double turned       = along < 0 ? -u[i] / speed : u[i] / speed;
        to->slip[i - first] = flat ? sense[i - first] : turned;
    }
}

/* What slides has the friction of its speed, also for those who ask for the coefficient. */
static void set_friction(const gatherer *g, int32_t i, const double *u, ss_instant_block *to)
{
    if (!g->m->two_frictions || to->source != SS_ROWS_CONTACT || to->kind != SS_BLOCK_CONE ||
        to->mode != SS_INSTANT_SLIDES) {
        return;
    }
    double square = 0;
    for (int32_t k = 1; k < to->dim; k++) {
        square += u[k] * u[k];
    }
    to->mu *= ss_sliding_part(ss_model_law(g->m, &g->at[0].contacts[i]), sqrt(square));
    g->at[0].rows.blocks[i].mu = to->mu;
}

/* True: the block takes part, as given. */
static bool take_given(const gatherer *g, const ss_row_block *b, const ss_instant_rows *out,
                       ss_instant_block *to, bool *found)
{
    const double *u     = out->u + b->row;
    double        speed = 0;
    if (b->source == SS_ROWS_GIVE) {
        return false;
    }
    if (b->kind == SS_BLOCK_EQUALITY) {
        to->mode = SS_INSTANT_STICKS;
        return true;
    }
    for (int32_t i = 0; i < g->given->count; i++) {
        const ss_mode_entry *as = &g->given->modes[i];
        if (as->key != b->key) {
            continue;
        }
        *found   = true;
        to->mode = (ss_instant_mode)as->mode;
        for (int side = 0; side < 2; side++) {
            double v[6];
            if (b->body[side] >= 0) {
                ss_twist_to_vector(g->m, &g->d->state.twist[b->body[side]], v);
                speed += ss_speed_of(g->m, b->body[side], v);
            }
        }
        to->none = still(g, push_on(g, out, b), speed, 0);
        if (to->mode == SS_INSTANT_SLIDES) {
            set_slip_as(u, as, to->none, to);
        }
        return to->mode != SS_INSTANT_LEAVES;
    }
    return false;
}

static void take_part(const gatherer *g, ss_instant_rows *out)
{
    const ss_rows *r = &g->at[0].rows;
    for (int32_t i = 0; i < r->nblocks; i++) {
        const ss_row_block *b    = &r->blocks[i];
        ss_instant_block   *to   = &out->blocks[out->nblocks];
        bool                near = i < g->at[0].count;
        *to                      = (ss_instant_block){.kind   = b->kind,
                                                      .source = b->source,
                                                      .index  = b->index,
                                                      .part   = b->part,
                                                      .row    = b->row,
                                                      .dim    = b->dim,
                                                      .mu     = b->mu,
                                                      .bound  = b->bound / g->h,
                                                      .sides  = b->sides,
                                                      .key    = b->key};
        memcpy(to->body, b->body, sizeof to->body);
        if (near && b->kind == SS_BLOCK_CONE) {
            ss_contact_frame(g->m, &g->at[0].contacts[i], &to->t, &to->o);
        }
        if (g->given != NULL) {
            bool found = false;
            out->nblocks += take_given(g, b, out, to, &found);
            g->given->missing -= found;
        } else {
            out->nblocks += near ? take_contact(g, i, out, to) : take_other(g, b, out, to);
        }
        set_friction(g, i, out->u + b->row, to);
    }
}

/* ---- all together ---- */

/* Seconds between two places: the bodies move by a small part of the smallest of them. */
static double choose_apart(gatherer *g)
{
    const ss_model *m    = g->m;
    double          most = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_twist *w =
            ss_body_moves(&m->bodies[i]) ? &g->d->state.twist[i] : &m->bodies[i].start_twist;
        double size = isfinite(m->bodies[i].extent) ? m->bodies[i].extent : m->length;
        most        = fmax(most, ss_norm(w->v) + ss_norm(w->w) * fmax(size, m->length));
    }
    double step = SS_INSTANT_MOTION * m->simulation.step;
    g->moves    = most > 0 || m->driven || m->joint_count > 0;
    return most > 0 ? fmin(SS_INSTANT_MOVED * m->length / most, step) : step;
}

static ss_status gather(gatherer *g, ss_instant_rows *out)
{
    const ss_model *m = g->m;
    ss_data        *d = g->d;
    for (int s = g->moves ? PLACES - 1 : 0; s >= 0; s--) { /* the state last: it stays */
        SS_TRY(look(g, s));
    }
    for (int s = 1; !g->moves && s < PLACES; s++) {
        g->at[s] = g->at[0];
    }
    size_t n      = (size_t)d->rows.nrows;
    out->blocks   = ss_arena_alloc(&d->scratch, (size_t)d->rows.nblocks + 1, sizeof *out->blocks);
    out->u        = ss_arena_alloc(&d->scratch, n, sizeof *out->u);
    out->k        = ss_arena_alloc(&d->scratch, n, sizeof *out->k);
    out->a_free   = ss_arena_alloc(&d->scratch, (size_t)m->nv, sizeof *out->a_free);
    out->contacts = g->at[0].contacts;
    out->contact_count    = g->at[0].count;
    out->ties             = d->corners.ties;
    out->damped_by_drives = 0;
    if (!out->blocks || !out->u || !out->k || !out->a_free) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        if (i < g->at[0].count) {
            contact_rates(g, i, out);
        } else {
            other_rates(g, i, out);
        }
    }
    free_accelerations(g, out);
    if (d->rows.give != NULL) {
        add_dampers(g, out);
    }
    find_drive(g, out);
    drop_beside_friction(g, out);
    take_part(g, out);
    return SS_OK;
}

static ss_status gather_into(const ss_model *m, ss_data *d, double resolution,
                             ss_instant_given *given, ss_instant_rows *out)
{
    gatherer g = {.m          = m,
                  .d          = d,
                  .t          = d->state.t,
                  .resolution = resolution,
                  .given      = given,
                  .h          = SS_INSTANT_NO_TIME * m->simulation.step};
    *out       = (ss_instant_rows){.nblocks = 0};
    ss_arena_reset(&d->scratch);
    g.apart = choose_apart(&g);
    g.moves = g.moves && (given == NULL || given->rates);
    if (m->joint_loads) {
        memcpy(d->trial_load, d->state.joint_load, (size_t)m->joint_count * sizeof *d->trial_load);
    }
    g.poses          = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *g.poses);
    g.drive          = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *g.drive);
    d->gap           = ss_gap_of(m);
    d->going         = d->state.twist;
    d->midpoint.pass = 0;
    d->impact.phase  = SS_PHASE_WHOLE;
    d->at_instant    = true;
    ss_status status = g.poses != NULL && g.drive != NULL ? gather(&g, out) : SS_ERR_SCRATCH;
    d->at_instant    = false;
    d->state.t       = g.t;
    return status;
}

ss_status ss_instant_gather(const ss_model *m, ss_data *d, double resolution, ss_instant_rows *out)
{
    return gather_into(m, d, resolution, NULL, out);
}

ss_status ss_instant_gather_as(const ss_model *m, ss_data *d, ss_instant_given *given,
                               ss_instant_rows *out)
{
    given->missing = given->count;
    return gather_into(m, d, 0, given, out);
}
