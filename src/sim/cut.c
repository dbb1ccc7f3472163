/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps in parts. Where an expression of t jumps or bends within a step (dynamics/switches.c), as
 * the velocity of a driven body or a force does, it is taken in stretches that end there, each as a
 * step of its own: a velocity that jumps is an impact with what is touched, and one with the mean
 * of what was before and after it, followed by another, gives back something else.
 *
 * Steps in which something strikes that they would have at another time
 * (midpoint/late_impacts.c) end parts there, and simulation: {advance: event} wherever something
 * touches for the first time (dynamics/passage.h), so that impacts act when they happen, each in a
 * part of h / EVENT_LEAST of its own: what restitution returns is the velocity at the end of a
 * part, and forces would be lost for as long as that is. Up to an impact, pairs that are apart have
 * no rows: with the gaps of the start and the velocities of the end they would feel it too early.
 * The rest of the step follows, at most EVENTS_MOST times, since a ball that comes to rest bounces
 * forever.
 *
 * Steps in which a contact slides past an edge (midpoint/late_ends.c) are taken up to there, and on
 * from there.
 *
 * Steps that fail a certificate are cut: halved and repeated, and the halves again if need be, up
 * to max_splits times, so that the smallest part is h / 2^max_splits. The state at the user's times
 * is what it would be with a smaller step there. What can still be cut is tried with few iterations
 * of solvers (ss_common.brief): a problem without a solution would take thousands, again for each
 * round of a step, and half the step mostly has one. The smallest parts get all that solvers can
 * do, and a motion error is not enough for them; so it is for the whole step once no part helped.
 * Where even that fails, the state is put back, and on_failure decides: stop with the message of
 * that part (it says what, where and by how much), or take the whole step as it is, marked. Corners
 * without a consistent choice of branches are cut as well, but end no run: where the smallest part
 * has them still, the rest of the step is not cut for their sake, since halving each of its parts
 * would not help either.
 *
 * Where driven bodies wedge others, contacts can resist any drive, and no step is short enough:
 * after the whole, a half, a quarter and an eighth that ended so, that is what the step ends with.
 *
 * Steps without momentum that end because nothing balances the forces are not cut: no part of them
 * would.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/compare.h"
#include "core/context.h"
#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "midpoint/midpoint.h"
#include "model/axes.h"
#include "sim/groups.h"
#include "sim/sim.h"
#include "sim/step.h"
#include "sim/tolerances.h"

/* What a step tells about itself is told by its parts together. */
typedef struct parts {
    ss_data       *d;
    ss_stage       attempt;
    int32_t        deepest;
    ss_step_report sum;
    int32_t        count;
    int32_t        events;  /* parts that end where something touches  */
    int32_t        ends;    /* .. where a contact slides past an edge   */
    int32_t        planned; /* parts beyond the first for their sake   */
    int32_t        splits;  /* of stretches: how often they were cut   */
    ss_step_report groups;  /* of groups: sums, and the worst          */
} parts;

static void add_report(parts *p)
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
    s->marked = s->marked || r->marked;
    s->rounds += r->rounds;
    s->gaps_dropped = s->gaps_dropped || r->gaps_dropped;
    s->corners_open = r->corners_open > s->corners_open ? r->corners_open : s->corners_open;
    for (int i = 0; i < SS_STAGE_COUNT; i++) {
        s->stage_seconds[i] += r->stage_seconds[i];
    }
}

static ss_status add_part(parts *p)
{
    add_report(p);
    return ss_tell_part(p->d->model, p->d);
}

static void tell_sum(const parts *p)
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

static ss_status save_in(ss_data *d, ss_saved *to)
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

static ss_status save(ss_data *d)
{
    return save_in(d, &d->cut.begin);
}

static ss_status put_back(ss_data *d)
{
    ss_forget_parts(d);
    return ss_snapshot_set(d->model, d, d->cut.begin.state, d->cut.begin.size);
}

/* Pushes act during the whole step: a part that ended has used them up. */
static void push_again(ss_data *d)
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

