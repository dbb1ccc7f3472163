/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Corners that a step does not see meet: those that are apart when it begins and when it ends
 * (ss_find_graze() of dynamics/passage.c), and the second corner of a body that has just struck
 * with another and turns (dynamics/lands.c). However long the step, it ends as with steps of 50
 * microseconds, in which neither happens.
 */
#include "world.h"

enum { TEXT = 1000 };

static ss_body_state end_of(const char *text, double step, double duration)
{
    world w;
    char  all[TEXT + 100];
    snprintf(all, sizeof all, "%ssimulation: {step: %g}\n", text, step);
    open_text(&w, all);
    run(&w, step, (int)(duration / step + 0.5));
    ss_body_state s = body_named(&w, "b");
    close_world(&w);
    return s;
}

static void as_with_short_steps(const char *text, double most)
{
    static const double steps[] = {0.01, 0.005, 0.002, 0.001};
    ss_body_state       fine    = end_of(text, 5e-5, 0.04);
    for (int i = 0; i < 4; i++) {
        ss_body_state s = end_of(text, steps[i], 0.04);
        assert_near(ss_norm(ss_sub(s.position, fine.position)), 0, most);
        assert_near(ss_norm(ss_sub(s.velocity, fine.velocity)), 0, most);
        assert_near(ss_norm(ss_sub(s.angular_velocity, fine.angular_velocity)), 0, 10 * most);
    }
}

/* Two squares that spin and pass each other: speed, how far their lines are apart; place along
   them, angle and spin of each. */
static const double passes[][8] = {
    {4.89218, 0.250907, -0.0812342, 1.34028, -3.61937, 0.129385, 0.776566, 5.39984},
    {3.3196, 0.262627, -0.0933919, 1.4373, -11.3594, 0.124919, 2.42356, 0.49825},
    {8.51583, 0.229377, -0.255195, 2.19127, -9.7064, 0.155813, 0.102439, -14.1084},
};

static void squares_that_pass_each_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        const double *p = passes[i];
        char          text[TEXT];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, 0]\n"
                 "materials: {default: {friction: 0.3, restitution: 0.5}}\n"
                 "bodies:\n"
                 "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2]}},\n"
                 "     position: [%g, %g], angle: %g, velocity: [%g, 0], angular_velocity: %g}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2]}},\n"
                 "     position: [%g, %g], angle: %g, velocity: [%g, 0], angular_velocity: %g}\n",
                 p[2], -0.5 * p[1], p[3], p[0], p[4], p[5], 0.5 * p[1], p[6], -p[0], p[7]);
        as_with_short_steps(text, 1e-7);
    }
}

/* A bar that drops on an anvil with one end and, some milliseconds later, with the other: place,
   height, speed, angle, spin. */
static const double bars[][5] = {
    {-0.0303597, 0.0720097, -6.78524, 0.20137, 1.94554},
    {0.0402006, 0.0817029, -6.963, -0.167775, 2.37847},
    {-0.019775, 0.121508, -5.55773, -0.368109, -1.84369},
};

static void a_bar_strikes_with_both_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bars / sizeof bars[0]; i++) {
        const double *p = bars[i];
        char          text[TEXT];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "materials: {default: {friction: 0.3, restitution: 1, impact: poisson}}\n"
                 "bodies:\n"
                 "  - {name: anvil, type: static, shape: {box: {size: [0.3, 0.2]}},\n"
                 "     position: [0, -0.1]}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.06]}},\n"
                 "     position: [%g, %g], velocity: [0, %g], angle: %g, angular_velocity: %g}\n",
                 p[0], p[1], p[2], p[3], p[4]);
        as_with_short_steps(text, 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_that_pass_each_other),
        cmocka_unit_test(a_bar_strikes_with_both_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
