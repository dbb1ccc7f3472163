/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step so long that most of what its bodies can reach is not touched: its problem would be many
 * times larger than what is decided in it, and once solved its motion would be cut for overlaps all
 * the same. Where a step can be cut, it is cut right away; the number of contacts in reach falls
 * with its length (not where faces are extended beyond their edges: there only far too many count).
 * A multiple of what a pile at rest has for each body (in the plane and in space), and what small
 * scenes may have.
 */
#include "sim/step.h"

#include "dynamics/stages.h"
#include "model/axes.h"
#include "sim/tolerances.h"

enum { CROWD_PLANE = 8, CROWD_SPACE = 24, CROWD_EXTENDED = 20 };

/* Does the body move by a good part of itself in the step? Only then shorter ones reach less. */
static bool goes_far(const ss_model *m, const ss_data *d, int32_t i, double h)
{
    const ss_twist *t    = &d->state.twist[i];
    double          size = m->shapes[i].size > 0 ? m->shapes[i].size : m->length;
    return h * (ss_norm(t->v) + ss_norm(t->w) * m->bodies[i].extent) > SS_CROWD_FAR * size;
}

ss_status ss_not_crowded(const ss_model *m, ss_data *d, double h)
{
    int32_t bodies = 0, apart = 0;
    bool    far = false;
    for (int32_t i = 0; i < m->nb; i++) {
        bool moves = ss_body_moves(&m->bodies[i]);
        bodies += moves;
        far = far || (moves && goes_far(m, d, i, h));
    }
    int32_t most = SS_CROWD_LEAST + bodies * (m->dimension == 2 ? CROWD_PLANE : CROWD_SPACE);
    most *= ss_corners_of(m)->together || ss_corners_of(m)->posed ? CROWD_EXTENDED : 1;
    if (!far || d->contacts.count <= most || !ss_solver_common(d->solver)->brief) {
        return SS_OK;
    }
    for (int32_t i = 0; i < d->contacts.count; i++) {
        apart += d->contacts.items[i].gap > SS_CROWD_APART * m->length;
    }
    if (4 * (int64_t)apart < 3 * (int64_t)d->contacts.count) {
        return SS_OK;
    }
    d->motions.unheld = d->opposed = d->prox.restless = -1; /* nothing was found out */
    d->pushed_hard                                    = false;
    return ss_fail(d->ctx, SS_ERR_CERTIFICATE,
                   "t = %g: %d contacts of %d bodies are within reach of one step", d->state.t,
                   (int)d->contacts.count, (int)bodies);
}
