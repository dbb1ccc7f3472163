/* SPDX-License-Identifier: Apache-2.0 */
/* cone: polygon. The island's cone problem with its friction balls cut down to polygons. */
#include "problem/reduce.h"

#include <string.h>

#include "formulate/formulate.h"
#include "linalg/matrix.h"

static ss_status reduce(const ss_model *m, ss_data *d, ss_island *isl, const double *r)
{
    const ss_cone *cone = &isl->cone.as.cone;
    double        *u    = ss_arena_alloc(&d->scratch, (size_t)cone->n, sizeof *u);
    double        *z =
        ss_arena_alloc(&d->scratch, (size_t)ss_reduce_polygon_size(cone, &m->polygon), sizeof *z);
    if (!ss_reduce_polygon(cone, &m->polygon, &d->scratch, &isl->reduced) || !u || !z) {
        return SS_ERR_SCRATCH;
    }
    memcpy(u, cone->q, (size_t)cone->n * sizeof *u);
    ss_matrix_mul_add(&cone->W, r, u);
    ss_reduce_polygon_forth(cone, &m->polygon, r, u, z);
    isl->solution.z    = z;
    isl->solution.warm = true;
    return SS_OK;
}

static void recover(const ss_model *m, const ss_data *d, const ss_island *isl, double *r)
{
    (void)d;
    ss_reduce_polygon_back(&isl->cone.as.cone, &m->polygon, isl->solution.z, r);
}

const ss_cone_class ss_cone_polygon = {"polygon", reduce, recover};
