/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The certificate of lcp, mlcp and mcp (docs/theory/residuals.md).
 *
 *   s_i    = sum_j |M_ij z_j| + |q_i|                size of the terms added up in row i
 *   d_j    = min { s_k / |M_kj| : q_k != 0 }         what z_j must be to matter in a row with data
 *   s_i   := max(s_i, max { |M_ij| d_j : z_j != 0 }) where q_i = 0: such a row has no size of its
 *                                                    own, and could be rounding alone
 *   s_i   := min(s_i, 100 max_k(R_k |q_k|) / R_i)    over the rows k connected with i. R: units
 *                                                    of rows that bring M near 1. Terms that grow
 *                                                    far beyond their data and cancel do not make
 *                                                    an error small
 *   f_i    = w_i / s_i                               the row, dimensionless
 *   t_j(x) = x max_k |M_kj| / s_k                    what x of z_j weighs where it weighs most
 *
 *   residual = max_i |min(t_i(z_i), f_i)|            complementary rows
 *              max_i |f_i|                           free rows
 *
 * Rescaling the unit of any z_j or of any w_i leaves every f_i and t_j as it is.
 *
 * Where terms outgrow data, rounding of w_i would be judged in place of w_i. There w is summed up
 * in twice the working precision, and what remains unknown of it, b_i = n eps^2 (sum of terms),
 * counts against the answer: both w_i + b_i and w_i - b_i must do. For an mcp, whose F comes from
 * outside in working precision, b_i = 4 eps (sum of terms).
 * An mcp is measured as its linearisation at z: J for M, F - J z for q, and the bounds for 0.
 */
#include "problem/residual.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/compare.h"
#include "linalg/components.h"
#include "linalg/matrix.h"
#include "problem/tolerances.h"

/* One affine system w = A z + c at a point, with the sizes of its rows. */
typedef struct affine {
    ss_matrix     A;
    const double *z;
    const double *constant; /* (n) c                                                           */
    double       *w;        /* (n) the rows                                                    */
    double       *size;     /* (n) s_i                                                         */
    double       *inverse;  /* (n) 1 / s_i; 0 where s_i = 0, for then the row is all zeros     */
    double       *data;     /* (n) 1 / s_i in rows with data, 0 in rows whose constant is zero */
    double       *blur;     /* (n) b_i / s_i; read only where strained                         */
    double       *scales;   /* (4n) of rows, of columns, and scratch                           */
    double        unknown;  /* b_i over the sum of the terms of row i                          */
    bool          strained; /* terms of some row outgrow the data                              */
    bool          refined;  /* sizes have been raised and cut, `inverse` is set                */
} affine;

/* Raise the sizes of the rows of column j that have no data to what z_j is worth elsewhere. */
static void raise_sizes(affine *a, int32_t j)
{
    const ss_matrix *A    = &a->A;
    double           most = ss_matrix_column_max(A, j, a->data);
    for (int32_t k = ss_column_begin(A, j); most > 0 && k < ss_column_end(A, j); k++) {
        ss_entry e    = ss_column_entry(A, j, k);
        double   size = fabs(e.value) / most;
        if (a->data[e.row] == 0 && size > a->size[e.row]) {
            a->size[e.row] = size;
        }
    }
}

/* Cut sizes that have grown far beyond the data they are connected with, in common units. */
static void cut_sizes(affine *a)
{
    int32_t n = a->A.rows;
    double *R = a->scales, *label = R + 2 * (size_t)n, *largest = R + 3 * (size_t)n;
    ss_matrix_row_units(&a->A, R, R + n);
    ss_components_begin(n, label);
    ss_components_join_matrix(label, &a->A, 0, 0);
    memset(largest, 0, (size_t)n * sizeof *largest);
    for (int32_t i = 0; i < n; i++) {
        int32_t c  = ss_components_find(label, i);
        largest[c] = fmax(largest[c], R[i] * fabs(a->constant[i]));
    }
    for (int32_t i = 0; i < n; i++) {
        double data = largest[ss_components_find(label, i)];
        a->size[i]  = data > 0 ? fmin(a->size[i], SS_STRAIN * data / R[i]) : a->size[i];
    }
}

/* The costly part of the sizes, done once and only when a result depends on it. */
static void refine_sizes(affine *a)
{
    if (a->refined) {
        return;
    }
    a->refined = true;
    for (int32_t i = 0; a->strained && i < a->A.rows; i++) {
        a->blur[i] = a->unknown * a->size[i];
    }
    for (int32_t j = 0; j < a->A.cols; j++) {
        if (a->z[j] != 0) {
            raise_sizes(a, j);
        }
    }
    if (a->strained) {
        cut_sizes(a);
    }
    for (int32_t i = 0; i < a->A.rows; i++) {
        a->inverse[i] = a->size[i] > 0 ? 1 / a->size[i] : 0;
        a->blur[i]    = a->strained ? a->blur[i] * a->inverse[i] : 0;
    }
}

