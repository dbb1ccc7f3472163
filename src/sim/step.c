/* SPDX-License-Identifier: Apache-2.0 */
/* One step as a straight line; docs/theory/pipeline.md prints the same list. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/hold.h"
#include "certify/certify.h"
#include "compliant/compliant.h"
#include "core/array.h"
#include "core/clock.h"
#include "core/compare.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "model/tolerances.h"
#include "rounds/sticking.h"
#include "rows/contact_state.h"
#include "sim/borders.h"
#include "sim/sim.h"
#include "sim/tolerances.h"
#include "stickslip/instant.h"

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

/* The sum of all islands; the outcome is that of the island with the largest residual. */
static void judge(ss_data *d, double h)
{
    ss_step_report *r        = &d->report;
    const bool      momentum = ss_inertia_of(d->model)->momentum;
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
    if (d->corners.open == 0 || d->cut.smallest || d->cut.uncut || d->cut.marks) {
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
    if (!m->driven) {
        return SS_OK;
    }
    SS_TRY(ss_wedged_unsolved(m, d, &wedged));
    if (wedged) {
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "t = %g: driven bodies move into what is wedged: contacts whose forces cancel "
            "each other can resist any drive (solver '%s' ended '%s' with residual %.3g)",
            d->state.t, d->report.solver, ss_outcome_text(d->report.outcome), d->report.residual);
    }
    SS_TRY(ss_check_wedges(m, d, d->report.step, &fault));
    return ss_fail_motion(m, d, &fault);
}

/* Certified and finite? */
static ss_status accept(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < m->nb; i++) {
        if (m->bodies[i].type != SS_BODY_STATIC && !finite_pose(&d->pose_next[i])) {
            return ss_fail(d->ctx, SS_ERR_NUMERICAL, "t = %g: body '%s' is nowhere (not finite)",
                           d->state.t, m->bodies[i].name);
        }
    }
    if (d->report.outcome == SS_SOLVED) {
        return accept_corners(d);
    }
    if (d->cut.marks) {
        d->report.marked = true;
        return SS_OK;
    }
    if (d->motions.unheld >= 0) {
        return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                       "t = %g: nothing touches body '%s', so nothing balances the force on it "
                       "(quasistatic)",
                       d->state.t, m->bodies[d->motions.unheld].name);
    }
    if (d->opposed >= 0) {
        return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                       "%sjoint '%s' and others contradict each other at t = %g: no motion does "
                       "what their motors, driven bodies and constraints ask for (residual %.3g)",
                       m->joints[d->opposed].where, m->joints[d->opposed].name, d->state.t,
                       d->report.residual);
    }
    if (d->prox.restless >= 0 && ss_inertia_of(m)->balanced) {
        return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                       "t = %g: nothing balances the forces on body '%s', so it does not come to "
                       "rest within the step (quasistatic; residual %.3g, tolerance %.3g)",
                       d->state.t, m->bodies[d->prox.restless].name, d->report.residual,
                       m->simulation.tolerance);
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

/* Joints are no more open where overlaps were moved apart. */
static ss_status close_again(const ss_model *m, ss_data *d)
{
    bool asked = d->shift.any && m->joint_rows > 0 && ss_integrator_of(m)->close_again != NULL;
    return asked ? ss_integrator_of(m)->close_again(m, d) : SS_OK;
}

/* Is the motion right: energies, true gaps, joints? */
static ss_status accept_motion(const ss_model *m, ss_data *d, double h)
{
    enum { MOST_SHIFTS = 4 };
    ss_fault fault;
    bool     moved = true;
    SS_TRY(ss_certify_motion(m, d, h, &fault));
    for (int i = 0; i < MOST_SHIFTS && moved && fault.kind == SS_FAULT_OVERLAP; i++) {
        SS_TRY(ss_shift_made(m, d, h, &moved)); /* rows are linear, surfaces are not */
        SS_TRY(close_again(m, d));
        SS_TRY(ss_certify_motion(m, d, h, &fault));
    }
    const ss_ledger *l           = &d->ledger;
    d->report.turnover           = l->turnover;
    d->report.restitution_factor = m->bounces ? ss_rebound_factor(m, d) : 1;
    d->report.gain               = l->restitution + l->corrections + l->integration;
    if (fault.kind != SS_FAULT_NONE && d->cut.marks) {
        d->report.marked = true;
        return SS_OK;
    }
    return ss_fail_motion(m, d, &fault);
}

