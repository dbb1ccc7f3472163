/* SPDX-License-Identifier: Apache-2.0 */
#include "problemfile/rolling.h"

#include "problemfile/triplets.h"

enum { N_1 = 0, N_2 = 3, L = 6, TWICE = 4 };

/* Row of ours for row k of the file; the first one for the normal force. */
static int32_t ours(int32_t k)
{
    static const int32_t place[SS_ROLLING_ROWS] = {N_1, 1, 2, 4, 5};
    return k / SS_ROLLING_ROWS * SS_ROLLING_OURS + place[k % SS_ROLLING_ROWS];
}

static bool is_normal(int32_t k)
{
    return k % SS_ROLLING_ROWS == 0;
}

static void put(ss_triplets *t, int32_t i, int32_t j, double x)
{
    t->i[t->count]   = i;
    t->j[t->count]   = j;
    t->x[t->count++] = x;
}

/* An entry of W where its row and its column, each halved where it is a normal one, have gone. */
static void put_entry(ss_triplets *t, int32_t i, int32_t j, double x)
{
    double share = (is_normal(i) ? 0.5 : 1) * (is_normal(j) ? 0.5 : 1);
    for (int32_t a = 0; a <= (is_normal(i) ? 1 : 0); a++) {
        for (int32_t b = 0; b <= (is_normal(j) ? 1 : 0); b++) {
            put(t, ours(i) + a * N_2, ours(j) + b * N_2, share * x);
        }
    }
}

static ss_status expand_matrix(ss_pool *pool, int32_t contacts, const ss_matrix *W, ss_matrix *out)
{
    int32_t     n = contacts * SS_ROLLING_OURS;
    ss_triplets from, to;
    SS_TRY(ss_triplets_of(pool, W, &from));
    SS_TRY(ss_triplets_alloc(pool, n, n, TWICE * ((size_t)from.count + (size_t)contacts), &to));
    to.count = 0;
    for (int32_t k = 0; k < from.count; k++) {
        put_entry(&to, from.i[k], from.j[k], from.x[k]);
    }
    for (int32_t c = 0; c < contacts; c++) {
        int32_t at   = c * SS_ROLLING_OURS;
        double  size = ss_matrix_at(W, c * SS_ROLLING_ROWS, c * SS_ROLLING_ROWS);
        double  s    = size > 0 ? size : 1;
        put(&to, at + N_1, at + L, s);
        put(&to, at + N_2, at + L, -s);
        put(&to, at + L, at + N_1, -s);
        put(&to, at + L, at + N_2, s);
    }
    return ss_triplets_compress(pool, &to, out);
}

static ss_status expand_vector(ss_pool *pool, int32_t contacts, const double *q, const double **out)
{
    double *to;
    SS_TRY(ss_pool_doubles(pool, (size_t)contacts * SS_ROLLING_OURS, &to));
    for (int32_t k = 0; k < contacts * SS_ROLLING_ROWS; k++) {
        to[ours(k)] = is_normal(k) ? 0.5 * q[k] : q[k];
    }
    for (int32_t c = 0; c < contacts; c++) {
        to[c * SS_ROLLING_OURS + N_2] = to[c * SS_ROLLING_OURS + N_1];
        to[c * SS_ROLLING_OURS + L]   = 0;
    }
    *out = to;
    return SS_OK;
}

static ss_status blocks(ss_pool *pool, int32_t contacts, const double *mu, const double *mu_r,
                        ss_cone *cone)
{
    void *memory;
    cone->nblocks = 3 * contacts;
    SS_TRY(ss_pool_objects(pool, (size_t)cone->nblocks, sizeof(ss_block), &memory));
    ss_block *block = memory;
    for (int32_t c = 0; c < contacts; c++) {
        int32_t at       = c * SS_ROLLING_OURS;
        block[3 * c]     = (ss_block){SS_BLOCK_CONE, at + N_1, 3, mu[c], 0};
        block[3 * c + 1] = (ss_block){SS_BLOCK_CONE, at + N_2, 3, mu_r[c], 0};
        block[3 * c + 2] = (ss_block){SS_BLOCK_EQUALITY, at + L, 1, 0, 0};
    }
    cone->blocks = block;
    return SS_OK;
}

static ss_status order(ss_pool *pool, int32_t contacts, const int32_t **out)
{
    int32_t *to;
    SS_TRY(ss_pool_ints(pool, (size_t)contacts * SS_ROLLING_OURS, &to));
    for (int32_t k = 0; k < contacts * SS_ROLLING_ROWS; k++) {
        to[k] = ours(k);
    }
    for (int32_t c = 0; c < contacts; c++) {
        int32_t *rest = to + (ptrdiff_t)contacts * SS_ROLLING_ROWS + (ptrdiff_t)2 * c;
        rest[0]       = c * SS_ROLLING_OURS + N_2;
        rest[1]       = c * SS_ROLLING_OURS + L;
    }
    *out = to;
    return SS_OK;
}

ss_status ss_rolling_expand(ss_pool *pool, int32_t contacts, const ss_matrix *W, const double *q,
                            const double *mu, const double *mu_r, ss_stored_problem *out)
{
    ss_cone *cone     = &out->problem.as.cone;
    out->problem.type = SS_CONE;
    *cone             = (ss_cone){.n = contacts * SS_ROLLING_OURS};
    SS_TRY(expand_matrix(pool, contacts, W, &cone->W));
    SS_TRY(expand_vector(pool, contacts, q, &cone->q));
    SS_TRY(blocks(pool, contacts, mu, mu_r, cone));
    return order(pool, contacts, &out->order);
}
