/* SPDX-License-Identifier: Apache-2.0 */
/* Rest is taken where it solves the step and the load presses what holds it, and only there. */
#include "world.h"

/* Rows of discs, each in the hollows of the one below, on a floor that holds the lowest row apart.
 */
static void open_rough_logs(world *w, int rows, double mu, const char *inertia)
{
    static char text[20000];
    int         at = snprintf(text, sizeof text,
                              "dimension: 2\ngravity: [0, -9.81]\n"
                                      "materials: {default: {friction: %g}}\nbodies:\n"
                                      "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n",
                              mu);
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

static void open_logs(world *w, int rows, const char *inertia)
{
    open_rough_logs(w, rows, 0.55, inertia);
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
    for (int rows = 2; rows <= 7; rows++) { /* the last ones are solved up to a motion error */
        for (int k = 0; k < (rows <= 5 ? 2 : 1); k++) {
            world w;
            open_logs(&w, rows, inertia[k]);
            assert_near(speed_after(&w, 40), 0, 1e-9);
            close_world(&w);
        }
    }
}

/* .. however many they are: from 10 rows on these have more than 120 contacts, and from mu = 1/sqrt
   3 on forces along the vertical balance every log. Below 0.268 nothing does. */
static void a_large_pile_of_logs_rests(void **state)
{
    (void)state;
    for (int rows = 10; rows <= 12; rows++) {
        world w;
        open_rough_logs(&w, rows, rows == 11 ? 0.6 : 1, "dynamic");
        assert_near(speed_after(&w, 20), 0, 1e-12);
        close_world(&w);
    }
    world w;
    open_rough_logs(&w, 10, 0.2, "dynamic");
    assert_true(speed_after(&w, 4) > 1e-3);
    close_world(&w);
}

/* .. as long as one looks: what rounding leaves of velocities grew, and was a motion after 100
   steps. */
static void a_pile_of_logs_goes_on_resting(void **state)
{
    (void)state;
    world w;
    open_rough_logs(&w, 8, 0.55, "dynamic");
    assert_true(speed_after(&w, 300) == 0);
    close_world(&w);
    open_rough_logs(&w, 10, 0.55, "dynamic");
    assert_true(speed_after(&w, 100) == 0);
    close_world(&w);
}

/* .. in space, where cylinders touch at both ends, up to a motion error or exactly. */
static void a_pile_of_cylinders_rests(void **state)
{
    (void)state;
    static char text[8000];
    int         at = snprintf(text, sizeof text,
                              "materials: {default: {friction: 1}}\nbodies:\n"
                                      "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n");
    for (int row = 0; row < 5; row++) {
        for (int i = 0; i < 5 - row; i++) {
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "  - {name: l%d_%d, type: dynamic, mass: 1,\n"
                           "     shape: {cylinder: {radius: 0.1, length: 0.4}},\n"
                           "     position: [%.17g, 0, %.17g],\n"
                           "     quat_wxyz: [0.7071067811865476, 0.7071067811865476, 0, 0]}\n",
                           row, i, 0.2 * i + 0.1 * row, 0.1 + 0.17320508075688773 * row);
        }
    }
    snprintf(text + at, sizeof text - (size_t)at, "simulation: {step: 0.01, duration: 1}\n");
    world w;
    open_text(&w, text);
    assert_near(speed_after(&w, 20), 0, 1e-12);
    close_world(&w);
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

/* .. however flat it is: pressed at two corners across it could be held, but nothing tilts it. */
static void a_flat_box_between_walls_falls(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "  - {name: a, type: static, shape: {halfplane: {normal: [1, 0]}}, "
                 "position: [-0.5, 0]}\n"
                 "  - {name: b, type: static, shape: {halfplane: {normal: [-1, 0]}}, "
                 "position: [0.5, 0]}\n"
                 "  - {name: body, type: dynamic, mass: 1, shape: {box: {size: [1, %g]}}}\n",
                 0.1 * (1 << k));
        assert_near(fall_of(text), 9.81 * 0.005, 1e-12);
    }
}

