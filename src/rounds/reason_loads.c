/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Friction of joints that follows their load: a round assumes a load (the last step's, then the
 * last round's) and finds another, until they agree.
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

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    return ss_joint_loads_settled(m, d, h) ? SS_HOLDS : SS_AGAIN;
}

const ss_reason ss_reason_loads = {
    .name = "the load of a joint", .concerns = concerns, .start = start, .check = check};
