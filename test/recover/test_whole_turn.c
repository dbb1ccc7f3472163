/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies that nothing holds keep their angular momentum, whatever they do to each other
 * (whole_turn.c, rows/give_rows.c), without energy from nowhere.
 */
#include "certify/certify.h"
#include "model/data.h"
#include "world.h"

/* Angular momentum about the centre of mass; *size: without what cancels. */
static ss_vec3 turn_of(const world *w, double *size)
{
    const ss_model *m    = w->model;
    const ss_state *s    = &w->data->state;
    double          mass = 0;
    ss_vec3         c = {0, 0, 0}, u = {0, 0, 0}, L = {0, 0, 0};
    for (int32_t i = 0; i < m->nb; i++) {
        mass += m->bodies[i].mass;
        c = ss_axpy(c, m->bodies[i].mass, s->pose[i].p);
        u = ss_axpy(u, m->bodies[i].mass, s->twist[i].v);
    }
    *size = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b    = &m->bodies[i];
        ss_vec3        r    = ss_axpy(s->pose[i].p, -1 / mass, c);
        ss_vec3        p    = ss_scale(b->mass, ss_axpy(s->twist[i].v, -1 / mass, u));
        ss_mat3        R    = ss_mat3_from_quat(s->pose[i].q);
        ss_vec3        spin = m->dimension == 2
                                  ? ss_v3(0, 0, b->inertia.m[8] * s->twist[i].w.z)
                                  : ss_mul(&R, ss_mul(&b->inertia, ss_tmul(&R, s->twist[i].w)));
        L                   = ss_add(L, ss_add(spin, ss_cross(r, p)));
        *size += ss_norm(spin) + ss_norm(r) * ss_norm(p);
    }
    return L;
}

/* The largest change of L in a run, over the largest sum of sizes; the ledger has to close. */
static double drift_of(const char *text, double step, double duration)
{
    world w;
    open_text(&w, text);
    double    size, most = 0, off = 0;
    ss_vec3   start = turn_of(&w, &most);
    ss_energy first = ss_data_energy(w.model, w.data);
    for (int i = 0; i * step < duration; i++) {
        run(&w, step, 1);
        off  = fmax(off, ss_norm(ss_sub(turn_of(&w, &size), start)));
        most = fmax(most, size);
    }
    ss_energy e = ss_data_energy(w.model, w.data);
    double open = e.kinetic + e.potential - first.kinetic - first.potential - e.applied - e.driven -
                  e.restitution - e.corrections - e.integration + e.dissipated;
    assert_near(0, open, 1e-9 * (e.dissipated + first.kinetic + first.potential));
    close_world(&w);
    return off / most;
}

#define TWO_BOXES                                                                                  \
    "gravity: [0, 0, 0]\n"                                                                         \
    "materials: {default: {friction: %g, restitution: 0}}\n"                                       \
    "bodies:\n"                                                                                    \
    "  - {name: a, type: dynamic, mass: 1, inertia: [0.003, 0.004, 0.006],\n"                      \
    "     shape: {box: {size: [0.15, 0.2, 0.1]}}, position: [-0.2, -0.03, 0],\n"                   \
    "     quat_wxyz: [0.226, 0.939, -0.259, 0.018], angular_velocity: [1.1, 2.6, 1]}\n"            \
    "  - {name: b, type: dynamic, mass: 2, inertia: [0.006, 0.008, 0.012],\n"                      \
    "     shape: {box: {size: [0.15, 0.2, 0.1]}}, position: [0.2, 0.03, 0],\n"                     \
    "     quat_wxyz: [0.527, -0.035, -0.415, 0.741], angular_velocity: [-2.4, 1.6, 0.8]}\n"        \
    "forces:\n"                                                                                    \
    "  - {type: spring, bodies: [a, b], stiffness: %g, rest_length: 0}\n"                          \
    "simulation: {step: %g, model: {%s}}\n"

/* They rub and knock: it was 27 % in 0.2 s, by the pull across the spring and by moving overlaps
   apart. A stiff spring wants that pull in the step. */