/* brief: there is another way, so solvers give up early. Without momentum, parts are no easier. */
static ss_status go_on(ss_data *d, ss_stage attempt, double h, bool brief)
{
    set_brief(d, brief && ss_inertia_of(d->model)->momentum);
    d->cut.wedged    = false;
    d->cut.forked    = false;
    ss_status status = ss_retry_with_room(d, attempt, h);
    set_brief(d, false);
    d->cut.flight = false; /* what fails is not as it was foreseen */
    return status;
}

/* The same from its start. */
static ss_status run(ss_data *d, ss_stage attempt, double h, bool brief)
{
    ss_count_attempt(d);
    return go_on(d, attempt, h, brief);
}

/* Attempts, each at a part of the one before, that end because driven bodies wedge others. */
enum { WEDGED_MOST = 4 };

/* `wedged`: so many attempts at what this is a part of ended so, one after the other. */
static ss_status take(parts *p, double h, int32_t depth, int32_t eased, int wedged)
{
    ss_data *d = p->d;
    if (p->count > 0) {
        push_again(d);
    }
    d->cut.depth     = depth;
    d->cut.eased     = eased;
    d->cut.smallest  = depth == p->deepest;
    d->cut.exactly   = d->cut.smallest;
    ss_status status = run(d, p->attempt, h, !d->cut.smallest);
    d->cut.exactly   = false;
    if (status == SS_OK) {
        d->cut.uncut = d->cut.uncut || (d->cut.smallest && d->corners.open > 0);
        return add_part(p);
    }
    if (ss_happens_within(d)) {
        return status; /* it is taken up to there */
    }
    d->cut.timely = false;
    wedged        = d->cut.wedged ? wedged + 1 : 0;
    if (status != SS_ERR_CERTIFICATE || depth == p->deepest || wedged >= WEDGED_MOST ||
        d->effort.exhausted || d->cut.forked) {
        return status;
    }
    eased += d->midpoint.runs;
    d->cut.halved = true;
    SS_TRY(take(p, 0.5 * h, depth + 1, eased, wedged));
    return take(p, 0.5 * h, depth + 1, eased, wedged);
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
           d->cut.forked || (balance && d->prox.restless >= 0);
}

static ss_status take_marked(ss_data *d, ss_stage attempt, double h)
{
    d->cut.marks     = true;
    ss_status status = run(d, attempt, h, false);
    d->cut.marks     = false;
    return status;
}

/* ---- impacts ------------------------------------------------------------------------------- */

enum { EVENTS_MOST = 64, EVENT_LEAST = 1024 };

/* Parts of a step that may be left of the way to a touch, and how often it is gone on. */
enum { NEAR = 16, NEARER_MOST = 3 };

/* The part of the step after which something new touches, in d->cut.event. */
static ss_status look_ahead(const ss_model *m, ss_data *d, double h)
{
    ss_arena_reset(&d->scratch);
    ss_begin_sleep(m, d);
    SS_TRY(ss_kinematics(m, d, d->state.pose, h));
    SS_TRY(ss_forces(m, d, h));
    SS_TRY(ss_broad(m, d, h));
    SS_TRY(ss_find_touch(m, d, h, &d->cut.event));
    d->cut.event = ss_min(d->cut.event, ss_find_stop(m, d) / h);
    return SS_OK;
}

/* How long the next part of a step is, of which `left` is left. */
static ss_status next_part(ss_data *d, double h, double left, double *part)
{
    double short_of = SS_EVENT_NONE * h;
    SS_TRY(ss_retry_with_room(d, look_ahead, left));
    *part         = d->cut.event * left;
    *part         = *part < short_of ? 0 : left - *part < short_of ? left : *part;
    d->cut.flight = true;
    return SS_OK;
}

/*
 * What is held by contacts goes another way than was foreseen (brakes by friction), and may not be
 * there yet: the rest of the way, or the impact would be shared between two parts. Up to the end of
 * the step: the shorter the part that is left for the impact, the faster a gap would close in it.
 * *left: of the step; *there: it is not the next step that it is reached in.
 */
