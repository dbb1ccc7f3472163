/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damping matrices, and the damped step (Gavrea (2.2), (3.1)) against closed forms: E v = F with
 * and without friction, in the plane and in space, with both cones, joints and kinematic bodies.
 */
#include "world.h"

static void refused(const char *text, const char *why)
{
    world w;
    assert_int_equal(try_text(&w, text), SS_ERR_INPUT);
    if (strstr(ss_context_message(w.ctx), why) == NULL) {
        fail_msg("'%s' does not say '%s'", ss_context_message(w.ctx), why);
    }
    close_world(&w);
}

/* F through a medium on a floor with friction: v = (F - mu N)/c at once; below mu N: rest. */
static void pulled_with_friction(void **state)
{
    (void)state;
    const char *cones[] = {"quadratic", "{polygon: 8}"};
    for (int space = 0; space < 2; space++) {
        for (int cone = 0; cone < 2; cone++) {
            for (int held = 0; held < 2; held++) {
                char   text[1200];
                world  w;
                double pull = held ? 0.5 : 3;
                snprintf(text, sizeof text,
                         "dimension: %d\n"
                         "gravity: %s\n"
                         "materials: {default: {friction: 0.25}}\n"
                         "bodies:\n"
                         "  - {name: floor, type: static, shape: {%s}}\n"
                         "  - {name: block, type: dynamic, mass: 0.4, shape: {box: {size: %s}},\n"
                         "     position: %s, damping: [5, 0.1]}\n"
                         "forces:\n"
                         "  - {name: pull, type: constant, body: block, force: %s, point: %s}\n"
                         "simulation: {step: 0.01, duration: 1,\n"
                         "             model: {inertia: damped, cone: %s}}\n",
                         space ? 3 : 2, space ? "[0, 0, -10]" : "[0, -10]",
                         space ? "plane: {normal: [0, 0, 1]}" : "halfplane: {normal: [0, 1]}",
                         space ? "[0.1, 0.1, 0.02]" : "[0.1, 0.02]",
                         space ? "[0, 0, 0.01]" : "[0, 0.01]",
                         space ? (held ? "[0.5, 0, 0]" : "[3, 0, 0]")
                               : (held ? "[0.5, 0]" : "[3, 0]"),
                         space ? "[0, 0, -0.01]" : "[0, -0.01]", cones[cone]);
                open_text(&w, text);
                run(&w, 0.01, 20);
                double speed = held ? 0 : (pull - 0.25 * 0.4 * 10) / 5;
                assert_near(body_named(&w, "block").velocity.x, speed, 1e-10);
                assert_near(body_named(&w, "block").position.x, 0.2 * speed, 1e-10);
                assert_int_equal(ss_data_report(w.data)->hold,
                                 held ? SS_HOLD_JAMMED : SS_HOLD_FREE);
                close_world(&w);
            }
        }
    }
}

/* A plate that turns: E in body axes, v = T E^-1 T' F; and the same by a diagonal. */
static void planar_matrix(void **state)
{
    (void)state;
    const char  *forms[] = {"[[4, 1, 0.1], [1, 3, -0.2], [0.1, -0.2, 0.5]]", "[4, 3, 0.5]"};
    const double E[2][9] = {{4, 1, 0.1, 1, 3, -0.2, 0.1, -0.2, 0.5}, {4, 0, 0, 0, 3, 0, 0, 0, 0.5}};
    for (int k = 0; k < 2; k++) {
        char  text[700];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, 0]\n"
                 "bodies:\n"
                 "  - {name: plate, type: dynamic, mass: 1, inertia: 1, angle: 0.7, damping: %s}\n"
                 "forces:\n"
                 "  - {name: pull, type: constant, body: plate, force: [2, -1], torque: 0.3}\n"
                 "simulation: {step: 1.e-6, duration: 1, model: {inertia: damped}}\n",
                 forms[k]);
        open_text(&w, text);
        run(&w, 1e-6, 1);
        ss_body_state s = body_named(&w, "plate");
        double        c = cos(0.7), n = sin(0.7);
        double v[3] = {c * s.velocity.x + n * s.velocity.y, -n * s.velocity.x + c * s.velocity.y,
                       s.angular_velocity.z};
        double F[3] = {c * 2 - n, -n * 2 - c, 0.3};
        for (int i = 0; i < 3; i++) {
            assert_near(E[k][3 * i] * v[0] + E[k][3 * i + 1] * v[1] + E[k][3 * i + 2] * v[2], F[i],
                        1e-12);
        }
        close_world(&w);
    }
}

static const char screw_text[] =
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  - name: screw\n"
    "    type: dynamic\n"
    "    mass: 1\n"
    "    inertia: [1, 1, 1]\n"
    "    quat_wxyz: [0.5, 0.5, 0.5, 0.5]\n"
    "    damping: [[2, 0, 0, 0.5, 0, 0], [0, 3, 0, 0, 0, 0], [0, 0, 4, 0, 0, 0],\n"
    "              [0.5, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]\n"
    "forces:\n"
    "  - {name: pull, type: constant, body: screw, force: [0, 1, 0]}\n"
    "simulation: {step: 1.e-6, duration: 1, model: {inertia: damped}}\n";

