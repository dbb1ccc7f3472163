/* SPDX-License-Identifier: Apache-2.0 */
/* cone: quadratic. Coulomb's cone as it is: what is solved is the island's cone problem itself. */
#include <string.h>

#include "formulate/formulate.h"

static ss_status reduce(const ss_model *m, ss_data *d, ss_island *isl, const double *r)
{
    (void)m;
    size_t n        = (size_t)isl->row_count;
    isl->reduced    = isl->cone;
    isl->solution.z = ss_arena_alloc(&d->scratch, n, sizeof(double));
    if (isl->solution.z == NULL) {
        return SS_ERR_SCRATCH;
    }
    memcpy(isl->solution.z, r, n * sizeof *r);
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
