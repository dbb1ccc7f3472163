/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Motion without inertia: when it is unique, which one is taken when it is not, and what bodies
 * under force and position control do, against closed forms. Every case with both cones.
 */
#include "world.h"

static const char *const cones[2] = {"quadratic", "{polygon: 8}"};

/* `text` without its simulation, which is quasistatic with steps of 0.01 s. */
static void open_still(world *w, const char *text, const char *cone)
{
    char all[4096];
    int  n = snprintf(all, sizeof all,
                      "%ssimulation: {step: 0.01, duration: 1, "
                       "model: {inertia: quasistatic, cone: %s, joints: projected}}\n",
                      text, cone);
    assert_true(n > 0 && n < (int)sizeof all);
    open_text(w, all);
}

/* The verdict of the last step, and the direction of a body. */
static ss_motion_verdict verdict(const world *w, const char *name, ss_body_motion *way)
{
    ss_body_motion all[16];
    assert_true(ss_model_body_count(w->model) <= 16);
    ss_motion_verdict v = ss_motion_unique(w->model, w->data, all);
    assert_int_equal(v, ss_data_report(w->data)->motion);
    *way = all[ss_model_find_body(w->model, name).index1 - 1];
    return v;
}

/* ---- verdicts ---- */

#define FLAT  "dimension: 2\ngravity: [0, -9.81]\n"
#define FLOOR "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"

/* A box on a plane: unique with friction, free to slide without. */
static void box_on_a_plane(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        char           text[512];
        world          w;
        ss_body_motion way;
        snprintf(text, sizeof text,
                 FLAT "materials: {default: {friction: %g}}\nbodies:\n" FLOOR
                      "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}}, "
                      "position: [0, 0.05]}\n",
                 k < 2 ? 0.3 : 0.0);
        open_still(&w, text, cones[k % 2]);
        run(&w, 0.01, 1);
        assert_int_equal(verdict(&w, "box", &way), k < 2 ? SS_MOTION_UNIQUE : SS_MOTION_NOT_UNIQUE);
        assert_near(fabs(way.velocity.x), k < 2 ? 0 : 1, 1e-12);
        assert_near(way.velocity.y, 0, 1e-12);
        assert_near(way.angular_velocity.z, 0, 1e-12);
        assert_near(body_named(&w, "box").position.x, 0, 0);
        close_world(&w);
    }
}

/*
 * A pull exactly at the limit of friction: the body may rest or slide along it, and rests. The
 * printed form of (3.48), which asks for no slip at loaded contacts, would call this unique.
 */
static void at_the_limit(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        char           text[512];
        world          w;
        ss_body_motion way;
        bool           flat = k < 2;
        snprintf(text, sizeof text,
                 "dimension: %d\ngravity: %s\nmaterials: {default: {friction: 0.5}}\nbodies:\n"
                 "  - {name: floor, type: static, shape: %s}\n"
                 "  - {name: bead, type: particle, mass: 2, shape: {point: {}}}\n"
                 "forces:\n  - {name: pull, type: constant, body: bead, force: %s}\n",
                 flat ? 2 : 3, flat ? "[0, -10]" : "[0, 0, -10]",
                 flat ? "{halfplane: {normal: [0, 1]}}" : "{plane: {normal: [0, 0, 1]}}",
                 flat ? "[10, 0]" : "[10, 0, 0]");
        open_still(&w, text, cones[k % 2]);
        run(&w, 0.01, 1);
        assert_int_equal(verdict(&w, "bead", &way), SS_MOTION_NOT_UNIQUE);
        assert_true(way.velocity.x > 0.3); /* along the pull, not against it */
        assert_near(body_named(&w, "bead").position.x, 0, 1e-12);
        if (k % 2 == 0) { /* a polygon's corner lets it go to either side as well */
            assert_near(ss_norm(ss_sub(way.velocity, ss_v3(1, 0, 0))), 0, 1e-6);
        }
        close_world(&w);
    }
}

/* Walls that touch a bead without force: between two it can move along, between three not at all.
 */
