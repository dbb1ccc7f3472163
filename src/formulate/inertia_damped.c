/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inertia: damped. Slow motion in a viscous medium (Gavrea (2.2), (3.1)): forces balance a damping
 * force E v instead of inertia,
 *
 *   h E v+ = h F + J'p        A = h E,   b = h F
 *
 * with a positive definite E per body, isotropic in world axes: a number for translation and one
 * for rotation. There is no momentum: v+ does not depend on v.
 */
#include "formulate/formulate.h"

static ss_status assemble(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body  *b = &m->bodies[i];
        ss_body_matrix *A = &d->matrix[i];
        if (!ss_body_moves(b)) {
            continue;
        }
        double spin    = b->dof == m->dof ? b->damping_angular : 0;
        A->linear      = h * b->damping_linear;
        A->inv_linear  = 1 / A->linear;
        A->angular     = ss_mat3_diagonal(h * spin, h * spin, h * spin);
        A->inv_angular = ss_mat3_diagonal(0, 0, 0);
        if (spin > 0) {
            A->inv_angular = ss_mat3_diagonal(1 / (h * spin), 1 / (h * spin), 1 / (h * spin));
        }
        ss_vec3 v       = ss_scale(h * A->inv_linear, d->applied[i].force);
        ss_vec3 w       = ss_scale(h, ss_mul(&A->inv_angular, d->applied[i].torque));
        double *free    = d->v_free + b->v_start;
        double  full[6] = {v.x, v.y, m->dimension == 3 ? v.z : w.z, w.x, w.y, w.z};
        for (int32_t c = 0; c < m->dof; c++) {
            free[c] = full[c];
        }
    }
    return SS_OK;
}

const ss_inertia_class ss_inertia_damped = {.name = "damped", .assemble = assemble};
