/* SPDX-License-Identifier: Apache-2.0 */
#include "force/force.h"

#include <string.h>

#include "core/context.h"
#include "force/force_list.h"
#include "stickslip/plugin.h"

#define SS_FORCE(name) extern const ss_force_class ss_force_##name;
SS_FORCE_LIST
#undef SS_FORCE

static const ss_force_class *const classes[] = {
#define SS_FORCE(name) &ss_force_##name,
    SS_FORCE_LIST
#undef SS_FORCE
};

int32_t ss_force_class_count(void)
{
    return (int32_t)(sizeof classes / sizeof classes[0]);
}

const ss_force_class *ss_force_class_at(int32_t index)
{
    return index >= 0 && index < ss_force_class_count() ? classes[index] : NULL;
}

const ss_force_class *ss_force_find(const char *name)
{
    for (int32_t i = 0; i < ss_force_class_count(); i++) {
        if (strcmp(classes[i]->name, name) == 0) {
            return classes[i];
        }
    }
    return NULL;
}

int32_t ss_force_type_count(const ss_context *ctx)
{
    return ss_force_class_count() + (ctx != NULL ? ctx->registry.force_count : 0);
}

const char *ss_force_type_name(const ss_context *ctx, int32_t index)
{
    if (index < 0 || index >= ss_force_type_count(ctx)) {
        return NULL;
    }
    const int32_t built_in = ss_force_class_count();
    return index < built_in ? classes[index]->name : ctx->registry.forces[index - built_in]->name;
}
