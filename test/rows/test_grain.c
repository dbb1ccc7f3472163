/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts on a surface with a grain: friction inside an ellipse with axes of the surface. With
 * coefficients m1, m2 along e1, e2, a point under the load N that moves with u meets
 *
 *   f = -N (m1^2 u1, m2^2 u2) / sqrt(m1^2 u1^2 + m2^2 u2^2)
 *
 * (maximum dissipation), which is neither along u nor of constant size.
 */
#include <math.h>
#include <stdio.h>

#include "world.h"

#define G     9.81
#define M1    0.25
#define M2    0.4
#define PLATE "mass: 0.5, shape: {box: {size: [0.1, 0.06]}}"
#define FEET  "points: [[0.04, 0.02], [-0.04, 0.02], [0, -0.025]]"

/* Friction per load against u, in the world; the first axis at `angle`. */
static void drag(double angle, double ux, double uy, double *f)
{
    double c = cos(angle), s = sin(angle), u1 = c * ux + s * uy, u2 = -s * ux + c * uy;
    double n  = sqrt(M1 * M1 * u1 * u1 + M2 * M2 * u2 * u2);
    double f1 = M1 * M1 * u1 / n, f2 = M2 * M2 * u2 / n;
    f[0] = c * f1 - s * f2;
    f[1] = s * f1 + c * f2;
}

static void open_plate(world *w, const char *body, const char *friction, const char *rest)
{
    char text[2000];
    snprintf(text, sizeof text,
             "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: 0}}\n"
             "bodies:\n"
             "  - {name: plate, type: dynamic, " PLATE ", %s, support: {" FEET ", friction: %s}}\n"
             "%s",
             body, friction, rest);
    open_text(w, text);
}

/* Pulled from rest it moves straight, beside the direction of the force: m a d + m g drag(d) = F.
 */
static void it_yields_beside_the_force(void **state)
{
    (void)state;
    static const char *const models[] = {"{integrator: euler}", "{integrator: midpoint}",
                                         "{level: acceleration}", "{inertia: damped}"};
    const double             a = 1.5, phi = 0.9, angle = 0.4, h = 0.01;
    double                   f[2];
    drag(angle, cos(phi), sin(phi), f);
    for (int k = 0; k < 4; k++) {
        bool   damped = k == 3; /* drag of the medium, c v = F - friction */
        double pull   = damped ? 0.5 * 0.2 : 0.5 * a;
        char   rest[600], body_text[100];
        world  w;
        snprintf(rest, sizeof rest,
                 "forces:\n  - {name: pull, type: constant, body: plate, force: [%.17g, %.17g]}\n"
                 "simulation: {step: %g, duration: 1, model: %s}\n",
                 pull * cos(phi) + 0.5 * G * f[0], pull * sin(phi) + 0.5 * G * f[1], h, models[k]);
        snprintf(body_text, sizeof body_text, "damping: %g", damped ? 0.5 : 0.0);
        open_plate(&w, body_text, "{x: 0.25, y: 0.4, angle: 0.4}", rest);
        run(&w, h, 20);
        ss_body_state b     = body(&w, 0);
        double        speed = damped ? 0.2 : a * 0.2;
        assert_near(b.velocity.x, speed * cos(phi), 1e-11);
        assert_near(b.velocity.y, speed * sin(phi), 1e-11);
        assert_near(b.angular_velocity.z, 0, 1e-10);
        double sum[2] = {0, 0};
        for (int i = 0; i < 3; i++) {
            ss_support_info at;
            check(&w, ss_data_support(w.model, w.data, i, &at));
            sum[0] += at.friction[0];
            sum[1] += at.friction[1];
            assert_near(at.velocity[0], b.velocity.x, 1e-11);
            assert_near(at.velocity[1], b.velocity.y, 1e-11);
            assert_near(at.mu_across, M2, 1e-15);
            assert_near(at.axis[0], cos(angle), 1e-15);
            assert_int_equal(at.state, SS_CONTACT_SLIP);
        }
        assert_near(sum[0], -0.5 * G * f[0], 1e-9);
        assert_near(sum[1], -0.5 * G * f[1], 1e-9);
        assert_true(ss_data_report(w.data)->residual < 1e-9);
        close_world(&w);
    }
}

