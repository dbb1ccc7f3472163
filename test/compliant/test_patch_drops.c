/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contact: patch, bodies that land as they come: on corners, edges, rims, on each other. Polyhedra
 * over planes have springs all over (body_springs.c), so that without loss energy is kept and steps
 * are of second order; where springs change hands (hand_over.c) no energy is made.
 */
#include "world.h"

/* Numbers in [low, high), the same ones everywhere. */
static double drawn(uint32_t *seed, double low, double high)
{
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * (*seed >> 8) / 16777216.0;
}

static void shape_of(char *text, size_t room, uint32_t *seed, bool box)
{
    double a = drawn(seed, 0.08, 0.3), b = drawn(seed, 0.08, 0.3), c = drawn(seed, 0.08, 0.3);
    if (box) {
        snprintf(text, room, "box: {size: [%.6f, %.6f, %.6f]}", a, b, c);
    } else {
        snprintf(text, room, "cylinder: {radius: %.6f, length: %.6f}", a / 2, b);
    }
}

/* One body above the next, turned and thrown at random. */
static void open_drop(world *w, uint32_t seed, int bodies, bool box, double friction,
                      double damping)
{
    char   text[4096], shape[128];
    int    at   = 0;
    double high = 0.3;
    at += snprintf(text, sizeof text,
                   "gravity: [0, 0, -9.81]\n"
                   "materials: {default: {friction: %g, compliance: {stiffness: [200000, 140000],\n"
                   "  damping: %g}}}\n"
                   "bodies:\n"
                   "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n",
                   friction, damping);
    for (int i = 0; i < bodies; i++, high += 0.5) {
        shape_of(shape, sizeof shape, &seed, bodies > 1 ? (seed >> 16) % 2 == 0 : box);
        at += snprintf(
            text + at, sizeof text - (size_t)at,
            "  - {name: b%d, type: dynamic, mass: 1, shape: {%s}, position: [%.6f, %.6f, "
            "%.6f],\n     euler: [%.6f, %.6f, %.6f], velocity: [%.6f, %.6f, 0],\n"
            "     angular_velocity: [%.6f, %.6f, %.6f]}\n",
            i, shape, drawn(&seed, -.03, .03), drawn(&seed, -.03, .03), high, drawn(&seed, -3, 3),
            drawn(&seed, -1.5, 1.5), drawn(&seed, -3, 3), drawn(&seed, -.5, .5),
            drawn(&seed, -.5, .5), drawn(&seed, -4, 4), drawn(&seed, -4, 4), drawn(&seed, -4, 4));
    }
    snprintf(text + at, sizeof text - (size_t)at, "simulation: {model: {contact: patch}}\n");
    open_text(w, text);
}

static double energy_of(const world *w)
{
    ss_energy e = ss_data_energy(w->model, w->data);
    return e.kinetic + e.potential;
}

static void drops_run_and_make_no_energy(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        world w;
        open_drop(&w, seed, 1, seed % 2 == 0, 0.15 * (seed % 3), 10.0 * (seed % 2));
        double before = energy_of(&w);
        run(&w, 2e-3, 300);
        assert_true(energy_of(&w) <= before * (1 + 1e-4));
        assert_true(body(&w, 1).position.z > 0 && body(&w, 1).position.z < 0.6);
        close_world(&w);
    }
}

static void stacks_that_fall_run_and_make_no_energy(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        world w;
        open_drop(&w, 77 * seed, 2, true, 0.4, 20);
        double before = energy_of(&w);
        run(&w, 2e-3, 250);
        assert_true(energy_of(&w) <= before * (1 + 1e-4));
        close_world(&w);
    }
}

/* Without friction and damping nothing is lost, whatever the box lands on. */
static void a_box_keeps_its_energy_and_steps_are_of_second_order(void **state)
{
    (void)state;
    for (uint32_t seed = 3; seed <= 5; seed++) {
        double off[2], z[3];
        for (int k = 0; k < 3; k++) {
            const double h = k == 2 ? 6.25e-5 : 1e-3 / (1 << k);
            world        w;
            open_drop(&w, seed, 1, true, 0, 0);
            double before = energy_of(&w);
            run(&w, h, (int)lround(0.3 / h));
            assert_near(energy_of(&w), before, 2e-4 * before);
            z[k] = body(&w, 1).position.z;
            close_world(&w);
        }
        off[0] = fabs(z[0] - z[2]);
        off[1] = fabs(z[1] - z[2]);
        print_message("off by %.2e, %.2e m\n", off[0], off[1]);
        assert_true(off[1] < 0.4 * off[0] && off[0] < 1e-3);
    }
}

/* A face that lies flat has the stiffness of the whole patch, whichever it is. */
static void each_face_has_the_whole_stiffness(void **state)
{
    (void)state;
    static const char *turns[]  = {"[0, 0, 0]", "[1.5707963267948966, 0, 0]",
                                   "[0, -1.5707963267948966, 0]"};
    static const char *shapes[] = {
        "box: {size: [0.1, 0.2, 0.3]}",
        "convex: {points: [[0.1, 0, -0.1], [-0.05, 0.0866025403784, -0.1],\n"
        "     [-0.05, -0.0866025403784, -0.1], [0.1, 0, 0.1], [-0.05, 0.0866025403784, 0.1],\n"
        "     [-0.05, -0.0866025403784, 0.1]]}"};
    static const double heights[2][3] = {{0.15, 0.1, 0.05}, {0.1, 0, 0.05}};
    for (int i = 0; i < 6; i++) {
        if (heights[i / 3][i % 3] == 0) {
            continue; /* the prism stands on no face that way */
        }
        char  text[1024];
        world w;
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, -10]\n"
            "materials: {default: {friction: 0.5}, soft: {friction: 0.5, compliance: {stiffness:\n"
            "  10000, damping: 300}}}\n"
            "bodies:\n"
            "  - {name: floor, type: static, material: soft, shape: {plane: {normal: [0, 0, 1]}}}\n"
            "  - {name: a, type: dynamic, mass: 1, shape: {%s}, euler: %s,\n"
            "     position: [0, 0, %.17g]}\n"
            "simulation: {model: {contact: patch}}\n",
            shapes[i / 3], turns[i % 3], heights[i / 3][i % 3]);
        open_text(&w, text);
        run(&w, 5e-3, 200);
        assert_near(body(&w, 1).position.z, heights[i / 3][i % 3] - 1e-3, 1e-9);
        close_world(&w);
    }
}

/* What springs have been handed is part of the state: a copy goes on with the same bits. */
static void what_is_handed_over_is_saved(void **state)
{
    (void)state;
    world a, b;
    open_drop(&a, 154, 2, true, 0.4, 20);
    open_drop(&b, 154, 2, true, 0.4, 20);
    run(&a, 2e-3, 170);
    size_t size  = ss_snapshot_size(a.model, a.data);
    void  *saved = malloc(size);
    assert_non_null(saved);
    check(&a, ss_snapshot_get(a.model, a.data, saved));
    check(&b, ss_snapshot_set(b.model, b.data, saved, size));
    run(&a, 2e-3, 40);
    run(&b, 2e-3, 40);
    assert_int_equal(ss_state_hash(a.model, a.data), ss_state_hash(b.model, b.data));
    free(saved);
    close_world(&a);
    close_world(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_run_and_make_no_energy),
        cmocka_unit_test(stacks_that_fall_run_and_make_no_energy),
        cmocka_unit_test(a_box_keeps_its_energy_and_steps_are_of_second_order),
        cmocka_unit_test(each_face_has_the_whole_stiffness),
        cmocka_unit_test(what_is_handed_over_is_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