/* .. with friction at which one corner alone would press itself: what it tilts turns back at the
   corner opposite, in the plane and in space. */
static void a_box_between_rough_walls_falls(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        char  text[800];
        world w;
        bool  space = k % 2 == 1;
        snprintf(text, sizeof text,
                 "dimension: %d\nmaterials: {default: {friction: %d}}\nbodies:\n"
                 "  - {name: a, type: static, shape: {box: {size: [1, %s]}}, position: [-1, %s]}\n"
                 "  - {name: b, type: static, shape: {box: {size: [1, %s]}}, position: [1, %s]}\n"
                 "  - {name: body, type: dynamic, mass: 1, shape: {box: {size: [1, %s]}}}\n",
                 space ? 3 : 2, k < 2 ? 3 : 5, space ? "3, 9" : "9", space ? "0, 0" : "0",
                 space ? "3, 9" : "9", space ? "0, 0" : "0", space ? "1, 1" : "1");
        open_text(&w, text);
        run(&w, 0.01, 3);
        assert_near(ss_norm(body_named(&w, "body").velocity), 9.81 * 0.03, 1e-12);
        close_world(&w);
    }
}

/* In space: corners at two adjacent walls would press each other by their friction, but the tilt
   that this makes is against the walls opposite, and nothing presses those. */
static void a_box_in_a_shaft_falls(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "gravity: [4.588543995196529, 8.543424277758824, -1.4802924083933617]\n"
              "materials: {default: {friction: 1}}\nbodies:\n"
              "- {name: a, type: static, shape: {plane: {normal: [-0.8588435136639223,\n"
              "   0.40749282621042837, -0.3103826922114796]}}, position: [0.04294217568319612,\n"
              "   -0.02037464131052142, 0.015519134610573982]}\n"
              "- {name: b, type: static, shape: {plane: {normal: [0.8588435136639223,\n"
              "   -0.40749282621042837, 0.3103826922114796]}}, position: [-0.04294217568319612,\n"
              "   0.02037464131052142, -0.015519134610573982]}\n"
              "- {name: c, type: static, shape: {plane: {normal: [0.208819825782023,\n"
              "   -0.27477514493725835, -0.9385589486468469]}}, position: [-0.0417639651564046,\n"
              "   0.05495502898745167, 0.1877117897293694]}\n"
              "- {name: d, type: static, shape: {plane: {normal: [-0.208819825782023,\n"
              "   0.27477514493725835, 0.9385589486468469]}}, position: [0.0417639651564046,\n"
              "   -0.05495502898745167, -0.1877117897293694]}\n"
              "- {name: body, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.4, 0.1]}},\n"
              "   position: [0, 0, 0], quat_wxyz: [0.06572216400796922, -0.2574079259194448,\n"
              "   -0.5985758303586034, 0.7557305949493501]}\n");
    run(&w, 0.01, 3);
    assert_near(ss_norm(body(&w, 4).velocity), 9.81 * 0.03, 1e-3);
    close_world(&w);
}

