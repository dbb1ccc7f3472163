/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Impacts by the impulse level: one step (sim/step.c) so short that forces do nothing in it, with
 * all gaps in its reach counted as none, of which the velocities are kept and the positions are
 * not. Laws of impact, friction and certificates are those of a step.
 */
#include <string.h>

#include "certify/certify.h"
#include "dynamics/stages.h"
#include "hybrid/hybrid.h"
#include "hybrid/tolerances.h"
#include "model/axes.h"
#include "sim/sim.h"

ss_status ss_hybrid_save(const ss_model *m, ss_data *d, ss_kept *to)
{
    to->size = ss_snapshot_size(m, d);
    if (to->size > to->room) {
        void *fresh = ss_resize(d->ctx, to->state, to->room, 2 * to->size);
        if (fresh == NULL) {
            return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory to come back to a state");
        }
        to->state = fresh;
        to->room  = 2 * to->size;
    }
    return ss_snapshot_get(m, d, to->state);
}

bool ss_hybrid_changes(const ss_hybrid *h, double length, const ss_twist *was, const ss_twist *by,
                       double part)
{
    double change = ss_norm(by->v) + length * ss_norm(by->w);
    double speed  = length / h->time_constant + ss_norm(was->v) + length * ss_norm(was->w);
    return change > part * speed;
}

/* What a step has added, which may be the sum of parts. */
static ss_ledger added_since(const ss_ledger *was, const ss_ledger *is)
{
    ss_ledger l = *is;
    l.dissipated -= was->dissipated;
    l.driven -= was->driven;
    l.restitution -= was->restitution;
    l.turnover -= was->turnover;
    l.exchanged -= was->exchanged;
    l.strayed -= was->strayed;
    l.swung -= was->swung;
    l.turn_off -= was->turn_off;
    l.turn_exchanged -= was->turn_exchanged;
    l.raised_net -= was->raised_net;
    return l;
}

/* The velocities and works of the impact stay; all else is as before it. */
static ss_status keep_velocities(const ss_model *m, ss_data *d, const ss_ledger *start)
{
    ss_hybrid *h = d->hybrid;
    ss_ledger  l = added_since(start, &d->state.ledger);
    ss_hybrid_read(m, d, h->y_mid);
    SS_TRY(ss_snapshot_set(m, d, h->impact.state, h->impact.size));
    double before = ss_hybrid_energy(m, d, NULL);
    h->struck     = false;
    for (int32_t i = 0; i < m->nb; i++) {
        const double *y = h->y_mid + (size_t)SS_Y_BODY * (size_t)i;
        if (ss_body_moves(&m->bodies[i])) {
            ss_twist was      = d->state.twist[i];
            d->state.twist[i] = (ss_twist){ss_v3(y[SS_Y_V], y[SS_Y_V + 1], y[SS_Y_V + 2]),
                                           ss_v3(y[SS_Y_W], y[SS_Y_W + 1], y[SS_Y_W + 2])};
            ss_twist by = {ss_sub(d->state.twist[i].v, was.v), ss_sub(d->state.twist[i].w, was.w)};
            h->struck   = h->struck || ss_hybrid_changes(h, m->length, &was, &by, SS_HYBRID_STRUCK);
        }
    }
    double change  = ss_hybrid_energy(m, d, NULL) - before;
    l.applied      = 0;
    l.corrections  = 0;
    l.integration  = 0;
    double missing = change - (l.driven + l.restitution - l.dissipated);
    l.dissipated -= missing < 0 ? missing : 0; /* forces over the time of the impact */
    l.integration += missing > 0 ? missing : 0;
    l.net = l.made = 0;
    ss_ledger_add(&d->state.ledger, &l);
    return SS_OK;
}

/* Driven bodies where they are now, and how they go there, by the last look at the state. */
static ss_status place_driven(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < m->nb; i++) {
        d->hybrid->driven[i] = d->twist_next[i];
        if (m->bodies[i].type == SS_BODY_KINEMATIC) {
            SS_TRY(ss_motion_pose(m, d, i, d->state.t, &d->state.pose[i]));
        }
    }
    return SS_OK;
}

ss_status ss_hybrid_impact(const ss_model *m, ss_data *d)
{
    ss_hybrid *h = d->hybrid;
    SS_TRY(place_driven(m, d));
    SS_TRY(ss_hybrid_save(m, d, &h->impact));
    ss_ledger was    = d->state.ledger;
    d->at_impact     = h->driven;
    ss_status status = ss_step_by_impulses(m, d, SS_HYBRID_IMPACT * h->time_constant);
    d->at_impact     = NULL;
    if (status != SS_OK) {
        return status;
    }
    h->motion   = d->report.motion != SS_MOTION_UNIQUE ? d->report.motion : h->motion;
    h->residual = d->report.residual > h->residual ? d->report.residual : h->residual;
    return keep_velocities(m, d, &was);
}