/* Impulses of this step, kept under their blocks' keys for the next one. */
static void keep_impulses(ss_data *d, double h)
{
    d->state.warm_step = h;
    ss_keep_impulses(d, d->state.warm, &d->state.warm_count);
}

/* Coordinates of the joints at the trial state, turns counted. */
static void keep_joints(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < m->joint_count; i++) {
        ss_joint_coordinates(m, d, i, d->state.joint_value + (ptrdiff_t)SS_JOINT_COORDINATES * i);
        d->state.joint_load[i] = d->trial_load[i];
    }
    for (int32_t i = 0; d->rows.loose != NULL && i < d->rows.nrows; i++) {
        d->report.redundant += d->rows.loose[i];
    }
}

/* The trial state becomes the state. */
static void commit(const ss_model *m, ss_data *d, double h)
{
    if (d->timing.on) {
        memcpy(d->report.stage_seconds, d->timing.seconds, sizeof d->timing.seconds);
    }
    ss_ledger_add(&d->state.ledger, &d->ledger);
    if (m->memory_count > 0) {
        memcpy(d->state.memory, d->memory_next, (size_t)m->memory_count * sizeof *d->memory_next);
    }
    keep_impulses(d, h);
    if (m->compliant) {
        ss_keep_deflections(m, d);
    }
    if (m->two_frictions) {
        ss_keep_sticking(m, d, h);
    }
    if (m->joint_count > 0) {
        keep_joints(m, d);
    }
    for (int32_t i = 0; i < m->nb; i++) {
        if (m->bodies[i].type != SS_BODY_STATIC) {
            d->state.pose[i]  = d->pose_next[i];
            d->state.twist[i] = d->twist_next[i];
        }
        d->state.push[i] = (ss_wrench){0};
    }
    if (m->simulation.sleep) {
        ss_fall_asleep(m, d, h);
    }
    d->state.t += h;
}

void ss_data_time_stages(ss_data *d, bool on)
{
    d->timing.on = on;
    memset(d->timing.seconds, 0, sizeof d->timing.seconds);
}

void ss_data_stop_on(ss_data *d, const volatile sig_atomic_t *flag)
{
    ss_solver_common(d->solver)->stop = flag;
    if (d->balancer != NULL) {
        ss_solver_common(d->balancer)->stop = flag;
    }
    for (int32_t i = 0; i + 1 < d->threads; i++) {
        ss_solver_common(d->workers[i].solver)->stop = flag;
    }
    if (d->judge != NULL) {
        ss_instant_stop_on(d->judge, flag);
    }
}

static void set_until(ss_data *d, double until)
{
    ss_solver_common(d->solver)->until = until;
    if (d->balancer != NULL) {
        ss_solver_common(d->balancer)->until = until;
    }
    for (int32_t i = 0; i + 1 < d->threads; i++) {
        ss_solver_common(d->workers[i].solver)->until = until;
    }
}

/* Problems of more blocks than this may take long by themselves. */
enum { MANY_BLOCKS = 32 };

/*
 * The time that a step may take is counted from where it could become long: its start, where the
 * user set a time or the solver, or the step before had many contacts; a problem with many of them;
 * or its second round. Other small steps do not look at the clock.
 */
static void limit_time(const ss_model *m, ss_data *d)
{
    double limit = m->simulation.step_limit, budget = m->simulation.step_budget;
    limit = budget > 0 && (limit == 0 || budget < limit) ? budget : limit;
    if (limit > 0 && ss_solver_common(d->solver)->until == 0) {
        set_until(d, ss_clock_seconds() + limit);
    }
}

