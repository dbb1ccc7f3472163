/* SPDX-License-Identifier: Apache-2.0 */
/* cone: quadratic. Coulomb's cone as it is: what is solved is the island's cone problem itself. */
#include <string.h>

#include "formulate/formulate.h"

/* The velocity that the guessed impulses give: global form only. */
static void guess_velocity(const ss_model *m, const ss_data *d, ss_island *isl, const double *r)
{
    size_t dof = (size_t)m->dof;
    for (int32_t i = 0; i < isl->body_count; i++) {
        const double *v = d->v_free + m->bodies[isl->bodies[i]].v_start;
        memcpy(isl->solution.v + (size_t)i * dof, v, dof * sizeof *v);
    }
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        for (int32_t k = 0; k < b->dim; k++, r++) {
            const double *Y = d->Y + (size_t)(b->row + k) * 2 * dof;
            for (int side = 0; side < 2; side++) {
                if (b->body[side] >= 0) {
                    double *v = isl->solution.v + (size_t)d->local[b->body[side]] * dof;
                    ss_add_dof(v, *r, Y + (size_t)side * dof, m->dof);
                }
            }
        }
    }
}

static ss_status reduce(const ss_model *m, ss_data *d, ss_island *isl, const double *r)
{
    size_t n = (size_t)isl->row_count, nv = (size_t)isl->cone.as.cone.nv;
    isl->reduced    = isl->cone;
    isl->solution.z = ss_arena_alloc(&d->scratch, n, sizeof *isl->solution.z);
    isl->solution.v = ss_arena_alloc(&d->scratch, nv, sizeof *isl->solution.v);
    if (isl->solution.z == NULL || isl->solution.v == NULL) {
        return SS_ERR_SCRATCH;
    }
    memcpy(isl->solution.z, r, n * sizeof *r);
    if (nv > 0) {
        guess_velocity(m, d, isl, r);
    }
    isl->solution.warm = true;
    return SS_OK;
}

static void recover(const ss_model *m, const ss_data *d, const ss_island *isl, double *r)
{
    (void)m;
    (void)d;
    memcpy(r, isl->solution.z, (size_t)isl->row_count * sizeof *r);
}

const ss_cone_class ss_cone_quadratic = {"quadratic", reduce, recover};
