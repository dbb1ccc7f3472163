/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Friction that varies with place. A particle that slides over mu(x) = a + b x from x = 0 has
 *
 *   v(x)^2 = v0^2 - 2 g (a x + b x^2/2)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "world.h"

#define G  9.81
#define V0 2.0
#define A  0.1
#define B  0.2

static double square_at(double x)
{
    return V0 * V0 - 2 * G * (A * x + 0.5 * B * x * x);
}

/* `floor` and `grain` are materials; what they do together is `pair`. */
static void open_floor(world *w, const char *pair, const char *floor, const char *model, double h)
{
    char text[2000];
    snprintf(text, sizeof text,
             "dimension: 2\nparams: {a: 0.1, b: 0.2}\n"
             "materials:\n"
             "  floor: {friction: 1}\n  grain: {friction: 1}\n"
             "  pairs: [%s]\n"
             "bodies:\n"
             "  - {name: floor, type: static, material: floor, %s}\n"
             "  - {name: grain, type: particle, material: grain, mass: 0.1, shape: {point: {}}, "
             "position: [0, 0], velocity: [2, 0]}\n"
             "simulation: {step: %g, duration: 1, model: %s}\n",
             pair, floor, h, model);
    open_text(w, text);
}

#define HALFPLANE "shape: {halfplane: {normal: [0, 1]}}"
#define FORMULA   "{between: [floor, grain], friction: 'a + b*x'}"

static double error_after(const char *pair, const char *floor, const char *model, double h)
{
    world w;
    open_floor(&w, pair, floor, model, h);
    run(&w, h, (int)(0.5 / h + 0.5));
    ss_body_state s = body(&w, 1);
    close_world(&w);
    assert_true(s.position.x > 0.7);
    return s.velocity.x - sqrt(square_at(s.position.x));
}

/* x'' = -g (a + b x) swings about -a/b with w^2 = g b. */
static double error_in_time(const char *model, double h)
{
    const double w = sqrt(G * B), t = 0.5;
    world        x;
    open_floor(&x, FORMULA, HALFPLANE, model, h);
    run(&x, h, (int)(t / h + 0.5));
    double v = body(&x, 1).velocity.x;
    close_world(&x);
    return v - (V0 * cos(w * t) - A / B * w * sin(w * t));
}

static void speed_follows_the_place(void **state)
{
    (void)state;
    assert_near(error_after(FORMULA, HALFPLANE, "{level: acceleration}", 0.05), 0, 1e-9);
    double euler[2], middle[2];
    for (int k = 0; k < 2; k++) {
        double h  = k == 0 ? 0.01 : 0.005;
        euler[k]  = error_in_time("{integrator: euler}", h);
        middle[k] = error_in_time("{integrator: midpoint}", h);
    }
    assert_near(euler[0] / euler[1], 2, 0.05);
    assert_near(middle[0] / middle[1], 4, 0.2);
    assert_true(fabs(middle[0]) < 1e-4);
    double round = error_after(FORMULA, HALFPLANE, "{}", 0.01);
    assert_near(round, 0, 1e-5);
    assert_near(error_after(FORMULA, HALFPLANE, "{cone: {polygon: 4}}", 0.01), round, 1e-12);
    assert_near(error_after(FORMULA, HALFPLANE, "{cone: {box: 2}}", 0.01), round, 1e-12);
}

/* Coordinates are those of the body whose material it is, wherever that is. */
static void places_belong_to_bodies(void **state)
{
    (void)state;
    static const char *const other[][2] = {
        /* the same floor as a box about (1, -0.5), upside down, with its own x */
        {"{between: [floor, grain], friction: 'a + b*(x + 1)'}",
         "shape: {box: {size: [10, 1]}}, position: [1, -0.5]"},
        {"{between: [floor, grain], friction: 'a + b*(1 - x)'}",
         "shape: {box: {size: [10, 1]}}, position: [1, -0.5], angle: 3.14159265358979312"},
        {"{between: [floor, grain], friction: {map: {values: [[a, a + 4*b]], x: [0, 4]}}}",
         HALFPLANE},
        {"{between: [floor, grain], friction: {map: {x: [-1, 0, 4], y: [-1, 1], values: [[a, a, a "
         "+ "
         "4*b], [a, a, a + 4*b]]}}}",
         HALFPLANE},
        {"{between: [grain, floor], friction: {map: {frame: world, x: [0, 4], values: [[a, a + "
         "4*b]]}}}",
         HALFPLANE}};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        assert_near(error_after(other[i][0], other[i][1], "{level: acceleration}", 0.05), 0, 1e-9);
    }
    /* of the grain, whose own place is always 0 */
    world w;
    open_floor(&w, "{between: [grain, floor], friction: 'a + b*x'}", HALFPLANE,
               "{integrator: euler}", 0.01);
    run(&w, 0.01, 50);
    assert_near(body(&w, 1).velocity.x, V0 - A * G * 0.5, 1e-12);
    close_world(&w);
}

