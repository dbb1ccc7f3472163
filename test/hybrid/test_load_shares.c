/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level: acceleration: loads that several contacts, joints and motors may bear in one direction.
 * Each bears what its law allows; where one of them slides the share of the rule decides how fast.
 */
#include "world.h"

#define AT_INSTANTS "simulation: {step: 0.01, duration: 0.5, model: {level: acceleration}}\n"

static ss_body_state after(const char *text, double h, double duration, const char *name)
{
    world w;
    open_text(&w, text);
    int32_t steps = (int32_t)lround(duration / h);
    for (int32_t i = 0; i < steps; i++) {
        check(&w, ss_step(w.model, w.data, h));
        assert_true(ss_data_report(w.data)->residual <= 1e-9);
    }
    ss_body_state s = body_named(&w, name);
    close_world(&w);
    return s;
}

#define WHEEL                                                                                      \
    "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: 0.4}}\nbodies:\n"              \
    "  - {name: wheel, type: dynamic, shape: {disc: {radius: 0.2}}, mass: 5, angular_velocity: "

/*
 * A shoe on a guide is pressed on a wheel (0.1 kg m^2) with 20 N. The guide's friction is in line
 * with the contact, and may bear 0.2 N of it: the wheel is braked by 0.4 (20 -+ 0.2) N at 0.2 m.
 * The shoe would go down if contacts gave: of the rule it bears all that it can.
 */
static void guides_bear_their_friction(void **state)
{
    (void)state;
    static const char *const holds[] = {"friction: 0.2", "motor: {velocity: 0, max: 0.2}"};
    for (size_t i = 0; i < sizeof holds / sizeof *holds; i++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            WHEEL
            "20}\n"
            "  - {name: shoe, type: dynamic, shape: {box: {size: [0.1, 0.02]}}, mass: "
            "0.2, position: [0, 0.21]}\njoints:\n"
            "  - {name: ax, type: revolute, bodies: [world, wheel], anchor: [0, 0]}\n"
            "  - {name: gd, type: prismatic, bodies: [world, shoe], axis: [0, 1], %s}\n"
            "forces:\n  - {name: p, type: constant, body: shoe, force: [0, -20]}\n" AT_INSTANTS,
            holds[i]);
        ss_body_state s = after(text, 0.01, 0.5, "wheel");
        assert_near(s.angular_velocity.z, 20 - 0.5 * 0.4 * 19.8 * 0.2 / 0.1, 1e-10);
    }
}

/*
 * A brake lever on a hinge whose friction may bear 0.05 N m: moments about it, with the friction
 * of the wheel at the lever's lower face, 20 * 0.5 = N (0.2 - 0.4 * 0.01) + 0.05 for this sense.
 */
static void hinges_bear_their_friction(void **state)
{
    (void)state;
    ss_body_state s = after(
        WHEEL "-20}\n"
              "  - {name: lever, type: dynamic, shape: {box: {size: [0.6, 0.02]}}, mass: 0.2, "
              "position: [0.1, 0.21]}\njoints:\n"
              "  - {name: ax, type: revolute, bodies: [world, wheel], anchor: [0, 0]}\n"
              "  - {name: hg, type: revolute, bodies: [world, lever], anchor: [-0.2, 0.21], "
              "friction: 0.05}\n"
              "forces:\n  - {name: p, type: constant, body: lever, force: [0, -20], point: [0.3, "
              "0]}\n" AT_INSTANTS,
        0.01, 0.2, "wheel");
    double N = (20 * 0.6 - 0.05) / (0.2 + 0.4 * 0.01);
    assert_near(s.angular_velocity.z, -20 + 0.2 * 0.4 * N * 0.2 / 0.1, 1e-10);
}

/* A box on a belt that runs against a wall: friction at the wall is at most mu times its normal
   force, and no normal force pulls. */
static void corners_share_within_their_cones(void **state)
{
    (void)state;
    world w;
    open_text(&w, "dimension: 2\nmaterials: {default: {friction: 0.1}}\nbodies:\n"
                  "  - {name: belt, type: static, shape: {halfplane: {normal: [0, 1]}}, "
                  "surface_velocity: [1, 0]}\n"
                  "  - {name: wall, type: static, shape: {halfplane: {normal: [-1, 0]}}}\n"
                  "  - {name: b, type: dynamic, shape: {box: {size: [0.1, 0.1]}}, mass: 1, "
                  "position: [-0.05, 0.05]}\n" AT_INSTANTS);
    for (int i = 0; i < 5; i++) {
        check(&w, ss_step(w.model, w.data, 0.01));
    }
    double  belt  = 0;
    int32_t bears = 0;
    for (int32_t i = 0; i < ss_data_contact_count(w.data); i++) {
        ss_contact_info c;
        check(&w, ss_data_contact(w.model, w.data, i, &c));
        double n = c.impulse[0] / 0.01, f = c.impulse[1] / 0.01;
        assert_true(n >= -1e-10);
        assert_true(fabs(f) <= 0.1 * n + 1e-10);
        belt += fabs(c.normal.y) > 0.5 ? n : 0;
        bears += n > 1e-3;
    }
    assert_true(bears >= 2);
    assert_true(belt > 9.81 / (1 + 0.1 * 0.1) - 1e-9 && belt < 9.81 / (1 - 0.1 * 0.1) + 1e-9);
    close_world(&w);
}

/*
 * A box that slides on its face and spins: each corner's friction has its own direction, so that
 * the share of the weight decides how it slows down. Impulses have the same share, and so the same
 * limit: theirs are off by 1.6e-8 at steps of 0.25 ms (second order).
 */
static void both_levels_slide_alike(void **state)
{
    (void)state;
    static const char scene[] =
        "materials: {default: {friction: 0.3}}\nbodies:\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1, 0.1]}}, position: "
        "[0, 0, 0.05], velocity: [1, 0, 0], angular_velocity: [0, 0, 8]}\n"
        "simulation: {step: 0.01, duration: 0.2, model: {level: %s}}\n";
    char impulses[1000], instants[1000];
    snprintf(impulses, sizeof impulses, scene, "impulse");
    snprintf(instants, sizeof instants, scene, "acceleration");
    ss_body_state s = after(instants, 0.01, 0.2, "b"), coarse = after(impulses, 1e-3, 0.2, "b");
    ss_body_state fine = after(impulses, 5e-4, 0.2, "b");
    double        half = fabs(coarse.angular_velocity.z - fine.angular_velocity.z);
    assert_true(half < 2e-5);
    assert_near(s.angular_velocity.z, fine.angular_velocity.z, half);
    assert_near(s.velocity.x, fine.velocity.x, half);
    assert_near(s.position.y, fine.position.y, 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(guides_bear_their_friction),
                                       cmocka_unit_test(hinges_bear_their_friction),
                                       cmocka_unit_test(corners_share_within_their_cones),
                                       cmocka_unit_test(both_levels_slide_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
