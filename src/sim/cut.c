/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps that fail a certificate are cut: halved and repeated, and the halves again if need be, up
 * to max_splits times, so that the smallest part is h / 2^max_splits. The state at the user's times
 * is what it would be with a smaller step there. The smallest parts get all that solvers can do,
 * and a motion error is not enough for them; so it is for the whole step once no part helped. Where
 * even that fails, the state is put back, and on_failure decides: stop with the message of that
 * part (it says what, where and by how much), or take the whole step as it is, marked. Corners
 * without a consistent choice of branches are cut as well, but end no run: where the smallest part
 * has them still, the rest of the step is not cut for their sake, since halving each of its parts
 * would not help either.
 *
 * Where driven bodies wedge others, contacts can resist any drive, and no step is short enough:
 * after the whole, a half, a quarter and an eighth that ended so, that is what the step ends with;
 * so it is where shorter parts from the same place fail for any other reason.
 *
 * Steps without momentum that end because nothing balances the forces are not cut: no part of them
 * would.
 *
 * A step is tried whole first, with what happens in it at its time (events.c, take_groups.c), then
 * in halves, then with parts that end wherever something touches.
 */
#include <stdio.h>

#include "core/context.h"
#include "model/axes.h"
#include "sim/groups.h"
#include "sim/parts.h"
#include "sim/sim.h"
#include "sim/step.h"

/* Attempts, each at a part of the one before, that end because driven bodies wedge others. */
enum { WEDGED_MOST = 4 };

/*
 * The first half of a part that failed. Where that was seen to be wedged, and nothing moves from
 * where it began in a shorter time either, that is why, however solvers may end there.
 */
static ss_status take_half(ss_parts *p, double h, int32_t depth, int32_t eased, int wedged)
{
    ss_data *d     = p->d;
    double   start = d->state.t;
    bool     seen  = d->cut.why.wedged;
    char     message[SS_MESSAGE_SIZE];
    snprintf(message, sizeof message, "%s", ss_context_message(d->ctx));
    ss_status status = ss_take_part(p, h, depth, eased, wedged);
    if (status != SS_ERR_CERTIFICATE || !seen || d->cut.why.wedged || d->state.t > start ||
        ss_happens_within(d) || d->effort.exhausted) {
        return status;
    }
    d->cut.why.wedged = true;
    return ss_fail(d->ctx, status, "%s", message);
}

ss_status ss_take_part(ss_parts *p, double h, int32_t depth, int32_t eased, int wedged)
{
    ss_data *d = p->d;
    if (p->count > 0) {
        ss_push_again(d);
    }
    d->cut.part.depth    = depth;
    d->cut.part.eased    = eased;
    d->cut.part.smallest = depth == p->deepest;
    d->cut.part.exactly  = d->cut.part.smallest;
    ss_status status     = ss_attempt_anew(d, p->attempt, h, !d->cut.part.smallest);
    d->cut.part.exactly  = false;
    if (status == SS_OK) {
        d->cut.stretch.uncut =
            d->cut.stretch.uncut || (d->cut.part.smallest && d->corners.open > 0);
        return ss_add_part(p);
    }
    if (ss_happens_within(d)) {
        return status; /* it is taken up to there */
    }
    d->cut.event.asked = false;
    wedged             = d->cut.why.wedged ? wedged + 1 : 0;
    if (status != SS_ERR_CERTIFICATE || depth == p->deepest || wedged >= WEDGED_MOST ||
        d->effort.exhausted || d->cut.why.forked) {
        return status;
    }
    eased += d->midpoint.runs;
    d->cut.stretch.halved = true;
    status                = take_half(p, 0.5 * h, depth + 1, eased, wedged);
    return status == SS_OK ? ss_take_part(p, 0.5 * h, depth + 1, eased, wedged) : status;
}

/* Would smaller steps do? Not where forces have no balance, or joints contradict each other, or
   where a linkage begins to move at a point where it may do so in several ways, or where psi/h and
   phi/h as printed make energy: smaller steps push harder; nor where the step has taken all the
   work it may. */
static bool is_hopeless(const ss_data *d)
{
    bool balance = ss_inertia_of(d->model)->balanced;
    bool opposed = d->opposed >= 0 && !d->opposed_by_none;
    return d->effort.exhausted || d->motions.unheld >= 0 || opposed || d->pushed_hard ||
           d->cut.why.forked || (balance && d->prox.restless >= 0);
}