/*
 * A screw in a medium: pulled along its axis, which stands along y, it turns about it.
 * [2 0.5; 0.5 1] (v, w) = (1, 0) gives v = 1/1.75, w = -0.5/1.75.
 */
static void spatial_matrix(void **state)
{
    (void)state;
    world w;
    open_text(&w, screw_text);
    run(&w, 1e-6, 1);
    ss_body_state s = body_named(&w, "screw");
    assert_near(s.velocity.y, 1 / 1.75, 1e-12);
    assert_near(s.angular_velocity.y, -0.5 / 1.75, 1e-12);
    assert_near(s.velocity.x, 0, 1e-12);
    assert_near(s.velocity.z, 0, 1e-12);
    assert_near(s.angular_velocity.x, 0, 1e-12);
    close_world(&w);
}

/* A wheel with a coupled matrix on a driven floor: sticking, E v = J'p with J v = the floor's. */
static void matrix_and_contact(void **state)
{
    (void)state;
    world       w;
    const char *text =
        "dimension: 2\n"
        "gravity: [0, -10]\n"
        "materials: {default: {friction: 10}}\n"
        "bodies:\n"
        "  - {name: belt, type: kinematic, shape: {halfplane: {normal: [0, 1]}}, motion: {x: t}}\n"
        "  - {name: wheel, type: dynamic, mass: 1, shape: {disc: {radius: 0.5}}, position: [0, "
        "0.5],\n"
        "     damping: [[4, 0, 1], [0, 3, 0], [1, 0, 2]]}\n"
        "simulation: {step: 1.e-6, duration: 1, model: {inertia: damped}}\n";
    open_text(&w, text);
    run(&w, 1e-6, 1);
    /* p (1, 0.5) = E (v, w), v + 0.5 w = 1: E^-1 (1, 0.5) = (1.5, 1)/7, so p = 7/2. */
    ss_contact_info c;
    assert_int_equal(ss_data_contact_count(w.data), 1);
    ss_data_contact(w.model, w.data, 0, &c);
    assert_near(body_named(&w, "wheel").velocity.x, 0.75, 1e-9);
    assert_near(body_named(&w, "wheel").angular_velocity.z, 0.5, 1e-9);
    assert_near(fabs(c.impulse[1]) / 1e-6, 3.5, 1e-6);
    close_world(&w);
}

/* Two particles on a rod: the sum of the dampings resists the pull, whatever the joint. */
static void joined_particles(void **state)
{
    (void)state;
    world       w;
    const char *text = "gravity: [0, 0, 0]\n"
                       "bodies:\n"
                       "  - {name: a, type: particle, mass: 1, position: [0, 0, 0], damping: 2}\n"
                       "  - {name: b, type: particle, mass: 1, position: [1, 0, 0],\n"
                       "     damping: [[3, 1, 0], [1, 5, 0], [0, 0, 2]]}\n"
                       "joints:\n"
                       "  - {name: rod, type: distance, bodies: [a, b]}\n"
                       "forces:\n"
                       "  - {name: pull, type: constant, body: b, force: [10, 0, 0]}\n"
                       "simulation: {step: 1.e-6, duration: 1, model: {inertia: damped}}\n";
    open_text(&w, text);
    run(&w, 1e-6, 1);
    /* u = v_x of both; b: 3 u + y = 10 - 2 u, u + 5 y = 0: u = 10/(5 - 0.2). The rod pulls along
       the line that it has at the end of the step, which turned by 4e-7. */
    assert_near(body_named(&w, "a").velocity.x, 10 / 4.8, 1e-6);
    assert_near(body_named(&w, "b").velocity.x, 10 / 4.8, 1e-6);
    assert_near(body_named(&w, "b").velocity.y, -2 / 4.8, 1e-6);
    close_world(&w);
}

/* With inertia, a matrix damps too: (M + h E) v+ = M v; and it goes as the exact solution, order 1.
 */
static void with_inertia(void **state)
{
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        world       w;
        double      h = k == 0 ? 0.01 : 0.005;
        const char *text =
            "dimension: 2\n"
            "gravity: [0, 0]\n"
            "bodies:\n"
            "  - {name: p, type: particle, mass: 2, position: [0, 0], velocity: [1, 1],\n"
            "     damping: [[3, 1], [1, 3]]}\n"
            "simulation: {step: 0.01, duration: 1}\n";
        open_text(&w, text);
        run(&w, h, k == 0 ? 100 : 200);
        /* (1, 1) is an eigenvector with 4: v = exp(-4 t/2) */
        error[k] = body_named(&w, "p").velocity.x - exp(-2);
        assert_near(body_named(&w, "p").velocity.y, body_named(&w, "p").velocity.x, 1e-12);
        close_world(&w);
    }
    assert_near(error[0] / error[1], 2, 0.05);
}

