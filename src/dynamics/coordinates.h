/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Velocities, wrenches and rows as vectors. A moving body has m->dof velocity coordinates from
 * v_start on, in world axes: 3D  vx vy vz wx wy wz,  2D  vx vy w  (particles have the rotations in
 * name only). Wrenches and the columns of J are written in the same order.
 */
#ifndef SS_DYNAMICS_COORDINATES_H
#define SS_DYNAMICS_COORDINATES_H

#include <math.h>

#include "dynamics/tolerances.h"
#include "model/data.h"

/* What a rotation is multiplied with to be a velocity of the body's surface; of bodies without one,
   or with an infinite one (a plane that moves), the scene's length. */
static inline double ss_body_arm(const ss_model *m, int32_t body)
{
    double extent = m->bodies[body].extent;
    return extent > 0 && extent < INFINITY ? extent : m->length;
}

/* How far points of a body get by a turn. Planes have no end, and what does not turn leaves them
   where they are: without that the product is no number, and nothing that asks for it holds. */
static inline double ss_turned_way(double turn, double extent)
{
    return turn > 0 ? turn * extent : 0;
}

/* 1 for displacements, the body's arm for rotations: coordinates times this have one unit. */
static inline double ss_coordinate_scale(const ss_model *m, int32_t body, int32_t c)
{
    return c < m->dimension ? 1 : ss_body_arm(m, body);
}

/* What moves at no more than this speed goes nowhere: it has no velocity. */
static inline bool ss_goes_nowhere(const ss_model *m, double speed)
{
    return speed * m->simulation.step <= SS_NO_MOTION * m->length;
}

/* The largest of these velocities (or changes of velocity) at any point of the body. */
static inline double ss_speed_of(const ss_model *m, int32_t body, const double *v)
{
    double        speed = 0;
    const int32_t dof   = m->dof == 6 ? 6 : 3;
    for (int32_t c = 0; c < dof; c++) {
        double x = v[c] < 0 ? -v[c] : v[c];
        x *= ss_coordinate_scale(m, body, c);
        speed = x > speed ? x : speed;
    }
    return speed;
}

static inline void ss_twist_to_vector(const ss_model *m, const ss_twist *w, double *v)
{
    v[0] = w->v.x;
    v[1] = w->v.y;
    v[2] = m->dimension == 3 ? w->v.z : w->w.z;
    if (m->dof == 6) {
        v[3] = w->w.x;
        v[4] = w->w.y;
        v[5] = w->w.z;
    }
}

/* A body of `dof` coordinates: particles do not turn. */
static inline ss_twist ss_twist_from_vector(const ss_model *m, int32_t dof, const double *v)
{
    if (m->dimension == 2) {
        return (ss_twist){{v[0], v[1], 0}, {0, 0, dof == 3 ? v[2] : 0}};
    }
    if (dof == 6) {
        return (ss_twist){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    }
    return (ss_twist){{v[0], v[1], v[2]}, {0, 0, 0}};
}

/* times: h, for an impulse. */
static inline void ss_wrench_to_vector(const ss_model *m, const ss_wrench *w, double times,
                                       double *out)
{
    out[0] = times * w->force.x;
    out[1] = times * w->force.y;
    out[2] = times * (m->dimension == 3 ? w->force.z : w->torque.z);
    if (m->dof == 6) {
        out[3] = times * w->torque.x;
        out[4] = times * w->torque.y;
        out[5] = times * w->torque.z;
    }
}

/* Does a driven body touch another here? */
static inline bool ss_contact_is_driven(const ss_model *m, const ss_contact *c)
{
    return m->bodies[m->geoms[c->geom_a].body].type == SS_BODY_KINEMATIC ||
           m->bodies[m->geoms[c->geom_b].body].type == SS_BODY_KINEMATIC;
}

/*
 * A driven body that goes straight on through the step, evenly and without turning, is at rest in a
 * frame of its own (integrator: midpoint). What touches it does as on a body that is at rest: pairs
 * are collided with both bodies at the start of the step, and the contact is carried along to where
 * the driven body ends (dynamics/meet.c), where the others stand.
 */
static inline bool ss_goes_evenly(const ss_data *d, int32_t body)
{
    return d->even[body];
}

/* Does a driven body touch another here that does not go evenly? */
static inline bool ss_contact_is_uneven(const ss_model *m, const ss_data *d, const ss_contact *c)
{
    return ss_contact_is_driven(m, c) && !d->even[m->geoms[c->geom_a].body] &&
           !d->even[m->geoms[c->geom_b].body];
}

/* The columns (dof) of one side's body in a row of J; without a body there they are not set. */
static inline double *ss_row_side(const ss_model *m, const ss_rows *r, int32_t row, int side)
{
    return r->J + ((size_t)row * 2 + (size_t)side) * (size_t)m->dof;
}

/* What a unit impulse of the row does to the velocities of that side's body: A^-1 J'. */
static inline double *ss_response_side(const ss_model *m, const ss_data *d, int32_t row, int side)
{
    return d->Y + ((size_t)row * 2 + (size_t)side) * (size_t)m->dof;
}

/* What velocities v (nv) of a row's two bodies would make of it if their terms did not cancel. */
static inline double ss_row_terms(const ss_model *m, const ss_data *d, const ss_row_block *b,
                                  int32_t row, const double *v)
{
    double sum = 0;
    for (int side = 0; side < 2 && side < b->sides; side++) {
        if (b->body[side] < 0 || !ss_body_moves(&m->bodies[b->body[side]])) {
            continue;
        }
        const double *J  = ss_row_side(m, &d->rows, row, side);
        const double *at = v + m->bodies[b->body[side]].v_start;
        for (int32_t c = 0; c < m->dof; c++) {
            sum += fabs(J[c] * at[c]);
        }
    }
    return sum;
}

/* What a unit impulse of the row does to its own velocity: W_kk = J_k A^-1 J_k'. */
static inline double ss_row_response(const ss_model *m, const ss_data *d, const ss_row_block *b,
                                     int32_t row)
{
    double w = 0;
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] >= 0) {
            w += ss_dot_dof(ss_row_side(m, &d->rows, row, side), ss_response_side(m, d, row, side),
                            m->dof);
        }
    }
    return w;
}

/*
 * The gap at the end of a step as far as it is linear, with the velocity at which the contact
 * opens; kinematic bodies have already moved.
 */
static inline double ss_gap_at_end(double gap, double opening, double h)
{
    return gap + h * opening;
}

/* Does a joint hold a body of the block? */
static inline bool ss_block_jointed(const ss_model *m, const ss_row_block *b)
{
    bool any = false;
    for (int side = 0; side < b->sides; side++) {
        any = any || (b->body[side] >= 0 && m->bodies[b->body[side]].jointed);
    }
    return any;
}

#endif
