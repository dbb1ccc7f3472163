/* SPDX-License-Identifier: Apache-2.0 */
/* simulation: {advance: event}: impacts act when they happen, at any step and size. */
#include <stdlib.h>

#include "world.h"

static const char *const ball =
    "params: {s: 1, e: 0.5}\n"
    "gravity: [0, 0, \"-10*s\"]\n"
    "materials: {default: {friction: 0, restitution: \"e\"}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: \"0.1*s\"}}, position: [0, "
    "0, "
    "\"0.6*s\"]}\n"
    "simulation: {advance: event}\n";

static void open_ball(world *w, double size, double e)
{
    char        set[2][64];
    const char *sets[] = {set[0], set[1]};
    snprintf(set[0], sizeof set[0], "params.s=%.17g", size);
    snprintf(set[1], sizeof set[1], "params.e=%.17g", e);
    *w = (world){.ctx = ss_context_create(NULL)};
    check(w, load_world(w, ball, sets, 2));
}

/* Dropped by 0.5 under 10: it touches at sqrt(0.1), and rises at half its speed. */
static void a_ball_bounces_in_time(void **unused)
{
    (void)unused;
    static const double sizes[] = {1e-3, 1, 1e3}, steps[] = {0.06, 0.03, 0.01};
    for (int i = 0; i < 9; i++) {
        double size = sizes[i / 3], h = steps[i % 3];
        double late = 0.6 - sqrt(0.1), up = 5 * sqrt(0.1);
        world  w;
        open_ball(&w, size, 0.5);
        int events = 0;
        for (int k = 0; k < (int)(0.6 / h + 0.5); k++) {
            run(&w, h, 1);
            events += ss_data_report(w.data)->events;
            assert_int_equal(ss_data_report(w.data)->splits, 0);
        }
        assert_int_equal(events, 1);
        double z = 0.1 + up * late - 5 * late * late;
        assert_near(body_named(&w, "ball").position.z, size * z, 5e-3 * h * size);
        assert_near(body_named(&w, "ball").velocity.z, size * (up - 10 * late), 2e-2 * h * size);
        close_world(&w);
    }
}

/* Bounces for ever take no longer: it comes to rest on the floor. */
static void bounces_come_to_an_end(void **unused)
{
    (void)unused;
    world w;
    open_ball(&w, 1, 0.3);
    run(&w, 0.05, 60);
    assert_near(body_named(&w, "ball").position.z, 0.1, 1e-6);
    assert_near(body_named(&w, "ball").velocity.z, 0, 1e-6);
    close_world(&w);
}

/* A push acts during the whole step, whatever happens in it; the end is where the step ends. */
static void pushes_act_in_all_parts(void **unused)
{
    (void)unused;
    world w;
    open_ball(&w, 1, 0.5);
    run(&w, 0.3, 1);
    check(&w, ss_data_push(w.model, w.data, 1, ss_v3(2, 0, 0), ss_v3(0, 0, 0)));
    run(&w, 0.1, 1);
    assert_int_equal(ss_data_report(w.data)->events, 1);
    assert_near(body_named(&w, "ball").velocity.x, 2 * 0.1, 1e-9);
    assert_near(ss_data_time(w.data), 0.4, 1e-15);
    close_world(&w);
}

/* The same step from a snapshot gives the same bits. */
static void snapshots_go_on_alike(void **unused)
{
    (void)unused;
    world w;
    open_ball(&w, 1, 0.5);
    run(&w, 0.04, 7);
    size_t size = ss_snapshot_size(w.model, w.data);
    void  *kept = malloc(size);
    check(&w, ss_snapshot_get(w.model, w.data, kept));
    run(&w, 0.04, 3);
    uint64_t hash = ss_state_hash(w.model, w.data);
    check(&w, ss_snapshot_set(w.model, w.data, kept, size));
    run(&w, 0.04, 3);
    assert_true(ss_state_hash(w.model, w.data) == hash);
    free(kept);
    close_world(&w);
}

