/* SPDX-License-Identifier: Apache-2.0 */
/* Zeroed arrays in a pool, for readers: SS_ERR_MEMORY instead of a NULL to test for. */
#ifndef SS_IO_POOL_NUMBERS_H
#define SS_IO_POOL_NUMBERS_H

#include "core/pool.h"

ss_status ss_pool_objects(ss_pool *pool, size_t count, size_t size, void **out);
ss_status ss_pool_doubles(ss_pool *pool, size_t count, double **out);
ss_status ss_pool_ints(ss_pool *pool, size_t count, int32_t **out);
ss_status ss_pool_bytes(ss_pool *pool, size_t count, unsigned char **out);

#endif
