/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Islands that are solved to a motion error c: contacts that miss their laws by c S may give energy
 * instead of taking it, up to c S times the sum of their impulses, and in a step in which layers of
 * a pile strike each other that can be seen. A round in which such an island has more energy at the
 * end than at the start, by more than a small part of what the forces of the step could give its
 * bodies,
 *
 *   -A > s sum m S^2          A: what the step takes (recover/taken.c), s = SS_PILE_GAIN
 *
 * is followed by one that goes on from there to a tenth of c, as far as some sweeps take it. What
 * grows by the order of the time-stepping itself no smaller c takes away, so that one such round is
 * all.
 */
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "formulate/tolerances.h"
#include "rounds/tolerances.h"

extern const ss_reason ss_reason_gain;

static bool concerns(const ss_model *m)
{
    return ss_inertia_of(m)->momentum && !m->as_printed &&
           m->simulation.accuracy != SS_ACCURACY_EXACT;
}

static void start(const ss_model *m, ss_data *d, double h)
{
    (void)m, (void)h;
    d->closer = 1;
}

/* Does the island gain what nothing put in? */
static bool gains(const ss_model *m, const ss_data *d, const ss_island *isl, double h)
{
    double mass = 0, speed = isl->cone.as.cone.speed;
    if (!ss_island_by_motion(m, isl) || !ss_island_undriven(m, d, isl)) {
        return false;
    }
    for (int32_t i = 0; i < isl->body_count; i++) {
        mass += m->bodies[isl->bodies[i]].mass;
    }
    return -ss_island_taken(m, d, isl, h) > SS_PILE_GAIN * mass * speed * speed;
}

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    bool found = false;
    for (int32_t i = 0; d->closer == 1 && !found && i < d->island_count; i++) {
        found = gains(m, d, &d->islands[i], h);
    }
    if (!found) {
        return SS_HOLDS;
    }
    d->closer = SS_PILE_CLOSER;
    ss_keep_impulses(d, d->tried.items, &d->tried.count);
    return SS_AGAIN;
}

const ss_reason ss_reason_gain = {.name          = "the energy of a pile",
                                  .concerns      = concerns,
                                  .start         = start,
                                  .check         = check,
                                  .when_all_hold = true};
