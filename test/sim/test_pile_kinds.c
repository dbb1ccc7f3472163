/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Piles of anything: every kind runs without a failed step, to the motion error that was asked for,
 * through the solver of piles, and makes no energy.
 */
#include <stdlib.h>

#include "random.h"
#include "world.h"

typedef struct text {
    char  *at;
    size_t used, room;
} text;

static void put(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at + t->used, t->room - t->used, format, args);
    va_end(args);
    assert_true(n > 0 && t->used + (size_t)n < t->room);
    t->used += (size_t)n;
}

static text begin(int dimension, double half)
{
    text t = {.at = malloc(200000), .room = 200000};
    assert_non_null(t.at);
    put(&t, "dimension: %d\nmaterials: {default: {friction: 0.4}}\nbodies:\n", dimension);
    if (dimension == 2) {
        put(&t,
            "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
            "  - {name: left, type: static, shape: {halfplane: {normal: [1, 0], offset: %g}}}\n"
            "  - {name: right, type: static, shape: {halfplane: {normal: [-1, 0], offset: %g}}}\n",
            -half, -half);
        return t;
    }
    put(&t, "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n");
    static const char *const walls[] = {"1, 0, 0", "-1, 0, 0", "0, 1, 0", "0, -1, 0"};
    for (int i = 0; i < 4; i++) {
        put(&t, "  - {name: wall%d, type: static, shape: {plane: {normal: [%s], offset: %g}}}\n", i,
            walls[i], -half);
    }
    return t;
}

/* Runs the scene; returns in how many steps an island was solved by its motion. */
static int play(text *t, double h, int steps, bool passive)
{
    world w;
    int   by_motion = 0;
    put(t, "simulation: {step: %g, duration: 1, accuracy: {motion: 1e-2}}\n", h);
    open_text(&w, t->at);
    double lowest = total_energy(&w), scale = fabs(lowest);
    for (int i = 0; i < steps; i++) {
        run(&w, h, 1);
        const ss_step_report *r = ss_data_report(w.data);
        assert_true(r->motion_error <= 1e-2);
        by_motion += r->by_motion > 0;
        double now = total_energy(&w);
        assert_true(!passive || now <= lowest + 1e-4 * scale);
        lowest = fmin(lowest, now);
    }
    close_world(&w);
    free(t->at);
    return by_motion;
}

/* Radii 1:100 and masses 1:1e4, the small ones among the large ones and below them. */
static void sizes_and_masses(void **state)
{
    (void)state;
    text     t    = begin(3, 0.5);
    uint64_t seed = 5;
    for (int i = 0; i < 8; i++) {
        put(&t,
            "  - {name: big%d, type: dynamic, mass: 100, shape: {sphere: {radius: 0.2}}, "
            "position: [%g, %g, %g]}\n",
            i, 0.45 * (i % 2) - 0.23, 0.45 * (i / 2 % 2) - 0.21, 0.24 + 0.42 * (i / 4));
    }
    for (int i = 0; i < 150; i++) {
        put(&t,
            "  - {name: s%d, type: dynamic, mass: 0.01, shape: {sphere: {radius: 0.002}}, "
            "position: [%g, %g, %g]}\n",
            i, 0.03 * (i % 10) - 0.15 + random_between(&seed, 0, 0.01),
            0.03 * (i / 10) - 0.25 + random_between(&seed, 0, 0.01), 0.0021);
    }
    (void)play(&t, 0.002, 150, true);
}

/* Dumbbells: unions of spheres and a capsule, which are not convex. */
static void unions(void **state)
{
    (void)state;
    text     t    = begin(3, 0.4);
    uint64_t seed = 7;
    for (int i = 0; i < 36; i++) {
        put(&t,
            "  - {name: d%d, type: dynamic, density: 1000, position: [%g, %g, %g], "
            "euler: [%g, %g, 0], shape: {union: [{sphere: {radius: 0.06, position: [0, 0, 0.06]}}, "
            "{sphere: {radius: 0.05, position: [0, 0, -0.06]}}, "
            "{capsule: {radius: 0.02, length: 0.12}}]}}\n",
            i, 0.26 * (i % 3) - 0.26, 0.26 * (i / 3 % 3) - 0.26, 0.15 + 0.26 * (i / 9),
            random_between(&seed, 0, 3), random_between(&seed, 0, 3));
    }
    assert_true(play(&t, 0.004, 180, true) > 0);
}

/* Pentagons and boxes of the plane, with corners: exact. */
static void polygons(void **state)
{
    (void)state;
    text     t    = begin(2, 0.5);
    uint64_t seed = 9;
    for (int i = 0; i < 60; i++) {
        put(&t,
            "  - {name: p%d, type: dynamic, density: 1000, position: [%g, %g], angle: %g, shape: ",
            i, 0.19 * (i % 5) - 0.38, 0.12 + 0.19 * (i / 5), random_between(&seed, 0, 6));
        if (i % 2 == 0) {
            put(&t, "{box: {size: [0.13, 0.1]}}}\n");
        } else {
            put(&t, "{polygon: {points: [[0.08, 0], [0.025, 0.076], [-0.065, 0.047], "
                    "[-0.065, -0.047], [0.025, -0.076]]}}}\n");
        }
    }
    assert_true(play(&t, 0.004, 150, true) > 0);
}

