/* SPDX-License-Identifier: Apache-2.0 */
/* Build a scene, step it, ask for body states, contact forces and certificates. */
#include <stdio.h>
#include <stickslip/stickslip.h>

#define TRY(call)                                                                                  \
    if ((call) != SS_OK)                                                                           \
    return fprintf(stderr, "%s\n", ss_context_message(ctx)), 1

int main(void)
{
    ss_context *ctx   = ss_context_create(NULL);
    ss_scene   *scene = NULL;
    ss_model   *model = NULL;
    ss_data    *data  = NULL;

    ss_shape_def plane = {.type = "plane", .params.plane.normal = {0, 0, 1}};
    ss_shape_def ball  = {.type = "sphere", .params.sphere.radius = 1};
    ss_body_def  floor = {.name = "floor", .type = SS_BODY_STATIC, .shape = &plane};
    ss_body_def  body  = {.name     = "ball",
                          .type     = SS_BODY_DYNAMIC,
                          .mass     = 1,
                          .shape    = &ball,
                          .position = {0, 0, 1},
                          .velocity = {2, 0, 0}};
    TRY(ss_scene_create(ctx, 3, &scene));
    TRY(ss_scene_add_body(scene, &floor, NULL));
    TRY(ss_scene_add_body(scene, &body, NULL));
    TRY(ss_model_compile(ctx, scene, &model));
    TRY(ss_data_create(ctx, model, &data));
    for (int i = 0; i < 5; i++) {
        ss_body_state   state;
        ss_contact_info contact;
        TRY(ss_step(model, data, 0.12));
        ss_data_body(model, data, 1, &state);
        ss_data_contact(model, data, 0, &contact);
        printf("t = %.2f  v = %.6f  normal force = %.4f  friction = %+.4f  residual = %.0e\n",
               ss_data_time(data), state.velocity.x, contact.impulse[0] / 0.12,
               contact.impulse[1] / 0.12, ss_data_report(data)->residual);
    }
    ss_data_destroy(data);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
    return 0;
}
