/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities at the start that a joint does not let its bodies have are taken out by an impact. */
#include "world.h"

/* Two discs on a hinge, one of which is thrown: friction of the hinge follows its load. */
#define THROWN(gravity, load, more)                                                                \
    "dimension: 2\ngravity: [0, " gravity "]\nbodies:\n"                                           \
    "  - {name: a, type: dynamic, mass: 1.067, inertia: 0.0013, position: [0, 0.3]}\n"             \
    "  - {name: b, type: dynamic, mass: 0.46, inertia: 0.0006, position: [0.15, 0.51],\n"          \
    "     velocity: [0.7, 0]}\n"                                                                   \
    "joints:\n"                                                                                    \
    "  - {name: j, type: revolute, bodies: [a, b], anchor: [0.075, 0.4],\n"                        \
    "     friction_coefficient: " load ", friction_radius: 0.01}\n"                                \
    "simulation: {step: 0.01, duration: 1" more "}\n"

/*
 * Where only friction itself loads the joint of bodies that fall together, the loads of the rounds
 * go to zero and no two agree: the friction bound became 1e-160, which no solver knows.
 */
static void loads_that_are_none_settle(void **state)
{
    static const double steps[] = {0.01, 0.003, 0.001, 0.0002};
    (void)state;
    for (int i = 0; i < 4; i++) {
        world w;
        open_text(&w, THROWN("-9.81", "0.1", ""));
        for (int k = 0; k < 20; k++) {
            run(&w, steps[i], 1);
            assert_true(ss_data_report(w.data)->work < 1e6);
        }
        close_world(&w);
    }
}

static ss_body_state end_after(const char *text, double h, int steps)
{
    world w;
    open_text(&w, text);
    run(&w, h, steps);
    ss_body_state s = body(&w, 1);
    close_world(&w);
    return s;
}

static ss_body_state end_of(const char *text)
{
    return end_after(text, 0.01, 20);
}

/* At once, and by friction afterwards: from event to event the same, to second order. */
static void the_motion_is_that_from_event_to_event(void **state)
{
    static const char *const texts[3][2] = {
        {THROWN("-9.81", "0.1", ""), THROWN("-9.81", "0.1", ", model: {level: acceleration}")},
        {THROWN("0", "0.1", ""), THROWN("0", "0.1", ", model: {level: acceleration}")},
        {THROWN("0", "0.3", ""), THROWN("0", "0.3", ", model: {level: acceleration}")}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        ss_body_state s = end_of(texts[i][0]), r = end_of(texts[i][1]);
        assert_near(s.position.x, r.position.x, 2e-5);
        assert_near(s.position.y, r.position.y, 2e-5);
        assert_near(s.angle, r.angle, 2e-4);
    }
}

