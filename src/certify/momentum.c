/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Are the velocities at the end of the step those that forces and impulses explain? For every body
 * with momentum, with P = h F + J'p from forces and reported impulses alone,
 *
 *   linear     m (v+ - v) = P_v
 *   angular    L+ - L = P_w,      L = R I R'w in world axes
 *
 * The first is linear and holds to rounding; so is the second in the plane and of bodies whose
 * inertia is that of a ball. Of others it is a nonlinear equation in the turn of the body where it
 * moves smoothly (docs/theory/integrator.md; up to the angle that it turns by times the impulses,
 * whose arms may be those of the start), or turns freely after impulses have acted on it
 * (midpoint/first_turns.c). Where it was not solved, the body turns with a velocity
 * that nothing gave it, and may have less energy than before: the check of energy gains says
 * nothing then.
 *
 * Closing joints at the end of the step takes velocities out, with the energy E of dv'M dv/2 <= E
 * in an island (midpoint/close_joints.c): a body of mass m may have sqrt(2 m E) less, one of
 * inertia I sqrt(2 I E). Drag is not among the forces; bodies that it acts on are left out.
 */
#include <math.h>
#include <string.h>

#include "certify/certify.h"
#include "certify/tolerances.h"
#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "model/axes.h"

/* Of one body: momenta that are explained, and how well they are known. */
typedef struct pushed {
    double linear, angular; /* sums of the sizes of impulses */
    double closed;          /* energy that closing joints took out of its island */
} pushed;

static bool is_judged(const ss_body *b)
{
    return ss_body_moves(b) && !ss_body_drags(b);
}

/* L = I w with the same I wherever the body has turned to: the balance is linear. */
static bool turn_is_linear(const ss_model *m, const ss_body *b)
{
    return m->dimension == 2 || b->round;
}

/* Steps of first order of piles, and of a body with joints whose inertia turns with it, know its
   turn to first order alone. */
static bool turn_is_judged(const ss_model *m, const ss_data *d, int32_t i)
{
    const ss_body *b = &m->bodies[i];
    return b->dof == m->dof &&
           (turn_is_linear(m, b) || d->midpoint.smooth[i] || d->midpoint.turns_after[i]);
}

static void add_sizes(const ss_model *m, const ss_data *d, pushed *x)
{
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        for (int32_t row = b->row; row < b->row + b->dim; row++) {
            double p = fabs(d->rows.impulse[row]);
            for (int side = 0; p > 0 && side < b->sides; side++) {
                if (b->body[side] >= 0) {
                    const double *J = ss_row_side(m, &d->rows, row, side);
                    ss_twist      t = ss_twist_from_vector(m, m->dof, J);
                    x[b->body[side]].linear += p * ss_norm(t.v);
                    x[b->body[side]].angular += p * ss_norm(t.w);
                }
            }
        }
    }
    for (int32_t i = 0; i < d->island_count; i++) {
        for (int32_t k = 0; k < d->islands[i].body_count; k++) {
            x[d->islands[i].bodies[k]].closed =
                d->islands[i].closed_most + d->islands[i].turned_most;
        }
    }
}

static ss_twist explained(const ss_model *m, int32_t i, const ss_rates *rates)
{
    const ss_body *b = &m->bodies[i];
    return ss_twist_from_vector(m, b->dof, rates->push + b->v_start);
}

/* L+ of a body that was put elsewhere turning as before in its own axes: corrections of overlaps
   turn it so, and are none of the step's momentum. */
static ss_vec3 turn_after(const ss_model *m, const ss_data *d, int32_t i, const ss_rates *rates)
{
    const ss_quat q = d->pose_next[i].q, at = d->shift.moved[i].q;
    if (turn_is_linear(m, &m->bodies[i]) ||
        (q.w == at.w && q.x == at.x && q.y == at.y && q.z == at.z)) {
        return rates->spins[i];
    }
    ss_mat3 R = ss_mat3_from_quat(q), was = ss_mat3_from_quat(at);
    return ss_mul(&was, ss_tmul(&R, rates->spins[i]));
}

/* By how much a body misses its balances; 0: a turn that is not judged. */
typedef struct missed {
    double linear, angular;
} missed;

static missed missed_by(const ss_model *m, const ss_data *d, int32_t i, const ss_rates *rates,
                        const ss_twist *P)
{
    ss_vec3 change = ss_sub(d->twist_next[i].v, d->state.twist[i].v);
    missed  x      = {ss_norm(ss_sub(ss_scale(m->bodies[i].mass, change), P->v)), 0};
    if (turn_is_judged(m, d, i)) {
        ss_vec3 turned = ss_sub(turn_after(m, d, i, rates), rates->spun[i]);
        x.angular      = ss_norm(ss_sub(turned, P->w));
    }
    return x;
}

