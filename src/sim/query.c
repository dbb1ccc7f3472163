/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts of the last step, as a user asks for them. */
#include <math.h>

#include "dynamics/stages.h"
#include "sim/sim.h"

/* Stick or slip is told by the force: inside the cone nothing slides, on it something may. */
static ss_contact_state state_of(const ss_row_block *b, const double *p, const double *u)
{
    if (!(p[0] > 0)) {
        return SS_CONTACT_OPEN;
    }
    if (b->dim == 1) {
        return SS_CONTACT_SLIP; /* no friction holds it */
    }
    double slip = 0, force = 0;
    for (int32_t k = 1; k < b->dim; k++) {
        slip += u[k] * u[k];
        force += p[k] * p[k];
    }
    bool at_limit = sqrt(force) >= b->mu * p[0] * (1 - 1e-6);
    return at_limit && slip > 0 ? SS_CONTACT_SLIP : SS_CONTACT_STICK;
}

void ss_data_contact(const ss_model *m, const ss_data *d, int32_t contact, ss_contact_info *out)
{
    const ss_contact   *c = &d->contacts.items[contact];
    const ss_row_block *b = &d->rows.blocks[contact];
    *out                  = (ss_contact_info){.body_a    = m->geoms[c->geom_a].body,
                                              .body_b    = m->geoms[c->geom_b].body,
                                              .geom_a    = c->geom_a,
                                              .geom_b    = c->geom_b,
                                              .feature_a = c->feature_a,
                                              .feature_b = c->feature_b,
                                              .normal    = c->normal,
                                              .gap       = c->gap,
                                              .mu        = b->mu};
    out->point            = ss_scale(0.5, ss_add(c->point_a, c->point_b));
    ss_contact_frame(m, c, &out->t, &out->o);
    out->impulse_count = b->dim;
    for (int32_t k = 0; k < b->dim && k < 6; k++) {
        out->impulse[k]  = d->rows.impulse[b->row + k];
        out->velocity[k] = d->rows.velocity[b->row + k];
    }
    out->state = state_of(b, out->impulse, out->velocity);
}
