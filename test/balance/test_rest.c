/* SPDX-License-Identifier: Apache-2.0 */
/* Rest is taken where it solves the step and the load presses what holds it, and only there. */
#include "world.h"

/* Rows of discs, each in the hollows of the one below, on a floor that holds the lowest row apart.
 */
static void open_logs(world *w, int rows, const char *inertia)
{
    char text[4000];
    int  at = snprintf(text, sizeof text,
                       "dimension: 2\ngravity: [0, -9.81]\n"
                        "materials: {default: {friction: 0.55}}\nbodies:\n"
                        "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n");
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < rows - row; i++) {
            at +=
                snprintf(text + at, sizeof text - (size_t)at,
                         "  - {name: l%d_%d, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, "
                         "position: [%.17g, %.17g]}\n",
                         row, i, 0.2 * i + 0.1 * row, 0.1 + 0.17320508075688773 * row);
        }
    }
    snprintf(text + at, sizeof text - (size_t)at,
             "simulation: {step: 0.005, duration: 1, model: {inertia: %s}}\n", inertia);
    open_text(w, text);
}

/* The fastest body after some steps. */
static double speed_after(world *w, int steps)
{
    double fastest = 0;
    run(w, ss_model_simulation(w->model)->step, steps);
    for (int32_t i = 0; i < ss_model_body_count(w->model); i++) {
        ss_body_state s = body(w, i);
        fastest         = fmax(fastest, ss_norm(s.velocity) + ss_norm(s.angular_velocity));
    }
    return fastest;
}

static void a_pile_of_logs_rests(void **state)
{
    (void)state;
    static const char *const inertia[2] = {"dynamic", "quasistatic"};
    for (int rows = 2; rows <= 5; rows++) {
        for (int k = 0; k < 2; k++) {
            world w;
            open_logs(&w, rows, inertia[k]);
            assert_near(speed_after(&w, 40), 0, 1e-9);
            close_world(&w);
        }
    }
}

/* Where both are solutions the step says so, and tells how the pile could collapse. */
static void the_other_motion_is_told(void **state)
{
    (void)state;
    world          w;
    ss_body_motion other[16];
    open_logs(&w, 5, "dynamic");
    run(&w, 0.005, 1);
    assert_int_equal(ss_data_report(w.data)->motion, SS_MOTION_NOT_UNIQUE);
    assert_int_equal(ss_motion_unique(w.model, w.data, other), SS_MOTION_NOT_UNIQUE);
    double outwards =
        other[5].velocity.x - other[1].velocity.x; /* the lowest row is pushed apart */
    assert_true(outwards > 0.1);
    close_world(&w);
}

static double fall_of(const char *bodies)
{
    char  text[2000];
    world w;
    snprintf(text, sizeof text,
             "dimension: 2\ngravity: [0, -9.81]\nmaterials: {default: {friction: 1}}\nbodies:\n%s"
             "simulation: {step: 0.005, duration: 1}\n",
             bodies);
    open_text(&w, text);
    run(&w, 0.005, 1);
    double speed = -body_named(&w, "body").velocity.y;
    close_world(&w);
    return speed;
}

/* Walls that a box merely touches could hold it if they pressed, but nothing makes them press. */
static void a_box_between_walls_falls(void **state)
{
    (void)state;
    assert_near(fall_of("  - {name: a, type: static, shape: {halfplane: {normal: [1, 0]}}, "
                        "position: [-0.5, 0]}\n"
                        "  - {name: b, type: static, shape: {halfplane: {normal: [-1, 0]}}, "
                        "position: [0.5, 0]}\n"
                        "  - {name: body, type: dynamic, mass: 1, shape: {box: {size: [1, 1]}}}\n"),
                9.81 * 0.005, 1e-12);
}

/* Walls at 0.2 rad to the vertical: what opens downwards lets the ball go. */
static void a_ball_in_a_wedge(void **state)
{
    (void)state;
    static const char opens_down[] =
        "  - {name: a, type: static, shape: {halfplane: {normal: [0.9800665778412416, "
        "-0.19866933079506122]}}, position: [-0.9800665778412416, 0.19866933079506122]}\n"
        "  - {name: b, type: static, shape: {halfplane: {normal: [-0.9800665778412416, "
        "-0.19866933079506122]}}, position: [0.9800665778412416, 0.19866933079506122]}\n"
        "  - {name: body, type: dynamic, mass: 1, shape: {disc: {radius: 1}}}\n";
    static const char opens_up[] =
        "  - {name: a, type: static, shape: {halfplane: {normal: [0.9800665778412416, "
        "0.19866933079506122]}}, position: [-0.9800665778412416, -0.19866933079506122]}\n"
        "  - {name: b, type: static, shape: {halfplane: {normal: [-0.9800665778412416, "
        "0.19866933079506122]}}, position: [0.9800665778412416, -0.19866933079506122]}\n"
        "  - {name: body, type: dynamic, mass: 1, shape: {disc: {radius: 1}}}\n";
    assert_near(fall_of(opens_down), 9.81 * 0.005, 1e-9);
    assert_near(fall_of(opens_up), 0, 1e-9);
}

/* Each stands on the one below: nothing but rounding of normals acts sideways on the upper ones. */
static void what_stands_upright_balances(void **unused)
{
    (void)unused;
    world w;
    open_text(&w, "dimension: 2\n"
                  "materials: {default: {friction: 0.6}}\n"
                  "bodies:\n"
                  "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                  "  - {name: low, type: dynamic, mass: 1, shape: {superellipse: {radii: [0.1, "
                  "0.07], e: 0.4}}, position: [0.3, 0.07]}\n"
                  "  - {name: mid, type: dynamic, mass: 1, shape: {disc: {radius: 0.03}}, "
                  "position: [0.3, 0.17]}\n"
                  "  - {name: top, type: dynamic, mass: 1, shape: {disc: {radius: 0.05}}, "
                  "position: [0.3000000000000001, 0.25]}\n"
                  "simulation: {model: {inertia: quasistatic}}\n");
    run(&w, 0.005, 4);
    assert_near(body_named(&w, "top").position.y, 0.25, 1e-12);
    assert_near(body_named(&w, "top").position.x, 0.3, 1e-12);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pile_of_logs_rests),         cmocka_unit_test(the_other_motion_is_told),
        cmocka_unit_test(a_box_between_walls_falls),    cmocka_unit_test(a_ball_in_a_wedge),
        cmocka_unit_test(what_stands_upright_balances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
