/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level: acceleration. A step of h goes from event to event (hybrid.h):
 *
 *   find modes (an impact first, where something strikes)      modes.c, impact.c
 *   integrate until something shows that the modes forbid       dopri.c, hybrid_watch.c
 *   go back to where it began to show                           locate
 *
 * until the end of the step. What is remembered from step to step are the modes.
 */
#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/compare.h"
#include "core/elementary.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "hybrid/hybrid.h"
#include "hybrid/tolerances.h"
#include "instant/tolerances.h"
#include "model/axes.h"
#include "sim/sim.h"

/* Events in one step, those that no time passes between, and states that forces are asked for,
   after which it is given up. */
enum {
    UNKNOWNS_MOST = 16,  /* of problems whose solutions are all looked for */
    NODES_MOST    = 500, /* .. and of the search for them: many legs share a load in many ways */
    EVENTS_MOST   = 100000,
    IDLE_MOST     = 60,
    IN_TURN       = 2, /* contacts that have left at one time, after which they do not return */
    IMPACTS_MOST  = 200,
    LOOKS_MOST    = 128,
    BISECTIONS    = 80
};

/* Steps of the integrator: how much longer or shorter the next may be, and a margin. */
static const double GROWS = 5, SHRINKS = 0.2, MARGIN = 0.9, ORDER = 5;

/* Part of the way to an event that is gone first, where all of it is too long for one step. */
static const double PART = 0.5;

/* A time constant is no longer than so many steps: what rests has none of its own. */
static const double LONG_STEPS = 100;

/* Way of the fastest point between two looks, as part of the length: what is thinner is seen. And
   as part of the way on which the two thinnest parts that may meet overlap, a point and a plate. */
static const double LOOK = 0.05, LOOK_THROUGH = 0.5;

/* ---- events ---- */

ss_status ss_hybrid_note(ss_data *d, const ss_event *event)
{
    ss_hybrid *h  = d->hybrid;
    int        ok = 1;
    h->events     = ss_array_reserve(d->ctx, h->events, h->event_count, &h->event_capacity,
                                     sizeof *h->events, &ok);
    if (!ok || h->event_count >= EVENTS_MOST) {
        return ss_fail(d->ctx, ok ? SS_ERR_CERTIFICATE : SS_ERR_MEMORY,
                       "t = %.9g: more than %d events in one step", d->state.t, EVENTS_MOST);
    }
    ss_event *e = &h->events[h->event_count++];
    *e          = *event;
    e->time     = d->state.t;
    e->until    = fmax(event->until, d->state.t);
    return SS_OK;
}

/* ---- steps of the integrator ---- */

/* Errors that a step may have in each number of y. */
static void set_scale(const ss_model *m, const ss_data *d)
{
    ss_hybrid *h     = d->hybrid;
    double     speed = m->length / h->time_constant, energy = d->state.ledger.in_play;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        double        *s = h->scale + (size_t)SS_Y_BODY * (size_t)i;
        double         v = ss_norm(d->state.twist[i].v), w = ss_norm(d->state.twist[i].w);
        double         arm = ss_body_moves(b) ? fmax(b->extent, m->length) : m->length;
        arm                = isfinite(arm) ? arm : m->length;
        double turn        = fmax(1, w * h->time_constant);
        for (int k = 0; k < 3; k++) {
            s[SS_Y_P + k] = SS_HYBRID_ERROR * m->length;
            s[SS_Y_V + k] = SS_HYBRID_ERROR * (speed + v + w * arm);
            s[SS_Y_W + k] = SS_HYBRID_ERROR * ((speed + v) / arm + w);
        }
        for (int k = 0; k < 4; k++) {
            s[SS_Y_Q + k] = SS_HYBRID_ERROR * turn * fmin(1, m->length / arm);
        }
        energy += ss_body_moves(b) ? b->mass * (speed + v) * (speed + v) : 0;
    }
    for (int k = 0; k < SS_Y_WORKS; k++) {
        h->scale[(size_t)SS_Y_BODY * (size_t)m->nb + (size_t)k] = SS_HYBRID_WORKS * energy;
    }
}

static double fastest(const ss_model *m, const ss_data *d)
{
    double most = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b   = &m->bodies[i];
        double         arm = isfinite(b->extent) ? b->extent : 0;
        if (ss_body_moves(b) || b->type == SS_BODY_KINEMATIC) {
            const ss_twist *w = ss_body_moves(b) ? &d->state.twist[i] : &d->twist_next[i];
            most              = fmax(most, ss_norm(w->v) + arm * ss_norm(w->w));
        }
    }
    return most;
}

static ss_status too_short(ss_data *d, double t)
{
    if (d->hybrid->grip < SS_HYBRID_WEAK) {
        return ss_fail(
            d->ctx, SS_ERR_CERTIFICATE,
            "t = %.9g: the joints are next to a position in which they hold less than "
            "elsewhere (a dead point, a change point): their forces are not known there, "
            "and no step is short enough; level: impulse goes through",
            t);
    }
    d->hybrid->stuck = true;
    return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                   "t = %.9g: forces grow without bound (Painleve's paradox, or something too "
                   "stiff): no step is short enough",
                   t);
}

