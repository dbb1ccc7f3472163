/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of `cycle` in a study file. */
#include <math.h>
#include <string.h>

#include "study/cycle.h"
#include "study/tolerances.h"

static ss_status decode_hold(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    static const char *const names[SS_HELD_COUNT] = {"x", "y", "z", "angle"};
    ss_cycle_def            *c                    = target;
    c->hold_node                                  = node;
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_LIST));
    for (const ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        int which = -1;
        for (int i = 0; i < SS_HELD_COUNT && entry->kind == SS_NODE_SCALAR; i++) {
            which = strcmp(entry->text, names[i]) == 0 ? i : which;
        }
        if (which < 0) {
            return ss_decode_fail(d, entry, "hold takes any of x, y, z, angle");
        }
        c->held[which] = true;
    }
    return SS_OK;
}

static ss_status decode_period(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_cycle_def *c = target;
    c->period_node  = node;
    return ss_decode_text(d, key->name, node, &c->period);
}

const ss_key ss_cycle_keys[] = {
    SS_KEY_ROW("period", SS_KEY_CUSTOM, ss_cycle_def, period, .decode = decode_period,
               .required = true, .form = "expression",
               .doc = "seconds after which the motion repeats itself, over the scene's params"),
    SS_KEY_ROW("body", SS_KEY_TEXT, ss_cycle_def, body, .required = true,
               .doc = "whose cycle it is: the scene's only dynamic body or particle"),
    SS_KEY_ROW("in", SS_KEY_TEXT, ss_cycle_def, in, .initial = "the world",
               .doc = "the body in whose frame it is seen: the plate"),
    SS_KEY_ROW("hold", SS_KEY_CUSTOM, ss_cycle_def, hold_node, .decode = decode_hold,
               .form = "[x, y, z, angle]", .initial = "[x, y]; 2D: [x]",
               .doc = "coordinates that are put back to where they were after every period; "
                      "angle: about the frame's z axis"),
    SS_KEY_ROW("periods", SS_KEY_INT, ss_cycle_def, periods, .low = 2, .high = 1e6,
               .initial = "100",
               .doc     = "at most: half of them to find a cycle; where there is none, the other "
                          "half is measured"),
    SS_KEY_ROW("tolerance", SS_KEY_REAL, ss_cycle_def, tolerance, SS_POSITIVE, .initial = "1e-6",
               .doc = "how well a period repeats itself, as a share of the speeds in it"),
    SS_KEY_END};

ss_status ss_cycle_decode(ss_decoder *d, ss_node *node, ss_cycle_def **out)
{
    ss_cycle_def *c = ss_pool_alloc(d->pool, 1, sizeof *c);
    if (c == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    *c = (ss_cycle_def){.periods = 100, .tolerance = SS_CYCLE_TOLERANCE};
    SS_TRY(ss_decode_expect(d, "cycle", node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, ss_cycle_keys, node, c));
    c->node = node;
    if (c->hold_node == NULL) {
        c->held[SS_HELD_X] = true;
        c->held[SS_HELD_Y] = d->dimension == 3;
    }
    *out = c;
    return SS_OK;
}
