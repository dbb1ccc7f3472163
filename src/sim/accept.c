/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of an attempt: what the solvers reported, summed up; is the trial state certified and
 * finite; is its motion right? Says why not.
 */
#include "sim/step.h"

#include <math.h>
#include <stdio.h>

#include "analysis/hold.h"
#include "analysis/witness.h"
#include "certify/certify.h"
#include "core/compare.h"
#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "midpoint/midpoint.h"
#include "rows/contact_state.h"
#include "sim/sim.h"
#include "sim/tolerances.h"

static bool finite_pose(const ss_pose *p)
{
    return isfinite(p->p.x + p->p.y + p->p.z + p->q.w + p->q.x + p->q.y + p->q.z + p->angle);
}

/* Did the rounds run out before all their assumptions held? */
static bool unsettled(const ss_data *d)
{
    return d->rounds.open != NULL && !d->rounds.open->judged;
}

/* They stand for forces, not for constraints. */
static int32_t rows_that_give(const ss_data *d, const ss_island *isl)
{
    int32_t n = 0;
    for (int32_t i = 0; d->rows.give != NULL && i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        n += b->source == SS_ROWS_GIVE ? b->dim : 0;
    }
    return n;
}

/* Short of its target, yet within the tolerance of the certificate, is solved. */
static ss_outcome outcome_of(const ss_data *d, const ss_island *isl)
{
    const ss_solution *x = &isl->solution;
    return ss_island_solved(d->model, isl) ? SS_SOLVED
           : x->outcome == SS_SOLVED       ? SS_INACCURATE
                                           : x->outcome;
}

/* The outcome is that of the island with the largest residual. */
void ss_judge_step(ss_data *d, double h)
{
    ss_step_report *r        = &d->report;
    const bool      momentum = ss_inertia_of(d->model)->momentum;
    d->part                  = h;
    *r                       = (ss_step_report){.step         = h,
                                                .outcome      = SS_SOLVED,
                                                .solver       = ss_solver_class_of(d->solver)->name,
                                                .islands      = d->island_count,
                                                .contacts     = d->contacts.count,
                                                .rounds       = d->rounds.round,
                                                .gaps_dropped = d->gap != ss_gap_of(d->model),
                                                .motion       = d->motions.verdict,
                                                .corners_open = d->corners.open};
    if (d->impact.phase == SS_PHASE_EXPANSION) {
        r->residual   = d->impact.residual;
        r->iterations = d->impact.iterations;
    }
    double worst = 0;
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_solution *x = &d->islands[i].solution;
        r->residual          = ss_max(r->residual, x->residual);
        r->motion_error      = ss_max(r->motion_error, momentum ? x->motion : 0);
        r->iterations += x->iterations;
        r->rows += ss_problem_size(&d->islands[i].reduced) - rows_that_give(d, &d->islands[i]);
        ss_outcome outcome = outcome_of(d, &d->islands[i]);
        if (outcome != SS_SOLVED && !(x->residual <= worst)) {
            r->outcome = outcome;
            worst      = isnan(x->residual) ? INFINITY : x->residual;
        }
        r->by_motion += outcome == SS_SOLVED && !ss_island_exact(d->model, &d->islands[i]);
    }
    if (d->motions.unheld >= 0) {
        r->outcome  = SS_INFEASIBLE; /* 0 = h F does not hold */
        r->residual = fmax(r->residual, 1);
    }
    if (unsettled(d) && r->outcome == SS_SOLVED) {
        r->outcome = SS_LIMIT;
    }
}

/* Shorter steps pass fewer edges at a time. What cutting does not help is taken as it is, and says
   so: bodies may be held by the extension of a face there. */
static ss_status accept_corners(const ss_data *d)
{
    if (d->corners.open == 0 || d->cut.part.smallest || d->cut.stretch.uncut || d->cut.marks) {
        return SS_OK;
    }
    return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                   "t = %g: no choice of branches agrees with the motion at %d corners", d->state.t,
                   d->corners.open);
}

