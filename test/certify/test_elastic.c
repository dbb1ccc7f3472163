/* SPDX-License-Identifier: Apache-2.0 */
/* What the certificate of the motion says of springs, dampers, drives and wedges. */
#include "world.h"

static ss_energy energy_after(world *w, double h, int steps)
{
    run(w, h, steps);
    return ss_data_energy(w->model, w->data);
}

/* A load is dragged by a damper: the drive puts in m v u, of which half m v^2 is kept. */
static void a_drive_pays_for_its_damper(void **state)
{
    (void)state;
    static const char *const models[] = {"midpoint", "euler"};
    for (int i = 0; i < 2; i++) {
        char  text[600];
        world w;
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\n"
                 "bodies:\n"
                 "  - {name: pull, type: kinematic, motion: {x: \"t\"}}\n"
                 "  - {name: load, type: dynamic, mass: 2, inertia: [1, 1, 1], position: [-1, 0, "
                 "0]}\n"
                 "forces:\n"
                 "  - {type: damper, bodies: [pull, load], damping: 3}\n"
                 "simulation: {step: 0.01, duration: 1, model: {integrator: %s}}\n",
                 models[i]);
        open_text(&w, text);
        ss_energy     e = energy_after(&w, 0.01, 100);
        ss_body_state load;
        check(&w, ss_data_body(w.model, w.data, 1, &load));
        assert_near(e.driven, 2 * load.velocity.x, 1e-12);
        assert_near(e.dissipated - e.integration, e.driven - e.kinetic, 1e-12);
        assert_near(e.integration, 0, i == 0 ? 1e-12 : 0.01);
        assert_near(load.velocity.x, 1 - exp(-1.5), i == 0 ? 1e-4 : 5e-3);
        close_world(&w);
    }
}

/* Two boxes that a stiff spring joins fall on the floor: no part of an impact is the spring's. */
static void springs_in_impacts_make_nothing(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "dimension: 2\n"
              "materials: {default: {friction: 0.3}}\n"
              "bodies:\n"
              "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
              "  - {name: a, type: dynamic, shape: {box: {size: [0.2, 0.1]}}, position: [0, 0.3],\n"
              "     angle: 0.4, velocity: [0, -3], angular_velocity: 30}\n"
              "  - {name: b, type: dynamic, shape: {box: {size: [0.2, 0.1]}},\n"
              "     position: [0.4, 0.35], velocity: [0, -3], angular_velocity: -30}\n"
              "forces:\n"
              "  - {type: spring, bodies: [a, b], anchors: [[0.1, 0.05], [-0.1, 0.05]],\n"
              "     stiffness: 1.0e+6}\n"
              "simulation: {step: 0.005, duration: 0.5}\n");
    double low = 0, rise = 0, turnover = 0;
    for (int i = 0; i < 100; i++) {
        ss_energy e = energy_after(&w, 0.005, 1);
        low         = fmin(low, e.integration);
        rise        = fmax(rise, e.integration - low);
        turnover += ss_data_report(w.data)->turnover;
    }
    assert_true(rise <= 1e-3 * turnover);
    close_world(&w);
}

/* gap: velocity drops overlaps, not what drives do: a table that rises lifts what is on it. */
static void a_table_that_rises_lifts(void **state)
{
    (void)state;
    static const char *const models[] = {"gap: velocity", "gap: velocity, integrator: euler",
                                         "gap: position"};
    for (int i = 0; i < 3; i++) {
        char  text[600];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "bodies:\n"
                 "  - {name: table, type: kinematic, shape: {box: {size: [4, 0.1]}},\n"
                 "     position: [0, -0.1], motion: {y: \"-0.1 + 0.25*t\"}}\n"
                 "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.1]}}}\n"
                 "simulation: {step: 0.001, duration: 0.1, model: {%s}}\n",
                 models[i]);
        open_text(&w, text);
        run(&w, 0.001, 100);
        ss_body_state box;
        check(&w, ss_data_body(w.model, w.data, 1, &box));
        assert_near(box.position.y, 0.025, 1e-9);
        assert_near(box.velocity.y, 0.25, 1e-9);
        close_world(&w);
    }
}

/*
 * Boxes that turn strike each other with two corners at once, soft ones. Rows are linear in the
 * step, so that each corner ends it deeper than its row says: that is for the step to answer for in
 * which it happened, of both corners. In the next one no cut helps.
 */
static void corners_that_end_deeper_are_paid_for_at_once(void **state)
{
    (void)state;
    world w;
    open_text(&w, "dimension: 2\n"
                  "gravity: [0, 0]\n"
                  "materials: {default: {friction: 0, compliance: {stiffness: 812144}}}\n"
                  "bodies:\n"
                  "  - {name: a, type: dynamic, density: 1000, shape: {box: {size: [0.2, 0.1]}},\n"
                  "     position: [0, 0.3], angle: 0.14502, velocity: [0, -3],\n"
                  "     angular_velocity: 22.0196}\n"
                  "  - {name: b, type: dynamic, density: 1000, shape: {box: {size: [0.2, 0.15]}},\n"
                  "     position: [0.05, 0], angular_velocity: 28.3559}\n"
                  "simulation: {step: 0.00303958, duration: 0.3, model: {contact: compliant}}\n");
    double begin = total_energy(&w), most = begin;
    for (int i = 0; i < 100; i++) {
        run(&w, 0.00303958, 1);
        most = fmax(most, total_energy(&w));
    }
    assert_true(most <= (1 + 1e-3) * begin);
    close_world(&w);
}

/*
 * A table moves a box into a wall and up along it. Pressed by N the wall presses by mu N and holds
 * by mu^2 N: below mu = 1 the box goes up with the table, and above nothing can move, whatever the
 * forces are. The run must not go on as if it did.
 */
static void wedges_are_told(void **state)
{
    (void)state;
    static const double mu[] = {0.5, 0.99, 1.05, 1.2};
    for (int i = 0; i < 4; i++) {
        char  text[700];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "materials: {default: {friction: %g}}\n"
                 "bodies:\n"
                 "  - {name: wall, type: static, shape: {halfplane: {normal: [-1, 0], offset: "
                 "-0.05}}}\n"
                 "  - {name: table, type: kinematic, shape: {box: {size: [4, 0.1]}},\n"
                 "     position: [0, -0.1], motion: {x: \"0.5*t\", y: \"-0.1 + 0.25*t\"}}\n"
                 "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.1]}}}\n"
                 "simulation: {step: 0.001, duration: 0.1}\n",
                 mu[i]);
        open_text(&w, text);
        ss_status status = SS_OK;
        for (int k = 0; k < 20 && status == SS_OK; k++) {
            status = ss_step(w.model, w.data, 0.001);
        }
        if (mu[i] > 1) {
            assert_int_equal(status, SS_ERR_CERTIFICATE);
        } else {
            check(&w, status);
            ss_body_state box;
            check(&w, ss_data_body(w.model, w.data, 2, &box));
            assert_near(box.velocity.y, 0.25, 1e-9);
        }
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drive_pays_for_its_damper),
        cmocka_unit_test(springs_in_impacts_make_nothing),
        cmocka_unit_test(a_table_that_rises_lifts),
        cmocka_unit_test(corners_that_end_deeper_are_paid_for_at_once),
        cmocka_unit_test(wedges_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