/* In space: two materials by the geometric mean, a map over x and y, constant beyond its edge. */
static void maps_are_bilinear(void **state)
{
    (void)state;
    static const struct {
        double x, y, mu;
    } at[] = {{0.25, 0.5, 0.2 + 0.25 * 0.1 + 0.5 * 0.2 + 0.125 * 0.1},
              {0, 0, 0.2},
              {1, 1, 0.6},
              {-3, 0.5, 0.3},
              {9, 9, 0.6},
              {0.5, -2, 0.25}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        char  text[2000];
        world w;
        snprintf(text, sizeof text,
                 "materials:\n"
                 "  default: {friction: 0.5}\n"
                 "  table: {friction: {map: {x: [0, 1], y: [0, 1], values: [[0.2, 0.3], [0.4, "
                 "0.6]]}}}\n"
                 "bodies:\n"
                 "  - {name: table, type: static, material: table, shape: {plane: {normal: [0, 0, "
                 "1]}}}\n"
                 "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}}, "
                 "position: [%g, %g, 0.1], velocity: [1, 0, 0]}\n"
                 "simulation: {step: 0.001, duration: 1, model: {integrator: euler}}\n",
                 at[i].x, at[i].y);
        open_text(&w, text);
        run(&w, 0.001, 1);
        ss_contact_info c;
        check(&w, ss_data_contact(w.model, w.data, 0, &c));
        assert_near(c.mu, sqrt(0.5 * at[i].mu), 1e-14);
        assert_near(body(&w, 1).velocity.x, 1 - 0.001 * G * c.mu, 1e-14);
        close_world(&w);
    }
}

/* With static and kinetic friction of the other material both follow the place. */
static void both_coefficients_follow(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "dimension: 2\n"
              "materials:\n"
              "  default: {friction: {static: 0.9, kinetic: 0.4}}\n"
              "  table: {friction: '0.25 + 0*x'}\n"
              "bodies:\n"
              "  - {name: table, type: static, material: table, shape: {halfplane: {normal: [0, "
              "1]}}}\n"
              "  - {name: a, type: particle, mass: 1, shape: {point: {}}, velocity: [1, 0]}\n"
              "  - {name: b, type: particle, mass: 1, shape: {point: {}}, position: [5, 0]}\n"
              "simulation: {step: 0.01, duration: 1}\n");
    run(&w, 0.01, 10);
    assert_near(body(&w, 1).velocity.x, 1 - 0.1 * G * sqrt(0.4 * 0.25), 1e-12);
    for (int32_t i = 0; i < ss_data_contact_count(w.data); i++) {
        ss_contact_info c;
        check(&w, ss_data_contact(w.model, w.data, i, &c));
        bool slides = c.body_a == 1 || c.body_b == 1;
        assert_near(c.mu, sqrt(0.25 * (slides ? 0.4 : 0.9)), 1e-14);
    }
    close_world(&w);
}

/* A patch of ice in the way: a part slows down where it is rough, not where it is smooth. */
static void ice_lets_pass(void **state)
{
    (void)state;
    world w;
    open_floor(&w,
               "{between: [floor, grain], friction: {map: {x: [0, 0.1, 0.10001, 1], values: [[0.4, "
               "0.4, 0, 0]]}}}",
               HALFPLANE, "{level: acceleration}", 0.01);
    run(&w, 0.01, 30);
    assert_near(body(&w, 1).velocity.x, sqrt(V0 * V0 - 2 * G * 0.4 * (0.1 + 0.5e-5)), 1e-8);
    close_world(&w);
}

/* A planar part on three points of a table: without turning it slides as the mean of its points. */
static void supports_feel_the_place(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) { /* on a surface of no body; on a table with its own frame */
        char  text[1500];
        world w;
        snprintf(
            text, sizeof text,
            "dimension: 2\ngravity: [0, 0]\nparams: {a: 0.1, b: 0.2}\n"
            "bodies:\n"
            "  - {name: table, type: static, position: [1, 0]}\n"
            "  - {name: part, type: dynamic, mass: 1, inertia: 0.01, velocity: [2, 0], support: "
            "{points: [[0.1, 0], [-0.1, 0.1], [-0.1, -0.1]], friction: %s}}\n"
            "simulation: {step: 0.05, duration: 1, model: {level: acceleration}}\n",
            k == 0 ? "'a + b*x'"
                   : "{map: {x: [-1.2, 3], values: [[a - 0.2*b, a + 4*b]]}}, on: table");
        open_text(&w, text);
        run(&w, 0.05, 10);
        ss_body_state s = body(&w, 1);
        /* loads 1/2, 1/4, 1/4 at x + 0.1, x - 0.1: the mean friction is that of x */
        assert_near(s.velocity.x, sqrt(square_at(s.position.x)), 1e-9);
        ss_support_info at;
        check(&w, ss_data_support(w.model, w.data, 0, &at));
        assert_near(at.mu, A + B * (s.position.x + 0.1), 1e-12);
        close_world(&w);
    }
}