/* t_j(x). A variable that weighs in no row has no unit to be measured in: all of it counts. */
static double share(affine *a, int32_t j, double x)
{
    if (x == 0) {
        return 0;
    }
    refine_sizes(a);
    double largest = ss_matrix_column_max(&a->A, j, a->inverse);
    return largest > 0 ? x * largest : copysign(1, x);
}

/*
 * f_i, or something no smaller where it does not matter: below `worst`, which other rows have given
 * already, and below rounding.
 */
static double row_share(affine *a, int32_t i, double worst)
{
    if (a->w[i] == 0) {
        return 0;
    }
    double matters = worst > SS_ROW_ROUNDING ? worst : SS_ROW_ROUNDING;
    if (a->data[i] == 0 && fabs(a->w[i]) > matters * a->size[i]) {
        refine_sizes(a);
    }
    return a->w[i] / a->size[i];
}

/* Reciprocal sizes of the rows with data; false when something is not finite. */
static bool weigh_data(affine *a, const double *constant)
{
    double sum = 0, with = 0, without = 0;
    a->constant = constant;
    for (int32_t i = 0; i < a->A.rows; i++) {
        double size = a->size[i];
        sum += size + fabs(a->z[i]);
        if (constant[i] != 0) {
            a->data[i]  = 1 / size;
            with        = size > with ? size : with;
            a->strained = a->strained || size > SS_STRAIN * fabs(constant[i]);
        } else {
            a->data[i] = 0;
            without    = size > without ? size : without;
        }
    }
    a->strained = a->strained || (with > 0 && without > SS_STRAIN * with);
    return isfinite(sum);
}

/* w once more, in twice the working precision; false when it overflows. */
static bool sum_up_twofold(affine *a, const double *q)
{
    size_t  n  = (size_t)a->A.rows;
    double *lo = a->scales, sum = 0;
    memcpy(a->w, q, n * sizeof *q);
    memset(lo, 0, n * sizeof *lo);
    ss_matrix_mul_add_twofold(&a->A, a->z, a->w, lo);
    a->unknown = (double)n * SS_TWOFOLD_EPSILON;
    for (size_t i = 0; i < n; i++) {
        sum += a->w[i];
    }
    return isfinite(sum);
}

static bool affine_rows(affine *a, const double *q)
{
    for (int32_t i = 0; i < a->A.rows; i++) {
        a->w[i]    = q[i];
        a->size[i] = fabs(q[i]);
    }
    ss_matrix_mul_add_sized(&a->A, a->z, a->w, a->size);
    if (!weigh_data(a, q) || (a->strained && !sum_up_twofold(a, q))) {
        return false;
    }
    if (a->strained) {
        refine_sizes(a);
    }
    return true;
}

/*
 * |min(t_i(z_i), f)|, computing the costly t_i only where the result depends on it: `worst` is
 * what other rows have given already, and a smaller value of this one changes nothing.
 */
static double pair_miss(affine *a, int32_t i, double f, double worst)
{
    if (a->z[i] == 0) {
        return f < 0 ? -f : 0;
    }
    if (a->z[i] > 0 && f <= (worst > SS_ROW_ROUNDING ? worst : SS_ROW_ROUNDING)) {
        return fabs(f); /* no less than it is, and no more than rounding of the row */
    }
    return fabs(ss_min(share(a, i, a->z[i]), f));
}

static double pair_residual(affine *a, int32_t i, double worst)
{
    double f = row_share(a, i, worst);
    if (!a->strained) {
        return pair_miss(a, i, f, worst);
    }
    return fmax(pair_miss(a, i, f - a->blur[i], worst), pair_miss(a, i, f + a->blur[i], worst));
}

/* |f_i| of a free row. */
static double free_residual(affine *a, int32_t i, double worst)
{
    return fabs(row_share(a, i, worst)) + (a->strained ? a->blur[i] : 0);
}

static affine affine_make(const ss_matrix *A, const double *z, double *work)
{
    size_t n = (size_t)A->rows;
    return (affine){.A       = *A,
                    .z       = z,
                    .w       = work,
                    .size    = work + n,
                    .inverse = work + 2 * n,
                    .data    = work + 3 * n,
                    .blur    = work + 4 * n,
                    .scales  = work + 5 * n};
}

static double residual_lcp(const ss_lcp *p, const double *z, double *work)
{
    affine a = affine_make(&p->M, z, work);
    if (!affine_rows(&a, p->q)) {
        return INFINITY;
    }
    double worst = 0;
    for (int32_t i = 0; i < p->n; i++) {
        double miss = pair_residual(&a, i, worst);
        worst       = miss > worst ? miss : worst;
    }
    return worst;
}

