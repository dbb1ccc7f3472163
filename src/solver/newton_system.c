/* SPDX-License-Identifier: Apache-2.0 */
#include "solver/newton_system.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"

/* Dense factors are faster up to this many unknowns, and where one entry in so many is there. */
enum { DENSE_UNKNOWNS = 64, DENSE_SHARE = 4 };

static ss_matrix jacobian_view(const ss_problem *p, const double *values)
{
    const ss_mcp *mcp = &p->as.mcp;
    switch (p->type) {
    case SS_LCP:
        return p->as.lcp.M;
    case SS_MLCP:
        return p->as.mlcp.M;
    default:
        return (ss_matrix){.rows   = mcp->n,
                           .cols   = mcp->n,
                           .colptr = mcp->colptr,
                           .rowind = mcp->rowind,
                           .values = values};
    }
}

static size_t nonzeros(const ss_problem *p)
{
    ss_matrix J = jacobian_view(p, NULL);
    return J.dense != NULL ? (size_t)J.rows * (size_t)J.cols : (size_t)J.colptr[J.cols];
}

static bool factored_sparse(const ss_problem *p)
{
    size_t n = (size_t)ss_problem_size(p);
    return ss_sparse_lu_available() && n > DENSE_UNKNOWNS && nonzeros(p) <= n * n / DENSE_SHARE;
}

/* Entries of the matrix that is factored. */
static size_t matrix_entries(const ss_problem *p)
{
    size_t n = (size_t)ss_problem_size(p);
    return factored_sparse(p) ? nonzeros(p) + n : n * n;
}

static size_t values_entries(const ss_problem *p)
{
    return p->type == SS_MCP ? nonzeros(p) : 0;
}

size_t ss_newton_system_bytes(const ss_problem *p)
{
    size_t n     = (size_t)ss_problem_size(p);
    size_t reals = matrix_entries(p) + 9 * n + values_entries(p), numbers = 2 * n;
    numbers += factored_sparse(p) ? 2 * n + 1 + matrix_entries(p) : 0;
    return reals * sizeof(double) + numbers * sizeof(int32_t);
}

static void lay_out_numbers(ss_newton_system *sys, int32_t *at)
{
    size_t n   = (size_t)sys->n;
    sys->piv   = at;
    sys->index = at + n;
    if (sys->sparse.lu != NULL) {
        sys->sparse.diagonal = at + 2 * n;
        sys->sparse.colptr   = at + 3 * n;
        sys->sparse.rowind   = at + 4 * n + 1;
    }
}

static void lay_out(ss_newton_system *sys, double *at)
{
    size_t n    = (size_t)sys->n;
    sys->R      = at;
    sys->C      = sys->R + n;
    sys->lower  = sys->C + n;
    sys->upper  = sys->lower + n;
    sys->anchor = sys->upper + n;
    sys->z      = sys->anchor + n;
    sys->right  = sys->z + n;
    at          = sys->right + 3 * n; /* the last 2 n are scratch while scales are found */
    if (sys->p->type == SS_MCP) {
        sys->values = at;
        at += values_entries(sys->p);
    }
    *(sys->sparse.lu != NULL ? &sys->sparse.values : &sys->A) = at;
    lay_out_numbers(sys, (int32_t *)(at + matrix_entries(sys->p)));
}

static void scaled_bounds(ss_newton_system *sys)
{
    const ss_problem *p = sys->p;
    for (int32_t i = 0; i < sys->n; i++) {
        bool free     = p->type == SS_MLCP && p->as.mlcp.free[i];
        sys->lower[i] = p->type == SS_MCP ? p->as.mcp.lower[i] / sys->C[i] : free ? -INFINITY : 0;
        sys->upper[i] = p->type == SS_MCP ? p->as.mcp.upper[i] / sys->C[i] : INFINITY;
    }
}

/* Column j of the factored pattern from entry `to` on: the rows of F' and j, ascending. */
static int32_t place_column(ss_newton_system *sys, int32_t j, int32_t to)
{
    ss_newton_sparse *A  = &sys->sparse;
    const int32_t    *Ji = sys->J.rowind;
    int32_t           e = sys->J.colptr[j], end = sys->J.colptr[j + 1];
    while (e < end && Ji[e] < j) {
        A->rowind[to++] = Ji[e++];
    }
    A->diagonal[j]  = to;
    A->rowind[to++] = j;
    e += e < end && Ji[e] == j;
    while (e < end) {
        A->rowind[to++] = Ji[e++];
    }
    return to;
}

