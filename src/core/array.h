/* SPDX-License-Identifier: Apache-2.0 */
/* A growing array inside a struct: { type *items; int32_t count, capacity; }. */
#ifndef SS_CORE_ARRAY_H
#define SS_CORE_ARRAY_H

#include "stickslip/base.h"

/* Room for one more item of `size` bytes; 0 when memory is exhausted. */
static inline int ss_array_reserve(ss_context *ctx, void **items, int32_t count, int32_t *capacity,
                                   size_t size)
{
    if (count < *capacity) {
        return 1;
    }
    int32_t wanted = *capacity > 0 ? 2 * *capacity : 8;
    void   *fresh  = ss_resize(ctx, *items, (size_t)*capacity * size, (size_t)wanted * size);
    if (fresh == NULL) {
        return 0;
    }
    *items    = fresh;
    *capacity = wanted;
    return 1;
}

#endif
