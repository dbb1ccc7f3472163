/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Friction cones with sides, with torsion: the set of forces is the hull of the polygon and of the
 * torsion alone, not a ball, and friction takes the most power within it. A ball that slides at u
 * along a corner and spins at w: while u > l w all of the friction slows the slide, u' = -7/2 mu g;
 * then both are kept equal, with a part b of the friction in the torsion,
 *
 *   (1 - b) 7/2 mu g = b mu g l^2/(2/5 r^2).
 */
#include "world.h"

static const double R = 0.1, L = 0.02, MU = 0.3, G = 9.81;

/* Of a run of T from u = 1 and the spin w. */
static void expect(const world *w, double spin, double T)
{
    double lever = L * L / (0.4 * R * R), b = 3.5 / (3.5 + lever);
    double first = (1 - L * spin) / (3.5 * MU * G), rest = T - first;
    assert_true(rest > 0);
    ss_body_state x = body_named(w, "b");
    assert_near(x.velocity.x, 1 - MU * G * (first + (1 - b) * rest), 1e-3);
    assert_near(x.angular_velocity.z, spin - b * MU * G * lever / L * rest, 0.05);
    assert_near(x.velocity.y, 0, 1e-9);
}

static void balls_slide_and_spin(void **state)
{
    (void)state;
    static const char *const cones[]       = {"{polygon: 16}", "{polygon: 4}", "{box: 8}"};
    static const char *const integrators[] = {"midpoint", "euler"};
    static const double      steps[]       = {0.01, 0.001};
    for (int k = 0; k < 12; k++) {
        char  text[1000];
        world w;
        snprintf(text, sizeof text,
                 "materials: {default: {friction: 0.3, ellipsoid: [1, 1, 0.02]}}\nbodies:\n"
                 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}}, position: "
                 "[0, 0, 0.1], velocity: [1, 0, 0], angular_velocity: [0, 0, 40]}\n"
                 "simulation: {step: 0.01, duration: 1, model: {cone: %s, integrator: %s}}\n",
                 cones[k % 3], integrators[k / 3 % 2]);
        open_text(&w, text);
        run(&w, steps[k / 6], k < 6 ? 5 : 50);
        expect(&w, 40, 0.05);
        close_world(&w);
    }
}

/* The same beside the corners: no step is cut for a law that is not that of the cone. */
static void no_step_is_cut(void **state)
{
    (void)state;
    static const char *const ellipsoids[] = {"[1, 1, 0.02]", "[1, 1, 0, 0.01]"};
    for (int k = 0; k < 2; k++) {
        char  text[1000];
        world w;
        snprintf(text, sizeof text,
                 "materials: {default: {friction: 0.3, ellipsoid: %s}}\nbodies:\n"
                 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}}, position: "
                 "[0, 0, 0.1], velocity: [1, 0.3, 0], angular_velocity: [0, 0, 50]}\n"
                 "simulation: {step: 1e-4, duration: 1, model: {cone: {polygon: 16}}}\n",
                 ellipsoids[k]);
        open_text(&w, text);
        for (int i = 0; i < 100; i++) {
            check(&w, ss_step(w.model, w.data, 1e-4));
            assert_int_equal(ss_data_report(w.data)->splits, 0);
        }
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(balls_slide_and_spin),
                                       cmocka_unit_test(no_step_is_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
