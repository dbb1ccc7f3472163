/* SPDX-License-Identifier: Apache-2.0 */
/* Names and sizes of problems, and whether one is well formed. */
#include "stickslip/problem.h"

#include <math.h>
#include <stdbool.h>

#include "linalg/matrix.h"
#include "problem/residual.h"

const char *ss_problem_type_name(ss_problem_type type)
{
    switch (type) {
    case SS_LCP:
        return "lcp";
    case SS_MLCP:
        return "mlcp";
    case SS_MCP:
        return "mcp";
    case SS_CONE:
        return "cone";
    }
    return "unknown";
}

int32_t ss_problem_size(const ss_problem *p)
{
    switch (p->type) {
    case SS_LCP:
        return p->as.lcp.n;
    case SS_MLCP:
        return p->as.mlcp.n;
    case SS_MCP:
        return p->as.mcp.n;
    case SS_CONE:
        return p->as.cone.n;
    }
    return 0;
}

int32_t ss_problem_size_v(const ss_problem *p)
{
    return p->type == SS_CONE ? p->as.cone.nv : 0;
}

double ss_cone_entries(const ss_cone *p)
{
    return p->nv > 0 ? ss_matrix_products(&p->H) + ss_matrix_products(&p->M)
                     : ss_matrix_products(&p->W);
}

double ss_problem_entries(const ss_problem *p)
{
    switch (p->type) {
    case SS_LCP:
        return ss_matrix_products(&p->as.lcp.M);
    case SS_MLCP:
        return ss_matrix_products(&p->as.mlcp.M);
    case SS_MCP:
        return p->as.mcp.colptr[p->as.mcp.n];
    case SS_CONE:
        break;
    }
    return ss_cone_entries(&p->as.cone);
}

static ss_status check_vector(ss_context *ctx, const char *name, int32_t n, const double *x)
{
    if (n > 0 && x == NULL) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s is missing: expected %d numbers", name, (int)n);
    }
    for (int32_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s[%d] is not finite", name, (int)i);
        }
    }
    return SS_OK;
}

static ss_status check_dense(ss_context *ctx, const char *name, const ss_matrix *A)
{
    if (A->ld < A->rows) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: leading dimension %d is below the %d rows", name,
                       (int)A->ld, (int)A->rows);
    }
    for (int32_t j = 0; j < A->cols; j++) {
        for (int32_t i = 0; i < A->rows; i++) {
            if (!isfinite(A->dense[(size_t)j * (size_t)A->ld + (size_t)i])) {
                return ss_fail(ctx, SS_ERR_INPUT, "%s(%d,%d) is not finite", name, (int)i, (int)j);
            }
        }
    }
    return SS_OK;
}

/* Column starts that begin at 0 and never fall, rows in range and ascending. */
static ss_status check_pattern(ss_context *ctx, const char *name, int32_t rows, int32_t cols,
                               const int32_t *colptr, const int32_t *rowind)
{
    if (colptr == NULL || colptr[0] != 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: the column starts are missing or do not begin at 0",
                       name);
    }
    for (int32_t j = 0; j < cols; j++) {
        if (colptr[j + 1] < colptr[j] || (colptr[j + 1] > 0 && rowind == NULL)) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s: column %d has a start after its end, or no rows",
                           name, (int)j);
        }
        for (int32_t k = colptr[j], last = -1; k < colptr[j + 1]; k++) {
            if (rowind[k] <= last || rowind[k] >= rows) {
                return ss_fail(ctx, SS_ERR_INPUT,
                               "%s: the rows of column %d must ascend from 0 to %d, found %d", name,
                               (int)j, (int)rows - 1, (int)rowind[k]);
            }
            last = rowind[k];
        }
    }
    return SS_OK;
}

static ss_status check_matrix(ss_context *ctx, const char *name, const ss_matrix *A, int32_t rows,
                              int32_t cols)
{
    if (A->rows != rows || A->cols != cols) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s is %d x %d: expected %d x %d", name, (int)A->rows,
                       (int)A->cols, (int)rows, (int)cols);
    }
    if (rows == 0 || cols == 0) {
        return SS_OK;
    }
    if (A->dense != NULL) {
        return check_dense(ctx, name, A);
    }
    SS_TRY(check_pattern(ctx, name, rows, cols, A->colptr, A->rowind));
    return check_vector(ctx, name, A->colptr[cols], A->values);
}

static ss_status check_lcp(ss_context *ctx, const ss_lcp *p)
{
    SS_TRY(check_matrix(ctx, "M", &p->M, p->n, p->n));
    return check_vector(ctx, "q", p->n, p->q);
}

static ss_status check_mlcp(ss_context *ctx, const ss_mlcp *p)
{
    if (p->n > 0 && p->free == NULL) {
        return ss_fail(ctx, SS_ERR_INPUT, "free is missing: expected %d flags", (int)p->n);
    }
    for (int32_t i = 0; i < p->n; i++) {
        if (p->free[i] > 1) {
            return ss_fail(ctx, SS_ERR_INPUT, "free[%d] is %d: expected 0 or 1", (int)i,
                           (int)p->free[i]);
        }
    }
    SS_TRY(check_matrix(ctx, "M", &p->M, p->n, p->n));
    return check_vector(ctx, "q", p->n, p->q);
}

