/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that lie on belts and on tables that move, against closed forms. */
#include <math.h>
#include <stdio.h>

#include "world.h"

#define G     9.81
#define PLATE "mass: 0.5, shape: {box: {size: [0.1, 0.06]}}"
#define FEET  "points: [[0.04, 0.02], [-0.04, 0.02], [0, -0.025]]"

static void to(world *w, double h, double t)
{
    while (ss_data_time(w->data) < t - 0.5 * h) {
        check(w, ss_step(w->model, w->data, h));
    }
}

/* A fixed fence over a belt is a moving fence over a still ground, seen from the belt. */
static void belt_and_fence_are_relative(const char *model, double h)
{
    double tolerance = 0.01 * h; /* rows are those of the start of the step: order h */
    char   text[2][1500];
    world  w[2];
    for (int k = 0; k < 2; k++) {
        snprintf(text[k], sizeof text[k],
                 "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: 0.2}}\n"
                 "bodies:\n"
                 "  - {name: belt, type: static, surface_velocity: [0, %s]}\n"
                 "  - {name: fence, type: kinematic, shape: {disc: {radius: 0.01}}, motion: {x: "
                 "0.012, y: '-0.0401 + %s*t'}}\n"
                 "  - {name: plate, type: dynamic, " PLATE ", velocity: [0, %s], support: {" FEET
                 ", friction: 0.3, on: belt}}\n"
                 "simulation: {step: %g, duration: 1, model: {inertia: %s}}\n",
                 k == 0 ? "-0.05" : "0", k == 0 ? "0" : "0.05", k == 0 ? "-0.05" : "0", h, model);
        open_text(&w[k], text[k]);
        to(&w[k], h, 1);
    }
    ss_body_state a = body(&w[0], 2), b = body(&w[1], 2);
    assert_near(a.position.x, b.position.x, tolerance);
    assert_near(a.position.y + 0.05, b.position.y, tolerance);
    assert_near(a.angle, b.angle, tolerance / 0.04); /* of its half length */
    assert_true(fabs(a.angle) > 0.1);                /* it did turn at the fence */
    close_world(&w[0]);
    close_world(&w[1]);
}

static void belts_carry_parts_into_fences(void **state)
{
    (void)state;
    belt_and_fence_are_relative("quasistatic", 1e-3);
    belt_and_fence_are_relative("quasistatic", 2e-4);
    belt_and_fence_are_relative("dynamic", 1e-3);
}

/*
 * A bar that rests on its two ends, +-a, is carried against a point at c without friction, 0 < c <
 * a. The push F at c balances the forces f1 at -a and f2 at a: f2 slides, f1 = F - f2 stays below
 * its bound, so that the end at -a goes with the belt and the bar turns about it: w = V/(a + c).
 */
static void a_bar_turns_about_its_far_end(void **state)
{
    (void)state;
    const double a = 0.04, V = 0.02;
    for (int k = 1; k < 4; k++) {
        double c = 0.01 * k;
        char   text[1500];
        world  w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: 0}}\n"
                 "bodies:\n"
                 "  - {name: belt, type: static, surface_velocity: [0, %g]}\n"
                 "  - {name: fence, type: static, shape: {disc: {radius: 0.005}}, position: [%g, "
                 "-0.015]}\n"
                 "  - {name: bar, type: dynamic, mass: 0.2, shape: {box: {size: [0.1, 0.02]}}, "
                 "support: {points: [[-0.04, 0], [0.04, 0], [0, 0.03]], friction: 0.3, on: belt}}\n"
                 "simulation: {step: 0.0001, duration: 1, model: {inertia: quasistatic}}\n",
                 -V, c);
        open_text(&w, text);
        to(&w, 0.0001, 0.0002);
        assert_near(body(&w, 2).angular_velocity.z, V / (a + c), 1e-4 * V / (a + c));
        close_world(&w);
    }
}

