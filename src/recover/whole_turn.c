/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Angular momentum of islands that nothing outside acts on but known forces.
 *
 * Corrections in position leave velocities as they are: bodies that are moved by d_i and turned by
 * t_i, with sum m_i d_i = 0, change
 *
 *   L = sum m_i (x_i - c) x (v_i - u) + L_i      by      sum m_i d_i x v_i + t_i x L_i ,
 *
 * c, u: place and velocity of the centre of mass, L_i: of body i about its own. That is of order
 * h^2 a step, as overlaps and openings are, and adds up to order h: two boxes that rub on each
 * other in space turned slower and slower. Steps of first order of bodies with joints, and of large
 * piles, know how their inertia turns to first order only, and add their own part.
 *
 * What is missing is given back as the one velocity that no contact, joint or spring notices, a
 * rigid turn of the island about c, with A its inertia there:
 *
 *   v_i += W x (x_i - c),   w_i += W,      A W = L0 - L,
 *   dT = W.L + W.A W/2
 *
 * It may not add energy. Of the kinetic energy T - m u^2/2 the part L.A^-1 L/2 is that of the turn
 * of the whole; the rest is that of velocities s_i against each other, which have no momentum and
 * no angular momentum. Where dT > 0 they become f s_i, with what they lose as large as dT. What
 * sticks, rolls or keeps its distance has no such velocity; what slides goes on in its direction.
 * Where they have less than twice dT, as much is given back as half of it allows, and the
 * certificate judges the rest (certify/turns.c). Motors put it in: they keep the velocities between
 * bodies.
 */
#include <math.h>

#include "core/compare.h"
#include "dynamics/stages.h"
#include "linalg/mat3.h"
#include "model/axes.h"
#include "recover/tolerances.h"

/* An island as one body. */
typedef struct whole {
    double  mass;
    ss_vec3 c, u; /* centre of mass and its velocity     */
    ss_vec3 L;    /* about c                             */
    double  size; /* sum of the sizes of what is in L    */
    double  T;    /* kinetic energy but for mass u^2/2   */
    ss_mat3 A;    /* inertia about c                     */
} whole;

/* ---- which islands ------------------------------------------------------------------------- */

bool ss_island_loose(const ss_data *d, const ss_island *isl)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        if (ss_block_anchors(&d->rows.blocks[isl->blocks[i]])) {
            return false;
        }
    }
    return true;
}

static bool has_motor(const ss_data *d, const ss_island *isl)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        if (d->rows.blocks[isl->blocks[i]].source == SS_ROWS_MOTOR) {
            return true;
        }
    }
    return false;
}

/* Dampers in all directions pull across the line between their ends, and drag is no known force. */
static bool is_explained(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    for (int32_t k = 0; k < isl->body_count; k++) {
        if (d->midpoint.smooth[isl->bodies[k]] || ss_body_drags(&m->bodies[isl->bodies[k]])) {
            return false; /* smooth: of second order, and with energies that are exact */
        }
    }
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b      = &d->rows.blocks[isl->blocks[i]];
        bool                forces = b->source == SS_ROWS_GIVE && b->part == 0;
        if (forces && m->forces[b->index].damping > 0 && !m->forces[b->index].axial) {
            return false;
        }
    }
    return true;
}

/* ---- an island as one body ----------------------------------------------------------------- */

static void find_centre(const ss_model *m, const ss_island *isl, const ss_pose *poses,
                        const ss_twist *twists, whole *x)
{
    *x = (whole){0};
    for (int32_t k = 0; k < isl->body_count; k++) {
        int32_t i = isl->bodies[k];
        x->mass += m->bodies[i].mass;
        x->c = ss_axpy(x->c, m->bodies[i].mass, poses[i].p);
        x->u = ss_axpy(x->u, m->bodies[i].mass, twists[i].v);
    }
    x->c = ss_scale(1 / x->mass, x->c);
    x->u = ss_scale(1 / x->mass, x->u);
}

static void find_momentum(const ss_model *m, const ss_island *isl, const ss_pose *poses,
                          const ss_twist *twists, whole *x)
{
    find_centre(m, isl, poses, twists, x);
    for (int32_t k = 0; k < isl->body_count; k++) {
        int32_t        i = isl->bodies[k];
        const ss_body *b = &m->bodies[i];
        ss_vec3        r = ss_sub(poses[i].p, x->c), v = ss_sub(twists[i].v, x->u);
        ss_vec3        spin = ss_own_momentum(m, b, &poses[i], twists[i].w);
        x->L                = ss_add(ss_axpy(x->L, b->mass, ss_cross(r, v)), spin);
        x->size += b->mass * ss_norm(r) * ss_norm(v) + ss_norm(spin);
        x->T += 0.5 * (b->mass * ss_dot(v, v) + ss_dot(twists[i].w, spin));
    }
}

/* In the plane everything turns about z: any axis has that inertia. */
static void find_inertia(const ss_model *m, const ss_island *isl, const ss_pose *poses, whole *x)
{
    const ss_vec3 e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int32_t k = 0; k < isl->body_count; k++) {
        int32_t        i = isl->bodies[k];
        const ss_body *b = &m->bodies[i];
        ss_vec3        r = ss_sub(poses[i].p, x->c);
        for (int c = 0; c < 3; c++) {
            ss_vec3 axis   = m->dimension == 2 ? e[2] : e[c];
            ss_vec3 column = ss_add(ss_scale(b->mass, ss_cross(r, ss_cross(axis, r))),
                                    ss_own_momentum(m, b, &poses[i], axis));
            column         = m->dimension == 2 ? ss_scale(column.z, e[c]) : column;
            x->A.m[c] += column.x;
            x->A.m[3 + c] += column.y;
            x->A.m[6 + c] += column.z;
        }
    }
}

