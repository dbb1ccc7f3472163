/* SPDX-License-Identifier: Apache-2.0 */
/* Closing joints at the end of a step takes energy and gives none, but what drives put in. */
#include "joint/mechanism.h"

/* How far the line `integration` rises above its lowest value in a run. */
static double rise_of_integration(world *w, double h, int steps)
{
    double low = ss_data_energy(w->model, w->data).integration, rise = 0;
    for (int i = 0; i < steps; i++) {
        run(w, h, 1);
        double now = ss_data_energy(w->model, w->data).integration;
        low        = fmin(low, now);
        rise       = fmax(rise, now - low);
    }
    return rise;
}

/*
 * A leg whose knee is stretched falls on its foot. In the step in which the foot begins to strike
 * it goes on by the gap that is left, and the knee is stopped by its limit: rows that keep these
 * velocities while the joint is closed would pull at the foot (+0.023 J of 6 J in one step).
 */
static void limits_and_contacts_that_were_struck_give_nothing(void **state)
{
    (void)state;
    world w;
    open_text(&w, "dimension: 2\n"
                  "bodies:\n"
                  "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                  "  - {name: thigh, type: dynamic, mass: 2, shape: {box: {size: [0.1, 0.4]}},\n"
                  "     position: [0, 1], velocity: [2, -5], angular_velocity: -4}\n"
                  "  - {name: shin, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.4]}},\n"
                  "     position: [0.1, 0.6], velocity: [2, -5], angular_velocity: -4}\n"
                  "joints:\n"
                  "  - {name: knee, type: revolute, bodies: [thigh, shin], anchor: [0.05, 0.8],\n"
                  "     limits: [0, 2]}\n"
                  "simulation: {step: 0.002, duration: 0.5}\n");
    assert_true(rise_of_integration(&w, 0.002, 250) < 1e-4);
    close_world(&w);
}

/*
 * A motor turns a crank whose rod pushes a slider. All energy that there is at the end, the motor
 * put in: what it does while the joints are closed is its work too, of first order in h over a run.
 */
static const char CRANK[] =
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: crank, type: dynamic, mass: 1, inertia: 0.01, position: [0.1, 0]}\n"
    "  - {name: rod, type: dynamic, mass: 1, inertia: 0.03, position: [0.45, 0]}\n"
    "  - {name: slider, type: dynamic, mass: 2, inertia: 1, position: [0.7, 0]}\n"
    "joints:\n"
    "  - {name: a, type: revolute, bodies: [world, crank], anchor: [0, 0],\n"
    "     motor: {velocity: 20}}\n"
    "  - {name: b, type: revolute, bodies: [crank, rod], anchor: [0.2, 0]}\n"
    "  - {name: c, type: revolute, bodies: [rod, slider], anchor: [0.7, 0]}\n"
    "  - {name: d, type: prismatic, bodies: [world, slider], anchor: [0.7, 0], axis: [1, 0]}\n"
    "simulation: {step: 0.002, duration: 1, max_splits: 0}\n"; /* the order is of whole steps */

static void a_motor_pays_for_its_mechanism(void **state)
{
    (void)state;
    const double steps[] = {0.004, 0.002, 0.001};
    double       off[3];
    for (int i = 0; i < 3; i++) {
        world w;
        open_text(&w, CRANK);
        double work = 0;
        for (int k = 0; k < (int)lround(1 / steps[i]); k++) {
            ss_joint_info motor;
            assert_true(rise_of_integration(&w, steps[i], 1) < 1e-9);
            check(&w, ss_data_joint(w.model, w.data, 0, &motor));
            work += k == 0 ? ss_data_energy(w.model, w.data).driven /* from rest */
                           : motor.motor[0] * 20 * steps[i];
        }
        ss_energy e = ss_data_energy(w.model, w.data);
        assert_near(work, e.driven, 1e-9);
        off[i] = fabs(e.driven - e.kinetic - e.potential);
        close_world(&w);
    }
    assert_true(off[2] < 2e-3 && off[1] < 0.5 * off[0] && off[2] < 0.5 * off[1]);
}

