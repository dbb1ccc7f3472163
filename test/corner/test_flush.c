/* SPDX-License-Identifier: Apache-2.0 */
/* Floors of flush tiles are floors, and grooves that are one polygon hold what stands in them. */
#include "world.h"

enum { LONG = 8000 };

#define BOX_2D   "shape: {box: {size: [0.2, 0.1]}}, mass: 1, velocity: [2, 0], "
#define PLATE_2D "{name: f, type: static, shape: {halfplane: {normal: [0, 1]}}}"
#define PLATE_3D "{name: f, type: static, shape: {plane: {normal: [0, 0, 1]}}}"

static double comes_to(int dimension, const char *floor, const char *body, double h)
{
    char  text[LONG];
    world w;
    snprintf(text, sizeof text,
             "dimension: %d\nmaterials: {default: {friction: 0.3}}\nbodies:\n  - %s\n"
             "  - {name: b, type: dynamic, %s}\nsimulation: {step: %g, duration: 1}\n",
             dimension, floor, body, h);
    open_text(&w, text);
    run(&w, h, (int)lround(0.4 / h));
    double x = body_named(&w, "b").position.x;
    close_world(&w);
    return x;
}

/* Thrown, tilted, so that what has landed is turned by rounding; and put a hair too low. */
static void boxes_slide_over_flush_tiles(void **state)
{
    static const char *const bodies[] = {BOX_2D "position: [0.03, 0.07], angle: -0.05",
                                         BOX_2D "position: [0.03, 0.07], angle: 0.05",
                                         BOX_2D "position: [0.03, 0.0499999999]"};
    static const char *const tiles =
        "{name: 't{i}', repeat: {count: 20, as: i}, type: static, shape: {box: {size: [0.1, "
        "0.1]}}, position: ['-0.45 + 0.1*i', -0.05]}";
    static const double steps[] = {0.01, 0.005, 0.002, 0.001};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 4; k++) {
            double plane = comes_to(2, PLATE_2D, bodies[i], steps[k]);
            assert_near(comes_to(2, tiles, bodies[i], steps[k]), plane, 1e-3);
        }
    }
}

static void boxes_slide_over_flush_plates(void **state)
{
    static const char *const tiles =
        "{name: 't{i}', repeat: {count: 12, as: i}, type: static, shape: {box: {size: [0.2, 0.8, "
        "0.1]}}, position: ['-0.45 + 0.2*i', 0, -0.05]}";
    static const char *const body =
        "shape: {box: {size: [0.2, 0.14, 0.1]}}, mass: 1, velocity: [2, 0.1, 0], position: "
        "[0.03, 0, 0.07], euler: [0, 0.05, 0]";
    (void)state;
    double plane = comes_to(3, PLATE_3D, body, 0.002);
    assert_near(comes_to(3, tiles, body, 0.002), plane, 2e-3);
}

/* A tile that stands up by a millimetre is a step, and stops what slides against it. */
static void raised_tiles_are_steps(void **state)
{
    (void)state;
    double x = comes_to(2,
                        "{name: 't{i}', repeat: {count: 20, as: i}, type: static, shape: {box: "
                        "{size: [0.1, 0.1]}}, position: ['-0.45 + 0.1*i', '-0.05 + (i > 6 and "
                        "0.001 or 0)']}",
                        BOX_2D "position: [0.03, 0.05]", 0.002);
    assert_true(x < 0.15); /* of 0.5: its front was at 0.13, the step is at 0.2 */
}

/* A box comes to stand in a groove with its corner at the bottom, where three pieces of the polygon
   meet, of which the lowest has no side there. */
static void grooves_hold_corners(void **state)
{
    static const char *const groove =
        "{name: v, type: static, shape: {polygon: {points: [[-1, 0], [-0.5, 0], [0, -0.4], [0.5, "
        "0], [1, 0], [1, -0.6], [-1, -0.6]]}}}";
    static const char *const sides =
        "{name: l, type: static, shape: {halfplane: {normal: ['0.4/sqrt(0.41)', "
        "'0.5/sqrt(0.41)'], offset: '-0.2/sqrt(0.41)'}}}\n"
        "  - {name: r, type: static, shape: {halfplane: {normal: ['-0.4/sqrt(0.41)', "
        "'0.5/sqrt(0.41)'], offset: '-0.2/sqrt(0.41)'}}}";
    static const char *const box =
        "shape: {box: {size: [0.2, 0.2]}}, mass: 1, position: [0.02, -0.24], angle: 0.7";
    (void)state;
    for (int k = 0; k < 2; k++) {
        double h = k == 0 ? 0.01 : 0.001;
        /* friction lets it stay within some millimetres */
        assert_near(comes_to(2, groove, box, h), comes_to(2, sides, box, h), 2e-3);
    }
}

/* Floor and post are one polygon, of which one piece has a side, a cut and a side in one line: a
   box beside the post lies on the second of them. */
static void floors_on_both_sides_of_a_post_hold(void **state)
{
    static const char *const levels[] = {"impulse", "acceleration"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char  text[1000];
        world w;
        snprintf(
            text, sizeof text,
            "dimension: 2\nmaterials: {default: {friction: 0.3}}\nbodies:\n"
            "  - {name: floor, type: static, shape: {polygon: {points: [[-0.5, 0], [-0.1, 0], "
            "[-0.1, 0.5], [-0.07, 0.5], [-0.07, 0], [3, 0], [3, -0.3], [-0.5, -0.3]]}}}\n"
            "  - {name: b, type: dynamic, shape: {box: {size: [0.2, 0.1]}}, mass: 1, position: "
            "[0.03, 0.05]}\nsimulation: {step: 0.01, duration: 1, model: {level: %s}}\n",
            levels[k]);
        open_text(&w, text);
        run(&w, 0.01, 20);
        assert_near(body_named(&w, "b").position.y, 0.05, 1e-12);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_slide_over_flush_tiles),
                                       cmocka_unit_test(boxes_slide_over_flush_plates),
                                       cmocka_unit_test(raised_tiles_are_steps),
                                       cmocka_unit_test(grooves_hold_corners),
                                       cmocka_unit_test(floors_on_both_sides_of_a_post_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
