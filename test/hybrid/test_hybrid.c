/* SPDX-License-Identifier: Apache-2.0 */
/* level: acceleration: events where closed formulas have them, and nothing else. */
#include <stdlib.h>

#include "world.h"

/* Steps of h until t; the first event of a kind on the way (NULL: none is asked for). */
static bool run_to(world *w, double h, double t, ss_event_kind kind, ss_event *first)
{
    bool found = false;
    while (ss_data_time(w->data) < t - 0.5 * h) {
        check(w, ss_step(w->model, w->data, h));
        assert_true(ss_data_report(w->data)->residual <= 1e-9);
        for (int32_t i = 0; first != NULL && !found && i < ss_data_event_count(w->data); i++) {
            check(w, ss_data_event(w->model, w->data, i, first));
            found = first->kind == kind;
        }
    }
    return found;
}

static ss_body_state state_of(const world *w, const char *name)
{
    ss_body_state s;
    check(w, ss_data_body(w->model, w->data, ss_model_find_body(w->model, name).index1 - 1, &s));
    return s;
}

#define SPHERE                                                                                     \
    "name: s\n"                                                                                    \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "materials: {default: {friction: 0.2}}\n"                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"            \
    "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, 1], " \
    "velocity: [1.2, 1.6, 0]}\n"                                                                   \
    "simulation: {step: 0.12, duration: 0.6, model: {level: acceleration}}\n"

static void a_sphere_slides_then_rolls(void **state)
{
    (void)state;
    world    w;
    ss_event e;
    open_text(&w, SPHERE);
    assert_true(run_to(&w, 0.12, 0.6, SS_EVENT_STICKS, &e));
    assert_near(e.time, 2 * 2 / (7 * 0.2 * 9.81), 1e-10);
    ss_body_state s = state_of(&w, "ball");
    assert_near(s.velocity.x, 10. / 7 * 0.6, 1e-12);
    assert_near(s.velocity.y, 10. / 7 * 0.8, 1e-12);
    assert_near(s.angular_velocity.y, 10. / 7 * 0.6, 1e-12);
    close_world(&w);
}

/* The last of infinitely many impacts is at sqrt(2 d/g) (1 + e)/(1 - e). */
static void a_ball_comes_to_rest(void **state)
{
    (void)state;
    static const char text[] =
        "name: b\n"
        "dimension: 2\n"
        "gravity: [0, -9.81]\n"
        "materials: {default: {restitution: 0.5}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
        "  - {name: ball, type: dynamic, mass: 2, shape: {disc: {radius: 0.1}}, position: [0, "
        "1.1]}\n"
        "simulation: {step: 0.01, duration: 2, model: {level: acceleration}}\n";
    world    w;
    ss_event e;
    open_text(&w, text);
    assert_true(run_to(&w, 0.01, 2, SS_EVENT_RESTS, &e));
    assert_near(e.until, sqrt(2 / 9.81) * 3, 1e-8);
    assert_near(state_of(&w, "ball").position.y, 0.1, 1e-14);
    assert_near(state_of(&w, "ball").velocity.y, 0, 1e-14);
    ss_energy energy = ss_data_energy(w.model, w.data);
    assert_near(energy.dissipated, 2 * 9.81, 1e-9);
    assert_near(energy.integration, 0, 1e-9);
    close_world(&w);
}

/* Pushed by 2 t: it slips where that is mu m g, whether its forces are unique (a point) or not. */
static void what_is_pushed_slips_in_time(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "type: particle, mass: 2, shape: {point: {}}, position: [0, 0]",
        "type: dynamic, mass: 2, shape: {box: {size: [1, 0.2]}}, position: [0, 0.1]"};
    static const double tolerance[] = {1e-10, 1e-8};
    for (int i = 0; i < 2; i++) {
        char     text[1024];
        world    w;
        ss_event e;
        snprintf(text, sizeof text,
                 "name: p\n"
                 "dimension: 2\n"
                 "gravity: [0, -10]\n"
                 "materials: {default: {friction: 0.25}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                 "  - {name: p, %s}\n"
                 "forces:\n"
                 "  - {name: f, type: constant, body: p, force: [\"2*t\", 0]}\n"
                 "simulation: {step: 0.1, duration: 4, model: {level: acceleration}}\n",
                 shapes[i]);
        open_text(&w, text);
        assert_true(run_to(&w, 0.1, 4, SS_EVENT_SLIPS, &e));
        assert_near(e.time, 2.5, tolerance[i]);
        /* 2 v' = 2 t - 5 from 2.5 on */
        assert_near(state_of(&w, "p").velocity.x, 0.5 * 1.5 * 1.5, 1e-7);
        close_world(&w);
    }
}

/* Friction turns with the belt: a block is carried along, then stopped, then carried back. */
static void a_reversing_belt_reverses_friction(void **state)
{
    (void)state;
    static const char text[] =
        "name: r\n"
        "dimension: 2\n"
        "gravity: [0, -10]\n"
        "materials: {default: {friction: 0.1}}\n"
        "bodies:\n"
        "  - {name: belt, type: static, shape: {halfplane: {normal: [0, 1]}}, surface_velocity: "
        "[-1, 0]}\n"
        "  - {name: p, type: particle, mass: 3, shape: {point: {}}, position: [0, 0], velocity: "
        "[1, 0]}\n"
        "simulation: {step: 0.3, duration: 3, model: {level: acceleration}}\n";
    world    w;
    ss_event e;
    open_text(&w, text);
    assert_true(run_to(&w, 0.3, 3, SS_EVENT_STICKS, &e));
    assert_near(e.time, 2, 1e-10);
    assert_near(state_of(&w, "p").velocity.x, -1, 1e-12);
    assert_near(state_of(&w, "p").position.x, -1, 1e-10);
    close_world(&w);
}

