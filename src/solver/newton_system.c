/* SPDX-License-Identifier: Apache-2.0 */
#include "solver/newton_system.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"

static size_t nonzeros(const ss_problem *p)
{
    return p->type == SS_MCP ? (size_t)p->as.mcp.colptr[p->as.mcp.n] : 0;
}

size_t ss_newton_system_bytes(const ss_problem *p)
{
    size_t n = (size_t)ss_problem_size(p);
    return (n * n + 9 * n + nonzeros(p)) * sizeof(double) + 2 * n * sizeof(int32_t);
}

static void lay_out(ss_newton_system *sys, double *at)
{
    size_t n    = (size_t)sys->n;
    sys->A      = at;
    sys->R      = at + n * n;
    sys->C      = sys->R + n;
    sys->lower  = sys->C + n;
    sys->upper  = sys->lower + n;
    sys->anchor = sys->upper + n;
    sys->z      = sys->anchor + n;
    sys->right  = sys->z + n;
    at          = sys->right + 3 * n; /* the last 2 n are scratch while scales are found */
    if (sys->p->type == SS_MCP) {
        sys->values = at;
        at += nonzeros(sys->p);
    }
    sys->piv   = (int32_t *)at;
    sys->index = sys->piv + n;
}

static ss_matrix jacobian_view(const ss_newton_system *sys)
{
    const ss_mcp *p = &sys->p->as.mcp;
    switch (sys->p->type) {
    case SS_LCP:
        return sys->p->as.lcp.M;
    case SS_MLCP:
        return sys->p->as.mlcp.M;
    default:
        return (ss_matrix){.rows   = p->n,
                           .cols   = p->n,
                           .colptr = p->colptr,
                           .rowind = p->rowind,
                           .values = sys->values};
    }
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

bool ss_newton_system_make(ss_newton_system *sys, const ss_problem *p, const double *z0,
                           void *memory)
{
    *sys = (ss_newton_system){.p = p, .n = ss_problem_size(p)};
    lay_out(sys, memory);
    sys->J = jacobian_view(sys);
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

bool ss_newton_system_eval(const ss_newton_system *sys, const double *y, double *G)
{
    const ss_problem *p = sys->p;
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

/* Fill the reduced matrix (k x k), moving the columns of known unknowns to the right-hand side. */
static void fill(ss_newton_system *sys, const double *da, const double *db, double eps, int32_t k,
                 const double *d)
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

bool ss_newton_system_solve(ss_newton_system *sys, const double *da, const double *db, double eps,
                            const double *r, double *d)
{
    int32_t k = number_rows(sys, db);
    for (int32_t i = 0; i < sys->n; i++) {
        d[i] = sys->piv[i] < 0 ? r[i] / da[i] : 0;
    }
    for (int32_t i = 0; i < k; i++) {
        sys->right[i] = r[sys->index[i]];
    }
    fill(sys, da, db, eps + sys->proximal, k, d);
    if (!ss_dense_lu(k, sys->A, k > 0 ? k : 1, sys->piv)) {
        return false;
    }
    ss_dense_lu_solve(k, sys->A, k > 0 ? k : 1, sys->piv, sys->right);
    double sum = 0;
    for (int32_t i = 0; i < k; i++) {
        d[sys->index[i]] = sys->right[i];
        sum += fabs(sys->right[i]);
    }
    return isfinite(sum);
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