/* A step of at most `step`, cut until its error is small; *taken is 0 where what touches is lost
   at once (*lost). y_end and the stages are those of it. */
static ss_status integrate(const ss_model *m, ss_data *d, double t, double step, double *taken,
                           uint64_t *lost)
{
    ss_hybrid   *h        = d->hybrid;
    const double shortest = SS_HYBRID_SHORTEST * h->time_constant;
    ss_flow      flow;
    *lost   = 0;
    h->grip = h->slope = 1;
    for (;;) {
        double error = 0;
        SS_TRY(ss_dopri_step(m, d, t, step, &error, &flow));
        bool   whole = !flow.lost && flow.finite;
        double grow  = whole ? MARGIN * ss_pow(fmax(error, SS_HYBRID_ERROR), -1 / ORDER) : SHRINKS;
        h->next      = step * ss_max(SHRINKS, ss_min(GROWS, grow));
        if (whole && error <= 1) {
            *taken = step;
            return SS_OK;
        }
        *lost = flow.lost ? flow.lost_key : *lost;
        if (h->next < shortest) {
            *taken  = 0;
            h->next = h->time_constant;
            return flow.lost ? SS_OK : too_short(d, t);
        }
        step = h->next;
    }
}

/* Was a gap below zero before the event? Then it shows because it closes again, and there is no
   place to go back to at which it is zero. */
static bool was_overlapping(const ss_model *m, const ss_happening *what)
{
    return what->kind == SS_EVENT_IMPACT && what->value < -SS_HYBRID_DEEP * m->length;
}

/* From where it shows, by so much that it does, back to where the quantity is zero. */
static ss_status polish(const ss_model *m, ss_data *d, double t, double step, double low,
                        double high, const ss_happening *what, double *theta)
{
    ss_hybrid *h    = d->hybrid;
    double     rate = what->rate * step, on = SS_HYBRID_SLOPE * high;
    *theta = high;
    if (rate == 0 && high + on < 1) {
        ss_flow flow;
        ss_dopri_at(h, high + on, h->y_mid);
        SS_TRY(ss_hybrid_flow(m, d, t + (high + on) * step, h->y_mid, h->k[1], &flow));
        bool same = flow.happens.kind == what->kind && flow.happens.key == what->key;
        rate      = same ? (flow.happens.value - what->value) / on : 0;
    }
    if (rate < 0 && !was_overlapping(m, what)) {
        *theta = fmax(low, high - what->value / rate);
    }
    return SS_OK;
}

/* Where in the step something begins to show that does at `high` and not at `low`. */
static ss_status locate(const ss_model *m, ss_data *d, double t, double step, double low,
                        double high, ss_happening *what, double *theta)
{
    ss_hybrid *h    = d->hybrid;
    double     near = SS_HYBRID_LOCATED * h->time_constant / step, first = low;
    for (int i = 0; i < BISECTIONS && high - low > near; i++) {
        double  middle = 0.5 * (low + high);
        ss_flow flow;
        ss_dopri_at(h, middle, h->y_mid);
        SS_TRY(ss_hybrid_flow(m, d, t + middle * step, h->y_mid, h->k[1], &flow));
        if (flow.happens.kind >= 0 || flow.lost || !flow.finite) {
            high  = middle;
            *what = flow.happens.kind >= 0 ? flow.happens : *what;
        } else {
            low = middle;
        }
    }
    return polish(m, d, t, step, first, high, what, theta);
}

/*
 * The way to an event at theta is gone again, up to there. A slip that ends has no direction of its
 * own in its last moment: it keeps the one that it has shortly before. *whole false: the way is too
 * long for one step (its error is seen only now, next to where a slip ends).
 */
static ss_status go_to_event(const ss_model *m, ss_data *d, double t, double step, double theta,
                             const ss_happening *what, bool *whole)
{
    ss_hybrid *h     = d->hybrid;
    double     error = 0;
    ss_flow    flow;
    if (what->kind == SS_EVENT_STICKS) {
        double before = theta * (1 - SS_HYBRID_BEFORE);
        ss_dopri_at(h, before, h->y_mid);
        h->keeps_slips   = true;
        ss_status status = ss_hybrid_flow(m, d, t + before * step, h->y_mid, h->k[1], &flow);
        h->keeps_slips   = false;
        SS_TRY(status);
    }
    SS_TRY(ss_hybrid_flow(m, d, t, h->y, h->k[0], &flow));
    SS_TRY(ss_dopri_step(m, d, t, theta * step, &error, &flow));
    *whole = (error <= 1 && !flow.lost && flow.finite) ||
             theta * step < SS_HYBRID_SHORTEST * h->time_constant;
    return SS_OK;
}