/* A ball falls past a bar, within a step and by less than looks along it would see. */
static void what_grazes_is_seen(void **state)
{
    (void)state;
    static const double overlap[] = {1e-3, 1e-6, 1e-9};
    for (int i = 0; i < 3; i++) {
        char     text[512];
        world    w;
        ss_event e;
        snprintf(text, sizeof text,
                 "name: g\n"
                 "dimension: 2\n"
                 "gravity: [0, -10]\n"
                 "materials: {default: {restitution: 0.5}}\n"
                 "bodies:\n"
                 "  - {name: bar, type: static, shape: {disc: {radius: 0.5}}, position: [0, 0]}\n"
                 "  - {name: ball, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: "
                 "[%.17g, 2]}\n"
                 "simulation: {step: 0.05, duration: 1, model: {level: acceleration}}\n",
                 0.6 - overlap[i]);
        open_text(&w, text);
        assert_true(run_to(&w, 0.05, 1, SS_EVENT_IMPACT, &e));
        /* it touches where x^2 + y^2 = 0.36 */
        double x = 0.6 - overlap[i], y = sqrt(0.36 - x * x);
        assert_near(e.time, sqrt(2 * (2 - y) / 10), 1e-9);
        close_world(&w);
    }
}

static void a_snapshot_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    world w;
    open_text(&w, SPHERE);
    run_to(&w, 0.12, 0.24, SS_EVENT_STICKS, NULL);
    size_t size  = ss_snapshot_size(w.model, w.data);
    void  *saved = malloc(size);
    assert_non_null(saved);
    check(&w, ss_snapshot_get(w.model, w.data, saved));
    run_to(&w, 0.12, 0.6, SS_EVENT_STICKS, NULL);
    uint64_t hash = ss_state_hash(w.model, w.data);
    check(&w, ss_snapshot_set(w.model, w.data, saved, size));
    run_to(&w, 0.12, 0.6, SS_EVENT_STICKS, NULL);
    assert_int_equal(hash, ss_state_hash(w.model, w.data));
    free(saved);
    close_world(&w);
}

/* Painleve's rod beyond its border: no forces, said by name, and the state stays. */
static void without_a_solution_the_run_ends(void **state)
{
    (void)state;
    static const char text[] =
        "name: rod\n"
        "dimension: 2\n"
        "gravity: [0, -9.81]\n"
        "materials: {default: {friction: 1.4}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
        "  - {name: rod, type: dynamic, mass: 1, inertia: 0.3333333333333333, com: [0, 0], shape: "
        "{points: {points: [[-1, 0], [1, 0]]}}, position: [0, \"sin(pi/3)\"], angle: \"pi/3\", "
        "velocity: [-1, 0]}\n"
        "simulation: {step: 0.01, duration: 1, model: {level: acceleration}}\n";
    world w;
    open_text(&w, text);
    uint64_t hash = ss_state_hash(w.model, w.data);
    assert_int_equal(ss_step(w.model, w.data, 0.01), SS_ERR_CERTIFICATE);
    assert_non_null(strstr(ss_context_message(w.ctx), "Painleve's paradox"));
    assert_int_equal(hash, ss_state_hash(w.model, w.data));
    close_world(&w);
}

/* Limits that are far away do not decide how exactly the one that is struck is solved. */
static void a_limit_is_struck_once(void **state)
{
    (void)state;
    static const char text[] =
        "name: d\n"
        "dimension: 2\n"
        "bodies:\n"
        "  - {name: a, type: dynamic, mass: 1, inertia: 0.1, position: [1, 0]}\n"
        "  - {name: b, type: dynamic, mass: 1, inertia: 0.1, position: [2, 0]}\n"
        "joints:\n"
        "  - {name: j, type: revolute, bodies: [world, a], anchor: [0, 0], limits: [-2, 0.5]}\n"
        "  - {name: k, type: revolute, bodies: [a, b], anchor: [1.5, 0], limits: [-0.7, 0.7], "
        "friction: 0.2}\n"
        "simulation: {step: 0.01, duration: 1, model: {level: acceleration}}\n";
    world    w;
    ss_event e;
    open_text(&w, text);
    assert_true(run_to(&w, 0.01, 0.93, SS_EVENT_IMPACT, &e));
    assert_near(e.time, 0.927511923, 1e-8);
    assert_int_equal(ss_data_event_count(w.data), 1);
    assert_near(state_of(&w, "a").angular_velocity.z, 0, 1e-12); /* it rests against the limit */
    assert_near(state_of(&w, "a").position.y, sin(-2.), 1e-12);
    close_world(&w);
}

#define CRANK                                                                                      \
    "name: c\n"                                                                                    \
    "dimension: 2\n"                                                                               \
    "gravity: [0, 0]\n"                                                                            \
    "bodies:\n"                                                                                    \
    "  - {name: c, type: kinematic, motion: {x: \"t < 0.5 and 0 or 3*(t - 0.5)^2\"}}\n"            \
    "  - {name: a, type: dynamic, mass: 1, inertia: 0.1}\n"                                        \
    "joints:\n"                                                                                    \
    "  - {name: j, type: prismatic, bodies: [c, a], axis: [1, 0], limits: [-0.2, 5]}\n"

/* A limit that a driven body brings pushes, at both levels and with both integrators. */
static void a_driven_limit_pushes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        CRANK "simulation: {step: 0.01, duration: 1.5}\n",
        CRANK "simulation: {step: 0.01, duration: 1.5, model: {integrator: euler}}\n",
        CRANK "simulation: {step: 0.01, duration: 1.5, model: {level: acceleration}}\n"};
    for (int i = 0; i < 3; i++) {
        world w;
        open_text(&w, texts[i]);
        run_to(&w, 0.01, 1.5, SS_EVENT_IMPACT, NULL);
        ss_joint_info j;
        check(&w, ss_data_joint(w.model, w.data, 0, &j));
        assert_near(j.value[0], -0.2, 1e-9);
        assert_near(state_of(&w, "a").position.x, 2.8, 1e-9);
        assert_near(state_of(&w, "a").velocity.x, 6, i < 2 ? 0.031 : 1e-9); /* mean of a step */
        close_world(&w);
    }
}

/*
 * Velocities that a joint does not allow end in an impact of the joint, which dry friction that
 * sticks does not hinder: m, I turn about a pin at r with w = m u r/(I + m r^2), then friction tau
 * slows them down; the energy that was lost is accounted for.
 */
