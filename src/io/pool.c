/* SPDX-License-Identifier: Apache-2.0 */
#include "io/pool.h"

#include <stdalign.h>
#include <stdint.h>

struct ss_pool_block {
    ss_pool_block *next;
    size_t         size; /* bytes, this header included */
    alignas(max_align_t) unsigned char data[];
};

ss_status ss_pool_alloc(ss_pool *pool, size_t count, size_t size, void **out)
{
    *out                 = NULL;
    ss_pool_block *block = NULL;
    if (size == 0 || count <= (SIZE_MAX - sizeof *block) / size) {
        block = ss_alloc(pool->ctx, 1, sizeof *block + count * size);
    }
    if (block == NULL) {
        return ss_fail(pool->ctx, SS_ERR_MEMORY, "no memory for %zu numbers of a problem", count);
    }
    block->next  = pool->blocks;
    block->size  = sizeof *block + count * size;
    pool->blocks = block;
    *out         = block->data;
    return SS_OK;
}

void ss_pool_free(ss_pool *pool)
{
    while (pool->blocks != NULL) {
        ss_pool_block *block = pool->blocks;
        pool->blocks         = block->next;
        ss_free(pool->ctx, block, block->size);
    }
}

ss_status ss_pool_doubles(ss_pool *pool, size_t count, double **out)
{
    void     *p      = NULL;
    ss_status status = ss_pool_alloc(pool, count, sizeof **out, &p);
    *out             = p;
    return status;
}

ss_status ss_pool_ints(ss_pool *pool, size_t count, int32_t **out)
{
    void     *p      = NULL;
    ss_status status = ss_pool_alloc(pool, count, sizeof **out, &p);
    *out             = p;
    return status;
}

ss_status ss_pool_bytes(ss_pool *pool, size_t count, unsigned char **out)
{
    void     *p      = NULL;
    ss_status status = ss_pool_alloc(pool, count, 1, &p);
    *out             = p;
    return status;
}
