/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step that ends in a ray may have no solution because gaps cannot be closed (gap: position). It
 * is done once more without gaps to close, as gap: velocity would: then a solution always exists
 * (Anitescu and Potra 1997), and the report says so.
 */
#include "dynamics/stages.h"

extern const ss_reason ss_reason_ray;

static bool concerns(const ss_model *m)
{
    return m->simulation.axes.inertia != SS_INERTIA_QUASISTATIC &&
           m->simulation.axes.gap == SS_GAP_POSITION;
}

static void start(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)h;
    d->drop_gaps = false;
}

static bool anew(const ss_model *m, ss_data *d)
{
    (void)m;
    for (int32_t i = 0; !d->drop_gaps && i < d->island_count; i++) {
        ss_outcome o = d->islands[i].solution.outcome;
        if (o == SS_RAY || o == SS_INFEASIBLE) {
            d->drop_gaps = true;
            return true;
        }
    }
    return false;
}

const ss_reason ss_reason_ray = {
    .name = "gaps to close", .concerns = concerns, .start = start, .anew = anew};