/* Points in a line do not turn about it. */
static bool turns_at_all(const whole *x)
{
    double mean = (x->A.m[0] + x->A.m[4] + x->A.m[8]) / 3;
    return ss_mat3_det(&x->A) > SS_WHOLE_THIN * mean * mean * mean;
}

/* ---- what the step is to leave ------------------------------------------------------------- */

/* Forces act at the start of a step of first order, with their torque about the centre there. */
static ss_vec3 explained(const ss_model *m, const ss_data *d, const ss_island *isl, double h)
{
    whole x;
    find_momentum(m, isl, d->state.pose, d->state.twist, &x);
    for (int32_t k = 0; k < isl->body_count; k++) {
        int32_t          i = isl->bodies[k];
        const ss_wrench *f = &d->applied[i];
        ss_vec3          r = ss_sub(d->state.pose[i].p, x.c);
        x.L                = ss_axpy(x.L, h, ss_cross(r, f->force));
        x.L                = m->bodies[i].dof == m->dof ? ss_axpy(x.L, h, f->torque) : x.L;
    }
    return x.L;
}

void ss_note_turns(const ss_model *m, ss_data *d, double h)
{
    if (!ss_inertia_of(m)->momentum) {
        return;
    }
    for (int32_t i = 0; i < d->island_count; i++) {
        ss_island *isl = &d->islands[i];
        isl->loose     = ss_island_loose(d, isl);
        if (isl->loose && is_explained(m, d, isl)) {
            isl->turn = explained(m, d, isl, h);
        } else if (isl->loose) {
            whole x;
            find_momentum(m, isl, d->pose_next, d->twist_next, &x);
            isl->turn = x.L;
        }
    }
}

/* ---- giving it back ------------------------------------------------------------------------ */

/* v_i := u + (turn + W) x r + f s_i, likewise w_i, with s_i the velocities beside `turn`. */
static void turn_back(const ss_model *m, ss_data *d, const ss_island *isl, const whole *x,
                      ss_vec3 turn, ss_vec3 W, double f)
{
    for (int32_t k = 0; k < isl->body_count; k++) {
        int32_t   i = isl->bodies[k];
        ss_twist *t = &d->twist_next[i];
        ss_vec3   r = ss_sub(d->pose_next[i].p, x->c), rigid = ss_cross(turn, r);
        ss_vec3   s = ss_sub(ss_sub(t->v, x->u), rigid);
        t->v        = ss_add(ss_axpy(t->v, f - 1, s), ss_cross(W, r));
        if (m->bodies[i].dof == m->dof) {
            t->w = ss_add(ss_axpy(t->w, f - 1, ss_sub(t->w, turn)), W);
        }
    }
}

/* The largest part of W that adds no more than `most` to the energy, W.L + W.A W/2. */
static double part_of(const whole *x, ss_vec3 W, double most)
{
    double b = ss_dot(W, x->L), a = ss_dot(W, ss_mul(&x->A, W));
    double root = sqrt(b * b + 2 * a * ss_max(most, 0));
    double part = b > 0 ? 2 * ss_max(most, 0) / (b + root) : (root - b) / a;
    return ss_min(part, 1);
}

static void give_back(const ss_model *m, ss_data *d, ss_island *isl, const whole *x)
{
    ss_mat3 inverse = ss_mat3_inverse(&x->A);
    ss_vec3 turn = ss_mul(&inverse, x->L), W = ss_mul(&inverse, ss_sub(isl->turn, x->L));
    double  apart  = ss_max(x->T - 0.5 * ss_dot(turn, x->L), 0); /* of the s_i */
    bool    driven = has_motor(d, isl);
    W              = driven ? W : ss_scale(part_of(x, W, 0.5 * apart), W);
    double moved = 0.5 * ss_dot(W, ss_mul(&x->A, W)), dT = ss_dot(W, x->L) + moved;
    double f = driven || dT <= 0 ? 1 : sqrt(ss_max(1 - dT / apart, 0));
    turn_back(m, d, isl, x, turn, W, f);
    double size      = sqrt(isl->turned_most) + sqrt(moved + (1 - f) * (1 - f) * apart);
    isl->turned_most = size * size;
    isl->closed_by_drives += driven ? dT : 0;
    isl->turned_back += driven ? 0 : ss_min(dT, 0);
}

void ss_keep_turns(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < d->island_count; i++) {
        ss_island *isl = &d->islands[i];
        whole      x;
        if (!isl->loose) {
            continue;
        }
        find_momentum(m, isl, d->pose_next, d->twist_next, &x);
        if (ss_norm(ss_sub(x.L, isl->turn)) <= SS_WHOLE_SAME * x.size) {
            continue;
        }
        find_inertia(m, isl, d->pose_next, &x);
        if (turns_at_all(&x)) {
            give_back(m, d, isl, &x);
        }
    }
}