static ss_status fly_on(parts *p, double h, double *left, bool *there)
{
    ss_data *d       = p->d;
    int32_t  touched = d->cut.touching;
    *there           = true;
    for (int i = 0; i < NEARER_MOST; i++) {
        double window = ss_min(h / NEAR, *left);
        SS_TRY(ss_retry_with_room(d, look_ahead, window));
        if (d->cut.touching > touched || !(d->cut.event > 0)) { /* what is next is another touch */
            return SS_OK;
        }
        double way = d->cut.event * window;
        *there     = *left - way > SS_EVENT_NONE * h;
        if (!*there || !(d->cut.event < 1)) {
            return SS_OK;
        }
        d->cut.flight = true;
        SS_TRY(take(p, way, 0, 0, 0));
        p->planned++;
        *left -= way;
    }
    return SS_OK;
}

static ss_status take_impact(parts *p, double h, double *left)
{
    ss_data *d       = p->d;
    double   impact  = ss_min(h / EVENT_LEAST, *left);
    d->cut.flight    = false;
    d->cut.strikes   = true;
    ss_status status = take(p, impact, 0, 0, 0);
    d->cut.strikes   = false;
    p->events++;
    p->planned++;
    *left -= impact;
    push_again(d);
    return status;
}

/* The part up to where something touches, and the impact there. */
static ss_status take_to_event(parts *p, double h, double part, double *left)
{
    ss_data *d     = p->d;
    bool     there = true;
    if (part > 0) {
        ss_status status = take(p, part, 0, 0, 0);
        d->cut.timely    = false;
        if (status != SS_OK) {
            return status;
        }
        p->planned++;
        *left -= part;
        SS_TRY(fly_on(p, h, left, &there));
    }
    return there ? take_impact(p, h, left) : SS_OK;
}

static ss_status take_to_events(parts *p, double h, double part)
{
    ss_data *d     = p->d;
    double   left  = h;
    double   start = d->state.t;
    while (part < left) {
        SS_TRY(take_to_event(p, h, part, &left));
        if (p->events < EVENTS_MOST) {
            SS_TRY(next_part(d, h, left, &part));
        } else {
            part = left;
        }
    }
    if (left > 0) {
        SS_TRY(take(p, left, 0, 0, 0));
    } else {
        p->planned--;
    }
    d->state.t = start + h;
    return SS_OK;
}

/* The step with impacts when they happen; *whole: there are none. */
static ss_status to_events(ss_data *d, ss_stage attempt, double h, bool *whole)
{
    parts  p = {.d = d, .attempt = attempt, .deepest = d->model->simulation.max_splits};
    double part;
    SS_TRY(next_part(d, h, h, &part));
    *whole = !(part < h);
    if (*whole) {
        return SS_OK;
    }
    SS_TRY(save(d));
    d->cut.events    = true;
    ss_status status = take_to_events(&p, h, part);
    d->cut.events    = false;
    d->cut.flight    = false;
    if (status == SS_OK) {
        tell_sum(&p);
    } else if (p.count > 0) {
        SS_TRY(put_back(d));
    }
    return status;
}

/* ---- certificates that fail ---------------------------------------------------------------- */

static ss_status cut(ss_data *d, ss_stage attempt, double h)
{
    const ss_simulation_def *s = &d->model->simulation;
    parts                    p = {.d = d, .attempt = attempt, .deepest = s->max_splits};
    if (p.deepest == 0 || is_hopeless(d)) {
        return SS_ERR_CERTIFICATE;
    }
    SS_TRY(save(d));
    int     wedged   = d->cut.wedged;
    int32_t eased    = d->midpoint.runs;
    d->cut.halved    = true;
    ss_status status = take(&p, 0.5 * h, 1, eased, wedged);
    status           = status == SS_OK ? take(&p, 0.5 * h, 1, eased, wedged) : status;
    if (status == SS_OK) {
        tell_sum(&p);
        return SS_OK;
    }
    if (p.count > 0) {
        SS_TRY(put_back(d));
    }
    return status;
}