ss_status ss_take_halves(ss_data *d, ss_stage attempt, double h)
{
    ss_parts p = ss_parts_of(d, attempt);
    if (p.deepest == 0 || is_hopeless(d)) {
        return SS_ERR_CERTIFICATE;
    }
    SS_TRY(ss_save_begin(d));
    int     wedged        = d->cut.why.wedged;
    int32_t eased         = d->midpoint.runs;
    d->cut.stretch.halved = true;
    ss_status status      = ss_take_part(&p, 0.5 * h, 1, eased, wedged);
    status                = status == SS_OK ? ss_take_part(&p, 0.5 * h, 1, eased, wedged) : status;
    return ss_end_parts(&p, status);
}

/* The whole step again, with all that solvers can do. If it fails, the parts have the last word. */
static ss_status take_thoroughly(ss_data *d, ss_stage attempt, double h)
{
    ss_step_report report = d->report;
    char           message[SS_MESSAGE_SIZE];
    snprintf(message, sizeof message, "%s", ss_context_message(d->ctx));
    d->cut.part.depth    = 0;
    d->cut.part.eased    = 0;
    d->cut.part.smallest = false;
    d->cut.stretch.uncut = true; /* no part helped */
    d->cut.part.exactly  = true;
    ss_status status     = ss_attempt_anew(d, attempt, h, false);
    d->cut.part.exactly  = false;
    if (status == SS_ERR_CERTIFICATE && !d->effort.exhausted) {
        d->report = report;
        return ss_fail(d->ctx, status, "%s", message);
    }
    return status;
}

/* A fixed step: whole, in halves, then with parts that end where something touches. */
static ss_status take_whole(ss_data *d, ss_stage attempt, double h)
{
    bool events = d->model->simulation.advance == SS_ADVANCE_EVENT, whole = true;
    bool uncut           = d->model->simulation.max_splits == 0;
    d->cut.part.depth    = 0;
    d->cut.part.eased    = 0;
    d->cut.part.smallest = uncut;
    ss_status status     = ss_take_timely(d, attempt, h, !uncut);
    bool      hard       = ss_inertia_of(d->model)->momentum &&
                d->report.outcome != SS_SOLVED; /* .. for solvers that give up early */
    bool again = !uncut && (hard || d->corners.open > 0 || d->midpoint.runs); /* .. for contacts */
    status     = status == SS_ERR_CERTIFICATE ? ss_take_halves(d, attempt, h) : status;
    if (status == SS_ERR_CERTIFICATE && !events && !uncut && !is_hopeless(d)) {
        /* halves miss what happens at one time, and see what is driven where it has gone through
           what it meets */
        status = ss_take_to_events(d, attempt, h, &whole);
        status = whole && status == SS_OK ? SS_ERR_CERTIFICATE : status;
    }
    again = again && !d->effort.exhausted && !d->cut.why.wedged;
    return status == SS_ERR_CERTIFICATE && again ? take_thoroughly(d, attempt, h) : status;
}

static ss_status take_marked(ss_data *d, ss_stage attempt, double h)
{
    d->cut.marks     = true;
    ss_status status = ss_attempt_anew(d, attempt, h, false);
    d->cut.marks     = false;
    return status;
}

ss_status ss_take_stretch(ss_data *d, ss_stage attempt, double h)
{
    bool whole  = true;
    bool events = d->model->simulation.advance == SS_ADVANCE_EVENT && !d->cut.stretch.jumps;
    d->cut.stretch.uncut  = false;
    d->cut.stretch.halved = false;
    ss_status status      = events ? ss_take_to_events(d, attempt, h, &whole) : SS_OK;
    if (whole && status == SS_OK) {
        status = take_whole(d, attempt, h);
    }
    bool failed = status == SS_ERR_CERTIFICATE;
    if (failed && d->model->simulation.on_failure == SS_FAILURE_MARK) {
        status = take_marked(d, attempt, h);
    }
    if (failed) { /* what was cut in vain tells nothing else of it */
        d->report.splits = d->cut.stretch.halved;
    }
    return status;
}

ss_status ss_try_whole(ss_data *d, ss_stage stage, double h)
{
    bool uncut           = d->model->simulation.max_splits == 0;
    d->cut.stretch.uncut = false;
    d->cut.part.depth    = 0;
    d->cut.part.eased    = 0;
    d->cut.part.smallest = uncut;
    d->cut.event.asked   = !uncut;
    ss_begin_apart(d);
    ss_status status   = ss_attempt(d, stage, h, !uncut);
    d->cut.event.asked = false;
    return status;
}
