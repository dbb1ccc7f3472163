/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equality rows (e) are eliminated from the others (c):
 *
 *   0   = W_ee r_e + W_ec r_c + q_e          r_e = -W_ee^+ (W_ec r_c + q_e)
 *   u_c = W_ce r_e + W_cc r_c + q_c          u_c = (W_cc - W_ce X) r_c + q_c - X'q_e,  X = W_ee^+
 * W_ec
 *
 * W_ee is symmetric and positive semidefinite; where joints are redundant it is singular. It is
 * factored by Cholesky's method with pivoting after scaling its diagonal to 1; pivots below 1e-12
 * are zero, their rows depend on the others and take no reaction. The null vectors N of W_ee tell
 * which reactions are not unique, and the smallest reactions are those without a part along N.
 *
 * A small pivot e that counts divides rounding: with n its combination of rows, n'W_ec is of the
 * size of sqrt(e), and so W_ce n n'W_ec / e is as large as all of W_cc and known to 1e-16/e. What
 * is divided is therefore refined, with residuals in twice the working precision: then
 * 1e-16/sqrt(e) is left, which is rounding of the reactions.
 *
 * Limits and contacts whose rows depend on held ones (limits of a hinge in a triangle of bars) have
 * a velocity that no reaction changes: what is left of their W is rounding, by which solvers would
 * divide. Those that stay open have none.
 */
#include <math.h>
#include <string.h>

#include "core/twofold.h"
#include "linalg/basis.h"
#include "linalg/matrix.h"
#include "linalg/rank.h"
#include "linalg/vector.h"
#include "problem/reduce.h"
#include "problem/tolerances.h"

/* The least pivot that counts, 1e-12, leaves 1e-4 of an error in each pass of refinement. */
enum { REFINED_MOST = 5 };

/* Column j of a matrix, dense. */
static void expand_column(const ss_matrix *A, int32_t j, double *out)
{
    if (A->dense != NULL) {
        memcpy(out, A->dense + (size_t)j * (size_t)A->ld, (size_t)A->rows * sizeof *out);
        return;
    }
    memset(out, 0, (size_t)A->rows * sizeof *out);
    for (int32_t k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
        out[A->rowind[k]] = A->values[k];
    }
}

static void list_rows(const ss_cone *p, ss_eliminated *e)
{
    e->ne = e->nc = 0;
    for (int32_t b = 0; b < p->nblocks; b++) {
        const ss_block *blk = &p->blocks[b];
        for (int32_t i = blk->start; i < blk->start + blk->dim; i++) {
            if (blk->kind == SS_BLOCK_EQUALITY) {
                e->held[e->ne++] = i;
            } else {
                e->other[e->nc++] = i;
            }
        }
    }
}

/* W_ee into L. column: room for n. */
static void gather_held(const ss_cone *p, ss_eliminated *e, double *column)
{
    for (int32_t j = 0; j < e->ne; j++) {
        expand_column(&p->W, e->held[j], column);
        for (int32_t i = 0; i < e->ne; i++) {
            e->L[(size_t)j * (size_t)e->ne + (size_t)i] = column[e->held[i]];
        }
    }
}

/* W_ec into W, W_cc into C. column: room for n. */
static void gather_others(const ss_cone *p, const ss_eliminated *e, double *W, double *C,
                          double *column)
{
    for (int32_t j = 0; j < e->nc; j++) {
        expand_column(&p->W, e->other[j], column);
        for (int32_t i = 0; i < e->ne; i++) {
            W[(size_t)j * (size_t)e->ne + (size_t)i] = column[e->held[i]];
        }
        for (int32_t i = 0; i < e->nc; i++) {
            C[(size_t)j * (size_t)e->nc + (size_t)i] = column[e->other[i]];
        }
    }
}

static void factor(ss_eliminated *e, double dependent, double *work)
{
    size_t n = (size_t)e->ne;
    for (size_t i = 0; i < n; i++) {
        double diagonal = e->L[i * n + i];
        e->scale[i]     = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            e->L[j * n + i] *= e->scale[i] * e->scale[j];
        }
    }
    e->rank = ss_dense_rank_cholesky(e->ne, e->L, e->ne, dependent, e->perm, work);
}