/* The whole step again, with all that solvers can do. If it fails, the parts have the last word. */
static ss_status take_thoroughly(ss_data *d, ss_stage attempt, double h)
{
    ss_step_report report = d->report;
    char           message[SS_MESSAGE_SIZE];
    snprintf(message, sizeof message, "%s", ss_context_message(d->ctx));
    d->cut.depth     = 0;
    d->cut.eased     = 0;
    d->cut.smallest  = false;
    d->cut.uncut     = true; /* no part helped */
    d->cut.exactly   = true;
    ss_status status = run(d, attempt, h, false);
    d->cut.exactly   = false;
    if (status == SS_ERR_CERTIFICATE && !d->effort.exhausted) {
        d->report = report;
        return ss_fail(d->ctx, status, "%s", message);
    }
    return status;
}

ss_status ss_try_whole(ss_data *d, ss_stage stage, double h)
{
    bool uncut      = d->model->simulation.max_splits == 0;
    d->cut.uncut    = false;
    d->cut.depth    = 0;
    d->cut.eased    = 0;
    d->cut.smallest = uncut;
    d->cut.timely   = !uncut;
    ss_begin_apart(d);
    ss_status status = go_on(d, stage, h, !uncut);
    d->cut.timely    = false;
    return status;
}

/* ---- impacts at their time ------------------------------------------------------------------ */

bool ss_happens_within(const ss_data *d)
{
    return d->cut.timely && (d->midpoint.late || d->midpoint.ends > 0);
}

/* Impacts and ends of contacts in one step of fixed length that are taken at their time. */
enum { LATE_MOST = 8 };

/* The part up to the first of d->cut.late, and that impact. Without it another pair may strike
   before, and is asked too. *left: of the step; *none: it is not on the way after all. */
static ss_status take_first_impact(parts *p, double h, double *left, bool *none)
{
    ss_data  *d      = p->d;
    ss_status status = SS_ERR_CERTIFICATE;
    while (status == SS_ERR_CERTIFICATE) {
        double  part;
        int32_t asked = d->cut.late_count;
        SS_TRY(next_part(d, h, *left, &part));
        *none = !(part < *left);
        if (*none) {
            return SS_OK;
        }
        d->cut.timely = part > 0;
        status        = take_to_event(p, h, part, left);
        if (d->cut.late_count == asked) {
            return status;
        }
    }
    return status;
}

static ss_status take_timed(parts *p, double length);

/* Up to where a contact ends, and on from there. */
static ss_status take_to_end(parts *p, double length)
{
    double part = p->d->midpoint.ends;
    p->ends++;
    p->planned++;
    SS_TRY(take_timed(p, part));
    return take_timed(p, length - part);
}

/* Up to one impact after the other; what follows the last of them is tried as it is. */
static ss_status take_impacts(parts *p, double h)
{
    ss_data  *d    = p->d;
    double    left = h, start = d->state.t;
    bool      more   = true;
    ss_status status = SS_ERR_CERTIFICATE;
    while (status == SS_ERR_CERTIFICATE && more && left > 0) {
        bool none = false;
        SS_TRY(take_first_impact(p, h, &left, &none));
        int32_t asked     = d->cut.late_count;
        d->cut.late_count = none ? asked : 0; /* what is not reached has no rows */
        d->cut.timely     = p->events + p->ends < LATE_MOST;
        status            = left > 0 ? take(p, left, 0, 0, 0) : SS_OK;
        bool ends         = status == SS_ERR_CERTIFICATE && d->cut.timely && d->midpoint.ends > 0;
        d->cut.timely     = false;
        status            = ends ? take_to_end(p, left) : status;
        more              = d->midpoint.late && (!none || d->cut.late_count > asked);
    }
    p->planned -= left > 0 ? 0 : 1;
    d->state.t = status == SS_OK ? start + h : d->state.t;
    return status;
}

