/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Impacts of bodies of pieces, and on them, at their time (midpoint/late_impacts.c): as those of
 * whole bodies, of second order, and not elsewhere than on a whole floor. Against level:
 * acceleration, which integrates from event to event.
 */
#include "world.h"

enum { TEXT = 2000 };

/* Without a law of restitution, too, where an error that does not fall with the step is seen. */
static const double restitutions[] = {0, 0.5};

#define FLUSH                                                                                      \
    "union: {parts: [{box: {size: [2, 4, 1], position: [-1, 0, -0.5]}},\n"                         \
    "     {box: {size: [2, 4, 1], position: [1, 0, -0.5]}}]}"

#define ANGLE_IRON                                                                                 \
    "union: {parts: [{box: {size: [0.2, 0.05, 0.05]}},\n"                                          \
    "     {box: {size: [0.05, 0.05, 0.15], position: [-0.075, 0, 0.1]}}]}"

static ss_body_state end_of(const char *text, double restitution, const char *set, double duration)
{
    world w;
    char  all[TEXT + 200];
    snprintf(all, sizeof all, "materials: {default: {friction: 0.6, restitution: %g}}\n%s%s",
             restitution, text, set);
    open_text(&w, all);
    double h = ss_model_simulation(w.model)->step;
    run(&w, h, (int)(duration / h + 0.5));
    ss_body_state s = body_named(&w, "b");
    close_world(&w);
    return s;
}

/* The same as by events, to `most` m and 100 `most` rad/s at 10 ms, and a fifth of that, or less,
   each time the step is a quarter. */
static void as_by_events(const char *text, double duration, double most)
{
    static const double steps[] = {0.01, 0.0025, 0.000625};
    for (int k = 0; k < 2; k++) {
        ss_body_state exact =
            end_of(text, restitutions[k],
                   "simulation: {step: 0.01, model: {level: acceleration}}\n", duration);
        for (int i = 0; i < 3; i++) {
            char set[60];
            snprintf(set, sizeof set, "simulation: {step: %g}\n", steps[i]);
            ss_body_state s     = end_of(text, restitutions[k], set, duration);
            double        bound = most * pow(0.2, i);
            ss_vec3       turns = ss_sub(s.angular_velocity, exact.angular_velocity);
            assert_near(ss_norm(ss_sub(s.position, exact.position)), 0, bound);
            assert_near(ss_norm(turns), 0, 100 * bound);
        }
    }
}

/* Far from the seam: an impact was shared between two steps, and 0.1 rad/s off at every step. */
static void whole_bodies_on_pieces(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "ellipsoid: {radii: [0.1, 0.06, 0.04]}",
        "capsule: {radius: 0.04, length: 0.15, direction: [1, 0, 0]}",
        "box: {size: [0.2, 0.12, 0.08]}"};
    for (int i = 0; i < 3; i++) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {" FLUSH "}}\n"
                 "  - {name: b, type: dynamic, mass: 2, inertia: [0.004, 0.008, 0.009],\n"
                 "     com: [0, 0, 0], shape: {%s}, position: [0.21, 0, 0.14],\n"
                 "     euler: [0.1, 0.2, 0.3], velocity: [1, 0.4, -0.2],\n"
                 "     angular_velocity: [3, 1, -4]}\n",
                 shapes[i]);
        as_by_events(text, 0.14, 3e-4);
    }
}

static void pieces_on_pieces(void **state)
{
    (void)state;
    static const char *const floors[] = {"type: static", "type: kinematic, motion: {x: 0.2*t, z: "
                                                         "0.3*t}"};
    for (int i = 0; i < 2; i++) {
        char text[TEXT];
        snprintf(
            text, sizeof text,
            "bodies:\n"
            "  - {name: floor, %s, shape: {" FLUSH "}}\n"
            "  - {name: b, type: dynamic, mass: 2, shape: {" ANGLE_IRON "},\n"
            "     position: [0.21, 0, 0.2], euler: [0.1, 0.2, 0.3], velocity: [1, 0.4, -0.2],\n"
            "     angular_velocity: [3, 1, -4]}\n",
            floors[i]);
        as_by_events(text, 0.16, 1e-4);
    }
}