/* A step that was not solved: is that because there is no solution for what is driven? */
static ss_status accept_drives(const ss_model *m, ss_data *d)
{
    bool     wedged = false;
    ss_fault fault  = {.kind = SS_FAULT_NONE};
    if (!m->drives) {
        return SS_OK;
    }
    SS_TRY(ss_wedged_unsolved(m, d, &wedged));
    d->cut.why.wedged = wedged;
    if (wedged) {
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "t = %g: what is driven moves into what is wedged: contacts whose forces cancel "
            "each other can resist any drive (solver '%s' ended '%s' with residual %.3g)",
            d->state.t, d->report.solver, ss_outcome_text(d->report.outcome), d->report.residual);
    }
    SS_TRY(ss_check_wedges(m, d, d->report.step, &fault));
    return ss_fail_motion(m, d, &fault);
}

static ss_status all_finite(const ss_model *m, const ss_data *d)
{
    for (int32_t i = 0; i < m->nb; i++) {
        if (m->bodies[i].type != SS_BODY_STATIC && !finite_pose(&d->pose_next[i])) {
            return ss_fail(d->ctx, SS_ERR_NUMERICAL, "t = %g: body '%s' is nowhere (not finite)",
                           d->state.t, m->bodies[i].name);
        }
    }
    return SS_OK;
}

/* Bodies besides the one that is named which move in the witness. */
static int32_t others_of_witness(const ss_model *m, const ss_data *d)
{
    int32_t others = -1;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        others += ss_body_moves(b) && ss_speed_of(m, i, d->witness.w + b->v_start) > SS_MOVES_ALONG;
    }
    return others;
}

/* "goes by (0.6, -0.8) m/s and turns by 0.1 rad/s" */
static void write_way(const ss_model *m, int32_t dof, const double *v, size_t size, char *to)
{
    double told[6];
    for (int32_t k = 0; k < m->dof; k++) {
        told[k] = fabs(v[k]) > SS_MOVES_ALONG ? v[k] : 0; /* the rest is rounding */
    }
    ss_twist w = ss_twist_from_vector(m, dof, told);
    if (m->dimension == 2) {
        snprintf(to, size, "goes by (%.3g, %.3g) m/s and turns by %.3g rad/s", w.v.x, w.v.y, w.w.z);
    } else {
        snprintf(to, size, "goes by (%.3g, %.3g, %.3g) m/s and turns by (%.3g, %.3g, %.3g) rad/s",
                 w.v.x, w.v.y, w.v.z, w.w.x, w.w.y, w.w.z);
    }
}

static ss_twist twist_of_witness(const ss_model *m, const ss_data *d, int32_t body)
{
    const ss_twist none  = {{0, 0, 0}, {0, 0, 0}};
    bool           moves = body >= 0 && ss_body_moves(&m->bodies[body]);
    return moves ? ss_twist_from_vector(m, m->bodies[body].dof,
                                        d->witness.w + m->bodies[body].v_start)
                 : none;
}

/* Does the force of a spring do work in the witness? It gives way, and will oppose it. */
static bool spring_pulls(const ss_model *m, const ss_data *d, int32_t force)
{
    const ss_force *f    = &m->forces[force];
    double          work = 0, most = 0;
    for (int side = 0; side < 2; side++) {
        const ss_wrench *x = &d->acting[2 * force + side];
        ss_twist         w = twist_of_witness(m, d, f->body[side]);
        work += ss_dot(x->force, w.v) + ss_dot(x->torque, w.w);
        most += ss_norm(x->force) * ss_norm(w.v) + ss_norm(x->torque) * ss_norm(w.w);
    }
    return f->stiffness > 0 && work > SS_MOVES_ALONG * most;
}

