/* SPDX-License-Identifier: Apache-2.0 */
/* geometry: implicit by its second route, without taking the step (implicit/mcp_step.c). */
#include <math.h>

#include "implicit/implicit.h"
#include "sim/sim.h"

ss_status ss_analyze_implicit(const ss_model *m, ss_data *d, double h, ss_body_motion *motion,
                              ss_mcp_step *out)
{
    SS_TRY(ss_data_given(m, d, out));
    SS_TRY(ss_data_given(m, d, motion));
    if (!(h > 0) || !isfinite(h)) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "the step must be > 0, got %g", h);
    }
    if (ss_inertia_of(m)->balanced || m->joint_count > 0 || m->support_count > 0 ||
        m->give_rows > 0 || m->compliant || m->two_frictions || m->placed || m->tilts) {
        return ss_fail(
            d->ctx, SS_ERR_UNSUPPORTED,
            "the complementarity problem of a step is posed for rigid contacts alone: no "
            "joints, supports, springs, one coefficient of friction, and inertia: dynamic or "
            "damped");
    }
    ss_status status = SS_ERR_SCRATCH;
    SS_TRY(ss_retry_with_room(d, ss_mcp_look, h));
    for (int i = 0; status == SS_ERR_SCRATCH && i < 32; i++) {
        status = ss_mcp_solve(m, d, h, motion, out);
        if (status == SS_ERR_SCRATCH) {
            SS_TRY(ss_arena_grow(d->ctx, &d->scratch));
        }
    }
    d->contacts.count = 0; /* they belong to no step */
    d->rows.nblocks   = 0;
    return status;
}
