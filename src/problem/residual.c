/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The certificate of lcp, mlcp and mcp (docs/theory/residuals.md).
 *
 *   s_i = sum_j |M_ij z_j| + |q_i|            size of the terms added up in row i
 *   f_i = w_i / s_i                           the row, dimensionless
 *   t_j(x) = x max_k |M_kj| / s_k             what x of z_j weighs in the row where it weighs most
 *   residual = max_i |min(t_i(z_i), f_i)|     complementary rows
 *              max_i |f_i|                    free rows
 *
 * Rescaling the unit of any z_j or of any w_i leaves every f_i and t_j as it is.
 * An mcp is measured as its linearisation at z: J for M, F - J z for q, and the bounds for 0.
 */
#include "problem/residual.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "linalg/matrix.h"

/* One affine system w = A z + c at a point, with the sizes of its rows. */
typedef struct affine {
    ss_matrix     A;
    const double *z;
    double       *row;     /* (n) w_i, then f_i                                            */
    double       *size;    /* (n) s_i                                                      */
    double       *inverse; /* (n) 1 / s_i; 0 where s_i = 0, for then the row is all zeros  */
    bool          weighed; /* `inverse` has been filled in                                 */
} affine;

static void weigh_rows(affine *a)
{
    for (int32_t i = 0; i < a->A.rows && !a->weighed; i++) {
        a->inverse[i] = a->size[i] > 0 ? 1 / a->size[i] : 0;
    }
    a->weighed = true;
}

/*
 * t_j(x). A variable that weighs in no row at all has no unit to be measured in: all of it counts.
 */
static double share(affine *a, int32_t j, double x)
{
    if (x == 0) {
        return 0;
    }
    weigh_rows(a);
    double largest = ss_matrix_column_max(&a->A, j, a->inverse);
    return largest > 0 ? x * largest : copysign(1, x);
}

/* f_i for every row; false when something is not finite. */
static bool make_dimensionless(affine *a)
{
    double sum = 0;
    for (int32_t i = 0; i < a->A.rows; i++) {
        sum += a->size[i] + fabs(a->z[i]);
        a->row[i] = a->size[i] > 0 ? a->row[i] / a->size[i] : 0;
    }
    return isfinite(sum);
}

static bool affine_rows(affine *a, const double *q)
{
    for (int32_t i = 0; i < a->A.rows; i++) {
        a->row[i]  = q[i];
        a->size[i] = fabs(q[i]);
    }
    ss_matrix_mul_add_sized(&a->A, a->z, a->row, a->size);
    return make_dimensionless(a);
}

/*
 * |min(t_i(z_i), f_i)|, computing the costly t_i only where the result depends on it: `worst` is
 * what other rows have given already, and a smaller value of this one changes nothing.
 */
static double pair_residual(affine *a, int32_t i, double worst)
{
    double f = a->row[i];
    if (a->z[i] == 0) {
        return f < 0 ? -f : 0;
    }
    if (a->z[i] > 0 && f <= worst) {
        return f < 0 ? -f : f;
    }
    return fabs(fmin(share(a, i, a->z[i]), f));
}

static affine affine_make(const ss_matrix *A, const double *z, double *work)
{
    size_t n = (size_t)A->rows;
    return (affine){.A = *A, .z = z, .row = work, .size = work + n, .inverse = work + 2 * n};
}

static double residual_lcp(const ss_lcp *p, const double *z, double *work)
{
    affine a = affine_make(&p->M, z, work);
    if (!affine_rows(&a, p->q)) {
        return INFINITY;
    }
    double worst = 0;
    for (int32_t i = 0; i < p->n; i++) {
        worst = fmax(worst, pair_residual(&a, i, worst));
    }
    return worst;
}

static double residual_mlcp(const ss_mlcp *p, const double *z, double *work)
{
    affine a = affine_make(&p->M, z, work);
    if (!affine_rows(&a, p->q)) {
        return INFINITY;
    }
    double worst = 0;
    for (int32_t i = 0; i < p->n; i++) {
        worst = fmax(worst, p->free[i] ? fabs(a.row[i]) : pair_residual(&a, i, worst));
    }
    return worst;
}

/* F and J at z, and the rows of the linearisation; false when they cannot be had. */
static bool linearise(const ss_mcp *p, affine *a, double *values, double *jz)
{
    if (p->function(p->user, a->z, a->row) != 0 || p->jacobian(p->user, a->z, values) != 0) {
        return false;
    }
    size_t bytes = (size_t)p->n * sizeof *jz;
    memset(jz, 0, bytes);
    memset(a->size, 0, bytes);
    ss_matrix_mul_add_sized(&a->A, a->z, jz, a->size);
    for (int32_t i = 0; i < p->n; i++) {
        a->size[i] += fabs(a->row[i] - jz[i]);
    }
    return make_dimensionless(a);
}

static double residual_mcp(const ss_mcp *p, const double *z, double *work)
{
    size_t    n      = (size_t)p->n;
    double   *values = work + 4 * n;
    ss_matrix J      = {
             .rows = p->n, .cols = p->n, .colptr = p->colptr, .rowind = p->rowind, .values = values};
    affine a = affine_make(&J, z, work);
    if (!linearise(p, &a, values, work + 3 * n)) {
        return INFINITY;
    }
    double worst = 0;
    for (int32_t i = 0; i < p->n; i++) {
        double above = isinf(p->lower[i]) ? INFINITY : share(&a, i, z[i] - p->lower[i]);
        double below = isinf(p->upper[i]) ? -INFINITY : share(&a, i, z[i] - p->upper[i]);
        double miss  = fmax(below, fmin(above, a.row[i]));
        if (!isfinite(z[i]) || isnan(miss)) {
            return INFINITY;
        }
        worst = fmax(worst, fabs(miss));
    }
    return worst;
}

size_t ss_residual_work(const ss_problem *p)
{
    switch (p->type) {
    case SS_LCP:
        return 3 * (size_t)p->as.lcp.n;
    case SS_MLCP:
        return 3 * (size_t)p->as.mlcp.n;
    case SS_MCP:
        return 4 * (size_t)p->as.mcp.n + (size_t)p->as.mcp.colptr[p->as.mcp.n];
    case SS_CONE:
        return ss_residual_cone_work(&p->as.cone);
    }
    return 0;
}

double ss_residual(const ss_problem *p, const double *z, const double *v, double *work)
{
    switch (p->type) {
    case SS_LCP:
        return residual_lcp(&p->as.lcp, z, work);
    case SS_MLCP:
        return residual_mlcp(&p->as.mlcp, z, work);
    case SS_MCP:
        return residual_mcp(&p->as.mcp, z, work);
    case SS_CONE:
        return ss_residual_cone(&p->as.cone, z, v, work);
    }
    return INFINITY;
}