/* A part that fails because something happens within it: in parts. */
static ss_status take_happening(parts *p, double length)
{
    return p->d->midpoint.ends > 0 ? take_to_end(p, length) : take_impacts(p, length);
}

static ss_status take_timed(parts *p, double length)
{
    ss_data *d       = p->d;
    d->cut.timely    = p->events + p->ends < LATE_MOST;
    ss_status status = take(p, length, 0, 0, 0);
    bool      within = status == SS_ERR_CERTIFICATE && ss_happens_within(d);
    d->cut.timely    = false;
    return within ? take_happening(p, length) : status;
}

static ss_status take_late(ss_data *d, ss_stage attempt, double h)
{
    parts p = {.d = d, .attempt = attempt, .deepest = d->model->simulation.max_splits};
    SS_TRY(save(d));
    double start      = d->state.t;
    d->cut.events     = true;
    ss_status status  = take_happening(&p, h);
    d->cut.events     = false;
    d->cut.flight     = false;
    d->cut.late_count = 0;
    d->cut.stops      = false;
    if (status == SS_OK) {
        d->state.t = start + h;
        tell_sum(&p);
    } else if (p.count > 0) {
        SS_TRY(put_back(d));
    }
    return status;
}

/*
 * The step as it is, unless something strikes within it that it would have at another time
 * (midpoint/late_impacts.c): with parts that end there, if they can be taken. Not where groups were
 * found that take the step by themselves.
 */
static ss_status take_together(ss_data *d, ss_stage attempt, double h, bool brief)
{
    ss_effort effort  = d->effort;
    bool      at_once = d->at_impact != NULL || d->cut.jumps; /* what strikes does so now */
    d->cut.timely     = brief && !at_once;
    ss_status status  = run(d, attempt, h, brief);
    bool      within  = status == SS_ERR_CERTIFICATE && ss_happens_within(d);
    d->cut.timely     = false;
    if (!within || d->apart.found) {
        return status;
    }
    status = take_late(d, attempt, h);
    if (status != SS_ERR_CERTIFICATE) {
        return status;
    }
    d->effort = effort; /* nothing came of it */
    return run(d, attempt, h, brief);
}

