/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A residual measures rows by what hangs together with them (docs/theory/residuals.md). Where two
 * rows contradict each other by little, beside data that are much larger, or unknowns that grow
 * until their terms hide the contradiction, it is satisfied: w1 + w2 = -2 is nothing beside
 * velocities of 1e10. Of an lcp or mlcp every point of a problem without a solution has some row
 * with w_i < 0 (or w_i != 0 of a free unknown), and its certificate knows w to twice the precision
 * where that matters. Answers are doubted where
 *
 *   -w_i  >  1e-6 |q_i|,     |q_i| > 1e-12 max_k |q_k| .
 *
 * Cone problems have more than rows; there terms are looked at, sum_j |W_ij r_j| > 1e6 |q_i| or
 * u_i < -1e-6 |q_i| with |q_i| > 1e-10 max_k |q_k|, or, in the global form, reactions that cancel
 * on all bodies but for a millionth.
 *
 * Whether there is no solution is what a proof can say: y'A z >= 0 > -y'q. Proofs are exact, and so
 * of the data as they are rounded: contacts that depend on each other contradict each other in
 * their last digits. With R the units of rows in which A is near 1, a proof counts if
 *
 *   -y'q  >  1e-12 (sum_i |y_i| / R_i) max_i R_i |q_i| .
 *
 * Where there is none, a row that is missed by more than a millionth of its own data, and by more
 * than rounding of its terms, makes the answer inaccurate.
 */
#include "solver/doubt.h"

#include <float.h>
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
    memset(bounded, 0, (size_t)p->as.cone.n * sizeof *bounded);
    for (int32_t k = 0; k < p->as.cone.nblocks; k++) {
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

/* By how much row i of an lcp or mlcp is missed, w being its value. */
static double missed_by(const ss_problem *p, int32_t i, double w)
{
    bool free = p->type == SS_MLCP && p->as.mlcp.free[i];
    return free ? fabs(w) : fmax(0, -w);
}

bool ss_rows_are_doubtful(const ss_problem *p, const double *w)
{
    const double *q = data_of(p);
    int32_t       n = ss_problem_size(p);
    for (int32_t i = 0; i < n; i++) {
        if (missed_by(p, i, w[i]) * SS_DOUBTFUL > fabs(q[i]) && q[i] != 0) {
            return fabs(q[i]) > SS_ROW_SEEN * largest(q, n) || ss_rows_are_wrong(p, w, NULL);
        }
    }
    return false;
}

bool ss_rows_are_wrong(const ss_problem *p, const double *w, const double *terms)
{
    const double *q     = data_of(p);
    int32_t       n     = ss_problem_size(p);
    double        least = SS_ROW_SEEN * largest(q, n);
    for (int32_t i = 0; i < n; i++) {
        double miss = missed_by(p, i, w[i]), rounding = terms != NULL ? terms[i] : 0;
        if (fabs(q[i]) > least && miss * SS_DOUBTFUL > fabs(q[i]) &&
            miss > 16 * DBL_EPSILON * rounding) {
            return true;
        }
    }
    return false;
}

bool ss_answer_is_wrong(const ss_problem *p, const double *z, double *work)
{
    const ss_matrix *A = matrix_of(p);
    size_t           n = (size_t)A->rows;
    double          *w = work, *rest = work + n, *terms = work + 2 * n, *sum = work + 3 * n;
    memcpy(w, data_of(p), n * sizeof *w);
    memset(rest, 0, 3 * n * sizeof *rest);
    ss_matrix_mul_add_twofold(A, z, w, rest);
    ss_matrix_mul_add_sized(A, z, sum, terms);
    return ss_rows_are_wrong(p, w, terms);
}

bool ss_answer_is_doubtful(const ss_problem *p, const double *z, double *work)
{
    const ss_matrix *A   = matrix_of(p);
    double          *sum = work, *terms = work + A->rows;
    memset(work, 0, 2 * (size_t)A->rows * sizeof *work);
    for (int32_t j = 0; j < A->cols; j++) {
        for (int32_t k = ss_column_begin(A, j); z[j] != 0 && k < ss_column_end(A, j); k++) {
            ss_entry e = ss_column_entry(A, j, k);
            sum[e.row] += e.value * z[j];
            terms[e.row] += fabs(e.value * z[j]);
        }
    }
    if (p->as.cone.nv > 0) {
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
