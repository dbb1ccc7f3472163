/* SPDX-License-Identifier: Apache-2.0 */
/* Gravity, pushes by the caller, and the scene's forces, evaluated in the middle of the step. */
#include <math.h>

#include "dynamics/stages.h"
#include "dynamics/tolerances.h"
#include "force/force.h"
#include "model/axes.h"

/* Of a force and a torque. */
typedef struct wrench_size {
    double force, torque;
} wrench_size;

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

/* Sizes of all that is added up in the force and torque on each body. */
static void add_sizes(const ss_model *m, const ss_data *d, wrench_size *size)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_wrench *push = &d->state.push[i];
        size[i].force         = ss_norm(push->force) + m->bodies[i].mass * ss_norm(m->gravity);
        size[i].torque        = ss_norm(push->torque);
    }
    for (int32_t i = 0; i < 2 * m->force_count; i++) {
        int32_t body = m->forces[i / 2].body[i % 2];
        if (body >= 0) {
            size[body].force += ss_norm(d->acting[i].force);
            size[body].torque += ss_norm(d->acting[i].torque);
        }
    }
}

static ss_vec3 without_rounding(ss_vec3 x, double size)
{
    double least = SS_FORCE_ROUNDING * size;
    return ss_v3(fabs(x.x) > least ? x.x : 0, fabs(x.y) > least ? x.y : 0,
                 fabs(x.z) > least ? x.z : 0);
}

/*
 * Where forces have to balance, each component by itself, one that is rounding of the others
 * (cos(pi/2) of a weight, a spring that holds one) would be a force that nothing balances.
 */
static ss_status drop_rounding(const ss_model *m, ss_data *d)
{
    size_t       mark = ss_arena_mark(&d->scratch);
    wrench_size *size = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *size);
    if (size == NULL) {
        return SS_ERR_SCRATCH;
    }
    add_sizes(m, d, size);
    for (int32_t i = 0; i < m->nb; i++) {
        d->applied[i].force  = without_rounding(d->applied[i].force, size[i].force);
        d->applied[i].torque = without_rounding(d->applied[i].torque, size[i].torque);
    }
    ss_arena_release(&d->scratch, mark);
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
    return ss_inertia_of(m)->momentum ? SS_OK : drop_rounding(m, d);
}
