/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joints of what moves in a medium pull where the step ends: loaded chains, rods, ropes, linkages
 * and guides come to rest at any step, lose what the medium takes and gain nothing, and stay
 * closed. Steps of explicit joints are unstable from h T/(L E) = 2 on, here 10 and more.
 */
#include "world.h"

static double potential(const world *w)
{
    return ss_data_energy(w->model, w->data).potential;
}

static double opening(const world *w)
{
    return ss_data_report(w->data)->joint_error;
}

/* Energy falls in every step, no joint is open after any, and at the end all rests. */
static void comes_to_rest(const char *text, double h, double duration, double down)
{
    world w;
    open_text(&w, text);
    const double first = potential(&w);
    double       last  = first;
    for (double t = 0; t < duration; t += h) {
        check(&w, ss_step(w.model, w.data, h));
        double now = potential(&w);
        assert_true(now <= last + 1e-10 * fabs(first - down));
        assert_true(opening(&w) < 1e-11);
        last = now;
    }
    assert_near(last, down, 1e-6 * fabs(first - down));
    close_world(&w);
}

/* n links of 0.1 m, 1 kg each, the last one 10 kg, at `slant` from straight down. */
static void write_chain(char *text, size_t size, int dimension, int n, double slant,
                        const char *joint, const char *more)
{
    double x = sin(slant), y = -cos(slant);
    size_t at = (size_t)snprintf(text, size, "dimension: %d\nbodies:\n", dimension);
    for (int i = 0; i < n; i++) {
        double c = 0.1 * (i + 0.5);
        at += (size_t)snprintf(text + at, size - at,
                               "  - {name: l%d, type: dynamic, mass: %d, damping: [5, 0.05], "
                               "collide: false, position: [%.17g, %s%.17g], ",
                               i, i == n - 1 ? 10 : 1, c * x, dimension == 3 ? "0, " : "", c * y);
        at += (size_t)(dimension == 2
                           ? snprintf(text + at, size - at,
                                      "angle: %.17g, shape: {box: {size: [0.02, 0.09]}}}\n", slant)
                           : snprintf(text + at, size - at,
                                      "quat_wxyz: [%.17g, 0, %.17g, 0], "
                                      "shape: {box: {size: [0.02, 0.02, 0.09]}}}\n",
                                      cos(slant / 2), -sin(slant / 2)));
    }
    at += (size_t)snprintf(text + at, size - at, "joints:\n");
    for (int i = 0; i < n; i++) {
        char other[8] = "world";
        if (i > 0) {
            snprintf(other, sizeof other, "l%d", i - 1);
        }
        at += (size_t)snprintf(text + at, size - at,
                               "  - {name: j%d, type: %s, bodies: [%s, l%d], anchor: "
                               "[%.17g, %s%.17g]%s}\n",
                               i, joint, other, i, 0.1 * i * x, dimension == 3 ? "0, " : "",
                               0.1 * i * y, more);
    }
    snprintf(text + at, size - at,
             "simulation: {step: 0.01, duration: 1, model: {inertia: damped}}\n");
}

/* The potential of the chain that hangs. */
static double hangs(int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum -= 9.81 * 0.1 * (i + 0.5) * (i == n - 1 ? 10 : 1);
    }
    return sum;
}

static void chains_come_to_rest(void **state)
{
    (void)state;
    static const double steps[] = {0.2, 0.05, 0.02, 0.003};
    char                text[4000];
    for (int n = 1; n <= 5; n++) {
        for (int k = 0; k < 4; k++) {
            write_chain(text, sizeof text, 2, n, 0.1 + 0.4 * (k % 2), "revolute", "");
            comes_to_rest(text, steps[k], 3, hangs(n));
            write_chain(text, sizeof text, 3, n, 0.3, "spherical", "");
            comes_to_rest(text, steps[k], 3, hangs(n));
            write_chain(text, sizeof text, 3, n, 0.3, "revolute", ", axis: [0, 1, 0]");
            comes_to_rest(text, steps[k], 3, hangs(n));
        }
    }
}

/* Nearly upright: what joints push apart needs steps that see it, and falls over. */
static void what_stands_falls_over(void **state)
{
    (void)state;
    char text[4000];
    for (int n = 1; n <= 3; n++) {
        write_chain(text, sizeof text, 2, n, 3.04, "revolute", "");
        comes_to_rest(text, 0.02, 3, hangs(n));
    }
}

