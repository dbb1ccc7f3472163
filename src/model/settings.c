/* SPDX-License-Identifier: Apache-2.0 */
#include "model/settings.h"

#include <stdio.h>

ss_status ss_settings_fill(ss_context *ctx, const ss_setting_list *list, void *settings)
{
    ss_options_default(list->options, settings);
    for (int32_t i = 0; i < list->count; i++) {
        SS_TRY(
            ss_option_set(ctx, list->options, settings, list->items[i].name, list->items[i].value));
    }
    return list->check != NULL ? list->check(ctx, settings) : SS_OK;
}

ss_status ss_compile_settings(ss_compiler *c, const ss_setting_list *list, const char *where,
                              void **out)
{
    char why[512];
    *out = ss_pool_alloc(&c->model->pool, list->size + 1, 1);
    if (*out == NULL) {
        return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for the settings of %s", where);
    }
    ss_status status = ss_settings_fill(c->ctx, list, *out);
    if (status == SS_OK) {
        return SS_OK;
    }
    snprintf(why, sizeof why, "%s", ss_context_message(c->ctx));
    return ss_fail(c->ctx, status, "%s: %s", where, why);
}