static bool joint_springs_move(const ss_model *m, const ss_data *d, const ss_joint *j)
{
    double stiffness = 0, moves = 0;
    for (int k = 0; k < SS_JOINT_COORDINATES; k++) {
        stiffness = fmax(stiffness, j->coordinate[k].stiffness);
    }
    for (int side = 0; side < 2; side++) {
        ss_twist w = twist_of_witness(m, d, j->body[side]);
        moves      = fmax(moves, fmax(ss_norm(w.v), ss_norm(w.w)));
    }
    return stiffness > 0 && moves > SS_MOVES_ALONG;
}

static bool springs_pull(const ss_model *m, const ss_data *d)
{
    bool any = false;
    for (int32_t i = 0; i < m->force_count; i++) {
        any = any || spring_pulls(m, d, i);
    }
    for (int32_t i = 0; m->joint_springs && i < m->joint_count; i++) {
        any = any || joint_springs_move(m, d, &m->joints[i]);
    }
    return any;
}

/* Without momentum: where there is a proof that nothing balances the forces, it is told. */
static ss_status accept_witness(const ss_model *m, const ss_data *d)
{
    enum { WAY = 160, COUNT = 48 };
    char way[WAY], with[COUNT] = "";
    if (!ss_inertia_of(m)->balanced || d->witness.verdict == SS_BALANCE_OPEN) {
        return SS_OK;
    }
    const ss_body *b      = &m->bodies[d->witness.body];
    int32_t        others = others_of_witness(m, d);
    bool           here   = d->witness.verdict == SS_BALANCE_NOT_HERE;
    write_way(m, b->dof, d->witness.w + b->v_start, sizeof way, way);
    if (others > 0) {
        snprintf(with, sizeof with, " (%d other%s with it)", (int)others, others == 1 ? "" : "s");
    }
    return ss_fail(
        d->ctx, SS_ERR_CERTIFICATE,
        "t = %g: nothing balances the forces on body '%s'%s: they do work where it %s%s, "
        "which nothing%s opposes%s (quasistatic; residual %.3g, tolerance %.3g)",
        d->state.t, b->name, here ? " where it is" : "", way, with, here ? " that touches" : "",
        springs_pull(m, d)
            ? " but springs, which act in a step with the force that they have at its start"
            : "",
        d->report.residual, m->simulation.tolerance);
}

ss_status ss_accept(const ss_model *m, ss_data *d)
{
    if (d->report.outcome == SS_SOLVED || d->cut.marks) {
        SS_TRY(all_finite(m, d)); /* what was not solved is cut, whatever its state */
    }
    if (d->report.outcome == SS_SOLVED) {
        return accept_corners(d);
    }
    if (d->cut.marks) {
        d->report.marked = true;
        return SS_OK;
    }
    if (ss_inertia_of(m)->balanced) {
        SS_TRY(ss_find_witness(m, d));
    }
    if (d->motions.unheld >= 0) {
        return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                       "t = %g: nothing touches body '%s', so nothing balances the force on it "
                       "(quasistatic)",
                       d->state.t, m->bodies[d->motions.unheld].name);
    }
    SS_TRY(accept_witness(m, d));
    if (d->opposed >= 0) {
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "%sjoint '%s' and others contradict each other at t = %g: no motion %s "
            "(residual %.3g)",
            m->joints[d->opposed].where, m->joints[d->opposed].name, d->state.t,
            d->opposed_by_none
                ? "keeps all of them closed, near a point where their rows depend on each other"
                : "does what their motors, driven bodies and constraints ask for",
            d->report.residual);
    }
    if (d->prox.restless >= 0 && ss_inertia_of(m)->balanced) {
        SS_TRY(accept_drives(m, d));
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "t = %g: nothing balances the forces on body '%s'%s, so it does not come to "
            "rest within the step (quasistatic; residual %.3g, tolerance %.3g)",
            d->state.t, m->bodies[d->prox.restless].name,
            d->motions.preload
                ? " but contacts that press each other, which the load does not make them"
                : "",
            d->report.residual, m->simulation.tolerance);
    }
    if (m->tilts && d->tips >= 0) {
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "t = %g: body '%s' tips: pushed at this height, a point of its support would "
            "have to pull, and friction of what pushes it cannot hold it down; what "
            "lifts off needs a 3D scene",
            d->state.t, m->bodies[d->tips].name);
    }
    if (unsettled(d) && d->report.outcome == SS_LIMIT) {
        return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                       "t = %g: after %d rounds of the step, %s still changes from round to round",
                       d->state.t, d->report.rounds, d->rounds.open->name);
    }
    SS_TRY(accept_drives(m, d));
    return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                   "t = %g: solver '%s' ended '%s' with residual %.3g (tolerance %.3g)", d->state.t,
                   d->report.solver, ss_outcome_text(d->report.outcome), d->report.residual,
                   m->simulation.tolerance);
}

