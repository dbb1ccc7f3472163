/* SPDX-License-Identifier: Apache-2.0 */
/* geometry: implicit: gaps and joints at the end of the step, for every kind of shape and model. */
#include "world.h"

#define HEAD_2D                                                                                    \
    "dimension: 2\n"                                                                               \
    "gravity: [0, -9.81]\n"                                                                        \
    "materials: {default: {friction: 0.5}}\n"                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
#define HEAD_3D                                                                                    \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "materials: {default: {friction: 0.5}}\n"                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
#define IMPLICIT "simulation: {model: {geometry: implicit}}\n"

/* Bodies that turn or pass along something curved: explicit geometry leaves them in the air or in
   the ground at the end of a step. */
static const struct {
    const char *what, *text;
} shapes[] = {
    {"ellipse on a plane",
     HEAD_2D "  - {name: a, type: dynamic, mass: 1, shape: {superellipse: {radii: [0.3, 0.1], "
             "e: 1}},\n     position: [0, 0.1], angular_velocity: 4, velocity: [1, 0]}\n" IMPLICIT},
    {"superellipse on a disc", HEAD_2D
     "  - {name: hill, type: static, shape: {disc: {radius: 1}}, position: [0, 0]}\n"
     "  - {name: a, type: dynamic, mass: 1, shape: {superellipse: {radii: [0.2, 0.1], "
     "e: 0.7}},\n     position: [0, 1.1], angular_velocity: 2, velocity: [1, 0]}\n" IMPLICIT},
    {"box on a plane", HEAD_2D
     "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}},\n"
     "     position: [0, 0.2], angle: 0.3, angular_velocity: 3, velocity: [1, 0]}\n" IMPLICIT},
    {"disc on a box", HEAD_2D
     "  - {name: table, type: static, shape: {box: {size: [0.5, 0.2]}}, position: [0, 0.5]}\n"
     "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
     "     position: [0, 0.7], velocity: [1, 0]}\n" IMPLICIT},
    {"ellipsoid on a plane", HEAD_3D
     "  - {name: a, type: dynamic, mass: 1, shape: {ellipsoid: {radii: [0.3, 0.2, 0.1]}},\n"
     "     position: [0, 0, 0.1], angular_velocity: [3, 2, 1], velocity: [1, 0, 0]}\n" IMPLICIT},
    {"ellipsoid on an ellipsoid", HEAD_3D
     "  - {name: hill, type: static, shape: {ellipsoid: {radii: [2, 1.5, 1]}}}\n"
     "  - {name: a, type: dynamic, mass: 1, shape: {ellipsoid: {radii: [0.3, 0.2, 0.1]}},\n"
     "     position: [0, 0, 1.1], angular_velocity: [1, 2, 0], velocity: [1, 0.5, 0]}\n" IMPLICIT},
    {"capsule on a sphere",
     HEAD_3D "  - {name: hill, type: static, shape: {sphere: {radius: 1}}}\n"
             "  - {name: a, type: dynamic, mass: 1, shape: {capsule: {radius: 0.1, length: 0.4}},\n"
             "     position: [0, 0, 1.1], euler: [0, 1.5707963, 0], angular_velocity: [0, 0, 2],\n"
             "     velocity: [0.5, 0.5, 0]}\n" IMPLICIT},
    {"coin on a plane", HEAD_3D
     "  - {name: a, type: dynamic, mass: 1, shape: {cylinder: {radius: 0.2, length: 0.04}},\n"
     "     position: [0, 0, 0.3], euler: [1.2, 0, 0], angular_velocity: [0, 0, 4],\n"
     "     velocity: [0.5, 0, 0]}\n" IMPLICIT},
    {"lens on a plane", HEAD_3D
     "  - {name: a, type: dynamic, mass: 1, position: [0, 0, 0.15], velocity: [0.5, 0, 0],\n"
     "     angular_velocity: [1, 2, 0],\n"
     "     shape: {intersection: [{sphere: {radius: 0.3, position: [0, 0, 0.2]}},\n"
     "                            {sphere: {radius: 0.3, position: [0, 0, -0.2]}}]}}\n" IMPLICIT},
};

/* No step leaves an overlap; the certificate holds that a pair which pushes has no gap either. */
static void nothing_overlaps_at_the_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        world  w;
        double deepest = 0;
        open_text(&w, shapes[i].text);
        for (int k = 0; k < 60; k++) {
            check(&w, ss_step(w.model, w.data, 0.01));
            deepest = fmax(deepest, ss_data_report(w.data)->penetration);
        }
        print_message("%s: deepest overlap %.1e m\n", shapes[i].what, deepest);
        assert_true(deepest < 1e-9);
        close_world(&w);
    }
}