static ss_status analyse(ss_newton_system *sys)
{
    ss_newton_sparse *A = &sys->sparse;
    A->colptr[0]        = 0;
    for (int32_t j = 0; j < sys->n; j++) {
        A->colptr[j + 1] = place_column(sys, j, A->colptr[j]);
    }
    return ss_sparse_lu_analyse(sys->ctx, A->lu, sys->n, A->colptr, A->rowind);
}

bool ss_newton_system_make(ss_newton_system *sys, const ss_problem *p, ss_sparse_lu *lu,
                           const double *z0, void *memory)
{
    *sys = (ss_newton_system){
        .p = p, .n = ss_problem_size(p), .ctx = sys->ctx, .patience = sys->patience};
    sys->sparse.lu = factored_sparse(p) ? lu : NULL;
    lay_out(sys, memory);
    sys->J      = jacobian_view(p, sys->values);
    sys->status = sys->sparse.lu != NULL ? analyse(sys) : SS_OK;
    if (sys->status != SS_OK) {
        return false;
    }
    if (p->type == SS_MCP && p->as.mcp.jacobian(p->as.mcp.user, z0, sys->values) != 0) {
        return false;
    }
    ss_matrix_equilibrate(&sys->J, sys->R, sys->C, sys->right + sys->n);
    scaled_bounds(sys);
    return true;
}

static void unscale(const ss_newton_system *sys, const double *y)
{
    for (int32_t i = 0; i < sys->n; i++) {
        sys->z[i] = sys->C[i] * y[i];
    }
}

bool ss_newton_system_eval(ss_newton_system *sys, const double *y, double *G)
{
    const ss_problem *p = sys->p;
    sys->products += ss_matrix_products(&sys->J);
    unscale(sys, y);
    if (p->type == SS_MCP) {
        if (p->as.mcp.function(p->as.mcp.user, sys->z, G) != 0) {
            return false;
        }
    } else {
        const double *q = p->type == SS_LCP ? p->as.lcp.q : p->as.mlcp.q;
        memcpy(G, q, (size_t)sys->n * sizeof *G);
        ss_matrix_mul_add(&sys->J, sys->z, G);
    }
    double sum = 0;
    for (int32_t i = 0; i < sys->n; i++) {
        G[i] *= sys->R[i];
        if (sys->proximal > 0) {
            G[i] += sys->proximal * (y[i] - sys->anchor[i]);
        }
        sum += fabs(G[i]);
    }
    return isfinite(sum);
}

bool ss_newton_system_linearise(ss_newton_system *sys, const double *y)
{
    if (sys->p->type != SS_MCP) {
        return true;
    }
    unscale(sys, y);
    return sys->p->as.mcp.jacobian(sys->p->as.mcp.user, sys->z, sys->values) == 0;
}

/* Entry by entry through column j of J: row and scaled value. */
typedef struct walk {
    const ss_newton_system *sys;
    int32_t                 col, at, end;
} walk;

static walk walk_column(const ss_newton_system *sys, int32_t j)
{
    bool dense = sys->J.dense != NULL;
    return (walk){.sys = sys,
                  .col = j,
                  .at  = dense ? 0 : sys->J.colptr[j],
                  .end = dense ? sys->n : sys->J.colptr[j + 1]};
}

static bool walk_next(walk *w, int32_t *row, double *value)
{
    const ss_matrix *J = &w->sys->J;
    if (w->at == w->end) {
        return false;
    }
    *row   = J->dense != NULL ? w->at : J->rowind[w->at];
    *value = (J->dense != NULL ? J->dense[(size_t)w->col * (size_t)J->ld + (size_t)w->at]
                               : J->values[w->at]) *
             w->sys->R[*row] * w->sys->C[w->col];
    w->at++;
    return true;
}

/* Numbers the rows with db != 0 in piv (-1 for the others) and lists them in index. */
static int32_t number_rows(ss_newton_system *sys, const double *db)
{
    int32_t count = 0;
    for (int32_t i = 0; i < sys->n; i++) {
        sys->piv[i] = db[i] != 0 ? count : -1;
        if (db[i] != 0) {
            sys->index[count++] = i;
        }
    }
    return count;
}

/* Fill the reduced dense matrix (k x k), moving the columns of known unknowns to the right-hand
 * side. */
static void fill_dense(ss_newton_system *sys, const double *da, const double *db, double eps,
                       int32_t k, const double *d)
{
    const int32_t *number = sys->piv;
    memset(sys->A, 0, (size_t)k * (size_t)k * sizeof *sys->A);
    for (int32_t j = 0; j < sys->n; j++) {
        walk    w = walk_column(sys, j);
        int32_t i;
        double  g;
        if (number[j] < 0 && d[j] == 0) {
            continue;
        }
        double *col = sys->A + (size_t)(number[j] < 0 ? 0 : number[j]) * (size_t)k;
        while (walk_next(&w, &i, &g)) {
            if (number[i] < 0) {
                continue;
            }
            if (number[j] < 0) {
                sys->right[number[i]] -= db[i] * g * d[j];
            } else {
                col[number[i]] += db[i] * g;
            }
        }
        if (number[j] >= 0) {
            col[number[j]] += da[j] + db[j] * eps;
        }
    }
}