static void touching_walls(void **state)
{
    (void)state;
    for (int walls = 1; walls <= 3; walls++) {
        char text[1024];
        int  n = snprintf(text, sizeof text,
                          "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: 0}}\n"
                           "bodies:\n"
                           "  - {name: bead, type: particle, mass: 1, shape: {point: {}}}\n");
        for (int i = 0; i < walls; i++) {
            double angle = walls == 2 ? 3.14159265358979324 * i : 2.0943951023931953 * i;
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "  - {name: w%d, type: static, shape: {halfplane: {normal: [%.17g, "
                          "%.17g]}}}\n",
                          i, cos(angle), sin(angle));
        }
        world          w;
        ss_body_motion way;
        open_still(&w, text, cones[0]);
        run(&w, 0.01, 1);
        assert_int_equal(verdict(&w, "bead", &way),
                         walls == 3 ? SS_MOTION_UNIQUE : SS_MOTION_NOT_UNIQUE);
        assert_true(way.velocity.x >= -1e-12); /* not into the first wall */
        assert_near(way.velocity.x, walls == 2 ? 0 : way.velocity.x, 1e-12);
        close_world(&w);
    }
}

/* A pushed plate on three points slides at all of them, yet its motion is unique. */
static void sliding_and_unique(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        world          w;
        ss_body_motion way;
        open_still(
            &w,
            "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: 0.2}}\nbodies:\n"
            "  - {name: finger, type: kinematic, shape: {disc: {radius: 0.01}}, "
            "position: [-0.0601, 0.01], velocity: [0.02, 0]}\n"
            "  - {name: plate, type: dynamic, mass: 0.5, shape: {box: {size: [0.1, 0.06]}}, "
            "support: {points: [[0.04, 0.02], [-0.04, 0.02], [0, -0.025]], friction: 0.3}}\n",
            cones[k]);
        for (int i = 0; i < 100; i++) {
            run(&w, 0.01, 1);
            assert_int_equal(verdict(&w, "plate", &way), SS_MOTION_UNIQUE);
        }
        assert_true(body_named(&w, "plate").position.x > 0.01);
        close_world(&w);
    }
}

/* A body that nothing touches: anywhere without a force, nowhere with one. */
static void untouched(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char           text[256];
        world          w;
        ss_body_motion way;
        snprintf(text, sizeof text,
                 "gravity: [0, 0, %d]\nbodies:\n"
                 "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}}}\n",
                 -9 * k);
        open_still(&w, text, cones[0]);
        if (k == 0) {
            run(&w, 0.01, 1);
            assert_int_equal(verdict(&w, "ball", &way), SS_MOTION_NOT_UNIQUE);
            assert_near(ss_norm(way.velocity), 1, 1e-12);
        } else {
            assert_int_equal(ss_step(w.model, w.data, 0.01), SS_ERR_CERTIFICATE);
            assert_non_null(strstr(ss_context_message(w.ctx), "nothing touches"));
        }
        assert_near(ss_norm(body_named(&w, "ball").position), 0, 0);
        close_world(&w);
    }
}

/* ---- least motion ---- */

/*
 * A bar on nothing, pushed by a frictionless finger off its centre. Every motion whose touched
 * point keeps away balances (with no force); the least, (v'M v)/2, moves it by u at that point as
 * an impulse would: v_y = u / (1 + m r^2 / I), w = r m v_y / I.
 */
static void least_of_a_bar(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double m = 0.6, I = 0.004, r = 0.07, u = 0.05;
        world        w;
        open_still(&w,
                   "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: 0}}\nbodies:\n"
                   "  - {name: bar, type: dynamic, mass: 0.6, inertia: 0.004, "
                   "shape: {box: {size: [0.2, 0.02]}}}\n"
                   "  - {name: finger, type: kinematic, shape: {point: {}}, "
                   "position: [0.07, -0.01], velocity: [0, 0.05]}\n",
                   cones[k]);
        run(&w, 0.01, 1);
        ss_body_motion way;
        ss_body_state  b  = body_named(&w, "bar");
        double         vy = u / (1 + m * r * r / I);
        assert_int_equal(verdict(&w, "bar", &way), SS_MOTION_NOT_UNIQUE);
        assert_near(b.velocity.x, 0, 1e-12);
        assert_near(b.velocity.y, vy, 1e-12);
        assert_near(b.angular_velocity.z, r * m * vy / I, 1e-10);
        close_world(&w);
    }
}

