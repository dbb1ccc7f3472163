/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Impacts within steps of fixed length, at their time (midpoint/late_impacts.c, sim/cut.c): of what
 * tumbles, of what touches elsewhere already, without restitution, several in one step. Against
 * closed forms, and against level: acceleration, which integrates from event to event.
 */
#include "world.h"

enum { TEXT = 1600 };

static ss_body_state end_of(const char *text, const char *set, double duration, ss_energy *energy)
{
    world w;
    char  all[TEXT + 200];
    snprintf(all, sizeof all, "%ssimulation: {%s}\n", text, set);
    open_text(&w, all);
    double h = ss_model_simulation(w.model)->step;
    run(&w, h, (int)(duration / h + 0.5));
    ss_body_state s = body_named(&w, "b");
    *energy         = ss_data_energy(w.model, w.data);
    close_world(&w);
    return s;
}

/* The same place at every step as by events, to `most` at 10 ms and to second order below it. */
static void as_by_events(const char *text, double duration, double most)
{
    static const double steps[] = {0.01, 0.005, 0.0025};
    ss_energy           energy;
    ss_body_state       exact =
        end_of(text, "step: 0.001, model: {level: acceleration}", duration, &energy);
    for (int i = 0; i < 3; i++) {
        char set[60];
        snprintf(set, sizeof set, "step: %g", steps[i]);
        ss_body_state s     = end_of(text, set, duration, &energy);
        double        bound = fmax(most * pow(steps[i] / 0.01, 1.0), 1e-5);
        assert_near(ss_norm(ss_sub(s.position, exact.position)), 0, bound);
        assert_true(energy.integration < 1e-3 * (energy.kinetic + energy.potential));
    }
}

static void a_box_that_tumbles_lands(void **state)
{
    (void)state;
    static const double e[] = {0, 0.4, 0.9};
    for (int i = 0; i < 3; i++) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 "materials: {default: {friction: 0.3, restitution: %g}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                 "  - {name: b, type: dynamic, mass: 2, shape: {box: {size: [0.2, 0.1, 0.3]}},\n"
                 "     position: [0, 0, 0.3], euler: [0.3, 0.2, 0.1], velocity: [0.3, 0, -1],\n"
                 "     angular_velocity: [1, 2, 0]}\n",
                 e[i]);
        as_by_events(text, 0.2, 1e-3);
    }
}

/* .. of two pieces */
static void an_angle_iron_lands(void **state)
{
    (void)state;
    as_by_events(
        "materials: {default: {friction: 0.3, restitution: 0.2}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: b, type: dynamic, mass: 1, shape: {union: {parts: [\n"
        "     {box: {size: [0.2, 0.05, 0.05]}},\n"
        "     {box: {size: [0.05, 0.05, 0.15], position: [-0.075, 0, 0.1]}}]}},\n"
        "     position: [0, 0, 0.3], euler: [0.6, 0.4, 0.1], angular_velocity: [2, 1, 3]}\n",
        0.25, 1e-3);
}

/* Without restitution too, wherever in the step it falls: the gap took a part of the impact in one
   step and the rest in the next, with friction that depended on how it was shared. */
static void the_other_edge_of_a_block_that_rocks(void **state)
{
    (void)state;
    static const double mu[] = {0.25, 0.4, 0.6};
    for (int i = 0; i < 3; i++) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "materials: {default: {friction: %g}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.5, 0.5]}},\n"
                 "     position: [0.0850459293839334, 0.3127141739467364], angle: -0.3}\n",
                 mu[i]);
        as_by_events(text, 0.6, 1e-3);
    }
}

/* Two balls that meet obliquely in flight; the line of their centres turns while they approach. */
static void balls_that_meet_obliquely(void **state)
{
    (void)state;
    static const double steps[] = {0.03, 0.01, 0.003, 0.001};
    const double        u = 3, b = 0.12, R = 0.2, e = 0.8, away = 1;
    double              t0 = (away - sqrt(R * R - b * b)) / u; /* of relative speed u along x */
    double              nx = sqrt(R * R - b * b) / R, ny = b / R, p = 0.5 * (1 + e) * u * nx;
    for (int i = 0; i < 4; i++) {
        world w;
        char  text[TEXT];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, 0]\n"
                 "materials: {default: {friction: 0, restitution: %g}}\n"
                 "bodies:\n"
                 "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
                 "     velocity: [%g, 0]}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
                 "     position: [%g, %g]}\n"
                 "simulation: {step: %g}\n",
                 e, u, away, b, steps[i]);
        open_text(&w, text);
        int steps_taken = (int)(0.6 / steps[i] + 0.5);
        run(&w, steps[i], steps_taken);
        ss_body_state s = body_named(&w, "b");
        double        t = steps_taken * steps[i] - t0;
        assert_near(s.velocity.x, p * nx, 1e-6);
        assert_near(s.velocity.y, p * ny, 1e-6);
        assert_near(s.position.x, away + p * nx * t, 1e-6);
        assert_near(s.position.y, b + p * ny * t, 1e-6);
        close_world(&w);
    }
}

/* A ball that grazes the edge of a box: along the normal of the start of the step it would be
   thrown back. */
static void a_ball_that_grazes_an_edge(void **state)
{
    (void)state;
    static const double steps[] = {0.02, 0.01, 0.005};
    for (int i = 0; i < 3; i++) {
        world w;
        char  text[TEXT];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\n"
                 "materials: {default: {friction: 0, restitution: 1}}\n"
                 "bodies:\n"
                 "  - {name: c, type: static, shape: {box: {size: [0.2, 0.12, 0.1]}},\n"
                 "     euler: [0.4, 0.3, 0.2]}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {sphere: {radius: 0.05}},\n"
                 "     position: [-0.2012, -0.111, 0.097], velocity: [2, 0, 0]}\n"
                 "simulation: {step: %g}\n",
                 steps[i]);
        open_text(&w, text);
        run(&w, steps[i], (int)(0.12 / steps[i] + 0.5));
        ss_vec3 v = body_named(&w, "b").velocity;
        assert_near(v.x, 1.9992222406045, 1e-9);
        assert_near(v.y, -0.0224306579521, 1e-9);
        assert_near(v.z, 0.0510617102746, 1e-9);
        close_world(&w);
    }
}