void ss_start_limit(const ss_model *m, ss_data *d)
{
    if (m->simulation.step_limit > 0 || m->simulation.step_budget > 0) {
        set_until(d, 0);
        limit_time(m, d);
    }
}

static void start_limits(const ss_model *m, ss_data *d)
{
    const ss_simulation_def *s = &m->simulation;
    if (s->step_limit == 0 && s->step_budget == 0) {
        return;
    }
    set_until(d, 0);
    bool asked = s->step_budget > 0 || s->step_limit != SS_STEP_LIMIT || s->solver != NULL;
    if (asked || d->rows.nblocks > MANY_BLOCKS || m->force_count > 0) {
        limit_time(m, d);
    }
}

static ss_status within_limit(const ss_model *m, ss_data *d)
{
    if (d->rounds.round > 0) {
        limit_time(m, d);
    }
    double until = ss_solver_common(d->solver)->until;
    if (until == 0 || ss_clock_seconds() <= until) {
        return SS_OK;
    }
    bool impulses = ss_level_of(m)->step == NULL; /* others have no trial state to take */
    if (m->simulation.step_budget > 0 &&
        impulses) { /* what there is is taken, and marked if it is not right */
        d->effort.over = d->cut.marks = true;
        return SS_OK;
    }
    return ss_fail(d->ctx, SS_ERR_INTERRUPTED,
                   "the step from t = %g s takes longer than step_limit = %g s", d->state.t,
                   m->simulation.step_limit);
}

/* Solvers that were told to stop return what they have: it must not be judged. */
ss_status ss_go_on(const ss_model *m, ss_data *d)
{
    SS_TRY(within_limit(m, d));
    return ss_not_stopped(d);
}

ss_status ss_not_stopped(ss_data *d)
{
    const volatile sig_atomic_t *stop = ss_solver_common(d->solver)->stop;
    if (stop == NULL || *stop == 0) {
        return SS_OK;
    }
    return ss_fail(d->ctx, SS_ERR_INTERRUPTED, "interrupted in the step from t = %g", d->state.t);
}

static void start_clock(ss_data *d)
{
    if (d->timing.on) {
        memset(d->timing.seconds, 0, sizeof d->timing.seconds);
        d->timing.lap = ss_clock_seconds();
    }
}

/* A stage has ended. */
static void stop_clock(ss_data *d, ss_stage_id stage)
{
    if (d->timing.on) {
        double now = ss_clock_seconds();
        d->timing.seconds[stage] += now - d->timing.lap;
        d->timing.lap = now;
    }
}

/* In builds for debugging: what a stage leaves to the next is in order. */
#ifdef SS_CHECKED
#define CHECK_BORDER(id) assert(ss_border_fault(m, d, SS_STAGE_##id) == NULL)
#else
#define CHECK_BORDER(id) ((void)0)
#endif