/*
 * Rows with data are measured by no more than s_i, whatever is cut, so that  |min(t_i, f_i)|  is at
 * least what their plain sums give; t_i is at least what z_i weighs in its own row.
 */
static bool lcp_above(const ss_lcp *p, const double *z, double least, double *work)
{
    double *w = work, *size = work + p->n, enough = least + p->n * DBL_EPSILON;
    for (int32_t i = 0; i < p->n; i++) {
        w[i]    = p->q[i];
        size[i] = fabs(p->q[i]);
    }
    ss_matrix_mul_add_sized(&p->M, z, w, size);
    for (int32_t i = 0; i < p->n; i++) {
        double miss = -w[i];
        if (p->q[i] == 0 || z[i] < 0) {
            continue;
        }
        if (w[i] > 0 && z[i] > 0 && p->M.dense != NULL) {
            double own = fabs(p->M.dense[(size_t)i * (size_t)p->M.ld + (size_t)i]);
            miss       = fmin(w[i], z[i] * own);
        }
        if (miss > enough * size[i]) {
            return true;
        }
    }
    return false;
}

static double residual_mlcp(const ss_mlcp *p, const double *z, double *work)
{
    affine a = affine_make(&p->M, z, work);
    if (!affine_rows(&a, p->q)) {
        return INFINITY;
    }
    double worst = 0;
    for (int32_t i = 0; i < p->n; i++) {
        double miss = p->free[i] ? free_residual(&a, i, worst) : pair_residual(&a, i, worst);
        worst       = miss > worst ? miss : worst;
    }
    return worst;
}

bool ss_residual_rows(const ss_problem *p, const double *z, double *work, ss_row_sizes *out)
{
    const ss_matrix *M = p->type == SS_MLCP ? &p->as.mlcp.M : &p->as.lcp.M;
    const double    *q = p->type == SS_MLCP ? p->as.mlcp.q : p->as.lcp.q;
    size_t           n = (size_t)M->rows;
    affine           a = affine_make(M, z, work);
    if (!affine_rows(&a, q)) {
        return false;
    }
    refine_sizes(&a);
    double *terms = a.inverse, *sum = a.data; /* both have served */
    memset(sum, 0, n * sizeof *sum);
    for (size_t i = 0; i < n; i++) {
        terms[i] = fabs(q[i]);
    }
    ss_matrix_mul_add_sized(M, z, sum, terms);
    *out = (ss_row_sizes){.w = a.w, .terms = terms, .size = a.size};
    return a.strained || sum_up_twofold(&a, q);
}

/* The point of the box that is nearest to the origin. */
static void near_origin(const ss_mcp *p, double *origin)
{
    for (int32_t i = 0; i < p->n; i++) {
        origin[i] = fmin(fmax(0, p->lower[i]), p->upper[i]);
    }
}

/*
 * Rows whose data are lost among terms that are far larger (`lost`): F near the origin still has
 * them. Without, z that grew until F rounds to nothing would solve what has no solution.
 */
static void find_lost_data(const ss_mcp *p, affine *a, const double *lost, double *room,
                           double *constant)
{
    double *origin = room, *value = room + p->n;
    near_origin(p, origin);
    if (p->function(p->user, origin, value) != 0) {
        return; /* not in the domain of F: nothing is known */
    }
    for (int32_t i = 0; i < p->n; i++) {
        if (lost[i] > 0 && isfinite(value[i])) {
            constant[i] = value[i];
            a->size[i] += fabs(value[i]);
        }
    }
}

/*
 * F and J at z, and the rows of the linearisation; false when they cannot be had. What is left of
 * F - J z when all but rounding cancels is no data. room: (3 n).
 */
static bool linearise(const ss_mcp *p, affine *a, double *values, double *constant, double *room)
{
    double *lost = room + 2 * (ptrdiff_t)p->n;
    bool    any  = false;
    if (p->function(p->user, a->z, a->w) != 0 || p->jacobian(p->user, a->z, values) != 0) {
        return false;
    }
    size_t bytes = (size_t)p->n * sizeof *constant;
    memset(constant, 0, bytes);
    memset(a->size, 0, bytes);
    ss_matrix_mul_add_sized(&a->A, a->z, constant, a->size);
    for (int32_t i = 0; i < p->n; i++) {
        constant[i] = a->w[i] - constant[i];
        lost[i]     = a->size[i] > 0 && fabs(constant[i]) <= SS_NO_DATA * a->size[i];
        constant[i] = lost[i] > 0 ? 0 : constant[i];
        any         = any || lost[i] > 0;
        a->size[i] += fabs(constant[i]);
    }
    if (any) {
        find_lost_data(p, a, lost, room, constant);
    }
    a->unknown = SS_FUNCTION_EPSILON;
    if (!weigh_data(a, constant)) {
        return false;
    }
    if (a->strained) {
        refine_sizes(a);
    }
    return true;
}

