/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step that ends in a ray may have no solution because gaps cannot be closed (gap: position). It
 * is done once more without gaps to close, as gap: velocity would: then a solution exists for
 * surfaces at rest or a pointed friction cone (Anitescu and Potra 1997), and the report says so.
 */
#include "model/axes.h"

extern const ss_reason ss_reason_ray;

static bool concerns(const ss_model *m)
{
    return !ss_inertia_of(m)->balanced && ss_gap_of(m)->without != NULL;
}

static bool anew(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; d->gap == ss_gap_of(m) && i < d->island_count; i++) {
        ss_outcome o = d->islands[i].solution.outcome;
        if (o == SS_RAY || o == SS_INFEASIBLE) {
            d->gap = d->gap->without;
            return true;
        }
    }
    return false;
}

const ss_reason ss_reason_ray = {.name = "gaps to close", .concerns = concerns, .anew = anew};
