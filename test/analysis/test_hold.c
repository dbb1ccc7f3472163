/* SPDX-License-Identifier: Apache-2.0 */
/* Wedging and jamming of steps: grips, corners, struts; in the plane and in space. */
#include "world.h"

typedef struct held {
    world           w;
    ss_hold_verdict verdict;
    double          forces[16][6];
} held;

/* One step of the scene; what is said of it from outside must be what the step says of itself. */
static ss_hold after_a_step(held *x, const char *text)
{
    world *w = &x->w;
    open_text(w, text);
    run(w, ss_model_simulation(w->model)->step, 1);
    check(w, ss_analyze_hold(w->model, w->data, &x->verdict, x->forces, 16));
    ss_hold hold = ss_data_report(w->data)->hold;
    if (hold != SS_HOLD_UNTESTED) {
        assert_int_equal(x->verdict.hold, hold);
    }
    return x->verdict.hold;
}

/* Sum of the witness forces on the one body that moves, and of their torques about `about`. */
static void witness_sum(const held *x, ss_vec3 about, ss_vec3 *force, ss_vec3 *torque)
{
    *force = *torque = ss_v3(0, 0, 0);
    for (int32_t i = 0; i < ss_data_contact_count(x->w.data); i++) {
        ss_contact_info c;
        ss_data_contact(x->w.model, x->w.data, i, &c);
        ss_vec3 f = ss_scale(x->forces[i][0], c.normal);
        f         = ss_axpy(f, x->forces[i][1], c.t);
        f         = ss_axpy(f, x->forces[i][2], c.o);
        bool on_a = ss_model_body_type(x->w.model, c.body_a) == SS_BODY_DYNAMIC;
        f         = ss_scale(on_a ? -1 : 1, f);
        *force    = ss_add(*force, f);
        *torque   = ss_add(*torque, ss_cross(ss_sub(c.point, about), f));
    }
}

/* A disc in a V: wedged when half the V's angle is within the friction angle, jammed above it. */
static void disc_in_a_groove(void **state)
{
    (void)state;
    const double opening[]  = {0.2, 0.28, 0.31, 0.6};
    const char  *inertias[] = {"damped", "quasistatic", "dynamic"};
    for (int model = 0; model < 3; model++) {
        for (int k = 0; k < 4; k++) {
            char   text[900];
            held   x;
            double c = cos(opening[k]), s = sin(opening[k]);
            snprintf(
                text, sizeof text,
                "dimension: 2\n"
                "gravity: [0, -10]\n"
                "materials: {default: {friction: 0.3}}\n"
                "bodies:\n"
                "  - {name: left, type: static, shape: {halfplane: {normal: [%.17g, %.17g]}}}\n"
                "  - {name: right, type: static, shape: {halfplane: {normal: [%.17g, %.17g]}}}\n"
                "  - {name: disc, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
                "     position: [0, %.17g], damping: [5, 1]}\n"
                "simulation: {step: 0.01, duration: 1, model: {inertia: %s}}\n",
                c, s, -c, s, 0.1 / s, inertias[model]);
            bool wedged = opening[k] < atan(0.3);
            assert_int_equal(after_a_step(&x, text), wedged ? SS_HOLD_WEDGED : SS_HOLD_JAMMED);
            assert_int_equal(ss_data_report(x.w.data)->hold == SS_HOLD_UNTESTED, model == 2);
            assert_int_equal(x.verdict.pointed, wedged ? SS_NO : SS_YES);
            assert_int_equal(x.verdict.contacts, 2);
            assert_true(x.verdict.at_rest);
            ss_vec3 force, torque;
            witness_sum(&x, ss_v3(0, 0.1 / s, 0), &force, &torque);
            assert_near(force.x, 0, 1e-9);
            assert_near(force.y, wedged ? 0 : 10, 1e-6);
            assert_near(torque.z, 0, 1e-7);
            close_world(&x.w);
        }
    }
}

/* A ball between two fingers in space: gripped with friction, on its way without. */
static void grip_in_space(void **state)
{
    (void)state;
    const char *cones[] = {"quadratic", "{polygon: 5}"};
    for (int k = 0; k < 4; k++) {
        char   text[1000];
        held   x;
        double slant = k < 2 ? 0.1 : 0.4; /* friction angle of 0.2: 0.197 */
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -10]\n"
                 "materials: {default: {friction: 0.2}}\n"
                 "bodies:\n"
                 "  - {name: left, type: static, shape: {plane: {normal: [%.17g, 0, %.17g], "
                 "offset: -0.1}}}\n"
                 "  - {name: right, type: static, shape: {plane: {normal: [%.17g, 0, %.17g], "
                 "offset: -0.1}}}\n"
                 "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}},\n"
                 "     damping: [5, 1]}\n"
                 "simulation: {step: 0.001, duration: 1, model: {inertia: damped, cone: %s}}\n",
                 cos(slant), -sin(slant), -cos(slant), -sin(slant), cones[k % 2]);
        assert_int_equal(after_a_step(&x, text), k < 2 ? SS_HOLD_WEDGED : SS_HOLD_FREE);
        if (k < 2) {
            ss_vec3 force, torque;
            witness_sum(&x, ss_v3(0, 0, 0), &force, &torque);
            assert_near(ss_norm(force), 0, 1e-9);
            assert_near(ss_norm(torque), 0, 1e-9);
        }
        close_world(&x.w);
    }
}

