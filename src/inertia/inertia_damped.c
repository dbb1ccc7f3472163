/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inertia: damped. Slow motion in a viscous medium (Gavrea (2.2), (3.1)): forces balance a damping
 * force E v instead of inertia,
 *
 *   h E v+ = h F + J'p        A = h E,   b = h F
 *
 * with a positive definite E per body (damping.c). There is no momentum: v+ does not depend on v.
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

const ss_inertia_class ss_inertia_damped = {.name = "damped", .assemble = assemble};
