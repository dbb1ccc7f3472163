/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Supports that resist turning: a point with a torsion l and the load N has its force f and its
 * moment m about the point in an ellipsoid, and what slides maximises dissipation:
 *
 *   f1^2 + (f2/k)^2 + (m/l)^2 <= (mu N)^2,
 *   (f, m) = -mu N (u1, k^2 u2, l^2 w) / sqrt(u1^2 + k^2 u2^2 + l^2 w^2)
 */
#include <math.h>
#include <stdio.h>

#include "world.h"

#define G    9.81
#define MU   0.3
#define MASS 0.5
#define L    0.03

static void open_part(world *w, const char *body, const char *support, const char *rest)
{
    char text[2000];
    snprintf(text, sizeof text,
             "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: 0}}\n"
             "bodies:\n"
             "  - {name: part, type: dynamic, mass: 0.5, shape: {box: {size: [0.1, 0.06]}}, %s,"
             " support: {%s}}\n%s",
             body, support, rest);
    open_text(w, text);
}

/*
 * Thrown and spinning: dv/dt = -mu g v/s, dw/dt = -(m l^2/J) mu g w/s, s = |(v, l w)|. With J = m
 * l^2 both fall in proportion, s by mu g: a straight way to rest.
 */
static void sliding_and_spinning_end_together(void **state)
{
    (void)state;
    static const char *const models[] = {"{integrator: euler}", "{integrator: midpoint}",
                                         "{level: acceleration}", "{cone: {polygon: 8}}"};
    for (int k = 0; k < 4; k++) {
        world  w;
        char   body_text[200], rest[200];
        bool   turns = k < 3; /* pyramids share sliding and spinning in another way */
        double v0 = 0.2, w0 = turns ? 8 : 0, s0 = hypot(v0, L * w0), t = 0.03;
        snprintf(body_text, sizeof body_text,
                 "inertia: %.17g, velocity: [0, %g], angular_velocity: %g", MASS * L * L, v0, w0);
        snprintf(rest, sizeof rest, "simulation: {step: 0.001, duration: 1, model: %s}\n",
                 models[k]);
        open_part(&w, body_text, "points: [[0, 0]], friction: 0.3, torsion: 0.03", rest);
        run(&w, 0.001, 30);
        ss_body_state b    = body(&w, 0);
        double        left = 1 - MU * G * t / s0;
        assert_near(b.velocity.y, v0 * left, 1e-10);
        assert_near(b.velocity.x, 0, 1e-10);
        assert_near(b.angular_velocity.z, w0 * left, 1e-8);
        ss_support_info at;
        check(&w, ss_data_support(w.model, w.data, 0, &at));
        assert_near(at.normal_force, MASS * G, 1e-12);
        assert_near(at.torsion, L, 0);
        assert_near(at.friction[1], -MU * MASS * G * v0 / s0, 1e-8);
        assert_near(at.moment, -MU * MASS * G * L * L * w0 / s0, 1e-9);
        assert_int_equal(at.state, SS_CONTACT_SLIP);
        run(&w, 0.001, 200);
        b = body(&w, 0);
        assert_near(ss_norm(b.velocity), 0, 1e-12);
        assert_near(b.angular_velocity.z, 0, 1e-10);
        double lost = 0.5 * MASS * s0 * s0;
        assert_near(ss_data_energy(w.model, w.data).dissipated, lost, 1e-6 * lost);
        close_world(&w);
    }
}

/* It holds as long as the load lies in the ellipsoid, which stands at `angle` on the part. */
static void it_holds_inside_the_ellipsoid(void **state)
{
    (void)state;
    const double across = 1.6;
    for (int i = 0; i < 24; i++) {
        double psi = 0.9 + 1.7 * i, theta = 0.4 + 0.37 * i, size = i % 2 == 0 ? 0.999 : 1.01;
        double bound = size * MU * MASS * G;
        double f1 = bound * cos(psi) * sin(theta), f2 = across * bound * sin(psi) * sin(theta);
        double turned = 0.7 + 0.5, c = cos(turned), s = sin(turned); /* body, and axes on it */
        char   rest[600];
        world  w;
        snprintf(rest, sizeof rest,
                 "forces:\n"
                 "  - {name: pull, type: constant, body: part, force: [%.17g, %.17g], torque: "
                 "%.17g}\n"
                 "simulation: {step: 0.01, duration: 1, model: {level: %s}}\n",
                 c * f1 - s * f2, s * f1 + c * f2, bound * L * cos(theta),
                 i % 3 == 0 ? "acceleration" : "impulse");
        open_part(&w, "angle: 0.7",
                  "points: [[0, 0]], torsion: 0.03, friction: {x: 0.3, y: 0.48, angle: 0.5, frame: "
                  "body}",
                  rest);
        run(&w, 0.01, 5);
        ss_body_state b    = body(&w, 0);
        double        fast = ss_norm(b.velocity) + L * fabs(b.angular_velocity.z);
        if (i % 2 == 0) {
            assert_near(fast, 0, 1e-13);
        } else {
            assert_true(fast > 1e-5);
        }
        close_world(&w);
    }
}