/* The same motion at any size: lengths times L, times times sqrt(L). */
static double rolled(double L)
{
    char text[1024];
    snprintf(text, sizeof text,
             HEAD_2D "  - {name: hill, type: static, shape: {disc: {radius: %.17g}}}\n"
                     "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: %.17g}},\n"
                     "     position: [0, %.17g], velocity: [%.17g, 0]}\n" IMPLICIT,
             L, 0.5 * L, 1.5 * L, 0.3 * sqrt(L));
    world w;
    open_text(&w, text);
    run(&w, 0.01 * sqrt(L), 50);
    double x = body_named(&w, "a").position.x / L;
    close_world(&w);
    return x;
}

static void size_does_not_matter(void **state)
{
    (void)state;
    double x = rolled(1);
    for (double L = 1e-3; L < 2e3; L *= 10) {
        assert_near(rolled(L), x, 1e-9);
    }
}

/* A pendulum's joint is closed at the end of every step, not only to first order. */
static void joints_are_closed_at_the_end(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "gravity: [0, 0, -9.81]\n"
              "bodies:\n"
              "  - {name: a, type: dynamic, mass: 1, inertia: [0.01, 0.08, 0.09],\n"
              "     position: [0.5, 0, 0], velocity: [0, 1, 0], angular_velocity: [0, 0, 2]}\n"
              "joints:\n"
              "  - {name: j, type: spherical, bodies: [world, a], anchor: [0, 0, 0]}\n" IMPLICIT);
    for (int i = 0; i < 100; i++) {
        run(&w, 0.01, 1);
        assert_true(ss_data_report(w.data)->joint_error < 1e-12);
    }
    close_world(&w);
}

/* A spring pulls as it does with explicit geometry where there is nothing else. */
static void forces_are_those_of_the_start(void **state)
{
    (void)state;
    static const char text[] =
        HEAD_2D "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
                "     position: [0, 0.1], velocity: [1, 0]}\n"
                "forces:\n"
                "  - {name: s, type: spring, bodies: [world, a], anchors: [[0, 0.1], [0, 0]],\n"
                "     stiffness: 1000, damping: 3, rest_length: 0}\n";
    char   both[2][1024];
    double x[2];
    snprintf(both[0], sizeof both[0], "%s" IMPLICIT, text);
    snprintf(both[1], sizeof both[1], "%ssimulation: {model: {integrator: euler}}\n", text);
    for (int i = 0; i < 2; i++) {
        world w;
        open_text(&w, both[i]);
        run(&w, 0.01, 30);
        x[i] = body_named(&w, "a").position.x;
        close_world(&w);
    }
    assert_near(x[0], x[1], 1e-12);
}

/* A finger pushes a disc around another one, without momentum. */
static void models_without_momentum(void **state)
{
    (void)state;
    static const char *inertia[] = {"quasistatic", "damped"};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "dimension: 2\n"
            "gravity: [0, 0]\n"
            "materials: {default: {friction: 0}}\n"
            "bodies:\n"
            "  - {name: post, type: static, shape: {disc: {radius: 0.1}}, position: [0.25, 0.01]}\n"
            "  - {name: finger, type: kinematic, shape: {disc: {radius: 0.02}},\n"
            "     motion: {x: \"-0.121 + 0.05*t\", y: -0.03}}\n"
            "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, damping: [1, "
            "0.1],\n"
            "     support: {points: [[0.05, 0.03], [-0.05, 0.03], [0, -0.05]], friction: 0.3}}\n"
            "simulation: {model: {geometry: implicit, inertia: %s}}\n",
            inertia[i]);
        world w;
        open_text(&w, text);
        for (int k = 0; k < 100; k++) {
            run(&w, 0.02, 1);
            assert_true(ss_data_report(w.data)->penetration < 1e-10);
        }
        assert_true(body_named(&w, "a").position.x > 0.05);
        close_world(&w);
    }
}

/* Rounds and the complementarity problem of the thesis lead to the same step. */
static double routes_differ(const char *text, double h, int steps, int32_t *unknowns)
{
    world          w;
    ss_body_motion motion[8];
    ss_mcp_step    posed;
    double         worst = 0;
    open_text(&w, text);
    *unknowns = 0;
    for (int i = 0; i < steps; i++) {
        check(&w, ss_analyze_implicit(w.model, w.data, h, motion, &posed));
        if (posed.outcome != SS_SOLVED) {
            fail_msg("step %d: %s, residual %g", i, ss_outcome_text(posed.outcome), posed.residual);
        }
        *unknowns = posed.unknowns > *unknowns ? posed.unknowns : *unknowns;
        run(&w, h, 1);
        int32_t       a = ss_model_find_body(w.model, "a").index1 - 1;
        ss_body_state s = body_named(&w, "a");
        worst           = fmax(worst, ss_norm(ss_sub(s.velocity, motion[a].velocity)));
        worst = fmax(worst, ss_norm(ss_sub(s.angular_velocity, motion[a].angular_velocity)));
    }
    close_world(&w);
    return worst;
}

