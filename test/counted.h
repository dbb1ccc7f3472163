/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that counts requests and what is out, and refuses one request of them. */
#ifndef SS_TEST_COUNTED_H
#define SS_TEST_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "stickslip/base.h"

typedef struct counter {
    int64_t requests; /* for more memory; giving some back is never refused */
    int64_t refuse;   /* this one of them, counted from 1; 0: none          */
    size_t  bytes;    /* that are out                                       */
    size_t  most;     /* .. at once, so far                                 */
} counter;

static inline void *counted_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    counter *c   = user;
    size_t   had = block != NULL ? old_size : 0; /* Lua tells a kind of object where it has none */
    if (new_size > had && ++c->requests == c->refuse) {
        return NULL;
    }
    if (new_size == 0) {
        c->bytes -= had;
        free(block);
        return NULL;
    }
    void *p = realloc(block, new_size);
    if (p != NULL) {
        c->bytes += new_size - had;
        c->most = c->bytes > c->most ? c->bytes : c->most;
    }
    return p;
}

static inline ss_context *counted_context(counter *c)
{
    ss_allocator allocator = {counted_resize, c};
    return ss_context_create(&allocator);
}

/* Was the request that was to be refused ever made? Where not, every one has been refused. */
static inline bool was_refused(const counter *c)
{
    return c->requests >= c->refuse;
}

#endif
