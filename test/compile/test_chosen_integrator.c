/* SPDX-License-Identifier: Apache-2.0 */
/* The integrator of scenes that name none: chosen before anything asks for it, and run as if it had
 * been named. */
#include "world.h"

static void open_model(world *w, const char *scene, const char *model)
{
    char text[1024];
    snprintf(text, sizeof text, "%ssimulation: {step: 0.005, model: {%s}}\n", scene, model);
    open_text(w, text);
}

static const char *const BLOCK =
    "dimension: 2\n"
    "materials: {default: {friction: 0.3}, soft: {friction: 0.3, compliance: {stiffness: 1e4}}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
    "  - {name: a, type: dynamic, material: soft, mass: 1, shape: {disc: {radius: 0.1}},\n"
    "     position: [0, 0.1]}\n";

static const char *const PAIR =
    "dimension: 2\n"
    "materials: {default: {friction: 0.3, restitution: 0.5}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
    "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: [0, 0.5]}\n"
    "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: [0.5, 0.7]}\n"
    "joints: [{name: j, type: revolute, bodies: [a, b], anchor: [0.25, 0.6]}]\n";

/* What a value of another axis has against integrators is asked of the chosen one. */
static void contacts_that_give_go_with_projected_joints(void **state)
{
    (void)state;
    static const char *models[] = {"contact: compliant, joints: projected",
                                   "contact: patch, joints: projected"};
    for (int k = 0; k < 2; k++) {
        world w;
        open_model(&w, BLOCK, models[k]);
        run(&w, 0.005, 20);
        close_world(&w);
    }
    world w;
    char  text[1024];
    snprintf(text, sizeof text,
             "%ssimulation: {model: {contact: compliant, joints: projected, integrator: euler}}\n",
             BLOCK);
    assert_int_equal(try_text(&w, text), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(w.ctx), "joints: projected and integrator: euler"));
    close_world(&w);
    snprintf(
        text, sizeof text,
        "%ssimulation: {model: {contact: compliant, joints: projected, level: acceleration}}\n",
        BLOCK);
    assert_int_equal(try_text(&w, text), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(w.ctx), "level: acceleration"));
    close_world(&w);
}

static void the_chosen_integrator_runs_as_the_named_one_does(void **state)
{
    (void)state;
    static const char *models[][2] = {
        {"joints: baumgarte", "joints: baumgarte, integrator: euler"},
        {"inertia: quasistatic", "inertia: quasistatic, integrator: euler"},
        {"geometry: implicit", "geometry: implicit, integrator: euler"},
        {"joints: stabilised", "joints: stabilised, integrator: midpoint"},
    };
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        world chosen, named;
        open_model(&chosen, k == 1 || k == 2 ? BLOCK : PAIR, models[k][0]);
        open_model(&named, k == 1 || k == 2 ? BLOCK : PAIR, models[k][1]);
        for (int step = 0; step < 100; step++) {
            run(&chosen, 0.005, 1);
            run(&named, 0.005, 1);
            assert_true(ss_state_hash(chosen.model, chosen.data) ==
                        ss_state_hash(named.model, named.data));
        }
        close_world(&chosen);
        close_world(&named);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_that_give_go_with_projected_joints),
        cmocka_unit_test(the_chosen_integrator_runs_as_the_named_one_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
