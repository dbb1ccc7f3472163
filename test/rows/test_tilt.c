/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forces on supported bodies above the surface: equilibrium written apart, and scenes in the plane
 * against the same in space, where normal forces are unknowns like any others.
 */
#include <math.h>
#include <stdio.h>

#include "world.h"

#define G 9.81

static void to(world *w, double h, double t)
{
    while (ss_data_time(w->data) < t - 0.5 * h) {
        check(w, ss_step(w->model, w->data, h));
    }
}

/* Sums over a body's contacts and over the points that it lies on. */
typedef struct sums {
    ss_vec3 push, below, stand; /* stand: sum of N r */
    double  weight, least;
} sums;

static sums sums_of(const world *w, int32_t which, double h)
{
    sums          s  = {.least = HUGE_VAL};
    ss_body_state at = body(w, which);
    for (int32_t i = 0; i < ss_data_contact_count(w->data); i++) {
        ss_contact_info c;
        check(w, ss_data_contact(w->model, w->data, i, &c));
        ss_vec3 p = ss_axpy(ss_scale(c.impulse[0], c.normal), c.impulse[1], c.t);
        s.push    = ss_axpy(s.push, (c.body_b == which ? 1 : -1) / h, p);
    }
    for (int32_t i = 0; i < ss_model_support_count(w->model); i++) {
        ss_support_info p;
        check(w, ss_data_support(w->model, w->data, i, &p));
        s.below = ss_add(s.below, ss_v3(p.friction[0], p.friction[1], 0));
        s.stand = ss_axpy(s.stand, p.normal_force, ss_sub(p.point, at.position));
        s.weight += p.normal_force;
        s.least = fmin(s.least, p.normal_force);
    }
    return s;
}

static const char plate[] =
    "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: %g}}\n"
    "bodies:\n"
    "  - {name: finger, type: kinematic, shape: {disc: {radius: 0.01}}, motion: {x: '-0.06 + "
    "0.02*t*t', y: 0.012}}\n"
    "  - {name: plate, type: dynamic, mass: 0.5, inertia: 0.0005, shape: {box: {size: [0.1, 0.06]}}"
    ", support: {points: %s, friction: 0.3, push_height: %g, mass_height: %g%s}}\n"
    "simulation: {step: 0.001, duration: 2, model: {inertia: %s}}\n";
static const char tripod[] = "[[0.04, 0.02], [-0.04, 0.02], [0, -0.025]]";
static const char six[]    = "[[0.04, 0.02], [-0.04, 0.02], [0, -0.025], [0.03, -0.02], [-0.03, "
                             "-0.02], [0, 0.02]]";

static void open_plate(world *w, double mu, const char *points, double push, double mass,
                       const char *inertia)
{
    char        text[1500];
    const char *forces = points == six ? ", normal_forces: [0.8, 0.9, 0.7, 0.9, 0.8, 0.805]" : "";
    snprintf(text, sizeof text, plate, mu, points, push, mass, forces, inertia);
    open_text(w, text);
}

/* What stands on the points balances what acts above the surface. */
static void pushes_shift_the_weight(void **state)
{
    (void)state;
    static const struct {
        const char *points, *inertia;
        double      push, mass;
    } cases[] = {{tripod, "quasistatic", 0.02, 0},    {tripod, "quasistatic", 0.02, 0.011},
                 {tripod, "dynamic", 0.02, 0.01},     {tripod, "dynamic", 0, 0.02},
                 {six, "quasistatic", 0.02, 0.01},    {six, "dynamic", 0.015, 0.02},
                 {tripod, "quasistatic", 0, 0.00001}, {tripod, "dynamic", 0.005, 0.005}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w, flat;
        open_plate(&w, 0.3, cases[i].points, cases[i].push, cases[i].mass, cases[i].inertia);
        open_plate(&flat, 0.3, cases[i].points, 0, 0, cases[i].inertia);
        for (int k = 1; k <= 4; k++) {
            to(&w, 0.001, 0.2 * k);
            to(&flat, 0.001, 0.2 * k);
            sums    s = sums_of(&w, 1, 0.001), was = sums_of(&flat, 1, 0.001);
            ss_vec3 want =
                ss_axpy(ss_scale(cases[i].push - cases[i].mass, s.push), -cases[i].mass, s.below);
            if (cases[i].points == six) { /* given forces do not stand under the centre of mass */
                double c = cos(body(&w, 1).angle - body(&flat, 1).angle);
                double e = sin(body(&w, 1).angle - body(&flat, 1).angle);
                want.x += c * was.stand.x - e * was.stand.y;
                want.y += e * was.stand.x + c * was.stand.y;
            }
            /* points are told where they are at the end of the step */
            double turn = 0.001 * fabs(body(&w, 1).angular_velocity.z);
            turn        = 1.01 * turn * (ss_norm(s.stand) + ss_norm(was.stand)) + 1e-9;
            assert_true(s.push.x > 0.5); /* it is being pushed */
            assert_near(s.weight, was.weight, 1e-9);
            assert_near(s.stand.x, want.x, turn);
            assert_near(s.stand.y, want.y, turn);
            assert_true(s.least > 0);
        }
        close_world(&w);
        close_world(&flat);
    }
}