/* It holds as long as (F1/m1)^2 + (F2/m2)^2 < (m g)^2. */
static void it_holds_inside_the_ellipse(void **state)
{
    (void)state;
    for (int level = 0; level < 2; level++) {
        for (int k = 0; k < 24; k++) {
            double psi = k * 0.2618, angle = -1.1, c = cos(angle), s = sin(angle);
            /* from event to event, the direction that slip takes at first is stiffer the nearer the
               force is to the limit */
            double past = level == 0 ? 1.001 : 1.01, size = k % 2 == 0 ? 0.999 : past;
            double F1 = 0.5 * G * M1 * size * cos(psi), F2 = 0.5 * G * M2 * size * sin(psi);
            char   rest[600];
            world  w;
            snprintf(rest, sizeof rest,
                     "forces:\n"
                     "  - {name: pull, type: constant, body: plate, force: [%.17g, %.17g]}\n"
                     "simulation: {step: 0.01, duration: 1, model: {level: %s}}\n",
                     c * F1 - s * F2, s * F1 + c * F2, level == 0 ? "impulse" : "acceleration");
            open_plate(&w, "angle: 0.3", "{x: 0.25, y: 0.4, angle: -1.1}", rest);
            run(&w, 0.01, 10);
            ss_body_state b = body(&w, 0);
            if (k % 2 == 0) {
                assert_near(ss_norm(b.velocity), 0, 1e-14);
            } else {
                assert_true(ss_norm(b.velocity) > 1e-4);
            }
            close_world(&w);
        }
    }
}

/* Thrown without spin: dv2/dv1 = (m2/m1)^2 v2/v1, so that v2 = C v1^((m2/m1)^2); it stops. */
static void it_curves_to_a_stop(void **state)
{
    (void)state;
    world w;
    open_plate(&w, "velocity: [1, 1]", "{x: 0.25, y: 0.4}",
               "simulation: {step: 0.001, duration: 1, model: {level: acceleration}}\n");
    double power = M2 * M2 / M1 / M1, lost = 0.5 * 0.5 * 2;
    for (int i = 0; i < 600; i++) {
        check(&w, ss_step(w.model, w.data, 0.001));
        ss_body_state b = body(&w, 0);
        if (b.velocity.x > 1e-3) {
            assert_near(b.velocity.y, pow(b.velocity.x, power), 1e-8);
        }
    }
    assert_near(ss_norm(body(&w, 0).velocity), 0, 1e-12);
    assert_near(ss_data_energy(w.model, w.data).dissipated, lost, 1e-8);
    close_world(&w);

    double error[2];
    for (int k = 0; k < 2; k++) { /* by steps: the same curve with order 1 */
        double h = k == 0 ? 1e-3 : 5e-4;
        char   rest[200];
        snprintf(rest, sizeof rest,
                 "simulation: {step: %g, duration: 1, model: {integrator: euler}}\n", h);
        open_plate(&w, "velocity: [1, 1]", "{x: 0.25, y: 0.4}", rest);
        run(&w, h, (int)(0.2 / h + 0.5));
        ss_body_state b = body(&w, 0);
        error[k]        = fabs(b.velocity.y - pow(b.velocity.x, power));
        close_world(&w);
    }
    assert_near(error[0] / error[1], 2, 0.05);
}

/*
 * Pushed slowly by a face without friction, f must be along the push: with A = R diag(m1^2, m2^2)
 * R' it slips along A^-1 x. The part glides sideways along the face.
 */
static void a_push_glides_along_the_face(void **state)
{
    (void)state;
    const double      angle = 0.6, c = cos(angle), s = sin(angle);
    double            xx      = c * c / (M1 * M1) + s * s / (M2 * M2);
    double            xy      = c * s / (M1 * M1) - c * s / (M2 * M2);
    const char *const cones[] = {"quadratic", "{polygon: 256}"};
    for (int k = 0; k < 2; k++) {
        char  text[1500];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: 0}}\n"
                 "bodies:\n"
                 "  - {name: face, type: kinematic, shape: {box: {size: [0.02, 0.5]}}, motion: {x: "
                 "'-0.06 + 0.02*t', y: 0}}\n"
                 "  - {name: plate, type: dynamic, " PLATE ", support: {" FEET
                 ", friction: {x: 0.25, y: 0.4, angle: 0.6}}}\n"
                 "simulation: {step: 0.01, duration: 1, model: {inertia: quasistatic, cone: %s}}\n",
                 cones[k]);
        open_text(&w, text);
        run(&w, 0.01, 50);
        ss_body_state b         = body(&w, 1);
        double        tolerance = k == 0 ? 1e-9 : 2e-4; /* a polygon of 256 sides */
        assert_near(b.position.x, 0.01, 1e-9);
        assert_near(b.position.y, 0.01 * xy / xx, tolerance);
        assert_near(b.angle, 0, 1e-8);
        close_world(&w);
    }
}

