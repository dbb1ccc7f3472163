/* SPDX-License-Identifier: Apache-2.0 */
/* level: acceleration: slips that begin and end, of one contact and of several corners at once. */
#include "world.h"

static void go_to(world *w, double step, double end)
{
    while (ss_data_time(w->data) < end - 0.5 * step) {
        check(w, ss_step(w->model, w->data, step));
        assert_true(ss_data_report(w->data)->residual <= 1e-9);
    }
    assert_near(ss_data_energy(w->model, w->data).integration, 0, 1e-11);
}

static void assert_vector(ss_vec3 a, double x, double y, double z, double tolerance)
{
    assert_near(a.x, x, tolerance);
    assert_near(a.y, y, tolerance);
    assert_near(a.z, z, tolerance);
}

/*
 * Slips whose direction turns the faster the smaller they are. Numbers are those of an integration
 * of its own (Radau, friction mu N u/sqrt(u^2 + e^2), e = 1e-7 and 2.5e-8, extrapolated by the
 * power 4/5 that it converges with: 6e-8 off).
 */
static void an_ellipsoid_begins_to_slip(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "materials: {default: {friction: 0.3}}\nbodies:\n"
              "  - {name: f, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
              "  - {name: d, type: dynamic, mass: 1, shape: {ellipsoid: {radii: "
              "[0.05266917671573017, 0.03649454180324902, 0.09547620048705549]}}, position: [0, 0, "
              "0.04320667565041371], quat_wxyz: [0.06933995459052969, -0.05066337325384456, "
              "-0.6052734935835742, 0.7913717149816892], velocity: [0.02372804530396533, "
              "-0.18638111445873914, -0.18932206726295425], angular_velocity: [5.333466607216609, "
              "6.362392796812934, -5.595106466589391]}\n"
              "simulation: {step: 0.001, duration: 0.1, model: {level: acceleration}}\n");
    go_to(&w, 0.001, 0.1);
    ss_body_state s = body(&w, 1);
    assert_vector(s.position, 3.25924847e-03, -2.440176894e-02, 4.720827107e-02, 1e-8);
    assert_vector(s.velocity, 0.0690418775, -0.1856055175, 0.1091475323, 1e-7);
    assert_vector(s.angular_velocity, 0.6993577885, -3.1135510276, -5.1665201513, 2e-7);
    close_world(&w);
}

