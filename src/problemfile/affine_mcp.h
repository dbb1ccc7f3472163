/* SPDX-License-Identifier: Apache-2.0 */
/* F(z) = M z + q as the callbacks of an mcp: the only mcp that a file can hold. */
#ifndef SS_IO_AFFINE_MCP_H
#define SS_IO_AFFINE_MCP_H

#include "files/pool_numbers.h"
#include "stickslip/problem.h"

typedef struct ss_affine {
    ss_matrix     M; /* (n x n) compressed columns */
    const double *q; /* (n)                        */
} ss_affine;

/* An mcp over memory of the pool; M may be dense or sparse. */
ss_status ss_affine_mcp(ss_pool *pool, const ss_matrix *M, const double *q, const double *lower,
                        const double *upper, ss_problem *out);
/* The affine map behind an mcp made above; NULL when its callbacks are somebody else's. */
const ss_affine *ss_affine_of(const ss_mcp *mcp);

#endif