static void joints_that_are_torn(void **state)
{
    (void)state;
    const double m = 2, inertia = 0.3, r = 0.5, u = 1.5, tau = 0.01, h = 1e-3;
    double       all = inertia + m * r * r, w = m * u * r / all;
    world        x;
    open_text(&x,
              "dimension: 2\ngravity: [0, 0]\nbodies:\n"
              "  - {name: bob, type: dynamic, mass: 2, inertia: 0.3, com: [0, 0], shape: {disc: "
              "{radius: 0.1}}, position: [0, -0.5], velocity: [1.5, 0]}\n"
              "joints:\n  - {name: pin, type: revolute, bodies: [world, bob], anchor: [0, 0], "
              "friction: 0.01}\n"
              "simulation: {step: 1e-3, duration: 1, model: {level: acceleration}}\n");
    check(&x, ss_step(x.model, x.data, h));
    ss_energy e = ss_data_energy(x.model, x.data);
    assert_near(body(&x, 0).angular_velocity.z, w - tau / all * h, 1e-9);
    assert_near(e.kinetic + e.dissipated, 0.5 * m * u * u, 1e-12);
    assert_near(e.dissipated, 0.5 * m * u * u * inertia / all + tau * w * h, 1e-8);
    close_world(&x);
}

/*
 * Ten boxes on a belt, a spring between each two: where one corner of a box begins to slip the
 * other does too, although its forces are not unique. Against steps of their own, m (v' - v) = h F
 * + p with |p| <= mu m g h, which is p = -sign(r) min(m |r|, mu m g h), r = v + h F/m - belt.
 */
enum { BOXES = 10 };
static const double box_mass[BOXES]   = {2.42135, 2.50147, 1.5581,  0.93254, 0.201265,
                                         2.05589, 1.51671, 2.32725, 1.24485, 2.35639};
static const double box_spring[BOXES] = {200, 800, 50, 800, 20, 50, 200, 20, 800, 200};

static void slide_boxes(double T, int steps, double x[BOXES], double v[BOXES])
{
    double h = T / steps;
    for (int s = 0; s < steps; s++) {
        double force[BOXES + 1];
        for (int i = 0; i < BOXES; i++) {
            force[i] = -box_spring[i] * (x[i] - (i > 0 ? x[i - 1] : 0));
        }
        force[BOXES] = 0;
        for (int i = 0; i < BOXES; i++) {
            double r = v[i] + h * (force[i] - force[i + 1]) / box_mass[i] - 0.2;
            v[i]     = 0.2 + (fabs(r) > 0.4 * 9.81 * h ? r - copysign(0.4 * 9.81 * h, r) : 0);
        }
        for (int i = 0; i < BOXES; i++) {
            x[i] += h * v[i];
        }
    }
}

