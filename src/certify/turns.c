/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Angular momentum of islands that nothing outside acts on but known forces. Contacts, joints,
 * motors, springs and friction between its bodies act on two of them the opposite way, at one point
 * or along the line between two, so that about its centre of mass c an island has
 *
 *   d = L+ - L - sum (x_i - c) x h F_i + h T_i = 0,    L = sum m_i (x_i - c) x (v_i - u) + L_i
 *
 * with x_i, c where forces act (the start of the step; its middle, of bodies that move smoothly).
 * Dampers that act in all directions pull across the line between their ends: their torque is part
 * of the sum. Islands with drag are left out.
 *
 * Smooth steps leave d of third order, where arms of springs and joints are those that keep energy
 * and not those that keep angular momentum; others what could not be given back (recover/
 * whole_turn.c). So with x what changes hands in a step (L_i, body by body), X the sum of that over
 * the run, S the largest sum of sizes of what is added up in L, and D the sum of all |d|,
 *
 *   |d| <= max(s x, min(s (x + S), (s (X + x + S) - D)/4)),       s = SS_TURN_MOST
 *
 * as for energies (gain.c): D <= s (X + S) after every step. Each island keeps |d| <= s (x + S) of
 * its own as well, so that none hides behind a larger one.
 */
#include "certify/certify.h"
#include "certify/tolerances.h"
#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "model/axes.h"

/* Of an island: what nothing explains, what changed hands, the sizes that are added up. */
typedef struct balance {
    double off, exchanged, in_play;
    double rounded; /* .. before velocities and forces of the centre are taken out of them */
} balance;

/* The centre of mass of an island and its velocity. */
typedef struct centre {
    ss_vec3 c, u;
} centre;

/* Nothing holds it, and drag does not act on it. */
static bool is_judged(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        if (ss_block_anchors(&d->rows.blocks[isl->blocks[i]])) {
            return false;
        }
    }
    for (int32_t k = 0; k < isl->body_count; k++) {
        const ss_body *b = &m->bodies[isl->bodies[k]];
        if (ss_body_drags(b)) {
            return false;
        }
    }
    return true;
}

static centre centre_of(const ss_model *m, const ss_island *isl, const ss_pose *poses,
                        const ss_twist *twists)
{
    double  mass = 0;
    ss_vec3 c = {0, 0, 0}, u = {0, 0, 0};
    for (int32_t k = 0; k < isl->body_count; k++) {
        int32_t i = isl->bodies[k];
        mass += m->bodies[i].mass;
        c = ss_axpy(c, m->bodies[i].mass, poses[i].p);
        u = ss_axpy(u, m->bodies[i].mass, twists[i].v);
    }
    return (centre){ss_scale(1 / mass, c), ss_scale(1 / mass, u)};
}

/* Of body i about the centre; *size: without what cancels. */
static ss_vec3 turn_of(const ss_model *m, int32_t i, const ss_pose *poses, const ss_twist *twists,
                       const centre *at, double *size)
{
    const ss_body *b = &m->bodies[i];
    ss_vec3        r = ss_sub(poses[i].p, at->c), v = ss_sub(twists[i].v, at->u);
    ss_vec3        spin = ss_own_momentum(m, b, &poses[i], twists[i].w);
    *size += b->mass * ss_norm(r) * ss_norm(v) + ss_norm(spin);
    return ss_axpy(spin, b->mass, ss_cross(r, v));
}

/* Where forces act on a body, over the step: twice that. */
static ss_vec3 twice_place(const ss_data *d, int32_t i)
{
    ss_vec3 start = d->state.pose[i].p;
    return ss_add(start, d->midpoint.smooth[i] ? d->shift.moved[i].p : start);
}

static ss_vec3 centre_of_forces(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    double  mass = 0;
    ss_vec3 c    = {0, 0, 0};
    for (int32_t k = 0; k < isl->body_count; k++) {
        int32_t i = isl->bodies[k];
        mass += m->bodies[i].mass;
        c = ss_axpy(c, 0.5 * m->bodies[i].mass, twice_place(d, i));
    }
    return ss_scale(1 / mass, c);
}

static bool pulls_across(const ss_model *m, const ss_row_block *b)
{
    return b->source == SS_ROWS_GIVE && b->part == 0 && m->forces[b->index].damping > 0 &&
           !m->forces[b->index].axial;
}

