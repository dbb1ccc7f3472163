/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quasistatic rest: bodies that friction holds stay where they are, however their contacts share
 * the load, and where nothing balances the forces the step fails and names the body.
 */
#include "world.h"

/* A box on a slope, `off` above the angle of friction. Gravity is tilted instead of the floor. */
static void open_slope(world *w, double off, const char *cone)
{
    const double angle = atan(0.5) + off;
    char         text[1024];
    snprintf(text, sizeof text,
             "gravity: [%.17g, 0, %.17g]\n"
             "materials: {default: {friction: 0.5}}\n"
             "bodies:\n"
             "  - {name: slope, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [1, 1, 0.2]}},"
             " position: [0, 0, 0.1]}\n"
             "simulation: {step: 0.01, model: {inertia: quasistatic, cone: %s}}\n",
             9.81 * sin(angle), -9.81 * cos(angle), cone);
    open_text(w, text);
}

static void friction_holds_a_box_on_a_slope(void **state)
{
    static const double      off[]  = {-0.3, -0.01, -1e-4};
    static const char *const cone[] = {"quadratic", "{polygon: 8}"};
    (void)state;
    for (int i = 0; i < 6; i++) {
        world w;
        open_slope(&w, off[i % 3], cone[i / 3]);
        for (int k = 0; k < 20; k++) {
            check(&w, ss_step(w.model, w.data, 0.01));
            assert_true(ss_data_report(w.data)->residual <= 1e-12);
            ss_body_state box = body_named(&w, "box");
            assert_true(ss_norm(box.velocity) == 0 && ss_norm(box.angular_velocity) == 0);
            assert_true(box.position.x == 0 && box.position.y == 0 && box.position.z == 0.1);
        }
        close_world(&w);
    }
}

static void no_balance_is_named(void **state)
{
    static const double off[] = {1e-4, 0.01, 0.3};
    (void)state;
    for (int i = 0; i < 3; i++) {
        world w;
        open_slope(&w, off[i], "quadratic");
        assert_int_equal(ss_step(w.model, w.data, 0.01), SS_ERR_CERTIFICATE);
        const char *message = ss_context_message(w.ctx);
        if (strstr(message, "nothing balances the forces on body 'box'") == NULL) {
            fail_msg("%s", message);
        }
        close_world(&w);
    }
}

/* Rounding of the solver's answers in the lowest cube is more than the motion that is asked for. */
static void a_stack_rests(void **state)
{
    enum { CUBES = 10 };
    char text[4096];
    int  at = snprintf(text, sizeof text,
                       "materials: {default: {friction: 0.5}}\n"
                        "simulation: {step: 0.01, model: {inertia: quasistatic}}\n"
                        "bodies:\n"
                        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n");
    (void)state;
    for (int i = 0; i < CUBES; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  - {name: cube%d, type: dynamic, mass: 1, shape: {box: {size: [1, 1, 1]}},"
                       " position: [0, 0, %g]}\n",
                       i, i + 0.5);
    }
    world w;
    open_text(&w, text);
    for (int k = 0; k < 60; k++) {
        check(&w, ss_step(w.model, w.data, 0.01));
        assert_true(ss_data_report(w.data)->residual <= 1e-9);
    }
    for (int i = 0; i < CUBES; i++) {
        ss_body_state cube = body(&w, i + 1);
        assert_near(cube.position.z, i + 0.5, 1e-12);
        assert_true(ss_norm(cube.velocity) <= 1e-12);
    }
    close_world(&w);
}

/* What a pusher drives over a floor at 0.02 m/s, and where `last` is after 4 s. */
typedef struct pushed {
    const char *pusher, *parts;
    double      mu, to;
} pushed;

#define TRIANGLE "{polygon: {points: [[-0.03, -0.02], [0.02, -0.02], [0, 0.03]]}}"

/* Found by random scenes: the digits decide on which side rounding falls. */
static const pushed drives[] = {
    {"shape: " TRIANGLE ", motion: {x: 0.02*t, y: 0.065}",
     "  - {name: last, type: dynamic, mass: 0.5, position: [0.10198049537790756, 0],"
     " shape: {polygon: {points: [[-0.04198049537790756, 0], [0.04198049537790756, 0],"
     " [0.04198049537790756, 0.05827606207017536], [-0.00839609907558151, 0.05827606207017536],"
     " [-0.00839609907558151, 0.1456901551754384], [-0.04198049537790756, "
     "0.1456901551754384]]}}}\n",
     0.2, 0.14198049537790756},
    {"shape: " TRIANGLE ", motion: {x: 0.02*t, y: 0.021}",
     "  - {name: low, type: dynamic, mass: 1, position: [0.11626604906559822, 0.09096184511010036],"
     " shape: {box: {size: [0.05253209813119644, 0.18192369022020072]}}}\n"
     "  - {name: last, type: dynamic, mass: 0.5, position: [0.11626604906559822, "
     "0.2019236902202007],"
     " shape: {box: {size: [0.024639596399450816, 0.04]}}}\n",
     0.3, 0.12626604906559822},
    {"shape: {disc: {radius: 0.02}}, motion: {x: 0.02*t, y: 0.04}",
     "  - {name: near, type: dynamic, mass: 3, position: [0.10692437507746932, "
     "0.09647826378674884],"
     " shape: {box: {size: [0.09384875015493865, 0.19295652757349768]}}}\n"
     "  - {name: last, type: dynamic, mass: 0.5, position: [0.226395233397316, "
     "0.08883391261842502],"
     " shape: {box: {size: [0.1250929664847547, 0.17766782523685004]}}}\n",
     0.2, 0.256395233397316}};

static void open_pushed(world *w, const pushed *p, int sides)
{
    char text[2048];
    snprintf(text, sizeof text,
             "dimension: 2\n"
             "materials: {default: {friction: %g}}\n"
             "simulation: {step: 0.01, model: {inertia: quasistatic, cone: {polygon: %d}}}\n"
             "bodies:\n"
             "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
             "  - {name: pusher, type: kinematic, %s}\n%s",
             p->mu, sides, p->pusher, p->parts);
    open_text(w, text);
}

/*
 * Directions of contacts are known to rounding alone: a floor along which a box slides leans by
 * 1e-15, and with it what carries a box that rides on another. The polygon's rows were judged for
 * the sign of such numbers, and runs ended 'infeasible'.
 */
static void parts_are_pushed_with_the_polygon(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        world w;
        open_pushed(&w, &drives[i % 3], i < 3 ? 4 : 8);
        for (int k = 0; k < 400; k++) {
            check(&w, ss_step(w.model, w.data, 0.01));
        }
        ss_body_state last = body_named(&w, "last");
        assert_near(last.position.x, drives[i % 3].to, 1e-9);
        assert_near(last.angle, 0, 1e-12);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_holds_a_box_on_a_slope), cmocka_unit_test(no_balance_is_named),
        cmocka_unit_test(a_stack_rests), cmocka_unit_test(parts_are_pushed_with_the_polygon)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