static void boxes_slip_with_both_corners(void **state)
{
    (void)state;
    char   text[4096];
    double x[BOXES] = {0}, v[BOXES] = {0};
    int    used = snprintf(text, sizeof text,
                           "dimension: 2\nmaterials: {default: {friction: 0.4}}\nbodies:\n"
                              "  - {name: belt, type: static, shape: {halfplane: {normal: [0, 1]}}, "
                              "surface_velocity: [0.2, 0]}\n");
    for (int i = 0; i < BOXES; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  - {name: b%d, type: dynamic, mass: %.9g, shape: {box: {size: [0.1, "
                         "0.1]}}, position: [%.9g, 0.05]}\n",
                         i, box_mass[i], 0.3 * i);
    }
    used += snprintf(text + used, sizeof text - (size_t)used, "forces:\n");
    for (int i = 0; i < BOXES; i++) {
        char lead[64] = "bodies: [world, b0], anchors: [[-0.3, 0.05], [0, 0]]";
        if (i > 0) {
            snprintf(lead, sizeof lead, "bodies: [b%d, b%d]", i - 1, i);
        }
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  - {type: spring, %s, stiffness: %g, rest_length: 0.3}\n", lead,
                         box_spring[i]);
    }
    snprintf(text + used, sizeof text - (size_t)used,
             "simulation: {step: 0.01, duration: 1.6, model: {level: acceleration}}\n");
    world w;
    open_text(&w, text);
    run_to(&w, 0.01, 1.6, SS_EVENT_SLIPS, NULL);
    slide_boxes(1.6, 160000, x, v);
    for (int i = 0; i < BOXES; i++) {
        assert_near(body(&w, i + 1).position.x, 0.3 * i + x[i], 2e-5);
        assert_near(body(&w, i + 1).velocity.x, v[i], 2e-4);
    }
    close_world(&w);
}

/* A table whose velocity jumps, at a time that no step ends at: what lies on it slides until it
   goes along again, or is thrown, and falls back; energies balance. */
/* Two discs meet on the floor, with static and kinetic friction: which of the two an impact has
   does not depend on how long steps are, and what slips when it begins slips. */
static void impacts_with_two_frictions_do_not_depend_on_steps(void **state)
{
    (void)state;
    const double steps[] = {0.005, 0.001, 0.0005, 0.0002};
    for (int i = 0; i < 4; i++) {
        world w;
        open_text(&w,
                  "dimension: 2\ngravity: [0.7288, -9.81]\n"
                  "materials: {default: {friction: {static: 0.734, kinetic: 0.2305}}}\n"
                  "bodies:\n"
                  "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                  "  - {name: a, type: dynamic, mass: 1.5802, shape: {disc: {radius: 0.1177}},\n"
                  "     position: [0, 0.2055], velocity: [1.6948, 0], angular_velocity: 9.6956}\n"
                  "  - {name: b, type: dynamic, mass: 2.097, shape: {disc: {radius: 0.1917}},\n"
                  "     position: [1.2, 0.1917], velocity: [-1.8783, 0]}\n"
                  "simulation: {model: {level: acceleration}}\n");
        run(&w, steps[i], (int)lround(0.4 / steps[i]));
        assert_near(body(&w, 2).position.x, 0.77313, 1e-5);
        assert_near(body(&w, 2).angular_velocity.z, 3.0463, 1e-4);
        close_world(&w);
    }
}

static void kinks_of_a_drive_are_events(void **state)
{
    (void)state;
    static const double steps[] = {0.01, 0.007, 0.03};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        for (int thrown = 0; thrown < 2; thrown++) {
            const double mu = 0.3, g = 9.81, v = 0.4, at = 0.3141;
            const char  *x = thrown ? "0" : "t < 0.3141 and 0.4*t or 0.4*(2*0.3141 - t)";
            const char  *y = thrown ? "t < 0.3141 and 0.4*t - 0.05 or 0.4*0.3141 - 0.05" : "-0.05";
            char         text[1000];
            world        w;
            ss_event     e = {0};
            snprintf(text, sizeof text,
                     "dimension: 2\ngravity: [0, -9.81]\nmaterials: {default: {friction: 0.3}}\n"
                     "bodies:\n  - {name: table, type: kinematic, shape: {box: {size: [2, 0.1]}}, "
                     "motion: {x: \"%s\", y: \"%s\"}}\n"
                     "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.1]}}, "
                     "position: [0, 0.05], velocity: [%g, %g]}\n"
                     "simulation: {step: %g, duration: 1, model: {level: acceleration}}\n",
                     x, y, thrown ? 0 : v, thrown ? v : 0, steps[k]);
            open_text(&w, text);
            run_to(&w, steps[k], 0.3, SS_EVENT_IMPACT, NULL);
            assert_true(run_to(&w, steps[k], 0.75, thrown ? SS_EVENT_IMPACT : SS_EVENT_STICKS, &e));
            assert_near(e.time, at + 2 * v / (thrown ? g : mu * g), 1e-8);
            ss_energy all = ss_data_energy(w.model, w.data);
            assert_near(all.dissipated, thrown ? 0.5 * v * v : 2 * v * v, 1e-8);
            assert_near(ss_norm(body(&w, 1).velocity), thrown ? 0 : v, 1e-8);
            close_world(&w);
        }
    }
}

/* A table that speeds up and then goes evenly, or sets off, within a step: what sticks to it goes
   with it, and the energies balance. */
static void jumps_of_accelerations_are_events(void **state)
{
    (void)state;
    static const char *const motions[] = {"t < 0.1 and t^2 or 0.01 + 0.2*(t - 0.1)",
                                          "t < 0.1033 and 0 or 2*(t - 0.1033)^2",
                                          "0.5*max(0, t - 0.1)^2"};
    const double             steps[]   = {0.01, 0.002};
    for (int i = 0; i < 6; i++) {
        char  text[1000];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {default: {friction: {static: 0.5, kinetic: 0.3}}}\n"
                 "bodies:\n"
                 "  - {name: table, type: kinematic, shape: {box: {size: [60, 0.4]}},\n"
                 "     position: [0, -0.2], motion: {x: \"%s\"}}\n"
                 "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.4, 0.2]}},\n"
                 "     position: [0, 0.1]}\n"
                 "simulation: {model: {level: acceleration}}\n",
                 motions[i / 2]);
        open_text(&w, text);
        run(&w, steps[i % 2], (int)lround(0.3 / steps[i % 2]));
        assert_near(body(&w, 1).position.x - body(&w, 0).position.x, 0, 1e-11);
        assert_near(ss_data_energy(w.model, w.data).dissipated, 0, 1e-9);
        close_world(&w);
    }
}

/*
 * Motors whose speed jumps, or begins to grow, on a step and within one: the cart is as fast at
 * once, or with the force that the motor has; positions and energies are those of the closed form.
 */
static void jumps_of_motors_are_events(void **state)
{
    (void)state;
    static const struct {
        const char *motor;
        double      x, v;
    } ways[] = {
        {"velocity: \"t > 0.1 and 1 or 0\"", 0.2, 1},
        {"velocity: \"t > 0.1033 and 1 or 0\"", 0.1967, 1},
        {"velocity: \"t > 0.1 and 1 or 0\", max: 50", 0.15, 1},
        {"velocity: \"t > 0.1033 and t < 0.1571 and 1 or 0\"", 0.0538, 0},
        {"velocity: \"(t > 0.1003 and 0.3 or 0) + (t > 0.1053 and 0.5 or 0)\"", 0.15726, 0.8},
        {"velocity: \"max(0, t - 0.1033)\"", 0.1967 * 0.1967 / 2, 0.1967},
        {"position: \"max(0, t - 0.1033)\"", 0.1967, 1}};
    const double steps[] = {0.01, 0.001};
    for (size_t i = 0; i < 2 * sizeof ways / sizeof *ways; i++) {
        char   text[1000];
        world  w;
        double h = steps[i % 2];
        snprintf(text, sizeof text,
                 "dimension: 2\nbodies:\n"
                 "  - {name: cart, type: dynamic, mass: 5, inertia: 1}\n"
                 "joints:\n  - {name: s, type: prismatic, bodies: [world, cart], axis: [1, 0],\n"
                 "     motor: {%s}}\n"
                 "simulation: {model: {level: acceleration}}\n",
                 ways[i / 2].motor);
        open_text(&w, text);
        run(&w, h, (int)lround(0.3 / h));
        ss_energy all = ss_data_energy(w.model, w.data);
        assert_near(body(&w, 0).position.x, ways[i / 2].x, 1e-9);
        assert_near(body(&w, 0).velocity.x, ways[i / 2].v, 1e-9);
        assert_near(all.driven - all.dissipated, 2.5 * ways[i / 2].v * ways[i / 2].v, 1e-8);
        close_world(&w);
    }
}

/* Fingers with one drive of limited force press a part that nothing else pushes: it strikes them,
   ever less, comes to rest and is held, its sides along the fingers. */
static void a_coupled_gripper_holds_its_part(void **state)
{
    (void)state;
    world w;
    open_text(&w, "dimension: 2\ngravity: [0, 0]\n"
                  "materials: {default: {friction: 0.4, restitution: 0.3}}\nbodies:\n"
                  "  - {name: part, type: dynamic, mass: 0.2, shape: {box: {size: [0.06, 0.04]}}, "
                  "position: [0.01, 0], angle: 0.1}\n"
                  "  - {name: left, type: dynamic, mass: 0.3, inertia: 1e-3, shape: {box: {size: "
                  "[0.02, 0.08]}}, position: [-0.08, 0]}\n"
                  "  - {name: right, type: dynamic, mass: 0.3, inertia: 1e-3, shape: {box: {size: "
                  "[0.02, 0.08]}}, position: [0.08, 0]}\n"
                  "joints:\n"
                  "  - {name: l, type: prismatic, bodies: [world, left], axis: [1, 0], motor: "
                  "{velocity: 0.2, max: 5}}\n"
                  "  - {name: r, type: prismatic, bodies: [world, right], axis: [1, 0]}\n"
                  "  - {name: c, type: coupling, joints: [l, r], ratio: -1}\n"
                  "simulation: {step: 0.005, duration: 1, model: {level: acceleration}}\n");
    run_to(&w, 0.005, 0.25, SS_EVENT_STICKS, NULL);
    assert_near(body(&w, 0).position.x, 0, 1e-9);
    assert_near(body(&w, 0).angle, 0, 1e-9);
    assert_near(body(&w, 1).position.x, -0.04, 1e-9);
    assert_near(body(&w, 2).position.x, 0.04, 1e-9);
    for (int i = 0; i < 3; i++) {
        assert_near(ss_norm(body(&w, i).velocity) + fabs(body(&w, i).angular_velocity.z), 0, 1e-9);
    }
    close_world(&w);
}

#define AT_INSTANTS "simulation: {step: 0.01, duration: 2, model: {level: acceleration}}\n"

/* A bearing whose friction follows its load, against an integration of its own (order 4, steps of
   0.5 ms); with a larger bearing the pendulum stops away from the bottom and stays. */
static void friction_follows_the_load(void **state)
{
    (void)state;
    static const char text[] = "dimension: 2\nbodies:\n"
                               "  - {name: p, type: dynamic, mass: 1.3, inertia: 0.02, angle: 1, "
                               "position: [0.33658839392315865, -0.21612092234725588]}\n"
                               "joints:\n"
                               "  - {name: j, type: revolute, bodies: [world, p], anchor: [0, 0], "
                               "friction_coefficient: 0.2, friction_radius: %g}\n" AT_INSTANTS;
    world             w;
    ss_event          e;
    char              scene[800];
    snprintf(scene, sizeof scene, text, 0.1);
    open_text(&w, scene);
    run_to(&w, 0.01, 0.5, SS_EVENT_STICKS, NULL);
    assert_near(body(&w, 0).angle, -0.5070608493537582, 1e-9);
    assert_near(body(&w, 0).angular_velocity.z, -3.188317024565088, 1e-8);
    close_world(&w);
    snprintf(scene, sizeof scene, text, 1.);
    open_text(&w, scene);
    assert_true(run_to(&w, 0.01, 2, SS_EVENT_STICKS, &e));
    assert_near(body(&w, 0).angle, 0.16613, 1e-5);
    assert_near(body(&w, 0).angular_velocity.z, 0, 1e-12);
    close_world(&w);
}

/*
 * A four-bar whose crank points at the far pivot: the coupler turns about that pivot for a moment,
 * as the rocker does, and friction between the two changes no acceleration. Forces were divided by
 * the rounding that is left of its row, and the run ended at its start. By impulses it is the same
 * motion, to the error of their steps.
 */
static void friction_of_a_joint_that_does_not_turn(void **state)
{
    (void)state;
    static const char text[] =
        "dimension: 2\nbodies:\n"
        "  - {name: a, type: dynamic, mass: 0.5, inertia: 0.002, position: [0.1, 0]}\n"
        "  - {name: b, type: dynamic, mass: 1, inertia: 0.03, position: [0.45, 0.2]}\n"
        "  - {name: c, type: dynamic, mass: 0.8, inertia: 0.02, position: [0.65, 0.2]}\n"
        "joints:\n"
        "  - {name: A, type: revolute, bodies: [world, a], anchor: [0, 0], "
        "motor: {velocity: 8, max: 6}, friction_coefficient: 0.1, friction_radius: 0.02}\n"
        "  - {name: B, type: revolute, bodies: [a, b], anchor: [0.2, 0], "
        "friction_coefficient: 0.1, friction_radius: 0.02}\n"
        "  - {name: C, type: revolute, bodies: [b, c], anchor: [0.7, 0.4], "
        "friction_coefficient: 0.1, friction_radius: 0.02}\n"
        "  - {name: D, type: revolute, bodies: [world, c], anchor: [0.6, 0], "
        "stiffness: 3, damping: 0.05, friction: 0.1}\n"
        "simulation: {step: 0.01, model: {level: %s}}\n";
    static const char *const levels[] = {"acceleration", "impulse"};
    static const double      steps[]  = {0.01, 0.0002};
    ss_body_state            end[2];
    for (int i = 0; i < 2; i++) {
        world w;
        char  scene[1500];
        snprintf(scene, sizeof scene, text, levels[i]);
        open_text(&w, scene);
        while (ss_data_time(w.data) < 1 - 0.5 * steps[i]) { /* it is there again at 0.8 s */
            check(&w, ss_step(w.model, w.data, steps[i]));
            assert_near(ss_data_report(w.data)->bridged, 0, 0);
        }
        end[i] = body(&w, 1);
        close_world(&w);
    }
    assert_near(end[0].angle, end[1].angle, 2e-6);
    assert_near(end[0].angular_velocity.z, end[1].angular_velocity.z, 2e-5);
    assert_true(ss_norm(ss_sub(end[0].position, end[1].position)) < 2e-6);
}

/* v' = -E v: half the sum and half the difference of two exponentials. */
static void damping_matrices_resist(void **state)
{
    (void)state;
    world w;
    open_text(&w, "dimension: 2\ngravity: [0, 0]\nbodies:\n"
                  "  - {name: p, type: dynamic, mass: 1, inertia: 1, velocity: [1, 0], "
                  "damping: [[2, 1, 0], [1, 2, 0], [0, 0, 1]]}\n" AT_INSTANTS);
    run_to(&w, 0.01, 0.5, SS_EVENT_STICKS, NULL);
    assert_near(body(&w, 0).velocity.x, 0.5 * (exp(-1.5) + exp(-0.5)), 1e-10);
    assert_near(body(&w, 0).velocity.y, 0.5 * (exp(-1.5) - exp(-0.5)), 1e-10);
    close_world(&w);
}

/* x'' = -25 x, by a controller that looks at its joint; declared stiff or not. */
static void controllers_see_joints_where_they_are(void **state)
{
    (void)state;
    static const char *const more[] = {"", ", stiffness: 25", ", stiffness: 25, damping: 1"};
    for (int i = 0; i < 3; i++) {
        world w;
        char  scene[800];
        snprintf(scene, sizeof scene,
                 "dimension: 2\nbodies:\n"
                 "  - {name: p, type: dynamic, mass: 1, inertia: 1, velocity: [0.4, 0]}\n"
                 "joints:\n  - {name: j, type: prismatic, bodies: [world, p], axis: [1, 0]}\n"
                 "forces:\n  - {type: controller, joint: j, "
                 "function: 'function(t, s) return -25*s.j.value end'%s}\n" AT_INSTANTS,
                 more[i]);
        open_text(&w, scene);
        run_to(&w, 0.01, 1, SS_EVENT_STICKS, NULL);
        assert_near(body(&w, 0).position.x, 0.08 * sin(5), 1e-10);
        close_world(&w);
    }
}

/* What has no law at an instant is refused, and not left out. */
static void what_steps_define_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "dimension: 2\nbodies:\n  - {name: p, type: dynamic, mass: 1, inertia: 1}\n"
        "joints:\n  - {name: j, type: prismatic, bodies: [world, p], axis: [1, 0], "
        "motor: {position: 0.3, max: 5}}\n" AT_INSTANTS,
        "dimension: 2\nbodies:\n\n\n  - {name: p, type: dynamic, mass: 1, inertia: 1, support: "
        "{points: [[1, 0], [-1, 1], [-1, -1]], friction: 0.3, push_height: 0.1}}\n" AT_INSTANTS};
    for (int i = 0; i < 2; i++) {
        world w;
        assert_int_equal(try_text(&w, texts[i]), SS_ERR_INPUT);
        assert_non_null(strstr(ss_context_message(w.ctx), "test.yaml:5"));
        assert_non_null(strstr(ss_context_message(w.ctx), "at an instant"));
        close_world(&w);
    }
}

