/* SPDX-License-Identifier: Apache-2.0 */
/* One step as a straight line; docs/theory/pipeline.md prints the same list. */
#include "sim/step.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/hold.h"
#include "certify/certify.h"
#include "core/clock.h"
#include "dynamics/kept_pairs.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "sim/borders.h"
#include "sim/sim.h"

void ss_data_time_stages(ss_data *d, bool on)
{
    d->timing.on = on;
    memset(d->timing.seconds, 0, sizeof d->timing.seconds);
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

/* ---- a round, in four parts ------------------------------------------------------------------ */

ss_status ss_round_collide(const ss_model *m, ss_data *d, double h)
{
    ss_arena_release(&d->scratch, d->rounds.kept);
    STAGE(KINEMATICS, ss_kinematics(m, d, d->rounds.at, h)); /* poses -> frames, inertia  */
    if (!d->rounds.forces_stand) {
        STAGE(FORCES, ss_forces(m, d, h)); /* frames    -> applied wrenches    */
    }
    if (d->impact.phase == SS_PHASE_EXPANSION) {
        return SS_OK; /* of the contacts that were compressed, whatever torques say since */
    }
    STAGE(BROAD, ss_broad(m, d, h));     /* frames    -> pairs that may meet */
    STAGE(COLLIDE, ss_collide(m, d, h)); /* pairs     -> contacts            */
    return SS_OK;
}

ss_status ss_round_formulate(const ss_model *m, ss_data *d, double h)
{
    if (d->contacts.count > SS_CROWD_LEAST) {
        SS_TRY(ss_not_crowded(m, d, h));
    }
    STAGE(ROWS, ss_make_rows(m, d, h)); /* contacts  -> J, bias, laws       */
    SS_ROUNDS(rows, m, d, h);
    STAGE(FORMULATE, ss_formulate(m, d, h)); /* rows      -> problems            */
    return SS_OK;
}

ss_status ss_round_solve(const ss_model *m, ss_data *d)
{
    if (d->rows.nblocks > SS_MANY_BLOCKS) {
        ss_limit_time(m, d);
    }
    ss_allow_work(m, d);
    STAGE(SOLVE, ss_solve_islands(m, d)); /* problems  -> solutions, outcomes */
    SS_TRY(ss_not_laborious(d));
    return ss_go_on(m, d);
}

ss_status ss_round_update(const ss_model *m, ss_data *d, double h, ss_verdict *verdict)
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
    SS_TRY(ss_round_collide(m, d, h));
    SS_TRY(ss_round_formulate(m, d, h));
    SS_TRY(ss_round_solve(m, d));
    return ss_round_update(m, d, h, verdict);
}

/* ---- a step ---------------------------------------------------------------------------------- */

void ss_begin_rounds(const ss_model *m, ss_data *d, double h)
{
    ss_rounds_begin(m, d, h);
    d->rounds.round = 0;
}

ss_status ss_more_rounds(const ss_model *m, ss_data *d, double h, ss_verdict verdict)
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
        ss_begin_rounds(m, d, h);
        SS_TRY(one_round(m, d, h, &verdict));
    }
}

static ss_status rounds(const ss_model *m, ss_data *d, double h)
{
    ss_verdict verdict = SS_AGAIN;
    ss_rounds_start(m, d, h);
    ss_begin_rounds(m, d, h);
    SS_TRY(one_round(m, d, h, &verdict));
    return ss_more_rounds(m, d, h, verdict);
}

void ss_begin_attempt(const ss_model *m, ss_data *d)
{
    start_clock(d);
    ss_arena_reset(&d->scratch);
    d->effort.products = 0;
    d->witness.verdict = SS_BALANCE_OPEN;
    ss_forget_kept(d);
    ss_begin_corrections(d);
    ss_begin_sleep(m, d);
    d->gap = ss_gap_of(m);
    if (m->bounces) {
        ss_begin_rebounds(m, d);
    }
}

ss_status ss_end_attempt(const ss_model *m, ss_data *d, double h)
{
    bool ends_here = !ss_happens_within(d); /* others are taken in parts */
    if (m->bounces && ss_inertia_of(m)->momentum && ends_here) {
        SS_TRY(ss_limit_rebounds(m, d, h, rounds));
    }
    ss_note_turns(m, d, h);
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
    SS_TRY(ss_close_again(m, d));
    ss_keep_turns(m, d); /* which leave the turn of what is free as it was */
    ss_judge_step(d, h);
    SS_TRY(ss_accept(m, d));           /* certified? finite?           */
    SS_TRY(ss_accept_motion(m, d, h)); /* energies, true gaps, joints? */
    SS_TRY(ss_judge_hold(m, d));
    ss_commit(m, d, h);
    return SS_OK;
}

static ss_status attempt(const ss_model *m, ss_data *d, double h)
{
    ss_begin_attempt(m, d);
    SS_TRY(rounds(m, d, h));
    return ss_end_attempt(m, d, h);
}

ss_status ss_step_by_impulses(const ss_model *m, ss_data *d, double h)
{
    if (d->at_impact == NULL) {
        ss_limit_when_long(m, d);
    }
    return ss_step_in_parts(d, attempt, h);
}

ss_status ss_check_step(const ss_model *m, const ss_data *d, double h)
{
    SS_TRY(ss_data_given(m, d, d));
    return h > 0 && isfinite(h)
               ? SS_OK
               : ss_fail(d->ctx, SS_ERR_ARGUMENT, "the step must be > 0, got %g", h);
}

void ss_tell_rest(ss_data *d, const ss_step_verdict *verdict, ss_status status)
{
    if (status == SS_OK && d->model->memory_count > 0) {
        ss_keep_memory(d->model, d);
    }
    ss_count_attempt(d);
    d->report.work        = d->effort.spent;
    d->report.over_budget = d->effort.over && d->model->simulation.step_budget > 0;
    d->report.verdict     = *verdict;
    d->placed             = d->placed && status != SS_OK;
    d->thrown             = d->thrown && status != SS_OK;
    d->cut.marks          = false;
}

ss_status ss_judge_start(const ss_model *m, ss_data *d, double h, ss_step_verdict *out)
{
    *out      = (ss_step_verdict){.solutions = -1, .active = -1};
    d->jerked = false;
    return d->judge != NULL ? ss_judge_before(m, d, h, out) : SS_OK;
}

ss_status ss_step(const ss_model *m, ss_data *d, double h)
{
    SS_TRY(ss_check_step(m, d, h));
    const ss_level_class *level = ss_level_of(m);
    ss_step_verdict       verdict;
    d->parted.done = SS_PART_NONE;
    SS_TRY(ss_judge_start(m, d, h, &verdict));
    d->effort        = (ss_effort){0};
    ss_status status = level->step != NULL ? level->step(m, d, h) : ss_step_by_impulses(m, d, h);
    ss_tell_rest(d, &verdict, status);
    return status;
}
