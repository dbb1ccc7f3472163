/* SPDX-License-Identifier: Apache-2.0 */
#include "core/pool.h"

#include <string.h>

enum { BLOCK_SIZE = 4096 };

struct ss_pool_block {
    ss_pool_block *previous;
    size_t         size, used; /* of the bytes that follow this header */
};

static size_t rounded(size_t n)
{
    return (n + 15u) & ~(size_t)15u;
}

static ss_pool_block *new_block(ss_pool *pool, size_t size)
{
    ss_pool_block *b = ss_alloc(pool->ctx, rounded(sizeof *b) + size, 1);
    if (b != NULL) {
        b->previous = pool->last;
        b->size     = size;
        pool->last  = b;
    }
    return b;
}

void *ss_pool_alloc(ss_pool *pool, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 2) / size) {
        return NULL;
    }
    size_t         bytes = rounded(count * size);
    ss_pool_block *b     = pool->last;
    if (b == NULL || bytes > b->size - b->used) {
        b = new_block(pool, bytes > BLOCK_SIZE ? bytes : BLOCK_SIZE);
        if (b == NULL) {
            return NULL;
        }
    }
    void *p = (char *)b + rounded(sizeof *b) + b->used;
    b->used += bytes;
    return p;
}

void *ss_pool_copy(ss_pool *pool, const void *from, size_t count, size_t size, int *ok)
{
    if (from == NULL || count == 0) {
        return NULL;
    }
    void *p = ss_pool_alloc(pool, count, size);
    if (p == NULL) {
        *ok = 0;
        return NULL;
    }
    memcpy(p, from, count * size);
    return p;
}

const char *ss_pool_text(ss_pool *pool, const char *text, int *ok)
{
    return text == NULL ? NULL : ss_pool_copy(pool, text, strlen(text) + 1, 1, ok);
}

void ss_pool_free(ss_pool *pool)
{
    while (pool->last != NULL) {
        ss_pool_block *b = pool->last;
        pool->last       = b->previous;
        ss_free(pool->ctx, b, rounded(sizeof *b) + b->size);
    }
}