/* One link: (E l^2 + E_r) w = -m g l sin(angle), so tan(angle/2) falls like exp(-k t). */
static void one_link_is_of_first_order(void **state)
{
    (void)state;
    const double k = 10 * 9.81 * 0.05 / (5 * 0.05 * 0.05 + 0.05), T = 0.02;
    const double exact = 2 * atan(tan(0.5) * exp(-k * T));
    char         text[2000];
    double       error[3];
    for (int i = 0; i < 3; i++) {
        world     w;
        const int steps = 50 << i;
        write_chain(text, sizeof text, 2, 1, 1, "revolute", "");
        open_text(&w, text);
        run(&w, T / steps, steps);
        error[i] = body_named(&w, "l0").angle - exact;
        close_world(&w);
    }
    assert_true(fabs(error[0]) < 0.02);
    assert_near(error[0] / error[1], 2, 0.1);
    assert_near(error[1] / error[2], 2, 0.05);
}

/* A rope, a rod and a rod out of the plane, with 10 kg at the last two ends. */
static void rods_and_ropes_come_to_rest(void **state)
{
    (void)state;
    static const double steps[] = {0.05, 0.01, 0.002};
    const char         *body    = "type: dynamic, damping: [5, 0.05], collide: false, "
                                  "shape: {sphere: {radius: 0.02}}";
    for (int k = 0; k < 6; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  - {name: a, mass: 1, position: [0.06, 0, -0.08], %s}\n"
                 "  - {name: b, mass: 10, position: [0.12, 0, -0.16], %s}\n"
                 "  - {name: c, mass: 10, position: [0.12, 0.1, -0.16], %s}\n"
                 "joints:\n"
                 "  - {name: j, type: distance, bodies: [world, a], anchor: [0, 0, 0], "
                 "anchor_b: [0.06, 0, -0.08]%s}\n"
                 "  - {name: k, type: distance, bodies: [a, b], anchor: [0.06, 0, -0.08], "
                 "anchor_b: [0.12, 0, -0.16]}\n"
                 "  - {name: l, type: distance, bodies: [b, c], anchor: [0.12, 0, -0.16], "
                 "anchor_b: [0.12, 0.1, -0.16]}\n"
                 "simulation: {step: 0.01, duration: 1, model: {inertia: damped}}\n",
                 body, body, body, k < 3 ? "" : ", limits: [0, 0.1]");
        comes_to_rest(text, steps[k % 3], 3, -9.81 * (0.1 + 2 + 3));
    }
}

/* A body of 20 kg on two cranks: with the joints of every value of their axis. */
static void linkages_come_to_rest(void **state)
{
    (void)state;
    static const char *const joints[] = {"stabilised", "projected", "baumgarte"};
    const char              *body     = "type: dynamic, damping: [5, 0.05], collide: false, shape";
    for (int k = 0; k < 6; k++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "dimension: 2\nbodies:\n"
            "  - {name: a, mass: 1, %s: {box: {size: [0.02, 0.09]}}, position: [-0.03, -0.04]}\n"
            "  - {name: b, mass: 20, %s: {box: {size: [0.2, 0.02]}}, position: [0.04, -0.08]}\n"
            "  - {name: c, mass: 1, %s: {box: {size: [0.02, 0.09]}}, position: [0.17, -0.04]}\n"
            "joints:\n"
            "  - {name: i, type: revolute, bodies: [world, a], anchor: [0, 0]}\n"
            "  - {name: j, type: revolute, bodies: [a, b], anchor: [-0.06, -0.08]}\n"
            "  - {name: k, type: revolute, bodies: [b, c], anchor: [0.14, -0.08]}\n"
            "  - {name: l, type: revolute, bodies: [c, world], anchor: [0.2, 0]}\n"
            "simulation: {step: 0.01, duration: 1, model: {inertia: damped, joints: %s}}\n",
            body, body, body, joints[k % 3]);
        comes_to_rest(text, k < 3 ? 0.05 : 0.002, 3, -9.81 * (20 * 0.1 + 2 * 0.05));
    }
}

