/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that grows piece by piece and is freed at once: for objects built up by an editor. */
#ifndef SS_CORE_POOL_H
#define SS_CORE_POOL_H

#include "stickslip/base.h"

typedef struct ss_pool_block ss_pool_block;

typedef struct ss_pool {
    ss_context    *ctx;
    ss_pool_block *last;
} ss_pool;

/* `count` zeroed objects; NULL when memory is exhausted. */
void *ss_pool_alloc(ss_pool *pool, size_t count, size_t size);
/* A copy; NULL stays NULL (then *ok is untouched), *ok = 0 when memory is exhausted. */
const char *ss_pool_text(ss_pool *pool, const char *text, int *ok);
void       *ss_pool_copy(ss_pool *pool, const void *from, size_t count, size_t size, int *ok);
void        ss_pool_free(ss_pool *pool);

#endif