/* Place of a gap among those that are near; -1: it is not. */
static int32_t place_of(const ss_near *n, uint64_t key)
{
    for (int32_t i = 0; i < n->count; i++) {
        if (n->key[i] == key) {
            return i;
        }
    }
    return -1;
}

/* A gap that closed at `low` and opens at `high` is least between: *least is where, or 2 where it
   is not below zero there. */
static ss_status find_least(const ss_model *m, ss_data *d, double t, double step, uint64_t key,
                            double low, double high, ss_happening *what, double *least)
{
    ss_hybrid *h = d->hybrid;
    *least       = 2;
    for (int i = 0; i < BISECTIONS; i++) {
        double  middle = 0.5 * (low + high);
        ss_flow flow;
        ss_dopri_at(h, middle, h->y_mid);
        SS_TRY(ss_hybrid_flow(m, d, t + middle * step, h->y_mid, h->k[1], &flow));
        int32_t at = place_of(&flow.near, key);
        if (at < 0) {
            return SS_OK;
        }
        if (flow.near.gap[at] < -SS_HYBRID_SHOWS * m->length && flow.near.rate[at] < 0) {
            *least = middle;
            *what  = flow.happens;
            return SS_OK;
        }
        low  = flow.near.rate[at] < 0 ? middle : low;
        high = flow.near.rate[at] < 0 ? high : middle;
    }
    return SS_OK;
}

/* Gaps that closed at one look and open at the next: did one graze between? */
static ss_status look_between(const ss_model *m, ss_data *d, double t, double step,
                              const ss_near *was, const ss_near *is, double low, double high,
                              ss_happening *what, double *least)
{
    *least = 2;
    for (int32_t i = 0; *least > 1 && i < was->count; i++) {
        int32_t at = place_of(is, was->key[i]);
        if (at >= 0 && was->rate[i] < 0 && is->rate[at] > 0) {
            SS_TRY(find_least(m, d, t, step, was->key[i], low, high, what, least));
        }
    }
    return SS_OK;
}

/* The way between two looks. */
static double look_way(const ss_model *m)
{
    double moving = INFINITY, any = INFINITY;
    for (int32_t i = 0; i < m->ng; i++) {
        const ss_geom *g = &m->geoms[i];
        if (ss_body_moves(&m->bodies[g->body])) {
            moving = fmin(moving, g->thin);
        }
        any = g->thin > 0 && isfinite(g->radius) ? fmin(any, g->thin) : any;
    }
    return fmin(LOOK * m->length, LOOK_THROUGH * 2 * (moving + any));
}

/* Looks along the step; *theta <= 1: that is where something shows. */
static ss_status look(const ss_model *m, ss_data *d, double t, double step, ss_happening *what,
                      double *theta)
{
    ss_hybrid *h   = d->hybrid;
    double     way = step * fmax(fastest(m, d), 0), least, before = 0;
    int        looks = (int)ceil(fmin(way / look_way(m), LOOKS_MOST));
    ss_near    was   = h->near;
    looks            = looks < 2 ? 2 : looks;
    *theta           = 2;
    for (int i = 1; i <= looks; i++) {
        ss_flow flow;
        double  at = (double)i / looks;
        if (i < looks) {
            ss_dopri_at(h, at, h->y_mid);
        } else {
            memcpy(h->y_mid, h->y_end, (size_t)h->ny * sizeof *h->y);
        }
        SS_TRY(ss_hybrid_flow(m, d, t + at * step, h->y_mid, h->k[1], &flow));
        ss_happening seen = flow.happens;
        SS_TRY(look_between(m, d, t, step, &was, &flow.near, before, at, &seen, &least));
        if (seen.kind >= 0) {
            *what = seen;
            return locate(m, d, t, step, before, fmin(least, at), what, theta);
        }
        was    = flow.near;
        before = at;
    }
    return SS_OK;
}

/* The way that a step may take between two looks. */
static double longest(const ss_model *m, const ss_data *d)
{
    double speed = fastest(m, d);
    return speed > 0 ? LOOKS_MOST * look_way(m) / speed : INFINITY;
}

/* Is the certificate of the forces so far good? */
static ss_status obeys_laws(const ss_model *m, ss_data *d)
{
    ss_hybrid *h = d->hybrid;
    h->stuck     = !(h->residual <= m->simulation.tolerance);
    return !h->stuck ? SS_OK
                     : ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                               "t = %.9g: forces miss the laws of contact by %.3g (tolerance %.3g)",
                               d->state.t, h->residual, m->simulation.tolerance);
}

