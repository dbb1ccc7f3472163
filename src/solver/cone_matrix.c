/* SPDX-License-Identifier: Apache-2.0 */
#include "solver/cone_matrix.h"

#include <string.h>

/* The blocks that act on each coordinate: blocks[start[j]] .. blocks[start[j + 1] - 1]. */
typedef struct touching {
    int32_t *start, *blocks, *slot; /* slot: position of j among the coordinates of the block */
} touching;

static bool list_touching(const ss_sweep *s, ss_arena *a, touching *t)
{
    int32_t nv = s->p->nv, nb = s->p->nblocks;
    size_t  total = s->dof_at[nb];
    t->start      = ss_arena_alloc(a, (size_t)nv + 2, sizeof *t->start);
    t->blocks     = ss_arena_alloc(a, total, sizeof *t->blocks);
    t->slot       = ss_arena_alloc(a, total, sizeof *t->slot);
    if (!t->start || !t->blocks || !t->slot) {
        return false;
    }
    memset(t->start, 0, ((size_t)nv + 2) * sizeof *t->start);
    for (size_t e = 0; e < total; e++) {
        t->start[s->dof[e] + 2]++;
    }
    for (int32_t j = 0; j < nv; j++) {
        t->start[j + 2] += t->start[j + 1];
    }
    for (int32_t k = 0; k < nb; k++) { /* start[j + 1] moves on to its final value */
        for (size_t e = s->dof_at[k]; e < s->dof_at[k + 1]; e++) {
            int32_t to    = t->start[s->dof[e] + 1]++;
            t->blocks[to] = k;
            t->slot[to]   = (int32_t)(e - s->dof_at[k]);
        }
    }
    return true;
}

/* Insert the rows of column j that are new into rows[0 .. count), ascending; the new count. */
static int32_t insert_row(int32_t *rows, int32_t count, int32_t row)
{
    int32_t i = count;
    while (i > 0 && rows[i - 1] > row) {
        rows[i] = rows[i - 1];
        i--;
    }
    rows[i] = row;
    return count + 1;
}

/* Rows of column j, each once; `mark` remembers for which column a row was seen last. */
static int32_t column_rows(const ss_sweep *s, const touching *t, int32_t j, int32_t *mark,
                           int32_t *rows)
{
    const ss_matrix *M     = &s->p->M;
    int32_t          count = 0;
    for (int32_t e = M->colptr[j]; e < M->colptr[j + 1]; e++) {
        mark[M->rowind[e]] = j;
        count              = insert_row(rows, count, M->rowind[e]);
    }
    for (int32_t e = t->start[j]; e < t->start[j + 1]; e++) {
        int32_t k = t->blocks[e];
        for (size_t d = s->dof_at[k]; d < s->dof_at[k + 1]; d++) {
            if (mark[s->dof[d]] != j) {
                mark[s->dof[d]] = j;
                count           = insert_row(rows, count, s->dof[d]);
            }
        }
    }
    return count;
}

/* Where the entries of column j are, for M and for every block that acts on j. */
static void place_column(ss_cone_matrix *K, const touching *t, int32_t j, int32_t *where)
{
    const ss_sweep  *s = K->s;
    const ss_matrix *M = &s->p->M;
    for (int32_t e = K->colptr[j]; e < K->colptr[j + 1]; e++) {
        where[K->rowind[e]] = e;
    }
    for (int32_t e = M->colptr[j]; e < M->colptr[j + 1]; e++) {
        K->mass[e] = where[M->rowind[e]];
    }
    for (int32_t e = t->start[j]; e < t->start[j + 1]; e++) {
        int32_t        k     = t->blocks[e];
        size_t         count = s->dof_at[k + 1] - s->dof_at[k];
        int32_t       *to    = K->place + K->at[k] + (size_t)t->slot[e] * count;
        const int32_t *dof   = s->dof + s->dof_at[k];
        for (size_t i = 0; i < count; i++) {
            to[i] = where[dof[i]];
        }
    }
}

/* An upper bound of the entries of K: every block brings its own, M too. */
static size_t most_entries(const ss_sweep *s)
{
    size_t sum = (size_t)s->p->M.colptr[s->p->nv];
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        size_t count = s->dof_at[k + 1] - s->dof_at[k];
        sum += count * count;
    }
    return sum;
}

bool ss_cone_matrix_prepare(ss_cone_matrix *K, const ss_sweep *s, ss_arena *a)
{
    int32_t  nv = s->p->nv, nb = s->p->nblocks;
    size_t   most = most_entries(s);
    touching t;
    *K            = (ss_cone_matrix){.s = s};
    K->colptr     = ss_arena_alloc(a, (size_t)nv + 1, sizeof *K->colptr);
    K->rowind     = ss_arena_alloc(a, most, sizeof *K->rowind);
    K->values     = ss_arena_alloc(a, most, sizeof *K->values);
    K->at         = ss_arena_alloc(a, (size_t)nb + 1, sizeof *K->at);
    K->place      = ss_arena_alloc(a, most, sizeof *K->place);
    K->mass       = ss_arena_alloc(a, (size_t)s->p->M.colptr[nv], sizeof *K->mass);
    int32_t *mark = ss_arena_alloc(a, (size_t)nv, sizeof *mark);
    if (!list_touching(s, a, &t) || !K->colptr || !K->rowind || !K->values || !K->at || !K->place ||
        !K->mass || !mark) {
        return false;
    }
    K->at[0] = 0;
    for (int32_t k = 0; k < nb; k++) {
        size_t count = s->dof_at[k + 1] - s->dof_at[k];
        K->at[k + 1] = K->at[k] + count * count;
    }
    memset(mark, -1, (size_t)nv * sizeof *mark);
    K->colptr[0] = 0;
    for (int32_t j = 0; j < nv; j++) {
        K->colptr[j + 1] = K->colptr[j] + column_rows(s, &t, j, mark, K->rowind + K->colptr[j]);
    }
    for (int32_t j = 0; j < nv; j++) {
        place_column(K, &t, j, mark);
    }
    return true;
}

void ss_cone_matrix_reset(ss_cone_matrix *K)
{
    const ss_matrix *M = &K->s->p->M;
    memset(K->values, 0, (size_t)K->colptr[K->s->p->nv] * sizeof *K->values);
    for (int32_t e = 0; e < M->colptr[K->s->p->nv]; e++) {
        K->values[K->mass[e]] = M->values[e];
    }
}

void ss_cone_matrix_add(ss_cone_matrix *K, int32_t k, const double *L, const double *R)
{
    size_t         count = K->s->dof_at[k + 1] - K->s->dof_at[k];
    int32_t        dim   = K->s->p->blocks[k].dim;
    const int32_t *place = K->place + K->at[k];
    for (size_t j = 0; j < count; j++, place += count) {
        for (size_t i = 0; i < count; i++) {
            double sum = 0;
            for (int32_t c = 0; c < dim; c++) {
                sum += L[(size_t)c * count + i] * R[(size_t)c * count + j];
            }
            K->values[place[i]] += sum;
        }
    }
}
