/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of shapes that plug-ins bring (stickslip/plugin.h). */
#include <math.h>
#include <string.h>

#include "collide/contact.h"
#include "core/context.h"
#include "stickslip/plugin.h"

static bool is_contact(ss_vec3 point_a, ss_vec3 point_b, ss_vec3 normal, double gap)
{
    bool finite = isfinite(point_a.x + point_a.y + point_a.z) &&
                  isfinite(point_b.x + point_b.y + point_b.z) && isfinite(gap);
    return finite && fabs(ss_dot(normal, normal) - 1) <= SS_UNIT_NORMAL;
}

void ss_contact_add(ss_contact_list *out, uint32_t feature_a, uint32_t feature_b, ss_vec3 point_a,
                    ss_vec3 point_b, ss_vec3 normal, double gap)
{
    if (!is_contact(point_a, point_b, normal, gap)) {
        out->wrong = true;
        return;
    }
    ss_contact_push(out, feature_a, feature_b, point_a, point_b, normal, gap);
}

ss_status ss_pair_register(ss_context *ctx, const ss_pair_class *cls)
{
    if (cls->a == NULL || cls->b == NULL || cls->contacts == NULL || cls->gap == NULL) {
        return ss_fail(ctx, SS_ERR_INPUT, "a pair of shapes needs two names, `contacts` and `gap`");
    }
    if (cls->dimension != 2 && cls->dimension != 3) {
        return ss_fail(ctx, SS_ERR_INPUT, "pair %s, %s: dimension must be 2 or 3, got %d", cls->a,
                       cls->b, cls->dimension);
    }
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? cls->a : cls->b;
        if (ss_shape_find(ctx, name, cls->dimension) == NULL) {
            return ss_fail(ctx, SS_ERR_INPUT, "pair %s, %s: there is no %dD shape '%s'", cls->a,
                           cls->b, cls->dimension, name);
        }
    }
    SS_TRY(ss_registry_room(ctx, ctx->registry.pair_count, "pairs of shapes"));
    ctx->registry.pairs[ctx->registry.pair_count++] = cls;
    return SS_OK;
}

const ss_pair_class *ss_pair_registered(const ss_context *ctx, const ss_shape_class *a,
                                        const ss_shape_class *b, int dimension, int *swap)
{
    for (int32_t i = ctx->registry.pair_count - 1; i >= 0; i--) { /* the last one counts */
        const ss_pair_class *p    = ctx->registry.pairs[i];
        bool                 same = strcmp(p->a, a->name) == 0 && strcmp(p->b, b->name) == 0;
        bool                 back = strcmp(p->a, b->name) == 0 && strcmp(p->b, a->name) == 0;
        if (p->dimension == dimension && (same || back)) {
            *swap = !same;
            return p;
        }
    }
    return NULL;
}
