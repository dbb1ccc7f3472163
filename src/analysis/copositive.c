/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copositive: x'A x >= 0 for all x >= 0. Only the symmetric part S of A matters. Exact steps first:
 *
 *   - S_ii < 0 says no; S_ii = 0 and S_ij < 0 says no (a large x_i outweighs S_jj);
 *   - a row without negative entries adds nothing negative and is left out, again and again;
 *   - what is left is positive semidefinite: yes.
 *
 * Then the lowest value of x'S x over the simplex. If it is negative, the minimiser whose support I
 * is smallest has S_II x_I = v e with v < 0 and S_II nonsingular, so that S is copositive exactly
 * if no principal submatrix has a solution y > 0 of S_II y = -e: then y'S y = -e'y < 0.
 *
 * The matrix of a step's LCP (Gavrea, section 3) is copositive wherever mu >= 0 and the bodies'
 * matrix is positive definite: the rows of the slip speeds have a zero diagonal and entries that
 * cancel or are >= 0, and J A^-1 J' is what is left.
 */
#include <math.h>
#include <string.h>

#include "analysis/tolerances.h"
#include "core/arena.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "model/data.h"
#include "problem/reduce.h"
#include "stickslip/analysis.h"

enum { ENUMERATED = 16 };

typedef struct quadratic {
    int32_t  n;
    double  *S;     /* (n x n) symmetric, the positive part of its diagonal scaled to 1 */
    double  *scale; /* (n) x of A is scale times x of S                                 */
    int32_t *left;  /* (count) rows that can matter                                     */
    int32_t  count;
    double  *x;    /* (n) */
    double  *part; /* (n x n) */
    double  *y;    /* (n) */
    int32_t *piv;  /* (n) */
} quadratic;

static double at(const quadratic *s, int32_t i, int32_t j)
{
    return s->S[i + (ptrdiff_t)j * s->n];
}

static void fill(quadratic *s, const double *A)
{
    int32_t n     = s->n;
    double  large = 0;
    for (int32_t i = 0; i < n * n; i++) {
        large = fmax(large, fabs(A[i]));
    }
    for (int32_t i = 0; i < n; i++) {
        double diagonal = A[i + (ptrdiff_t)i * n];
        s->scale[i] = fabs(diagonal) > SS_MATRIX_ROUNDING * large ? 1 / sqrt(fabs(diagonal)) : 1;
        if (s->scale[i] == 1 && large > 0) {
            s->scale[i] = 1 / sqrt(large);
        }
        s->left[s->count++] = i;
    }
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++) {
            double sum                 = A[i + (ptrdiff_t)j * n] + A[j + (ptrdiff_t)i * n];
            s->S[i + (ptrdiff_t)j * n] = 0.5 * sum * s->scale[i] * s->scale[j];
        }
    }
}

/* x = t e_i + e_j; gives "no". */
static ss_answer refuted_by(quadratic *s, int32_t i, double t, int32_t j)
{
    memset(s->x, 0, (size_t)s->n * sizeof *s->x);
    s->x[i] = t;
    s->x[j] = 1;
    return SS_NO;
}

/* A negative diagonal, or a zero with a negative entry beside it. */
static ss_answer look_at_diagonal(quadratic *s)
{
    for (int32_t i = 0; i < s->n; i++) {
        if (at(s, i, i) < -SS_MATRIX_ROUNDING) {
            return refuted_by(s, i, 1, i);
        }
        for (int32_t j = 0; at(s, i, i) <= SS_MATRIX_ROUNDING && j < s->n; j++) {
            if (at(s, i, j) < -SS_MATRIX_ROUNDING && j != i) {
                return refuted_by(s, i, 1 - at(s, j, j) / at(s, i, j), j);
            }
        }
    }
    return SS_UNDECIDED;
}

static bool has_negative(const quadratic *s, int32_t row)
{
    for (int32_t k = 0; k < s->count; k++) {
        if (at(s, row, s->left[k]) < -SS_MATRIX_ROUNDING) {
            return true;
        }
    }
    return false;
}

static void leave_out_harmless(quadratic *s)
{
    for (int32_t k = 0; k < s->count;) {
        if (has_negative(s, s->left[k])) {
            k++;
        } else {
            s->left[k] = s->left[--s->count];
            k          = 0; /* another row may have become harmless */
        }
    }
}

/* The principal submatrix of the rows `which`, plus `shift` on its diagonal. */
static void take_part(quadratic *s, const int32_t *which, int32_t k, double shift)
{
    for (int32_t j = 0; j < k; j++) {
        for (int32_t i = 0; i < k; i++) {
            s->part[i + (ptrdiff_t)j * k] = at(s, which[i], which[j]) + (i == j ? shift : 0);
        }
    }
}

/* S_II y = -e with y > 0? */
static bool refuted_on(quadratic *s, const int32_t *which, int32_t k)
{
    take_part(s, which, k, 0);
    if (!ss_dense_lu(k, s->part, k, s->piv)) {
        return false;
    }
    for (int32_t i = 0; i < k; i++) {
        s->y[i] = -1;
    }
    ss_dense_lu_solve(k, s->part, k, s->piv, s->y);
    double sum = 0, value = 0;
    for (int32_t i = 0; i < k; i++) {
        if (!(s->y[i] > 0)) {
            return false;
        }
        sum += s->y[i];
    }
    memset(s->x, 0, (size_t)s->n * sizeof *s->x);
    for (int32_t i = 0; i < k; i++) {
        s->x[which[i]] = s->y[i] / sum;
        for (int32_t j = 0; j < k; j++) {
            value += s->y[i] * s->y[j] * at(s, which[i], which[j]) / (sum * sum);
        }
    }
    return value < -SS_MATRIX_ROUNDING; /* measured, whatever the factors say */
}

