/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models without momentum: what bears a load is closed at the end of a step, and bodies go no
 * further than what is driven takes them. What falls has no balance, at any step; what a lever
 * moves fast, or settles over a gap of a thousandth, has one.
 */
#include "world.h"

static void ends_by_name(const char *text, double h)
{
    world w;
    open_text(&w, text);
    ss_status status = SS_OK;
    for (int i = 0; i < 3 && status == SS_OK; i++) {
        status = ss_step(w.model, w.data, h);
    }
    assert_int_equal(status, SS_ERR_CERTIFICATE);
    assert_non_null(strstr(ss_context_message(w.ctx), "nothing balances"));
    assert_non_null(strstr(ss_context_message(w.ctx), "'b'"));
    close_world(&w);
}

/* A box on one lower edge, its centre of mass beside it. */
static void write_box(char *text, size_t size, int dimension, double tilt)
{
    double up = 0.1 * sin(tilt) + 0.05 * cos(tilt);
    if (dimension == 2) {
        snprintf(text, size,
                 "dimension: 2\nmaterials: {default: {friction: 0.3}}\nbodies:\n"
                 "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}}, "
                 "position: [0, %.17g], angle: %.17g}\n"
                 "simulation: {step: 0.001, duration: 1, model: {inertia: quasistatic}}\n",
                 up, tilt);
        return;
    }
    snprintf(text, size,
             "materials: {default: {friction: 0.3}}\nbodies:\n"
             "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.15, 0.1]}}, "
             "position: [0, 0, %.17g], quat_wxyz: [%.17g, 0, %.17g, 0]}\n"
             "simulation: {step: 0.001, duration: 1, model: {inertia: quasistatic}}\n",
             up, cos(tilt / 2), -sin(tilt / 2));
}

static void boxes_on_an_edge_fall(void **state)
{
    (void)state;
    static const double steps[] = {1e-2, 1e-4, 1e-6}, tilts[] = {0.6, 0.1, 0.02};
    for (int k = 0; k < 18; k++) {
        char text[1000];
        write_box(text, sizeof text, k < 9 ? 2 : 3, tilts[k % 3]);
        ends_by_name(text, steps[k / 3 % 3]);
    }
}

/* What has no momentum does not go on with a velocity that it was given: that fell by up to 3 h v
   in the first step, and had a balance there. What rests stays. */
static void given_velocities_take_nothing_anywhere(void **state)
{
    (void)state;
    static const double speeds[] = {0.01, 1, 30};
    for (int k = 0; k < 9; k++) {
        const double h = 0.002, v = speeds[k / 3], up = (k % 3) * h * v;
        char         text[1000];
        world        w;
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {default: {friction: 0.3}}\nbodies:\n"
                 "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}}, "
                 "position: [0, %.17g], velocity: [%g, %g], angular_velocity: %g}\n"
                 "simulation: {step: 0.001, duration: 1, model: {inertia: quasistatic}}\n",
                 0.05 + up, k % 3 == 0 ? v : 0, -v, k % 3 == 0 ? 0.0 : v);
        if (up > 2e-4) { /* a gap of a thousandth of the body is settled over */
            ends_by_name(text, h);
            continue;
        }
        open_text(&w, text);
        run(&w, h, 5);
        assert_near(body_named(&w, "b").position.x, 0, 1e-12);
        assert_near(body_named(&w, "b").position.y, 0.05, 1e-9);
        assert_near(body_named(&w, "b").angle, 0, 1e-12);
        close_world(&w);
    }
}

static void boxes_settle_over_a_thousandth(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        char  text[1000];
        world w;
        write_box(text, sizeof text, k < 2 ? 2 : 3, k % 2 ? 2e-4 : 1e-5);
        open_text(&w, text);
        run(&w, 0.001, 3);
        ss_body_state b = body_named(&w, "b");
        assert_near(k < 2 ? b.position.y : b.position.z, 0.05, 1e-9);
        close_world(&w);
    }
}

/*
 * Two points on two planes, each with its friction cone. By enumeration of all edges of the cones
 * no forces there balance the load, but the rows of the two points on both planes have a balance
 * 0.4 m away, where nothing touches.
 */
static void nothing_balances_in_the_air(void **state)
{
    (void)state;
    static const double steps[] = {1e-2, 1e-4, 1e-6};
    for (int k = 0; k < 3; k++) {
        ends_by_name(
            "dimension: 2\ngravity: [0, 0]\n"
            "materials:\n  m0: {friction: 1}\n  m1: {friction: 1}\n  body: {friction: 1}\n"
            "  pairs:\n    - {between: [m0, body], friction: 0.13177734420679954}\n"
            "    - {between: [m1, body], friction: 0.4822688799574628}\n"
            "bodies:\n"
            "  - {name: w0, type: static, material: m0, shape: {halfplane: {normal: "
            "[0.7022682424750069, 0.7119124353535797], offset: -0.8906570855004883}}}\n"
            "  - {name: w1, type: static, material: m1, shape: {halfplane: {normal: "
            "[-0.9677505150330341, 0.2519105806696044], offset: -0.9042694630820953}}}\n"
            "  - {name: b, type: dynamic, material: body, mass: 1, inertia: 0.3, shape: {points: "
            "{points: [[-0.456130779550478, -0.801125105117117], [0.8841980832132643, "
            "-0.19287126619330472]]}}}\n"
            "forces:\n  - {name: f, type: constant, body: b, force: [-1.6849848096460909, -10], "
            "torque: 1.5659129501151212}\n"
            "simulation: {step: 0.001, duration: 1, model: {inertia: quasistatic}}\n",
            steps[k]);
    }
}

/* A finger pushes a box over the edge of a table. Once nothing holds it, it falls, and does not
   turn over in a step. */