/* A block on its edge rocks about it from the first step on, which has no room for contacts yet. */
static void what_touches_at_the_start_is_held(void **unused)
{
    (void)unused;
    static const char *const block =
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: block, type: dynamic, mass: 1, shape: {box: {size: [1, 1, 1]}}, euler: [0, "
        "-0.15, "
        "0], position: [0, 0, \"0.5*(cos(0.15) + sin(0.15))\"]}\n"
        "simulation: {advance: event}\n";
    world w = {.ctx = ss_context_create(NULL)};
    check(&w, load_world(&w, block, NULL, 0));
    double e = total_energy(&w);
    run(&w, 1e-4, 100);
    assert_int_equal(ss_data_report(w.data)->contacts, 2);
    assert_near(total_energy(&w), e, 1e-9);
    close_world(&w);
}

static int32_t events_in(const char *scene, const char *const *sets, size_t count, int steps)
{
    int32_t events = 0;
    world   w      = {.ctx = ss_context_create(NULL)};
    check(&w, load_world(&w, scene, sets, count));
    for (int i = 0; i < steps; i++) {
        run(&w, 0.01, 1);
        events += ss_data_report(w.data)->events;
    }
    close_world(&w);
    return events;
}

/* What turns a millionth of itself beside another for a thousand steps never touches it, however
   little the bound of what turning may do allows; a bump of it does, once. */
static void what_passes_closely_does_not_touch(void **unused)
{
    (void)unused;
    static const char *const discs =
        "dimension: 2\n"
        "params: {gap: 1e-6, r: 0.2}\n"
        "gravity: [0, 0]\n"
        "materials: {default: {friction: 0.3, restitution: 0.5}}\n"
        "bodies:\n"
        "  - {name: a, type: dynamic, mass: 1, shape: {superellipse: {radii: [0.2, \"r\"]}}, "
        "position: [0, 0], angular_velocity: 3}\n"
        "  - {name: b, type: dynamic, mass: 2, shape: {superellipse: {radii: [0.2, 0.2]}}, "
        "position: [\"0.4 + gap\", 0], angular_velocity: 2}\n"
        "simulation: {advance: event}\n";
    const char *bump[] = {"params.r=0.2001", "params.gap=5e-5"};
    assert_int_equal(events_in(discs, NULL, 0, 1000), 0);
    assert_int_equal(events_in(discs, bump, 2, 100), 1);
}

/* Bodies that rub are held by their rates, and come apart by what their turns leave: that is no
   flight with an impact at its end, of which there were hundreds. */
static void what_rubs_does_not_fly(void **unused)
{
    (void)unused;
    static const char *const row =
        "dimension: 2\n"
        "gravity: [0, 0]\n"
        "materials: {default: {friction: 0.3}}\n"
        "bodies:\n"
        "  - {name: a, type: dynamic, mass: 9, shape: {superellipse: {radii: [0.2, 0.12]}}, "
        "position: [0.2, 0]}\n"
        "  - {name: b, type: dynamic, mass: 9, shape: {superellipse: {radii: [0.12, 0.2]}}, "
        "position: [0.52, 0], angular_velocity: 2.4}\n"
        "  - {name: c, type: dynamic, mass: 0.2, shape: {superellipse: {radii: [0.18, 0.35]}}, "
        "position: [0.82, 0], velocity: [0, 0.04], angular_velocity: 0.65}\n"
        "simulation: {advance: event}\n";
    assert_in_range(events_in(row, NULL, 0, 60), 0, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_touches_at_the_start_is_held),
        cmocka_unit_test(a_ball_bounces_in_time),
        cmocka_unit_test(bounces_come_to_an_end),
        cmocka_unit_test(pushes_act_in_all_parts),
        cmocka_unit_test(snapshots_go_on_alike),
        cmocka_unit_test(what_passes_closely_does_not_touch),
        cmocka_unit_test(what_rubs_does_not_fly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