/* Two masses that approach along the line through the hinge: w = 1/m + 1/n, the loss is u^2/2w. */
static void the_loss_is_dissipated(void **state)
{
    world        w;
    const double u = 0.8, m = 1.5, n = 0.5, loss = 0.5 * u * u / (1 / m + 1 / n);
    (void)state;
    open_text(&w, "dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                  "  - {name: a, type: dynamic, mass: 1.5, inertia: 0.01, position: [-0.2, 0],\n"
                  "     velocity: [0.8, 0]}\n"
                  "  - {name: b, type: dynamic, mass: 0.5, inertia: 0.01, position: [0.3, 0]}\n"
                  "joints: [{name: j, type: revolute, bodies: [a, b], anchor: [0, 0]}]\n"
                  "simulation: {step: 0.01, duration: 1}\n");
    run(&w, 0.01, 10);
    ss_energy e = ss_data_energy(w.model, w.data);
    assert_near(e.dissipated, loss, 1e-9);
    assert_near(e.integration, 0, 1e-5);
    assert_near(body(&w, 1).velocity.x, u * m / (m + n), 1e-12);
    close_world(&w);
}

static void keep(void *user, ss_log_level level, const char *message)
{
    if (level == SS_LOG_WARNING) {
        snprintf(user, 300, "%s", message);
    }
}

/* What the data of a scene warn of when they are made. */
static void warning_of(const char *text, char out[300])
{
    world    w;
    ss_data *again = NULL;
    out[0]         = '\0';
    open_text(&w, text);
    ss_context_set_log(w.ctx, keep, out);
    check(&w, ss_data_create(w.ctx, w.model, &again));
    ss_data_destroy(again);
    ss_context_set_log(w.ctx, NULL, NULL);
    close_world(&w);
}

static void it_is_told_at_the_start(void **state)
{
    char said[300];
    (void)state;
    warning_of(THROWN("0", "0", ""), said);
    assert_non_null(strstr(said, "joint 'j'"));
    assert_non_null(strstr(said, "by 0.7 m/s"));
    warning_of(
        "bodies:\n"
        "  - {name: a, type: dynamic, mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 1, 0]}\n"
        "joints: [{name: k, type: revolute, bodies: [world, a], axis: [0, 0, 1]}]\n"
        "simulation: {step: 0.01, duration: 1}\n",
        said);
    assert_non_null(strstr(said, "joint 'k'"));
    assert_non_null(strstr(said, "by 1 rad/s"));
    warning_of(
        "bodies:\n"
        "  - {name: a, type: dynamic, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0],\n"
        "     velocity: [0, 1, 0], angular_velocity: [0, 0, 1]}\n"
        "joints: [{name: k, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [0, "
        "0, 1]}]\n"
        "simulation: {step: 0.01, duration: 1}\n",
        said);
    assert_string_equal(said, "");
}

/* What a guide lets its body have is a velocity across it too, by the rounding of its direction. */
static void rounding_is_not_told(void **state)
{
    char said[300];
    (void)state;
    warning_of("dimension: 2\ngravity: [0, 0]\n"
               "bodies: [{name: a, type: dynamic, mass: 1, inertia: 1, velocity: [0, -2]}]\n"
               "joints: [{name: j, type: prismatic, bodies: [world, a], axis: [0, 1]}]\n"
               "simulation: {step: 0.01, duration: 1}\n",
               said);
    assert_string_equal(said, "");
    warning_of("dimension: 2\ngravity: [0, 0]\n"
               "bodies: [{name: a, type: dynamic, mass: 1, inertia: 1, velocity: [1e-3, -2]}]\n"
               "joints: [{name: j, type: prismatic, bodies: [world, a], axis: [0, 1]}]\n"
               "simulation: {step: 0.01, duration: 1}\n",
               said);
    assert_non_null(strstr(said, "by 0.001 m/s"));
}

/* Two bars that are one, on a hinge: what friction of the hinge gives to the mean of the velocities
   before and after the jerk is a part of that impact, and was energy from nothing. */
#define ARM(more)                                                                                  \
    "dimension: 2\nbodies:\n"                                                                      \
    "  - {name: a, type: dynamic, mass: 1, inertia: 0.005, position: [0.1, 0.6],\n"                \
    "     velocity: [0.5, 0.7], angular_velocity: -2.5}\n"                                         \
    "  - {name: b, type: dynamic, mass: 0.2, inertia: 0.001, position: [0.3, 0.6],\n"              \
    "     velocity: [-0.7, -0.5], angular_velocity: 0.4}\n"                                        \
    "joints:\n"                                                                                    \
    "  - {name: j, type: revolute, bodies: [world, a], anchor: [0, 0.6],\n"                        \
    "     friction_coefficient: 0.2, friction_radius: 0.02}\n"                                     \
    "  - {name: k, type: fixed, bodies: [a, b], anchor: [0.2, 0.6]}\n"                             \
    "simulation: {step: 0.01, duration: 1" more "}\n"

static void joints_that_jerk_together_rub(void **state)
{
    (void)state;
    ss_body_state r = end_after(ARM(", model: {level: acceleration}"), 0.01, 24);
    for (int times = 1; times <= 4; times *= 4) {
        ss_body_state s   = end_after(ARM(""), 0.01 / times, 24 * times);
        double        off = 3e-3 / times;
        assert_near(s.position.x, r.position.x, off);
        assert_near(s.position.y, r.position.y, off);
        assert_near(s.angle, r.angle, off);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_that_are_none_settle),
        cmocka_unit_test(the_motion_is_that_from_event_to_event),
        cmocka_unit_test(the_loss_is_dissipated),
        cmocka_unit_test(it_is_told_at_the_start),
        cmocka_unit_test(rounding_is_not_told),
        cmocka_unit_test(joints_that_jerk_together_rub),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
