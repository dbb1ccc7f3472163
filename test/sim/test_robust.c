/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that solvers found hard, each the smallest scene that showed why. */
#include "world.h"

static void one_step(const char *text)
{
    world w;
    open_text(&w, text);
    run(&w, ss_model_simulation(w.model)->step, 1);
    assert_int_equal(ss_data_report(w.data)->outcome, SS_SOLVED);
    assert_true(ss_data_report(w.data)->residual <= 1e-9);
    close_world(&w);
}

/* A box slides up between two walls: next to its speed the impulses of the walls are nothing. */
static void small_impulses_beside_fast_sliding(void **state)
{
    (void)state;
    one_step(
        "materials: {default: {friction: 0}}\n"
        "bodies:\n"
        "  - {name: left, type: static, shape: {plane: {normal: [1, 0, 0], offset: -0.2}}}\n"
        "  - {name: back, type: static, shape: {plane: {normal: [0, -1, 0], offset: -0.2}}}\n"
        "  - {name: box, type: dynamic, shape: {box: {size: [0.07721751332802271, "
        "0.08462923396891156, 0.06949016028030452]}},\n"
        "     position: [-0.16139124333598864, 0.15768482352123217, 0.1923775159864434],\n"
        "     quat_wxyz: [-0.9999999999998525, -5.433771711064838e-07, -1.0479872638148042e-17, "
        "-6.788166608306638e-16],\n"
        "     velocity: [0, -1.5986050325297876e-05, 0.7568973376526018],\n"
        "     angular_velocity: [2.9607544600435762e-05, 0, 0]}\n"
        "simulation: {step: 0.005, duration: 0.005, allow_overlap: true}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_impulses_beside_fast_sliding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
