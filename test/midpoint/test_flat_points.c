/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies that roll where their surface has no curvature across the way: y^4 at 0. The point of
 * contact goes as the third root of the tilt, and passes in the middle of the step do not agree.
 */
#include "world.h"

#define ROLLS(floor)                                                                               \
    "materials: {default: {friction: 0.5}}\nbodies:\n"                                             \
    "  - {name: f, type: static, shape: " floor "}\n"                                              \
    "  - {name: b, type: dynamic, mass: 1, shape: {implicit: {f: "                                 \
    "\"(x/0.005)^2+(z/0.005)^2+(y/0.003)^4-1\", bounds: [[-0.0055, -0.005, -0.0055], [0.0055, "    \
    "0.005, 0.0055]]}}, position: [0, 0, 0.005], velocity: [0.7986355100472928, "                  \
    "0.6018150231520483, 0], angular_velocity: [-120.36300463040965, 159.72710200945858, 0], "     \
    "axis_angle: [0, 0, 1, 0.6457718232379019]}\n"                                                 \
    "simulation: {step: 0.005, duration: 1}\n"

/* A radian a step, on three floors; hardly a step is cut, and none takes long. */
static void roll(const char *text, ss_body_state *end)
{
    enum { STEPS = 20 };
    world   w;
    int32_t splits = 0;
    double  most   = 0;
    open_text(&w, text);
    for (int i = 0; i < STEPS; i++) {
        run(&w, 0.005, 1);
        splits += ss_data_report(w.data)->splits;
        most = fmax(most, ss_data_report(w.data)->work);
    }
    *end = body(&w, 1);
    assert_true(splits <= 4);
    assert_true(most < 2e7);
    assert_near(end->position.x, 0.07986355, 2e-5);
    assert_near(end->position.y, 0.06018150, 2e-5);
    assert_near(end->position.z, 0.005, 1e-7);
    assert_near(total_energy(&w), 0.771272, 2e-5);
    close_world(&w);
}

/* A face that is the shortest way out is found as fast as a plane, and is the same. */
static void boxes_and_planes_bear_alike(void **state)
{
    ss_body_state on_plane, on_box, on_cylinder;
    (void)state;
    roll(ROLLS("{plane: {normal: [0, 0, 1]}}"), &on_plane);
    roll(ROLLS("{box: {size: [400, 400, 1], position: [0, 0, -0.5]}}"), &on_box);
    roll(ROLLS("{cylinder: {radius: 3, length: 1, position: [0, 0, -0.5]}}"), &on_cylinder);
    assert_near(on_box.position.x, on_plane.position.x, 1e-9);
    assert_near(on_cylinder.position.x, on_plane.position.x, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_and_planes_bear_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