static void judge_linear(const ss_model *m, const ss_data *d, int32_t i, double h, double off,
                         const pushed *x, ss_fault *fault)
{
    const ss_body *b       = &m->bodies[i];
    double         speeds  = ss_norm(d->twist_next[i].v) + ss_norm(d->state.twist[i].v);
    double         all     = b->mass * speeds + h * ss_norm(d->applied[i].force) + x->linear;
    double         allowed = SS_MOMENTUM_OFF * all + sqrt(2 * b->mass * x->closed);
    if (!(off <= allowed)) {
        *fault = (ss_fault){SS_FAULT_MOMENTUM, off / all, allowed / all, NULL, {i, -1}};
    }
}

/* The angle, at most. */
static double turned(const ss_data *d, int32_t i, double h)
{
    return h * ss_max(ss_norm(d->state.twist[i].w), ss_norm(d->twist_next[i].w));
}

/* The largest moment of inertia, or more. */
static double inertia_size(const ss_body *b)
{
    return b->inertia.m[0] + b->inertia.m[4] + b->inertia.m[8];
}

static void judge_angular(const ss_model *m, const ss_data *d, int32_t i, double h,
                          const ss_rates *rates, double off, const pushed *x, ss_fault *fault)
{
    const ss_body *b    = &m->bodies[i];
    double         size = ss_norm(rates->spun[i]) + ss_norm(rates->spins[i]);
    double         all  = size + h * ss_norm(d->applied[i].torque) + x->angular +
                 ss_body_arm(m, i) * x->linear; /* arm x push is rounded */
    bool   smooth  = d->midpoint.smooth[i] && !turn_is_linear(m, b);
    double arms    = smooth ? turned(d, i, h) * x->angular : 0;
    double allowed = SS_MOMENTUM_OFF * all + arms + sqrt(2 * inertia_size(b) * x->closed);
    double speed   = ss_body_arm(m, i) * off / inertia_size(b); /* rounding of rounding is none */
    if (!(off <= allowed) && !ss_goes_nowhere(m, speed)) {
        *fault = (ss_fault){SS_FAULT_TURN, off / all, allowed / all, NULL, {i, -1}};
    }
}

/* What all impulses on a body come to: their sizes are no less. */
static pushed pushed_at_least(const ss_data *d, int32_t i, double h, const ss_twist *P)
{
    return (pushed){.linear  = ss_norm(ss_axpy(P->v, -h, d->applied[i].force)),
                    .angular = ss_norm(ss_axpy(P->w, -h, d->applied[i].torque))};
}

/* x: of every body; NULL: the least that they can be. Most bodies miss their balances by less than
   what is allowed for the forces on them, or for what they turn with, alone. */
static void judge_body(const ss_model *m, const ss_data *d, int32_t i, double h,
                       const ss_rates *rates, const pushed *x, ss_fault *fault)
{
    const ss_twist P       = explained(m, i, rates);
    const missed   off     = missed_by(m, d, i, rates, &P);
    bool           linear  = off.linear <= SS_MOMENTUM_OFF * h * ss_norm(d->applied[i].force);
    bool           angular = off.angular <= SS_MOMENTUM_OFF * ss_norm(rates->spun[i]);
    if (linear && angular) {
        return;
    }
    const pushed own = x != NULL ? x[i] : pushed_at_least(d, i, h, &P);
    if (!linear) {
        judge_linear(m, d, i, h, off.linear, &own, fault);
    }
    if (!angular && fault->kind == SS_FAULT_NONE) {
        judge_angular(m, d, i, h, rates, off.angular, &own, fault);
    }
}

static void judge_bodies(const ss_model *m, const ss_data *d, double h, const ss_rates *rates,
                         const pushed *x, ss_fault *fault)
{
    for (int32_t i = 0; i < m->nb && fault->kind == SS_FAULT_NONE; i++) {
        if (!ss_sleeps(d, i) && is_judged(&m->bodies[i])) {
            judge_body(m, d, i, h, rates, x, fault);
        }
    }
}

/* Sizes of impulses only allow for more: they are asked for where their sums do not do. */
ss_status ss_check_momentum(const ss_model *m, ss_data *d, double h, const ss_rates *rates,
                            ss_fault *fault)
{
    if (fault->kind != SS_FAULT_NONE || !ss_inertia_of(m)->momentum) {
        return SS_OK;
    }
    judge_bodies(m, d, h, rates, NULL, fault);
    if (fault->kind == SS_FAULT_NONE) {
        return SS_OK;
    }
    *fault       = (ss_fault){SS_FAULT_NONE, 0, 0, NULL, {-1, -1}};
    size_t  mark = ss_arena_mark(&d->scratch);
    pushed *x    = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *x);
    if (x == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(x, 0, (size_t)m->nb * sizeof *x);
    add_sizes(m, d, x);
    judge_bodies(m, d, h, rates, x, fault);
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}
