/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A residual measures rows by what hangs together with them (docs/theory/residuals.md). Where two
 * rows contradict each other by little, beside data that are much larger, or unknowns that grow
 * until their terms hide the contradiction, it is satisfied: w1 + w2 = -2 is nothing beside
 * velocities of 1e10. Of an lcp or mlcp every point of a problem without a solution has some pair
 * that misses its law, and its certificate knows w to twice the precision where that matters.
 * Doubles make a row no better than rounding of its own terms; what is larger is there to be seen:
 *
 *   |w_i|  >  1e-6 |q_i|      and      |w_i|  >  16 eps (sum_j |M_ij z_j| + |q_i|)
 *
 * of a row that should be zero or not negative. Answers are doubted there, and where the first
 * holds alone with |q_i| > 1e-12 max_k |q_k|: what hides in rounding of terms may be proved. Data
 * that are rounded themselves are asked about from 1e-12 of the largest on.
 *
 * Cone problems are looked at by blocks: where terms outgrow the velocity that a row has without
 * reactions a million times, or where a contact closes by more than a millionth of it and more than
 * rounding of reactions. Momentum is where terms outgrow forces as much. What becomes of answers in
 * doubt is for confirm_cone.c and for a proof to say.
 *
 * Whether there is no solution is what a proof can say: y'A z >= 0 > -y'q. Proofs are exact, and so
 * of the data as they are rounded: contacts that depend on each other contradict each other in
 * their last digits. With R units in which rows can be compared a proof counts if
 *
 *   -y'q  >  16 eps (sum_i |y_i| / R_i) max_k R_k |q_k|   and   -y'q  >  1e-12 sum_i |y_i q_i|
 *
 * over the rows k that hang together with those of y: R of others is in other units, and what
 * rounding leaves of their data reaches none of these. 1e-12 takes the place of 16 eps where data
 * are rounded.
 */
#include "solver/doubt.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/components.h"
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

/* Column j in units of rows: max_k |M_kj| / terms_k. */
static double weight_of(const ss_matrix *A, int32_t j, const double *terms)
{
    double most = 0;
    for (int32_t k = ss_column_begin(A, j); k < ss_column_end(A, j); k++) {
        ss_entry e = ss_column_entry(A, j, k);
        most       = terms[e.row] > 0 ? fmax(most, fabs(e.value) / terms[e.row]) : most;
    }
    return most;
}

/*
 * Is |w_i| more than a millionth of the row's data, and more than rounding of its terms? `size`:
 * what a row without data is measured by, if it is more than its terms.
 */
static bool counts(const ss_rows *x, int32_t i, double q)
{
    double terms = q != 0 ? x->terms[i] : fmax(x->terms[i], x->size[i]);
    return fabs(x->w[i]) * SS_DOUBTFUL > fabs(q) &&
           fabs(x->w[i]) > SS_ROW_RIGHT * DBL_EPSILON * terms;
}

static bool is_free(const ss_problem *p, int32_t i)
{
    return p->type == SS_MLCP && p->as.mlcp.free[i];
}

/* Does pair i miss its law by that? Of two positive numbers the smaller is what it misses. */
static bool is_missed(const ss_problem *p, const ss_rows *x, int32_t i)
{
    if (!counts(x, i, data_of(p)[i])) {
        return false;
    }
    if (is_free(p, i) || x->w[i] < 0) {
        return true;
    }
    double share = x->z[i] > 0 ? x->z[i] * weight_of(matrix_of(p), i, x->terms) : 0;
    return share > SS_ROW_RIGHT * DBL_EPSILON &&
           share * x->terms[i] * SS_DOUBTFUL > fabs(data_of(p)[i]);
}

/* Rows with less data than this are not asked about. */
static double least_data(const ss_problem *p, bool rounded)
{
    return rounded ? SS_ROW_SEEN * largest(data_of(p), ss_problem_size(p)) : -1;
}

bool ss_rows_are_wrong(const ss_problem *p, const ss_rows *x, bool rounded)
{
    const double *q     = data_of(p);
    double        least = least_data(p, rounded);
    for (int32_t i = 0; i < ss_problem_size(p); i++) {
        if (fabs(q[i]) > least && is_missed(p, x, i)) {
            return true;
        }
    }
    return false;
}