#define STAGE(id, call)                                                                            \
    do {                                                                                           \
        SS_TRY(call);                                                                              \
        CHECK_BORDER(id);                                                                          \
        stop_clock(d, SS_STAGE_##id);                                                              \
    } while (0)

/*
 * A step so long that most of what its bodies can reach is not touched: its problem would be many
 * times larger than what is decided in it, and once solved its motion would be cut for overlaps all
 * the same. Where a step can be cut, it is cut right away; the number of contacts in reach falls
 * with its length (not where faces are extended beyond their edges: there only far too many count).
 * A multiple of what a pile at rest has for each body (in the plane and in space), and what small
 * scenes may have.
 */
enum { CROWD_PLANE = 8, CROWD_SPACE = 24, CROWD_LEAST = 200, CROWD_EXTENDED = 20 };

/* Does the body move by a good part of itself in the step? Only then shorter ones reach less. */
static bool goes_far(const ss_model *m, const ss_data *d, int32_t i, double h)
{
    const ss_twist *t    = &d->state.twist[i];
    double          size = m->shapes[i].size > 0 ? m->shapes[i].size : m->length;
    return h * (ss_norm(t->v) + ss_norm(t->w) * m->bodies[i].extent) > SS_CROWD_FAR * size;
}

static ss_status not_crowded(const ss_model *m, ss_data *d, double h)
{
    int32_t bodies = 0, apart = 0;
    bool    far = false;
    for (int32_t i = 0; i < m->nb; i++) {
        bool moves = ss_body_moves(&m->bodies[i]);
        bodies += moves;
        far = far || (moves && goes_far(m, d, i, h));
    }
    int32_t most = CROWD_LEAST + bodies * (m->dimension == 2 ? CROWD_PLANE : CROWD_SPACE);
    most *= ss_corners_of(m)->together || ss_corners_of(m)->posed ? CROWD_EXTENDED : 1;
    if (!far || d->contacts.count <= most || !ss_solver_common(d->solver)->brief) {
        return SS_OK;
    }
    for (int32_t i = 0; i < d->contacts.count; i++) {
        apart += d->contacts.items[i].gap > SS_CROWD_APART * m->length;
    }
    if (4 * (int64_t)apart < 3 * (int64_t)d->contacts.count) {
        return SS_OK;
    }
    d->motions.unheld = d->opposed = d->prox.restless = -1; /* nothing was found out */
    d->pushed_hard                                    = false;
    return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                   "t = %g: %d contacts of %d bodies are within reach of one step", d->state.t,
                   (int)d->contacts.count, (int)bodies);
}

/* ---- a round, in four parts ------------------------------------------------------------------ */

static ss_status round_collide(const ss_model *m, ss_data *d, double h)
{
    ss_arena_release(&d->scratch, d->rounds.kept);
    STAGE(KINEMATICS, ss_kinematics(m, d, d->rounds.at, h)); /* poses -> frames, inertia  */
    if (!d->rounds.forces_stand) {
        STAGE(FORCES, ss_forces(m, d, h)); /* frames    -> applied wrenches    */
    }
    STAGE(BROAD, ss_broad(m, d, h));     /* frames    -> pairs that may meet */
    STAGE(COLLIDE, ss_collide(m, d, h)); /* pairs     -> contacts            */
    return SS_OK;
}

static ss_status round_formulate(const ss_model *m, ss_data *d, double h)
{
    if (d->contacts.count > CROWD_LEAST) {
        SS_TRY(not_crowded(m, d, h));
    }
    STAGE(ROWS, ss_make_rows(m, d, h)); /* contacts  -> J, bias, laws       */
    SS_ROUNDS(rows, m, d, h);
    STAGE(FORMULATE, ss_formulate(m, d, h)); /* rows      -> problems            */
    return SS_OK;
}

static ss_status round_solve(const ss_model *m, ss_data *d)
{
    if (d->rows.nblocks > MANY_BLOCKS) {
        limit_time(m, d);
    }
    STAGE(SOLVE, ss_solve_islands(m, d)); /* problems  -> solutions, outcomes */
    return ss_go_on(m, d);
}

static ss_status round_update(const ss_model *m, ss_data *d, double h, ss_verdict *verdict)
{
    *verdict = d->rounds.any_solved ? ss_rounds_solved(m, d) : SS_HOLDS;
    if (*verdict == SS_HOLDS || d->effort.over) {
        STAGE(SOLVE, ss_take_rest(m, d));    /* .. of several, rest              */
        STAGE(RECOVER, ss_recover(m, d, h)); /* solutions -> trial state         */
        *verdict = ss_rounds_check(m, d, h); /* did its assumptions hold?        */
        stop_clock(d, SS_STAGE_RECOVER);
    }
    return SS_OK;
}

