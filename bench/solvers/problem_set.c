/* SPDX-License-Identifier: Apache-2.0 */
#include "problem_set.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"

static double *dense_copy(const ss_matrix *m)
{
    double *x = calloc((size_t)m->rows * (size_t)m->cols + 1, sizeof *x);
    for (int32_t j = 0; j < m->cols; j++) {
        double *column = x + (size_t)j * (size_t)m->rows;
        if (m->dense != NULL) {
            memcpy(column, m->dense + (size_t)j * (size_t)m->ld, (size_t)m->rows * sizeof *x);
            continue;
        }
        for (int32_t k = m->colptr[j]; k < m->colptr[j + 1]; k++) {
            column[m->rowind[k]] = m->values[k];
        }
    }
    return x;
}

/* Compressed columns of what is not zero; the memory stays until the program ends. */
static ss_matrix sparse_copy(int32_t n, const double *x)
{
    size_t nnz = 0;
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++) {
        nnz += x[k] != 0;
    }
    int32_t *colptr = malloc(((size_t)n + 1) * sizeof *colptr);
    int32_t *rowind = malloc((nnz + 1) * sizeof *rowind), at = 0;
    double  *values = malloc((nnz + 1) * sizeof *values);
    for (int32_t j = 0; j < n; j++) {
        colptr[j] = at;
        for (int32_t i = 0; i < n; i++) {
            double v = x[(size_t)j * (size_t)n + (size_t)i];
            if (v != 0) {
                rowind[at]   = i;
                values[at++] = v;
            }
        }
    }
    colptr[n] = at;
    return (ss_matrix){.rows = n, .cols = n, .colptr = colptr, .rowind = rowind, .values = values};
}

/* out = A' B with A (n x p), B (n x m). */
static void transposed_product(const double *A, const double *B, size_t n, size_t p, size_t m,
                               double *out)
{
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < p; i++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) {
                sum += A[i * n + k] * B[j * n + k];
            }
            out[j * p + i] = sum;
        }
    }
}

/* W = H' M^-1 H, q = q + H' M^-1 f. False when M is singular. */
static bool condense(ss_problem *p)
{
    ss_cone *c  = &p->as.cone;
    size_t   nv = (size_t)c->nv, n = (size_t)c->n;
    double  *M = dense_copy(&c->M), *H = dense_copy(&c->H);
    double  *right = malloc(nv * (n + 1) * sizeof *right); /* [H f] */
    double  *W = malloc(n * (n + 1) * sizeof *W), *q = W + n * n;
    int32_t *pivots = malloc(nv * sizeof *pivots);
    memcpy(right, H, nv * n * sizeof *right);
    memcpy(right + nv * n, c->f, nv * sizeof *right);
    bool regular = ss_dense_lu(c->nv, M, c->nv, pivots);
    for (size_t j = 0; regular && j <= n; j++) {
        ss_dense_lu_solve(c->nv, M, c->nv, pivots, right + j * nv);
    }
    transposed_product(H, right, nv, n, n + 1, W);
    for (size_t i = 0; i < n; i++) {
        q[i] += c->q[i];
    }
    c->W  = sparse_copy((int32_t)n, W);
    c->q  = q;
    c->nv = 0;
    c->M = c->H = (ss_matrix){0};
    c->f        = NULL;
    free(pivots);
    free(right);
    free(H);
    free(M);
    return regular;
}

static void add_file(problem_set *set, ss_context *ctx, const char *folder, const char *path,
                     const char *name)
{
    bench_problem p = {.folder = folder};
    if (ss_problem_file_read(ctx, path, NULL, &p.file) != SS_OK) {
        return; /* a note beside the problems */
    }
    snprintf(p.name, sizeof p.name, "%.90s", name);
    p.given   = ss_problem_file_content(p.file)->problem;
    p.problem = p.given;
    if (p.problem.type == SS_CONE && p.problem.as.cone.nv > 0 && !condense(&p.problem)) {
        fprintf(stderr, "%s: M is singular: left out\n", path);
        return;
    }
    bench_problem *grown = realloc(set->items, (set->count + 1) * sizeof *grown);
    if (grown != NULL) {
        set->items               = grown;
        set->items[set->count++] = p;
    }
}

bool problem_set_add(problem_set *set, ss_context *ctx, const char *root, const char *folder)
{
    char            path[4096];
    struct dirent **names;
    snprintf(path, sizeof path, "%s/%s", root, folder);
    int count = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", root, folder, names[i]->d_name);
        if (names[i]->d_name[0] != '.') {
            add_file(set, ctx, folder, path, names[i]->d_name);
        }
        free(names[i]);
    }
    if (count >= 0) {
        free(names);
    }
    return count >= 0;
}
