/* SPDX-License-Identifier: Apache-2.0 */
#include "core/name_index.h"

#include <string.h>

enum { FIRST_ROOM = 64 };

/* FNV-1a, its upper half, which all bytes reach. */
static uint32_t hash_of(const char *name)
{
    uint64_t h = 14695981039346656037u;
    for (; *name != '\0'; name++) {
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    }
    return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

/* Where the name is, or would be. */
static ss_name_slot *slot_of(const ss_name_index *x, const char *name)
{
    for (uint32_t at = hash_of(name);; at++) {
        ss_name_slot *s = &x->slots[at & (x->room - 1)];
        if (s->name == NULL || strcmp(s->name, name) == 0) {
            return s;
        }
    }
}

static bool grow(ss_name_index *x, ss_pool *pool)
{
    ss_name_index more = {.count = x->count, .room = x->room > 0 ? 2 * x->room : FIRST_ROOM};
    more.slots         = ss_pool_alloc(pool, more.room, sizeof *more.slots);
    if (more.slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < x->room; i++) {
        if (x->slots[i].name != NULL) {
            *slot_of(&more, x->slots[i].name) = x->slots[i];
        }
    }
    *x = more;
    return true;
}

bool ss_name_add(ss_name_index *x, ss_pool *pool, const char *name, int32_t item)
{
    if (2 * x->count >= x->room && !grow(x, pool)) {
        return false;
    }
    ss_name_slot *s = slot_of(x, name);
    if (s->name == NULL) {
        *s = (ss_name_slot){name, item};
        x->count++;
    }
    return true;
}

int32_t ss_name_find(const ss_name_index *x, const char *name)
{
    if (name == NULL || x->room == 0) {
        return -1;
    }
    const ss_name_slot *s = slot_of(x, name);
    return s->name != NULL ? s->item : -1;
}
