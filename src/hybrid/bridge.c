/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where there is an answer that forces at an instant do not lead to: a point of contact goes round
 * a rim that comes to lie, or over a line without curvature, with an unbounded speed; slips end and
 * begin without an end at one time, because contacts share a load that is not unique. A short time
 * from the last state that was certified is then gone by the impulse level, in short steps with its
 * own laws and certificates, as impacts are (impact.c), and the run goes on from there. It is told
 * as an event. Where the next try ends too, twice that time is gone.
 */
#include <math.h>

#include "hybrid/hybrid.h"
#include "hybrid/tolerances.h"
#include "sim/sim.h"

/* Steps of the impulse level in a bridge; states that one body may ask forces for. */
enum { PARTS = 16, STATES_MOST = 100000 };

/* A state takes as long as there are bodies, and as their shapes are searched. */
bool ss_hybrid_asked_too_often(const ss_model *m, const ss_hybrid *h)
{
    int32_t moving = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        moving += ss_body_moves(&m->bodies[i]);
    }
    double searches = h->searched / SS_HYBRID_STATE;
    return (double)h->evaluations * moving + searches > STATES_MOST;
}

ss_status ss_hybrid_keep(const ss_model *m, ss_data *d)
{
    ss_hybrid *h = d->hybrid;
    h->kept      = (ss_progress){.events      = h->event_count,
                                 .forks       = h->fork_count,
                                 .choice_next = h->choice_next,
                                 .several     = h->several,
                                 .residual    = h->residual,
                                 .gain        = h->gain,
                                 .turnover    = h->turnover};
    return ss_hybrid_save(m, d, &h->good);
}

/* Back to the last state that was certified. */
static ss_status go_back(const ss_model *m, ss_data *d)
{
    ss_hybrid *h   = d->hybrid;
    h->event_count = h->kept.events;
    h->fork_count  = h->kept.forks;
    h->choice_next = h->kept.choice_next;
    h->several     = h->kept.several;
    h->residual    = h->kept.residual;
    h->gain        = h->kept.gain;
    h->turnover    = h->kept.turnover;
    h->mode_count = h->lost_count = 0;
    return ss_snapshot_set(m, d, h->good.state, h->good.size);
}

bool ss_hybrid_just_bridged(const ss_hybrid *h, double t)
{
    return t - h->bridge.end < h->bridge.length;
}

/* How long the bridge is: twice the last where that is just behind, all that is left where forces
   were asked for too often. */
static double length_of(const ss_model *m, const ss_hybrid *h, double from, double end)
{
    double first = SS_HYBRID_BRIDGE * m->simulation.step;
    double next  = ss_hybrid_just_bridged(h, from) ? 2 * h->bridge.length : first;
    bool   often = ss_hybrid_asked_too_often(m, h);
    return often || next > end - from - first ? end - from : next;
}

void ss_hybrid_count_bridges(const ss_hybrid *h, ss_step_report *report)
{
    for (int32_t i = 0; i < h->event_count; i++) {
        const ss_event *e = &h->events[i];
        if (e->kind == SS_EVENT_BRIDGED) {
            report->bridges++;
            report->bridged += e->until - e->time;
        }
    }
}

static ss_status take_part(const ss_model *m, ss_data *d, double to)
{
    ss_hybrid *h = d->hybrid;
    d->effort    = (ss_effort){0}; /* each part has the work of a step */
    SS_TRY(ss_step_by_impulses(m, d, to - d->state.t));
    d->state.t  = to;
    h->residual = fmax(h->residual, d->report.residual);
    h->gain += d->report.gain;
    h->turnover += d->report.turnover;
    return SS_OK;
}

ss_status ss_hybrid_bridge(const ss_model *m, ss_data *d, double end)
{
    ss_hybrid *h = d->hybrid;
    SS_TRY(go_back(m, d));
    double   from = d->state.t, length = length_of(m, h, from, end);
    ss_event e = {.kind = SS_EVENT_BRIDGED, .body_a = -1, .body_b = -1, .joint = -1, .support = -1};
    e.until    = from + length;
    SS_TRY(ss_hybrid_note(d, &e));
    for (int k = 1; k <= PARTS; k++) {
        SS_TRY(take_part(m, d, k < PARTS || length < end - from ? from + length * k / PARTS : end));
    }
    h->bridge.end    = d->state.t;
    h->bridge.length = length;
    return SS_OK;
}