/* Without any force: a disc that rolls strikes a slope of 0.5 rad, and rolls on along it with
   (cos 0.5 + 1/2)/(3/2) of its speed. Accelerations are rounding, and none. */
static void what_nothing_pushes_rolls_on(void **state)
{
    (void)state;
    world w;
    open_text(&w, "dimension: 2\ngravity: [0, 0]\n"
                  "materials: {default: {friction: 0.9}}\nbodies:\n"
                  "  - {name: ground, type: static, shape: {union: {parts: [{polygon: {points: "
                  "[[-3, -0.5], [0, -0.5], [0, 0], [-3, 0]]}}, {polygon: {points: [[0, 0], [0, "
                  "-0.5], [2.872460454973219, 0.9994853348674225], [2.6327476856711174, "
                  "1.4382766158126088]]}}]}}}\n"
                  "  - {name: d, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: "
                  "[-0.5, 0.1], velocity: [4, 0], angular_velocity: -40}\n"
                  "simulation: {step: 0.001, duration: 1, model: {level: acceleration}}\n");
    run_to(&w, 0.001, 0.225, SS_EVENT_STICKS, NULL);
    double right = 4 * (cos(0.5) + 0.5) / 1.5;
    assert_near(ss_norm(body(&w, 1).velocity), right, 1e-9);
    assert_near(body(&w, 1).angular_velocity.z, -10 * right, 1e-8);
    close_world(&w);
}

