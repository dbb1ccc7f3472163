/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that lives and dies together: many allocations, one release. */
#ifndef SS_IO_POOL_H
#define SS_IO_POOL_H

#include "stickslip/base.h"

typedef struct ss_pool_block ss_pool_block;

typedef struct ss_pool {
    ss_context    *ctx;
    ss_pool_block *blocks;
} ss_pool;

/* `count` zeroed objects of `size` bytes. SS_ERR_MEMORY leaves *out NULL. */
ss_status ss_pool_alloc(ss_pool *pool, size_t count, size_t size, void **out);
void      ss_pool_free(ss_pool *pool);

/* The usual element types. */
ss_status ss_pool_doubles(ss_pool *pool, size_t count, double **out);
ss_status ss_pool_ints(ss_pool *pool, size_t count, int32_t **out);
ss_status ss_pool_bytes(ss_pool *pool, size_t count, unsigned char **out);

#endif