/* y := (L11 L11')^-1 y on the leading rows. */
static void solve_leading(const ss_eliminated *e, double *y)
{
    size_t n = (size_t)e->ne;
    for (int32_t k = 0; k < e->rank; k++) {
        const double *col = e->L + (size_t)k * n;
        y[k] /= col[k];
        for (int32_t i = k + 1; i < e->rank; i++) {
            y[i] -= col[i] * y[k];
        }
    }
    for (int32_t k = e->rank - 1; k >= 0; k--) {
        const double *col = e->L + (size_t)k * n;
        for (int32_t i = k + 1; i < e->rank; i++) {
            y[k] -= col[i] * y[i];
        }
        y[k] /= col[k];
    }
}

/* v: 1 at row d, -(L11')^-1 L21_d' on the `leading` rows: its part that they cannot cancel. */
static void combine_rows(const ss_eliminated *e, int32_t leading, int32_t d, double *v)
{
    size_t  n = (size_t)e->ne;
    double *y = e->work;
    for (int32_t k = leading - 1; k >= 0; k--) {
        const double *col = e->L + (size_t)k * n;
        y[k]              = -col[d];
        for (int32_t i = k + 1; i < leading; i++) {
            y[k] -= col[i] * y[i];
        }
        y[k] /= col[k];
    }
    memset(v, 0, n * sizeof *v);
    for (int32_t k = 0; k < leading; k++) {
        v[e->perm[k]] = y[k];
    }
    v[e->perm[d]] = 1;
}

double ss_eliminated_weakest(const ss_eliminated *e, double *n)
{
    if (e->rank == 0) {
        return 0;
    }
    double last = e->L[(size_t)(e->rank - 1) * (size_t)(e->ne + 1)];
    combine_rows(e, e->rank - 1, e->rank - 1, n);
    return last * last;
}

/* One for each dependent row, made orthonormal by Gram and Schmidt's method. */
static void find_null_vectors(ss_eliminated *e)
{
    size_t n = (size_t)e->ne;
    for (int32_t d = e->rank; d < e->ne; d++) {
        double *v = e->null + (size_t)(d - e->rank) * n;
        combine_rows(e, e->rank, d, v);
        for (int pass = 0; pass < 2; pass++) {
            ss_basis_leave(e->ne, e->null, d - e->rank, v);
        }
        double norm = ss_vector_norm(e->ne, v);
        for (size_t i = 0; i < n; i++) {
            v[i] /= norm;
        }
    }
}

void ss_eliminated_solve(const ss_eliminated *e, double *b)
{
    double *y = e->work;
    for (int32_t k = 0; k < e->ne; k++) {
        y[k] = k < e->rank ? e->scale[e->perm[k]] * b[e->perm[k]] : 0;
    }
    solve_leading(e, y);
    for (int32_t k = 0; k < e->ne; k++) {
        b[e->perm[k]] = y[k];
    }
    ss_basis_leave(e->ne, e->null, e->ne - e->rank, b);
    for (int32_t i = 0; i < e->ne; i++) {
        b[i] *= e->scale[i];
    }
}

bool ss_eliminated_is_weak(const ss_eliminated *e)
{
    double last = e->rank > 0 ? e->L[(size_t)(e->rank - 1) * (size_t)(e->ne + 1)] : 1;
    return last * last < SS_EQUALITY_WEAK;
}

/* u (ne) := u + W_e. x, summed up in twice the working precision. */
static void add_rates(const ss_cone *p, const ss_eliminated *e, const double *x, double *u)
{
    memset(e->lo, 0, (size_t)e->ne * sizeof *e->lo);
    for (int32_t j = 0; j < p->n; j++) {
        if (x[j] == 0) {
            continue;
        }
        expand_column(&p->W, j, e->u);
        for (int32_t i = 0; i < e->ne; i++) {
            ss_twofold sum = {u[i], e->lo[i]};
            sum            = ss_twofold_add_product(sum, e->u[e->held[i]], x[j]);
            u[i]           = sum.hi;
            e->lo[i]       = sum.lo;
        }
    }
}

/*
 * x_e (of n) := x_e - W_ee^+ (b + W_e. x), until that is rounding of x_e. Each pass leaves
 * 1e-16 / pivot of the error before.
 */