static ss_status check_mcp(ss_context *ctx, const ss_mcp *p)
{
    if (p->function == NULL || p->jacobian == NULL) {
        return ss_fail(ctx, SS_ERR_INPUT, "an mcp needs a function and a Jacobian");
    }
    if (p->n > 0 && (p->lower == NULL || p->upper == NULL)) {
        return ss_fail(ctx, SS_ERR_INPUT, "an mcp needs lower and upper bounds");
    }
    for (int32_t i = 0; i < p->n; i++) {
        if (!(p->lower[i] <= p->upper[i]) || p->lower[i] == INFINITY || p->upper[i] == -INFINITY) {
            return ss_fail(ctx, SS_ERR_INPUT,
                           "bounds of z[%d]: expected lower <= upper, got %g, %g", (int)i,
                           p->lower[i], p->upper[i]);
        }
    }
    return check_pattern(ctx, "the Jacobian", p->n, p->n, p->colptr, p->rowind);
}

static bool dim_fits(const ss_block *b)
{
    switch (b->kind) {
    case SS_BLOCK_UNILATERAL:
        return b->dim == 1;
    case SS_BLOCK_CONE:
        return b->dim == 2 || b->dim == 3 || b->dim == 4 || b->dim == 6;
    case SS_BLOCK_EQUALITY:
    case SS_BLOCK_DISK:
        return b->dim >= 1;
    }
    return false;
}

static ss_status check_block(ss_context *ctx, const ss_block *b, int32_t index, int32_t start)
{
    if (b->start != start) {
        return ss_fail(ctx, SS_ERR_INPUT, "block %d starts at row %d: expected row %d", (int)index,
                       (int)b->start, (int)start);
    }
    if (!dim_fits(b)) {
        return ss_fail(ctx, SS_ERR_INPUT, "block %d: its kind cannot have %d rows", (int)index,
                       (int)b->dim);
    }
    if (b->kind == SS_BLOCK_CONE && !(b->mu >= 0 && isfinite(b->mu))) {
        return ss_fail(ctx, SS_ERR_INPUT, "block %d: mu must be >= 0, got %g", (int)index, b->mu);
    }
    if (b->kind == SS_BLOCK_DISK && !(b->bound >= 0 && isfinite(b->bound))) {
        return ss_fail(ctx, SS_ERR_INPUT, "block %d: the bound must be >= 0, got %g", (int)index,
                       b->bound);
    }
    return SS_OK;
}

static ss_status check_axes(ss_context *ctx, const ss_cone *p, const ss_block *b)
{
    int32_t first = b->kind == SS_BLOCK_CONE ? 1 : 0;
    if (p->axes == NULL || (b->kind != SS_BLOCK_CONE && b->kind != SS_BLOCK_DISK)) {
        return SS_OK;
    }
    for (int32_t i = b->start + first; i < b->start + b->dim; i++) {
        if (!(p->axes[i] > 0 && isfinite(p->axes[i]))) {
            return ss_fail(ctx, SS_ERR_INPUT, "axes[%d] must be > 0, got %g", (int)i, p->axes[i]);
        }
    }
    return SS_OK;
}

static ss_status check_cone(ss_context *ctx, const ss_cone *p)
{
    int32_t row = 0;
    for (int32_t i = 0; i < p->nblocks; i++) {
        SS_TRY(check_block(ctx, &p->blocks[i], i, row));
        if (p->blocks[i].dim > p->n - row) {
            return ss_fail(ctx, SS_ERR_INPUT, "block %d ends after the last of %d rows", (int)i,
                           (int)p->n);
        }
        SS_TRY(check_axes(ctx, p, &p->blocks[i]));
        row += p->blocks[i].dim;
    }
    if (row != p->n) {
        return ss_fail(ctx, SS_ERR_INPUT, "the blocks cover %d of %d rows", (int)row, (int)p->n);
    }
    SS_TRY(check_vector(ctx, "q", p->n, p->q));
    if (p->nv == 0) {
        return check_matrix(ctx, "W", &p->W, p->n, p->n);
    }
    SS_TRY(check_matrix(ctx, "M", &p->M, p->nv, p->nv));
    SS_TRY(check_matrix(ctx, "H", &p->H, p->nv, p->n));
    return check_vector(ctx, "f", p->nv, p->f);
}

ss_status ss_problem_check(ss_context *ctx, const ss_problem *p)
{
    if (ss_problem_size(p) < 0 || ss_problem_size_v(p) < 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "a problem cannot have %d unknowns",
                       (int)ss_problem_size(p));
    }
    switch (p->type) {
    case SS_LCP:
        return check_lcp(ctx, &p->as.lcp);
    case SS_MLCP:
        return check_mlcp(ctx, &p->as.mlcp);
    case SS_MCP:
        return check_mcp(ctx, &p->as.mcp);
    case SS_CONE:
        return check_cone(ctx, &p->as.cone);
    }
    return ss_fail(ctx, SS_ERR_INPUT, "%d is not a problem type", (int)p->type);
}