static const char DISC[] =
    HEAD_2D "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 1}}, position: [0, 1],\n"
            "     velocity: [-3, 0], angular_velocity: 1}\n" IMPLICIT;

static const char GROOVE[] =
    "gravity: [0, 0, 0]\n"
    "materials: {default: {friction: 0.2, ellipsoid: [1, 1, 0.3]}}\n"
    "bodies:\n"
    "  - {name: left, type: static, shape: {sphere: {radius: 10}}}\n"
    "  - {name: right, type: static, shape: {sphere: {radius: 9}}, position: [0, 11.4, 0]}\n"
    "  - {name: a, type: dynamic, mass: 1, shape: {sphere: {radius: 1}},\n"
    "     position: [0, 6.62105263157895, 8.78417110772903]}\n"
    "forces:\n"
    "  - {name: pull, type: constant, body: a, force: [1, 2.6, -9.81]}\n" IMPLICIT;

static void two_routes_lead_to_one_answer(void **state)
{
    (void)state;
    int32_t unknowns;
    double  differ = routes_differ(DISC, 0.01, 50, &unknowns);
    print_message("disc: %d unknowns, routes differ by %.1e\n", (int)unknowns, differ);
    assert_int_equal(unknowns, 11);
    assert_true(differ < 1e-9);
    differ = routes_differ(GROOVE, 0.01, 50, &unknowns);
    print_message("groove: %d unknowns, routes differ by %.1e\n", (int)unknowns, differ);
    assert_int_equal(unknowns, 32);
    assert_true(differ < 1e-9);
    static const size_t others[] = {0, 1, 4, 5};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        differ = routes_differ(shapes[others[i]].text, 0.005, 30, &unknowns);
        print_message("%s: routes differ by %.1e\n", shapes[others[i]].what, differ);
        assert_true(differ < 1e-9);
    }
}

/* A motor with bounded force brakes in time: what it leaves for later steps is a matter of where it
   was when the step began. It swung about its position for ever. */
static void motors_brake_before_their_position(void **state)
{
    (void)state;
    static const char SLIDER[] =
        "bodies:\n"
        "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}},\n"
        "     position: [0, 0, 0.05]}\n"
        "joints:\n"
        "  - {name: j, type: prismatic, bodies: [world, b], anchor: [0, 0, 0.05],\n"
        "     axis: [1, 0, 0], motor: {position: 0.3, max: 5}}\n"
        "simulation: {model: {geometry: implicit}}\n";
    const double h[] = {1e-3, 1e-2};
    for (int k = 0; k < 2; k++) {
        world w;
        open_text(&w, SLIDER);
        run(&w, h[k], (int)lround(1 / h[k]));
        assert_near(body(&w, 0).position.x, 0.3, 1e-9);
        assert_near(body(&w, 0).velocity.x, 0, 1e-9);
        close_world(&w);
    }
}

static void refused(const char *text, const char *why)
{
    world w;
    assert_int_equal(try_text(&w, text), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(w.ctx), why));
    close_world(&w);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    refused(
        HEAD_2D
        "  - {name: a, type: dynamic, shape: {box: {size: [1, 1]}}, position: [0, 2]}\n"
        "  - {name: b, type: dynamic, shape: {box: {size: [1, 1]}}, position: [0, 4]}\n" IMPLICIT,
        "both have corners");
    refused(HEAD_2D "simulation: {model: {geometry: implicit, integrator: midpoint}}\n", "euler");
    refused(HEAD_2D "simulation: {model: {geometry: implicit, gap: velocity}}\n", "gap: position");
    refused("dimension: 2\nmaterials: {default: {restitution: 0.5}}\nbodies:\n"
            "  - {name: a, type: dynamic, shape: {disc: {radius: 1}}}\n" IMPLICIT,
            "restitution");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_overlaps_at_the_end),
        cmocka_unit_test(size_does_not_matter),
        cmocka_unit_test(joints_are_closed_at_the_end),
        cmocka_unit_test(forces_are_those_of_the_start),
        cmocka_unit_test(models_without_momentum),
        cmocka_unit_test(two_routes_lead_to_one_answer),
        cmocka_unit_test(motors_brake_before_their_position),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