/* The stages from kinematics to recover, under the assumptions of this round. */
static ss_status one_round(const ss_model *m, ss_data *d, double h, ss_verdict *verdict)
{
    SS_TRY(round_collide(m, d, h));
    SS_TRY(round_formulate(m, d, h));
    SS_TRY(round_solve(m, d));
    return round_update(m, d, h, verdict);
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Where a first round begins: once for a step, and again where it is done anew. */
static void begin_rounds(const ss_model *m, ss_data *d, double h)
{
    ss_rounds_begin(m, d, h);
    d->rounds.round = 0;
}

/* Rounds after the first, until all assumptions hold (rounds/reason_list.h). */
static ss_status more_rounds(const ss_model *m, ss_data *d, double h, ss_verdict verdict)
{
    for (;;) {
        for (d->rounds.round = 1; d->rounds.round < SS_ROUNDS_MAX; d->rounds.round++) {
            if (verdict == SS_HOLDS || verdict == SS_FAILS || /* then a reason is left open */
                d->effort.over) {
                break;
            }
            SS_TRY(one_round(m, d, h, &verdict));
        }
        if (!d->rounds.any_anew || d->effort.over || !ss_rounds_anew(m, d)) {
            return SS_OK;
        }
        begin_rounds(m, d, h);
        SS_TRY(one_round(m, d, h, &verdict));
    }
}

static ss_status rounds(const ss_model *m, ss_data *d, double h)
{
    ss_verdict verdict = SS_AGAIN;
    ss_rounds_start(m, d, h);
    begin_rounds(m, d, h);
    SS_TRY(one_round(m, d, h, &verdict));
    return more_rounds(m, d, h, verdict);
}

static void begin_attempt(const ss_model *m, ss_data *d)
{
    start_clock(d);
    ss_arena_reset(&d->scratch);
    ss_begin_corrections(d);
    ss_begin_sleep(m, d);
    d->gap = ss_gap_of(m);
    if (m->bounces) {
        ss_begin_rebounds(m, d);
    }
}

/* What follows the rounds. */
static ss_status end_attempt(const ss_model *m, ss_data *d, double h)
{
    if (m->bounces && ss_inertia_of(m)->momentum) {
        SS_TRY(ss_limit_rebounds(m, d, h, rounds));
    }
    if (ss_integrator_of(m)->close != NULL) {
        SS_TRY(ss_integrator_of(m)->close(m, d)); /* joints in position, apart from momentum */
    }
    SS_TRY(ss_choose_motion(m, d, h)); /* of several, the least */
    bool two = m->two_frictions;
    if (d->rows.nblocks > d->state.warm_capacity ||
        (two && d->rows.nblocks > d->state.sticking_capacity)) {
        return SS_ERR_SCRATCH; /* nowhere to keep the impulses, or what sticks */
    }
    SS_TRY(ss_shift_overlaps(m, d, h)); /* overlaps are corrected in position */
    SS_TRY(close_again(m, d));
    judge(d, h);
    SS_TRY(accept(m, d));           /* certified? finite?           */
    SS_TRY(accept_motion(m, d, h)); /* energies, true gaps, joints? */
    SS_TRY(ss_judge_hold(m, d));
    commit(m, d, h);
    return SS_OK;
}

static ss_status attempt(const ss_model *m, ss_data *d, double h)
{
    begin_attempt(m, d);
    SS_TRY(rounds(m, d, h));
    return end_attempt(m, d, h);
}

/* items of d with room for `wanted` and some more */
#define GROW(items, capacity, wanted)                                                              \
    ((items) = ss_array_grow(d->ctx, items, &(capacity), wanted, (wanted) + (wanted) / 2 + 16,     \
                             sizeof *(items), &ok))

ss_status ss_make_room(ss_data *d)
{
    int           ok     = 1;
    const int32_t blocks = d->rows.nblocks;
    GROW(d->pairs, d->pair_capacity, d->pair_count);
    GROW(d->contacts.items, d->contacts.capacity, d->contacts.count);
    GROW(d->corners.items, d->corners.capacity, d->corners.wanted);
    GROW(d->state.warm, d->state.warm_capacity, blocks);
    GROW(d->tried.items, d->tried.capacity, blocks);
    if (d->model->compliant) {
        GROW(d->springs.items, d->springs.capacity, blocks);
        GROW(d->springs.layers, d->springs.layer_capacity, d->springs.layer_count);
        GROW(d->springs.links, d->springs.link_capacity, d->springs.link_count);
        GROW(d->state.deflection, d->state.deflection_capacity, blocks);
    }
    if (d->model->two_frictions) {
        GROW(d->sticking.items, d->sticking.capacity, d->sticking.count + blocks);
        GROW(d->state.sticking, d->state.sticking_capacity, blocks);
    }
    if (ss_integrator_of(d->model)->second) {
        GROW(d->midpoint.starts, d->midpoint.start_capacity, blocks);
    }
    if (!ok) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for %d contacts", d->contacts.count);
    }
    return d->scratch.wanted > d->scratch.size ? ss_arena_grow(d->ctx, &d->scratch) : SS_OK;
}

