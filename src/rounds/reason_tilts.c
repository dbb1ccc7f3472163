/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pushes above the surface that a body lies on: a round has the normal forces that balance those of
 * the round before (of the first: none), until they agree. The step fails where that body tips.
 */
#include <string.h>

#include "dynamics/stages.h"
#include "rows/support_tilt.h"

extern const ss_reason ss_reason_tilts;

static bool concerns(const ss_model *m)
{
    return m->tilts;
}

static void start(const ss_model *m, ss_data *d, double h)
{
    (void)h;
    memset(d->trial_tilt, 0, (size_t)m->lift_count * sizeof *d->trial_tilt);
}

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    if (!ss_tilts_settled(m, d, h)) {
        return SS_AGAIN;
    }
    return d->tips >= 0 ? SS_FAILS : SS_HOLDS;
}

const ss_reason ss_reason_tilts = {
    .name = "what a pushed body stands on", .concerns = concerns, .start = start, .check = check};