/* The middle one of the distances to both bounds and the row. */
static double box_miss(const ss_mcp *p, affine *a, int32_t i, double f)
{
    double z = a->z[i];
    if (z - p->lower[i] < 0) {
        return fmax(share(a, i, p->lower[i] - z), fmax(0, -f));
    }
    if (z - p->upper[i] > 0) {
        return fmax(share(a, i, z - p->upper[i]), fmax(0, f));
    }
    if (f > 0) {
        return isinf(p->lower[i]) ? f : fmin(f, share(a, i, z - p->lower[i]));
    }
    return isinf(p->upper[i]) ? -f : fmin(-f, share(a, i, p->upper[i] - z));
}

static double box_residual(const ss_mcp *p, affine *a, int32_t i)
{
    double f = row_share(a, i, 0);
    if (!a->strained) {
        return box_miss(p, a, i, f);
    }
    return fmax(box_miss(p, a, i, f - a->blur[i]), box_miss(p, a, i, f + a->blur[i]));
}

static double residual_mcp(const ss_mcp *p, const double *z, double *work)
{
    size_t    n      = (size_t)p->n;
    double   *values = work + 13 * n;
    ss_matrix J      = {
             .rows = p->n, .cols = p->n, .colptr = p->colptr, .rowind = p->rowind, .values = values};
    affine a = affine_make(&J, z, work);
    if (!linearise(p, &a, values, work + 9 * n, work + 10 * n)) {
        return INFINITY;
    }
    double worst = 0;
    for (int32_t i = 0; i < p->n; i++) {
        double miss = box_residual(p, &a, i);
        worst       = miss > worst ? miss : worst;
    }
    return worst;
}

/* By how much F misses the law of row i, its complement aside. */
static double missed_in_box(const ss_mcp *p, int32_t i, double z, double F)
{
    bool below = z<p->upper[i], above = z> p->lower[i];
    return F < 0 ? (below ? -F : 0) : (above && isinf(p->lower[i]) ? F : 0);
}

bool ss_residual_loses_data(const ss_mcp *p, const double *z, double *work)
{
    size_t    n = (size_t)p->n;
    double   *F = work, *terms = work + n, *data = work + 2 * n, *origin = work + 3 * n;
    double   *values = work + 13 * n, most = 0;
    ss_matrix J = {
        .rows = p->n, .cols = p->n, .colptr = p->colptr, .rowind = p->rowind, .values = values};
    near_origin(p, origin);
    if (p->function(p->user, origin, data) != 0 || p->function(p->user, z, F) != 0 ||
        p->jacobian(p->user, z, values) != 0) {
        return false;
    }
    double *linear = origin; /* it has served */
    memset(linear, 0, n * sizeof *linear);
    memset(terms, 0, n * sizeof *terms);
    ss_matrix_mul_add_sized(&J, z, linear, terms);
    for (size_t i = 0; i < n; i++) {
        data[i] = isfinite(data[i]) ? fabs(data[i]) : fabs(F[i] - linear[i]);
        most    = fmax(most, data[i]);
    }
    for (int32_t i = 0; i < p->n; i++) {
        double unknown = SS_FUNCTION_EPSILON * terms[i];
        double miss    = missed_in_box(p, i, z[i], F[i]);
        if (data[i] > SS_FUNCTION_DATA * most &&
            (unknown > SS_DATA_KNOWN * data[i] ||
             (miss > 4 * unknown && miss > SS_DATA_KNOWN * data[i]))) {
            return true;
        }
    }
    return false;
}

size_t ss_residual_work(const ss_problem *p)
{
    switch (p->type) {
    case SS_LCP:
        return 9 * (size_t)p->as.lcp.n;
    case SS_MLCP:
        return 9 * (size_t)p->as.mlcp.n;
    case SS_MCP:
        return 13 * (size_t)p->as.mcp.n + (size_t)p->as.mcp.colptr[p->as.mcp.n];
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

bool ss_residual_above(const ss_problem *p, const double *z, double least, double *work)
{
    return p->type == SS_LCP && lcp_above(&p->as.lcp, z, least, work);
}

double ss_motion_error(const ss_problem *p, const double *z, const double *v, double *work)
{
    ss_missed missed = {NAN, NAN, 0};
    if (p->type == SS_CONE) {
        (void)ss_residual_cone_motion(&p->as.cone, z, v, work, &missed);
    }
    return missed.c;
}