/* The grain belongs to the surface: on a table that stands at an angle, or turns with the part. */
static void the_grain_goes_with_the_surface(void **state)
{
    (void)state;
    ss_vec3 end[2];
    for (int k = 0; k < 2; k++) {
        char  text[1500];
        world w;
        snprintf(
            text, sizeof text,
            "dimension: 2\ngravity: [0, 0]\n"
            "bodies:\n"
            "  - {name: table, type: static, angle: %g}\n"
            "  - {name: plate, type: dynamic, velocity: [0.5, 0.3], angular_velocity: 2, " PLATE
            ", support: {" FEET ", friction: {x: 0.1, y: 0.5, angle: %g}, on: table}}\n"
            "simulation: {step: 0.001, duration: 1}\n",
            k == 0 ? 0 : 0.8, k == 0 ? 0.8 : 0);
        open_text(&w, text);
        run(&w, 0.001, 200);
        end[k] = body(&w, 1).position;
        ss_support_info at;
        check(&w, ss_data_support(w.model, w.data, 0, &at));
        assert_near(at.axis[0], cos(0.8), 1e-15);
        close_world(&w);
    }
    assert_near(end[0].x, end[1].x, 1e-12);
    assert_near(end[0].y, end[1].y, 1e-12);

    /* seen from a table that turns slowly under forces that turn with it, a part holds */
    world w;
    open_text(&w, "dimension: 2\ngravity: [0, 0]\n"
                  "bodies:\n"
                  "  - {name: table, type: kinematic, motion: {angle: '0.5*t'}}\n"
                  "  - {name: plate, type: dynamic, angular_velocity: 0.5, " PLATE
                  ", support: {" FEET ", friction: {x: 0.1, y: 0.5}, on: table}}\n"
                  "forces:\n"
                  "  - {name: pull, type: constant, body: plate, force: ['-2.2*sin(0.5*t)', "
                  "'2.2*cos(0.5*t)']}\n"
                  "simulation: {step: 0.001, duration: 8}\n");
    run(&w, 0.001, 8000); /* 4 rad; 2.2 N is less than 0.5 m g across the grain, more along it */
    assert_near(ss_norm(body(&w, 1).position), 0, 1e-4);
    assert_near(body(&w, 1).angle, 4, 1e-4); /* rows are those of the start of a step */
    close_world(&w);
}

/* A circle written as an ellipse is the circle, to the bit. */
static void equal_axes_are_a_circle(void **state)
{
    (void)state;
    uint64_t          hash[2];
    const char *const friction[] = {"0.3", "{x: 0.3, y: 0.3, angle: 0.7}"};
    for (int k = 0; k < 2; k++) {
        world w;
        open_plate(&w, "velocity: [0.5, 0.3], angular_velocity: 3", friction[k],
                   "simulation: {step: 0.001, duration: 1}\n");
        run(&w, 0.001, 300);
        hash[k] = ss_state_hash(w.model, w.data);
        close_world(&w);
    }
    assert_true(hash[0] == hash[1]);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *friction, *says;
    } bad[] = {{"{x: 0.3}", "y"},
               {"{x: 0, y: 0.3}", "x must be > 0"},
               {"{x: 0.3, y: -1}", "y must be > 0"},
               {"{x: 0.3, y: 0.2, z: 1}", "z"},
               {"{x: 0.3, y: 0.2, angle: [1]}", "angle"},
               {"[{x: 0.3, y: 0.2}]", "friction"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char  text[1000];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\nbodies:\n  - {name: plate, type: dynamic, " PLATE
                 ", support: {" FEET ", friction: %s}}\n",
                 bad[i].friction);
        assert_int_equal(try_text(&w, text), SS_ERR_INPUT);
        assert_non_null(strstr(ss_context_message(w.ctx), "test.yaml:3:"));
        assert_non_null(strstr(ss_context_message(w.ctx), bad[i].says));
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_yields_beside_the_force),
                                       cmocka_unit_test(it_holds_inside_the_ellipse),
                                       cmocka_unit_test(it_curves_to_a_stop),
                                       cmocka_unit_test(a_push_glides_along_the_face),
                                       cmocka_unit_test(the_grain_goes_with_the_surface),
                                       cmocka_unit_test(equal_axes_are_a_circle),
                                       cmocka_unit_test(nonsense_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