/* Balls around a stirrer on a motor, chains of balls, and a door with a limit. */
static void joints_and_motors(void **state)
{
    (void)state;
    text t = begin(3, 0.36);
    put(&t, "  - {name: bar, type: dynamic, mass: 5, shape: {box: {size: [0.5, 0.06, 0.06]}}, "
            "position: [0, 0, 0.05]}\n");
    for (int i = 0; i < 99; i++) {
        put(&t,
            "  - {name: b%d, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}}, "
            "position: [%g, %g, %g]}\n",
            i, 0.22 * (i % 3) - 0.22 + 0.002 * (i % 7),
            0.22 * (i / 3 % 3) - 0.22 + 0.0015 * (i % 5), 0.2 + 0.21 * (i / 9));
    }
    put(&t,
        "joints:\n  - {name: motor, type: revolute, bodies: [world, bar], anchor: [0, 0, 0.05], "
        "axis: [0, 0, 1], motor: {velocity: 1, max: 200}}\n");
    for (int i = 18; i < 99; i += 6) {
        put(&t, "  - {name: link%d, type: distance, bodies: [b%d, b%d]}\n", i, i, i + 1);
    }
    assert_true(play(&t, 0.004, 135, false) > 0);
}

/* Stacks of boxes are islands of 60 to 100 rows: small, but where a motion error is asked for they
   are swept, not solved exactly first, and rest is not looked for because they creep by as much. */
static void small_stacks(void **state)
{
    (void)state;
    text t = begin(3, 1);
    for (int i = 0; i < 20; i++) {
        put(&t,
            "  - {name: b%d, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.16, 0.1]}}, "
            "position: [%g, 0, %g], angular_velocity: [%g, 0, 0.1]}\n",
            i, 0.4 * (i % 4) - 0.6, 0.06 + 0.11 * (i / 4), 0.05 * (i % 3));
    }
    assert_true(play(&t, 0.005, 100, true) > 50);
}

/* What steps before have let overlap, one step must take back, though it lifts bodies: it ended the
   run at t = 0.447. */
static void sunk_bodies_are_lifted(void **state)
{
    (void)state;
    world w = {.ctx = ss_context_create(NULL)};
    check(&w, ss_scene_load(w.ctx, "test/sim/sinking_pile.yaml", NULL, 0, &w.scene));
    check(&w, ss_model_compile(w.ctx, w.scene, &w.model));
    check(&w, ss_data_create(w.ctx, w.model, &w.data));
    double before = total_energy(&w);
    run(&w, 0.005, 92);
    assert_true(ss_data_report(w.data)->motion_error <= 1e-2);
    assert_true(total_energy(&w) < before);
    close_world(&w);
}

/* Neither force nor impact: bodies within reach that part miss their laws by rounding, which is no
   motion error (it was infinite). */
static void flights_have_a_motion_error(void **state)
{
    (void)state;
    world w;
    open_text(&w, "gravity: [0, 0, 0]\nbodies:\n"
                  "  - {name: a, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}}, "
                  "position: [0, 0, 0], velocity: [10, 0.1, 0]}\n"
                  "  - {name: b, type: dynamic, mass: 3, shape: {sphere: {radius: 0.1}}, "
                  "position: [0.201, 0.003, 0], velocity: [10.3, 0, 0.7]}\n"
                  "simulation: {step: 0.005, duration: 1, accuracy: {motion: 1e-2}}\n");
    for (int i = 0; i < 5; i++) {
        run(&w, 0.005, 1);
        assert_true(ss_data_report(w.data)->contacts > 0 || i > 0);
        assert_true(ss_data_report(w.data)->motion_error <= 1e-6);
    }
    close_world(&w);
}

/* A ball of 400 g falls on grains of a milligram: the run ends certified and makes no energy. */
static void heavy_ball_on_grains(void **state)
{
    (void)state;
    text t = begin(3, 0.05);
    put(&t, "  - {name: heavy, type: dynamic, mass: 0.4, shape: {sphere: {radius: 0.022}}, "
            "position: [0.001, 0.002, 0.026], velocity: [0.05, 0.02, -0.5]}\n");
    for (int i = 0; i < 20; i++) {
        put(&t,
            "  - {name: g%d, type: dynamic, mass: 1e-6, shape: {box: {size: [0.001, 0.0012, "
            "0.0008]}}, position: [%g, %g, 0.001]}\n",
            i, 0.004 * (i % 5) - 0.008 + 0.0003 * (i % 3),
            0.004 * (i / 5) - 0.006 + 0.0004 * (i % 4));
    }
    (void)play(&t, 0.002, 60, true);
}

/* Few rows: exact and auto are the same run, to the last bit. */
static void small_islands_are_exact(void **state)
{
    (void)state;
    static const char *const accuracies[] = {"exact", "auto"};
    uint64_t                 hash[2];
    for (int k = 0; k < 2; k++) {
        world w;
        text  t = begin(3, 0.5);
        for (int i = 0; i < 12; i++) {
            put(&t,
                "  - {name: b%d, type: dynamic, mass: 1, shape: {%s}, position: [%g, %g, %g]}\n", i,
                i % 2 ? "sphere: {radius: 0.06}" : "box: {size: [0.1, 0.12, 0.09]}",
                0.2 * (i % 4) - 0.3, 0.01 * (i % 3), 0.08 + 0.13 * (i / 4));
        }
        put(&t, "simulation: {step: 0.004, duration: 1, accuracy: %s}\n", accuracies[k]);
        open_text(&w, t.at);
        for (int i = 0; i < 200; i++) {
            run(&w, 0.004, 1);
            assert_int_equal(ss_data_report(w.data)->by_motion, 0);
        }
        hash[k] = ss_state_hash(w.model, w.data);
        close_world(&w);
        free(t.at);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_masses),
        cmocka_unit_test(unions),
        cmocka_unit_test(polygons),
        cmocka_unit_test(joints_and_motors),
        cmocka_unit_test(small_stacks),
        cmocka_unit_test(flights_have_a_motion_error),
        cmocka_unit_test(heavy_ball_on_grains),
        cmocka_unit_test(sunk_bodies_are_lifted),
        cmocka_unit_test(small_islands_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