static void refine(const ss_cone *p, const ss_eliminated *e, const double *b, double *x)
{
    double most = 0, change = INFINITY;
    for (int pass = 0; pass < REFINED_MOST && change > SS_EQUALITY_REFINED * most; pass++) {
        memcpy(e->step, b, (size_t)e->ne * sizeof *e->step);
        add_rates(p, e, x, e->step);
        ss_eliminated_solve(e, e->step);
        most = change = 0;
        for (int32_t i = 0; i < e->ne; i++) {
            x[e->held[i]] -= e->step[i];
            change = fmax(change, fabs(e->step[i]) / e->scale[i]);
            most   = fmax(most, fabs(x[e->held[i]]) / e->scale[i]);
        }
    }
}

/* x = W_ee^+ b, of one column of X. at: room for n. */
static void refine_column(const ss_cone *p, const ss_eliminated *e, const double *b, double *x,
                          double *at)
{
    memset(at, 0, (size_t)p->n * sizeof *at);
    for (int32_t i = 0; i < e->ne; i++) {
        at[e->held[i]] = -x[i];
    }
    refine(p, e, b, at);
    for (int32_t i = 0; i < e->ne; i++) {
        x[i] = -at[e->held[i]];
    }
}

/* C := C - W_ec'X, symmetric where C is; qc := qc - X'q_e. W: the original W_ec. */
static void complement(const ss_eliminated *e, const double *W, const double *q, double *C,
                       double *qc)
{
    size_t n = (size_t)e->ne, m = (size_t)e->nc;
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < m; i++) {
            C[j * m + i] -= ss_vector_dot(e->ne, W + i * n, e->X + j * n);
        }
        qc[j] = q[e->other[j]];
        for (size_t i = 0; i < n; i++) {
            qc[j] -= e->X[j * n + i] * q[e->held[i]];
        }
    }
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < j; i++) {
            double mean  = 0.5 * (C[j * m + i] + C[i * m + j]);
            C[j * m + i] = C[i * m + j] = mean;
        }
    }
}

static void keep_blocks(const ss_cone *p, ss_block *blocks, double *axes, ss_cone *out)
{
    int32_t row  = 0;
    out->nblocks = 0;
    for (int32_t b = 0; b < p->nblocks; b++) {
        if (p->blocks[b].kind == SS_BLOCK_EQUALITY) {
            continue;
        }
        for (int32_t i = 0; axes != NULL && i < p->blocks[b].dim; i++) {
            axes[row + i] = p->axes[p->blocks[b].start + i];
        }
        blocks[out->nblocks]         = p->blocks[b];
        blocks[out->nblocks++].start = row;
        row += p->blocks[b].dim;
    }
    out->n      = row;
    out->blocks = blocks;
    out->axes   = axes;
}

/* The diagonal of W_cc before held rows are taken out of it. */
static void note_diagonal(const ss_eliminated *e, const double *C, double *whole)
{
    for (int32_t j = 0; j < e->nc; j++) {
        whole[j] = C[(size_t)j * (size_t)(e->nc + 1)];
    }
}

/* Contacts and limits that are open, and that no reaction can close: of their rows nothing is left
   but rounding, which is none. */
static void clear_idle(const double *whole, const ss_cone *out, double *C)
{
    size_t m = (size_t)out->n;
    for (int32_t b = 0; b < out->nblocks; b++) {
        const ss_block *blk       = &out->blocks[b];
        size_t          j         = (size_t)blk->start;
        bool            one_sided = blk->kind == SS_BLOCK_UNILATERAL || blk->kind == SS_BLOCK_CONE;
        if (!one_sided || !(out->q[j] > 0) || C[j * m + j] > SS_EQUALITY_DEPENDENT * whole[j]) {
            continue;
        }
        for (size_t i = 0; i < m; i++) {
            C[j * m + i] = C[i * m + j] = 0;
        }
    }
}

bool ss_factor_equalities(const ss_cone *p, double dependent, ss_arena *a, ss_eliminated *e)
{
    size_t n = (size_t)p->n;
    e->held  = ss_arena_alloc(a, n, sizeof *e->held);
    e->other = ss_arena_alloc(a, n, sizeof *e->other);
    if (!e->held || !e->other) {
        return false;
    }
    list_rows(p, e);
    size_t  ne     = (size_t)e->ne;
    double *column = ss_arena_alloc(a, n + 2 * ne, sizeof *column);
    e->scale       = ss_arena_alloc(a, ne, sizeof *e->scale);
    e->L           = ss_arena_alloc(a, ne * ne, sizeof *e->L);
    e->perm        = ss_arena_alloc(a, ne, sizeof *e->perm);
    e->work        = ss_arena_alloc(a, ne, sizeof *e->work);
    e->step        = ss_arena_alloc(a, ne, sizeof *e->step);
    e->u           = ss_arena_alloc(a, n, sizeof *e->u);
    e->lo          = ss_arena_alloc(a, ne, sizeof *e->lo);
    e->q           = ss_arena_alloc(a, ne, sizeof *e->q);
    if (!column || !e->scale || !e->L || !e->perm || !e->work || !e->step || !e->u || !e->lo ||
        !e->q) {
        return false;
    }
    gather_held(p, e, column);
    factor(e, dependent, column);
    e->null = ss_arena_alloc(a, ne * (ne - (size_t)e->rank), sizeof *e->null);
    if (e->null == NULL) {
        return false;
    }
    find_null_vectors(e);
    return true;
}