static void files_hold_maps(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[]           = {{"y,0,1\n0,0.2,0.3\n1,0.2,x\n", "grain.csv:3"},
                         {"y,0,1\n0,0.2,0.3\n1,0.2\n", "grain.csv:3: this row has 2 values"},
                         {"y,0,1\n0,0.2,0.3\n0,0.2,0.3\n", "places along y must increase"},
                         {"y,1,0\n0,0.2,0.3\n", "grain.csv:1: places along x must increase"},
                         {"y,a,b\n0,0.2,0.3\n", "grain.csv:1"},
                         {"y,0,1\n0,0.2,-0.3\n", "friction must be >= 0"},
                         {"y\n0\n", "at least one column"},
                         {"", "empty"}};
    const char *scene = "materials: {default: {friction: {map: {file: /tmp/ss_test_grain.csv}}}}\n"
                        "bodies:\n"
                        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                        "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}}, "
                        "position: [0.5, 0.5, 0.1], velocity: [1, 0, 0]}\n";
    for (size_t i = 0; i <= sizeof bad / sizeof *bad; i++) {
        bool  good = i == sizeof bad / sizeof *bad;
        FILE *file = fopen("/tmp/ss_test_grain.csv", "w");
        assert_non_null(file);
        fputs(good ? "y\\x,0,1\n0,0.2,0.3\n1,0.4,0.6\n" : bad[i].text, file);
        fclose(file);
        world     w;
        ss_status status = try_text(&w, scene);
        assert_int_equal(status, good ? SS_OK : SS_ERR_INPUT);
        if (good) {
            run(&w, 0.001, 1);
            ss_contact_info c;
            check(&w, ss_data_contact(w.model, w.data, 0, &c));
            /* the ball has the material too, and touches at (0, 0) of its own frame */
            assert_near(c.mu, sqrt(0.375 * 0.2), 1e-3);
        } else if (strstr(ss_context_message(w.ctx), bad[i].says) == NULL) {
            fail_msg("%s", ss_context_message(w.ctx));
        }
        close_world(&w);
    }
    remove("/tmp/ss_test_grain.csv");
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *friction, *says;
    } bad[] = {{"'0.2 + 0.1*q*x'", "q"},
               {"'0.2 + *x'", "friction"},
               {"{map: {x: [0, 1]}}", "either a file, or x and values"},
               {"{map: {x: [0, 1], values: [[1, 2, 3]]}}", "a row of values"},
               {"{map: {x: [0, 1], values: [[1, 2], [3, 4]]}}", "a row for each y (1), got 2"},
               {"{map: {x: [1, 0], values: [[1, 2]]}}", "x must increase"},
               {"{map: {x: [0, 1], values: [[1, -2]]}}", "friction must be >= 0"},
               {"{map: {x: [0, 1], values: [[1, 2]]}, static: 1}", "stands alone"},
               {"{map: {x: [0, 1], values: [[1, 2]], frame: table}}", "frame"},
               {"{map: {file: nowhere.csv}}", "nowhere.csv"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char  text[1000];
        world w;
        snprintf(text, sizeof text,
                 "materials: {default: {friction: %s}}\nbodies:\n  - {name: ball, type: dynamic, "
                 "mass: 1, shape: {sphere: {radius: 1}}}\n",
                 bad[i].friction);
        assert_int_equal(try_text(&w, text), SS_ERR_INPUT);
        if (strstr(ss_context_message(w.ctx), bad[i].says) == NULL ||
            strstr(ss_context_message(w.ctx), "test.yaml:1:") == NULL) {
            fail_msg("%s", ss_context_message(w.ctx));
        }
        close_world(&w);
    }
    /* what is found out on the way is told with its place */
    world w;
    open_floor(&w, "{between: [floor, grain], friction: 'a - b*x'}", HALFPLANE,
               "{integrator: euler}", 0.01);
    ss_status status = SS_OK;
    for (int i = 0; i < 100 && status == SS_OK; i++) {
        status = ss_step(w.model, w.data, 0.01);
    }
    assert_int_equal(status, SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(w.ctx), "friction must be >= 0, got -"));
    assert_non_null(strstr(ss_context_message(w.ctx), "of body 'floor'"));
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speed_follows_the_place), cmocka_unit_test(places_belong_to_bodies),
        cmocka_unit_test(maps_are_bilinear),       cmocka_unit_test(both_coefficients_follow),
        cmocka_unit_test(ice_lets_pass),           cmocka_unit_test(supports_feel_the_place),
        cmocka_unit_test(files_hold_maps),         cmocka_unit_test(nonsense_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
