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
    "simulation: {step: 0.002, duration: 1}\n";

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_and_contacts_that_were_struck_give_nothing),
        cmocka_unit_test(a_motor_pays_for_its_mechanism),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