/* Drag by a spring: E v = -k x gives x = x0 exp(-k t/E), order 1. */
static void order_of_damped(void **state)
{
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        world       w;
        const char *text =
            "dimension: 2\n"
            "gravity: [0, 0]\n"
            "bodies:\n"
            "  - {name: p, type: particle, mass: 1, position: [1, 0], damping: 2}\n"
            "forces:\n"
            "  - {name: s, type: spring, bodies: [world, p], anchors: [[0, 0], [0, 0]],\n"
            "     stiffness: 3, rest_length: 0}\n"
            "simulation: {step: 0.01, duration: 1, model: {inertia: damped}}\n";
        open_text(&w, text);
        run(&w, k == 0 ? 0.01 : 0.005, k == 0 ? 100 : 200);
        error[k] = fabs(body_named(&w, "p").position.x - exp(-1.5));
        assert_true(error[k] < 0.01);
        close_world(&w);
    }
    assert_near(error[0] / error[1], 2, 0.1);
}

/* A chain of balls on a floor, pushed at one end: more than 120 rows, so in global form. */
static void push_chain(world *w, const char *damping)
{
    enum { BALLS = 40, ROOM = 160 };
    static char text[(BALLS + 8) * ROOM];
    int         at = snprintf(text, sizeof text,
                              "gravity: [0, 0, -10]\n"
                                      "materials: {default: {friction: 0.2}}\n"
                                      "forces:\n"
                                      "  - {name: push, type: constant, body: ball0, force: [30, 1, 0]}\n"
                                      "simulation: {step: 0.001, duration: 1, model: {inertia: damped}}\n"
                                      "bodies:\n"
                                      "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n");
    for (int i = 0; i < BALLS; i++) {
        at += snprintf(
            text + at, sizeof text - (size_t)at,
            "  - {name: ball%d, type: dynamic, mass: 0.1, shape: {sphere: {radius: 0.05}},\n"
            "     position: [%g, 0, 0.05], damping: %s}\n",
            i, 0.1 * i, damping);
    }
    open_text(w, text);
    run(w, 0.001, 3);
}

/* A diagonal written as a matrix moves the chain as the two numbers do. */
static void large_islands(void **state)
{
    (void)state;
    world a, b;
    push_chain(&a, "[5, 0.02]");
    push_chain(&b, "[5, 5, 5, 0.02, 0.02, 0.02]");
    assert_true(ss_data_report(a.data)->contacts * 3 > 120);
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "ball%d", i);
        ss_vec3 u = body_named(&a, name).velocity, v = body_named(&b, name).velocity;
        assert_near(ss_norm(ss_sub(u, v)), 0, 1e-6);
    }
    assert_true(body_named(&b, "ball0").velocity.x > 0.01);
    close_world(&a);
    close_world(&b);
}

static void refused_matrices(void **state)
{
    (void)state;
    char        text[700];
    const char *cases[][3] = {
        {"[[1, 0], [0, 1]]", "damped", "must be 3 x 3"},
        {"[[1, 2, 0], [0, 1, 0], [0, 0, 1]]", "damped", "symmetric"},
        {"[[1, 2, 0], [2, 1, 0], [0, 0, 1]]", "dynamic", "negative eigenvalue"},
        {"[[1, 1, 0], [1, 1, 0], [0, 0, 1]]", "damped", "positive definite"},
        {"[1, 1, -1]", "dynamic", "negative eigenvalue"},
        {"[1, 0]", "damped", "both > 0"},
        {"[-1, 0]", "dynamic", ">= 0"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "bodies:\n"
                 "  - {name: plate, type: dynamic, mass: 1, inertia: 1, damping: %s}\n"
                 "simulation: {step: 0.01, duration: 1, model: {inertia: %s}}\n",
                 cases[k][0], cases[k][1]);
        refused(text, cases[k][2]);
    }
    /* A matrix that is only semidefinite is fine where there is inertia. */
    world w;
    open_text(&w, "dimension: 2\n"
                  "gravity: [0, 0]\n"
                  "bodies:\n"
                  "  - {name: plate, type: dynamic, mass: 1, inertia: 1, velocity: [1, -1],\n"
                  "     damping: [[1, 1, 0], [1, 1, 0], [0, 0, 0]]}\n"
                  "simulation: {step: 0.01, duration: 1}\n");
    run(&w, 0.01, 10);
    assert_near(body_named(&w, "plate").velocity.x, 1, 1e-12);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulled_with_friction), cmocka_unit_test(planar_matrix),
        cmocka_unit_test(spatial_matrix),       cmocka_unit_test(matrix_and_contact),
        cmocka_unit_test(joined_particles),     cmocka_unit_test(with_inertia),
        cmocka_unit_test(order_of_damped),      cmocka_unit_test(large_islands),
        cmocka_unit_test(refused_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
