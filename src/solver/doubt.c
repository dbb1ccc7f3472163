/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A residual measures rows by what hangs together with them (docs/theory/residuals.md). Where two
 * rows contradict each other by little, beside data a million times as large, unknowns that grow
 * until their terms hide the contradiction satisfy it: w1 + w2 = -2 is nothing beside z = 1e15, nor
 * beside velocities of 1e6. Such answers are told by terms that outgrow the data of a row,
 *
 *   sum_j |A_ij z_j|  >  1e6 |q_i|     or     w_i < -1e-6 |q_i|,     |q_i| > 1e-10 max_k |q_k|
 *
 * (A: M or W; the second of rows whose w may not be negative), or, in the global form, by reactions
 * that cancel on all bodies but for a millionth, and whether they hide that there is no solution is
 * what a proof can say: y'A z >= 0 > -y'q. Proofs are exact, and so of the data as they are
 * rounded: contacts that depend on each other contradict each other in their last digits. With R
 * the units of rows in which A is near 1, a proof counts if
 *
 *   -y'q  >  1e-12 (sum_i |y_i| / R_i) max_i R_i |q_i| .
 */
#include "solver/doubt.h"

#include <math.h>
#include <string.h>

#include "linalg/matrix.h"
#include "solver/tolerances.h"

static const ss_matrix *matrix_of(const ss_problem *p)
{
    switch (p->type) {
    case SS_LCP:
        return &p->as.lcp.M;
    case SS_MLCP:
        return &p->as.mlcp.M;
    case SS_CONE:
        return p->as.cone.nv > 0 ? &p->as.cone.H : &p->as.cone.W;
    case SS_MCP:
        break;
    }
    return NULL;
}

static const double *data_of(const ss_problem *p)
{
    return p->type == SS_LCP    ? p->as.lcp.q
           : p->type == SS_MLCP ? p->as.mlcp.q
           : p->type == SS_CONE ? p->as.cone.q
                                : NULL;
}

static double largest(const double *x, int32_t count)
{
    double most = 0;
    for (int32_t i = 0; i < count; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

size_t ss_doubt_work(const ss_problem *p)
{
    const ss_matrix *A = matrix_of(p);
    return A != NULL ? 4 * ((size_t)A->rows + (size_t)A->cols) : 0;
}

/* Rows whose w may not be negative: marks them with 1, others with 0. */
static void mark_bounded(const ss_problem *p, double *bounded)
{
    int32_t n = ss_problem_size(p);
    for (int32_t i = 0; i < n; i++) {
        bounded[i] = p->type == SS_LCP || (p->type == SS_MLCP && !p->as.mlcp.free[i]);
    }
    for (int32_t k = 0; p->type == SS_CONE && k < p->as.cone.nblocks; k++) {
        const ss_block *b = &p->as.cone.blocks[k];
        bounded[b->start] = b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL;
    }
}

static bool hides_data(const ss_problem *p, const double *sum, const double *terms, double *bounded)
{
    const double *q     = data_of(p);
    int32_t       n     = ss_problem_size(p);
    double        least = SS_DATA_SEEN * largest(q, n);
    mark_bounded(p, bounded);
    for (int32_t i = 0; i < n; i++) {
        bool negative = bounded[i] != 0 && (sum[i] + q[i]) * SS_DOUBTFUL < -fabs(q[i]);
        if (fabs(q[i]) > least && (negative || terms[i] > SS_DOUBTFUL * fabs(q[i]))) {
            return true;
        }
    }
    return false;
}

bool ss_answer_is_doubtful(const ss_problem *p, const double *z, double *work)
{
    const ss_matrix *A = matrix_of(p);
    if (A == NULL) {
        return false;
    }
    double *sum = work, *terms = work + A->rows;
    memset(work, 0, 2 * (size_t)A->rows * sizeof *work);
    for (int32_t j = 0; j < A->cols; j++) {
        for (int32_t k = ss_column_begin(A, j); z[j] != 0 && k < ss_column_end(A, j); k++) {
            ss_entry e = ss_column_entry(A, j, k);
            sum[e.row] += e.value * z[j];
            terms[e.row] += fabs(e.value * z[j]);
        }
    }
    if (p->type == SS_CONE && p->as.cone.nv > 0) {
        double net = largest(sum, A->rows) + largest(p->as.cone.f, A->rows);
        return largest(terms, A->rows) > SS_DOUBTFUL * net;
    }
    return hides_data(p, sum, terms, terms + A->rows);
}

bool ss_proof_weighs(const ss_problem *p, const double *y, double *work)
{
    const ss_matrix *A = matrix_of(p);
    const double    *q = data_of(p);
    int32_t          n = ss_problem_size(p);
    double          *R = work, sum = 0, weight = 0, data = 0;
    bool             square = A->rows == n;
    if (square) {
        ss_matrix_row_units(A, R, work + n);
    }
    for (int32_t i = 0; i < n; i++) {
        double unit = square ? R[i] : 1; /* rows of the global form are velocities */
        sum += y[i] * q[i];
        weight += fabs(y[i]) / unit;
        data = fmax(data, unit * fabs(q[i]));
    }
    return fabs(sum) > SS_PROOF_WEIGHS * weight * data;
}
