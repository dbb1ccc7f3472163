/* SPDX-License-Identifier: Apache-2.0 */
#include "study/rungs.h"

#include <stdio.h>
#include <string.h>

typedef struct rung_def {
    const char *name;
    ss_node    *set;
} rung_def;

static ss_status keep_node(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    (void)d;
    *(ss_node **)((char *)target + key->offset) = node;
    return SS_OK;
}

static const ss_key rung_keys[] = {
    SS_KEY_ROW("name", SS_KEY_TEXT, rung_def, name, .required = true),
    SS_KEY_ROW("set", SS_KEY_CUSTOM, rung_def, set, .decode = keep_node), SS_KEY_END};

/* "study.yaml:7:3" */
static ss_status read_values(ss_decoder *d, ss_node *set, ss_rung *r)
{
    SS_TRY(ss_decode_expect(d, "set", set, SS_NODE_MAP));
    r->values = ss_pool_alloc(d->pool, (size_t)set->count + 1, sizeof *r->values);
    if (r->values == NULL) {
        return ss_decode_no_memory(d);
    }
    for (const ss_node *entry = set->first; entry != NULL; entry = entry->next) {
        const char *place     = ss_decode_place(d, entry);
        r->values[r->count++] = (ss_scene_value){entry->key, entry, place};
        if (place == NULL) {
            return ss_decode_no_memory(d);
        }
    }
    return SS_OK;
}

static ss_status read_rung(ss_decoder *d, ss_node *node, ss_rung *r)
{
    rung_def def = {0};
    SS_TRY(ss_decode_expect(d, "a rung", node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, rung_keys, node, &def));
    r->name = def.name;
    return def.set != NULL ? read_values(d, def.set, r) : SS_OK;
}

ss_status ss_rungs_decode(ss_decoder *d, ss_study *s, ss_node *node)
{
    if (node != NULL) {
        SS_TRY(ss_decode_expect(d, "rungs", node, SS_NODE_LIST));
    }
    int32_t count = node != NULL ? node->count : 0;
    s->rungs      = ss_pool_alloc(d->pool, (size_t)count + 1, sizeof *s->rungs);
    if (s->rungs == NULL) {
        return ss_decode_no_memory(d);
    }
    if (count == 0) {
        s->rungs[0]   = (ss_rung){.name = "scene"};
        s->rung_count = 1;
        return SS_OK;
    }
    snprintf(d->what, sizeof d->what, "rungs: ");
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        SS_TRY(read_rung(d, entry, &s->rungs[s->rung_count++]));
    }
    d->what[0] = '\0';
    return SS_OK;
}