bool ss_reduce_equality(const ss_cone *p, ss_arena *a, ss_eliminated *e, ss_cone *out)
{
    size_t    ne = (size_t)e->ne, nc = (size_t)e->nc;
    double   *column = ss_arena_alloc(a, (size_t)p->n, sizeof *column);
    double   *C      = ss_arena_alloc(a, nc * nc, sizeof *C);
    double   *q      = ss_arena_alloc(a, nc, sizeof *q);
    double   *axes   = p->axes != NULL ? ss_arena_alloc(a, nc, sizeof *axes) : NULL;
    ss_block *blocks = ss_arena_alloc(a, (size_t)p->nblocks, sizeof *blocks);
    double   *W      = ss_arena_alloc(a, ne * nc, sizeof *W);
    e->X             = ss_arena_alloc(a, ne * nc, sizeof *e->X);
    if (!column || !C || !q || !(axes || !p->axes) || !blocks || !W || !e->X) {
        return false;
    }
    gather_others(p, e, W, C, column);
    memcpy(e->X, W, ne * nc * sizeof *W);
    for (size_t j = 0; j < nc; j++) {
        ss_eliminated_solve(e, e->X + j * ne);
        if (ss_eliminated_is_weak(e)) {
            refine_column(p, e, W + j * ne, e->X + j * ne, column);
        }
    }
    note_diagonal(e, C, e->u);
    complement(e, W, p->q, C, q);
    *out   = (ss_cone){.q = q};
    out->W = (ss_matrix){.rows = e->nc, .cols = e->nc, .dense = C, .ld = e->nc};
    keep_blocks(p, blocks, axes, out);
    clear_idle(e->u, out, C);
    return true;
}

/* r_e := r_e - W_ee^+ (q + W r)_e */
static void correct(const ss_cone *p, const ss_eliminated *e, double *r)
{
    memcpy(e->u, p->q, (size_t)p->n * sizeof *e->u);
    ss_matrix_mul_add(&p->W, r, e->u);
    for (int32_t i = 0; i < e->ne; i++) {
        e->step[i] = e->u[e->held[i]];
    }
    ss_eliminated_solve(e, e->step);
    for (int32_t i = 0; i < e->ne; i++) {
        r[e->held[i]] -= e->step[i];
    }
}

/* The second correction is one step of iterative refinement. */
void ss_reduce_equality_back(const ss_cone *p, const ss_eliminated *e, const double *rc, double *r)
{
    memset(r, 0, (size_t)p->n * sizeof *r);
    for (int32_t i = 0; i < e->nc; i++) {
        r[e->other[i]] = rc[i];
    }
    correct(p, e, r);
    if (ss_eliminated_is_weak(e)) {
        for (int32_t i = 0; i < e->ne; i++) {
            e->q[i] = p->q[e->held[i]];
        }
        refine(p, e, e->q, r);
    } else {
        correct(p, e, r);
    }
}

/* Along the null vectors: S^-1 N N' S q_e. */
void ss_eliminated_mismatch(const ss_eliminated *e, const double *q, double *mismatch)
{
    for (int32_t i = 0; i < e->ne; i++) {
        mismatch[i] = 0;
        e->step[i]  = e->scale[i] * q[e->held[i]];
    }
    for (int32_t c = 0; c < e->ne - e->rank; c++) {
        const double *unit = e->null + (size_t)c * (size_t)e->ne;
        double        s    = ss_vector_dot(e->ne, unit, e->step);
        for (int32_t i = 0; i < e->ne; i++) {
            mismatch[i] += s * unit[i] / e->scale[i];
        }
    }
}