static void boxes_that_rub_in_space_turn_on(void **state)
{
    (void)state;
    static const char *const models[]   = {"", "", "integrator: euler", "gap: velocity"};
    static const double      friction[] = {0, 0.5, 0, 0.5}, stiff[] = {200, 1e5, 200, 200};
    for (int i = 0; i < 4; i++) {
        char text[1600];
        snprintf(text, sizeof text, TWO_BOXES, friction[i], stiff[i], 0.002, models[i]);
        assert_true(drift_of(text, 0.002, 0.6) < 1e-9);
    }
}

#define LINKS                                                                                      \
    "gravity: [0, 0]\n"                                                                            \
    "dimension: 2\n"                                                                               \
    "materials: {default: {friction: 0.3, restitution: 0.5}}\n"                                    \
    "bodies:\n"                                                                                    \
    "  - {name: a, type: dynamic, mass: 1, inertia: 0.003, shape: {box: {size: [0.2, 0.1]}}}\n"    \
    "  - {name: b, type: dynamic, mass: 2, inertia: 0.008, shape: {box: {size: [0.1, 0.2]}},\n"    \
    "     position: [0.4, 0], velocity: [0.3, 2]}\n"                                               \
    "  - {name: c, type: dynamic, mass: 0.5, inertia: 0.001, shape: {disc: {radius: 0.06}},\n"     \
    "     position: [0.2, 0.3], velocity: [0, -3], angular_velocity: 20}\n"                        \
    "joints:\n"                                                                                    \
    "  - {name: slide, type: prismatic, bodies: [a, b], anchor: [0.2, 0], axis: [1, 0],\n"         \
    "     limits: [-0.1, 0.1]}\n"                                                                  \
    "  - {name: rope, type: distance, bodies: [b, c], limits: [0, 0.4], anchor: [0.4, 0],\n"       \
    "     anchor_b: [0.2, 0.3], collide: true}\n"                                                  \
    "simulation: {step: %g}\n"

/* Steps of first order open joints by h^2, and closing them moved what L is made of. What is left
   are steps of second order. */
static void joints_that_are_closed_leave_the_turn(void **state)
{
    (void)state;
    char text[1600];
    snprintf(text, sizeof text, LINKS, 0.002);
    double coarse = drift_of(text, 0.002, 0.5);
    snprintf(text, sizeof text, LINKS, 0.001);
    double fine = drift_of(text, 0.001, 0.5);
    assert_true(coarse < 1e-4 && fine < 3e-5);
}

/* A gear in space, with a motor, that a ball on a spring knocks at. */
static void gears_that_are_struck_turn_on(void **state)
{
    (void)state;
    double off = drift_of(
        "gravity: [0, 0]\n"
        "dimension: 2\n"
        "materials: {default: {friction: 0, restitution: 0.5}}\n"
        "bodies:\n"
        "  - {name: a, type: dynamic, mass: 1, inertia: 0.002, shape: {box: {size: [0.1, 0.06]}}}\n"
        "  - {name: b, type: dynamic, mass: 1, inertia: 0.002, shape: {box: {size: [0.1, 0.06]}},\n"
        "     position: [0.2, 0]}\n"
        "  - {name: c, type: dynamic, mass: 1, inertia: 0.002, shape: {box: {size: [0.1, 0.06]}},\n"
        "     position: [0.4, 0]}\n"
        "  - {name: ball, type: dynamic, mass: 2, inertia: 0.003, shape: {disc: {radius: 0.05}},\n"
        "     position: [0.25, 0.3], velocity: [1, 0], angular_velocity: 5}\n"
        "joints:\n"
        "  - {name: j, type: revolute, bodies: [a, b], anchor: [0.1, 0], motor: {velocity: 4}}\n"
        "  - {name: k, type: revolute, bodies: [b, c], anchor: [0.3, 0]}\n"
        "  - {name: gear, type: coupling, joints: [j, k], ratio: -1}\n"
        "forces: [{type: spring, bodies: [b, ball], stiffness: 200, rest_length: 0}]\n"
        "simulation: {step: 0.002}\n",
        0.002, 0.5);
    assert_true(off < 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_that_rub_in_space_turn_on),
        cmocka_unit_test(joints_that_are_closed_leave_the_turn),
        cmocka_unit_test(gears_that_are_struck_turn_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
