/* SPDX-License-Identifier: Apache-2.0 */
/* Gravity, pushes by the caller, and the scene's forces, evaluated in the middle of the step. */
#include "dynamics/stages.h"
#include "force/force.h"

ss_status ss_forces(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < m->nb; i++) {
        d->applied[i]       = d->state.push[i];
        d->applied[i].force = ss_axpy(d->state.push[i].force, m->bodies[i].mass, m->gravity);
    }
    for (int32_t i = 0; i < m->force_count; i++) {
        const ss_force *f = &m->forces[i];
        SS_TRY(f->cls->apply(m, d, f, d->state.t + 0.5 * h));
    }
    if (m->joint_springs) {
        ss_joint_springs(m, d);
    }
    return SS_OK;
}