/*
 * Pushed slowly without friction along x, at the distance d from the centre: the part turns about
 * the point l^2/d beyond it, with V d/(l^2 + d^2).
 */
static void a_push_turns_it_about_the_conjugate_point(void **state)
{
    (void)state;
    const double d = 0.02, V = 0.01, h = 1e-4;
    for (int k = 0; k < 3;
         k++) { /* at its centre; beside it, with the finger; sums of ellipsoids */
        static const char *const supports[] = {
            "points: [[0, 0]], friction: 0.3, torsion: 0.03",
            "points: [[0.01, 0.015]], friction: 0.3, torsion: 0.03",
            "points: [[0, 0], [0, 0], [0, 0], [0, 0]], normal_forces: [1, 2, 1, 0.905], friction: "
            "0.3, torsion: [0.03, 0.03, 0.03, 0.03]"};
        double y = k == 1 ? 0.015 : 0, turn = V * d / (L * L + d * d);
        char   text[1500];
        world  w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: 0}}\n"
                 "bodies:\n"
                 "  - {name: finger, type: kinematic, shape: {disc: {radius: 0.01}}, motion: {x: "
                 "'-0.06 + 0.01*t', y: %g}}\n"
                 "  - {name: part, type: dynamic, mass: 0.5, shape: {box: {size: [0.1, 0.1]}},"
                 " support: {%s}}\n"
                 "simulation: {step: 1e-4, duration: 1, model: {inertia: quasistatic}}\n",
                 y - d, supports[k]);
        open_text(&w, text);
        run(&w, h, 1);
        ss_body_state b = body(&w, 1);
        assert_near(b.angle / h, turn, 1e-6 * turn);
        assert_near(b.position.y, (k == 1 ? -0.01 : 0) * b.angle, 1e-12);
        assert_near((b.position.x - (k == 1 ? 0.015 : 0) * b.angle) / h, turn * L * L / d,
                    1e-6 * V);
        assert_true(ss_data_report(w.data)->residual < 1e-9);
        close_world(&w);
    }
}

/* On a table that turns about it, a part follows up to the acceleration mu N l/J. */
static void it_follows_a_table_that_turns(void **state)
{
    (void)state;
    const double most = MU * G / L; /* J = m l^2 */
    for (int k = 0; k < 2; k++) {
        double alpha = most * (k == 0 ? 0.9 : 1.5), t = 0.05;
        char   text[1500];
        world  w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, 0]\n"
                 "bodies:\n"
                 "  - {name: table, type: kinematic, motion: {angle: '%.17g*t^2'}}\n"
                 "  - {name: part, type: dynamic, mass: 0.5, inertia: %.17g, shape: {box: {size: "
                 "[0.1, 0.06]}}, support: {points: [[0, 0]], friction: 0.3, torsion: 0.03, on: "
                 "table}}\n"
                 "simulation: {step: 0.001, duration: 1}\n",
                 alpha / 2, MASS * L * L);
        open_text(&w, text);
        run(&w, 0.001, 50);
        double spin = body(&w, 1).angular_velocity.z;
        assert_near(spin, k == 0 ? alpha * t : most * t, 2e-3 * alpha);
        close_world(&w);
    }
}

/* A surface that heaves: N = m (g + a) + load. */
static void one_patch_carries_all(void **state)
{
    (void)state;
    world w;
    open_part(&w, "velocity: [1, 0]",
              "points: [[0, 0]], friction: 0.3, torsion: 0.03, load: 2, lift: [3, 0, 0]",
              "simulation: {step: 0.001, duration: 1}\n");
    run(&w, 0.001, 100);
    assert_near(body(&w, 0).velocity.x, 1 - 0.1 * MU * (MASS * (G + 3) + 2) / MASS, 1e-10);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_and_spinning_end_together),
        cmocka_unit_test(it_holds_inside_the_ellipsoid),
        cmocka_unit_test(a_push_turns_it_about_the_conjugate_point),
        cmocka_unit_test(it_follows_a_table_that_turns),
        cmocka_unit_test(one_patch_carries_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
