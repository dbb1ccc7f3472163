/* SPDX-License-Identifier: Apache-2.0 */
/* Springs, dampers and controllers against closed answers and against each other. */
#include "joint/mechanism.h"

static void add_particle(world *w, const char *name, ss_vec3 position, ss_vec3 velocity)
{
    ss_body_def def = ss_body_def_default();
    def.name        = name;
    def.type        = SS_BODY_PARTICLE;
    def.mass        = 2;
    def.position    = position;
    def.velocity    = velocity;
    check(w, ss_scene_add_body(w->scene, &def, NULL));
}

/* x(t) of m x'' = -k (x - L0) - c x', x(0) = 1.5, L0 = 1. */
static double oscillator(double t, double m, double k, double c)
{
    double a = c / (2 * m), w = sqrt(k / m - a * a);
    return 1 + 0.5 * exp(-a * t) * (cos(w * t) + a / w * sin(w * t));
}

static double spring_error(int dimension, double damping, bool axial, double h)
{
    world w;
    open_world(&w, dimension, "nsgs");
    ss_scene_set_gravity(w.scene, ss_v3(0, 0, 0));
    add_particle(&w, "p", ss_v3(1.5, 0, 0), ss_v3(0, 0, 0));
    ss_force_def f = {.type        = "spring",
                      .name        = "f",
                      .bodies      = {"world", "p"},
                      .stiffness   = 50,
                      .damping     = damping,
                      .axial       = axial,
                      .rest_length = 1,
                      .rest_set    = true};
    check(&w, ss_scene_add_force(w.scene, &f));
    start(&w);
    run(&w, h, (int)lround(1 / h));
    double error = fabs(body_named(&w, "p").position.x - oscillator(1, 2, 50, damping));
    close_world(&w);
    return error;
}

static void springs_oscillate_as_they_should(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        double coarse = spring_error(dimension, 1.5, dimension == 2, 2e-4);
        double fine   = spring_error(dimension, 1.5, dimension == 2, 1e-4);
        assert_true(fine < 1e-3);
        assert_true(fabs(log2(coarse / fine) - 1) < 0.1); /* order 1 */
        assert_true(spring_error(dimension, 0, false, 1e-4) < 1e-3);
    }
}

/* Isotropic damping (thesis (2.131)) brakes motion across the line too, axial damping does not. */
static void dampers_know_their_direction(void **state)
{
    (void)state;
    for (int axial = 0; axial < 2; axial++) {
        world w;
        open_world(&w, 3, "nsgs");
        ss_scene_set_gravity(w.scene, ss_v3(0, 0, 0));
        add_particle(&w, "p", ss_v3(1, 0, 0), ss_v3(0, 3, 0));
        add_particle(&w, "q", ss_v3(-1, 0, 0), ss_v3(0, 0, 0));
        ss_force_def f = {.type = "damper", .bodies = {"p", "q"}, .damping = 4, .axial = axial};
        check(&w, ss_scene_add_force(w.scene, &f));
        start(&w);
        run(&w, 1e-3, 1);
        /* linearly implicit: the relative velocity is divided by 1 + h c (1/m + 1/m) */
        double apart    = 3 / (1 + 1e-3 * 4 * (0.5 + 0.5));
        double expected = axial ? 3 : 1.5 + 0.5 * apart;
        assert_near(body_named(&w, "p").velocity.y, expected, 1e-12);
        assert_near(body_named(&w, "q").velocity.y, 3 - expected, 1e-12);
        close_world(&w);
    }
}

static int hold(void *user, const struct ss_model *m, const struct ss_data *d, double t,
                double *values, int32_t count)
{
    (void)t;
    ss_body_state s;
    ss_data_body(m, d, 0, &s);
    *(int *)user = count;
    values[0]    = -30 * s.position.x - 2 * s.velocity.x;
    return 0;
}

/* The same controller in Lua and in C, and, where it says how stiff it is, the joint's own spring:
   the same motion to the bit. */
static void controllers_agree(void **state)
{
    (void)state;
    double x[2] = {0}, angle[2] = {0};
    int    count = 0;
    for (int k = 0; k < 2; k++) {
        world w;
        open_world(&w, 3, "nsgs");
        add_particle(&w, "ball", ss_v3(1, 0, 0), ss_v3(0, 0, 0));
        ss_force_def f = {.type = "controller", .name = "f", .body = "ball"};
        if (k == 0) {
            f.function = "function(t, s) return -30*s.ball.x - 2*s.ball.vx end";
        } else {
            f.control      = hold;
            f.control_user = &count;
        }
        check(&w, ss_scene_add_force(w.scene, &f));
        start(&w);
        run(&w, 1e-3, 500);
        x[k] = body_named(&w, "ball").position.x;
        close_world(&w);
    }
    assert_int_equal(count, 6);
    assert_true(fabs(x[0]) < 0.8);
    assert_true(x[0] == x[1]);
    for (int k = 0; k < 2; k++) {
        world w;
        open_world(&w, 2, "nsgs");
        add_rod(&w, "rod", ss_v3(0, 0, 0), ss_v3(1, 0, 0), 1);
        ss_joint_def j = joint_def("hinge", "revolute", "world", "rod", ss_v3(0, 0, 0));
        if (k == 0) {
            j.coordinate[0].stiffness = 20;
            j.coordinate[0].damping   = 0.5;
        }
        check(&w, ss_scene_add_joint(w.scene, &j));
        if (k == 1) {
            ss_force_def f = {.type      = "controller",
                              .name      = "f",
                              .joint     = "hinge",
                              .stiffness = 20,
                              .damping   = 0.5,
                              .function =
                                  "function(t, s) return -20*s.hinge.value - 0.5*s.hinge.rate end"};
            check(&w, ss_scene_add_force(w.scene, &f));
        }
        start(&w);
        run(&w, 1e-3, 500);
        angle[k] = body_named(&w, "rod").angle;
        close_world(&w);
    }
    assert_true(fabs(angle[0]) > 0.1);
    assert_near(angle[0], angle[1], 1e-14);
}