/* A slider that hangs on a rail on a pivot, and slides down it to its end. */
static void sliders_come_to_rest(void **state)
{
    (void)state;
    const char *text =
        "dimension: 2\nbodies:\n"
        "  - {name: rail, type: dynamic, mass: 1, damping: [5, 0.05], collide: false, "
        "shape: {box: {size: [0.3, 0.02]}}, position: [0, -0.1]}\n"
        "  - {name: s, type: dynamic, mass: 10, damping: [5, 0.05], collide: false, "
        "shape: {box: {size: [0.04, 0.04]}}, position: [0.05, -0.1]}\n"
        "joints:\n"
        "  - {name: i, type: revolute, bodies: [world, rail], anchor: [0, 0]}\n"
        "  - {name: j, type: prismatic, bodies: [rail, s], anchor: [0.05, -0.1], axis: [1, 0], "
        "limits: [-0.15, 0.08]}\n"
        "simulation: {step: 0.01, duration: 1, model: {inertia: damped}}\n";
    /* at the end of the rail, (0.13, -0.1), the common centre of mass is below the pivot */
    double down = -9.81 * hypot(10 * 0.13, 10 * 0.1 + 0.1);
    comes_to_rest(text, 0.05, 3, down);
    comes_to_rest(text, 0.002, 3, down);
}

/* A parallelogram that a motor leads through its flat position, where rounds do not settle beyond
   rounding of places: they were asked for more until the run ended. */
static void motors_lead_through_change_points(void **state)
{
    static const double steps[] = {0.05, 0.01, 0.005, 0.002};
    ss_vec3             first   = {0, 0, 0};
    (void)state;
    for (int i = 0; i < 4; i++) {
        world w;
        open_text(
            &w, "dimension: 2\nbodies:\n"
                "  - {name: a, type: dynamic, mass: 0.2, inertia: 0.001, position: [0, -0.15],\n"
                "     damping: [1, 0.01]}\n"
                "  - {name: b, type: dynamic, mass: 1, inertia: 0.01, position: [0.15, -0.3],\n"
                "     damping: [1, 0.01]}\n"
                "  - {name: c, type: dynamic, mass: 0.2, inertia: 0.001, position: [0.3, -0.15],\n"
                "     damping: [1, 0.01]}\n"
                "joints:\n"
                "  - {name: o, type: revolute, bodies: [world, a], anchor: [0, 0],\n"
                "     motor: {velocity: -1.57, max: 6.5}}\n"
                "  - {name: p, type: revolute, bodies: [a, b], anchor: [0, -0.3]}\n"
                "  - {name: q, type: revolute, bodies: [b, c], anchor: [0.3, -0.3]}\n"
                "  - {name: r, type: revolute, bodies: [c, world], anchor: [0.3, 0]}\n"
                "simulation: {step: 0.01, duration: 3, model: {inertia: damped}}\n");
        run(&w, steps[i], (int)(2.7 / steps[i] + 0.5));
        ss_vec3 at = body_named(&w, "b").position;
        first      = i == 0 ? at : first;
        assert_near(ss_norm(ss_sub(at, first)), 0, 1e-9);
        close_world(&w);
    }
}

/* Where a scene with springs ends; its energy falls in every step. */
static double settles_at(const char *text, double h, double duration)
{
    world w;
    open_text(&w, text);
    const double first = potential(&w);
    double       last  = first;
    for (double t = 0; t < duration; t += h) {
        check(&w, ss_step(w.model, w.data, h));
        double now = potential(&w);
        assert_true(now <= last + 1e-10 * fabs(first));
        assert_true(opening(&w) < 1e-11);
        last = now;
    }
    close_world(&w);
    return last;
}

/* Chains whose joints have springs, from soft to so stiff that they turn their links by hk/E = 1e5
   radians a step and radian: springs taken at the start of the step throw them about. */
static void sprung_chains_come_to_rest(void **state)
{
    (void)state;
    static const double steps[] = {0.2, 0.02, 0.003}, stiffness[] = {1, 50, 25000};
    char                text[4000], more[96];
    for (int n = 1; n <= 4; n++) {
        for (int k = 0; k < 6; k++) {
            double end[3];
            for (int i = 0; i < 3; i++) {
                snprintf(more, sizeof more, ", stiffness: %g, damping: %g, rest: 0.2%s",
                         stiffness[k / 2], k == 3 ? 0.5 : 0.0,
                         k % 2 == 1 ? ", axis: [0, 1, 0]" : "");
                write_chain(text, sizeof text, k % 2 == 1 ? 3 : 2, n, 1, "revolute", more);
                end[i] = settles_at(text, steps[i], 6);
                assert_near(end[i], end[0], 1e-7 * (1 + fabs(end[0])));
            }
        }
    }
}

