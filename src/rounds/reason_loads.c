/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Friction of joints that follows their load: a round assumes a load (the last step's, then the
 * last round's) and finds another, until they agree. It begins with the impulses of the last one,
 * which where joints stick may be one choice of many, and stay if they still do.
 */
#include <string.h>

#include "dynamics/stages.h"

extern const ss_reason ss_reason_loads;

static bool concerns(const ss_model *m)
{
    return m->joint_loads;
}

static void start(const ss_model *m, ss_data *d, double h)
{
    (void)h;
    memcpy(d->trial_load, d->state.joint_load, (size_t)m->joint_count * sizeof *d->trial_load);
}

static void begin(const ss_model *m, ss_data *d, double h)
{
    (void)h;
    ss_joint_loads_begin(m, d);
}

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    if (ss_joint_loads_settled(m, d, h)) {
        return SS_HOLDS;
    }
    ss_keep_impulses(d, d->tried.items, &d->tried.count);
    return SS_AGAIN;
}

const ss_reason ss_reason_loads = {.name     = "the load of a joint",
                                   .concerns = concerns,
                                   .start    = start,
                                   .begin    = begin,
                                   .check    = check};
