/* SPDX-License-Identifier: Apache-2.0 */
/* cone: quadratic. Coulomb's cone as it is: what is solved is the island's cone problem itself. */
#include <string.h>

#include "formulate/formulate.h"

/* The velocity that the guessed impulses give: global form only. */
static void guess_velocity(const ss_model *m, const ss_data *d, const ss_island *isl,
                           const double *r, double *velocity)
{
    size_t dof = (size_t)m->dof;
    for (int32_t i = 0; i < isl->body_count; i++) {
        const double *v = d->v_free + m->bodies[isl->bodies[i]].v_start;
        memcpy(velocity + (size_t)i * dof, v, dof * sizeof *v);
    }
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        for (int32_t k = 0; k < b->dim; k++, r++) {
            const double *Y = ss_response_side(m, d, b->row + k, 0);
            for (int side = 0; side < b->sides; side++) {
                if (b->body[side] >= 0) {
                    double *v = velocity + (size_t)d->local[b->body[side]] * dof;
                    ss_add_dof(v, *r, Y + (size_t)side * dof, m->dof);
                }
            }
        }
    }
}

static ss_status forth(const ss_model *m, ss_data *d, const ss_cone *cone, const double *r,
                       double *z)
{
    (void)m;
    (void)d;
    memcpy(z, r, (size_t)cone->n * sizeof *z);
    return SS_OK;
}

static ss_status reduce(const ss_model *m, ss_data *d, const ss_island *isl, const ss_cone *cone,
                        const double *r, ss_problem *out, ss_solution *x)
{
    out->type    = SS_CONE;
    out->as.cone = *cone;
    x->z         = ss_arena_alloc(&d->scratch, (size_t)cone->n, sizeof *x->z);
    x->v         = NULL;
    if (cone->nv > 0) {
        x->v = ss_arena_alloc(&d->scratch, (size_t)cone->nv, sizeof *x->v);
    }
    x->warm = true;
    if (x->z == NULL || (cone->nv > 0 && x->v == NULL)) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0; isl->by_velocity && x->v != NULL && i < isl->body_count;
         i++) { /* as fast as in the last step */
        memcpy(x->v + (ptrdiff_t)i * m->dof, d->v_now + m->bodies[isl->bodies[i]].v_start,
               (size_t)m->dof * sizeof *x->v);
    }
    if (cone->nv > 0 && !isl->by_velocity) {
        guess_velocity(m, d, isl, r, x->v);
    }
    return forth(m, d, cone, r, x->z);
}

static void back(const ss_model *m, const ss_cone *cone, const double *z, double *r)
{
    (void)m;
    memcpy(r, z, (size_t)cone->n * sizeof *r);
}

const ss_cone_class ss_cone_quadratic = {
    .name = "quadratic", .poses = SS_CONE, .reduce = reduce, .forth = forth, .back = back};