/* What a stretch, or a group, told of itself, and of its forces: by its parts, or by its rows. */
static ss_status add_stretch(parts *p, int32_t told)
{
    p->events += p->d->report.events;
    p->splits += p->d->report.splits;
    add_report(p);
    if (p->d->told.now.parts == told) {
        SS_TRY(ss_tell_part(p->d->model, p->d));
    }
    return ss_keep_parts(p->d);
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* What only sums or the worst over all groups tell. */
static void add_group_report(parts *p)
{
    const ss_step_report *r = &p->d->report;
    ss_step_report       *s = &p->groups;
    s->islands += r->islands;
    s->contacts += r->contacts;
    s->rows += r->rows;
    s->asleep = r->asleep;
    s->redundant += r->redundant;
    s->joint_error = ss_max(s->joint_error, r->joint_error);
}

static void tell_groups(const parts *p)
{
    ss_step_report *r = &p->d->report;
    r->islands        = p->groups.islands;
    r->contacts       = p->groups.contacts;
    r->rows           = p->groups.rows;
    r->redundant      = p->groups.redundant;
    r->joint_error    = p->groups.joint_error;
}

static ss_status take_group(parts *p, int32_t group, double h, bool brief)
{
    ss_data *d = p->d;
    if (ss_group_is_empty(d, group)) {
        return SS_OK;
    }
    int32_t told    = d->told.now.parts;
    d->cut.depth    = 0;
    d->cut.eased    = 0;
    d->cut.smallest = false;
    SS_TRY(ss_begin_group(d, group));
    ss_status status = take_together(d, p->attempt, h, brief);
    if (status == SS_ERR_CERTIFICATE && !d->apart.found) { /* else there are more groups */
        status = cut(d, p->attempt, h);
    }
    if (status != SS_OK) {
        return status;
    }
    add_group_report(p);
    p->planned++;
    SS_TRY(add_stretch(p, told));
    SS_TRY(ss_tell_unloaded(d->model, d));
    SS_TRY(ss_keep_parts(d));
    return ss_end_group(d, h);
}

/* All groups that there are, and those that are found when the rest is taken: it is the last, since
   what is asked about forces is mostly about its rows. */
static ss_status take_all_groups(parts *p, double h, bool brief)
{
    ss_data *d = p->d;
    for (int32_t taken = 0;;) {
        while (taken < d->apart.count) {
            SS_TRY(take_group(p, ++taken, h, brief));
        }
        ss_status status = take_group(p, SS_APART_REST, h, brief);
        if (status != SS_ERR_CERTIFICATE || taken == d->apart.count) {
            p->planned--;
            return status;
        }
    }
}

/* How often groups are joined and begin again. */
enum { JOINED_MOST = 4 };

static ss_status take_groups(ss_data *d, ss_stage attempt, double h, bool brief)
{
    ss_status status = SS_ERR_CERTIFICATE;
    SS_TRY(save_in(d, &d->apart.begin));
    for (int i = 0; i < JOINED_MOST && status == SS_ERR_CERTIFICATE && !d->apart.never; i++) {
        parts p   = {.d = d, .attempt = attempt, .deepest = d->model->simulation.max_splits};
        bool  met = false;
        SS_TRY(ss_begin_groups(d));
        status = take_all_groups(&p, h, brief);
        if (status == SS_OK) {
            SS_TRY(ss_join_groups(d, h, &met));
        }
        SS_TRY(ss_end_groups(d, h));
        ss_leave_groups(d, status == SS_OK && !met);
        if (status == SS_OK && !met) {
            tell_sum(&p);
            tell_groups(&p);
            return SS_OK;
        }
        SS_TRY(ss_snapshot_set(d->model, d, d->apart.begin.state, d->apart.begin.size));
        if (!met) {
            return status;
        }
        status = SS_ERR_CERTIFICATE;
    }
    return status;
}

/* The step with what strikes at its time: all bodies together, or in groups that do not know of
   each other (sim/groups.c). */
static ss_status take_timely(ss_data *d, ss_stage attempt, double h, bool brief)
{
    ss_effort effort = d->effort;
    ss_begin_apart(d);
    ss_status status = take_together(d, attempt, h, brief);
    if (status != SS_ERR_CERTIFICATE || !d->apart.found) {
        return status;
    }
    status         = take_groups(d, attempt, h, brief);
    d->apart.found = false;
    if (status != SS_ERR_CERTIFICATE) {
        return status;
    }
    d->effort      = effort; /* nothing came of it */
    d->apart.never = true;
    return take_together(d, attempt, h, brief);
}

/* A fixed step: whole, in halves, then with parts that end where something touches. */
static ss_status take_whole(ss_data *d, ss_stage attempt, double h)
{
    bool events = d->model->simulation.advance == SS_ADVANCE_EVENT, whole = true;
    bool uncut       = d->model->simulation.max_splits == 0;
    d->cut.depth     = 0;
    d->cut.eased     = 0;
    d->cut.smallest  = uncut;
    ss_status status = take_timely(d, attempt, h, !uncut);
    bool      hard   = ss_inertia_of(d->model)->momentum &&
                d->report.outcome != SS_SOLVED; /* .. for solvers that give up early */
    bool again = !uncut && (hard || d->corners.open > 0 || d->midpoint.runs); /* .. for contacts */
    status     = status == SS_ERR_CERTIFICATE ? cut(d, attempt, h) : status;
    if (status == SS_ERR_CERTIFICATE && d->cut.wedged) {
        return status;
    }
    if (status == SS_ERR_CERTIFICATE && !events && !uncut && !is_hopeless(d)) {
        status = to_events(d, attempt, h, &whole); /* halves miss what happens at one time */
        status = whole && status == SS_OK ? SS_ERR_CERTIFICATE : status;
    }
    again = again && !d->effort.exhausted;
    return status == SS_ERR_CERTIFICATE && again ? take_thoroughly(d, attempt, h) : status;
}

/* ---- stretches ------------------------------------------------------------------------------- */

/* Of one step; what jumps more often is taken as it is from there on. */
enum { STRETCHES_MOST = 64 };

/* A step, or the stretch of one in which no expression of t jumps or bends. */
static ss_status take_stretch(ss_data *d, ss_stage attempt, double h)
{
    bool events = d->model->simulation.advance == SS_ADVANCE_EVENT && !d->cut.jumps, whole = true;
    d->cut.uncut     = false;
    d->cut.halved    = false;
    ss_status status = events ? to_events(d, attempt, h, &whole) : SS_OK;
    if (whole && status == SS_OK) {
        status = take_whole(d, attempt, h);
    }
    bool failed = status == SS_ERR_CERTIFICATE;
    if (failed && d->model->simulation.on_failure == SS_FAILURE_MARK) {
        status = take_marked(d, attempt, h);
    }
    if (failed) { /* what was cut in vain tells nothing else of it */
        d->report.splits = d->cut.halved;
    }
    return status;
}

/*
 * Where the stretch ends that begins now; `end`: of the step. Where the speed of what is driven
 * has just jumped, or bodies were given velocities that their joints take out, at once: what is
 * jerked has its new velocity then, and strikes with it in the next stretch.
 */
static void find_end(ss_data *d, double end, int32_t taken)
{
    double least = d->cut.whole / EVENT_LEAST;
    d->cut.jumps = taken < STRETCHES_MOST &&
                   (ss_speed_jumps(d->model, d) || (taken == 0 && ss_joints_jerk(d->model, d)));
    d->cut.until = taken < STRETCHES_MOST ? ss_next_switch(d->model, d, end) : INFINITY;
    if (d->cut.jumps && d->state.t + 2 * least < fmin(d->cut.until, end)) {
        d->cut.until = d->state.t + least;
    }
    d->cut.bends = d->cut.until < end;
}

static ss_status take_stretches(parts *p, double end)
{
    ss_data *d = p->d;
    for (bool last = false; !last; p->planned++) {
        int32_t told = d->told.now.parts;
        last         = !d->cut.bends;
        if (p->count > 0) {
            push_again(d);
        }
        SS_TRY(take_stretch(d, p->attempt, (last ? end : d->cut.until) - d->state.t));
        SS_TRY(add_stretch(p, told));
        if (!last) {
            find_end(d, end, p->planned + 1);
        }
    }
    p->planned--;
    d->state.t = end;
    return SS_OK;
}

/* One stretch after the other; where one fails, the state is that before the first. */
static ss_status in_stretches(ss_data *d, ss_stage attempt, double h)
{
    parts p = {.d = d, .attempt = attempt};
    SS_TRY(save_in(d, &d->cut.first));
    ss_status status = take_stretches(&p, d->state.t + h);
    d->cut.bends     = false;
    if (status == SS_OK) {
        tell_sum(&p);
    } else if (p.count > 0) {
        ss_forget_all_parts(d);
        SS_TRY(ss_snapshot_set(d->model, d, d->cut.first.state, d->cut.first.size));
    }
    return status;
}

/* `euler` is as it is printed, whatever happens in a step; impacts take no time. */
static bool asks_for_bends(const ss_data *d)
{
    return ss_integrator_of(d->model)->second && d->at_impact == NULL;
}

void ss_find_bends(ss_data *d, double h)
{
    d->cut.whole = h;
    d->cut.bends = d->cut.jumps = false;
    if (asks_for_bends(d)) {
        find_end(d, d->state.t + h, 0);
    }
}

ss_status ss_step_in_parts(ss_data *d, ss_stage attempt, double h)
{
    ss_forget_all_parts(d);
    ss_find_bends(d, h);
    return d->cut.bends ? in_stretches(d, attempt, h) : take_stretch(d, attempt, h);
}
