/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scratch memory: mark, allocate, release. One contiguous buffer that never moves while in use:
 * when it is too small, an allocation gives NULL, the arena remembers how much was wanted, and
 * whoever owns it grows it between steps and tries again.
 */
#ifndef SS_CORE_ARENA_H
#define SS_CORE_ARENA_H

#include <assert.h>

#include "stickslip/base.h"

typedef struct ss_arena {
    unsigned char *base;
    size_t         size;   /* bytes in base                                       */
    size_t         used;   /* bytes handed out                                    */
    size_t         wanted; /* bytes that would have sufficed; 0: all has fitted   */
    uint32_t       resets; /* how often all was taken back                        */
} ss_arena;

#define SS_ARENA_ALIGN 64u

/* What does not fit: counted, so that one growth is enough for the same work. Gives NULL. */
void *ss_arena_refuse(ss_arena *a, size_t count, size_t size);

/* `count` objects of `size` bytes, aligned to 64, not initialised; NULL when they do not fit. */
static inline void *ss_arena_alloc(ss_arena *a, size_t count, size_t size)
{
    size_t used  = a->used;
    size_t bytes = (count * size + (SS_ARENA_ALIGN - 1)) & ~(size_t)(SS_ARENA_ALIGN - 1);
    if (count > UINT32_MAX || size > UINT16_MAX || bytes > a->size - used || a->wanted > 0) {
        return ss_arena_refuse(a, count, size);
    }
    a->used = used + bytes;
    return a->base + used;
}

static inline void ss_arena_reset(ss_arena *a)
{
    a->used   = 0;
    a->wanted = 0;
    a->resets++;
}

static inline size_t ss_arena_mark(const ss_arena *a)
{
    return a->used;
}

static inline void ss_arena_release(ss_arena *a, size_t mark)
{
    assert(mark <= a->used); /* marks are released in the order of a stack */
    a->used = mark;
}

/* Make room for what was wanted (and half as much again). Only while nothing is handed out. */
ss_status ss_arena_grow(ss_context *ctx, ss_arena *a);
void      ss_arena_free(ss_context *ctx, ss_arena *a);

#endif