static void pieces_meet_in_flight(void **state)
{
    (void)state;
    as_by_events("gravity: [0, 0, 0]\n"
                 "bodies:\n"
                 "  - {name: a, type: dynamic, mass: 1, shape: {" ANGLE_IRON "},\n"
                 "     position: [0, 0, 0], angular_velocity: [0, 2, 1]}\n"
                 "  - {name: b, type: dynamic, mass: 2, shape: {" ANGLE_IRON "},\n"
                 "     position: [0.02, 0.01, 0.4], euler: [0.3, 2.8, 0.3], velocity: [0, 0, -2],\n"
                 "     angular_velocity: [1, 1, -2]}\n",
                 0.16, 1e-4);
}

/* Polygons that are not convex are cut into pieces: the floor has a step, the part is an angle. */
static void polygons_that_are_cut(void **state)
{
    (void)state;
    as_by_events(
        "dimension: 2\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {polygon: {points: [[-1, 0], [-1, -1],\n"
        "     [1, -1], [1, 0.3], [0.7, 0.3], [0.7, 0]]}}}\n"
        "  - {name: b, type: dynamic, mass: 1, shape: {polygon: {points: [[0, 0], [0.3, 0],\n"
        "     [0.3, 0.1], [0.1, 0.1], [0.1, 0.3], [0, 0.3]]}}, position: [0.1, 0.3],\n"
        "     angle: 0.4, velocity: [2, -1], angular_velocity: 3}\n",
        0.3, 5e-4);
}

/* What has no shape touches nothing. */
#define FAR_DRIVEN "  - {name: far, type: kinematic, position: [100, 0], motion: {x: 100}}\n"

/* Of pairs with several branches one with a gap below zero was taken for a touch wherever anything
   was driven: up to 0.9 rad/s off, at every step, until by chance. */
static void nothing_that_is_driven_elsewhere_matters(void **state)
{
    (void)state;
    static const char pair[] =
        "dimension: 2\n"
        "gravity: [0, 0]\n"
        "bodies:\n"
        "  - {name: a, type: dynamic, mass: 2.082, shape: {box: {size: [0.17, 0.1]}},\n"
        "     position: [-0.2, -0.01], angle: 1.095, velocity: [1.928, -0.145],\n"
        "     angular_velocity: -4.575}\n"
        "  - {name: b, type: dynamic, mass: 2.309, position: [0.2, 0.042], angle: 2.979,\n"
        "     velocity: [-1.026, -0.252], angular_velocity: 3.868,\n"
        "     shape: {union: {parts: [{box: {size: [0.28, 0.085]}},\n"
        "     {box: {size: [0.085, 0.17], position: [0.099, 0.085]}}]}}}\n";
    static const char *const steps[] = {"simulation: {step: 0.008}\n",
                                        "simulation: {step: 0.004}\n",
                                        "simulation: {step: 0.002}\n"};
    for (int i = 0; i < 3; i++) {
        char driven[60 + sizeof FAR_DRIVEN];
        snprintf(driven, sizeof driven, "%s%s", FAR_DRIVEN, steps[i]);
        ss_body_state alone = end_of(pair, 0.5, steps[i], 0.12);
        ss_body_state other = end_of(pair, 0.5, driven, 0.12);
        assert_true(ss_norm(alone.angular_velocity) > 1);
        assert_near(ss_norm(ss_sub(alone.position, other.position)), 0, 1e-12);
        assert_near(ss_norm(ss_sub(alone.angular_velocity, other.angular_velocity)), 0, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_bodies_on_pieces),
        cmocka_unit_test(pieces_on_pieces),
        cmocka_unit_test(pieces_meet_in_flight),
        cmocka_unit_test(polygons_that_are_cut),
        cmocka_unit_test(nothing_that_is_driven_elsewhere_matters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
