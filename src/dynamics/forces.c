/* SPDX-License-Identifier: Apache-2.0 */
/* Gravity, pushes by the caller, and the scene's forces, evaluated in the middle of the step. */
#include "dynamics/stages.h"
#include "force/force.h"

static ss_wrench applied_to(const ss_data *d, int32_t body)
{
    return body >= 0 ? d->applied[body] : (ss_wrench){0};
}

/* Applies a force and keeps what it did to each of its bodies, for those who ask. */
static ss_status apply(const ss_model *m, ss_data *d, int32_t index, double t)
{
    const ss_force *f      = &m->forces[index];
    const int32_t  *body   = f->body;
    ss_wrench       was[2] = {applied_to(d, body[0]), applied_to(d, body[1])};
    SS_TRY(f->cls->apply(m, d, f, t));
    for (int side = 0; side < 2; side++) {
        ss_wrench now = applied_to(d, body[side]);
        d->acting[2 * index + side] =
            (ss_wrench){ss_sub(now.force, was[side].force), ss_sub(now.torque, was[side].torque)};
    }
    return SS_OK;
}

/* Those that act from outside first: what they put in is told apart (certify/ledger.c). */
static ss_status apply_kind(const ss_model *m, ss_data *d, double h, bool passive)
{
    for (int32_t i = 0; i < m->force_count; i++) {
        if (m->forces[i].cls->passive == passive) {
            SS_TRY(apply(m, d, i, d->state.t + 0.5 * h));
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