/* A cylinder strikes a box, turns along it and leaves: where its force ends, the accelerations of
   the contact cancel. Momentum stays. */
static void what_turns_away_leaves(void **state)
{
    (void)state;
    world w;
    open_text(
        &w,
        "gravity: [0, 0, 0]\nmaterials: {default: {friction: 0.3}}\nbodies:\n"
        "  - {name: c, type: dynamic, mass: 0.63, inertia: [0.002520213010644096, "
        "0.0031502662633051204, 0.0037803195159661447], shape: {cylinder: {radius: 0.07, length: "
        "0.12}}, position: [-0.25685387273654425, -0.1985772300891864, -0.02416637264564343], "
        "quat_wxyz: [0.7108814756442652, -0.6823224186903584, -0.1665189061942498, "
        "-0.036811661443649536], velocity: [0.9040530914119258, 0.16016841250680147, "
        "0.18506587977984912], angular_velocity: [1.28959108446669, 2.0881281718886053, "
        "-3.552353900271567]}\n"
        "  - {name: b, type: dynamic, mass: 2.99, inertia: [0.011950965052353242, "
        "0.014938706315441553, 0.017926447578529865], shape: {box: {size: [0.19489436749377653, "
        "0.14600451393090963, 0.17577288453082915]}}, position: [0.10298449712175306, "
        "-0.30120032312726136, 0.026407219741636782], quat_wxyz: [-0.5280323998382346, "
        "-0.038492325521829275, -0.38060996258806784, 0.7581795183040135], velocity: "
        "[-0.8392388354572129, 0.5367516167100095, 0.15941554860582924], angular_velocity: "
        "[3.0118847275265086, -1.8537211341228024, 5.466034089984969]}\n"
        "simulation: {step: 0.004, duration: 1, model: {level: acceleration}}\n");
    ss_event e;
    double   was = 0.63 * body(&w, 0).velocity.x + 2.99 * body(&w, 1).velocity.x;
    assert_true(run_to(&w, 0.004, 0.16, SS_EVENT_LEAVES, &e));
    assert_near(0.63 * body(&w, 0).velocity.x + 2.99 * body(&w, 1).velocity.x, was, 1e-11);
    close_world(&w);
}

/* The two ends of a line of contact press ever less, alike, and leave in turn at one time: as a
   disc leaves a disc in the plane. */
static void a_line_leaves_as_a_point_does(void **state)
{
    (void)state;
    world a, b;
    open_text(&a, "materials: {default: {friction: 0.6}}\nbodies:\n"
                  "  - {name: s, type: static, shape: {cylinder: {radius: 1, length: 2}}, "
                  "axis_angle: [1, 0, 0, 1.5707963267948966]}\n"
                  "  - {name: b, type: dynamic, mass: 1, shape: {cylinder: {radius: 0.1, length: "
                  "0.3}}, position: ['1.1*sin(0.75)', 0, '1.1*cos(0.75)'], axis_angle: [1, 0, 0, "
                  "1.5707963267948966], velocity: ['2.2*cos(0.75)', 0, '-2.2*sin(0.75)']}\n"
                  "simulation: {step: 0.01, duration: 0.3, model: {level: acceleration}}\n");
    open_text(&b, "dimension: 2\nmaterials: {default: {friction: 0.6}}\nbodies:\n"
                  "  - {name: s, type: static, shape: {disc: {radius: 1}}}\n"
                  "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: "
                  "['1.1*sin(0.75)', '1.1*cos(0.75)'], velocity: ['2.2*cos(0.75)', "
                  "'-2.2*sin(0.75)']}\n"
                  "simulation: {step: 0.01, duration: 0.3, model: {level: acceleration}}\n");
    ss_event first, other;
    assert_true(run_to(&a, 0.01, 0.3, SS_EVENT_LEAVES, &first));
    assert_true(run_to(&b, 0.01, 0.3, SS_EVENT_LEAVES, &other));
    assert_near(first.time, other.time, 1e-11);
    ss_body_state x = state_of(&a, "b"), y = state_of(&b, "b");
    assert_near(x.position.x, y.position.x, 1e-11);
    assert_near(x.position.z, y.position.y, 1e-11);
    assert_near(x.velocity.z, y.velocity.y, 1e-11);
    assert_near(x.angular_velocity.y, -y.angular_velocity.z, 1e-9);
    close_world(&a);
    close_world(&b);
}

