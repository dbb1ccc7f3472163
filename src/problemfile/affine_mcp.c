/* SPDX-License-Identifier: Apache-2.0 */
#include "problemfile/affine_mcp.h"

#include <string.h>

#include "problemfile/triplets.h"

static int function(void *user, const double *z, double *value)
{
    const ss_affine *a = user;
    memcpy(value, a->q, (size_t)a->M.rows * sizeof *value);
    for (int32_t j = 0; j < a->M.cols; j++) {
        for (int32_t k = a->M.colptr[j]; k < a->M.colptr[j + 1]; k++) {
            value[a->M.rowind[k]] += a->M.values[k] * z[j];
        }
    }
    return 0;
}

static int jacobian(void *user, const double *z, double *values)
{
    const ss_affine *a = user;
    (void)z;
    memcpy(values, a->M.values, (size_t)a->M.colptr[a->M.cols] * sizeof *values);
    return 0;
}

ss_status ss_affine_mcp(ss_pool *pool, const ss_matrix *M, const double *q, const double *lower,
                        const double *upper, ss_problem *out)
{
    void       *memory;
    ss_triplets entries;
    SS_TRY(ss_pool_objects(pool, 1, sizeof(ss_affine), &memory));
    ss_affine *affine = memory;
    SS_TRY(ss_triplets_of(pool, M, &entries));
    SS_TRY(ss_triplets_compress(pool, &entries, &affine->M));
    affine->q   = q;
    out->type   = SS_MCP;
    out->as.mcp = (ss_mcp){.n        = M->rows,
                           .lower    = lower,
                           .upper    = upper,
                           .function = function,
                           .jacobian = jacobian,
                           .colptr   = affine->M.colptr,
                           .rowind   = affine->M.rowind,
                           .user     = affine};
    return SS_OK;
}

const ss_affine *ss_affine_of(const ss_mcp *mcp)
{
    return mcp->function == function ? mcp->user : NULL;
}
