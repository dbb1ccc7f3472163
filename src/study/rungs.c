/* SPDX-License-Identifier: Apache-2.0 */
#include "study/rungs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct rung_def {
    const char *name;
    ss_node    *set, *geometric;
} rung_def;

typedef struct geometric_def {
    const char *body;
    ss_node    *x, *y, *cells, *to;
    bool        any_way;
} geometric_def;

typedef struct to_def {
    ss_node *x, *y, *angle;
} to_def;

static ss_status keep_node(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    (void)d;
    *(ss_node **)((char *)target + key->offset) = node;
    return SS_OK;
}

static const ss_key rung_keys[] = {
    SS_KEY_ROW("name", SS_KEY_TEXT, rung_def, name, .required = true),
    SS_KEY_ROW("set", SS_KEY_CUSTOM, rung_def, set, .decode = keep_node),
    SS_KEY_ROW("geometric", SS_KEY_CUSTOM, rung_def, geometric, .decode = keep_node), SS_KEY_END};

static const ss_key geometric_keys[] = {
    SS_KEY_ROW("body", SS_KEY_TEXT, geometric_def, body, .required = true),
    SS_KEY_ROW("x", SS_KEY_CUSTOM, geometric_def, x, .decode = keep_node, .required = true),
    SS_KEY_ROW("y", SS_KEY_CUSTOM, geometric_def, y, .decode = keep_node, .required = true),
    SS_KEY_ROW("cells", SS_KEY_CUSTOM, geometric_def, cells, .decode = keep_node),
    SS_KEY_ROW("to", SS_KEY_CUSTOM, geometric_def, to, .decode = keep_node, .required = true),
    SS_KEY_ROW("any_way", SS_KEY_BOOL, geometric_def, any_way, .initial = "false"),
    SS_KEY_END};

static const ss_key to_keys[] = {
    SS_KEY_ROW("x", SS_KEY_CUSTOM, to_def, x, .decode = keep_node),
    SS_KEY_ROW("y", SS_KEY_CUSTOM, to_def, y, .decode = keep_node),
    SS_KEY_ROW("angle", SS_KEY_CUSTOM, to_def, angle, .decode = keep_node), SS_KEY_END};

/* [low, high]; what is not there stays as it is. */
static ss_status read_range(ss_decoder *d, const char *label, ss_node *node, double out[2])
{
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_numbers(d, label, node, 2, out));
    return out[0] < out[1]
               ? SS_OK
               : ss_decode_fail(d, node, "%s: %g must lie below %g", label, out[0], out[1]);
}

static ss_status read_to(ss_decoder *d, ss_node *node, ss_geometric *g)
{
    to_def def = {0};
    SS_TRY(ss_decode_expect(d, "to", node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, to_keys, node, &def));
    g->to_x[0] = g->to_y[0] = g->to_angle[0] = -INFINITY;
    g->to_x[1] = g->to_y[1] = g->to_angle[1] = INFINITY;
    SS_TRY(read_range(d, "to: x", def.x, g->to_x));
    SS_TRY(read_range(d, "to: y", def.y, g->to_y));
    return read_range(d, "to: angle", def.angle, g->to_angle);
}

static ss_status read_geometric(ss_decoder *d, ss_node *node, const ss_geometric **out)
{
    ss_geometric *g        = ss_pool_alloc(d->pool, 1, sizeof *g);
    geometric_def def      = {0};
    double        cells[3] = {32, 64, 48};
    if (g == NULL) {
        return ss_decode_no_memory(d);
    }
    SS_TRY(ss_decode_expect(d, "geometric", node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, geometric_keys, node, &def));
    if (d->dimension != 2) {
        return ss_decode_fail(d, node, "geometric exists only for 2D scenes");
    }
    g->body    = def.body;
    g->any_way = def.any_way;
    SS_TRY(read_range(d, "x", def.x, g->x));
    SS_TRY(read_range(d, "y", def.y, g->y));
    if (def.cells != NULL) {
        SS_TRY(ss_decode_numbers(d, "cells", def.cells, 3, cells));
    }
    for (int i = 0; i < 3; i++) {
        if (!(cells[i] >= 1) || cells[i] > 4096) {
            return ss_decode_fail(d, node, "cells of x, y and angle: 1 to 4096 each");
        }
        g->cells[i] = (int32_t)cells[i];
    }
    *out = g;
    return read_to(d, def.to, g);
}

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

ss_status ss_rung_decode(ss_decoder *d, ss_node *node, ss_rung *r)
{
    rung_def def = {0};
    SS_TRY(ss_decode_expect(d, "a rung", node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, rung_keys, node, &def));
    r->name = def.name;
    if (def.geometric != NULL) {
        SS_TRY(read_geometric(d, def.geometric, &r->geometric));
    }
    return def.set != NULL ? read_values(d, def.set, r) : SS_OK;
}

ss_status ss_rung_check_name(ss_decoder *d, const ss_node *node, const ss_rung *rungs,
                             int32_t count)
{
    for (int32_t i = 0; i + 1 < count; i++) {
        if (strcmp(rungs[i].name, rungs[count - 1].name) == 0) {
            return ss_decode_fail(d, node, "there is another '%s': each needs a name of its own",
                                  rungs[i].name);
        }
    }
    return SS_OK;
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
        ss_rung *r = &s->rungs[s->rung_count++];
        SS_TRY(ss_rung_decode(d, entry, r));
        SS_TRY(ss_rung_check_name(d, entry, s->rungs, s->rung_count));
        if (r->geometric != NULL && (s->kind == SS_STUDY_PLAN || entry->next == NULL)) {
            return ss_decode_fail(d, entry, "a geometric rung stands before others, in a `design`");
        }
    }
    d->what[0] = '\0';
    return SS_OK;
}