ss_status ss_retry_with_room(ss_data *d, ss_stage stage, double h)
{
    ss_status status = SS_ERR_SCRATCH;
    for (int i = 0; status == SS_ERR_SCRATCH && i < 64; i++) {
        if (i > 0) {
            SS_TRY(ss_make_room(d));
        }
        status = stage(d->model, d, h);
    }
    return status;
}

ss_status ss_step_by_impulses(const ss_model *m, ss_data *d, double h)
{
    if (d->at_impact == NULL) {
        start_limits(m, d);
    }
    return ss_step_in_parts(d, attempt, h);
}

static ss_status check_step(const ss_model *m, const ss_data *d, double h)
{
    SS_TRY(ss_data_given(m, d, d));
    return h > 0 && isfinite(h)
               ? SS_OK
               : ss_fail(d->ctx, SS_ERR_ARGUMENT, "the step must be > 0, got %g", h);
}

/* What the report of a step says besides, however it was taken. */
static void tell_rest(ss_data *d, const ss_step_verdict *verdict, ss_status status)
{
    d->report.work        = d->effort.work;
    d->report.over_budget = d->effort.over;
    d->report.verdict     = *verdict;
    d->placed             = d->placed && status != SS_OK;
    d->cut.marks          = false;
}

/* What can be said of the state before the step, where that was asked for. */
static ss_status judge_start(const ss_model *m, ss_data *d, double h, ss_step_verdict *out)
{
    *out = (ss_step_verdict){.solutions = -1, .active = -1};
    return d->judge != NULL ? ss_judge_before(m, d, h, out) : SS_OK;
}

ss_status ss_step(const ss_model *m, ss_data *d, double h)
{
    SS_TRY(check_step(m, d, h));
    const ss_level_class *level = ss_level_of(m);
    ss_step_verdict       verdict;
    d->parted.done = SS_PART_NONE;
    SS_TRY(judge_start(m, d, h, &verdict));
    d->effort        = (ss_effort){0};
    ss_status status = level->step != NULL ? level->step(m, d, h) : ss_step_by_impulses(m, d, h);
    tell_rest(d, &verdict, status);
    return status;
}

/* ---- its four parts as calls ----------------------------------------------------------------- */

static ss_status next_part(const ss_model *m, ss_data *d, double h)
{
    ss_verdict verdict = SS_AGAIN;
    switch (d->parted.done) {
    case SS_PART_NONE:
        begin_attempt(m, d);
        ss_rounds_start(m, d, h);
        begin_rounds(m, d, h);
        return round_collide(m, d, h);
    case SS_PART_COLLIDE:
        return round_formulate(m, d, h);
    case SS_PART_FORMULATE:
        return round_solve(m, d);
    case SS_PART_SOLVE:
    case SS_PART_UPDATE:
        break;
    }
    SS_TRY(round_update(m, d, h, &verdict));
    SS_TRY(more_rounds(m, d, h, verdict));
    return end_attempt(m, d, h);
}

/* A stage (ss_retry_with_room): where there was no room, it begins with the first part again. */
static ss_status parts_wanted(const ss_model *m, ss_data *d, double h)
{
    while (d->parted.done < d->parted.wanted) {
        ss_status status = next_part(m, d, h);
        if (status != SS_OK) {
            d->parted.done = SS_PART_NONE;
            return status;
        }
        d->parted.done++;
    }
    return SS_OK;
}

