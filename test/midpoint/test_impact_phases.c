/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in a step an impact falls makes no difference (midpoint/late_impacts.c): right before its
 * end and right after its beginning as in its middle. What the law of the end, with the geometry of
 * the middle, took for reached got a part of its impact there. Against level: acceleration, which
 * integrates from event to event.
 */
#include "world.h"

enum { TEXT = 1000 };

static ss_body_state end_of(const char *text, const char *set, double duration)
{
    world w;
    char  all[TEXT + 100];
    snprintf(all, sizeof all, "%ssimulation: {%s}\n", text, set);
    open_text(&w, all);
    double h = ss_model_simulation(w.model)->step;
    run(&w, h, (int)(duration / h + 0.5));
    ss_body_state s = body_named(&w, "b");
    close_world(&w);
    return s;
}

/* Within `most` of where it is by events, and at that speed but for ten times that. */
static void as_by_events(const char *text, double h, double duration, double most)
{
    char set[60];
    snprintf(set, sizeof set, "step: %g", h);
    ss_body_state by = end_of(text, "step: 0.001, model: {level: acceleration}", duration);
    ss_body_state s  = end_of(text, set, duration);
    assert_near(ss_norm(ss_sub(s.position, by.position)), 0, most);
    assert_near(ss_norm(ss_sub(s.velocity, by.velocity)), 0, 10 * most);
    assert_near(ss_norm(ss_sub(s.angular_velocity, by.angular_velocity)), 0, 100 * most);
}

/* What tumbles lands at 48 ms, where steps of 4 and of 2 ms end, if it starts at `height`, and up
   to 5 % of them before and after that: its impact is about a millisecond later for each 0.78 mm.
 */
static void lands_about_the_end_of_a_step(const char *shape, double height, double restitution)
{
    static const double part[] = {-0.05, -0.005, -1e-4, -1e-5, 0, 1e-5, 1e-4, 0.002, 0.01, 0.05};
    for (int i = 0; i < 20; i++) {
        char   text[TEXT];
        double h = i < 10 ? 0.004 : 0.002;
        snprintf(text, sizeof text,
                 "materials: {default: {friction: 0.2, restitution: %g}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                 "  - {name: b, type: dynamic, density: 1000, shape: {%s},\n"
                 "     position: [0, 0, %.17g], quat_wxyz: [-0.654, -0.706, -0.171, -0.211],\n"
                 "     velocity: [0.87, 0.181, -0.4], angular_velocity: [-15, 8, 0.355]}\n",
                 restitution, shape, height + 0.78 * h * part[i % 10]);
        as_by_events(text, h, 0.056, 5e-5);
    }
}

static void about_the_end_of_a_step(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        double e = 0.7 * i;
        lands_about_the_end_of_a_step("ellipsoid: {radii: [0.085, 0.058, 0.065]}", 0.09948912639662,
                                      e);
        lands_about_the_end_of_a_step("capsule: {radius: 0.05, length: 0.1}", 0.09791384692984, e);
        lands_about_the_end_of_a_step("box: {size: [0.17, 0.116, 0.13]}", 0.14382434919669, e);
        lands_about_the_end_of_a_step(
            "superellipsoid: {radii: [0.085, 0.058, 0.065], e1: 0.54, e2: 0.51}", 0.11734445691622,
            e);
        lands_about_the_end_of_a_step("cylinder: {radius: 0.06, length: 0.12}", 0.10702874239043,
                                      e);
    }
}

/*
 * After a bounce at 113 ms it rises, turns, and lands on another side at 130 ms. In between its
 * surface comes down again faster than it rose, which the law of the end took for a touch: a step
 * of first order, without the bend of its flight.
 */
static void what_rises_and_turns_flies_on(void **state)
{
    (void)state;
    const char *text =
        "materials: {default: {friction: 0.1, restitution: 0.7}}\n"
        "bodies:\n"
        "  - {name: floor, type: kinematic, shape: {plane: {normal: [0, 0, 1]}},\n"
        "     motion: {x: \"0.005*sin(40*t)\", z: \"0.002*sin(60*t)\"}}\n"
        "  - {name: b, type: dynamic, density: 1000, shape: {superellipsoid: {radii:\n"
        "     [0.08474330687190071, 0.057766194370866525, 0.06496933929329766],\n"
        "     e1: 0.5394261853628529, e2: 0.507705914964686}}, position: [0, 0, 0.203],\n"
        "     quat_wxyz: [-0.6540873235951411, -0.7059220978560304, -0.17109686405473273,\n"
        "     -0.21111520073486503], velocity: [0.87, 0.181, -0.65],\n"
        "     angular_velocity: [1.686, 0.964, 0.355]}\n";
    static const double steps[] = {0.01, 0.005, 0.004, 0.002, 0.001};
    for (int i = 0; i < 5; i++) {
        char          set[60];
        ss_body_state by = end_of(text, "step: 0.01, model: {level: acceleration}", 0.26);
        snprintf(set, sizeof set, "step: %g", steps[i]);
        ss_body_state s = end_of(text, set, 0.26);
        assert_near(ss_norm(ss_sub(s.position, by.position)), 0, 0.3 * steps[i]);
        assert_near(ss_norm(ss_sub(s.angular_velocity, by.angular_velocity)), 0, 100 * steps[i]);
    }
}

/* The first of two impacts is right before the end of steps of 4 and of 2 ms. */
static void a_box_that_tumbles_lands_twice(void **state)
{
    (void)state;
    const char *text =
        "materials: {default: {friction: 0.6, restitution: 0.5}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: b, type: dynamic, mass: 2, inertia: [0.004, 0.008, 0.009], com: [0, 0, 0],\n"
        "     shape: {box: {size: [0.2, 0.12, 0.08]}}, position: [0.21, 0, 0.14],\n"
        "     euler: [0.1, 0.2, 0.3], velocity: [1, 0.4, -0.2], angular_velocity: [3, 1, -4]}\n";
    static const double steps[] = {0.005, 0.004, 0.002, 0.001};
    for (int i = 0; i < 4; i++) {
        as_by_events(text, steps[i], 0.14, 1e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(about_the_end_of_a_step),
        cmocka_unit_test(what_rises_and_turns_flies_on),
        cmocka_unit_test(a_box_that_tumbles_lands_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