/* y_end becomes the state, on what the modes hold, and its works since `from` are booked. */
static ss_status arrive(const ss_model *m, ss_data *d, double from, double t)
{
    ss_hybrid *h = d->hybrid;
    double     elastic, energy;
    ss_flow    flow;
    ss_hybrid_write(m, d, from, h->y);
    energy = ss_hybrid_energy(m, d, &elastic);
    ss_hybrid_write(m, d, t, h->y_end);
    SS_TRY(ss_hybrid_project(m, d, true));
    memcpy(d->pose_next, d->state.pose, (size_t)m->nb * sizeof *d->pose_next);
    SS_TRY(ss_hybrid_account(m, d, energy, elastic, h->y_end + (size_t)SS_Y_BODY * (size_t)m->nb));
    for (int32_t i = 0; i < m->joint_count; i++) {
        ss_joint_coordinates(m, d, i, d->state.joint_value + (ptrdiff_t)SS_JOINT_COORDINATES * i);
    }
    ss_hybrid_read(m, d, h->y);
    h->keeps_slips   = true;
    ss_status status = ss_hybrid_flow(m, d, t, h->y, h->k[0], &flow);
    h->keeps_slips   = false;
    h->near          = flow.near;
    if (m->joint_loads) {
        memcpy(d->state.joint_load, d->trial_load, (size_t)m->joint_count * sizeof *d->trial_load);
    }
    h->residual =
        status == SS_OK && flow.happens.kind < 0 ? fmax(h->residual, flow.residual) : h->residual;
    return status == SS_OK ? obeys_laws(m, d) : status;
}

/* A slip that hardly grows turns faster the smaller it is, and so do stiff springs: their steps are
   as short as that, and as many. A count, so that runs end alike on every machine. */
static ss_status not_endless(const ss_model *m, ss_data *d)
{
    ss_hybrid *h = d->hybrid;
    h->stuck     = ss_hybrid_asked_too_often(m, h);
    return !h->stuck
               ? SS_OK
               : ss_fail(
                     d->ctx, SS_ERR_CERTIFICATE,
                     "t = %.9g: forces change too fast (a slip that hardly begins, or something "
                     "stiff): they were asked for %lld times in one step",
                     d->state.t, (long long)h->evaluations);
}

/* From event to event: *what is the next; *over: there is none before the end. */
static ss_status fly(const ss_model *m, ss_data *d, double end, ss_happening *what, bool *over)
{
    ss_hybrid *h = d->hybrid;
    ss_flow    flow;
    what->kind = -1;
    *over      = false;
    ss_hybrid_read(m, d, h->y);
    SS_TRY(ss_hybrid_flow(m, d, d->state.t, h->y, h->k[0], &flow));
    h->near = flow.near;
    while (d->state.t < end) {
        double t = d->state.t, left = end - t, taken, theta;
        SS_TRY(ss_hybrid_keep(m, d));
        SS_TRY(ss_go_on(m, d));
        SS_TRY(not_endless(m, d));
        set_scale(m, d);
        double step = ss_min(ss_min(h->next, longest(m, d)), left);
        SS_TRY(integrate(m, d, t, step > left * (1 - SS_HYBRID_ERROR) ? left : step, &taken,
                         &what->key));
        if (taken == 0) {
            what->kind = SS_HYBRID_LOST;
            ss_hybrid_write(m, d, t, h->y);
            return SS_OK;
        }
        ss_dopri_dense(h, taken);
        SS_TRY(look(m, d, t, taken, what, &theta));
        double to = taken == left ? end : t + taken;
        if (what->kind >= 0) {
            bool whole;
            to = t + theta * taken;
            SS_TRY(go_to_event(m, d, t, taken, theta, what, &whole));
            if (!whole) {
                what->kind = -1;
                h->next    = PART * theta * taken;
                ss_hybrid_write(m, d, t, h->y);
                continue;
            }
        }
        SS_TRY(arrive(m, d, t, to));
        if (what->kind >= 0) {
            return SS_OK;
        }
    }
    *over = true;
    return SS_OK;
}

/* ---- at an event ---- */

/* What bounces ever lower rests: its normal velocity goes, apart from friction. */
static ss_status come_to_rest(const ss_model *m, ss_data *d, const ss_bounce *bounce)
{
    ss_hybrid *h  = d->hybrid;
    ss_event   e  = bounce->who;
    int        ok = 1;
    double     elastic, energy = ss_hybrid_energy(m, d, &elastic);
    h->modes =
        ss_array_reserve(d->ctx, h->modes, h->mode_count, &h->mode_capacity, sizeof *h->modes, &ok);
    if (!ok) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for %d modes", (int)h->mode_count);
    }
    h->modes[h->mode_count++] = (ss_mode_entry){.key = bounce->key, .mode = SS_INSTANT_SMOOTH};
    SS_TRY(ss_hybrid_project(m, d, true));
    h->mode_count--;
    d->state.ledger.dissipated += energy - ss_hybrid_energy(m, d, NULL);
    e.until = d->state.t + bounce->left;
    return ss_hybrid_note(d, &e);
}

/* What sticks and slides until an impact tells which friction it begins with, where the two
   coefficients differ: slips are zero to what the integration leaves, which depends on its steps.
 */
