/* SPDX-License-Identifier: Apache-2.0 */
/* Growing arrays inside a struct: { type *items; int32_t count, capacity; }. */
#ifndef SS_CORE_ARRAY_H
#define SS_CORE_ARRAY_H

#include "stickslip/base.h"

/*
 * The array with room for `wanted` items of `size` bytes; where memory is exhausted, the array as
 * it was, and *ok becomes 0:  a->items = ss_array_grow(ctx, a->items, &a->capacity, ..)
 */
static inline void *ss_array_grow(ss_context *ctx, void *items, int32_t *capacity, int32_t wanted,
                                  int32_t room, size_t size, int *ok)
{
    if (wanted <= *capacity) {
        return items;
    }
    void *fresh = ss_resize(ctx, items, (size_t)*capacity * size, (size_t)room * size);
    if (fresh == NULL) {
        *ok = 0;
        return items;
    }
    *capacity = room;
    return fresh;
}

/* The array with room for one more item. */
static inline void *ss_array_reserve(ss_context *ctx, void *items, int32_t count, int32_t *capacity,
                                     size_t size, int *ok)
{
    int32_t room = *capacity > 0 ? 2 * *capacity : 8;
    return ss_array_grow(ctx, items, capacity, count + 1, room, size, ok);
}

#endif
