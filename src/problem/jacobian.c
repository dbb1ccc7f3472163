/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Jacobian of an mcp against central differences,
 *   dF_i/dz_j ~ (F_i(z + h e_j) - F_i(z - h e_j)) / 2h,   h = eps^(1/3) max(1, |z_j|),
 * whose own error is about eps^(2/3) times the size of F and its third derivatives.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "problem/tolerances.h"
#include "stickslip/problem.h"

typedef struct checker {
    const ss_mcp *p;
    double       *z;      /* (n) displaced                 */
    double       *ahead;  /* (n) F(z + h e_j)              */
    double       *behind; /* (n) F(z - h e_j)              */
    double       *column; /* (n) column j of the Jacobian  */
    double       *values; /* (nnz)                         */
} checker;

static bool evaluate(const checker *c, double *value)
{
    return c->p->function(c->p->user, c->z, value) == 0;
}

/* Differences of column j; false outside the domain. */
static bool difference(checker *c, int32_t j, double *h)
{
    double z = c->z[j];
    *h       = SS_DIFFERENCE_STEP * fmax(1, fabs(z));
    c->z[j]  = z + *h;
    bool ok  = evaluate(c, c->ahead);
    c->z[j]  = z - *h;
    ok       = ok && evaluate(c, c->behind);
    c->z[j]  = z;
    return ok;
}

static double compare(const checker *c, int32_t i, double h)
{
    double slope = (c->ahead[i] - c->behind[i]) / (2 * h);
    double least = SS_DIFFERENCE_STEP * (fabs(c->ahead[i]) + fabs(c->behind[i])) + DBL_MIN;
    double scale = fmax(fmax(fabs(slope), fabs(c->column[i])), least);
    return fabs(slope - c->column[i]) / scale;
}

static bool check(checker *c, double *worst, int32_t *row, int32_t *col)
{
    const ss_mcp *p = c->p;
    for (int32_t j = 0; j < p->n; j++) {
        double h;
        memset(c->column, 0, (size_t)p->n * sizeof *c->column);
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            c->column[p->rowind[k]] = c->values[k];
        }
        if (!difference(c, j, &h)) {
            return false;
        }
        for (int32_t i = 0; i < p->n; i++) {
            double miss = compare(c, i, h);
            if (!(miss <= *worst)) {
                *worst = miss;
                *row   = i;
                *col   = j;
            }
        }
    }
    return true;
}

ss_status ss_mcp_check_jacobian(ss_context *ctx, const ss_mcp *p, const double *z, double *worst,
                                int32_t *row, int32_t *col)
{
    size_t  n = (size_t)p->n, count = 4 * n + (size_t)p->colptr[p->n];
    double *memory = ss_alloc(ctx, count + 1, sizeof *memory);
    if (memory == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory to check a Jacobian of %d rows", (int)p->n);
    }
    checker c = {p, memory, memory + n, memory + 2 * n, memory + 3 * n, memory + 4 * n};
    if (n > 0) {
        memcpy(c.z, z, n * sizeof *z);
    }
    *worst  = 0;
    *row    = -1;
    *col    = -1;
    bool ok = p->jacobian(p->user, z, c.values) == 0 && check(&c, worst, row, col);
    ss_free(ctx, memory, (count + 1) * sizeof *memory);
    return ok ? SS_OK
              : ss_fail(ctx, SS_ERR_INPUT, "the function cannot be evaluated around this point");
}
