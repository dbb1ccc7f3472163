/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin_args.h"

#include "stickslip/plugin.h"

ss_plugin_args ss_cli_plugins;

ss_status ss_cli_load_plugins(ss_context *ctx)
{
    ss_context_allow_plugins(ctx, ss_cli_plugins.allow);
    for (int32_t i = 0; i < ss_cli_plugins.files.count; i++) {
        SS_TRY(ss_context_load_plugin(ctx, ss_cli_plugins.files.items[i]));
    }
    return SS_OK;
}