/* Angular impulse about c of a block that pulls across the line between its ends. */
static ss_vec3 torque_of_block(const ss_model *m, const ss_data *d, const ss_row_block *b,
                               ss_vec3 c)
{
    ss_vec3 sum = {0, 0, 0};
    for (int32_t row = b->row; row < b->row + b->dim; row++) {
        for (int side = 0; side < b->sides; side++) {
            const double *J    = ss_row_side(m, &d->rows, row, side);
            bool          flat = m->dimension == 2;
            ss_vec3       r    = ss_sub(ss_scale(0.5, twice_place(d, b->body[side])), c);
            ss_vec3       push = ss_v3(J[0], J[1], flat ? 0 : J[2]);
            ss_vec3       turn = flat ? ss_v3(0, 0, J[2]) : ss_v3(J[3], J[4], J[5]);
            sum = ss_axpy(sum, d->rows.impulse[row], ss_add(turn, ss_cross(r, push)));
        }
    }
    return sum;
}

/* Of forces and such blocks. */
static ss_vec3 explained(const ss_model *m, const ss_data *d, const ss_island *isl, double h)
{
    ss_vec3 sum = {0, 0, 0}, c = centre_of_forces(m, d, isl);
    for (int32_t k = 0; k < isl->body_count; k++) {
        int32_t          i = isl->bodies[k];
        const ss_wrench *f = &d->applied[i];
        ss_vec3          r = ss_sub(ss_scale(0.5, twice_place(d, i)), c);
        sum                = ss_axpy(sum, h, ss_cross(r, f->force));
        sum                = m->bodies[i].dof == m->dof ? ss_axpy(sum, h, f->torque) : sum;
    }
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        sum                   = pulls_across(m, b) ? ss_add(sum, torque_of_block(m, d, b, c)) : sum;
    }
    return sum;
}

static double arm_of(const ss_data *d, int32_t i, const centre *at)
{
    return ss_norm(ss_sub(d->state.pose[i].p, at->c));
}

/* Momentum of a body, and what forces change of it. */
static double pushes_of(const ss_model *m, const ss_data *d, int32_t i, double h)
{
    double speed = ss_max(ss_norm(d->state.twist[i].v), ss_norm(d->twist_next[i].v));
    return m->bodies[i].mass * speed + h * ss_norm(d->applied[i].force);
}

static balance balance_of(const ss_model *m, const ss_data *d, const ss_island *isl, double h)
{
    balance x      = {0};
    double  before = 0, after = 0;
    centre  was = centre_of(m, isl, d->state.pose, d->state.twist);
    centre  is  = centre_of(m, isl, d->pose_next, d->twist_next);
    ss_vec3 off = ss_scale(-1, explained(m, d, isl, h));
    for (int32_t k = 0; k < isl->body_count; k++) {
        int32_t i = isl->bodies[k];
        ss_vec3 L = turn_of(m, i, d->state.pose, d->state.twist, &was, &before);
        ss_vec3 D = ss_sub(turn_of(m, i, d->pose_next, d->twist_next, &is, &after), L);
        off       = ss_add(off, D);
        x.exchanged += ss_norm(D);
        x.rounded += arm_of(d, i, &was) * pushes_of(m, d, i, h);
    }
    x.off     = ss_norm(off);
    x.in_play = ss_max(before, after);
    return x;
}

static void judge(double off, double allowed, int32_t body, ss_fault *fault)
{
    if (fault->kind == SS_FAULT_NONE && !(off <= allowed)) {
        *fault = (ss_fault){SS_FAULT_WHOLE, off, allowed, NULL, {body, -1}};
    }
}

/* What of the run is left for a step, or its own share. */
static double share_of_run(const ss_ledger *run, const ss_ledger *step)
{
    double most = step->turn_exchanged + ss_max(run->turn_in_play, step->turn_in_play);
    double rest = SS_GAIN_OF_REST * (SS_TURN_MOST * (run->turn_exchanged + most) - run->turn_off);
    return ss_max(SS_TURN_MOST * step->turn_exchanged, ss_min(rest, SS_TURN_MOST * most));
}

void ss_check_turns(const ss_model *m, ss_data *d, double h, ss_fault *fault)
{
    ss_ledger *step = &d->ledger;
    int32_t    body = -1;
    if (!ss_inertia_of(m)->momentum) {
        return;
    }
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_island *isl = &d->islands[i];
        if (!is_judged(m, d, isl)) {
            continue;
        }
        balance x    = balance_of(m, d, isl, h);
        double  size = x.exchanged + x.in_play, none = SS_MOMENTUM_OFF * (size + x.rounded);
        judge(x.off, SS_TURN_MOST * size + none, isl->bodies[0], fault);
        step->turn_off += ss_max(x.off - none, 0);
        step->turn_exchanged += x.exchanged;
        step->turn_in_play += x.in_play;
        body = body < 0 ? isl->bodies[0] : body;
    }
    if (body >= 0) {
        judge(step->turn_off, share_of_run(&d->state.ledger, step), body, fault);
    }
}
