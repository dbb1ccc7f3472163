/* SPDX-License-Identifier: Apache-2.0 */
/* The ten lines of README.md, as C and as C++. */
#include <stdio.h>
#include <stickslip/stickslip.h>

/* clang-format off */
int main(void)
{
    ss_context *ctx    = ss_context_create(NULL);
    ss_scene   *scene  = NULL;
    ss_model   *model  = NULL;
    ss_data    *data   = NULL;
    ss_status   status = ss_scene_load(ctx, "ball.yaml", NULL, 0, &scene);
    if (status == SS_OK) status = ss_model_compile(ctx, scene, &model);
    if (status == SS_OK) status = ss_data_create(ctx, model, &data);
    while (status == SS_OK && ss_data_time(data) < 0.6) {
        status = ss_step(model, data, 0.01);
    }
    if (status != SS_OK) fprintf(stderr, "%s\n", ss_context_message(ctx));
    printf("t = %.2f\n", data != NULL ? ss_data_time(data) : -1.0);
    ss_data_destroy(data);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
    return status == SS_OK ? 0 : 1;
}