static ss_status remember_sticking(const ss_model *m, ss_data *d)
{
    const ss_hybrid *h  = d->hybrid;
    ss_state        *s  = &d->state;
    int              ok = 1;
    s->sticking_count   = 0;
    if (!m->two_frictions) {
        return SS_OK;
    }
    s->sticking = ss_array_grow(d->ctx, s->sticking, &s->sticking_capacity, h->mode_count,
                                h->mode_count + 16, sizeof *s->sticking, &ok);
    if (!ok) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for %d modes", (int)h->mode_count);
    }
    for (int32_t i = 0; i < h->mode_count; i++) {
        s->sticking[s->sticking_count++] = (ss_sticking_entry){
            .key = h->modes[i].key, .sticks = h->modes[i].mode == SS_INSTANT_STICKS};
    }
    return SS_OK;
}

/* The forces of the state as it is, on what the modes hold. */
static ss_status flow_held(const ss_model *m, ss_data *d, ss_flow *flow)
{
    ss_hybrid *h = d->hybrid;
    SS_TRY(ss_hybrid_project(m, d, true));
    ss_hybrid_read(m, d, h->y);
    return ss_hybrid_flow(m, d, d->state.t, h->y, h->k[0], flow);
}

/*
 * A slip that has ended, begins anew in another direction, and would end again at once. It was zero
 * between: what is left of it, too little to count, may go against the new one. Or contacts can
 * share the load in many ways, and the share that is taken while it slides stops it: then, if it
 * also holds it, it sticks.
 */
static ss_status begin_anew(const ss_model *m, ss_data *d, const ss_happening *after, ss_flow *flow)
{
    ss_hybrid *h    = d->hybrid;
    bool       ends = after != NULL && after->kind == SS_EVENT_STICKS &&
                flow->happens.kind == SS_EVENT_STICKS && flow->happens.key == after->key;
    ss_mode_entry *mode = ends ? ss_hybrid_mode(h, after->key) : NULL;
    if (mode == NULL || mode->mode != SS_INSTANT_SLIDES) {
        return SS_OK;
    }
    mode->mode = SS_INSTANT_STICKS;
    SS_TRY(flow_held(m, d, flow));
    if (flow->finite && !flow->lost && flow->happens.kind < 0) {
        return SS_OK;
    }
    ss_hybrid_mode(h, after->key)->mode = SS_INSTANT_SLIDES;
    return flow_held(m, d, flow);
}

/* Modes for what follows the event; impacts first. */
static ss_status settle(const ss_model *m, ss_data *d, const ss_happening *after)
{
    ss_hybrid *h      = d->hybrid;
    bool       struck = false;
    for (int i = 0; i < IMPACTS_MOST; i++) {
        bool    strikes;
        ss_flow flow;
        int32_t before = h->event_count;
        SS_TRY(remember_sticking(m, d));
        SS_TRY(ss_hybrid_find_modes(m, d, after, &strikes));
        if (strikes) {
            SS_TRY(ss_hybrid_project(m, d, false));
            SS_TRY(ss_hybrid_impact(m, d));
            h->mode_count = 0;
            if (!h->struck) { /* another branch of a corner separates the two */
                ss_hybrid_lose(h, h->striking);
                h->event_count = before;
            }
            after  = NULL;
            struck = true;
            continue;
        }
        SS_TRY(flow_held(m, d, &flow));
        SS_TRY(begin_anew(m, d, after, &flow));
        d->state.sticking_count = 0;
        if (!struck || !flow.bounce.found) {
            return SS_OK;
        }
        SS_TRY(come_to_rest(m, d, &flow.bounce));
        h->mode_count = 0;
    }
    h->stuck = true;
    return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                   "t = %.9g: impacts follow each other at one time without an end", d->state.t);
}

static ss_status note_event(ss_data *d, const ss_happening *what, bool *landing)
{
    *landing = what->kind == SS_EVENT_IMPACT;
    return *landing || what->kind == SS_HYBRID_LOST ? SS_OK : ss_hybrid_note(d, &what->who);
}

/* An event that touched without an impact. */
static ss_status note_landing(ss_data *d, const ss_happening *what, int32_t before)
{
    ss_event e = what->who;
    e.kind     = SS_EVENT_LANDS;
    return d->hybrid->event_count == before ? ss_hybrid_note(d, &e) : SS_OK;
}

/* Velocities were given that joints do not allow, or a drive jumps: an impact, with contacts; what
   the impulse level leaves of it for later steps goes at once. Friction that sticks gives way. */
static ss_status mend(const ss_model *m, ss_data *d)
{
    ss_hybrid *h = d->hybrid;
    SS_TRY(ss_hybrid_impact(m, d));
    int32_t modes  = h->mode_count;
    double  before = ss_hybrid_energy(m, d, NULL);
    h->mode_count  = 0;
    SS_TRY(ss_hybrid_project(m, d, true));
    h->mode_count = modes;
    d->state.ledger.dissipated += before - ss_hybrid_energy(m, d, NULL);
    return SS_OK;
}

