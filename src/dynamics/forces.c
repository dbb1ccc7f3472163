/* SPDX-License-Identifier: Apache-2.0 */
/* Gravity, pushes by the caller, and the scene's forces, evaluated in the middle of the step. */
#include "dynamics/stages.h"
#include "force/force.h"

/* Those that act from outside first: what they put in is told apart (certify/ledger.c). */
static ss_status apply_kind(const ss_model *m, ss_data *d, double h, bool passive)
{
    for (int32_t i = 0; i < m->force_count; i++) {
        const ss_force *f = &m->forces[i];
        if (f->cls->passive == passive) {
            SS_TRY(f->cls->apply(m, d, f, d->state.t + 0.5 * h));
        }
    }
    return SS_OK;
}

ss_status ss_forces(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < m->nb; i++) {
        d->applied[i] = d->state.push[i];
    }
    SS_TRY(apply_kind(m, d, h, false));
    for (int32_t i = 0; i < m->nb; i++) {
        d->active[i]        = d->applied[i];
        d->applied[i].force = ss_axpy(d->applied[i].force, m->bodies[i].mass, m->gravity);
    }
    SS_TRY(apply_kind(m, d, h, true));
    if (m->joint_springs) {
        ss_joint_springs(m, d);
    }
    return SS_OK;
}