/*
 * Two beads in a frictionless tube, pushed from the left; the right one has a metre of room. Each
 * may run ahead; the least motion is that of bodies that are pushed and no more.
 */
static void least_of_two_beads(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        world w;
        open_still(&w,
                   FLAT "materials: {default: {friction: 0}}\nbodies:\n" FLOOR
                        "  - {name: finger, type: kinematic, shape: {disc: {radius: 0.01}}, "
                        "position: [-0.02, 0.01], velocity: [0.3, 0]}\n"
                        "  - {name: one, type: dynamic, mass: 1, shape: {disc: {radius: 0.01}}, "
                        "position: [0, 0.01]}\n"
                        "  - {name: two, type: dynamic, mass: 9, shape: {disc: {radius: 0.01}}, "
                        "position: [0.021, 0.01]}\n",
                   cones[k]);
        run(&w, 0.01, 1); /* the finger goes 3 mm, the gap is 1 mm */
        ss_body_motion way;
        assert_int_equal(verdict(&w, "two", &way), SS_MOTION_NOT_UNIQUE);
        assert_near(body_named(&w, "one").position.x, 0.003, 1e-12);
        assert_near(body_named(&w, "two").position.x, 0.023, 1e-12);
        assert_near(body_named(&w, "two").angle, 0, 1e-12);
        close_world(&w);
    }
}

/* ---- control by force, by springs, by position ---- */

/* A finger pressed by a force holds a block against a wall while 2 mu F >= m g. */
static void pressed_against_a_wall(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        bool         flat = k < 4, holds = k % 2 == 0;
        const double mu = 0.4, weight = 0.5 * 10;
        double       F = weight / (2 * mu) * (holds ? 1.1 : 0.9);
        char         text[1400];
        world        w;
        snprintf(
            text, sizeof text,
            "dimension: %d\ngravity: %s\nmaterials: {default: {friction: 0.4}}\nbodies:\n"
            "  - {name: wall, type: static, shape: %s}\n"
            "  - {name: block, type: dynamic, mass: 0.5, shape: {box: {size: %s}}, position: %s}\n"
            "  - {name: finger, type: dynamic, mass: 0.1, shape: %s, position: %s}\n"
            "joints:\n"
            "  - {name: guide, type: prismatic, bodies: [world, finger], axis: %s}\n"
            "forces:\n  - {name: press, type: constant, body: finger, force: %s%.17g%s}\n",
            flat ? 2 : 3, flat ? "[0, -10]" : "[0, 0, -10]",
            flat ? "{halfplane: {normal: [-1, 0]}}" : "{plane: {normal: [-1, 0, 0]}}",
            flat ? "[0.1, 0.1]" : "[0.1, 0.1, 0.1]", flat ? "[-0.05, 0]" : "[-0.05, 0, 0]",
            flat ? "{disc: {radius: 0.02}}" : "{sphere: {radius: 0.02}}",
            flat ? "[-0.12, 0]" : "[-0.12, 0, 0]", flat ? "[1, 0]" : "[1, 0, 0]", "[", F,
            flat ? ", 0]" : ", 0, 0]");
        open_still(&w, text, cones[k / 2 % 2]);
        ss_status status = ss_step(w.model, w.data, 0.01);
        assert_int_equal(status, holds ? SS_OK : SS_ERR_CERTIFICATE);
        double wall = 0;
        for (int32_t i = 0; holds && i < ss_data_contact_count(w.data); i++) {
            ss_contact_info c;
            ss_data_contact(w.model, w.data, i, &c);
            bool of_wall = c.body_a == 0 || c.body_b == 0;
            wall += of_wall ? c.impulse[0] / 0.01 : 0;
        }
        assert_near(wall, holds ? F : 0, 1e-8);
        assert_near(ss_norm(ss_sub(body_named(&w, "block").position, ss_v3(-0.05, 0, 0))), 0,
                    1e-12);
        close_world(&w);
    }
}