static ss_status advance(const ss_model *m, ss_data *d, double end)
{
    ss_happening what = {.kind = -1};
    bool         over = false, landing = false, torn;
    int          idle   = 0;
    uint64_t     missed = 0; /* what showed a gap below zero, and was not there to be met */
    SS_TRY(ss_hybrid_keep(m, d));
    SS_TRY(ss_hybrid_torn(m, d, &torn));
    if (torn) {
        SS_TRY(mend(m, d));
    }
    SS_TRY(settle(m, d, NULL));
    while (!over) {
        double began = d->state.t;
        SS_TRY(fly(m, d, end, &what, &over));
        if (over) {
            return SS_OK;
        }
        bool went             = d->state.t - began > SS_HYBRID_SHORTEST * d->hybrid->time_constant;
        idle                  = went ? 0 : idle + 1;
        d->hybrid->lost_count = went ? 0 : d->hybrid->lost_count;
        /* What touches without a force where others do takes their place when they leave: in turn,
           at one time. Then all of them leave. And what is there behind the event alone (the lowest
           point of a rim that lies nearly flat) cannot strike at it, again and again. */
        bool unmet   = what.kind == SS_EVENT_IMPACT && missed == what.key;
        bool in_turn = idle > IN_TURN && (what.kind == SS_EVENT_LEAVES || unmet);
        if (what.kind == SS_HYBRID_LOST || in_turn) {
            ss_hybrid_lose(d->hybrid, what.key);
        }
        if (idle > IDLE_MOST) {
            d->hybrid->stuck = true;
            return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                           "t = %.9g: events follow each other at one time without an end",
                           d->state.t);
        }
        SS_TRY(note_event(d, &what, &landing));
        int32_t before = d->hybrid->event_count;
        SS_TRY(settle(m, d, &what));
        missed = landing && d->hybrid->event_count == before ? what.key : 0;
        if (landing) {
            SS_TRY(note_landing(d, &what, before));
        }
    }
    return SS_OK;
}

/* ---- the step ---- */

/* Time in which forces move the smallest body by its own size; without forces: by its velocity. */
static double time_constant(const ss_model *m, const ss_data *d)
{
    double g = ss_norm(m->gravity), v = fastest(m, d);
    double fall = g > 0 ? sqrt(m->length / g) : INFINITY;
    double pass = v > 0 ? m->length / v : INFINITY;
    return fmin(fmin(fall, pass), LONG_STEPS * m->simulation.step);
}

static void measure(const ss_model *m, ss_data *d)
{
    ss_step_report *r = &d->report;
    memcpy(d->pose_next, d->state.pose, (size_t)m->nb * sizeof *d->pose_next);
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_contact *c = &d->contacts.items[i];
        r->penetration = c->beside || c->inner ? r->penetration : fmax(r->penetration, -c->gap);
    }
    for (int32_t i = 0; i < m->joint_count; i++) {
        ss_joint_coordinates(m, d, i, d->state.joint_value + (ptrdiff_t)SS_JOINT_COORDINATES * i);
        r->joint_error = fmax(r->joint_error, ss_joint_error(m, d, i, NULL));
    }
}

static ss_status keep_modes(ss_data *d)
{
    ss_hybrid *h  = d->hybrid;
    int        ok = 1;
    d->state.mode = ss_array_grow(d->ctx, d->state.mode, &d->state.mode_capacity, h->mode_count,
                                  h->mode_count + 16, sizeof *d->state.mode, &ok);
    if (!ok) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for %d modes", (int)h->mode_count);
    }
    if (h->mode_count > 0) {
        memcpy(d->state.mode, h->modes, (size_t)h->mode_count * sizeof *h->modes);
    }
    d->state.mode_count = h->mode_count;
    return SS_OK;
}

static ss_status take_modes(ss_data *d)
{
    ss_hybrid *h  = d->hybrid;
    int        ok = 1;
    h->modes      = ss_array_grow(d->ctx, h->modes, &h->mode_capacity, d->state.mode_count + 1,
                                  d->state.mode_count + 16, sizeof *h->modes, &ok);
    if (!ok) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for modes");
    }
    if (d->state.mode_count > 0) {
        memcpy(h->modes, d->state.mode, (size_t)d->state.mode_count * sizeof *h->modes);
    }
    h->mode_count = d->state.mode_count;
    return SS_OK;
}

/* Driven bodies are where the step ends. */
static ss_status move_driven(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < m->nb; i++) {
        if (m->bodies[i].type == SS_BODY_KINEMATIC) {
            SS_TRY(ss_motion_pose(m, d, i, d->state.t, &d->state.pose[i]));
            d->state.twist[i] = d->twist_next[i];
        }
    }
    return SS_OK;
}

