/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens within a step, at its time.
 *
 * Steps in which something strikes that they would have at another time
 * (midpoint/late_impacts.c) end parts there, and simulation: {advance: event} wherever something
 * touches for the first time (dynamics/passage.h), so that impacts act when they happen, each in a
 * part of h / IMPACT of its own: what restitution returns is the velocity at the end of a part, and
 * forces would be lost for as long as that is. Up to an impact, pairs that are apart have
 * no rows: with the gaps of the start and the velocities of the end they would feel it too early.
 * The rest of the step follows, at most EVENTS_MOST times, since a ball that comes to rest bounces
 * forever.
 *
 * Steps in which a contact slides past an edge (midpoint/late_ends.c) are taken up to there, and on
 * from there.
 */
#include "core/compare.h"
#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "sim/parts.h"
#include "sim/sim.h"
#include "sim/step.h"
#include "sim/tolerances.h"

/* ---- up to where something touches ---------------------------------------------------------- */

enum { EVENTS_MOST = 64 };

/* Part of a step that an impact takes: what else is open hardly moves in it, and no force does
   anything. In shorter ones rounding of positions is a velocity of what is driven. */
enum { IMPACT = 1 << 16 };

/* Parts of a step that may be left of the way to a touch, and how often it is gone on. */
enum { NEAR = 16, NEARER_MOST = 3 };

/* The part of the step after which something new touches, in d->cut.event.next. */
static ss_status look_ahead(const ss_model *m, ss_data *d, double h)
{
    ss_arena_reset(&d->scratch);
    d->rounds.round = 0; /* nothing of this part is known yet */
    ss_begin_sleep(m, d);
    SS_TRY(ss_kinematics(m, d, d->state.pose, h));
    SS_TRY(ss_forces(m, d, h));
    SS_TRY(ss_broad(m, d, h));
    SS_TRY(ss_find_touch(m, d, h, &d->cut.event.next));
    d->cut.event.next = ss_min(d->cut.event.next, ss_find_stop(m, d) / h);
    return SS_OK;
}

/* How long the next part of a step is, of which `left` is left. */
static ss_status next_part(ss_data *d, double h, double left, double *part)
{
    double short_of = SS_EVENT_NONE * h;
    SS_TRY(ss_retry_with_room(d, look_ahead, left));
    *part               = d->cut.event.next * left;
    *part               = *part < short_of ? 0 : left - *part < short_of ? left : *part;
    d->cut.event.flight = true;
    return SS_OK;
}

/*
 * What is held by contacts goes another way than was foreseen (brakes by friction), and may not be
 * there yet: the rest of the way, or the impact would be shared between two parts. Up to the end of
 * the step: the shorter the part that is left for the impact, the faster a gap would close in it.
 * *left: of the step; *there: it is not the next step that it is reached in.
 */
static ss_status fly_on(ss_parts *p, double h, double *left, bool *there)
{
    ss_data *d       = p->d;
    int32_t  touched = d->cut.event.touching;
    *there           = true;
    for (int i = 0; i < NEARER_MOST; i++) {
        double window = ss_min(h / NEAR, *left);
        SS_TRY(ss_retry_with_room(d, look_ahead, window));
        bool another = d->cut.event.touching > touched || !(d->cut.event.next > 0);
        if (another) { /* what is next is another touch */
            return SS_OK;
        }
        double way   = d->cut.event.next * window;
        bool reached = d->cut.event.next<1, on = *left - way> SS_EVENT_NONE * h;
        *there       = (reached || p->missed > 0) && on;
        p->missed += !reached;
        if (!*there || !reached) {
            return SS_OK;
        }
        d->cut.event.flight = true;
        SS_TRY(ss_take_part(p, way, 0, 0, 0));
        p->planned++;
        *left -= way;
    }
    return SS_OK;
}

static ss_status take_impact(ss_parts *p, double h, double *left)
{
    ss_data *d           = p->d;
    double   impact      = ss_min(h / IMPACT, *left);
    d->cut.event.flight  = false;
    d->cut.event.strikes = true;
    ss_status status     = ss_take_part(p, impact, 0, 0, 0);
    d->cut.event.strikes = false;
    if (status == SS_OK) {
        SS_TRY(ss_note_struck(d));
    }
    p->events++;
    p->planned++;
    *left -= impact;
    ss_push_again(d);
    return status;
}

/* The part up to where something touches, and the impact there. */
static ss_status take_to_event(ss_parts *p, double h, double part, double *left)
{
    ss_data *d     = p->d;
    bool     there = true;
    if (part > 0) {
        ss_status status   = ss_take_part(p, part, 0, 0, 0);
        d->cut.event.asked = false;
        if (status != SS_OK) {
            return status;
        }
        p->planned++;
        *left -= part;
        SS_TRY(fly_on(p, h, left, &there));
    }
    return there ? take_impact(p, h, left) : SS_OK;
}

static ss_status take_to_events(ss_parts *p, double h, double part)
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
        SS_TRY(ss_take_part(p, left, 0, 0, 0));
    } else {
        p->planned--;
    }
    d->state.t = start + h;
    return SS_OK;
}