#define LEG(x, y) ", {box: {size: [0.0001, 0.0001, 0.4], position: [" #x ", " #y ", 0.2]}}"

/*
 * A table on three thin legs tips while it brakes and comes down on them: corners 0.1 mm apart, one
 * of which still approaches by 1e-8 m/s while it is pushed away. level: impulse goes there with
 * smaller steps (0.25 ms: 4e-4 m).
 */
static void thin_legs_are_put_down(void **state)
{
    (void)state;
    world w;
    open_text(
        &w,
        "materials: {default: {friction: 0.4, restitution: 0}}\nbodies:\n"
        "  - {name: f, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: top, type: dynamic, mass: 4.5, com: [0, -0.016666666666666666, "
        "0.34666666666666673], inertia: [[0.14130000125, 0, 0], [0, 0.22130000125, "
        "-0.011], [0, -0.011, 0.2250000025]], velocity: [1.95, 0.5, 0], "
        "angular_velocity: [0, 0, 3], shape: {union: {parts: [{box: {size: [0.6, 0.4, "
        "0.04], position: [0, 0, 0.42]}}" LEG(-0.25, -0.15) LEG(0.25, -0.15) LEG(
            0, 0.15) "]}}}\n"
                     "simulation: {step: 0.002, duration: 0.6, model: {level: acceleration}}\n");
    run_to(&w, 0.002, 0.6, SS_EVENT_LEAVES, NULL);
    ss_body_state s = state_of(&w, "top");
    assert_near(s.position.x, 0.55936, 1e-4);
    assert_near(s.position.y, 0.06780, 1e-3);
    assert_near(s.position.z, 0.00312, 1e-4);
    ss_energy e = ss_data_energy(w.model, w.data);
    assert_near(e.dissipated, 10.3948, 2e-3);
    assert_near(e.integration, 0, 1e-11);
    close_world(&w);
}

/*
 * Four bodies without gravity, of which two slide on each other until an edge comes to lie over a
 * face whose gap was below zero before it was seen to close. level: impulse goes there by the first
 * order (steps of 62.5 us: 4e-5 m).
 */
static void edges_that_come_over_a_face_are_met(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "gravity: [0, 0, 0]\nmaterials: {default: {friction: 0.8, restitution: 0}}\nbodies:\n"
              "  - {name: b0, type: dynamic, mass: 2.229049389958166, inertia: "
              "[0.008916197559832664, 0.01114524694979083, 0.013374296339748997], shape: {box: "
              "{size: [0.19586338310644205, 0.19849849877499479, 0.16632952669932005]}}, position: "
              "[0.3626156697483967, 0.02078708246447515, 0.02061843489077097], quat_wxyz: "
              "[0.4528007888217322, 0.2403345515188469, -0.4538024077153243, 0.7288855354172055], "
              "velocity: [-0.9289103164176524, 0.11662735489485726, -0.1561140267316974], "
              "angular_velocity: [-4.274545539019006, -2.111577361616615, 0.4084870153597851]}\n"
              "  - {name: b1, type: dynamic, mass: 1.954634691240631, inertia: "
              "[0.007818538764962524, 0.007818538764962524, 0.007818538764962524], shape: {sphere: "
              "{radius: 0.09207730980019647}}, position: [0.10465043219177873, 0.295514922543621, "
              "0.01982917119271735], velocity: [-0.15725881922506335, -0.6596456893083713, "
              "-0.0008988269466861099], angular_velocity: [0.757010305606579, -1.0015277174405675, "
              "2.7029505703290866]}\n"
              "  - {name: b4, type: dynamic, mass: 1.0748431543866488, inertia: "
              "[0.0042993726175465955, 0.005374215771933244, 0.006449058926319893], shape: {box: "
              "{size: [0.10806870434897997, 0.15380373095376437, 0.1575610539681792]}}, position: "
              "[0.09821029155431647, -0.33465870376621193, -0.01920575824371848], quat_wxyz: "
              "[0.2793899337505378, 0.6980014075440341, 0.516437964534107, -0.40991112301727767], "
              "velocity: [-0.05182330709752492, 0.8230053744054932, 0.029756820600930267], "
              "angular_velocity: [2.9647515114497476, 5.659714258893463, 4.690402083706895]}\n"
              "  - {name: l1, type: dynamic, mass: 0.7, inertia: [0.003, 0.002, 0.004], position: "
              "[-0.40479174856333566, 0.25995390362034987, -0.010068101696383305], velocity: "
              "[1.0095125683290735, -0.0675643545876718, 0.20024248331964767], shape: {box: {size: "
              "[0.08, 0.08, 0.08]}}}\n"
              "simulation: {step: 0.002, duration: 0.6, model: {level: acceleration}}\n");
    run_to(&w, 0.002, 0.6, SS_EVENT_LEAVES, NULL);
    assert_near(state_of(&w, "b0").position.x, 0.071810, 1e-4);
    assert_near(state_of(&w, "b4").position.x, -0.070435, 1e-4);
    assert_near(state_of(&w, "l1").position.y, 0.258096, 1e-4);
    assert_near(ss_data_energy(w.model, w.data).dissipated, 1.88429, 1e-4);
    close_world(&w);
}

/*
 * A wall that touches a ball starts with 2 m/s across and 0.3 m/s along, e = 0.5: p_n = 3, and
 * friction that sticks has p_t = 0.3/(1/m + r^2/I) = 0.1. The wall does p_n 2 + p_t 0.3.
 */
static void a_wall_that_starts_drives_what_it_strikes(void **state)
{
    (void)state;
    world w;
    open_text(&w, "dimension: 2\ngravity: [0, 0]\n"
                  "materials: {default: {friction: 0.5, restitution: 0.5}}\nbodies:\n"
                  "  - {name: t, type: kinematic, shape: {box: {size: [0.1, 1]}}, motion: {x: "
                  "'t < 0.105 and 0 or 2*(t-0.105)', y: '0.3*t'}}\n"
                  "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: "
                  "[0.2, 0]}\n" AT_INSTANTS);
    for (int i = 0; i < 20; i++) {
        check(&w, ss_step(w.model, w.data, 0.01));
    }
    ss_energy e = ss_data_energy(w.model, w.data);
    assert_near(e.kinetic, 4.5 + 0.005 + 0.01, 1e-9);
    assert_near(e.driven, 6.03, 1e-9);
    assert_near(e.dissipated, 6.03 - 4.515, 1e-9);
    assert_near(e.integration, 0, 1e-9);
    close_world(&w);
}