static ss_answer enumerate(quadratic *s)
{
    if (s->count > ENUMERATED) {
        return SS_UNDECIDED;
    }
    for (uint32_t set = 1; set < 1u << s->count; set++) {
        int32_t which[ENUMERATED], k = 0;
        for (int32_t i = 0; i < s->count; i++) {
            if (set >> i & 1u) {
                which[k++] = s->left[i];
            }
        }
        if (refuted_on(s, which, k)) {
            return SS_NO;
        }
    }
    return SS_YES;
}

static ss_answer decide(quadratic *s)
{
    if (look_at_diagonal(s) == SS_NO) {
        return SS_NO;
    }
    leave_out_harmless(s);
    take_part(s, s->left, s->count, 4 * SS_MATRIX_ROUNDING);
    if (ss_dense_cholesky(s->count, s->part, s->count > 0 ? s->count : 1)) {
        return SS_YES;
    }
    return enumerate(s);
}

ss_status ss_copositive(ss_context *ctx, const double *A, int32_t n, ss_answer *answer, double *x)
{
    *answer = n <= 0 ? SS_YES : SS_UNDECIDED;
    if (n <= 0) {
        return SS_OK;
    }
    size_t  square = (size_t)n * (size_t)n;
    size_t  bytes = (2 * square + 3 * (size_t)n) * sizeof(double) + 2 * (size_t)n * sizeof(int32_t);
    double *work  = ss_alloc(ctx, bytes, 1);
    if (work == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for a copositivity test of size %d", n);
    }
    quadratic s = {.n = n, .S = work, .part = work + square, .scale = work + 2 * square};
    s.x         = s.scale + n;
    s.y         = s.x + n;
    s.left      = (int32_t *)(s.y + n);
    s.piv       = s.left + n;
    fill(&s, A);
    *answer = decide(&s);
    for (int32_t i = 0; x != NULL && *answer == SS_NO && i < n; i++) {
        x[i] = s.x[i] * s.scale[i];
    }
    ss_free(ctx, work, bytes);
    return SS_OK;
}

/* ---- of the last step ---- */

/* Large islands are in global form: J M^-1 J' is semidefinite wherever M is positive definite. */
static ss_status global_copositive(const ss_cone *p, ss_arena *a, ss_answer *answer)
{
    double *M = ss_arena_alloc(a, (size_t)p->nv * (size_t)p->nv, sizeof *M);
    if (M == NULL) {
        return SS_ERR_SCRATCH;
    }
    ss_matrix_to_dense(&p->M, M, p->nv);
    *answer = ss_dense_cholesky(p->nv, M, p->nv) ? SS_YES : SS_UNDECIDED;
    return SS_OK;
}

/* The LCP that the polygon makes of an island without its joints. */
static ss_status island_copositive(const ss_model *m, const ss_data *d, const ss_island *isl,
                                   ss_arena *a, ss_answer *answer)
{
    const ss_cone *p = isl->eliminated != NULL ? &isl->bare.as.cone : &isl->cone.as.cone;
    ss_problem     lcp;
    *answer = p->n == 0 ? SS_YES : SS_UNDECIDED;
    if (p->n == 0 || p->nv > 0) {
        return p->n == 0 ? SS_OK : global_copositive(p, a, answer);
    }
    if (!ss_reduce_polygon(p, &m->polygon, a, &lcp)) {
        return SS_ERR_SCRATCH;
    }
    if (lcp.type == SS_LCP && lcp.as.lcp.M.dense != NULL && lcp.as.lcp.M.ld == lcp.as.lcp.n) {
        return ss_copositive(d->ctx, lcp.as.lcp.M.dense, lcp.as.lcp.n, answer, NULL);
    }
    return SS_OK;
}

static ss_status all_copositive(const ss_model *m, const ss_data *d, ss_arena *a, ss_answer *answer)
{
    *answer = SS_YES;
    for (int32_t i = 0; *answer != SS_NO && i < d->island_count; i++) {
        ss_answer one;
        size_t    mark = ss_arena_mark(a);
        SS_TRY(island_copositive(m, d, &d->islands[i], a, &one));
        ss_arena_release(a, mark);
        *answer = one == SS_YES ? *answer : one;
    }
    return SS_OK;
}

ss_status ss_analyze_solvable(const ss_model *m, const ss_data *d, ss_solvable_verdict *out)
{
    ss_hold_verdict hold;
    ss_arena        a      = {0};
    ss_status       status = SS_ERR_SCRATCH;
    *out                   = (ss_solvable_verdict){SS_UNDECIDED, SS_UNDECIDED, SS_UNDECIDED};
    SS_TRY(ss_analyze_hold(m, d, &hold, NULL, 0));
    for (int i = 0; status == SS_ERR_SCRATCH && i < 8; i++) {
        ss_arena_reset(&a);
        status = all_copositive(m, d, &a, &out->copositive);
        if (status == SS_ERR_SCRATCH) {
            SS_TRY(ss_arena_grow(d->ctx, &a));
        }
    }
    ss_arena_free(d->ctx, &a);
    out->pointed  = hold.pointed;
    bool both     = out->copositive == SS_YES && out->pointed == SS_YES;
    out->solvable = both ? SS_YES : SS_UNDECIDED;
    return status;
}
