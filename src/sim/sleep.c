/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Falling asleep (simulation: {sleep: true}). An island whose step is certified sleeps once none of
 * its bodies has been faster than a thousandth of what forces change in a step,
 *
 *   |v| + r |w| <= 1e-3 h |F| / m,
 *
 * for half a second: it has then moved by less than 5e-4 h |F| / m metres. Its bodies stand still
 * from there on. What may be driven never sleeps: islands with rows other than contacts, bodies
 * that joints, springs or forces act on, and what touches kinematic bodies or surfaces that move;
 * nor does anything without momentum or on contacts that give. Waking is in dynamics/wake.c.
 */
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "sim/sim.h"
#include "sim/tolerances.h"

/* Was the body at rest in this step? */
static bool is_quiet(const ss_model *m, const ss_data *d, int32_t i, double h)
{
    const ss_body  *b     = &m->bodies[i];
    const ss_twist *w     = &d->state.twist[i];
    double          speed = ss_norm(w->v) + b->extent * ss_norm(w->w);
    return speed <= SS_SLEEP_SPEED * h * b->inv_mass * ss_norm(d->applied[i].force);
}

static bool may_sleep(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    for (int32_t i = 0; i < isl->body_count; i++) {
        if (d->state.quiet[isl->bodies[i]] < SS_SLEEP_AFTER) {
            return false;
        }
    }
    for (int32_t i = 0; i < isl->body_count; i++) {
        if (!m->bodies[isl->bodies[i]].alone) {
            return false;
        }
    }
    return ss_island_undriven(m, d, isl);
}

static void put_to_sleep(const ss_model *m, ss_data *d, const ss_island *isl)
{
    int32_t first = isl->bodies[0];
    for (int32_t i = 1; i < isl->body_count; i++) {
        first = isl->bodies[i] < first ? isl->bodies[i] : first;
    }
    double before = ss_data_energy(m, d).kinetic;
    for (int32_t i = 0; i < isl->body_count; i++) {
        d->state.asleep[isl->bodies[i]] = first + 1;
        d->state.twist[isl->bodies[i]]  = (ss_twist){0};
    }
    d->state.ledger.dissipated += before - ss_data_energy(m, d).kinetic;
}

void ss_fall_asleep(const ss_model *m, ss_data *d, double h)
{
    int32_t count = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        if (m->bodies[i].aside) {
            continue;
        }
        bool quiet = d->asleep[i] != 0 || (ss_body_moves(&m->bodies[i]) && is_quiet(m, d, i, h));
        d->state.asleep[i] = d->asleep[i];
        d->state.quiet[i]  = quiet ? d->state.quiet[i] + h : 0;
        count += d->asleep[i] != 0;
    }
    d->report.asleep = count;
    bool able        = ss_inertia_of(m)->momentum && !m->compliant; /* deflections are state */
    for (int32_t i = 0; able && i < d->island_count; i++) {
        if (may_sleep(m, d, &d->islands[i])) {
            put_to_sleep(m, d, &d->islands[i]);
        }
    }
}

bool ss_data_asleep(const ss_data *d, int32_t body)
{
    return d != NULL && body >= 0 && body < d->model->nb && d->model->simulation.sleep &&
           d->state.asleep[body] != 0;
}