static void boxes_fall_off_tables(void **state)
{
    (void)state;
    static const double steps[] = {1e-2, 5e-3};
    for (int k = 0; k < 2; k++) {
        world w;
        open_text(&w, "dimension: 2\nmaterials: {default: {friction: 0.3}}\nbodies:\n"
                      "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1], offset: "
                      "-0.3}}}\n"
                      "  - {name: table, type: static, shape: {box: {size: [1, 0.3]}}, position: "
                      "[-0.5, -0.15]}\n"
                      "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}}, "
                      "position: [-0.15, 0.05]}\n"
                      "  - {name: p, type: kinematic, shape: {disc: {radius: 0.02}}, motion: {x: "
                      "\"-0.271 + 0.1*t\", y: 0.05}}\n"
                      "simulation: {step: 0.01, duration: 2.5, model: {inertia: quasistatic}}\n");
        ss_status status = SS_OK;
        for (int i = 0; i * steps[k] < 2.5 && status == SS_OK; i++) {
            status = ss_step(w.model, w.data, steps[k]);
        }
        assert_int_equal(status, SS_ERR_CERTIFICATE);
        assert_non_null(strstr(ss_context_message(w.ctx), "nothing balances"));
        ss_body_state b = body_named(&w, "b");
        assert_near(b.position.x, 0, 1e-3); /* its centre is above the edge */
        assert_true(fabs(b.angle) < 0.3);
        close_world(&w);
    }
}

/* A rod on a hinge, lifted beside it: its tip goes 50 times as fast as the finger. The finger
   touches the lower face where x sin(a) - y cos(a) is its radius and half of the thickness. */
static void levers_move_fast(void **state)
{
    (void)state;
    static const double steps[] = {0.05, 0.01, 0.001};
    for (int k = 0; k < 3; k++) {
        world w;
        open_text(&w,
                  "dimension: 2\nmaterials: {default: {friction: 0.3}}\nbodies:\n"
                  "  - {name: rod, type: dynamic, mass: 1, shape: {box: {size: [1, 0.02]}}, "
                  "position: [0.5, 0]}\n"
                  "  - {name: finger, type: kinematic, shape: {disc: {radius: 0.01}}, motion: "
                  "{x: 0.02, y: \"-0.02 + 0.01*t\"}}\n"
                  "joints:\n  - {name: hinge, type: revolute, bodies: [world, rod], anchor: [0, "
                  "0]}\n"
                  "simulation: {step: 0.01, duration: 1, model: {inertia: quasistatic}}\n");
        run(&w, steps[k], (int)(0.3 / steps[k] + 0.5));
        double a = body_named(&w, "rod").angle;
        assert_near(0.02 * sin(a) + 0.017 * cos(a), 0.02, 0.002 * steps[k]);
        close_world(&w);
    }
}

/* A box that tips over in a medium, at steps in which it would turn by half a radian: while
   something bears it, its lowest corner is on the floor. */
static void what_is_borne_in_a_medium_touches(void **state)
{
    (void)state;
    static const double steps[] = {0.1, 0.05, 0.02};
    for (int k = 0; k < 3; k++) {
        world w;
        open_text(&w, "dimension: 2\nmaterials: {default: {friction: 0.3}}\nbodies:\n"
                      "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                      "  - {name: b, type: dynamic, mass: 1, damping: [20, 0.05], shape: {box: "
                      "{size: [0.2, 0.1]}}, position: [0, 0.09773102808498746], angle: 0.6}\n"
                      "simulation: {step: 0.05, duration: 1, model: {inertia: damped}}\n");
        for (int i = 0; i < 4; i++) {
            check(&w, ss_step(w.model, w.data, steps[k]));
            ss_body_state b   = body_named(&w, "b");
            double        low = b.position.y - 0.1 * fabs(sin(b.angle)) - 0.05 * fabs(cos(b.angle));
            assert_near(low, 0, 5.1e-3 * 0.1);
        }
        close_world(&w);
    }
}

/* Discs in a heap, of which the upper ones roll the lower ones apart: the message blames no drive
   that is not there. */
static void nothing_is_said_to_be_driven(void **state)
{
    (void)state;
    char   text[1500];
    size_t at =
        (size_t)snprintf(text, sizeof text,
                         "dimension: 2\nmaterials: {default: {friction: 0.28}}\nbodies:\n"
                         "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n");
    for (int k = 0; k < 6; k++) {
        int layer = (k > 2) + (k > 4), place = k - (k > 2 ? 3 : 0) - (k > 4 ? 2 : 0);
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "  - {name: l%d, type: dynamic, shape: {disc: {radius: 0.1}}, "
                               "position: [%.17g, %.17g]}\n",
                               k, 0.2 * place + 0.1 * layer, 0.1 + 0.1 * sqrt(3) * layer);
    }
    snprintf(text + at, sizeof text - at,
             "simulation: {step: 0.001, duration: 1, model: {inertia: quasistatic}}\n");
    world w;
    open_text(&w, text);
    assert_int_equal(ss_step(w.model, w.data, 0.001), SS_ERR_CERTIFICATE);
    assert_non_null(strstr(ss_context_message(w.ctx), "nothing balances"));
    assert_non_null(strstr(ss_context_message(w.ctx), "nothing is driven"));
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_on_an_edge_fall),
                                       cmocka_unit_test(given_velocities_take_nothing_anywhere),
                                       cmocka_unit_test(boxes_settle_over_a_thousandth),
                                       cmocka_unit_test(nothing_balances_in_the_air),
                                       cmocka_unit_test(boxes_fall_off_tables),
                                       cmocka_unit_test(levers_move_fast),
                                       cmocka_unit_test(what_is_borne_in_a_medium_touches),
                                       cmocka_unit_test(nothing_is_said_to_be_driven)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
