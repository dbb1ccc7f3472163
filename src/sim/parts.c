/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all ways of taking a step in parts share: an attempt at a part, what the parts tell about
 * the step together, and the state from which it is tried another way.
 *
 * What can still be cut is tried with few iterations of solvers (ss_common.brief): a problem
 * without a solution would take thousands, again for each round of a step, and half the step mostly
 * has one.
 */
#include <string.h>

#include "core/array.h"
#include "core/compare.h"
#include "core/context.h"
#include "formulate/formulate.h"
#include "model/axes.h"
#include "sim/parts.h"
#include "sim/sim.h"
#include "sim/step.h"

/*
 * Of a step in parts that of each: an impact with several outcomes makes several motions of the
 * whole. Without momentum no part starts from the velocities of another: what is told, rows,
 * velocities and how they might be different, is of the last.
 */
static ss_motion_verdict worse(ss_motion_verdict a, ss_motion_verdict b)
{
    return a == SS_MOTION_NOT_UNIQUE || b == SS_MOTION_UNIQUE ? a : b;
}

static void add_report(ss_parts *p)
{
    const ss_step_report *r = &p->d->report;
    ss_step_report       *s = &p->sum;
    p->count++;
    s->residual     = ss_max(s->residual, r->residual);
    s->motion_error = ss_max(s->motion_error, r->motion_error);
    s->by_motion    = r->by_motion > s->by_motion ? r->by_motion : s->by_motion;
    s->penetration  = ss_max(s->penetration, r->penetration);
    s->joint_error  = r->joint_error;
    s->restitution_factor =
        ss_min(p->count == 1 ? 1 : s->restitution_factor, r->restitution_factor);
    s->gain += r->gain;
    s->turnover += r->turnover;
    s->iterations += r->iterations;
    s->marked     = s->marked || r->marked;
    bool momentum = ss_inertia_of(p->d->model)->momentum;
    s->motion     = momentum ? worse(s->motion, r->motion) : r->motion;
    s->rounds += r->rounds;
    s->gaps_dropped = s->gaps_dropped || r->gaps_dropped;
    s->corners_open = r->corners_open > s->corners_open ? r->corners_open : s->corners_open;
    for (int i = 0; i < SS_STAGE_COUNT; i++) {
        s->stage_seconds[i] += r->stage_seconds[i];
    }
}

static void forget(ss_cut *x, uint64_t key)
{
    for (int32_t k = 0; k < x->struck_count; k++) {
        if (x->struck[k] == key) {
            x->struck[k] = x->struck[--x->struck_count];
            return;
        }
    }
}

/* What bears a load after it was struck flies no more. */
static void forget_bearing(ss_data *d)
{
    for (int32_t i = 0; i < d->state.warm_count && d->cut.struck_count > 0; i++) {
        if (d->state.warm[i].impulse[0] > 0) {
            forget(&d->cut, d->state.warm[i].key);
        }
    }
}

static ss_status note(ss_data *d, uint64_t key)
{
    ss_cut *x    = &d->cut;
    int32_t most = x->struck_count + 1;
    int     ok   = 1;
    x->struck    = ss_array_grow(d->ctx, x->struck, &x->struck_capacity, most, 2 * most,
                                 sizeof *x->struck, &ok);
    if (!ok) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for the names of %d contacts", most);
    }
    forget(x, key);
    x->struck[x->struck_count++] = key;
    return SS_OK;
}

ss_status ss_note_struck(ss_data *d)
{
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_island *isl    = &d->islands[i];
        bool             struck = ss_island_struck(d->model, d, isl);
        for (int32_t k = 0; struck && k < isl->block_count; k++) {
            SS_TRY(note(d, d->rows.blocks[isl->blocks[k]].key));
        }
    }
    return SS_OK;
}

ss_status ss_add_part(ss_parts *p)
{
    if (!p->d->cut.event.strikes) {
        forget_bearing(p->d);
    }
    add_report(p);
    return ss_tell_part(p->d->model, p->d);
}

ss_parts ss_parts_of(ss_data *d, ss_stage attempt)
{
    return (ss_parts){.d = d, .attempt = attempt, .deepest = d->model->simulation.max_splits};
}

void ss_tell_sum(const ss_parts *p)
{
    ss_step_report *r = &p->d->report, s = p->sum;
    r->residual           = s.residual;
    r->motion_error       = s.motion_error;
    r->by_motion          = s.by_motion;
    r->penetration        = s.penetration;
    r->gain               = s.gain;
    r->restitution_factor = s.restitution_factor;
    r->turnover           = s.turnover;
    r->iterations         = s.iterations;
    r->marked             = s.marked;
    r->motion             = s.motion;
    r->rounds             = s.rounds;
    r->gaps_dropped       = s.gaps_dropped;
    r->corners_open       = s.corners_open;
    r->step               = p->d->cut.whole;
    r->splits             = p->count - 1 - p->planned + p->splits;
    r->events             = p->events;
    for (int i = 0; i < SS_STAGE_COUNT; i++) {
        r->stage_seconds[i] = s.stage_seconds[i];
    }
}

ss_status ss_add_whole_parts(ss_parts *p, int32_t told)
{
    p->events += p->d->report.events;
    p->splits += p->d->report.splits;
    add_report(p);
    if (p->d->told.now.parts == told) {
        SS_TRY(ss_tell_part(p->d->model, p->d));
    }
    return ss_keep_parts(p->d);
}

ss_status ss_save_in(ss_data *d, ss_saved *to)
{
    size_t size = ss_snapshot_size(d->model, d);
    if (size > to->room) {
        void *fresh = ss_resize(d->ctx, to->state, to->room, 2 * size);
        if (fresh == NULL) {
            return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory to cut a step");
        }
        to->state = fresh;
        to->room  = 2 * size;
    }
    to->size = size;
    memcpy(d->cut.push, d->state.push, (size_t)d->model->nb * sizeof *d->cut.push);
    return ss_snapshot_get(d->model, d, to->state);
}

ss_status ss_save_begin(ss_data *d)
{
    return ss_save_in(d, &d->cut.begin);
}

ss_status ss_end_parts(const ss_parts *p, ss_status status)
{
    ss_data *d = p->d;
    if (status == SS_OK) {
        ss_tell_sum(p);
    } else if (p->count > 0) {
        ss_forget_parts(d);
        SS_TRY(ss_snapshot_set(d->model, d, d->cut.begin.state, d->cut.begin.size));
    }
    return status;
}

void ss_push_again(ss_data *d)
{
    memcpy(d->state.push, d->cut.push, (size_t)d->model->nb * sizeof *d->cut.push);
}

static void set_brief(ss_data *d, bool brief)
{
    ss_solver_common(d->solver)->brief = brief;
    for (int32_t i = 0; i + 1 < d->threads; i++) {
        ss_solver_common(d->workers[i].solver)->brief = brief;
    }
}

/* Without momentum, parts are no easier. */
ss_status ss_attempt(ss_data *d, ss_stage attempt, double h, bool brief)
{
    set_brief(d, brief && ss_inertia_of(d->model)->momentum);
    d->cut.why.wedged = false;
    d->cut.why.forked = false;
    ss_status status  = ss_retry_with_room(d, attempt, h);
    set_brief(d, false);
    d->cut.event.flight = false; /* what fails is not as it was foreseen */
    return status;
}

ss_status ss_attempt_anew(ss_data *d, ss_stage attempt, double h, bool brief)
{
    ss_count_attempt(d);
    return ss_attempt(d, attempt, h, brief);
}