/* What is asked of a step that ends parts at events ends with it. */
static ss_status end_events(const ss_parts *p, ss_status status)
{
    p->d->cut.event.apart  = false;
    p->d->cut.event.flight = false;
    return ss_end_parts(p, status);
}

ss_status ss_take_to_events(ss_data *d, ss_stage attempt, double h, bool *whole)
{
    ss_parts p = ss_parts_of(d, attempt);
    double   part;
    SS_TRY(next_part(d, h, h, &part));
    *whole = !(part < h);
    if (*whole) {
        return SS_OK;
    }
    SS_TRY(ss_save_begin(d));
    d->cut.event.apart = true;
    return end_events(&p, take_to_events(&p, h, part));
}

/* ---- impacts and ends of contacts of a step of fixed length -------------------------------- */

bool ss_happens_within(const ss_data *d)
{
    return d->cut.event.asked && (d->midpoint.late || d->midpoint.ends > 0);
}

/* Impacts and ends of contacts in one step of fixed length that are taken at their time. */
enum { LATE_MOST = 8 };

/* The part up to the first of d->cut.event.late, and that impact. Without it another pair may
   strike before, and is asked too. *left: of the step; *none: it is not on the way after all. */
static ss_status take_first_impact(ss_parts *p, double h, double *left, bool *none)
{
    ss_data  *d      = p->d;
    ss_status status = SS_ERR_CERTIFICATE;
    while (status == SS_ERR_CERTIFICATE) {
        double  part;
        int32_t asked = d->cut.event.late_count;
        SS_TRY(next_part(d, h, *left, &part));
        *none = !(part < *left);
        if (*none) {
            return SS_OK;
        }
        d->cut.event.asked = part > 0;
        status             = take_to_event(p, h, part, left);
        if (d->cut.event.late_count == asked) {
            return status;
        }
    }
    return status;
}

static ss_status take_timed(ss_parts *p, double length);

/* Up to where a contact ends, and on from there. */
static ss_status take_to_end(ss_parts *p, double length)
{
    double part = p->d->midpoint.ends;
    p->ends++;
    p->planned++;
    SS_TRY(take_timed(p, part));
    return take_timed(p, length - part);
}

/* Up to one impact after the other; what follows the last of them is tried as it is. */
static ss_status take_impacts(ss_parts *p, double h)
{
    ss_data  *d    = p->d;
    double    left = h, start = d->state.t;
    bool      more   = true;
    ss_status status = SS_ERR_CERTIFICATE;
    while (status == SS_ERR_CERTIFICATE && more && left > 0) {
        bool none = false;
        SS_TRY(take_first_impact(p, h, &left, &none));
        int32_t asked           = d->cut.event.late_count;
        d->cut.event.late_count = none ? asked : 0; /* what is not reached has no rows */
        d->cut.event.asked      = p->events + p->ends < LATE_MOST;
        status                  = left > 0 ? ss_take_part(p, left, 0, 0, 0) : SS_OK;
        bool ends = status == SS_ERR_CERTIFICATE && d->cut.event.asked && d->midpoint.ends > 0;
        d->cut.event.asked = false;
        status             = ends ? take_to_end(p, left) : status;
        more               = d->midpoint.late && (!none || d->cut.event.late_count > asked);
    }
    p->planned -= left > 0 ? 0 : 1;
    d->state.t = status == SS_OK ? start + h : d->state.t;
    return status;
}

/* A part that fails because something happens within it: in parts. */
static ss_status take_happening(ss_parts *p, double length)
{
    return p->d->midpoint.ends > 0 ? take_to_end(p, length) : take_impacts(p, length);
}

static ss_status take_timed(ss_parts *p, double length)
{
    ss_data *d         = p->d;
    d->cut.event.asked = p->events + p->ends < LATE_MOST;
    ss_status status   = ss_take_part(p, length, 0, 0, 0);
    bool      within   = status == SS_ERR_CERTIFICATE && ss_happens_within(d);
    d->cut.event.asked = false;
    return within ? take_happening(p, length) : status;
}

static ss_status take_late(ss_data *d, ss_stage attempt, double h)
{
    ss_parts p     = ss_parts_of(d, attempt);
    double   start = d->state.t;
    SS_TRY(ss_save_begin(d));
    d->cut.event.apart      = true;
    ss_status status        = take_happening(&p, h);
    d->state.t              = status == SS_OK ? start + h : d->state.t;
    d->cut.event.late_count = 0;
    d->cut.event.stops      = false;
    return end_events(&p, status);
}

ss_status ss_take_together(ss_data *d, ss_stage attempt, double h, bool brief)
{
    ss_effort effort  = d->effort;
    bool      at_once = d->at_impact != NULL || d->cut.stretch.jumps; /* what strikes does so now */
    d->cut.event.asked = brief && !at_once;
    ss_status status   = ss_attempt_anew(d, attempt, h, brief);
    bool      within   = status == SS_ERR_CERTIFICATE && ss_happens_within(d);
    d->cut.event.asked = false;
    if (!within || d->apart.found) {
        return status;
    }
    status = take_late(d, attempt, h);
    if (status != SS_ERR_CERTIFICATE) {
        return status;
    }
    d->effort = effort; /* nothing came of it */
    return ss_attempt_anew(d, attempt, h, brief);
}