/* A spring from a hand that moves: friction is k x as long as that is below mu m g. */
static void pulled_by_a_spring(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        bool  flat = k < 2;
        char  text[1024];
        world w;
        snprintf(text, sizeof text,
                 "dimension: %d\ngravity: %s\nmaterials: {default: {friction: 0.5}}\nbodies:\n"
                 "  - {name: floor, type: static, shape: %s}\n"
                 "  - {name: bead, type: particle, mass: 1, shape: {point: {}}}\n"
                 "  - {name: hand, type: kinematic, position: %s, velocity: %s}\n"
                 "forces:\n  - {name: spring, type: spring, bodies: [hand, bead], stiffness: 100, "
                 "rest_length: 0.1}\n",
                 flat ? 2 : 3, flat ? "[0, -10]" : "[0, 0, -10]",
                 flat ? "{halfplane: {normal: [0, 1]}}" : "{plane: {normal: [0, 0, 1]}}",
                 flat ? "[0.1, 0]" : "[0.1, 0, 0]", flat ? "[0.1, 0]" : "[0.1, 0, 0]");
        open_still(&w, text, cones[k % 2]);
        int steps = 0;
        while (steps < 100 && ss_step(w.model, w.data, 0.01) == SS_OK) {
            ss_contact_info c;
            ss_body_motion  way;
            ss_data_contact(w.model, w.data, 0, &c);
            double x = hypot(c.impulse[1], c.impulse_count > 2 ? c.impulse[2] : 0) / 0.01;
            double a = body_named(&w, "hand").position.x - 0.1;
            assert_true(fabs(x - 100 * a) <= 0.1 + 1e-9); /* where the hand is within the step */
            assert_near(body_named(&w, "bead").position.x, 0, 0);
            /* where k x is the limit itself, it may slide as well as rest */
            bool limit = x > 5 - 1e-6;
            assert_int_equal(verdict(&w, "bead", &way) != SS_MOTION_UNIQUE, limit);
            steps++;
        }
        assert_true(steps >= 49 && steps <= 51); /* k x = mu m g at x = 0.05 m */
        close_world(&w);
    }
}

/*
 * A crank that is turned pushes a slider with friction along a guide through a rod:
 * x = r cos t + sqrt(l^2 - r^2 sin^2 t), the rod carries friction / cos(its angle).
 */
static void slider_crank(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        bool  flat = k < 2;
        char  text[1200];
        world w;
        snprintf(text, sizeof text,
                 "dimension: %d\ngravity: %s\nbodies:\n"
                 "  - {name: crank, type: kinematic, angular_velocity: %s}\n"
                 "  - {name: slider, type: dynamic, mass: 1, inertia: %s, position: %s}\n"
                 "joints:\n"
                 "  - {name: guide, type: prismatic, bodies: [world, slider], axis: %s, "
                 "friction: 3}\n"
                 "  - {name: rod, type: distance, bodies: [crank, slider], anchor: %s, "
                 "anchor_b: %s}\n",
                 flat ? 2 : 3, flat ? "[0, 0]" : "[0, 0, 0]", flat ? "1" : "[0, 0, 1]",
                 flat ? "0.01" : "[0.01, 0.01, 0.01]", flat ? "[0.5, 0]" : "[0.5, 0, 0]",
                 flat ? "[1, 0]" : "[1, 0, 0]", flat ? "[0.1, 0]" : "[0.1, 0, 0]",
                 flat ? "[0.5, 0]" : "[0.5, 0, 0]");
        open_still(&w, text, cones[k % 2]);
        for (int i = 1; i <= 100; i++) {
            run(&w, 0.01, 1);
            ss_joint_info  rod;
            ss_body_motion way;
            double         t = 0.01 * i, r = 0.1, l = 0.4;
            double         x = r * cos(t) + sqrt(l * l - r * r * sin(t) * sin(t));
            assert_near(body_named(&w, "slider").position.x, x, 1e-8);
            ss_data_joint(w.model, w.data, 1, &rod);
            double cosine = (x - r * cos(t)) / l;
            assert_near(ss_norm(rod.force), 3 / cosine, 0.01);
            assert_int_equal(verdict(&w, "slider", &way), SS_MOTION_UNIQUE);
        }
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_on_a_plane),     cmocka_unit_test(at_the_limit),
        cmocka_unit_test(touching_walls),     cmocka_unit_test(sliding_and_unique),
        cmocka_unit_test(untouched),          cmocka_unit_test(least_of_a_bar),
        cmocka_unit_test(least_of_two_beads), cmocka_unit_test(pressed_against_a_wall),
        cmocka_unit_test(pulled_by_a_spring), cmocka_unit_test(slider_crank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