/* A block on a floor: its load inside the cone, or not; a floor's two contacts are pointed. */
static void load_inside_or_not(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[900];
        held x;
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, -10]\n"
                 "materials: {default: {friction: 0.3}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                 "  - {name: block, type: dynamic, mass: 1, shape: {box: {size: [1, 0.2]}},\n"
                 "     position: [0, 0.1], damping: [5, 1]}\n"
                 "forces:\n"
                 "  - {name: pull, type: constant, body: block, force: [%g, 0], point: [0, -0.1]}\n"
                 "simulation: {step: 0.01, duration: 1, model: {inertia: damped}}\n",
                 k == 0 ? 2.99 : 3.01);
        assert_int_equal(after_a_step(&x, text), k == 0 ? SS_HOLD_JAMMED : SS_HOLD_FREE);
        assert_int_equal(x.verdict.pointed, SS_YES);
        assert_int_equal(x.verdict.held, k == 0 ? SS_YES : SS_NO);
        close_world(&x.w);
    }
}

/* A strut on a hinge that leans against a wall: within the friction angle it locks itself. */
static void strut_on_a_hinge(void **state)
{
    (void)state;
    const double lean[] = {0.2, 0.4};
    for (int k = 0; k < 2; k++) {
        char   text[1000];
        held   x;
        double c = cos(lean[k]), s = sin(lean[k]);
        snprintf(
            text, sizeof text,
            "dimension: 2\n"
            "gravity: [0, -10]\n"
            "materials: {default: {friction: 0.3}}\n"
            "bodies:\n"
            "  - {name: wall, type: static, shape: {halfplane: {normal: [-1, 0], offset: %.17g}}}\n"
            "  - {name: strut, type: dynamic, mass: 1, inertia: 1, position: [%.17g, %.17g],\n"
            "     shape: {point: {}}, damping: [5, 1]}\n"
            "joints:\n"
            "  - {name: hinge, type: revolute, bodies: [world, strut], anchor: [0, 0]}\n"
            "simulation: {step: 0.001, duration: 1, model: {inertia: damped}}\n",
            -c, c, s);
        assert_int_equal(after_a_step(&x, text), k == 0 ? SS_HOLD_WEDGED : SS_HOLD_JAMMED);
        close_world(&x.w);
    }
}

/*
 * A disc that a belt turns against a wall: mu N presses it to the wall, whose friction presses it
 * to the belt. N (1 - mu^2) = m g, and from mu = 1 on no force is enough: the run ends by that
 * name.
 */
static void belts_wedge(void **state)
{
    (void)state;
    const double mu[] = {0.5, 0.999, 1, 1.2};
    for (size_t k = 0; k < sizeof mu / sizeof *mu; k++) {
        char  text[512];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, -10]\n"
                 "materials: {default: {friction: %.17g}}\n"
                 "bodies:\n"
                 "  - {name: belt, type: static, surface_velocity: [1, 0],\n"
                 "     shape: {halfplane: {normal: [0, 1]}}}\n"
                 "  - {name: wall, type: static, shape: {halfplane: {normal: [-1, 0]}}}\n"
                 "  - {name: disc, type: dynamic, mass: 1, position: [-0.1, 0.1],\n"
                 "     shape: {disc: {radius: 0.1}}}\n",
                 mu[k]);
        open_text(&w, text);
        ss_status status = ss_step(w.model, w.data, 0.002);
        if (mu[k] < 1) {
            ss_contact_info contact;
            check(&w, status);
            check(&w, ss_data_contact(w.model, w.data, 0, &contact));
            double load = 10 / (1 - mu[k] * mu[k]);
            assert_near(contact.impulse[0] / 0.002, load, 1e-9 * load);
        } else {
            assert_int_equal(status, SS_ERR_CERTIFICATE);
            assert_non_null(strstr(ss_context_message(w.ctx), "wedged"));
        }
        close_world(&w);
    }
}

/*
 * A corner that is driven at a roller presses it to the floor, mu = 1, along a line in both cones:
 * rounds of a step without momentum find no balance then, and say what the dynamic step says.
 */
static void rams_wedge_rollers(void **state)
{
    (void)state;
    static const char *const text =
        "dimension: 2\n"
        "materials: {default: {friction: 1}}\n"
        "simulation: {step: 0.0033, model: {inertia: %s}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
        "  - {name: ram, type: kinematic, position: [-0.441447178, 2.35807497317],\n"
        "     shape: {box: {size: [0.04601121898874, 4.601121898874]}},\n"
        "     motion: {velocity: [0.35216195, 0]}}\n"
        "  - {name: roller, type: dynamic, position: [-0.36521405072312896, "
        "0.051440302432957337],\n"
        "     shape: {superellipse: {radii: [0.052484916338994145, 0.051440302432957337],\n"
        "                            e: 1.17}}}\n"
        "  - {name: other, type: dynamic, position: [0.1, 0.04], shape: {disc: {radius: 0.04}}}\n";
    static const char *const inertia[] = {"dynamic", "quasistatic"};
    for (int k = 0; k < 2; k++) {
        char      scene[1024];
        world     w;
        ss_status status = SS_OK;
        snprintf(scene, sizeof scene, text, inertia[k]);
        open_text(&w, scene);
        for (int step = 0; step < 3 && status == SS_OK; step++) {
            status = ss_step(w.model, w.data, 0.0033);
        }
        assert_int_equal(status, SS_ERR_CERTIFICATE);
        assert_non_null(strstr(ss_context_message(w.ctx), "wedged"));
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disc_in_a_groove),   cmocka_unit_test(grip_in_space),
        cmocka_unit_test(load_inside_or_not), cmocka_unit_test(strut_on_a_hinge),
        cmocka_unit_test(belts_wedge),        cmocka_unit_test(rams_wedge_rollers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