bool ss_rows_are_doubtful(const ss_problem *p, const ss_rows *x, bool rounded)
{
    const double *q     = data_of(p);
    int32_t       n     = ss_problem_size(p);
    double        least = -1; /* data that can be seen beside rounding of all others */
    for (int32_t i = 0; i < n; i++) {
        if (!(fabs(x->w[i]) * SS_DOUBTFUL > fabs(q[i]))) {
            continue;
        }
        if (q[i] != 0 && (is_free(p, i) || x->w[i] < 0)) {
            least = least < 0 ? SS_ROW_SEEN * largest(q, n) : least;
            if (fabs(q[i]) > least) {
                return true;
            }
        }
        if (!rounded && is_missed(p, x, i)) {
            return true;
        }
    }
    return false;
}

/* A cone problem at an answer, and what is needed where one of its rows asks for it. */
typedef struct contacts {
    const ss_cone      *p;
    const ss_cone_rows *x;
    bool                rounded;
    double              least; /* data that count; < 0: not known yet                         */
    double              noise; /* velocities that rounding of reactions can make of any row, in
                                  units of sqrt(W_ii); < 0: not known yet                     */
} contacts;

/* Are the data of row i more than rounding of all others? */
static bool has_data(contacts *c, int32_t i)
{
    if (c->least < 0) {
        c->least = c->rounded ? SS_DATA_SEEN * largest(c->x->free, c->p->n) : 0;
    }
    return fabs(c->x->free[i]) > c->least;
}

/* Is this velocity of row i more than rounding of its reactions, and of all that reach it? */
static bool is_loud(contacts *c, int32_t i, double speed)
{
    const ss_cone_rows *x = c->x;
    if (c->noise < 0) {
        c->noise = 0;
        for (int32_t j = 0; j < c->p->n; j++) {
            c->noise = x->w[j] > 0 ? fmax(c->noise, x->term[j] / sqrt(x->w[j])) : c->noise;
        }
    }
    return speed > SS_ROW_RIGHT * DBL_EPSILON * fmax(x->term[i], c->noise * sqrt(x->w[i]));
}

/* By how much row i of a block misses its law, friction aside. */
static double missed_by(const ss_block *b, const ss_cone_rows *x, int32_t i)
{
    if (b->kind == SS_BLOCK_EQUALITY) {
        return fabs(x->u[i]);
    }
    return i == b->start && b->kind != SS_BLOCK_DISK ? -x->u[i] : 0;
}

static bool is_row_in_doubt(contacts *c, const ss_block *b, int32_t i)
{
    double data = fabs(c->x->free[i]), miss = missed_by(b, c->x, i);
    bool   outgrown = c->x->term[i] > SS_DOUBTFUL * data, missed = miss * SS_DOUBTFUL > data;
    return data > 0 && (outgrown || missed) && has_data(c, i) && (outgrown || is_loud(c, i, miss));
}

/* Rows of a block that a proof can speak of: not those of friction. */
static int32_t rows_of_law(const ss_block *b)
{
    return b->kind == SS_BLOCK_EQUALITY ? b->dim : b->kind != SS_BLOCK_DISK;
}

int32_t ss_contacts_in_doubt(const ss_cone *p, const ss_cone_rows *x, bool rounded, double *y)
{
    contacts c     = {.p = p, .x = x, .rounded = rounded, .least = -1, .noise = -1};
    int32_t  count = 0;
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b     = &p->blocks[k];
        bool            doubt = false;
        for (int32_t i = b->start; !doubt && i < b->start + b->dim; i++) {
            doubt = is_row_in_doubt(&c, b, i);
        }
        for (int32_t i = 0; y != NULL && i < b->dim; i++) {
            y[b->start + i] = doubt && i < rows_of_law(b);
        }
        count += doubt ? rows_of_law(b) : 0;
    }
    return count;
}

/* The largest velocity without reactions, in units of sqrt(W_ii). */
static double largest_free(const ss_cone *p, const ss_cone_rows *x)
{
    double most = 0;
    for (int32_t i = 0; i < p->n; i++) {
        most = x->w[i] > 0 ? fmax(most, fabs(x->free[i]) / sqrt(x->w[i])) : most;
    }
    return most;
}

