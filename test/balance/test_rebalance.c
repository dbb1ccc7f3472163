/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quasistatic rest: bodies that friction holds stay where they are, however their contacts share
 * the load, and where nothing balances the forces the step fails and names the body.
 */
#include "world.h"

/* A box on a slope, `off` above the angle of friction. Gravity is tilted instead of the floor. */
static void open_slope(world *w, double off, const char *cone)
{
    const double angle = atan(0.5) + off;
    char         text[1024];
    snprintf(text, sizeof text,
             "gravity: [%.17g, 0, %.17g]\n"
             "materials: {default: {friction: 0.5}}\n"
             "bodies:\n"
             "  - {name: slope, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [1, 1, 0.2]}},"
             " position: [0, 0, 0.1]}\n"
             "simulation: {step: 0.01, model: {inertia: quasistatic, cone: %s}}\n",
             9.81 * sin(angle), -9.81 * cos(angle), cone);
    open_text(w, text);
}

static void friction_holds_a_box_on_a_slope(void **state)
{
    static const double      off[]  = {-0.3, -0.01, -1e-4};
    static const char *const cone[] = {"quadratic", "{polygon: 8}"};
    (void)state;
    for (int i = 0; i < 6; i++) {
        world w;
        open_slope(&w, off[i % 3], cone[i / 3]);
        for (int k = 0; k < 20; k++) {
            check(&w, ss_step(w.model, w.data, 0.01));
            assert_true(ss_data_report(w.data)->residual <= 1e-12);
            ss_body_state box = body_named(&w, "box");
            assert_true(ss_norm(box.velocity) == 0 && ss_norm(box.angular_velocity) == 0);
            assert_true(box.position.x == 0 && box.position.y == 0 && box.position.z == 0.1);
        }
        close_world(&w);
    }
}

static void no_balance_is_named(void **state)
{
    static const double off[] = {1e-4, 0.01, 0.3};
    (void)state;
    for (int i = 0; i < 3; i++) {
        world w;
        open_slope(&w, off[i], "quadratic");
        assert_int_equal(ss_step(w.model, w.data, 0.01), SS_ERR_CERTIFICATE);
        const char *message = ss_context_message(w.ctx);
        if (strstr(message, "nothing balances the forces on body 'box'") == NULL) {
            fail_msg("%s", message);
        }
        close_world(&w);
    }
}

/* Rounding of the solver's answers in the lowest cube is more than the motion that is asked for. */
static void a_stack_rests(void **state)
{
    enum { CUBES = 10 };
    char text[4096];
    int  at = snprintf(text, sizeof text,
                       "materials: {default: {friction: 0.5}}\n"
                        "simulation: {step: 0.01, model: {inertia: quasistatic}}\n"
                        "bodies:\n"
                        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n");
    (void)state;
    for (int i = 0; i < CUBES; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  - {name: cube%d, type: dynamic, mass: 1, shape: {box: {size: [1, 1, 1]}},"
                       " position: [0, 0, %g]}\n",
                       i, i + 0.5);
    }
    world w;
    open_text(&w, text);
    for (int k = 0; k < 60; k++) {
        check(&w, ss_step(w.model, w.data, 0.01));
        assert_true(ss_data_report(w.data)->residual <= 1e-9);
    }
    for (int i = 0; i < CUBES; i++) {
        ss_body_state cube = body(&w, i + 1);
        assert_near(cube.position.z, i + 0.5, 1e-12);
        assert_true(ss_norm(cube.velocity) <= 1e-12);
    }
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(friction_holds_a_box_on_a_slope),
                                       cmocka_unit_test(no_balance_is_named),
                                       cmocka_unit_test(a_stack_rests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