/* A table that accelerates by less than mu g takes its load along, by more it runs away from it. */
static void tables_take_parts_along(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char   text[1000];
        world  w;
        double accelerates = k == 0 ? 2 : 4; /* mu g = 2.943 */
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, 0]\n"
                 "bodies:\n"
                 "  - {name: table, type: kinematic, motion: {acceleration: [%g, 0]}}\n"
                 "  - {name: plate, type: dynamic, " PLATE ", support: {" FEET
                 ", friction: 0.3, on: table}}\n"
                 "simulation: {step: 0.001, duration: 0.5, model: {integrator: euler}}\n",
                 accelerates);
        open_text(&w, text);
        to(&w, 0.001, 0.5);
        double taken = fmin(accelerates, 0.3 * G);
        /* euler: velocities at the end of a step follow the table's mean over it */
        assert_near(body(&w, 1).velocity.x, taken * 0.5, 1.1e-3 * taken);
        assert_near(body(&w, 1).position.x, 0.125 * taken, 2e-3 * 0.125 * taken);
        assert_near(body(&w, 1).angle, 0, 1e-12);
        close_world(&w);
    }
}

/* v' = -mu (g + A cos wt) while it slides: normal forces follow the table's heave. */
static void heave_changes_friction(void **state)
{
    (void)state;
    const double A = 6, omega = 40, mu = 0.3, v0 = 3, h = 1e-4;
    world        w;
    open_text(&w, "dimension: 2\ngravity: [0, 0]\n"
                  "bodies:\n"
                  "  - {name: plate, type: dynamic, " PLATE ", velocity: [3, 0], support: {" FEET
                  ", friction: 0.3, lift: ['6*cos(40*t)', 0, 0]}}\n"
                  "simulation: {step: 0.0001, duration: 1}\n");
    for (int k = 1; k <= 5; k++) {
        to(&w, h, 0.1 * k);
        double t = ss_data_time(w.data);
        assert_near(body(&w, 0).velocity.x, v0 - mu * (G * t + A / omega * sin(omega * t)), 1e-6);
    }
    close_world(&w);
}

/* (3.23) on a surface that turns: forces and moments that the three points must give. */
static void tilting_tables_shift_the_load(void **state)
{
    (void)state;
    world w;
    open_text(&w, "dimension: 2\ngravity: [0, 0]\n"
                  "bodies:\n"
                  "  - {name: table, type: kinematic, position: [0.1, 0], motion: {x: 0.1}}\n"
                  "  - {name: plate, type: dynamic, position: [0.3, 0.2], angle: 0.7, inertia: "
                  "0.001, " PLATE ", support: {" FEET
                  ", friction: 0.3, on: table, lift: [1, 2, -3], inertia_across: [2e-4, 5e-4], "
                  "load: 2, load_point: [0.01, 0.005]}}\n"
                  "simulation: {step: 0.001, duration: 1}\n");
    to(&w, 0.001, 0.001);
    double across = 1 + 2 * 0.2 + 3 * 0.2, force = 0, about_x = 0, about_y = 0;
    double c = cos(0.7), s = sin(0.7);
    double bx = c * 2 + s * -3, by = -s * 2 + c * -3; /* angular acceleration in body axes */
    double mx = c * 2e-4 * bx - s * 5e-4 * by, my = s * 2e-4 * bx + c * 5e-4 * by;
    double Lx = c * 0.01 - s * 0.005, Ly = s * 0.01 + c * 0.005;
    for (int i = 0; i < 3; i++) {
        ss_support_info at;
        check(&w, ss_data_support(w.model, w.data, i, &at));
        force += at.normal_force;
        about_x += at.normal_force * (at.point.y - 0.2);
        about_y -= at.normal_force * (at.point.x - 0.3);
    }
    assert_near(force, 0.5 * (G + across) + 2, 1e-9);
    assert_near(about_x, mx + 2 * Ly, 1e-9);
    assert_near(about_y, my - 2 * Lx, 1e-9);
    close_world(&w);
}

/*
 * A table that sets off where a step ends, but for the rounding of its time: in the last step
 * before it goes a way of 1e-30 m, which its points would share only to the rounding of their
 * places. Up to mu g the part goes along, above that it slides: v = mu g t. The step in which it
 * sets off is of first order: it ends with the mean velocity of the table, and the next one is a
 * h^2/4 behind.
 */
