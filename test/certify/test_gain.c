/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the time-stepping may make over a run, and what only seems to be made.
 *
 * A light disc and a heavy one, with a spring between
 * them that steps cannot resolve, thrown across its line onto a floor. The spring is stretched in
 * the steps in which its disc strikes, and the impacts take more than it gains.
 *
 * What stands on a table that turns slowly is set in motion within a step. Forces of friction at
 * many points press against each other, as they like: one gives what another takes.
 */
#include "certify/tolerances.h"
#include "model/data.h"
#include "world.h"

static const double STIFFNESS[] = {1e3, 1e4, 1e6}, ACROSS[] = {2, 8}, MASS[] = {0.01, 0.1};

/* The rise of `integration` over the run, seen from outside. */
static void throw_on_spring(double stiffness, double across, double mass, double restitution)
{
    char  text[900];
    world w;
    snprintf(text, sizeof text,
             "dimension: 2\n"
             "materials: {default: {friction: 0.3, restitution: %g}}\n"
             "bodies:\n"
             "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
             "  - {name: a, type: dynamic, mass: %g, shape: {disc: {radius: 0.02}},\n"
             "     position: [0, 0.04], velocity: [%g, -4.4]}\n"
             "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.05}},\n"
             "     position: [0, 0.5], velocity: [0, -4.4]}\n"
             "forces:\n"
             "  - {type: spring, bodies: [a, b], stiffness: %g, damping: 0}\n"
             "simulation: {step: 0.005}\n",
             restitution, mass, across, stiffness);
    open_text(&w, text);
    double low = 0;
    for (int step = 0; step < 80; step++) {
        run(&w, 0.005, 1);
        const ss_ledger *l    = &w.data->state.ledger;
        double           line = ss_data_energy(w.model, w.data).integration;
        low                   = fmin(low, line);
        assert_true(line - low <= SS_GAIN_MOST * (l->exchanged + l->in_play) * (1 + 1e-6));
    }
    close_world(&w);
}

static void springs_that_impacts_pay_for_make_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3 * 2 * 2; i++) {
        for (int e = 0; e < 2; e++) {
            throw_on_spring(STIFFNESS[i / 4], ACROSS[i / 2 % 2], MASS[i % 2], 0.5 * e);
        }
    }
}

/*
 * In a medium springs are taken at the start of a step. One that would throw its body past the
 * balance, here up to six times as far as it was off, is taken in parts: the body goes there and
 * stops, and gains no more than a hundredth of what there was on its way.
 */
static void springs_in_a_medium_settle(void **state)
{
    (void)state;
    static const double steps[] = {0.01, 0.005, 0.003, 0.001};
    for (int k = 0; k < 4; k++) {
        world w;
        open_text(&w, "dimension: 2\ngravity: [0, 0]\nbodies:\n"
                      "  - {name: a, type: dynamic, mass: 1, damping: [5, 0.05], shape: {disc: "
                      "{radius: 0.02}}, position: [0.3, 0]}\n"
                      "forces:\n"
                      "  - {type: spring, bodies: [world, a], stiffness: 3000, rest_length: 0.2}\n"
                      "simulation: {step: 0.01, model: {inertia: damped}}\n");
        const double start = ss_data_energy(w.model, w.data).potential;
        double       last  = start;
        for (int i = 0; i < 50; i++) {
            run(&w, steps[k], 1);
            double now = ss_data_energy(w.model, w.data).potential;
            assert_true(now <= last + SS_GAIN_PRINTED * start);
            last = now;
        }
        assert_near(body_named(&w, "a").position.x, 0.2, 2e-3);
        close_world(&w);
    }
}

static void put_on_turntable(const char *shape, double turn, double h)
{
    char  text[600];
    world w;
    snprintf(
        text, sizeof text,
        "materials: {default: {friction: 0.5}}\n"
        "bodies:\n"
        "  - {name: table, type: kinematic, shape: {cylinder: {radius: 1, length: 0.1}},\n"
        "     motion: {z: -0.05, quat_wxyz: [\"math.cos(%g*t/2)\", 0, 0,\n"
        "              \"math.sin(%g*t/2)\"]}}\n"
        "  - {name: b, type: dynamic, density: 1000, shape: {%s}, position: [0.5, 0.1, 0.05]}\n"
        "simulation: {step: %g}\n",
        turn, turn, shape, h);
    open_text(&w, text);
    run(&w, h, 100);
    ss_vec3 p = body_named(&w, "b").position;
    double  a = atan2(p.y, p.x) - atan2(0.1, 0.5);
    assert_near(a, 100 * h * turn, turn * (h + 0.11 * turn)); /* until friction has caught it */
    close_world(&w);
}

static void friction_that_presses_against_itself_makes_nothing(void **state)
{
    (void)state;
    for (double turn = 1e-6; turn < 0.5; turn *= 10) {
        for (double h = 1e-3; h < 0.05; h *= 10) {
            put_on_turntable("box: {size: [0.1, 0.1, 0.1]}", turn, h);
            put_on_turntable("cylinder: {radius: 0.05, length: 0.1}", turn, h);
        }
    }
}

/* All that changes hands is the fall over a hair, and a part of that is lifted again. */
static void what_starts_a_hair_above_a_floor_lands(void **state)
{
    static const double gaps[]  = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4},
                        steps[] = {0.02, 0.01, 0.005, 1e-3};
    (void)state;
    for (int i = 0; i < 20; i++) {
        char  text[500];
        world w;
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                 "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}},\n"
                 "     position: [0, 0, %.17g]}\n"
                 "simulation: {step: 0.01, duration: 1}\n",
                 0.05 + gaps[i % 5]);
        open_text(&w, text);
        run(&w, steps[i / 5], 20);
        ss_body_state box = body_named(&w, "box");
        assert_near(box.position.z, 0.05, 1e-11);
        assert_near(ss_norm(box.velocity), 0, 1e-12);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_in_a_medium_settle),
        cmocka_unit_test(what_starts_a_hair_above_a_floor_lands),
        cmocka_unit_test(springs_that_impacts_pay_for_make_nothing),
        cmocka_unit_test(friction_that_presses_against_itself_makes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