/* It stops, and slips again 0.6 ms later. */
static void a_rim_stops_and_slips_again(void **state)
{
    (void)state;
    world w;
    open_text(&w, "materials: {default: {friction: 0.8}}\nbodies:\n"
                  "  - {name: f, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                  "  - {name: d, type: dynamic, mass: 1, shape: {cylinder: {radius: "
                  "0.07703122100532547, length: 0.08780995042036271}}, position: [0, 0, "
                  "0.08860391305703896], quat_wxyz: [0.17512135371433052, 0.29657747279499913, "
                  "0.3853827869708222, 0.8560691687068246], velocity: [-0.8538101641199262, "
                  "-0.4288052659413648, -0.03435989877847806], angular_velocity: "
                  "[4.911944499750887, -9.573661817540565, -2.579505206011178]}\n"
                  "simulation: {step: 0.001, duration: 0.1, model: {level: acceleration}}\n");
    go_to(&w, 0.001, 0.1);
    ss_body_state s = body(&w, 1);
    assert_vector(s.position, -0.0780795107, -0.0480932445, 0.0535937881, 1e-8);
    assert_vector(s.velocity, 0.0425403451, -0.847288252, 0.6541912442, 1e-7);
    assert_vector(s.angular_velocity, 13.14061807, 3.0545228573, -0.2525952752, 2e-7);
    close_world(&w);
}

/*
 * Slips that pass through zero and go on in another direction: an end of a cylinder that slides and
 * turns on its side, on a floor whose friction varies, and a corner of a box. What was left of the
 * old slip went against the new one and ended it at once, without an end; and a box shares its load
 * in many ways, of which the one that was taken stopped what the laws of the instant had let go.
 * Steps of the impulse level go to the same places.
 */
static void what_stops_slips_on(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "  fl: {friction: \"0.3 + 0.2*x\"}\n"
        "  default: {friction: 0.1}\n"
        "bodies:\n"
        "  - {name: b, type: dynamic, mass: 1.350637649185829, shape: {cylinder: {radius: 0.1,\n"
        "     length: 0.3}}, position: [0.07190448701146157, 0.059639127841053075, 0.1],\n"
        "     quat_wxyz: [0.6703872196976266, -0.2249021468685575, 0.6703872196976265,\n"
        "     0.22490214686855753], velocity: [-0.21763049340623364, 0.9668198935493888, 0],\n"
        "     angular_velocity: [0, 0, -3.71523800552515]}\n",
        "  fl: {friction: {static: 0.4, kinetic: 0.2, stribeck: 0.2}}\n"
        "  default: {friction: {static: 0.4, kinetic: 0.2, stribeck: 0.2}}\n"
        "bodies:\n"
        "  - {name: b, type: dynamic, mass: 1.3, shape: {box: {size: [0.5, 0.4, 0.1]}},\n"
        "     position: [0, 0, 0.05], quat_wxyz: [0.8584462607703155, 0, 0, 0.512903516628092],\n"
        "     velocity: [0.017747492155780975, -0.24406233131278388, 0],\n"
        "     angular_velocity: [0, 0, -1.5306911543737831]}\n"};
    static const char *const levels[] = {"acceleration", "impulse"};
    const double             steps[]  = {0.002, 0.0002};
    for (int k = 0; k < 2; k++) {
        ss_body_state end[2];
        for (int i = 0; i < 2; i++) {
            char  text[2000];
            world w;
            snprintf(text, sizeof text,
                     "materials:\n%s"
                     "  - {name: floor, type: static, shape: {box: {size: [6, 6, 0.4]}},\n"
                     "     position: [0, 0, -0.2], material: fl}\n"
                     "simulation: {model: {level: %s}}\n",
                     bodies[k], levels[i]);
            open_text(&w, text);
            go_to(&w, steps[i], 0.2);
            end[i] = body(&w, 0);
            close_world(&w);
        }
        assert_true(ss_norm(ss_sub(end[0].position, end[1].position)) < 1e-4);
        assert_true(ss_norm(ss_sub(end[0].velocity, end[1].velocity)) < 1e-3);
    }
}

/* A box tips over an edge and slips off it: two points in space, one in the plane. */
static void an_edge_slips_as_its_corner_does(void **state)
{
    (void)state;
    world a, b;
    open_text(&a, "materials: {default: {friction: 0.8}}\nbodies:\n"
                  "  - {name: a, type: static, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: "
                  "[0, 0, -0.05]}\n"
                  "  - {name: b, type: dynamic, mass: 2, inertia: [0.0083, 0.0083, 0.0083], shape: "
                  "{box: {size: [0.2, 0.2, 0.1]}}, position: [0.15, 0, 0.05]}\n"
                  "simulation: {step: 0.005, duration: 0.15, model: {level: acceleration}}\n");
    open_text(&b, "dimension: 2\nmaterials: {default: {friction: 0.8}}\nbodies:\n"
                  "  - {name: a, type: static, shape: {box: {size: [0.2, 0.1]}}, position: [0, "
                  "-0.05]}\n"
                  "  - {name: b, type: dynamic, mass: 2, inertia: 0.0083, shape: {box: {size: "
                  "[0.2, 0.1]}}, position: [0.15, 0.05]}\n"
                  "simulation: {step: 0.005, duration: 0.15, model: {level: acceleration}}\n");
    go_to(&a, 0.005, 0.15);
    go_to(&b, 0.005, 0.15);
    ss_body_state x = body(&a, 1), y = body(&b, 1);
    assert_vector(x.position, y.position.x, 0, y.position.y, 1e-11);
    assert_vector(x.velocity, y.velocity.x, 0, y.velocity.y, 1e-10);
    assert_vector(x.angular_velocity, 0, -y.angular_velocity.z, 0, 1e-9);
    assert_near(ss_data_energy(a.model, a.data).dissipated,
                ss_data_energy(b.model, b.data).dissipated, 1e-11);
    close_world(&a);
    close_world(&b);
}

/*
 * A box on a table that moves by 0.1 sin 6t: it slides at first (v = mu g t) until it has the speed
 * of the table, stays until the table brakes by more than mu g, and so on: four corners begin to
 * slip at once. The phases solved for by bisection: x, v and the work of friction at 1 s.
 */
static void four_corners_slip_on_a_shaken_table(void **state)
{
    (void)state;
    world w;
    open_text(&w, "materials: {default: {friction: 0.2}}\nbodies:\n"
                  "  - {name: f, type: kinematic, shape: {box: {size: [2, 2, 0.1]}}, position: [0, "
                  "0, -0.05], motion: {x: '0.1*sin(6*t)'}}\n"
                  "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}}, "
                  "position: [0, 0, 0.05]}\n"
                  "simulation: {step: 0.003, duration: 1, model: {level: acceleration}}\n");
    go_to(&w, 0.003, 0.999);
    check(&w, ss_step(w.model, w.data, 0.001));
    ss_body_state s = body(&w, 1);
    assert_vector(s.position, -0.0758724624093804, 0, 0.05, 1e-10);
    assert_vector(s.velocity, 0.24315833531388087, 0, 0, 1e-10);
    assert_near(ss_data_energy(w.model, w.data).dissipated, 0.42738727068703564, 1e-10);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ellipsoid_begins_to_slip),
        cmocka_unit_test(a_rim_stops_and_slips_again),
        cmocka_unit_test(what_stops_slips_on),
        cmocka_unit_test(an_edge_slips_as_its_corner_does),
        cmocka_unit_test(four_corners_slip_on_a_shaken_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
