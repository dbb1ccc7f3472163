/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dry friction of joints that follows their load, at an instant: its bound is f + c r |R|, with R
 * the force of the joint that the same instant has. Forces are found under assumed loads, at first
 * those of the last accepted state, then those that came out, until they agree. The loads change
 * by c r over the lever of the friction from one time to the next: where that is 1 or more friction
 * holds by itself whatever pushes, and there is no end.
 */
#include <string.h>

#include "dynamics/stages.h"
#include "hybrid/hybrid.h"
#include "sim/sim.h"

enum { LOADS_MOST = 100 };

ss_status ss_hybrid_loads_agree(const ss_model *m, ss_data *d, ss_instant_rows *r,
                                const double *force, int32_t times, bool *agree)
{
    *agree = true;
    if (!m->joint_loads) {
        return SS_OK;
    }
    if (times <= 1) {
        ss_joint_loads_begin(m, d);
    }
    memcpy(d->rows.impulse, force, (size_t)d->rows.nrows * sizeof *force);
    *agree = ss_joint_loads_settled(m, d, 1);
    for (int32_t i = 0; i < r->nblocks; i++) {
        ss_instant_block *b = &r->blocks[i];
        if (b->source == SS_ROWS_FRICTION) {
            b->bound = ss_joint_friction(m, d, b->index, b->part);
        }
    }
    return *agree || times < LOADS_MOST
               ? SS_OK
               : ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                         "t = %.9g: friction of a joint that follows its load, and the load, do "
                         "not settle: coefficient times radius is too large for its lever",
                         d->state.t);
}