/* .. nor do blocks that stand on the floor press what they merely touch. */
static void a_box_between_blocks_falls(void **state)
{
    (void)state;
    assert_near(fall_of("  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                        "  - {name: a, type: dynamic, mass: 5, shape: {box: {size: [1, 1]}}, "
                        "position: [-1, 0.5]}\n"
                        "  - {name: b, type: dynamic, mass: 5, shape: {box: {size: [1, 1]}}, "
                        "position: [1, 0.5]}\n"
                        "  - {name: body, type: dynamic, mass: 1, shape: {box: {size: [1, 0.4]}}, "
                        "position: [0, 0.5]}\n"),
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

/*
 * A wedge, wider below, that two pegs touch at different heights: falling opens both. They could
 * hold it if it turned against them first, but the load does not turn it.
 */
static void what_the_load_opens_falls(void **state)
{
    (void)state;
    static const char wedge[] =
        "  - {name: a, type: static, shape: {disc: {radius: 0.1}},"
        " position: [0.8380580675690920, 0.3196116135138184]}\n"
        "  - {name: b, type: static, shape: {disc: {radius: 0.1}},"
        " position: [-0.9580580675690920, -0.2803883864861816]}\n"
        "  - {name: body, type: dynamic, mass: 1, com: [0, 0], inertia: 0.5, shape: {polygon:"
        " {points: [[-1, -1], [1, -1], [0.6, 1], [-0.6, 1]]}}}\n";
    assert_near(fall_of(wedge), 9.81 * 0.005, 1e-12);
    char  text[2000];
    world w;
    snprintf(text, sizeof text,
             "dimension: 2\nmaterials: {default: {friction: 1}}\nbodies:\n%s"
             "simulation: {model: {inertia: quasistatic}}\n",
             wedge);
    open_text(&w, text);
    assert_int_equal(ss_step(w.model, w.data, 0.005), SS_ERR_CERTIFICATE);
    /* forces that balance exist, and the message does not deny it */
    assert_non_null(strstr(ss_context_message(w.ctx), "but contacts that press each other"));
    close_world(&w);
}

/*
 * A bracket of height h whose weight hangs at L from a pole of width d touches it at two edges.
 * With friction above h/(2 L), L to the middle of the pole, the load presses both and they hold.
 */
static void a_bracket_holds_on_its_pole(void **state)
{
    (void)state;
    static const double mu[2] = {0.19, 0.17}; /* h = 0.18 between the inner edges, L = 0.5 */
    for (int k = 0; k < 2; k++) {
        char  text[2000];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {default: {friction: %g}}\nbodies:\n"
                 "  - {name: pole, type: static, shape: {box: {size: [0.1, 4]}}}\n"
                 "  - {name: body, type: dynamic, mass: 1, com: [0.5, 0], inertia: 0.1, shape:"
                 " {union: {parts: [{box: {size: [0.02, 0.02], position: [0.06, -0.1]}},"
                 " {box: {size: [0.02, 0.02], position: [-0.06, 0.1]}}]}}}\n",
                 mu[k]);
        open_text(&w, text);
        assert_near(speed_after(&w, 10), k == 0 ? 0 : 9.81 * 0.01, 1e-9);
        close_world(&w);
    }
}

/*
 * Of three pegs two hold the body: the load turns it against them. The third could press it against
 * either, which nothing makes it do: forces with all three are not the ones to look at.
 */
static void pegs_beside_those_that_hold(void **state)
{
    (void)state;
    static const char *const inertia[2] = {"dynamic", "quasistatic"};
    for (int k = 0; k < 2; k++) {
        char  text[2000];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [2.0308979706987498, -9.597476409588706]\n"
                 "materials: {default: {friction: 0.3}}\n"
                 "bodies:\n"
                 "  - {name: a, type: static, shape: {disc: {radius: 0.05}},"
                 " position: [0.2124450226309458, 0.9629719482175252]}\n"
                 "  - {name: b, type: static, shape: {disc: {radius: 0.05}},"
                 " position: [0.4404113865817667, 0.9401283719322822]}\n"
                 "  - {name: c, type: static, shape: {disc: {radius: 0.05}},"
                 " position: [0.09966200130516739, -1.0062428453152656]}\n"
                 "  - {name: body, type: dynamic, mass: 1, com: [0, 0], inertia: 0.4,"
                 " shape: {polygon: {points: [[0.7177754511906899, 0.6962746596480455],"
                 " [0.361785451413414, 0.9322613834894119],"
                 " [-0.5914093924071355, 0.8063714594233992],"
                 " [-0.5572438463639159, -0.8303488999749132],"
                 " [0.2133437000898922, -0.9769772083482573],"
                 " [0.7805269597207714, -0.6251221201885672]]}}}\n"
                 "simulation: {step: 0.002, model: {inertia: %s}}\n",
                 inertia[k]);
        open_text(&w, text);
        assert_near(speed_after(&w, 10), 0, 1e-9);
        close_world(&w);
    }
}

/*
 * A stone between four balls that share its weight in many ways, without inertia: what the rounds
 * find is rest, with forces of which rounding takes some out of their cones.
 */
static void a_stone_between_balls_rests(void **state)
{
    (void)state;
    world w;
    open_text(&w, "gravity: [3.040785355320164, -7.4777592846043, 5.5743017952371945]\n"
                  "materials: {default: {friction: 1.2}}\n"
                  "bodies:\n"
                  "  - {name: a, type: static, shape: {sphere: {radius: 0.05}}, position:"
                  " [-0.19820560772343726, -0.5475409136592029, 0.4051354437851116]}\n"
                  "  - {name: b, type: static, shape: {sphere: {radius: 0.05}}, position:"
                  " [-0.6276134159335441, -0.008275505393856675, 0.28074731195117053]}\n"
                  "  - {name: c, type: static, shape: {sphere: {radius: 0.05}}, position:"
                  " [0.23407419708574, 0.3046066791092879, 0.006347068467645697]}\n"
                  "  - {name: d, type: static, shape: {sphere: {radius: 0.05}}, position:"
                  " [-0.21555563238238545, 0.45944100808772714, -0.06277444863792653]}\n"
                  "  - name: stone\n"
                  "    type: dynamic\n"
                  "    mass: 1\n"
                  "    com: [0, 0, 0]\n"
                  "    inertia: [0.4, 0.4, 0.4]\n"
                  "    shape: {convex: {points: ["
                  "[0.7619180954435825, 0.053907431620170504, 0.17217515254808174],"
                  " [0.6773116939386571, 0.49123495769457726, 0.34504794584916665],"
                  " [-0.30660306595960124, -0.8238765556315721, 0.3041758560480579],"
                  " [-0.4044549393181797, 0.6535267361712813, 0.16689387221728877],"
                  " [-0.5215883779647758, 0.18736541511941057, 0.4963143658772063],"
                  " [0.1958991895657728, -0.8635903089656988, 0.2894885352266719],"
                  " [0.2589905472292551, 0.5979877287839825, 0.523807275342976],"
                  " [-0.5952675056245736, -0.3262368979587433, 0.3969814041204326],"
                  " [-0.6331473073653294, 0.28986660271036274, -0.31307188287282833]]}}\n"
                  "simulation: {step: 0.002, model: {inertia: quasistatic}}\n");
    assert_near(speed_after(&w, 5), 0, 0);
    close_world(&w);
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
        cmocka_unit_test(a_pile_of_logs_rests),
        cmocka_unit_test(a_large_pile_of_logs_rests),
        cmocka_unit_test(a_pile_of_logs_goes_on_resting),
        cmocka_unit_test(a_pile_of_cylinders_rests),
        cmocka_unit_test(the_other_motion_is_told),
        cmocka_unit_test(a_box_between_walls_falls),
        cmocka_unit_test(a_flat_box_between_walls_falls),
        cmocka_unit_test(a_box_between_rough_walls_falls),
        cmocka_unit_test(a_box_in_a_shaft_falls),
        cmocka_unit_test(a_box_between_blocks_falls),
        cmocka_unit_test(a_ball_in_a_wedge),
        cmocka_unit_test(what_stands_upright_balances),
        cmocka_unit_test(what_the_load_opens_falls),
        cmocka_unit_test(a_stone_between_balls_rests),
        cmocka_unit_test(pegs_beside_those_that_hold),
        cmocka_unit_test(a_bracket_holds_on_its_pole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
