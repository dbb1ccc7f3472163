/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes at all as a scene file: read, compiled and brought to its start, or refused in words.
 */
#include "fuzz.h"
#include "stickslip/stickslip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_context *ctx   = ss_context_create(NULL);
    ss_scene   *scene = NULL;
    ss_model   *model = NULL;
    ss_data    *start = NULL;
    ss_status   status =
        ss_scene_load_text(ctx, (const char *)data, size, "fuzz.yaml", NULL, 0, &scene);
    if (status == SS_OK) {
        status = ss_model_compile(ctx, scene, &model);
    }
    if (status == SS_OK) {
        status = ss_data_create(ctx, model, &start);
    }
    if (status != SS_OK && ss_context_message(ctx)[0] == '\0') {
        abort(); /* an error nobody explains */
    }
    ss_data_destroy(start);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
    return 0;
}