static const char space[] =
    "dimension: 3\ngravity: [0, 0, -9.81]\n"
    "materials: {default: {friction: 0}, foot: {friction: 0.3}}\n"
    "bodies:\n"
    "  - {name: finger, type: kinematic, shape: {sphere: {radius: 0.01}}, motion: {x: '-0.06 + "
    "0.02*t*t', y: 0.012, z: %g}}\n"
    "  - {name: plate, type: dynamic, material: foot, mass: 0.5, inertia: [2e-4, 3e-4, 5e-4], "
    "position: [0, 0, %g], com: [0, 0, 0], shape: {union: {parts: [box: {size: [0.1, 0.06, 0.01]}, "
    "sphere: {radius: 0.005, position: [0.04, 0.02, %g]}, sphere: {radius: 0.005, position: "
    "[-0.04, 0.02, %g]}, sphere: {radius: 0.005, position: [0, -0.025, %g]}]}}}\n"
    "  - {name: floor, type: static, material: foot, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "simulation: {step: 0.001, duration: 2, model: {inertia: %s}}\n";

/* The same plate on three feet in space. Nothing rubs at the finger: it holds nothing down. */
static void the_plane_knows_what_space_does(void **state)
{
    (void)state;
    static const struct {
        const char *inertia;
        double      push, mass, tolerance;
    } cases[] = {{"quasistatic", 0.018, 0.02, 1e-11},
                 {"quasistatic", 0.012, 0.015, 1e-11},
                 {"dynamic", 0.018, 0.02, 1e-6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char   text[2000];
        double foot = 0.005 - cases[i].mass;
        world  flat, full;
        open_plate(&flat, 0, tripod, cases[i].push, cases[i].mass, cases[i].inertia);
        snprintf(text, sizeof text, space, cases[i].push, cases[i].mass, foot, foot, foot,
                 cases[i].inertia);
        open_text(&full, text);
        to(&flat, 0.001, 1.2);
        to(&full, 0.001, 1.2);
        ss_body_state a = body(&flat, 1), b = body(&full, 1);
        double        turned = 2 * atan2(b.quat_wxyz.z, b.quat_wxyz.w);
        assert_true(fabs(a.angle) > 0.01);
        assert_near(a.position.x, b.position.x, cases[i].tolerance);
        assert_near(a.position.y, b.position.y, cases[i].tolerance);
        assert_near(a.angle, turned, cases[i].tolerance / 0.04);
        close_world(&flat);
        close_world(&full);
    }
}

/* A plate that slides to rest leans on its front: -z T with T = -mu W along its motion. */
static void what_brakes_leans_forward(void **state)
{
    (void)state;
    const double mu = 0.3, z = 0.02, W = 0.5 * G;
    world        w;
    open_text(&w, "dimension: 2\ngravity: [0, 0]\n"
                  "bodies:\n"
                  "  - {name: plate, type: dynamic, mass: 0.5, inertia: 0.0005, velocity: [1, 0], "
                  "support: {points: [[0.04, 0.02], [-0.04, 0.02], [0, -0.025]], friction: 0.3, "
                  "mass_height: 0.02}}\n"
                  "simulation: {step: 0.001, duration: 1}\n");
    to(&w, 0.001, 0.2);
    sums s = sums_of(&w, 0, 0.001);
    assert_near(s.stand.x, z * mu * W, 1e-10);
    assert_near(s.stand.y, 0, 1e-10);
    assert_near(body(&w, 0).velocity.x, 1 - mu * G * 0.2, 1e-10);
    assert_near(body(&w, 0).angular_velocity.z, 0, 1e-10);
    to(&w, 0.001, 0.6);
    assert_near(sums_of(&w, 0, 0.001).stand.x, 0, 1e-12); /* at rest nothing leans */
    close_world(&w);
}

static ss_status push_high(world *w, double mu, double height)
{
    ss_status status = SS_OK;
    open_plate(w, mu, tripod, height, 0, "quasistatic");
    for (int i = 0; i < 200 && status == SS_OK; i++) {
        status = ss_step(w->model, w->data, 0.001);
    }
    return status;
}

/*
 * The rear point is unloaded at p F = the moment that takes N_2 to zero. Then the finger holds the
 * plate down, or, where it does not rub enough, it tips and says so.
 */
static void what_tips_is_held_or_named(void **state)
{
    (void)state;
    world w;
    assert_int_equal(push_high(&w, 0.8, 0.08), SS_OK);
    sums   s = sums_of(&w, 1, 0.001);
    double Q = s.weight - 0.5 * G;
    assert_true(Q > 0.01); /* the finger presses down */
    assert_near(s.least, 0, 0);
    double at = -0.05; /* x of the face, from the centre; angle is small: compare its direction */
    assert_near(s.stand.x, 0.08 * s.push.x + Q * at, 2e-3 * fabs(s.stand.x));
    close_world(&w);
    assert_int_equal(push_high(&w, 0, 0.12), SS_ERR_CERTIFICATE);
    assert_non_null(strstr(ss_context_message(w.ctx), "body 'plate' tips"));
    close_world(&w);
}

static void heights_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *support, *says;
    } bad[] = {{"points: [[0, 0]], torsion: 0.02, friction: 0.3, push_height: 0.01", "3 points or"},
               {"points: [[0.04, 0.02], [-0.04, 0.02], [0, -0.025]], friction: 0.3, push_height: "
                "-0.01",
                "push_height"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char  text[1000];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\nbodies:\n  - {name: plate, type: dynamic, mass: 1, inertia: 1e-3, "
                 "support: {%s}}\nsimulation: {step: 0.001, duration: 1}\n",
                 bad[i].support);
        assert_int_not_equal(try_text(&w, text), SS_OK);
        assert_non_null(strstr(ss_context_message(w.ctx), bad[i].says));
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pushes_shift_the_weight),
                                       cmocka_unit_test(the_plane_knows_what_space_does),
                                       cmocka_unit_test(what_brakes_leans_forward),
                                       cmocka_unit_test(what_tips_is_held_or_named),
                                       cmocka_unit_test(heights_are_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
