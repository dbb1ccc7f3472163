/* SPDX-License-Identifier: Apache-2.0 */
/* simulation: {sleep: true}: islands at rest are left out of steps until something wakes them. */

#include "world.h"

#define WALLS                                                                                      \
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"                       \
    "  - {name: left, type: static, shape: {plane: {normal: [1, 0, 0], offset: -0.3}}}\n"          \
    "  - {name: right, type: static, shape: {plane: {normal: [-1, 0, 0], offset: -0.3}}}\n"        \
    "  - {name: front, type: static, shape: {plane: {normal: [0, 1, 0], offset: -0.3}}}\n"         \
    "  - {name: back, type: static, shape: {plane: {normal: [0, -1, 0], offset: -0.3}}}\n"
#define BOX(name, x, z)                                                                            \
    "  - {name: " name ", type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.1, 0.1]}}, "         \
    "position: [" x ", 0, " z "]}\n"
#define SETTINGS "simulation: {step: 0.005, duration: 4, sleep: true}\n"

/* Two stacks of boxes and, on the way to the first, another box. */
static const char                                            stacks[] =
    "materials: {default: {friction: 0.5}}\nbodies:\n" WALLS BOX("a", "-0.2", "0.05")
        BOX("b", "-0.2", "0.15") BOX("c", "-0.2", "0.25") BOX("d", "0.2", "0.05")
            BOX("e", "0.2", "0.15") BOX("late", "-0.2", "8") SETTINGS;

static bool sleeps(const world *w, const char *name)
{
    return ss_data_asleep(w->data, ss_model_find_body(w->model, name).index1 - 1);
}

/* At rest for half a second, then no rows and no motion; the other stack alike. */
static void rest_is_left_out(void **state)
{
    (void)state;
    world w;
    open_text(&w, stacks);
    run(&w, 0.005, 90);
    assert_false(sleeps(&w, "a"));
    run(&w, 0.005, 20);
    assert_true(sleeps(&w, "a") && sleeps(&w, "b") && sleeps(&w, "c"));
    assert_true(sleeps(&w, "d") && sleeps(&w, "e") && !sleeps(&w, "late"));
    assert_int_equal(ss_data_report(w.data)->islands, 0);
    assert_int_equal(ss_data_report(w.data)->asleep, 5);
    ss_body_state before = body_named(&w, "c");
    run(&w, 0.005, 50);
    ss_body_state after = body_named(&w, "c");
    assert_memory_equal(&before, &after, sizeof before);
    close_world(&w);
}

/* What falls on a stack wakes it, in that step and all of it, and no other; the motion is that of a
   run in which nothing sleeps, and all of the energy is accounted for. */
static void touch_wakes(void **state)
{
    (void)state;
    world       w, never;
    const char *off = "simulation.sleep=false";
    open_text(&w, stacks);
    never = (world){.ctx = ss_context_create(NULL)};
    check(&never, load_world(&never, stacks, &off, 1));
    double start = total_energy(&w);
    for (int i = 0; i < 300 && sleeps(&w, "a") + i < 252; i++) {
        run(&w, 0.005, 1);
        run(&never, 0.005, 1);
    }
    for (int i = 0; i < 20; i++) {
        run(&w, 0.005, 1);
        run(&never, 0.005, 1);
    }
    assert_false(sleeps(&w, "a") || sleeps(&w, "c"));
    assert_true(sleeps(&w, "d"));
    static const char *const names[] = {"a", "b", "c", "d", "e", "late"};
    for (int i = 0; i < 6; i++) {
        ss_vec3 x = body_named(&w, names[i]).position, y = body_named(&never, names[i]).position;
        assert_true(ss_norm(ss_sub(x, y)) < 1e-6);
    }
    ss_energy e = ss_data_energy(w.model, w.data);
    assert_near(e.kinetic + e.potential + e.dissipated - e.corrections - e.integration, start,
                1e-9 * start);
    close_world(&w);
    close_world(&never);
}

static void push_wakes(void **state)
{
    (void)state;
    world w;
    open_text(&w, stacks);
    run(&w, 0.005, 150);
    assert_true(sleeps(&w, "d") && sleeps(&w, "e"));
    int32_t d = ss_model_find_body(w.model, "d").index1 - 1;
    check(&w, ss_data_push(w.model, w.data, d, ss_v3(-50, 0, 0), ss_v3(0, 0, 0)));
    run(&w, 0.005, 1);
    assert_false(sleeps(&w, "d") || sleeps(&w, "e"));
    assert_true(sleeps(&w, "a"));
    assert_true(body_named(&w, "d").velocity.x < -0.01);
    close_world(&w);
}

/* On what is driven, or held by joints or forces, nothing sleeps, though it is at rest. */
static void driven_is_awake(void **state)
{
    (void)state;
    static const char *const scenes[] = {
        "bodies:\n  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}, "
        "surface_velocity: [0.1, 0, 0]}\n"
        "  - {name: stop, type: static, shape: {plane: {normal: [-1, 0, 0], offset: -0.1}}}\n" BOX(
            "a", "0.04", "0.05") SETTINGS,
        "bodies:\n  - {name: floor, type: kinematic, shape: {box: {size: [1, 1, 0.1]}}, "
        "motion: {z: '-0.05 + 0.05*max(0, t - 1.2)'}}\n" BOX("a", "0", "0.1") SETTINGS,
        "bodies:\n" WALLS BOX("a", "0", "0.05") BOX("b", "0.15", "0.05") SETTINGS
        "forces:\n  - {name: f, type: constant, body: a, force: ['t > 1.2 and 4 or 0', 0, 0]}\n",
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        world w;
        open_text(&w, scenes[i]);
        for (int k = 0; k < 280; k++) {
            run(&w, 0.005, 1);
            assert_false(sleeps(&w, "a"));
        }
        close_world(&w);
    }
}

/* The same bits for every number of threads, and when restored into fresh data half asleep. */
static void same_bits(void **state)
{
    (void)state;
    uint64_t hash = 0;
    for (int threads = 1; threads <= 2; threads++) {
        world w;
        open_text(&w, stacks);
        if (threads > 1 && ss_data_set_threads(w.data, threads) == SS_ERR_UNSUPPORTED) {
            print_message("SKIPPED: this build has no threads\n");
            close_world(&w);
            return;
        }
        run(&w, 0.005, 200);
        assert_restores(&w, 0.005, 80);
        assert_true(threads == 1 || hash == ss_state_hash(w.model, w.data));
        hash = ss_state_hash(w.model, w.data);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_is_left_out), cmocka_unit_test(touch_wakes),
        cmocka_unit_test(push_wakes),       cmocka_unit_test(driven_is_awake),
        cmocka_unit_test(same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
