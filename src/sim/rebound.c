/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Laws of impact may not make energy. Newton's law with friction, and either law where contacts of
 * one island differ, can return more than the compression took (Kane and Levinson 1985). What an
 * island returns is then scaled by one factor 0 <= s <= 1: e becomes s e at all of its contacts, in
 * Newton's term e u- and in Poisson's r = e c, so that
 *
 *   g(s) <= max(g(0), 0),     g(s): sum over the contacts of the island of p.(u- + u+)/2
 *
 * With s = 0 impacts and friction only take energy; where g(0) > 0 nevertheless, contacts that do
 * not strike gave it, because they turned or opened before the step (p u- > 0): that is of order
 * h^2, the scheme's and not the impact's. So after s = 1 comes s = 0, and then bisection. Bodies
 * carry s and g(0), because islands are found anew in every round.
 */
#include <math.h>

#include "certify/certify.h"
#include "core/compare.h"
#include "sim/sim.h"

enum { BISECTIONS = 7 };

void ss_begin_rebounds(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < m->nb; i++) {
        d->rebound[i] = (ss_rebound){.factor = 1, .low = 0, .high = INFINITY};
    }
}

/* The bounds of the bodies of each island after a trial; true: some island made energy. */
static bool narrow(ss_data *d, const ss_impact_gain *gain)
{
    bool any = false;
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_island *isl   = &d->islands[i];
        bool             makes = gain[i].energy - ss_rebound_base(d, i) > gain[i].slack;
        for (int32_t k = 0; k < isl->body_count; k++) {
            ss_rebound *x = &d->rebound[isl->bodies[k]];
            if (x->factor == 0) {
                x->base = ss_max(gain[i].energy, 0);
            } else if (makes) {
                x->high = x->factor;
            } else if (isfinite(x->high)) {
                x->low = x->factor;
            }
        }
        any = any || makes;
    }
    return any;
}

/* The factors of trial k; true: they differ from the last. */
static bool choose(const ss_model *m, ss_data *d, int k)
{
    bool changed = false;
    for (int32_t i = 0; i < m->nb; i++) {
        ss_rebound *x = &d->rebound[i];
        if (x->high <= 1) {
            double next = k == 1 || k > BISECTIONS ? x->low : 0.5 * (x->low + x->high);
            changed     = changed || next != x->factor;
            x->factor   = next;
        }
    }
    return changed;
}

ss_status ss_limit_rebounds(const ss_model *m, ss_data *d, double h, ss_stage rounds)
{
    bool made = false;
    for (int k = 1; k <= BISECTIONS + 1; k++) {
        ss_impact_gain *gain = ss_arena_alloc(&d->scratch, (size_t)d->island_count, sizeof *gain);
        if (gain == NULL) {
            return SS_ERR_SCRATCH;
        }
        SS_TRY(ss_impact_gains(m, d, h, gain));
        made = narrow(d, gain) || made;
        if (!made || !choose(m, d, k)) {
            return SS_OK;
        }
        SS_TRY(rounds(m, d, h));
    }
    return SS_OK;
}

double ss_rebound_factor(const ss_model *m, const ss_data *d)
{
    double least = 1;
    for (int32_t i = 0; i < m->nb; i++) {
        least = ss_min(least, d->rebound[i].factor);
    }
    return least;
}