/* A bar of 0.2 m on a hinge, its end on a spring to a point beside it, and on another that is
   longer than what it joins, and pushes. */
static void springs_between_points_come_to_rest(void **state)
{
    (void)state;
    static const double steps[] = {0.2, 0.02, 0.002};
    for (int k = 0; k < 4; k++) {
        double end[3];
        char   text[2000];
        snprintf(text, sizeof text,
                 "dimension: 2\nbodies:\n"
                 "  - {name: a, type: dynamic, mass: 1, damping: [5, 0.05], collide: false, "
                 "shape: {box: {size: [0.2, 0.02]}}, position: [0.1, 0]}\n"
                 "joints:\n  - {name: j, type: revolute, bodies: [world, a], anchor: [0, 0]}\n"
                 "forces:\n"
                 "  - {name: f, type: spring, bodies: [world, a], anchors: [[0.1, 0.3], [0.1, 0]], "
                 "stiffness: %g, rest_length: %g%s}\n"
                 "simulation: {step: 0.01, duration: 1, model: {inertia: damped}}\n",
                 k % 2 == 0 ? 100.0 : 1e5, k < 2 ? 0.1 : 0.35, k % 2 == 0 ? "" : ", damping: 10");
        for (int i = 0; i < 3; i++) {
            end[i] = settles_at(text, steps[i], 4);
            assert_near(end[i], end[0], 1e-8 * (1 + fabs(end[0])));
        }
    }
}

/* No joint: E v = -k x is x' = x/(1 + h k/E) by implicit Euler, and a damper adds to E. */
static void springs_and_dampers_alone_are_implicit(void **state)
{
    (void)state;
    world w;
    open_text(&w, "gravity: [0, 0, -10]\nbodies:\n"
                  "  - {name: s, type: dynamic, mass: 1, damping: [2, 1], position: [1, 2, 3],\n"
                  "     shape: {sphere: {radius: 0.1}}}\n"
                  "  - {name: d, type: dynamic, mass: 1, damping: [2, 1], position: [5, 0, 0],\n"
                  "     shape: {sphere: {radius: 0.1}}}\n"
                  "forces:\n"
                  "  - {name: k, type: spring, bodies: [world, s], stiffness: 5000,\n"
                  "     anchors: [[0, 0, -0.002], [0, 0, 0]], rest_length: 0}\n"
                  "  - {name: c, type: damper, bodies: [world, d], damping: 3000,\n"
                  "     anchors: [[0, 0, 0], [0, 0, 0]]}\n"
                  "simulation: {step: 0.01, duration: 1, model: {inertia: damped}}\n");
    double shrinks = 1 / (1 + 0.01 * 5000 / 2);
    for (int i = 1; i <= 5; i++) {
        double part = pow(shrinks, i);
        check(&w, ss_step(w.model, w.data, 0.01));
        ss_vec3 s = body_named(&w, "s").position;
        assert_near(s.x, part, 1e-13);
        assert_near(s.y, 2 * part, 1e-13);
        assert_near(s.z, -0.004 + 3.004 * part, 1e-13); /* 10 N stretch it by 2 mm */
        assert_near(body_named(&w, "d").velocity.z, -10.0 / 3002, 1e-15);
    }
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motors_lead_through_change_points),
        cmocka_unit_test(chains_come_to_rest),
        cmocka_unit_test(what_stands_falls_over),
        cmocka_unit_test(one_link_is_of_first_order),
        cmocka_unit_test(rods_and_ropes_come_to_rest),
        cmocka_unit_test(linkages_come_to_rest),
        cmocka_unit_test(sliders_come_to_rest),
        cmocka_unit_test(sprung_chains_come_to_rest),
        cmocka_unit_test(springs_between_points_come_to_rest),
        cmocka_unit_test(springs_and_dampers_alone_are_implicit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