ss_status ss_close_again(const ss_model *m, ss_data *d)
{
    bool asked = d->shift.any && m->joint_rows > 0 && ss_integrator_of(m)->close_again != NULL;
    return asked ? ss_integrator_of(m)->close_again(m, d) : SS_OK;
}

/*
 * Each time overlaps are moved apart their contacts are found anew. A flat side that comes to lie
 * on a nearly flat one has one there, its deepest corner, about which it turns into the next: what
 * is left falls by a third to a half each time.
 */
enum { MOST_SHIFTS = 12 };

/* Corners that met on their way, and are apart again. */
static ss_status ask_grazes(const ss_model *m, ss_data *d, double h, ss_fault *fault)
{
    for (int32_t at = 0; !d->midpoint.late; at++) {
        SS_TRY(ss_find_graze(m, d, h, &at));
        if (at == d->pair_count) {
            return SS_OK;
        }
        const ss_pair *pair = &d->pairs[at];
        int32_t        a = m->geoms[pair->a].body, b = m->geoms[pair->b].body;
        d->midpoint.late = ss_ask_pairs_of(m, d, a, b);
        if (d->midpoint.late) {
            *fault = (ss_fault){SS_FAULT_PASSAGE, 0, 0, NULL, {a, b}};
        }
    }
    return SS_OK;
}

ss_status ss_accept_motion(const ss_model *m, ss_data *d, double h)
{
    ss_fault fault;
    bool     moved = true;
    SS_TRY(ss_certify_motion(m, d, h, &fault));
    for (int i = 0; i < MOST_SHIFTS && moved && fault.kind == SS_FAULT_OVERLAP; i++) {
        SS_TRY(ss_shift_made(m, d, h, &moved)); /* rows are linear, surfaces are not */
        SS_TRY(ss_close_again(m, d));
        ss_keep_turns(m, d);
        SS_TRY(ss_certify_motion(m, d, h, &fault));
    }
    bool met = fault.kind == SS_FAULT_OVERLAP || fault.kind == SS_FAULT_PASSAGE;
    if (met && d->cut.event.asked && ss_integrator_of(m)->second) {
        d->midpoint.late = ss_ask_pairs_of(m, d, fault.index[0], fault.index[1]);
    }
    if (fault.kind == SS_FAULT_NONE && d->cut.event.asked && ss_integrator_of(m)->second) {
        SS_TRY(ask_grazes(m, d, h, &fault));
    }
    const ss_ledger *l           = &d->ledger;
    d->report.turnover           = l->turnover;
    d->report.restitution_factor = m->bounces ? ss_rebound_factor(m, d) : 1;
    d->report.gain               = l->restitution + l->corrections + l->integration;
    if (fault.kind != SS_FAULT_NONE && d->cut.marks) {
        d->report.marked = true;
        return SS_OK;
    }
    bool went = fault.kind == SS_FAULT_OVERLAP || fault.kind == SS_FAULT_HOVER;
    if (fault.kind == SS_FAULT_FALLS || (went && ss_inertia_of(m)->balanced)) {
        SS_TRY(ss_find_witness(m, d)); /* the message is of the fall, the proof beside it */
    }
    if (went) { /* rows balanced bodies elsewhere: that nothing does where they are is the cause */
        SS_TRY(accept_witness(m, d));
    }
    return ss_fail_motion(m, d, &fault);
}
