/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The global form as a local one on (v, r), where M may be singular or zero:
 *
 *     [ 0 ]   [ M   -H ] [ v ]   [ -f ]        v: equality rows (v free, row = 0)
 *     [ u ] = [ H'   0 ] [ r ] + [  q ]        r: the blocks as they are
 *
 * The matrix is monotone whenever M is. Its diagonal is zero in the rows of r.
 */
#include <string.h>

#include "problem/reduce.h"

static int32_t count_column(const ss_matrix *A, int32_t j)
{
    if (A->dense == NULL) {
        return A->colptr[j + 1] - A->colptr[j];
    }
    int32_t count = 0;
    for (int32_t i = 0; i < A->rows; i++) {
        count += A->dense[(size_t)j * (size_t)A->ld + (size_t)i] != 0;
    }
    return count;
}

/* Visit the entries of column j: rows and values into the buffers, their number is returned. */
static int32_t copy_column(const ss_matrix *A, int32_t j, int32_t *row, double *value)
{
    int32_t count = 0;
    if (A->dense == NULL) {
        for (int32_t e = A->colptr[j]; e < A->colptr[j + 1]; e++, count++) {
            row[count]   = A->rowind[e];
            value[count] = A->values[e];
        }
        return count;
    }
    for (int32_t i = 0; i < A->rows; i++) {
        double x = A->dense[(size_t)j * (size_t)A->ld + (size_t)i];
        if (x != 0) {
            row[count]     = i;
            value[count++] = x;
        }
    }
    return count;
}

/* Column starts: M and H' above each other for v, -H for r. */
static void count_columns(const ss_cone *p, int32_t *colptr)
{
    memset(colptr, 0, (size_t)(p->nv + p->n + 1) * sizeof *colptr);
    for (int32_t i = 0; i < p->n; i++) {
        colptr[p->nv + i + 1] = count_column(&p->H, i);
        if (p->H.dense == NULL) {
            for (int32_t e = p->H.colptr[i]; e < p->H.colptr[i + 1]; e++) {
                colptr[p->H.rowind[e] + 1]++;
            }
            continue;
        }
        for (int32_t k = 0; k < p->nv; k++) {
            colptr[k + 1] += p->H.dense[(size_t)i * (size_t)p->H.ld + (size_t)k] != 0;
        }
    }
    for (int32_t k = 0; k < p->nv; k++) {
        colptr[k + 1] += count_column(&p->M, k);
    }
    for (int32_t j = 0; j < p->nv + p->n; j++) {
        colptr[j + 1] += colptr[j];
    }
}

/* next[k]: where the next entry of column k goes. */
static void fill_columns(const ss_cone *p, const int32_t *colptr, int32_t *rowind, double *values,
                         int32_t *next)
{
    for (int32_t k = 0; k < p->nv; k++) {
        next[k] = colptr[k] + copy_column(&p->M, k, rowind + colptr[k], values + colptr[k]);
    }
    for (int32_t i = 0; i < p->n; i++) {
        int32_t at    = colptr[p->nv + i];
        int32_t count = copy_column(&p->H, i, rowind + at, values + at);
        for (int32_t e = at; e < at + count; e++) {
            int32_t k       = rowind[e];
            rowind[next[k]] = p->nv + i;
            values[next[k]] = values[e];
            next[k]++;
            values[e] = -values[e];
        }
    }
}

static void fill_blocks(const ss_cone *p, ss_block *blocks, double *q)
{
    for (int32_t k = 0; k < p->nv; k++) {
        blocks[k] = (ss_block){.kind = SS_BLOCK_EQUALITY, .start = k, .dim = 1};
        q[k]      = -p->f[k];
    }
    for (int32_t k = 0; k < p->nblocks; k++) {
        blocks[p->nv + k] = p->blocks[k];
        blocks[p->nv + k].start += p->nv;
    }
    memcpy(q + p->nv, p->q, (size_t)p->n * sizeof *q);
}

bool ss_reduce_border(const ss_cone *p, ss_arena *a, ss_cone *out)
{
    size_t    n      = (size_t)p->nv + (size_t)p->n;
    int32_t  *colptr = ss_arena_alloc(a, n + 1, sizeof *colptr);
    int32_t  *next   = ss_arena_alloc(a, (size_t)p->nv, sizeof *next);
    double   *q      = ss_arena_alloc(a, n, sizeof *q);
    ss_block *blocks = ss_arena_alloc(a, (size_t)p->nv + (size_t)p->nblocks, sizeof *blocks);
    if (!colptr || !next || !q || !blocks) {
        return false;
    }
    count_columns(p, colptr);
    int32_t *rowind = ss_arena_alloc(a, (size_t)colptr[n], sizeof *rowind);
    double  *values = ss_arena_alloc(a, (size_t)colptr[n], sizeof *values);
    if (!rowind || !values) {
        return false;
    }
    fill_columns(p, colptr, rowind, values, next);
    fill_blocks(p, blocks, q);
    *out   = (ss_cone){.n = (int32_t)n, .nblocks = p->nv + p->nblocks, .blocks = blocks, .q = q};
    out->W = (ss_matrix){.rows   = (int32_t)n,
                         .cols   = (int32_t)n,
                         .colptr = colptr,
                         .rowind = rowind,
                         .values = values};
    return true;
}