/* What is left of the last step is gone as soon as the first part of the next one begins. */
static void forget_last(ss_data *d)
{
    d->contacts.count = 0;
    d->rows.nblocks   = 0;
    d->island_count   = 0;
}

/* The data as the part left it. */
static void mark_part(const ss_model *m, ss_data *d)
{
    d->parted.hash     = ss_state_hash(m, d);
    d->parted.resets   = d->scratch.resets;
    d->parted.contacts = d->contacts.count;
}

static ss_status take_part(const ss_model *m, ss_data *d, ss_step_part part)
{
    d->parted.wanted = part;
    ss_status status =
        d->parted.cut ? SS_ERR_CERTIFICATE : ss_try_whole(d, parts_wanted, d->parted.h);
    if (status != SS_OK) {
        forget_last(d);
    }
    if (status == SS_ERR_CERTIFICATE) { /* it will be cut: there is nothing to see before its end */
        d->parted.cut  = true;
        d->parted.done = part;
        status         = SS_OK;
    }
    mark_part(m, d);
    return status;
}

ss_status ss_step_collide(const ss_model *m, ss_data *d, double h)
{
    SS_TRY(check_step(m, d, h));
    if (ss_level_of(m)->step != NULL) {
        return ss_fail(d->ctx, SS_ERR_UNSUPPORTED,
                       "a step of level: %s goes from event to event: it has no parts",
                       ss_level_of(m)->name);
    }
    forget_last(d);
    d->parted = (ss_parted){.h = h};
    SS_TRY(judge_start(m, d, h, &d->parted.verdict));
    d->effort = (ss_effort){0};
    start_limits(m, d);
    return take_part(m, d, SS_PART_COLLIDE);
}

/* Is the part before this one the last thing that was done to the data? */
static ss_status follows(const ss_model *m, ss_data *d, ss_step_part part, const char *name)
{
    static const char *const before[] = {"", "", "ss_step_collide", "ss_step_formulate",
                                         "ss_step_solve"};
    SS_TRY(ss_data_given(m, d, d));
    if (d->parted.done + 1 != part) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "%s comes after %s", name, before[part]);
    }
    if (d->parted.hash != ss_state_hash(m, d) || d->parted.resets != d->scratch.resets ||
        d->parted.contacts != d->contacts.count) {
        d->parted.done = SS_PART_NONE;
        forget_last(d);
        return ss_fail(d->ctx, SS_ERR_ARGUMENT,
                       "the data was changed between the parts of a step: begin again with "
                       "ss_step_collide");
    }
    return SS_OK;
}

ss_status ss_step_formulate(const ss_model *m, ss_data *d)
{
    SS_TRY(follows(m, d, SS_PART_FORMULATE, "ss_step_formulate"));
    return take_part(m, d, SS_PART_FORMULATE);
}

ss_status ss_step_solve(const ss_model *m, ss_data *d)
{
    SS_TRY(follows(m, d, SS_PART_SOLVE, "ss_step_solve"));
    return take_part(m, d, SS_PART_SOLVE);
}

/* Steps that end parts where something touches, and steps that have to be cut, are those of
   ss_step(): the state is still that of the start. */
ss_status ss_step_update(const ss_model *m, ss_data *d)
{
    SS_TRY(follows(m, d, SS_PART_UPDATE, "ss_step_update"));
    if (m->simulation.advance == SS_ADVANCE_EVENT || d->parted.cut) {
        return ss_step(m, d, d->parted.h);
    }
    d->parted.wanted = SS_PART_UPDATE;
    ss_status status = ss_try_whole(d, parts_wanted, d->parted.h);
    d->parted.done   = SS_PART_NONE;
    if (status == SS_ERR_CERTIFICATE) {
        return ss_step(m, d, d->parted.h);
    }
    tell_rest(d, &d->parted.verdict, status);
    return status;
}