/* The last evaluation is that of the end: contacts, forces times h, velocities. */
static ss_status finish(const ss_model *m, ss_data *d, double step)
{
    ss_hybrid *h = d->hybrid;
    ss_flow    flow;
    ss_hybrid_read(m, d, h->y);
    SS_TRY(ss_hybrid_flow(m, d, d->state.t, h->y, h->k[0], &flow));
    for (int32_t i = 0; i < d->rows.nrows; i++) {
        d->rows.impulse[i] *= step;
    }
    d->island_count = 0;
    d->part         = step;
    ss_forget_parts(d);
    d->report = (ss_step_report){.step               = step,
                                 .outcome            = SS_SOLVED,
                                 .residual           = h->residual,
                                 .solver             = "acceleration",
                                 .iterations         = (int32_t)h->evaluations,
                                 .contacts           = d->contacts.count,
                                 .rounds             = 1,
                                 .events             = h->event_count,
                                 .restitution_factor = 1,
                                 .gain               = h->gain,
                                 .turnover           = h->turnover,
                                 .motion             = h->motion,
                                 .solutions          = h->several};
    ss_hybrid_count_bridges(h, &d->report);
    SS_TRY(move_driven(m, d));
    measure(m, d);
    ss_status lawful = obeys_laws(m, d);
    if (lawful != SS_OK) {
        d->report.outcome = SS_INACCURATE;
        return lawful;
    }
    if (m->memory_count > 0) {
        ss_note_memory(m, d);
    }
    memset(d->state.push, 0, (size_t)m->nb * sizeof *d->state.push);
    d->state.warm_count = 0;
    return keep_modes(d);
}

/* The next kink after `from`, if it is near enough to be felt in the step; else infinite. */
static ss_status next_kink(const ss_model *m, ss_data *d, double from, double end, double *out)
{
    bool   found;
    double kink = INFINITY, near = SS_HYBRID_SAME_KINK * m->simulation.step;
    d->window.on = false;
    SS_TRY(ss_hybrid_find_kink(m, d, from + near, end + m->simulation.step, &found, &kink));
    *out = found ? kink : INFINITY;
    return SS_OK;
}

/* By forces, and over what they do not lead through by impulses; but not on Painleve's border, nor
   next to a position in which joints hold less than elsewhere, where there may be no answer, or
   several. */
static ss_status go_on_to(const ss_model *m, ss_data *d, double end)
{
    ss_hybrid *h      = d->hybrid;
    ss_status  status = SS_OK;
    while (status == SS_OK && d->state.t < end) {
        h->stuck = false;
        status   = advance(m, d, end);
        if (status != SS_ERR_CERTIFICATE || !h->stuck) {
            continue;
        }
        if (h->grip < SS_HYBRID_WEAK) {
            return too_short(d, d->state.t);
        }
        status = h->slope > SS_HYBRID_PARADOX ? ss_hybrid_bridge(m, d, end) : status;
    }
    return status;
}

/* From kink to kink of what is driven: a step begins anew at each. */
static ss_status advance_smoothly(const ss_model *m, ss_data *d, double end)
{
    double low = -INFINITY, high, now = d->state.t, back = now - m->simulation.step;
    double near = SS_HYBRID_SAME_KINK * m->simulation.step;
    SS_TRY(next_kink(m, d, back, end, &high));
    while (high <= now + near) {
        low = high;
        SS_TRY(next_kink(m, d, low, end, &high));
    }
    while (high < end - near) {
        d->window = (ss_motion_window){true, low, high};
        SS_TRY(go_on_to(m, d, high));
        low = high;
        SS_TRY(next_kink(m, d, low, end, &high));
    }
    d->window = (ss_motion_window){true, low, high};
    return go_on_to(m, d, end);
}

static ss_status step(const ss_model *m, ss_data *d, double h)
{
    ss_hybrid *x   = d->hybrid;
    double     end = d->state.t + h;
    SS_TRY(ss_hybrid_save(m, d, &x->start));
    ss_start_limit(m, d);
    x->event_count   = 0;
    x->fork_count    = 0;
    x->lost_count    = 0;
    x->evaluations   = 0;
    x->searched      = 0;
    x->residual      = 0;
    x->several       = 1;
    x->motion        = SS_MOTION_UNIQUE;
    x->time_constant = time_constant(m, d);
    x->next          = h;
    x->gain          = 0;
    x->turnover      = 0;
    x->bridge        = (ss_bridge){0, -INFINITY};
    x->kept.time     = -INFINITY;
    ss_status status = take_modes(d);
    status =
        status == SS_OK ? (ss_hybrid_driven(m) ? advance_smoothly : go_on_to)(m, d, end) : status;
    status       = status == SS_OK ? finish(m, d, h) : status;
    d->window.on = false;
    if (status != SS_OK) {
        x->choice_next -= x->fork_count;
        SS_TRY(ss_snapshot_set(m, d, x->start.state, x->start.size));
    }
    return status;
}

