/* SPDX-License-Identifier: Apache-2.0 */
#include "problemfile/triplets.h"

#include <string.h>

ss_status ss_triplets_alloc(ss_pool *pool, int32_t rows, int32_t cols, size_t count, ss_triplets *t)
{
    *t = (ss_triplets){.rows = rows, .cols = cols};
    if (count > INT32_MAX) {
        return ss_fail(pool->ctx, SS_ERR_UNSUPPORTED,
                       "a sparse matrix with %zu entries is too large: at most %d", count,
                       INT32_MAX);
    }
    t->count = (int32_t)count;
    SS_TRY(ss_pool_ints(pool, count, &t->i));
    SS_TRY(ss_pool_ints(pool, count, &t->j));
    return ss_pool_doubles(pool, count, &t->x);
}

/* Stable counting sort of the positions `from` by key, into `to`. `start` holds keys + 1. */
static void sort_by(const int32_t *key, int32_t keys, int32_t count, const int32_t *from,
                    int32_t *to, int32_t *start)
{
    memset(start, 0, ((size_t)keys + 1) * sizeof *start);
    for (int32_t k = 0; k < count; k++) {
        start[key[k] + 1]++;
    }
    for (int32_t c = 0; c < keys; c++) {
        start[c + 1] += start[c];
    }
    for (int32_t k = 0; k < count; k++) {
        int32_t e           = from != NULL ? from[k] : k;
        to[start[key[e]]++] = e;
    }
}

/* Walk the entries in column order and add up neighbours at the same place. */
static void gather(const ss_triplets *t, const int32_t *sorted, int32_t *colptr, int32_t *rowind,
                   double *values)
{
    int32_t n = 0;
    int32_t k = 0;
    for (int32_t j = 0; j < t->cols; j++) {
        colptr[j] = n;
        for (; k < t->count && t->j[sorted[k]] == j; k++) {
            int32_t e = sorted[k];
            if (n > colptr[j] && rowind[n - 1] == t->i[e]) {
                values[n - 1] += t->x[e];
            } else {
                rowind[n]   = t->i[e];
                values[n++] = t->x[e];
            }
        }
    }
    colptr[t->cols] = n;
}

ss_status ss_triplets_compress(ss_pool *pool, const ss_triplets *t, ss_matrix *out)
{
    int32_t *by_row, *sorted, *start, *colptr, *rowind;
    double  *values;
    int32_t  keys = t->rows > t->cols ? t->rows : t->cols;
    SS_TRY(ss_pool_ints(pool, (size_t)t->count, &by_row));
    SS_TRY(ss_pool_ints(pool, (size_t)t->count, &sorted));
    SS_TRY(ss_pool_ints(pool, (size_t)keys + 1, &start));
    SS_TRY(ss_pool_ints(pool, (size_t)t->cols + 1, &colptr));
    SS_TRY(ss_pool_ints(pool, (size_t)t->count, &rowind));
    SS_TRY(ss_pool_doubles(pool, (size_t)t->count, &values));
    sort_by(t->i, t->rows, t->count, NULL, by_row, start);
    sort_by(t->j, t->cols, t->count, by_row, sorted, start);
    gather(t, sorted, colptr, rowind, values);
    *out = (ss_matrix){
        .rows = t->rows, .cols = t->cols, .colptr = colptr, .rowind = rowind, .values = values};
    return SS_OK;
}

size_t ss_matrix_entries(const ss_matrix *m)
{
    if (m->dense == NULL) {
        return m->colptr != NULL ? (size_t)m->colptr[m->cols] : 0;
    }
    size_t count = 0;
    for (int32_t j = 0; j < m->cols; j++) {
        for (int32_t i = 0; i < m->rows; i++) {
            count += ss_matrix_at(m, i, j) != 0;
        }
    }
    return count;
}

double ss_matrix_at(const ss_matrix *m, int32_t i, int32_t j)
{
    if (m->dense != NULL) {
        return m->dense[(size_t)j * (size_t)m->ld + (size_t)i];
    }
    for (int32_t k = m->colptr[j]; k < m->colptr[j + 1]; k++) {
        if (m->rowind[k] == i) {
            return m->values[k];
        }
    }
    return 0;
}

ss_matrix ss_matrix_dense(int32_t rows, int32_t cols, const double *values)
{
    return (ss_matrix){.rows = rows, .cols = cols, .dense = values, .ld = rows};
}

static void dense_entries(const ss_matrix *m, ss_triplets *t)
{
    int32_t n = 0;
    for (int32_t j = 0; j < m->cols; j++) {
        for (int32_t i = 0; i < m->rows; i++) {
            double x = ss_matrix_at(m, i, j);
            if (x != 0) {
                t->i[n]   = i;
                t->j[n]   = j;
                t->x[n++] = x;
            }
        }
    }
}

ss_status ss_triplets_of(ss_pool *pool, const ss_matrix *m, ss_triplets *t)
{
    SS_TRY(ss_triplets_alloc(pool, m->rows, m->cols, ss_matrix_entries(m), t));
    if (m->dense != NULL) {
        dense_entries(m, t);
        return SS_OK;
    }
    for (int32_t j = 0; t->count > 0 && j < m->cols; j++) {
        for (int32_t k = m->colptr[j]; k < m->colptr[j + 1]; k++) {
            t->i[k] = m->rowind[k];
            t->j[k] = j;
            t->x[k] = m->values[k];
        }
    }
    return SS_OK;
}

ss_status ss_triplets_mirror(ss_pool *pool, ss_triplets *t)
{
    ss_triplets full;
    SS_TRY(ss_triplets_alloc(pool, t->rows, t->cols, 2 * (size_t)t->count, &full));
    int32_t n = 0;
    for (int32_t k = 0; k < t->count; k++) {
        full.i[n]   = t->i[k];
        full.j[n]   = t->j[k];
        full.x[n++] = t->x[k];
        if (t->i[k] != t->j[k]) {
            full.i[n]   = t->j[k];
            full.j[n]   = t->i[k];
            full.x[n++] = t->x[k];
        }
    }
    full.count = n;
    *t         = full;
    return SS_OK;
}

bool ss_triplets_upper_only(const ss_triplets *t)
{
    bool above = false;
    for (int32_t k = 0; k < t->count; k++) {
        if (t->i[k] > t->j[k]) {
            return false;
        }
        above = above || t->i[k] < t->j[k];
    }
    return above;
}