/* A chain of `links` of a length L that starts level, with a heavy one at its end. */
static void open_chain(world *w, int links, double L, double heavy, const char *motor)
{
    char text[8192];
    int  n = snprintf(text, sizeof text, "dimension: 2\nbodies:\n");
    for (int i = 0; i < links; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  - {name: l%d, type: dynamic, mass: %g, position: [%.17g, 0],\n"
                      "     shape: {box: {size: [%.17g, %.17g]}}}\n",
                      i, i + 1 < links ? 1 : heavy, (i + 0.5) * L, 0.8 * L, 0.2 * L);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "joints:\n");
    for (int i = 0; i < links; i++) {
        char before[16] = "world";
        if (i > 0) {
            snprintf(before, sizeof before, "l%d", i - 1);
        }
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  - {name: j%d, type: revolute, bodies: [%s, l%d], anchor: [%.17g, 0]%s}\n",
                      i, before, i, i * L, i == 0 ? motor : "");
    }
    open_text(w, text);
}

/*
 * Links pass each other within reach and touch nothing: they turn about where they passed, and no
 * friction stopped them. Each such step was one of first order, which lost or made a hundredth of
 * the energy.
 */
static void links_that_pass_each_other_are_not_stopped(void **state)
{
    (void)state;
    world w;
    open_chain(&w, 10, 0.004, 10, "");
    double start = total_energy(&w), most = 0;
    for (int i = 0; i < 60; i++) {
        run(&w, 0.0037, 1);
        most = fmax(most, ss_data_energy(w.model, w.data).kinetic);
    }
    assert_near(total_energy(&w), start, 3e-3 * most);
    close_world(&w);
}

/*
 * A motor that goes to a position makes all steps of first order; links turn far in them. A chain
 * that is nearly straight is made shorter by turning links, and openings are not linear in that:
 * whole steps of Newton's method left joints open, by what the next steps could not close without
 * making energy.
 */
static void straight_chains_are_closed(void **state)
{
    (void)state;
    for (int links = 6; links <= 12; links += 3) {
        world w;
        open_chain(&w, links, 0.004, 20, ", motor: {position: 0, max: 1e-6}");
        for (int i = 0; i < 120; i++) {
            run(&w, 0.002, 1);
            assert_true(ss_data_report(w.data)->joint_error < 1e-13);
            assert_int_equal(ss_data_report(w.data)->splits, 0);
        }
        close_world(&w);
    }
}

/*
 * Two bodies on a rod that are thrown apart: the rod jerks them in the first step, which takes out
 * what it does not let them have, and carries the centripetal force from then on. In the middle of
 * the step it turned their velocities along it round, and half of that came back in every further
 * one, with forces that change their sign.
 */
static void joints_jerk_what_is_thrown_against_them(void **state)
{
    (void)state;
    const double h = 0.01, m = 1, r = 0.5, speed = 1;
    for (int later = 0; later < 2; later++) { /* thrown by the scene, or while it runs */
        world         w;
        ss_joint_info rod;
        ss_body_state body;
        char          text[512];
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, 0]\nbodies:\n"
                 "  - {name: a, type: dynamic, mass: 1, inertia: 1, position: [-0.5, 0],\n"
                 "     velocity: [%g, -1]}\n"
                 "  - {name: b, type: dynamic, mass: 1, inertia: 1, position: [0.5, 0],\n"
                 "     velocity: [%g, 1]}\n"
                 "joints:\n  - {name: rod, type: distance, bodies: [a, b], anchor: [-0.5, 0],\n"
                 "     anchor_b: [0.5, 0]}\n",
                 later ? 0 : -0.3, later ? 0 : 0.8);
        open_text(&w, text);
        if (later) {
            run(&w, h, 3);
            check(&w, ss_data_body(w.model, w.data, 1, &body));
            body.velocity = ss_axpy(body.velocity, 0.25 / r, body.position);
            check(&w, ss_data_set_body(w.model, w.data, 1, &body));
        }
        run(&w, h, 1);
        for (int i = 0; i < 20; i++) {
            check(&w, ss_data_joint(w.model, w.data, 0, &rod));
            assert_true(fabs(rod.rate[0]) < 1e-3 * speed);
            run(&w, h, 1);
            check(&w, ss_data_joint(w.model, w.data, 0, &rod));
            assert_near(ss_norm(rod.force), m * speed * speed / r, 0.02 * m * speed * speed / r);
        }
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_and_contacts_that_were_struck_give_nothing),
        cmocka_unit_test(a_motor_pays_for_its_mechanism),
        cmocka_unit_test(links_that_pass_each_other_are_not_stopped),
        cmocka_unit_test(straight_chains_are_closed),
        cmocka_unit_test(joints_jerk_what_is_thrown_against_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
