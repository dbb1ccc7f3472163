/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inertia: damped. Slow motion in a viscous medium (Gavrea (2.2), (3.1)): forces balance a damping
 * force E v instead of inertia,
 *
 *   h E v+ = h F + J'p        A = h E,   b = h F
 *
 * with a positive definite E per body (medium.c). There is no momentum: v+ does not depend on v.
 * Gavrea's (3.1) has no applied force, its bodies being driven by contacts and controls; F adds the
 * forces of the scene. His unknowns are displacements h v and impulses h lambda; dividing his rows
 * by h gives the rows of every other model here.
 */
#include "formulate/formulate.h"

static ss_status assemble(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < m->nb; i++) {
        if (!ss_body_moves(&m->bodies[i])) {
            continue;
        }
        double b[6];
        ss_wrench_to_vector(m, &d->applied[i], h, b);
        d->matrix[i] = (ss_body_matrix){.linear = 0};
        ss_resist_motion(m, d, i, h, b);
    }
    return SS_OK;
}

/* There is no momentum: the applied force and torque alone move the body. */
static double speed_bound(const ss_model *m, const ss_data *d, int32_t i, double h)
{
    (void)h;
    const ss_body   *b      = &m->bodies[i];
    const ss_wrench *F      = &d->applied[i];
    double           linear = ss_norm(F->force) / b->resists_linear;
    bool             turns  = b->dof == m->dof && b->extent > 0;
    return linear + (turns ? b->extent * ss_norm(F->torque) / b->resists_angular : 0);
}

const ss_inertia_class ss_inertia_damped = {
    .name = "damped", .assemble = assemble, .speed_bound = speed_bound, .medium = true};
