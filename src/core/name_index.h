/* SPDX-License-Identifier: Apache-2.0 */
/* Which thing has a name: of many things that are named, the first of each name. */
#ifndef SS_CORE_NAME_INDEX_H
#define SS_CORE_NAME_INDEX_H

#include <stdbool.h>

#include "core/pool.h"

typedef struct ss_name_slot {
    const char *name; /* NULL: free */
    int32_t     item;
} ss_name_slot;

/* Zero is an empty one. Open addressing; it lives in a pool. */
typedef struct ss_name_index {
    ss_name_slot *slots;
    uint32_t      count, room; /* room: a power of two */
} ss_name_index;

/* The name has to stay where it is. One that is there keeps its item. False: no memory. */
bool ss_name_add(ss_name_index *x, ss_pool *pool, const char *name, int32_t item);
/* The item; -1: nothing has that name (NULL: no name). */
int32_t ss_name_find(const ss_name_index *x, const char *name);

#endif
