/* SPDX-License-Identifier: Apache-2.0 */
/* cone: polygon. The island's cone problem with its friction balls cut down to polygons. */
#include "problem/reduce.h"

#include <string.h>

#include "formulate/formulate.h"
#include "linalg/matrix.h"

static ss_status forth(const ss_model *m, ss_data *d, const ss_cone *cone, const double *r,
                       double *z)
{
    double *u = ss_arena_alloc(&d->scratch, (size_t)cone->n, sizeof *u);
    if (u == NULL) {
        return SS_ERR_SCRATCH;
    }
    memcpy(u, cone->q, (size_t)cone->n * sizeof *u);
    ss_matrix_mul_add(&cone->W, r, u);
    ss_reduce_polygon_forth(cone, &m->polygon, r, u, z);
    return SS_OK;
}

static ss_status reduce(const ss_model *m, ss_data *d, const ss_island *isl, const ss_cone *cone,
                        const double *r, ss_problem *out, ss_solution *x)
{
    (void)isl;
    x->z    = ss_arena_alloc(&d->scratch, (size_t)ss_reduce_polygon_size(cone, &m->polygon),
                             sizeof *x->z);
    x->warm = true;
    if (!ss_reduce_polygon(cone, &m->polygon, &d->scratch, out) || x->z == NULL) {
        return SS_ERR_SCRATCH;
    }
    return forth(m, d, cone, r, x->z);
}

static void back(const ss_model *m, const ss_cone *cone, const double *z, double *r)
{
    ss_reduce_polygon_back(cone, &m->polygon, z, r);
}

const ss_cone_class ss_cone_polygon = {"polygon", reduce, forth, back};
