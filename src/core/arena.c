/* SPDX-License-Identifier: Apache-2.0 */
#include "core/arena.h"

#include <stdint.h>

static size_t align_up(size_t n)
{
    return (n + (SS_ARENA_ALIGN - 1)) & ~(size_t)(SS_ARENA_ALIGN - 1);
}

void *ss_arena_refuse(ss_arena *a, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 4) / size) {
        a->wanted = SIZE_MAX / 4; /* hopeless: let growing it fail as out of memory */
        return NULL;
    }
    size_t from = a->wanted > a->used ? a->wanted : a->used;
    a->wanted   = from + align_up(count * size);
    return NULL;
}

ss_status ss_arena_grow(ss_context *ctx, ss_arena *a)
{
    size_t size = align_up(a->wanted + a->wanted / 2 + 4096);
    /* One alignment unit more, because the allocator promises less than we hand out. */
    unsigned char *fresh = ss_alloc(ctx, size + SS_ARENA_ALIGN, 1);
    if (fresh == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for %zu bytes of scratch", size);
    }
    ss_arena_free(ctx, a);
    /* The byte before the aligned base remembers how far the base was moved. */
    size_t shift = SS_ARENA_ALIGN - ((uintptr_t)fresh & (SS_ARENA_ALIGN - 1));
    a->base      = fresh + shift;
    a->base[-1]  = (unsigned char)shift;
    a->size      = size;
    ss_arena_reset(a);
    return SS_OK;
}

void ss_arena_free(ss_context *ctx, ss_arena *a)
{
    if (a->base != NULL) {
        size_t shift = a->base[-1];
        ss_free(ctx, a->base - shift, a->size + SS_ARENA_ALIGN);
    }
    *a = (ss_arena){0};
}