/* Nothing takes energy: a capsule that bounces elastically on a floor without friction. */
static void what_is_elastic_keeps_its_energy(void **state)
{
    (void)state;
    const char *text =
        "materials: {default: {friction: 0, restitution: 1}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: b, type: dynamic, mass: 1, shape: {capsule: {radius: 0.05, length: 0.3}},\n"
        "     position: [0, 0, 0.4], euler: [0.7, 0.2, 0], angular_velocity: [2, -1, 3]}\n";
    static const char *const steps[] = {"step: 0.01", "step: 0.004", "step: 0.001"};
    for (int i = 0; i < 3; i++) {
        ss_energy energy;
        end_of(text, steps[i], 1, &energy);
        assert_near(energy.dissipated, 0, 1e-9);
        assert_near(energy.integration, 0, 1e-3 * (energy.kinetic + energy.potential));
    }
}

/* What contacts are said to have done in a step explains the change of momentum, impacts included:
   also of one that has left before the step ends. */
static void forces_of_all_parts_are_told(void **state)
{
    (void)state;
    world w;
    open_text(&w, "materials: {default: {friction: 0.3, restitution: 0.4}}\n"
                  "bodies:\n"
                  "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                  "  - {name: b, type: dynamic, mass: 2, shape: {box: {size: [0.2, 0.1, 0.3]}},\n"
                  "     position: [0, 0, 0.3], euler: [0.3, 0.2, 0.1], velocity: [0.3, 0, -1],\n"
                  "     angular_velocity: [1, 2, 0]}\n"
                  "simulation: {step: 0.01}\n");
    int left = 0;
    for (int i = 0; i < 40; i++) {
        double before = body_named(&w, "b").velocity.z, pushed = -2 * 9.81 * 0.01;
        run(&w, 0.01, 1);
        assert_near(ss_data_report(w.data)->step, 0.01, 0);
        for (int32_t k = 0; k < ss_data_contact_count(w.data); k++) {
            ss_contact_info c;
            check(&w, ss_data_contact(w.model, w.data, k, &c));
            pushed += c.impulse[0] * c.normal.z;
        }
        double after = body_named(&w, "b").velocity.z;
        assert_near(2 * (after - before), pushed, 1e-12);
        left += ss_data_report(w.data)->events > 0 && after > 0;
    }
    assert_true(left > 0);
    close_world(&w);
}

/* .. and so do joints: an arm that strikes a block. */
static void joints_feel_the_impact(void **state)
{
    (void)state;
    world w;
    open_text(&w, "dimension: 2\n"
                  "gravity: [0, 0]\n"
                  "materials: {default: {friction: 0, restitution: 0.5}}\n"
                  "bodies:\n"
                  "  - {name: wall, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                  "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [1, 0.1]}},\n"
                  "     position: [0.5, 0.3], angular_velocity: -1, velocity: [0, -0.5]}\n"
                  "joints: [{name: pin, type: revolute, bodies: [world, b], anchor: [0, 0.3]}]\n"
                  "simulation: {step: 0.01}\n");
    double told = 0, before = 0, along = 0;
    for (int i = 0; i < 40; i++) {
        ss_body_state   s = body_named(&w, "b");
        ss_joint_info   j;
        ss_contact_info c;
        before = s.velocity.y;
        run(&w, 0.01, 1);
        check(&w, ss_data_joint(w.model, w.data, 0, &j));
        along = 0.01 * j.force.y;
        for (int32_t k = 0; k < ss_data_contact_count(w.data); k++) {
            check(&w, ss_data_contact(w.model, w.data, k, &c));
            along += c.impulse[0] * c.normal.y;
            told += c.impulse[0];
        }
        assert_near(body_named(&w, "b").velocity.y - before, along, 2e-6);
    }
    assert_true(told > 0.1);
    close_world(&w);
}

/* A plate that recedes, and a ball that lies on it by rounding too deep: no momentum comes of it.
 */
static void overlaps_on_what_recedes_push_nothing(void **state)
{
    (void)state;
    world w;
    open_text(&w, "gravity: [0, 0, 0]\n"
                  "bodies:\n"
                  "  - {name: plate, type: kinematic, shape: {box: {size: [1, 1, 0.1]}},\n"
                  "     position: [0, 0, -0.05], motion: {z: \"-0.05 - 0.15*t\"}}\n"
                  "  - {name: b, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}},\n"
                  "     position: [0, 0, 0.09999], velocity: [0, 0, -0.2]}\n"
                  "simulation: {step: 0.001}\n");
    run(&w, 0.001, 1);
    assert_near(body_named(&w, "b").velocity.z, -0.15, 1e-12);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_that_tumbles_lands),
        cmocka_unit_test(an_angle_iron_lands),
        cmocka_unit_test(the_other_edge_of_a_block_that_rocks),
        cmocka_unit_test(balls_that_meet_obliquely),
        cmocka_unit_test(a_ball_that_grazes_an_edge),
        cmocka_unit_test(what_is_elastic_keeps_its_energy),
        cmocka_unit_test(forces_of_all_parts_are_told),
        cmocka_unit_test(joints_feel_the_impact),
        cmocka_unit_test(overlaps_on_what_recedes_push_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