/* ---- the class ---- */

static void close_hybrid(ss_data *d)
{
    ss_hybrid  *h   = d->hybrid;
    ss_context *ctx = d->ctx;
    ss_instant_destroy(h->instant);
    ss_free(ctx, h->memory, h->numbers * sizeof *h->memory);
    ss_free(ctx, h->modes, (size_t)h->mode_capacity * sizeof *h->modes);
    ss_free(ctx, h->events, (size_t)h->event_capacity * sizeof *h->events);
    ss_hybrid_free_forks(d);
    ss_free(ctx, h->driven, ((size_t)d->model->nb + 1) * sizeof *h->driven);
    ss_free(ctx, h->start.state, h->start.room);
    ss_free(ctx, h->impact.state, h->impact.room);
    ss_free(ctx, h->good.state, h->good.room);
    ss_free(ctx, h, sizeof *h);
    d->hybrid = NULL;
}

static ss_status open_hybrid(const ss_model *m, ss_data *d)
{
    enum { VECTORS = 4 + SS_STAGES + 5 };
    ss_hybrid *h = ss_alloc(d->ctx, 1, sizeof *h);
    if (h == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for level: acceleration");
    }
    d->hybrid  = h;
    h->ny      = SS_Y_BODY * m->nb + SS_Y_WORKS;
    h->numbers = (size_t)VECTORS * (size_t)h->ny;
    h->memory  = ss_alloc(d->ctx, h->numbers, sizeof *h->memory);
    h->driven  = ss_alloc(d->ctx, (size_t)m->nb + 1, sizeof *h->driven);
    if (h->memory == NULL || h->driven == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for level: acceleration");
    }
    double **vectors[] = {&h->y, &h->y_end, &h->y_mid, &h->scale};
    double  *at        = h->memory;
    for (int i = 0; i < 4; i++, at += h->ny) {
        *vectors[i] = at;
    }
    for (int i = 0; i < SS_STAGES; i++, at += h->ny) {
        h->k[i] = at;
    }
    for (int i = 0; i < 5; i++, at += h->ny) {
        h->dense[i] = at;
    }
    SS_TRY(ss_instant_create(d->ctx, m, &h->instant));
    ss_instant_set_enumerate(h->instant, UNKNOWNS_MOST);
    ss_solver_common(h->instant->all)->max_iter = NODES_MOST;
    return SS_OK;
}

static const char *refuses(const ss_scene *scene)
{
    const ss_simulation_def *s    = &scene->simulation;
    const ss_axes           *axes = &s->axes;
    if (!ss_inertia_axis[axes->inertia]->momentum) {
        return "level: acceleration wants inertia: dynamic (without momentum there are no "
               "accelerations)";
    }
    if (scene->dimension == 3 && ss_cone_axis[axes->cone]->flat) {
        return "level: acceleration wants cone: quadratic in space: what slides has its own "
               "direction, and impacts with polygons are not certified";
    }
    if (ss_contact_axis[axes->contact]->gives) {
        return "level: acceleration wants contact: rigid (contacts that give have level: impulse)";
    }
    if (ss_geometry_axis[axes->geometry]->at_end) {
        return "level: acceleration wants geometry: explicit (geometry is that of each instant)";
    }
    if (ss_corners_axis[axes->corners]->posed) {
        return "level: acceleration wants corners: exact or convex";
    }
    if (ss_joints_axis[axes->joints]->by_rate) {
        return "level: acceleration wants joints: stabilised or projected (it keeps them closed)";
    }
    if (s->sleep) {
        return "level: acceleration lets nothing sleep: leave out simulation: sleep";
    }
    if (s->error > 0) {
        return "level: acceleration controls its own error: leave out simulation: error";
    }
    return NULL;
}

const ss_level_class ss_level_acceleration = {.name     = "acceleration",
                                              .instants = true,
                                              .step     = step,
                                              .open     = open_hybrid,
                                              .close    = close_hybrid,
                                              .refuses  = refuses};

/* ---- what is asked for ---- */

const char *ss_event_text(ss_event_kind kind)
{
#define SS_EVENT_TEXT(code, text) [code] = text,
    static const char *const texts[]     = {SS_EVENT_LIST(SS_EVENT_TEXT)};
#undef SS_EVENT_TEXT
    return (unsigned)kind < sizeof texts / sizeof texts[0] ? texts[kind] : "?";
}

int32_t ss_data_event_count(const ss_data *d)
{
    return d != NULL && d->hybrid != NULL ? d->hybrid->event_count : 0;
}

ss_status ss_data_event(const ss_model *m, const ss_data *d, int32_t event, ss_event *out)
{
    SS_TRY(ss_data_given(m, d, out));
    SS_TRY(ss_data_in_range(d, "event", event, ss_data_event_count(d)));
    *out = d->hybrid->events[event];
    return SS_OK;
}