bool ss_contacts_lose_data(const ss_cone *p, const ss_cone_rows *x, double residual, double part)
{
    double missed = fmax(residual, DBL_EPSILON) / (SS_LOST * part), all = largest_free(p, x);
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b     = &p->blocks[k];
        double          block = largest(x->free + b->start, b->dim), w = 0;
        for (int32_t i = b->start; block == 0 && i < b->start + b->dim; i++) {
            w = fmax(w, x->w[i]);
        }
        block = block > 0 ? block : all * sqrt(w);
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            bool   law  = i - b->start < rows_of_law(b) && x->free[i] != 0;
            double data = law ? fabs(x->free[i]) : block;
            if (missed * x->term[i] > data && data > 0) {
                return true;
            }
        }
    }
    return false;
}

bool ss_momentum_in_doubt(const ss_cone *p, const double *work)
{
    const double *terms = p->nv > 0 ? ss_residual_cone_momentum(p, work) : NULL;
    for (int32_t k = 0; k < p->nv; k++) {
        if (p->f[k] != 0 && terms[k] > SS_DOUBTFUL * fabs(p->f[k])) {
            return true;
        }
    }
    return false;
}

/*
 * Units in which rows can be compared: velocities over sqrt(W_ii) are roots of energies; rows of
 * the global form are velocities; rows of other problems in units in which M is near 1.
 */
static void row_units(const ss_problem *p, double *R, double *work)
{
    const ss_matrix *A = matrix_of(p);
    int32_t          n = ss_problem_size(p);
    if (p->type != SS_CONE) {
        ss_matrix_row_units(A, R, work);
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        double w = p->as.cone.nv > 0 ? 1 : fabs(ss_matrix_diagonal(A, i));
        R[i]     = w > 0 ? 1 / sqrt(w) : 1;
    }
}

/* Which rows hang together; row i is node i of `label` from the node that is returned on. */
static int32_t find_parts(const ss_problem *p, double *label)
{
    const ss_cone *c     = p->type == SS_CONE ? &p->as.cone : NULL;
    int32_t        first = c != NULL ? c->nv : 0;
    ss_components_begin(first + ss_problem_size(p), label);
    if (first > 0) {
        ss_components_join_matrix(label, &c->M, 0, 0);
    }
    ss_components_join_matrix(label, matrix_of(p), 0, first);
    for (int32_t k = 0; c != NULL && k < c->nblocks; k++) {
        for (int32_t i = 1; i < c->blocks[k].dim; i++) {
            ss_components_join(label, first + c->blocks[k].start, first + c->blocks[k].start + i);
        }
    }
    return first;
}

/* max_k R_k |q_k| over the rows that hang together with some row of y. */
static double data_near(const ss_problem *p, const double *y, const double *R, double *work)
{
    const double *q = data_of(p);
    int32_t       n = ss_problem_size(p), first = find_parts(p, work);
    double       *asked = work + first + n, most = 0;
    memset(asked, 0, (size_t)(first + n) * sizeof *asked);
    for (int32_t i = 0; i < n; i++) {
        if (y[i] != 0) {
            asked[ss_components_find(work, first + i)] = 1;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        double data = asked[ss_components_find(work, first + i)] * R[i] * fabs(q[i]);
        most        = fmax(most, data);
    }
    return most;
}

bool ss_proof_weighs(const ss_problem *p, const double *y, bool rounded, double *work)
{
    const double *q = data_of(p);
    int32_t       n = ss_problem_size(p);
    double       *R = work, sum = 0, own = 0, weight = 0;
    row_units(p, R, work + n);
    double data = data_near(p, y, R, work + n);
    for (int32_t i = 0; i < n; i++) {
        sum += y[i] * q[i];
        own += fabs(y[i] * q[i]);
        weight += fabs(y[i]) / R[i];
    }
    double part = rounded ? SS_PROOF_WEIGHS : SS_ROW_RIGHT * DBL_EPSILON;
    return fabs(sum) > part * weight * data && fabs(sum) > SS_PROOF_WEIGHS * own;
}