static void tables_set_off_where_a_step_ends(void **state)
{
    (void)state;
    static const double rate[] = {1.5, 6}, steps[] = {0.01, 0.005, 0.002};
    for (int i = 0; i < 6; i++) {
        double a = rate[i % 2], h = steps[i / 2];
        char   text[1500];
        world  w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, 0]\n"
                 "bodies:\n"
                 "  - {name: table, type: kinematic, motion: {x: '0.5*%g*max(0, t - 1)^2'}}\n"
                 "  - {name: plate, type: dynamic, " PLATE ", support: {" FEET
                 ", friction: 0.3, on: table}}\n"
                 "simulation: {step: %g, duration: 2}\n",
                 a, h);
        open_text(&w, text);
        to(&w, h, 1.5);
        ss_body_state plate = body(&w, 1);
        assert_near(plate.velocity.x, 0.5 * fmin(a, 0.3 * G), 1e-9);
        assert_near(plate.position.x, 0.125 * fmin(a, 0.3 * G), 0.26 * a * h * h);
        close_world(&w);
    }
}

static void what_lifts_off_is_named(void **state)
{
    (void)state;
    world w;
    open_text(&w, "dimension: 2\ngravity: [0, 0]\n"
                  "bodies:\n"
                  "  - {name: plate, type: dynamic, " PLATE ", support: {" FEET
                  ", friction: 0.3, lift: ['-100*t', 0, 0]}}\n"
                  "simulation: {step: 0.001, duration: 1}\n");
    ss_status status = SS_OK;
    for (int i = 0; i < 200 && status == SS_OK; i++) {
        status = ss_step(w.model, w.data, 0.001);
    }
    assert_int_equal(status, SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(w.ctx), "lifts off"));
    assert_near(ss_data_time(w.data), 0.0981, 2e-3);
    close_world(&w);
}

/*
 * A conveyor that is put up by 0.3 rad with a belt of 1 m/s along x: what the belt does is the part
 * of that along it, whether it stands as a static body or as one that is driven. A box from rest is
 * taken along by mu g cos a - g sin a, until it is as fast.
 */
static void belts_go_along_their_surface(void **state)
{
    static const char *const stands[] = {"type: static, angle: 0.3",
                                         "type: kinematic, motion: {x: 0, y: 0, angle: 0.3}"};
    (void)state;
    const double a = 0.3, mu = 0.9, v = cos(a), pull = G * (mu * cos(a) - sin(a)), T = 0.6;
    const double way = v * (T - v / pull) + 0.5 * v * v / pull;
    for (int k = 0; k < 2; k++) {
        char  text[800];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {default: {friction: 0.9}}\nbodies:\n"
                 "  - {name: k, shape: {box: {size: [4, 0.1]}}, surface_velocity: [1, 0], %s}\n"
                 "  - {name: b, type: dynamic, shape: {box: {size: [0.2, 0.05]}}, mass: 1, angle: "
                 "0.3, position: ['-0.075*sin(0.3)', '0.075*cos(0.3)']}\n"
                 "simulation: {step: 0.001, duration: 1}\n",
                 stands[k]);
        open_text(&w, text);
        to(&w, 0.001, T);
        ss_body_state s = body_named(&w, "b");
        assert_near(s.velocity.x, v * cos(a), 1e-9);
        assert_near(s.velocity.y, v * sin(a), 1e-9);
        assert_near(s.position.x, -0.075 * sin(a) + way * cos(a), 1e-6);
        assert_near(ss_data_energy(w.model, w.data).corrections, 0, 1e-9);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(belts_carry_parts_into_fences),
                                       cmocka_unit_test(a_bar_turns_about_its_far_end),
                                       cmocka_unit_test(tables_take_parts_along),
                                       cmocka_unit_test(tables_set_off_where_a_step_ends),
                                       cmocka_unit_test(heave_changes_friction),
                                       cmocka_unit_test(tilting_tables_shift_the_load),
                                       cmocka_unit_test(what_lifts_off_is_named),
                                       cmocka_unit_test(belts_go_along_their_surface)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