/* d of the rows in index, from the reduced system. */
static bool solve_dense(ss_newton_system *sys, const double *da, const double *db, double eps,
                        int32_t k, double *d)
{
    int32_t ld = k > 0 ? k : 1;
    for (int32_t i = 0; i < k; i++) {
        sys->right[i] = d[sys->index[i]];
    }
    fill_dense(sys, da, db, eps, k, d);
    if (!ss_dense_lu_within(k, sys->A, ld, sys->piv, &sys->patience)) {
        return false;
    }
    ss_dense_lu_solve(k, sys->A, ld, sys->piv, sys->right);
    for (int32_t i = 0; i < k; i++) {
        d[sys->index[i]] = sys->right[i];
    }
    return true;
}

/* The column of a known unknown goes to the right-hand side d; what stays is the equation d_j =
 * d_j.
 */
static void fill_known_column(ss_newton_system *sys, const double *db, int32_t j, double *d)
{
    walk    w = walk_column(sys, j);
    int32_t i;
    double  g;
    sys->sparse.values[sys->sparse.diagonal[j]] = 1;
    while (d[j] != 0 && walk_next(&w, &i, &g)) {
        if (sys->piv[i] >= 0) {
            d[i] -= db[i] * g * d[j];
        }
    }
}

static void fill_column(ss_newton_system *sys, const double *da, const double *db, double eps,
                        int32_t j)
{
    ss_newton_sparse *A = &sys->sparse;
    walk              w = walk_column(sys, j);
    int32_t           i, e = A->colptr[j];
    double            g;
    while (walk_next(&w, &i, &g)) {
        while (A->rowind[e] < i) {
            e++;
        }
        A->values[e] = sys->piv[i] >= 0 ? db[i] * g : 0;
    }
    A->values[A->diagonal[j]] += da[j] + db[j] * eps;
}

/*
 * The same in full size: known unknowns keep a row and a column with nothing but a 1 on the
 * diagonal in it, which is what elimination does and leaves the pattern as it was analysed.
 */
static bool solve_sparse(ss_newton_system *sys, const double *da, const double *db, double eps,
                         double *d)
{
    ss_newton_sparse *A        = &sys->sparse;
    bool              singular = true;
    memset(A->values, 0, (size_t)A->colptr[sys->n] * sizeof *A->values);
    for (int32_t j = 0; j < sys->n; j++) {
        if (sys->piv[j] < 0) {
            fill_known_column(sys, db, j, d);
        } else {
            fill_column(sys, da, db, eps, j);
        }
    }
    sys->status = ss_sparse_lu_factor(sys->ctx, A->lu, A->colptr, A->rowind, A->values,
                                      &sys->patience, &singular);
    if (sys->status != SS_OK || singular) {
        return false;
    }
    ss_sparse_lu_solve(A->lu, d);
    return true;
}

bool ss_newton_system_solve(ss_newton_system *sys, const double *da, const double *db, double eps,
                            const double *r, double *d)
{
    int32_t k = number_rows(sys, db);
    for (int32_t i = 0; i < sys->n; i++) {
        d[i] = sys->piv[i] < 0 ? r[i] / da[i] : r[i];
    }
    eps += sys->proximal;
    bool solved = sys->sparse.lu != NULL ? solve_sparse(sys, da, db, eps, d)
                                         : solve_dense(sys, da, db, eps, k, d);
    sys->products += ss_matrix_products(&sys->J);
    sys->products +=
        sys->sparse.lu != NULL ? ss_sparse_lu_products(sys->sparse.lu) : ss_dense_lu_products(k);
    double sum = 0;
    for (int32_t i = 0; solved && i < sys->n; i++) {
        sum += fabs(d[i]);
    }
    return solved && isfinite(sum);
}

void ss_newton_system_gradient(const ss_newton_system *sys, const double *da, const double *db,
                               const double *r, double *g)
{
    for (int32_t j = 0; j < sys->n; j++) {
        walk    w   = walk_column(sys, j);
        double  sum = (da[j] + sys->proximal * db[j]) * r[j], value;
        int32_t i;
        while (walk_next(&w, &i, &value)) {
            sum += value * db[i] * r[i];
        }
        g[j] = sum;
    }
}
