/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level: acceleration: parts on supports that slide, spin and come to rest. Numbers are those of an
 * integration of its own (Radau, friction mu N u/sqrt(u^2 + e^2), e = 1e-6 and 1e-7: 1e-9 apart).
 */
#include "world.h"

#define PART                                                                                       \
    "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: 0.3}}\nbodies:\n"              \
    "  - {name: b, type: dynamic, mass: 1, inertia: 0.002, shape: {box: {size: [0.12, 0.12]}}, "
#define FEET        "points: [[-0.05, -0.03], [0.05, -0.03], [0, 0.06]]"
#define AT_INSTANTS "simulation: {step: 0.005, duration: 0.6, model: {level: acceleration}}\n"

/* To 0.6 s; what is left of the balance of energies is rounding. */
static ss_body_state after_a_while(const char *text)
{
    world w;
    open_text(&w, text);
    while (ss_data_time(w.data) < 0.5975) {
        check(&w, ss_step(w.model, w.data, 0.005));
        assert_true(ss_data_report(w.data)->residual <= 1e-9);
    }
    ss_energy e = ss_data_energy(w.model, w.data);
    assert_near(e.kinetic + e.dissipated - e.driven, 0.216, 1e-11);
    assert_near(e.integration, 0, 1e-12);
    ss_body_state s = body(&w, 0);
    close_world(&w);
    return s;
}

static void assert_ends(ss_body_state s, double x, double y, double angle)
{
    assert_near(s.position.x, x, 1e-9);
    assert_near(s.position.y, y, 1e-9);
    assert_near(s.angle, angle, 1e-8);
}

/* A table that moves by 0.05 sin 10t and turns by 0.3 sin 5t: its velocity counts, and turns. */
static void tables_carry_parts_at_instants(void **state)
{
    (void)state;
    ss_body_state s =
        after_a_while(PART "velocity: [0.6, 0.2], angular_velocity: 4, support: {" FEET
                           ", friction: 0.2, on: t}}\n"
                           "  - {name: t, type: kinematic, motion: {x: '0.05*sin(10*t)', "
                           "angle: '0.3*sin(5*t)'}}\n" AT_INSTANTS);
    assert_ends(s, 0.1015683956, 0.0117345817, 0.7750890305);
    assert_near(s.angular_velocity.z, -0.7871983035, 1e-8);
}

/* On a belt the motion is that on the ground, seen from the belt; one foot stops before the others.
 */
static void belts_are_relative_at_instants(void **state)
{
    (void)state;
    ss_body_state s = after_a_while(
        PART "velocity: [0.6, 0.2], angular_velocity: 4, support: {" FEET
             ", friction: 0.2, on: t}}\n"
             "  - {name: t, type: static, surface_velocity: [0.5, 0.1]}\n" AT_INSTANTS);
    assert_ends(s, 0.3069426731, 0.0657362956, 0.1858016486);
    assert_near(s.velocity.x, 0.5, 1e-12);
    assert_near(s.angular_velocity.z, 0, 1e-12);
}

/* Where all feet stop at once nothing pushes any more: rest needs no forces. */
static void parts_come_to_rest_on_feet(void **state)
{
    (void)state;
    ss_body_state s =
        after_a_while(PART "velocity: [0.6, 0.2], angular_velocity: 4, support: {points: "
                           "[[-0.05, -0.05], [0.05, -0.05], [0.05, 0.05], [-0.05, 0.05]], "
                           "friction: 0.2, normal_forces: [2, 3, 2.4, 2.41]}}\n" AT_INSTANTS);
    assert_ends(s, 0.1006969459, 0.0325673552, 0.5377575043);
    s = after_a_while(PART
                      "velocity: [0.6, 0.2], angular_velocity: 4, support: {" FEET
                      ", friction: {map: {x: [-1, 0, 0.1, 1], y: [-1, 1], values: [[0.1, 0.1, 0.3, "
                      "0.3], [0.1, 0.1, 0.3, 0.3]]}}}}\n" AT_INSTANTS);
    assert_ends(s, 0.1014694283, 0.0311814998, 0.6222017479);
    assert_near(s.velocity.x, 0, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_carry_parts_at_instants),
        cmocka_unit_test(belts_are_relative_at_instants),
        cmocka_unit_test(parts_come_to_rest_on_feet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
