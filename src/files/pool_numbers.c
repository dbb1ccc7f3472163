/* SPDX-License-Identifier: Apache-2.0 */
#include "files/pool_numbers.h"

ss_status ss_pool_objects(ss_pool *pool, size_t count, size_t size, void **out)
{
    *out = ss_pool_alloc(pool, count, size);
    if (*out == NULL) {
        return ss_fail(pool->ctx, SS_ERR_MEMORY, "no memory for %zu numbers of a problem", count);
    }
    return SS_OK;
}

ss_status ss_pool_doubles(ss_pool *pool, size_t count, double **out)
{
    void     *p      = NULL;
    ss_status status = ss_pool_objects(pool, count, sizeof **out, &p);
    *out             = p;
    return status;
}

ss_status ss_pool_ints(ss_pool *pool, size_t count, int32_t **out)
{
    void     *p      = NULL;
    ss_status status = ss_pool_objects(pool, count, sizeof **out, &p);
    *out             = p;
    return status;
}

ss_status ss_pool_bytes(ss_pool *pool, size_t count, unsigned char **out)
{
    void     *p      = NULL;
    ss_status status = ss_pool_objects(pool, count, 1, &p);
    *out             = p;
    return status;
}