static void open_stiff(world *w, const char *integrator, const char *force)
{
    char text[1000];
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "bodies:\n"
             "  - {name: p, type: particle, mass: 1, position: [1, 0, 0], velocity: [0, 3, 0]}\n"
             "  - {name: q, type: dynamic, mass: 1, inertia: [1, 2, 3], position: [-1, 0, 0]}\n"
             "forces:\n"
             "  - {name: f, %s}\n"
             "simulation: {model: {integrator: %s}}\n",
             force, integrator);
    open_text(w, text);
}

/* v = v0 / (1 + h c / m)^n, whatever the damping; with the explicit force 3 m/s became 1e95. */
static void stiff_dampers_decay(void **state)
{
    (void)state;
    const double dampings[] = {1, 1000, 1e7};
    for (int k = 0; k < 3; k++) {
        char force[200];
        snprintf(force, sizeof force, "type: damper, bodies: [world, p], damping: %g", dampings[k]);
        world  w;
        double expected = 3;
        open_stiff(&w, "euler", force);
        for (int i = 0; i < 20; i++) {
            run(&w, 0.01, 1);
            expected /= 1 + 0.01 * dampings[k];
            assert_near(body_named(&w, "p").velocity.y, expected, 1e-12 * 3);
        }
        close_world(&w);
        open_stiff(&w, "midpoint", force);
        double last = 3;
        for (int i = 0; i < 20; i++) {
            run(&w, 0.01, 1);
            double now = body_named(&w, "p").velocity.y;
            assert_true(now >= -1e-9 && now < last + 1e-12); /* it does not swing back */
            last = now;
        }
        close_world(&w);
    }
}

/* Springs of any stiffness, turning with their bodies, never feed energy. */
static void stiff_springs_keep_their_energy(void **state)
{
    (void)state;
    const double stiffnesses[] = {10, 1e4, 1e8};
    const char  *integrators[] = {"euler", "midpoint"};
    for (int k = 0; k < 6; k++) {
        char force[200];
        snprintf(force, sizeof force,
                 "type: spring, bodies: [q, p], anchors: [[0.3, 0.1, 0], [0, 0, 0]],"
                 " stiffness: %g, rest_length: 1.6",
                 stiffnesses[k / 2]);
        world w;
        open_stiff(&w, integrators[k % 2], force);
        double e0 = total_energy(&w), most = 0;
        for (int i = 0; i < 2000; i++) {
            run(&w, 0.005, 1);
            most = fmax(most, total_energy(&w));
        }
        print_message("k = %g, %s: energy up to %.6f of %g J at first\n", stiffnesses[k / 2],
                      integrators[k % 2], most / e0, e0);
        assert_true(most < 1.01 * e0);
        close_world(&w);
    }
}

/* Mistakes in a controller are errors with a reason, never a silent zero. */
static void controllers_that_are_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
        bool        at_compile;
    } cases[] = {
        {"1 + 1", "must be a function", true},
        {"function(t, s) return", "near", true},
        {"function(t, s) return s.bell.x end", "there is no body or joint 'bell'", false},
        {"function(t, s) return s.ball.q end", "'ball' has no field 'q'", false},
        {"function(t, s) return 0/0 end", "not a finite number", false},
        {"function(t, s) s.ball.x = 1 return 0 end", "can be read, not set", false},
        {"function(t, s) while true do end end", "instructions", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        world w;
        open_world(&w, 3, "nsgs");
        add_particle(&w, "ball", ss_v3(1, 0, 0), ss_v3(0, 0, 0));
        ss_force_def f = {
            .type = "controller", .name = "f", .body = "ball", .function = cases[i].text};
        check(&w, ss_scene_add_force(w.scene, &f));
        ss_status status = ss_model_compile(w.ctx, w.scene, &w.model);
        if (!cases[i].at_compile) {
            check(&w, status);
            check(&w, ss_data_create(w.ctx, w.model, &w.data));
            status = ss_step(w.model, w.data, 1e-3);
        }
        assert_int_equal(status, SS_ERR_INPUT);
        if (strstr(ss_context_message(w.ctx), cases[i].reason) == NULL) {
            print_error("%s\n  says: %s\n", cases[i].text, ss_context_message(w.ctx));
        }
        assert_non_null(strstr(ss_context_message(w.ctx), cases[i].reason));
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_oscillate_as_they_should),
        cmocka_unit_test(dampers_know_their_direction),
        cmocka_unit_test(controllers_agree),
        cmocka_unit_test(stiff_dampers_decay),
        cmocka_unit_test(stiff_springs_keep_their_energy),
        cmocka_unit_test(controllers_that_are_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