/* A slider-crank whose rod is as long as its crank, where the slider is under the crank's axis. */
static void a_singular_position_is_named(void **state)
{
    (void)state;
    world w;
    open_text(
        &w, "dimension: 2\nbodies:\n"
            "  - {name: c, type: dynamic, mass: 1, inertia: 0.02, position: [0.1350755764670349, "
            "0.21036774620197413], angle: 1, velocity: [-1.0518387310098707, 0.6753778823351746], "
            "angular_velocity: 5}\n"
            "  - {name: r, type: dynamic, mass: 1, inertia: 0.02, position: [0.4052267294011048, "
            "0.21036774620197413], angle: -1, velocity: [-3.1555161930296114, 0.6753778823351746], "
            "angular_velocity: -5}\n"
            "  - {name: s, type: dynamic, mass: 1, inertia: 0.01, position: [0.5403023058681398, "
            "0], velocity: [-4.207354924039482, 0]}\n"
            "joints:\n"
            "  - {name: o, type: revolute, bodies: [world, c], anchor: [0, 0]}\n"
            "  - {name: a, type: revolute, bodies: [c, r], anchor: [0.2701511529340698, "
            "0.42073549240394825]}\n"
            "  - {name: b, type: revolute, bodies: [r, s], anchor: [0.5403023058681398, 0]}\n"
            "  - {name: p, type: prismatic, bodies: [world, s], anchor: [0.5403023058681398, 0], "
            "axis: [1, 0]}\n" AT_INSTANTS);
    ss_status status = SS_OK;
    for (int i = 0; i < 20 && status == SS_OK; i++) {
        status = ss_step(w.model, w.data, 0.01);
    }
    assert_int_equal(status, SS_ERR_CERTIFICATE);
    assert_non_null(strstr(ss_context_message(w.ctx), "a dead point, a change point"));
    close_world(&w);
}

/* A point is as thin as what it meets: a plate of 1 cm was not there between two looks. */
static void points_do_not_pass_plates(void **state)
{
    static const double speeds[] = {2, 3, 4, 5.1, 7, 11.7, 30};
    (void)state;
    for (int i = 0; i < 7; i++) {
        char  text[600];
        world w;
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\nmaterials: {default: {friction: 0, restitution: 0.5}}\n"
                 "bodies:\n"
                 "  - {name: plate, type: static, shape: {box: {size: [1, 1, 0.01]}}}\n"
                 "  - {name: grain, type: particle, mass: 0.1, shape: {point: {}},\n"
                 "     position: [0.01, 0.02, 0.209], velocity: [0, 0, %g]}\n"
                 "simulation: {step: 0.005, duration: 1, model: {level: acceleration}}\n",
                 -speeds[i]);
        open_text(&w, text);
        run(&w, 0.3 / speeds[i], 1);
        assert_near(body_named(&w, "grain").velocity.z, 0.5 * speeds[i], 1e-9);
        close_world(&w);
    }
}

/* A disc that rolls over the belt round a drum sticks to it, while the direction of the belt turns.
 */
static void what_sticks_to_a_bent_belt_stays(void **state)
{
    (void)state;
    world    w;
    ss_event e;
    open_text(&w, "dimension: 2\n"
                  "materials: {default: {friction: 0.9}}\n"
                  "bodies:\n"
                  "  - {name: drum, type: static, shape: {disc: {radius: 1}}, "
                  "surface_velocity: [0.5, 0]}\n"
                  "  - {name: b, type: dynamic, shape: {disc: {radius: 0.1}}, mass: 1, "
                  "position: [0.22, 1.0777755]}\n"
                  "simulation: {step: 0.01, duration: 0.3, model: {level: acceleration}}\n");
    assert_false(run_to(&w, 0.01, 0.3, SS_EVENT_BRIDGED, &e));
    ss_body_state s = state_of(&w, "b");
    ss_vec3       n = ss_unit(s.position), t = {n.y, -n.x, 0};
    assert_near(ss_dot(s.velocity, t) + 0.1 * s.angular_velocity.z, 0.5 * t.x, 1e-9);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_do_not_pass_plates),
        cmocka_unit_test(a_sphere_slides_then_rolls),
        cmocka_unit_test(a_ball_comes_to_rest),
        cmocka_unit_test(what_is_pushed_slips_in_time),
        cmocka_unit_test(a_reversing_belt_reverses_friction),
        cmocka_unit_test(what_grazes_is_seen),
        cmocka_unit_test(a_snapshot_goes_on_with_the_same_bits),
        cmocka_unit_test(without_a_solution_the_run_ends),
        cmocka_unit_test(a_limit_is_struck_once),
        cmocka_unit_test(a_driven_limit_pushes),
        cmocka_unit_test(joints_that_are_torn),
        cmocka_unit_test(boxes_slip_with_both_corners),
        cmocka_unit_test(a_coupled_gripper_holds_its_part),
        cmocka_unit_test(impacts_with_two_frictions_do_not_depend_on_steps),
        cmocka_unit_test(kinks_of_a_drive_are_events),
        cmocka_unit_test(jumps_of_motors_are_events),
        cmocka_unit_test(jumps_of_accelerations_are_events),
        cmocka_unit_test(friction_follows_the_load),
        cmocka_unit_test(friction_of_a_joint_that_does_not_turn),
        cmocka_unit_test(damping_matrices_resist),
        cmocka_unit_test(controllers_see_joints_where_they_are),
        cmocka_unit_test(what_steps_define_is_refused),
        cmocka_unit_test(what_nothing_pushes_rolls_on),
        cmocka_unit_test(what_turns_away_leaves),
        cmocka_unit_test(a_line_leaves_as_a_point_does),
        cmocka_unit_test(thin_legs_are_put_down),
        cmocka_unit_test(edges_that_come_over_a_face_are_met),
        cmocka_unit_test(a_singular_position_is_named),
        cmocka_unit_test(a_wall_that_starts_drives_what_it_strikes),
        cmocka_unit_test(what_sticks_to_a_bent_belt_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
